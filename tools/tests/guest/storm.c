// SPDX-License-Identifier: GPL-2.0
/*
 * Changes mappings as fast as it can, until killed: PROCESSES processes with
 * threads that map, protect, move and unmap FILE, load and unload PLUGIN,
 * fork, exec and spawn, and burn in between.
 *
 * usage: storm PROCESSES FILE PLUGIN
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "burn.h"

#define PAGE	4096
#define LENGTH	(4 * PAGE)
#define EXEC	(PROT_READ | PROT_EXEC)

static const char *file, *plugin;
extern char **environ;

static FN int deep(int n)
{
	burn(500);
	return n ? deep(n - 1) + 1 : 0;
}

/* One life of a mapping; what fails, fails: others do the same at once. */
static FN void map_once(int fd, int round)
{
	char *p = mmap(NULL, LENGTH, EXEC, MAP_PRIVATE, fd, 0);
	size_t length = LENGTH;

	if (p == MAP_FAILED)
		return;
	mprotect(p + PAGE, PAGE, PROT_READ);
	deep(round % 8);
	mprotect(p + PAGE, PAGE, EXEC);
	if (round & 1) {
		void *q = mremap(p, length, 2 * length, MREMAP_MAYMOVE);

		if (q != MAP_FAILED) {
			p = q;
			length *= 2;
		}
	}
	munmap(p + 2 * PAGE, PAGE);
	munmap(p, length);
}

static FN void *map_thread(void *arg)
{
	int fd = open(file, O_RDONLY | O_CLOEXEC);
	int round;

	for (round = 0; fd >= 0; round++)
		map_once(fd, round);
	return arg;
}

static FN void *load_thread(void *arg)
{
	int (*fn)(int);
	void *dl;

	while ((dl = dlopen(plugin, RTLD_NOW))) {
		fn = (int (*)(int))dlsym(dl, "plug");
		fn(0);
		dlclose(dl);
	}
	return arg;
}

static FN void *fork_thread(void *arg)
{
	char *args[] = { "storm", "child", NULL };
	int round;

	for (round = 0;; round++) {
		pid_t pid = -1;

		if (round % 3 == 2)
			posix_spawn(&pid, "/proc/self/exe", NULL, NULL, args,
				    environ);
		else
			pid = fork();
		if (!pid) {
			if (round % 3)
				execv("/proc/self/exe", args);
			deep(20);
			_exit(0);
		}
		if (pid > 0)
			waitpid(pid, NULL, 0);
	}
	return arg;
}

static FN void *burn_thread(void *arg)
{
	for (;;) {
		deep(50);
		usleep(1000);
	}
	return arg;
}

static void run(void)
{
	void *(*start[])(void *) = { map_thread, load_thread, fork_thread };
	pthread_t thread;
	unsigned int i;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	for (i = 0; i < ARRAY_SIZE(start); i++)
		pthread_create(&thread, NULL, start[i], NULL);
	burn_thread(NULL);
}

int main(int argc, char **argv)
{
	int i;

	if (argc == 2 && !strcmp(argv[1], "child"))
		return deep(20) != 20;
	if (argc != 4)
		return 2;
	file = argv[2];
	plugin = argv[3];
	for (i = atoi(argv[1]); i; i--)
		if (!fork())
			run();
	while (wait(NULL) > 0)
		;
	return 1;
}
