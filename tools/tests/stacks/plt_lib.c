// SPDX-License-Identifier: GPL-2.0
/* The library of plt.c. */
#include "stacks.h"

int dso_leaf(int n);
int dso_tiny(int n);
int dso_mid(int n, int (*fn)(int));

FN int dso_tiny(int n)
{
	return n + 1;
}

FN int dso_leaf(int n)
{
	burn();
	return n;
}

FN int dso_mid(int n, int (*fn)(int))
{
	volatile char room[300];
	int i;

	room[n & 255] = 1;
	for (i = 0; i < 1000; i++)
		n += dso_tiny(i);
	return fn(n) + dso_leaf(n) + room[n & 255];
}
