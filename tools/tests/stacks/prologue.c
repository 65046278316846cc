// SPDX-License-Identifier: GPL-2.0
/*
 * Nearly all the time goes to prologues and epilogues: tiny functions that
 * save every callee-saved register, nested three deep, in a tight loop.
 *
 * stacks: (saves3 saves2 | saves2 | saves1 | none) around main
 * stacks: around main
 * stacks: main
 */
#include "stacks.h"

#if defined(__x86_64__)
#define CLOBBER "rbx", "r12", "r13", "r14", "r15"
#elif defined(__aarch64__)
#define CLOBBER "x19", "x20", "x21", "x22", "x23", "x24"
#else
#define CLOBBER "r6", "r7", "r8", "r9", "r10"
#endif

FN void none(void)
{
	asm volatile("");
}

FN void saves3(void)
{
	asm volatile("" : : : CLOBBER);
}

FN void saves2(void)
{
	asm volatile("" : : : CLOBBER);
	saves3();
	asm volatile("" : : : CLOBBER);
}

FN void saves1(void)
{
	volatile char room[3000];

	room[1] = 1;
	asm volatile("" : : : CLOBBER);
}

FN void around(void)
{
	int i;

	for (i = 0; i < 2000; i++) {
		none();
		saves1();
		saves2();
	}
}

int main(int argc, char **argv)
{
	limit(argc, argv);
	while (time_left())
		around();
	return 0;
}
