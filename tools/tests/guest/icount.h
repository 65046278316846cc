/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Instructions, in a guest whose clock counts them (scripts/vm --icount yes): what
 * a tick of the clock is, is measured with a loop of known length.
 */
#ifndef ICOUNT_H
#define ICOUNT_H

#include <stdlib.h>
#include <time.h>

#define ICOUNT_REPEAT	41
#define ICOUNT_LOOP	400000u
#define ICOUNT_INSNS	(2.0 * ICOUNT_LOOP)	/* count down, branch */

static inline long icount_now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC_RAW, &t);
	return t.tv_sec * 1000000000l + t.tv_nsec;
}

/* Two instructions, @n times. */
static inline void icount_spin(unsigned int n)
{
#if defined(__x86_64__)
	asm volatile("1:\tdecl %0\n\tjnz 1b" : "+r"(n) : : "cc");
#elif defined(__aarch64__)
	asm volatile("1:\tsubs %w0, %w0, #1\n\tb.ne 1b" : "+r"(n) : : "cc");
#elif defined(__s390x__)
	asm volatile("1:\tahi %0, -1\n\tjnz 1b" : "+d"(n) : : "cc");
#else
#error "no loop of known length"
#endif
}

static inline void icount_loop(void)
{
	icount_spin(ICOUNT_LOOP);
}

static inline int icount_compare(const void *a, const void *b)
{
	long x = *(const long *)a, y = *(const long *)b;

	return (x > y) - (x < y);
}

/* The median time of fn(), in ticks. */
static inline double icount_median(void (*fn)(void))
{
	long times[ICOUNT_REPEAT], begin;
	int i;

	fn();
	for (i = 0; i < ICOUNT_REPEAT; i++) {
		begin = icount_now();
		fn();
		times[i] = icount_now() - begin;
	}
	qsort(times, ICOUNT_REPEAT, sizeof(times[0]), icount_compare);
	return times[ICOUNT_REPEAT / 2];
}

/* Instructions in a tick. */
static inline double icount_tick(void)
{
	return ICOUNT_INSNS / icount_median(icount_loop);
}

#endif
