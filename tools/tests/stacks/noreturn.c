// SPDX-License-Identifier: GPL-2.0
/*
 * A function that ends in a call which never returns: the return address is
 * the first byte of the next function (checked at run time).
 *
 * stacks: (never | burn_more never) last_call main
 * stacks: (@plt | @libc+ @plt?) (never last_call)? main
 * stacks: last_call main
 * stacks: main
 */
#include <setjmp.h>
#include <unistd.h>

#include "stacks.h"

static jmp_buf back;
void never(void) __attribute__((noreturn));
void last_call(void);
void next_function(void);
void burn_more(void);

FN void last_call(void)
{
	burn();
#if defined(__zarch__)
	/* Functions begin at multiples of eight there; brasl has six bytes. */
	asm volatile(".balign 8\n\tnopr");
#endif
	never();
}

FN void next_function(void)
{
	asm volatile("");
}

FN void burn_more(void)
{
	burn();
}

FN void never(void)
{
	if (__builtin_return_address(0) != (void *)next_function)
		_exit(3);
	burn();
	burn_more();
	longjmp(back, 1);
}

int main(int argc, char **argv)
{
	limit(argc, argv);
	setjmp(back);
	while (time_left())
		last_call();
	return 0;
}
