// SPDX-License-Identifier: GPL-2.0
/*
 * A signal handler that has never returned, and whose trampoline is not present: it is
 * in the vDSO where libc has none of its own, and no page of that is brought in by a walk.
 *
 * stacks: covered: @libc
 * stacks: (deeper? handler @libc)? raiser main
 * stacks: (@plt | @libc+ @plt?) (handler @libc raiser)? main
 * stacks: main
 * stacks: entered: handler
 */
#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

#include "stacks.h"

FN void deeper(void)
{
	burn();
}

/* The whole chain is known here only while the page is not present. */
FN void handler(int signal)
{
	unsigned long page = (unsigned long)__builtin_return_address(0) & -4096UL;

	(void)signal;
	if (madvise((void *)page, 4096, MADV_DONTNEED))
		_exit(3);
	while (time_left())
		deeper();
	_exit(0);
}

FN void raiser(void)
{
	raw_syscall2(SYS_kill, raw_syscall2(SYS_getpid, 0, 0), SIGUSR1);
	burn();
}

int main(int argc, char **argv)
{
	struct sigaction act = { .sa_handler = handler };

	limit(argc, argv);
	if (sigaction(SIGUSR1, &act, NULL))
		return 3;
	raiser();
	return 4;
}
