// SPDX-License-Identifier: GPL-2.0
/*
 * Sleeps from three places in turn, each with its own system call instruction (x86-64): the PC
 * tells in which of its stays in the kernel a sample's stack was walked.
 *
 * usage: sites ROUNDS
 */
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>

static inline __attribute__((always_inline)) long sleep_here(const struct timespec *time)
{
	long ret;

	asm volatile("syscall\n\tnop"
		     : "=a" (ret)
		     : "0" (SYS_nanosleep), "D" (time), "S" (0)
		     : "rcx", "r11", "memory");
	return ret;
}

static __attribute__((noipa)) long first(const struct timespec *time)
{
	return sleep_here(time);
}

static __attribute__((noipa)) long second(const struct timespec *time)
{
	return sleep_here(time);
}

static __attribute__((noipa)) long third(const struct timespec *time)
{
	return sleep_here(time);
}

int main(int argc, char **argv)
{
	const struct timespec time = { .tv_nsec = 200000 };
	int rounds = argc > 1 ? atoi(argv[1]) : 1;
	volatile double x = 1;	/* the FPU is used, and so switched */

	while (rounds--) {
		first(&time);
		x *= 1.01;
		second(&time);
		x /= 1.01;
		third(&time);
	}
	return 0;
}
