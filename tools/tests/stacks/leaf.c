// SPDX-License-Identifier: GPL-2.0
/*
 * Leaves of every kind: without a frame, with a red zone, with a frame of
 * 200 kB, shrink-wrapped (a frame on one path only), and one called with many
 * arguments on the stack.
 *
 * stacks: (bare | redzone | wrapped) calls main
 * stacks: bare (big | wrapped | many) calls main
 * stacks: (big | many) calls main
 * stacks: calls main
 * stacks: main
 */
#include "stacks.h"

FN int bare(int n)
{
	burn();
	return n + 1;
}

FN int redzone(int n)
{
	volatile int local[8];

	local[n & 7] = n;
	burn();
	return local[n & 7];
}

FN int big(int n)
{
	volatile char room[200000];

	room[n] = 1;
	room[199999] = 2;
	return bare(n) + room[n];
}

FN int wrapped(int n)
{
	int more;

	if (n & 1) {
		burn();
		return n;
	}
	more = bare(n);
	return more + bare(more) + n;
}

FN int many(int a, int b, int c, int d, int e, int f, int g, int h, int i)
{
	return bare(a + g) + b + c + d + e + f + h + i;
}

FN int calls(int n)
{
	int sum = bare(n) + redzone(n) + big(n & 63) + wrapped(n) + wrapped(n + 1);

	return sum + many(n, 1, 2, 3, 4, 5, 6, sum, n) + many(sum, n, 1, 2, 3, 4, 5, n, 7);
}

int main(int argc, char **argv)
{
	limit(argc, argv);
	while (time_left())
		calls(argc);
	return 0;
}
