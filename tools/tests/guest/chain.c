// SPDX-License-Identifier: GPL-2.0
/*
 * A good program: main > one > two > three, for so many milliseconds of CPU
 * time. Nearly all of it passes in three(), and all four have rows.
 *
 * usage: chain MILLISECONDS
 */
#include <stdlib.h>

#include "burn.h"

FN int three(int n)
{
	burn(300000);
	return n + 1;
}

FN int two(int n)
{
	return three(n) + 1;
}

FN int one(int n)
{
	return two(n) + 1;
}

int main(int argc, char **argv)
{
	long ms = argc > 1 ? atol(argv[1]) : 100;
	volatile int sum = 0;

	while (cpu_ms() < ms)
		sum = one(sum);
	return 0;
}
