// SPDX-License-Identifier: GPL-2.0
/*
 * Traces children of its own, for so many seconds: stops them anywhere, steps
 * them (less than STEPS times), writes their registers back, lets them go on, go
 * free, or die.
 *
 * usage: traced SECONDS STEPS
 */
#define _GNU_SOURCE
#include <elf.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "burn.h"

static FN int child(int n)
{
	burn(1000);
	return n ? child(n - 1) + 1 : 0;
}

static void run_child(void)
{
	char *args[] = { "chain", "20", NULL };
	int i;

	for (i = 0; i < 100; i++) {
		child(30);
		usleep(100);
	}
	execv("./chain", args);
	_exit(1);
}

static int stopped(pid_t pid)
{
	int status;

	return waitpid(pid, &status, 0) == pid && WIFSTOPPED(status);
}

/* Read all registers and write them back, as debuggers do. */
static void touch_registers(pid_t pid)
{
	char regs[4096];
	struct iovec iov = { regs, sizeof(regs) };

	if (!ptrace(PTRACE_GETREGSET, pid, (void *)NT_PRSTATUS, &iov))
		ptrace(PTRACE_SETREGSET, pid, (void *)NT_PRSTATUS, &iov);
}

static int trace(pid_t pid, int max_steps)
{
	int steps = rand() % max_steps;

	if (ptrace(PTRACE_SEIZE, pid, NULL, (void *)PTRACE_O_TRACEEXEC))
		return 1;
	usleep(rand() % 3000);
	if (ptrace(PTRACE_INTERRUPT, pid, NULL, NULL) || !stopped(pid))
		return 1;
	touch_registers(pid);
	while (steps--)
		if (ptrace(PTRACE_SINGLESTEP, pid, NULL, NULL) || !stopped(pid))
			return 1;
	touch_registers(pid);
	return ptrace(PTRACE_DETACH, pid, NULL, NULL) != 0;
}

int main(int argc, char **argv)
{
	unsigned int traced = 0, lost = 0;
	time_t end;
	pid_t pid;

	if (argc != 3 || atoi(argv[2]) < 1)
		return 2;
	srand(1);
	end = time(NULL) + atol(argv[1]);
	while (time(NULL) < end) {
		pid = fork();
		if (pid < 0)
			continue;
		if (!pid)
			run_child();
		if (trace(pid, atoi(argv[2])))
			lost++;
		else
			traced++;
		if (rand() % 2)
			kill(pid, SIGKILL);
		while (waitpid(pid, NULL, __WALL) != pid)
			;
	}
	printf("%u children traced, %u ended before\n", traced, lost);
	return 0;
}
