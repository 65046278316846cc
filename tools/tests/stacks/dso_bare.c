// SPDX-License-Identifier: GPL-2.0
/*
 * A library without tables between functions that have them: built once with
 * and once without frame pointers.
 *
 * stacks: uncovered: bare_call bare_inner
 * stacks: (leaf | back | leaf back) bare_inner bare_call user main
 * stacks: (bare_inner bare_call | bare_call) user main
 * stacks: (leaf user | user) main
 * stacks: (@plt | @libc+ @plt?) user main
 * stacks: main
 */
#include "stacks.h"

void bare_call(void (*fn)(void));

FN void leaf(void)
{
	burn();
}

FN void back(void)
{
	volatile char room[77];

	room[1] = 1;
	leaf();
	burn();
	room[2] = 2;
}

FN void user(void)
{
	int i;

	bare_call(leaf);
	bare_call(back);
	for (i = 0; i < 5; i++)
		leaf();
}

int main(int argc, char **argv)
{
	limit(argc, argv);
	while (time_left())
		user();
	return 0;
}
