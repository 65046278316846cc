// SPDX-License-Identifier: GPL-2.0
/*
 * The frame pointer register as a general register that points into the
 * stack: once in assembly with CFI, where the tables say how to go on, and
 * once without, where only the data it points at could be taken for a frame.
 *
 * stacks: uncovered: untold
 * stacks: (told | leaf told | untold | leaf untold) caller main
 * stacks: (caller | leaf caller) main
 * stacks: main
 */
#include "stacks.h"

void told(void (*fn)(void), unsigned int loops);
void untold(void (*fn)(void), unsigned int loops);

FN void leaf(void)
{
	burn();
}

FN void caller(void)
{
	volatile unsigned long data[32];
	int i;

	for (i = 0; i < 32; i++)
		data[i] = (unsigned long)&data[(i + 4) & 31];
	told(leaf, burn_count);
	untold(leaf, burn_count);
	leaf();
	data[0] = 0;
}

int main(int argc, char **argv)
{
	limit(argc, argv);
	while (time_left())
		caller();
	return 0;
}
