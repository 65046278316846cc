/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the programs of the guest tests share: functions that the compiler
 * leaves alone, and time spent at known places.
 */
#ifndef BURN_H
#define BURN_H

#include <time.h>

#define ARRAY_SIZE(a)	(sizeof(a) / sizeof((a)[0]))

/* A function of its own: never inlined, cloned or reasoned about. */
#define FN __attribute__((noipa))

/*
 * Milliseconds of CPU time of the calling thread. What the kernel copies to us
 * may be made to fail, and what is here then is no time to run until.
 */
static inline long cpu_ms(void)
{
	struct timespec now;

	while (clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now))
		;
	return now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* Some time right here: the caller is the leaf. */
static inline __attribute__((always_inline)) void burn(unsigned int n)
{
	for (; n; n--)
		asm volatile("" : "+r"(n));
}

#endif
