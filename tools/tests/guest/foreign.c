// SPDX-License-Identifier: GPL-2.0
/*
 * Burns with stack and frame pointers in memory that is no stack, and not for
 * everybody to read: one process per case, called "f_CASE".
 *
 * usage: foreign MILLISECONDS CASE
 *        foreign list
 *	prints the cases that this kernel has
 *
 * The cases: memory that the kernel itself has not mapped (secret), full of words
 * that begin as SECRET does; the kernel's pages (kernel, vsyscall); pages of the
 * vDSO's data that were never touched (vvar: status 4 if one was brought in); a
 * ring buffer that the kernel maps and writes (ring); and a stack full of return
 * addresses of called_from(), whose pages another thread takes away and brings back
 * meanwhile (gone).
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <linux/perf_event.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "spins.h"

#define WORD	sizeof(unsigned long)
#define PAGE	4096ul
#define SIZE	(16 * PAGE)
/* Words that are addresses of the user's, where nothing is mapped. */
#define SECRET	0x5ec2e7000000ul

static unsigned long secret(void)
{
	int fd = syscall(SYS_memfd_secret, 0);
	unsigned long *p, i;

	if (fd < 0 || ftruncate(fd, SIZE))
		return 0;
	p = mmap(NULL, SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (p == MAP_FAILED)
		return 0;
	for (i = 0; i < SIZE / WORD; i++)
		p[i] = SECRET + i * WORD;
	return (unsigned long)p + SIZE / 2;
}

static unsigned long kernel(void)
{
	return 0xffffffff81000100ul;
}

static unsigned long vsyscall(void)
{
	return 0xffffffffff600100ul;
}

/* Is a page of this task's in its page tables? Not to be asked about the stack. */
static int is_present(unsigned long at)
{
	unsigned long long entry = 0;
	int fd = open("/proc/self/pagemap", O_RDONLY);

	if (pread(fd, &entry, sizeof(entry), at / PAGE * sizeof(entry)) !=
	    sizeof(entry))
		exit(2);
	close(fd);
	return entry >> 63;
}

/* The first page of [vvar] that is not there. */
static unsigned long absent_vvar(void)
{
	unsigned long start, end, at = 0;
	FILE *maps = fopen("/proc/self/maps", "r");
	char line[256];

	while (!at && fgets(line, sizeof(line), maps))
		if (strstr(line, "[vvar") &&
		    sscanf(line, "%lx-%lx", &start, &end) == 2)
			for (at = start; at < end && is_present(at); at += PAGE)
				;
	fclose(maps);
	return at && at < end ? at + PAGE / 2 : 0;
}

static unsigned long ring(void)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(attr),
		.config = PERF_COUNT_SW_DUMMY,
		.sample_type = PERF_SAMPLE_TID,
		.exclude_kernel = 1,
		.exclude_hv = 1,
	};
	int fd = syscall(SYS_perf_event_open, &attr, 0, -1, -1, 0);
	void *p = mmap(NULL, SIZE + PAGE, PROT_READ, MAP_SHARED, fd, 0);

	return p == MAP_FAILED ? 0 : (unsigned long)p + SIZE / 2;
}

static unsigned long stack;

static void map_stack(void)
{
	if (mmap((void *)stack, SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE |
		 MAP_ANONYMOUS | (stack ? MAP_FIXED : 0), -1, 0) == MAP_FAILED)
		exit(2);
}

static void fill_stack(void)
{
	unsigned long at;

	for (at = stack; at < stack + SIZE; at += WORD)
		*(volatile unsigned long *)at = after_call;
}

static void *come_and_go(void *unused)
{
	unsigned int i;

	for (i = 0; ; i++) {
		fill_stack();
		usleep(i % 7 * 100);
		if (i % 2)
			madvise((void *)stack, SIZE, MADV_DONTNEED);
		else
			munmap((void *)stack, SIZE);
		usleep(i % 5 * 100);
		map_stack();
	}
	return unused;
}

static unsigned long gone(void)
{
	pthread_t thread;

	called_from();
	stack = (unsigned long)mmap(NULL, SIZE, PROT_READ | PROT_WRITE,
				    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (pthread_create(&thread, NULL, come_and_go, NULL))
		return 0;
	return stack + SIZE / 2;
}

static const struct {
	const char *name;
	unsigned long (*make)(void);
} cases[] = {
	{ "secret", secret },
	{ "kernel", kernel },
	{ "vsyscall", vsyscall },
	{ "vvar", absent_vvar },
	{ "ring", ring },
	{ "gone", gone },
};

static int run(unsigned int i, unsigned long ms)
{
	unsigned long at = cases[i].make(), rounds = ms * rounds_per_ms();
	char comm[32];

	if (!at)
		return 3;
	snprintf(comm, sizeof(comm), "f_%s", cases[i].name);
	prctl(PR_SET_NAME, comm);
	spin_all(at, at, rounds);
	if (cases[i].make == absent_vvar && is_present(at))
		return 4;
	return 0;
}

int main(int argc, char **argv)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		if (argc == 2 && cases[i].make())
			puts(cases[i].name);
		if (argc == 3 && !strcmp(argv[2], cases[i].name))
			return run(i, strtoul(argv[1], NULL, 0));
	}
	return argc != 2;
}
