// SPDX-License-Identifier: GPL-2.0
/*
 * The time, asked of the vDSO: code that no file has. A coarse clock, which it
 * can always answer by itself.
 *
 * stacks: covered: @libc
 * stacks: ((@libc+ @plt?) | @plt)? ask main
 * stacks: main
 */
#include "stacks.h"

FN void ask(void)
{
	struct timespec now;
	int i;

	for (i = 0; i < 20000; i++)
		clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
}

int main(int argc, char **argv)
{
	limit(argc, argv);
	while (time_left())
		ask();
	return 0;
}
