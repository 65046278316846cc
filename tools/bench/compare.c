// SPDX-License-Identifier: GPL-2.0
/* See compare.h. Built with frame pointers. */
#define UNW_LOCAL_ONLY
#include <libunwind.h>

#include "compare.h"

static volatile long sink;

__attribute__((noinline)) long compare_deep(int depth, long (*walk)(void))
{
	long n = depth ? compare_deep(depth - 1, walk) : walk();

	sink++;		/* not a tail call */
	return n;
}

long compare_libunwind(void)
{
	unw_context_t context;
	unw_cursor_t cursor;
	unw_word_t ip;
	long n = 0;

	unw_getcontext(&context);
	unw_init_local(&cursor, &context);
	while (n < COMPARE_DEPTH && unw_step(&cursor) > 0) {
		unw_get_reg(&cursor, UNW_REG_IP, &ip);
		sink += ip;
		n++;
	}
	return n;
}

long compare_libunwind_backtrace(void)
{
	void *frames[COMPARE_DEPTH];
	long n = unw_backtrace(frames, COMPARE_DEPTH);

	sink += (long)frames[0];
	return n;
}

long compare_frame_pointers(void)
{
	const unsigned long *fp = __builtin_frame_address(0);
	long n;

	for (n = 0; n < COMPARE_DEPTH; n++) {
		sink += fp[1];
		fp = (const unsigned long *)fp[0];
	}
	return n;
}
