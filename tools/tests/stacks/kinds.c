// SPDX-License-Identifier: GPL-2.0
/*
 * One program linked in every way: PIE, non-PIE, static, static-PIE.
 *
 * stacks: (leaf | leaf middle | middle | pick middle) top main
 * stacks: (top | pick top) main
 * stacks: main
 */
#include "stacks.h"

FN int leaf(int n)
{
	burn();
	return n;
}

FN int pick(int n)
{
	switch (n & 7) {
	case 0:
		return n + 3;
	case 1:
		return n * 5;
	case 2:
		return n / 7;
	case 3:
		return n ^ 0x55;
	case 4:
		burn();
		return n;
	default:
		return n - 1;
	}
}

FN int middle(int n)
{
	volatile char room[96];

	room[n & 63] = 1;
	burn();
	return leaf(n) + pick(n) + room[n & 63];
}

FN int top(int n)
{
	return leaf(n) + middle(n) + pick(n + 1);
}

int main(int argc, char **argv)
{
	int i = 0;

	limit(argc, argv);
	while (time_left())
		top(i++);
	return 0;
}
