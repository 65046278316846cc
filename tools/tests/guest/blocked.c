// SPDX-License-Identifier: GPL-2.0
/*
 * Processes blocked in the kernel with a request pending: one that was never
 * sampled asks for a scan as it goes to sleep (if somebody records
 * sched_switch with callchains), and keeps it pending until it wakes up.
 *
 * usage: blocked PROCESSES
 *
 * SIGUSR1: all wake up for a moment and block again. SIGTERM: the same, then
 * the end; the exit status says whether each of them was in user mode between.
 */
#define _GNU_SOURCE
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <unistd.h>

static volatile sig_atomic_t told;

static void tell(int sig)
{
	told = sig;
}

/* Counts how often it was in user mode. */
static void block(volatile unsigned int *wakes)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	for (;;) {
		pause();
		++*wakes;
	}
}

static int all_woke(volatile unsigned int *wakes, unsigned int *seen, int n)
{
	int i;

	for (i = 0; i < n; i++)
		if (wakes[i] == seen[i])
			return 0;
	return 1;
}

int main(int argc, char **argv)
{
	int i, tries, n = argc == 2 ? atoi(argv[1]) : 0;
	struct sigaction action = { .sa_handler = tell };
	volatile unsigned int *wakes;
	unsigned int seen[n + 1];
	pid_t pids[n + 1];

	wakes = mmap(NULL, (n + 1) * sizeof(*wakes), PROT_READ | PROT_WRITE,
		     MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (!n || wakes == MAP_FAILED)
		return 2;
	sigaction(SIGUSR1, &action, NULL);
	for (i = 0; i < n; i++) {
		pids[i] = fork();
		if (!pids[i])
			block(&wakes[i]);
	}
	sigaction(SIGTERM, &action, NULL);
	while (told != SIGTERM) {
		pause();
		for (i = 0; i < n; i++) {
			seen[i] = wakes[i];
			kill(pids[i], SIGUSR1);
		}
	}
	for (tries = 0; tries < 1000 && !all_woke(wakes, seen, n); tries++)
		usleep(10000);
	return !all_woke(wakes, seen, n);
}
