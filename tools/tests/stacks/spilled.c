// SPDX-License-Identifier: GPL-2.0
/*
 * A leaf that needs every register it may have. On s390x it keeps r11 and r14,
 * and so RA and FP, in floating-point registers.
 *
 * stacks: (spilled | spilled_ra)? caller main
 * stacks: (@plt | @libc+ @plt?)? main
 */
#include "stacks.h"

void spilled(void);
void spilled_ra(void);
void caller(void);

#if defined(__zarch__)
#define CALL_SAVED	"r6", "r7", "r8", "r9", "r10", "r11"
#define AND_RA		"r11", "r14"
#define SPOIL		"lghi %%r11,1\n\tlghi %%r14,1"
#elif defined(__aarch64__)
#define CALL_SAVED	"x19", "x20", "x21", "x22", "x23", "x24", "x25", "x26"
#define AND_RA		"x19", "x30"
#define SPOIL		"mov x19,1\n\tmov x30,1"
#else
#define CALL_SAVED	"rbx", "r12", "r13", "r14", "r15"
#define AND_RA		"rbx"
#define SPOIL		"mov $1,%%ebx"
#endif

FN void spilled(void)
{
	asm volatile("" : : : CALL_SAVED);
	burn();
	asm volatile("" : : : CALL_SAVED);
}

FN void spilled_ra(void)
{
	asm volatile(SPOIL : : : AND_RA);
	burn();
	asm volatile("" : : : AND_RA);
}

FN void caller(void)
{
	spilled();
	spilled_ra();
}

int main(int argc, char **argv)
{
	limit(argc, argv);
	while (time_left())
		caller();
	return 0;
}
