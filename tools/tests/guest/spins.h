/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Spin with stack and frame pointers of choice, three ways: in a function whose row
 * counts from SP, in one whose row counts from FP, and in one without a row, which is
 * libspin.so's.
 */
#ifndef SPINS_H
#define SPINS_H

#include "burn.h"
#include "spin.h"

void spin_bare(unsigned long sp, unsigned long fp, unsigned long n);

FN void spin_sp(unsigned long sp, unsigned long fp, unsigned long n)
{
	SPIN(sp, fp, n);
}

/* An array of unknown size: the compiler counts from FP. */
FN void spin_fp(unsigned long sp, unsigned long fp, unsigned long n)
{
	volatile char room[n % 16 + 1];

	room[0] = 0;
	SPIN(sp, fp, n);
	room[0]++;
}

static inline void spin_all(unsigned long sp, unsigned long fp, unsigned long n)
{
	spin_sp(sp, fp, n);
	spin_fp(sp, fp, n);
	spin_bare(sp, fp, n);
}

/* An address behind a call, once called_from() was called. */
static unsigned long after_call;

FN void note_return(void)
{
	after_call = (unsigned long)__builtin_return_address(0);
}

FN void called_from(void)
{
	note_return();
	burn(1);
}

/* About so many rounds of SPIN() take a millisecond. */
static inline unsigned long rounds_per_ms(void)
{
	unsigned long rounds = 0;
	long begin = cpu_ms();

	while (cpu_ms() < begin + 20) {
		burn(100000);
		rounds += 100000;
	}
	return rounds / 20;
}

#endif
