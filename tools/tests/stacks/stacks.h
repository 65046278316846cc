/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What every program with known stacks is made of.
 *
 * A program runs for a given CPU time and burns it at known places. It says
 * in "stacks:" comment lines which chains can be seen, innermost function
 * first; tools/tests/judge/truth.py describes that language.
 *
 * Nothing here calls libc: a chain that leads into a library without tables
 * must be one the program asked for.
 */
#ifndef STACKS_H
#define STACKS_H

#include <sys/syscall.h>
#include <time.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A function of its own: never inlined, cloned, split or reasoned about. */
#define FN __attribute__((noipa))
#define INLINE static inline __attribute__((always_inline))

INLINE long raw_syscall2(long nr, long a, long b)
{
#if defined(__x86_64__)
	long ret;

	asm volatile("syscall" : "=a"(ret) : "0"(nr), "D"(a), "S"(b)
		     : "rcx", "r11", "memory");
	return ret;
#elif defined(__aarch64__)
	register long x8 asm("x8") = nr;
	register long x0 asm("x0") = a;
	register long x1 asm("x1") = b;

	asm volatile("svc #0" : "+r"(x0) : "r"(x8), "r"(x1) : "memory");
	return x0;
#elif defined(__s390x__)
	register long r1 asm("1") = nr;
	register long r2 asm("2") = a;
	register long r3 asm("3") = b;

	asm volatile("svc 0" : "+d"(r2) : "d"(r1), "d"(r3) : "memory");
	return r2;
#else
#error "no system call sequence for this architecture"
#endif
}

#define UNUSED __attribute__((unused))

static long limit_ms UNUSED = 1000;
static __thread long long last_ns UNUSED, spent_ns UNUSED;
/* One for the program and its libraries. */
extern volatile unsigned int burn_count;
__attribute__((weak)) volatile unsigned int burn_count = 20000;

/*
 * Is there CPU time of this thread left? An emulated processor that was kept
 * waiting counts that as CPU time, too: no round is taken for more than 20 ms.
 */
INLINE int time_left(void)
{
	struct timespec now;
	long long ns, round;

	raw_syscall2(SYS_clock_gettime, CLOCK_THREAD_CPUTIME_ID, (long)&now);
	ns = now.tv_sec * 1000000000LL + now.tv_nsec;
	round = ns - last_ns;
	last_ns = ns;
	spent_ns += round < 20000000 ? round : 20000000;
	return spent_ns / 1000000 < limit_ms;
}

/* Spend some time right here, without a call. */
INLINE void burn(void)
{
	unsigned int i;

	for (i = burn_count; i; i--)
		asm volatile("" : "+r"(i));
}

INLINE long number(const char *s)
{
	long n = 0;

	while (*s >= '0' && *s <= '9')
		n = n * 10 + *s++ - '0';
	return n;
}

/*
 * PROGRAM [CPU-MILLISECONDS [BURN-COUNT]]. With a burn count the program also
 * stops itself with SIGSTOP here, for a tracer that wants to step it.
 */
static FN UNUSED void limit(int argc, char **argv)
{
	if (argc > 1)
		limit_ms = number(argv[1]);
	if (argc > 2) {
		burn_count = number(argv[2]);
		raw_syscall2(SYS_kill, raw_syscall2(SYS_getpid, 0, 0), 19);
	}
}

#ifdef __cplusplus
}
#endif

#endif
