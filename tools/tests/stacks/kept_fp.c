// SPDX-License-Identifier: GPL-2.0
/*
 * Through a large library, of which one function has a row, and all others keep frame
 * pointers, to functions that have tables.
 *
 * stacks: (leaf | back | leaf back) kept_inner kept_outer user main
 * stacks: (kept_deep{1,4} kept_outer | kept_inner kept_outer | kept_outer) user main
 * stacks: (leaf user | user) main
 * stacks: (@plt | @libc+ @plt?) user main
 * stacks: main
 */
#include "stacks.h"

void kept_outer(void (*fn)(void));

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
	kept_outer(leaf);
	kept_outer(back);
	leaf();
}

int main(int argc, char **argv)
{
	limit(argc, argv);
	while (time_left())
		user();
	return 0;
}
