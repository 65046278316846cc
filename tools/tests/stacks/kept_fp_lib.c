// SPDX-License-Identifier: GPL-2.0
/* The library of kept_fp.c: has frame pointers, and no tables but that of kept_fp_row.c. */
#include "stacks.h"

void kept_outer(void (*fn)(void));

/* As much code as a library has of which nothing is known. */
#define FILL(n)								\
	static __attribute__((used)) FN void fill_##n(void (*fn)(void))	\
	{								\
		fn();							\
		asm volatile(".rept 256; nop; .endr");			\
		fn();							\
	}
#define FILL4(n)	FILL(n##0) FILL(n##1) FILL(n##2) FILL(n##3)
#define FILL16(n)	FILL4(n##0) FILL4(n##1) FILL4(n##2) FILL4(n##3)
#define FILL64(n)	FILL16(n##0) FILL16(n##1) FILL16(n##2) FILL16(n##3)
#define FILL256(n)	FILL64(n##0) FILL64(n##1) FILL64(n##2) FILL64(n##3)
#define FILL1024(n)	FILL256(n##0) FILL256(n##1) FILL256(n##2) FILL256(n##3)

FILL1024(0)

/* Leaves return addresses on the stack, where kept_inner() has its frame then. */
static FN void kept_deep(int n)
{
	volatile char room[200];

	room[0] = n;
	if (n)
		kept_deep(n - 1);
	burn();
	room[1] = 2;
}

/* Its record is made so far before that it would not be found. */
static FN void kept_inner(void (*fn)(void), int n)
{
	void *volatile room[300];

	room[n] = 0;
	/* It is not; but that keeps it in between. */
	if (__builtin_expect(n > 1000, 1))
		asm volatile(".rept 4096; nop; .endr");
	burn();
	fn();
	burn();
	room[n + 1] = 0;
}

FN void kept_outer(void (*fn)(void))
{
	kept_deep(3);
	kept_inner(fn, 3);
	burn();
}
