// SPDX-License-Identifier: GPL-2.0
/*
 * A signal handler, on the normal and on an alternate stack, interrupting at
 * any place (a timer) and at a known place (a synchronous fault). The code
 * that returns from it is in libc, without tables.
 *
 * stacks: ((in_handler? handler)? @libc){0,2} ((work | raiser)? outer)? main
 * stacks: (@plt | @libc+ @plt?) main
 * stacks: main
 * stacks: entered: handler
 */
#include <signal.h>
#include <stdlib.h>
#include <sys/time.h>

#include "stacks.h"

static char other_stack[65536];
static volatile int hits;

FN void in_handler(void)
{
	burn();
}

FN void handler(int signal)
{
	(void)signal;
	hits++;
	burn();
	in_handler();
}

FN int work(int n)
{
	volatile char room[123];

	room[n & 63] = 1;
	burn();
	return n + room[n & 63];
}

/* The signal comes out of this very system call. */
FN void raiser(void)
{
	raw_syscall2(SYS_kill, raw_syscall2(SYS_getpid, 0, 0), SIGUSR1);
	burn();
}

FN int outer(int n)
{
	raiser();
	return work(n) + work(n + 1);
}

static int install(int signal, int flags)
{
	struct sigaction act = { .sa_handler = handler, .sa_flags = flags };

	return sigaction(signal, &act, NULL);
}

int main(int argc, char **argv)
{
	struct itimerval often = { { 0, 3000 }, { 0, 3000 } }, never = { };
	stack_t other = { .ss_sp = other_stack, .ss_size = sizeof(other_stack) };

	limit(argc, argv);
	if (sigaltstack(&other, NULL) || install(SIGPROF, SA_ONSTACK | SA_RESTART) ||
	    install(SIGUSR1, SA_RESTART) || setitimer(ITIMER_PROF, &often, NULL))
		return 3;
	while (time_left())
		outer(hits);
	/* In exit() a handler would be called from below main(). */
	if (setitimer(ITIMER_PROF, &never, NULL))
		return 3;
	return hits ? 0 : 4;
}
