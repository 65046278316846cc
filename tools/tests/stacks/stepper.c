// SPDX-License-Identifier: GPL-2.0
/*
 * Runs a program one instruction at a time: stepper COUNT PROGRAM ARGS...
 *
 * Each step makes a SIGTRAP in the program, so a perf event on signals sees a
 * chain at every single instruction, where a timer only sees some. Stepping
 * begins when the program stops itself, see limit() in stacks.h.
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

static int run_child(char **argv)
{
	if (ptrace(PTRACE_TRACEME, 0, NULL, NULL))
		return 125;
	execv(argv[0], argv);
	return 126;
}

/* Let the child go on until its next stop; the signal that stopped it. */
static int resume(pid_t pid, int request, int signal)
{
	int status;

	if (ptrace(request, pid, NULL, (void *)(long)signal))
		return -1;
	if (waitpid(pid, &status, 0) != pid || !WIFSTOPPED(status))
		return -1;
	return WSTOPSIG(status);
}

static int step(pid_t pid, long count)
{
	int status, signal = 0;

	if (waitpid(pid, &status, 0) != pid || !WIFSTOPPED(status))
		return 1;
	do {
		signal = resume(pid, PTRACE_CONT, signal);
		if (signal < 0)
			return 1;
	} while (signal != SIGSTOP);
	/* Neither the stop nor the traps are for the program itself. */
	signal = 0;
	while (count-- > 0) {
		if (signal == SIGTRAP || signal == SIGSTOP)
			signal = 0;
		signal = resume(pid, PTRACE_SINGLESTEP, signal);
		if (signal < 0)
			return 1;
	}
	return 0;
}

int main(int argc, char **argv)
{
	int failed;
	pid_t pid;

	if (argc < 3) {
		fprintf(stderr, "usage: stepper COUNT PROGRAM ARGS...\n");
		return 2;
	}
	pid = fork();
	if (pid < 0)
		return 1;
	if (pid == 0)
		_exit(run_child(argv + 2));
	failed = step(pid, atol(argv[1]));
	if (failed)
		fprintf(stderr, "stepper: %s did not last\n", argv[2]);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	return failed;
}
