// SPDX-License-Identifier: GPL-2.0
/* The library of kept_fp.c: has frame pointers, and no tables but that of kept_fp_row.c. */
#include "kept_fill.h"
#include "stacks.h"

void bare_call(void (*fn)(void));

/* Leaves return addresses on the stack, where kept_inner() has its frame then. */
static FN void kept_deep(int n)
{
	volatile char room[200];

	room[0] = n;
	if (n)
		kept_deep(n - 1);
	burn();
	room[1] = 2;
}

/* Its record is made so far before that it would not be found. */
static FN void kept_inner(void (*fn)(void), int n)
{
	void *volatile room[300];

	room[n] = 0;
	/* It is not; but that keeps it in between. */
	if (__builtin_expect(n > 1000, 1))
		asm volatile(".rept 4096; nop; .endr");
	burn();
	fn();
	burn();
	room[n + 1] = 0;
}

FN void bare_call(void (*fn)(void))
{
	kept_deep(3);
	kept_inner(fn, 3);
	burn();
}
