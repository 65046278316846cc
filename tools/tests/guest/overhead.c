// SPDX-License-Identifier: GPL-2.0
/*
 * How many instructions fork+exec+exit, mmap+munmap of a file, making many
 * executable mappings and changing one more among these take: the same each time
 * (change), or another one (other). For guests whose clock counts instructions.
 *
 * usage: overhead FILE
 *	prints "NAME INSTRUCTIONS" lines, the median of many repetitions each
 *        overhead change FILE TIMES
 *	prints the last two of these only, measured so often
 *        overhead gap SECONDS
 *	prints how many instructions this task spent at most between two readings
 *	of a clock, in so many seconds of its own time
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "icount.h"

#define MAPS		50
#define LENGTH		(4 * 4096)
#define MANY		1000
/* Instructions between two readings of the clock, halved; few beside what is looked for. */
#define GAP_SPIN	5000

extern char **environ;

static int fd;
static long page;
static char *many;
static char *self;

static void exec_exit(void)
{
	char *args[] = { self, NULL };
	pid_t pid;

	if (posix_spawn(&pid, self, NULL, NULL, args, environ))
		exit(3);
	waitpid(pid, NULL, 0);
}

/* With @pages, every other mapping is longer by so many. */
static void map_unmap(int prot, int pages)
{
	size_t length;
	void *p;
	int i;

	for (i = 0; i < MAPS; i++) {
		length = LENGTH + (i % 2 ? pages * page : 0);
		p = mmap(NULL, length, prot, MAP_PRIVATE, fd, 0);
		if (p == MAP_FAILED)
			exit(3);
		munmap(p, length);
	}
}

static void map_read(void)
{
	map_unmap(PROT_READ, 0);
}

static void map_exec(void)
{
	map_unmap(PROT_READ | PROT_EXEC, 0);
}

static void map_other(void)
{
	map_unmap(PROT_READ | PROT_EXEC, 1);
}

/* Far enough from each other that they stay what they are. */
static void make_many(void)
{
	int i;

	for (i = 0; i < MANY; i++)
		if (mmap(many + 2 * i * page, page, PROT_READ | PROT_EXEC,
			 MAP_PRIVATE | MAP_FIXED, fd, 0) == MAP_FAILED)
			exit(3);
}

static void reserve_many(void)
{
	many = mmap(many, 2 * MANY * page, PROT_NONE, MAP_PRIVATE |
		    MAP_ANONYMOUS | (many ? MAP_FIXED : 0), -1, 0);
	if (many == MAP_FAILED)
		exit(3);
}

/* The median of some, as they take long. They stay. */
static long median_of_many(void)
{
	long times[5], begin;
	int i;

	for (i = 0; i < 5; i++) {
		reserve_many();
		begin = icount_now();
		make_many();
		times[i] = icount_now() - begin;
	}
	qsort(times, 5, sizeof(times[0]), icount_compare);
	return times[2];
}

static long cpu_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return t.tv_sec * 1000000000l + t.tv_nsec;
}

static long longest_gap(long seconds)
{
	long last = cpu_ns(), end = last + seconds * 1000000000l, longest = 0, now;

	for (; last < end; last = now) {
		/* Emulated system calls are slow: s390x takes minutes for a second of them. */
		icount_spin(GAP_SPIN);
		now = cpu_ns();
		longest = now - last > longest ? now - last : longest;
	}
	return longest;
}

static void open_file(const char *name)
{
	page = sysconf(_SC_PAGESIZE);
	fd = open(name, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		exit(2);
}

static void print_changes(double tick, int times)
{
	while (times--) {
		printf("change,1000 %.0f\n", tick * icount_median(map_exec) / MAPS);
		printf("other,1000 %.0f\n", tick * icount_median(map_other) / MAPS);
	}
}

int main(int argc, char **argv)
{
	double tick;

	if (argc == 1)
		return 0;
	if (argc == 3 && !strcmp(argv[1], "gap")) {
		printf("%.0f\n", icount_tick() * longest_gap(atol(argv[2])));
		return 0;
	}
	if (argc == 4 && !strcmp(argv[1], "change")) {
		open_file(argv[2]);
		reserve_many();
		make_many();
		print_changes(icount_tick(), atoi(argv[3]));
		return 0;
	}
	self = argv[0];
	open_file(argv[1]);
	tick = icount_tick();
	printf("ticks %.6f\n", tick);
	printf("exec+exit %.0f\n", tick * icount_median(exec_exit));
	printf("mmap+munmap,r %.0f\n", tick * icount_median(map_read) / MAPS);
	printf("mmap+munmap,rx %.0f\n", tick * icount_median(map_exec) / MAPS);
	printf("make,1000 %.0f\n", tick * median_of_many());
	print_changes(tick, 1);
	return 0;
}
