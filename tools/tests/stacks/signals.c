// SPDX-License-Identifier: GPL-2.0
/*
 * Signal handlers, all of whose chains must be whole: a signal sent from a known
 * place to a handler on the alternate stack, in which another one is sent, whose
 * handler returns through a trampoline of the program's own (SA_RESTORER, as musl
 * has it); and a timer that interrupts all of that anywhere, also where a handler
 * has just returned to its trampoline.
 *
 * stacks: covered: @libc
 * stacks: floor 20
 * stacks: ((in_ticks? ticks)? @libc)? ((work | raiser)? run)? main
 * stacks: ((in_ticks? ticks)? @libc)? (again? handler)? @libc raiser run main
 * stacks: ((in_ticks? ticks)? @libc)? restore again handler @libc raiser run main
 * stacks: ((in_ticks? ticks)? @libc)? in_nested? nested restore again handler @libc raiser run main
 * stacks: ((in_ticks? ticks)? @libc)? (@plt | @libc+ @plt?)? main
 * stacks: entered: handler nested ticks
 */
#include <signal.h>
#include <sys/time.h>
#include <unistd.h>

#include "stacks.h"

static char other_stack[65536];
static volatile int hits;

FN void in_ticks(void)
{
	burn();
}

FN void ticks(int signal)
{
	(void)signal;
	hits++;
	burn();
	in_ticks();
}

FN void in_nested(void)
{
	burn();
}

FN void nested(int signal)
{
	(void)signal;
	burn();
	in_nested();
}

FN void again(void)
{
	raw_syscall2(SYS_kill, raw_syscall2(SYS_getpid, 0, 0), SIGUSR2);
	burn();
}

FN void handler(int signal, siginfo_t *info, void *context)
{
	(void)signal, (void)info, (void)context;
	burn();
	again();
}

FN void raiser(void)
{
	raw_syscall2(SYS_kill, raw_syscall2(SYS_getpid, 0, 0), SIGUSR1);
	burn();
}

FN int work(int n)
{
	volatile char room[123];

	room[n & 63] = 1;
	burn();
	return n + room[n & 63];
}

FN int run(int n)
{
	raiser();
	return work(n) + work(n + 1);
}

/* No .cfi_startproc: nothing may be known of it but its code. */
void restore(void);
#if defined(__x86_64__)
#define RESTORE "mov $15, %eax\n\tsyscall"
#elif defined(__aarch64__)
#define RESTORE "mov x8, #139\n\tsvc #0"
#else
#define RESTORE "svc 119"
#endif
asm(".text\n\t.balign 16\n\tnop\n\tnop\n\tnop\n\tnop\n\t"
	".globl restore\n\t.hidden restore\n\t"
	".type restore, %function\nrestore:\n\t" RESTORE "\n\t"
	".size restore, . - restore\n");

/* The kernel's struct sigaction, which libc does not let one fill. */
struct kernel_sigaction {
	void (*handler)(int signal);
	unsigned long flags;
	void (*restorer)(void);
	unsigned long mask;
};

#define SA_RESTORER_FLAG 0x04000000

static int install_nested(void)
{
	struct kernel_sigaction act = {
		.handler = nested,
		.flags = SA_RESTORER_FLAG,
		.restorer = restore,
	};

	return syscall(SYS_rt_sigaction, SIGUSR2, &act, NULL, sizeof(act.mask));
}

int main(int argc, char **argv)
{
	struct itimerval often = { { 0, 3000 }, { 0, 3000 } }, never = { };
	stack_t other = { .ss_sp = other_stack, .ss_size = sizeof(other_stack) };
	struct sigaction act = { .sa_sigaction = handler,
				 .sa_flags = SA_ONSTACK | SA_SIGINFO };
	struct sigaction tick = { .sa_handler = ticks,
				  .sa_flags = SA_ONSTACK | SA_RESTART };

	if (sigaltstack(&other, NULL) || sigaction(SIGUSR1, &act, NULL) ||
	    sigaction(SIGPROF, &tick, NULL) || install_nested())
		return 3;
	limit(argc, argv);
	if (setitimer(ITIMER_PROF, &often, NULL))
		return 3;
	while (time_left())
		run(hits);
	/* In exit() a handler would be called from below main(). */
	if (setitimer(ITIMER_PROF, &never, NULL))
		return 3;
	return hits || argc > 2 ? 0 : 4;
}
