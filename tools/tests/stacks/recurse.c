// SPDX-License-Identifier: GPL-2.0
/*
 * Recursion 201 frames deep through a cycle of three functions, so that a
 * frame left out anywhere breaks the order.
 *
 * stacks: bottom (rec_c rec_b rec_a){67} main
 * stacks: (rec_c rec_b rec_a){1,67} main
 * stacks: rec_a (rec_c rec_b rec_a){0,66} main
 * stacks: rec_b rec_a (rec_c rec_b rec_a){0,66} main
 * stacks: main
 */
#include "stacks.h"

int rec_a(int n);
int rec_b(int n);
int rec_c(int n);

FN int bottom(void)
{
	burn();
	return 1;
}

FN int rec_a(int n)
{
	return n ? rec_b(n - 1) + 1 : 0;
}

FN int rec_b(int n)
{
	return n ? rec_c(n - 1) + 2 : 0;
}

FN int rec_c(int n)
{
	return n ? rec_a(n - 1) + 3 : bottom();
}

int main(int argc, char **argv)
{
	int sum = 0;

	limit(argc, argv);
	while (time_left())
		sum += rec_a(200);
	return sum == 1;
}
