// SPDX-License-Identifier: GPL-2.0
/* The library of dso_bare.c: never gets tables. */
#include "stacks.h"

void bare_call(void (*fn)(void));
static void bare_inner(void (*fn)(void), int n);

static FN void bare_inner(void (*fn)(void), int n)
{
	volatile char room[150];

	room[n] = 1;
	burn();
	fn();
	room[n + 1] = 2;
}

FN void bare_call(void (*fn)(void))
{
	burn();
	bare_inner(fn, 3);
	burn();
}
