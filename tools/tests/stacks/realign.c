// SPDX-License-Identifier: GPL-2.0
/*
 * Stacks aligned more than the ABI asks for. "aligned" keeps its CFA in terms
 * of the frame pointer; "drap" reaches its stack arguments through a second
 * pointer (DRAP), which the assemblers before SFrame V3 cannot express.
 *
 * stacks: floor 30
 * stacks: uncovered V1 V2: drap aligned
 * stacks: leaf (aligned | drap aligned) outer main
 * stacks: drap aligned outer main
 * stacks: aligned outer main
 * stacks: outer main
 * stacks: leaf outer main
 * stacks: main
 */
#include <stdalign.h>

#include "stacks.h"

FN void leaf(char *p)
{
	*p = 1;
	burn();
}

FN int drap(int a, int b, int c, int d, int e, int f, int g, int h, int n)
{
	alignas(64) char line[64];
	char dynamic[n];

	leaf(line);
	leaf(dynamic);
	return a + b + c + d + e + f + g + h + line[0] + dynamic[0];
}

FN int aligned(int n)
{
	alignas(128) char line[128];

	leaf(line);
	return drap(1, 2, 3, 4, 5, 6, 7, n, n) + line[0];
}

FN int outer(int n)
{
	char mine;

	leaf(&mine);
	return aligned(n) + mine;
}

int main(int argc, char **argv)
{
	limit(argc, argv);
	while (time_left())
		outer(33);
	return 0;
}
