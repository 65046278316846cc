// SPDX-License-Identifier: GPL-2.0
/*
 * Assembly without CFI in the middle of a chain, but with a proper frame
 * pointer: the walk may end there or go on, never go wrong.
 *
 * stacks: uncovered: asm_frame
 * stacks: leaf (caller | asm_frame caller) main
 * stacks: deeper (asm_frame caller) main
 * stacks: leaf deeper asm_frame caller main
 * stacks: (asm_frame caller | caller) main
 * stacks: main
 */
#include "stacks.h"

void asm_frame(void (*fn)(void), unsigned int loops);

FN void leaf(void)
{
	burn();
}

FN void deeper(void)
{
	volatile char room[333];

	room[1] = 1;
	burn();
	leaf();
	room[2] = 2;
}

FN void caller(void)
{
	int i;

	leaf();
	asm_frame(leaf, burn_count);
	asm_frame(deeper, burn_count);
	for (i = 0; i < 5; i++)
		leaf();
}

int main(int argc, char **argv)
{
	limit(argc, argv);
	while (time_left())
		caller();
	return 0;
}
