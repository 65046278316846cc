// SPDX-License-Identifier: GPL-2.0
/*
 * Assembly without CFI and without a frame pointer in the middle of a chain.
 * The frame pointer is then that of "framed", two calls further out: who
 * follows it blindly leaves out "skipped" and "framed" itself.
 *
 * stacks: uncovered: asm_bare
 * stacks: leaf (skipped | asm_bare skipped) framed main
 * stacks: (asm_bare skipped | skipped) framed main
 * stacks: framed? main
 */
#include <alloca.h>

#include "stacks.h"

void asm_bare(void (*fn)(void), unsigned int loops);

FN void leaf(void)
{
	burn();
}

FN void skipped(void)
{
	leaf();
	asm_bare(leaf, burn_count);
	leaf();
}

FN void framed(int n)
{
	volatile char *room = alloca(n);

	room[0] = 1;
	skipped();
	room[1] = 2;
}

int main(int argc, char **argv)
{
	limit(argc, argv);
	while (time_left())
		framed(100 + argc);
	return 0;
}
