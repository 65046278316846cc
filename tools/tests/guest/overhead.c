// SPDX-License-Identifier: GPL-2.0
/*
 * How many instructions fork+exec+exit, and mmap+munmap of a file, take. For
 * guests whose clock counts instructions (scripts/vm --icount yes): what a tick
 * of the clock is, is measured first, with a loop of known length.
 *
 * usage: overhead FILE
 *
 * Prints "NAME INSTRUCTIONS" lines, the median of many repetitions each.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define REPEAT		41
#define MAPS		50
#define LENGTH		(4 * 4096)
#define LOOP		400000u
#define LOOP_INSNS	(2.0 * LOOP)	/* count down, branch */

extern char **environ;

static int fd;
static char *self;

static long now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC_RAW, &t);
	return t.tv_sec * 1000000000l + t.tv_nsec;
}

static void loop(void)
{
	unsigned int n = LOOP;

#if defined(__x86_64__)
	asm volatile("1:\tdecl %0\n\tjnz 1b" : "+r"(n) : : "cc");
#elif defined(__aarch64__)
	asm volatile("1:\tsubs %w0, %w0, #1\n\tb.ne 1b" : "+r"(n) : : "cc");
#elif defined(__s390x__)
	asm volatile("1:\tahi %0, -1\n\tjnz 1b" : "+d"(n) : : "cc");
#else
#error "no loop of known length"
#endif
}

static void exec_exit(void)
{
	char *args[] = { self, NULL };
	pid_t pid;

	if (posix_spawn(&pid, self, NULL, NULL, args, environ))
		exit(3);
	waitpid(pid, NULL, 0);
}

static void map_unmap(int prot)
{
	void *p;
	int i;

	for (i = 0; i < MAPS; i++) {
		p = mmap(NULL, LENGTH, prot, MAP_PRIVATE, fd, 0);
		if (p == MAP_FAILED)
			exit(3);
		munmap(p, LENGTH);
	}
}

static void map_read(void)
{
	map_unmap(PROT_READ);
}

static void map_exec(void)
{
	map_unmap(PROT_READ | PROT_EXEC);
}

static int compare(const void *a, const void *b)
{
	long x = *(const long *)a, y = *(const long *)b;

	return (x > y) - (x < y);
}

static double median(void (*fn)(void))
{
	long times[REPEAT], begin;
	int i;

	fn();
	for (i = 0; i < REPEAT; i++) {
		begin = now();
		fn();
		times[i] = now() - begin;
	}
	qsort(times, REPEAT, sizeof(times[0]), compare);
	return times[REPEAT / 2];
}

int main(int argc, char **argv)
{
	double tick;

	if (argc == 1)
		return 0;
	self = argv[0];
	fd = open(argv[1], O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return 2;
	tick = LOOP_INSNS / median(loop);
	printf("ticks %.6f\n", tick);
	printf("exec+exit %.0f\n", tick * median(exec_exit));
	printf("mmap+munmap,r %.0f\n", tick * median(map_read) / MAPS);
	printf("mmap+munmap,rx %.0f\n", tick * median(map_exec) / MAPS);
	return 0;
}
