// SPDX-License-Identifier: GPL-2.0
/*
 * Prologues and epilogues written by hand, with a jump after every
 * instruction. An emulator takes interrupts only where a block of code
 * begins; here that is everywhere.
 *
 * stacks: (step_push | step_frame | burn_here step_frame) around main
 * stacks: around main
 * stacks: main
 */
#include "stacks.h"

void step_push(void);
void step_frame(void);
void burn_here(void);

FN void burn_here(void)
{
	asm volatile("");
}

FN void around(void)
{
	int i;

	for (i = 0; i < 2000; i++) {
		step_push();
		step_frame();
	}
}

int main(int argc, char **argv)
{
	limit(argc, argv);
	while (time_left())
		around();
	return 0;
}
