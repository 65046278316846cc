// SPDX-License-Identifier: GPL-2.0
/*
 * Tail calls: a function that jumped away is not on the stack any more.
 *
 * stacks: (first | second | third) start main
 * stacks: start main
 * stacks: (viaptr | third) main
 * stacks: main
 */
#include "stacks.h"

typedef int step(int n);
static step *volatile pointer;

FN int third(int n)
{
	burn();
	return n;
}

FN int second(int n)
{
	volatile char room[100];

	room[n] = 1;
	burn();
	return third(n + room[n]);
}

FN int first(int n)
{
	burn();
	return second(n + 1);
}

FN int viaptr(int n)
{
	burn();
	return pointer(n + 1);
}

FN int start(int n)
{
	return first(n) + 1;
}

int main(int argc, char **argv)
{
	pointer = third;
	limit(argc, argv);
	while (time_left())
		start(argc & 7) + viaptr(argc & 7);
	return 0;
}
