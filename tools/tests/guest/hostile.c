// SPDX-License-Identifier: GPL-2.0
/*
 * Burns with stack and frame pointers that lead nowhere good: one process per
 * case, three ways each: in a function whose row counts from SP, in one whose
 * row counts from FP, and in one without a row. The process is then called
 * "h_CASE".
 *
 * usage: hostile MILLISECONDS [CASE]
 *        hostile list
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "burn.h"
#include "missing.h"
#include "spins.h"

#define WORD	sizeof(unsigned long)
#define SIZE	(256 * 1024ul)

static unsigned long stack;	/* SIZE bytes, with nothing mapped around */

static void fill(unsigned long value)
{
	unsigned long at;

	for (at = stack; at < stack + SIZE; at += WORD)
		*(unsigned long *)at = value;
}

/* Frame records all the way: @step further each, with return address @ra. */
static unsigned long records(long step, unsigned long ra)
{
	unsigned long at = stack + (step < 0 ? SIZE - 64 : 64);
	unsigned long first = at;

	while (at >= stack + 64 && at <= stack + SIZE - 64) {
		((unsigned long *)at)[0] = at + step;
		((unsigned long *)at)[1] = ra;
		if (!step)
			break;
		at += step;
	}
	return first;
}

static unsigned long unmapped(void)
{
	void *p = mmap(NULL, SIZE, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	munmap(p, SIZE);
	return (unsigned long)p + SIZE / 2;
}

static unsigned long forbidden(void)
{
	return (unsigned long)mmap(NULL, SIZE, PROT_NONE,
				   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
}

/* A mapping whose file shrank. */
static unsigned long truncated(void)
{
	int fd = memfd_create("gone", 0);
	void *p;

	if (fd < 0 || ftruncate(fd, SIZE))
		exit(2);
	p = mmap(NULL, SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (ftruncate(fd, 0))
		exit(2);
	return (unsigned long)p;
}

/* Faults of the range are answered after a while: reading it sleeps. */
static void *answer(void *arg)
{
	static char zeros[4096];
	int fd = (int)(long)arg;
	struct uffd_msg msg;

	while (read(fd, &msg, sizeof(msg)) == sizeof(msg)) {
		struct uffdio_copy copy = {
			.dst = msg.arg.pagefault.address & ~4095ul,
			.src = (unsigned long)zeros,
			.len = sizeof(zeros),
		};

		usleep(20000);
		ioctl(fd, UFFDIO_COPY, &copy);
	}
	return NULL;
}

static unsigned long slow(void)
{
	pthread_t thread;
	int fd;
	unsigned long at = missing_stack(SIZE, &fd);

	if (at)
		pthread_create(&thread, NULL, answer, (void *)(long)fd);
	return at;
}

/* Addresses that are no stack. */
static int bad_address(const char *name, unsigned long *at)
{
	static const struct {
		const char *name;
		unsigned long value;
	} values[] = {
		{ "null", 0 },
		{ "odd", 3 },
		{ "kernel", 0xffff888000100000ul },
		{ "noncanonical", 0x8000000000000000ul },
		{ "last", 0x00007ffffffffff8ul },
		{ "wrap", -8ul },
	};
	static const struct {
		const char *name;
		unsigned long (*make)(void);
	} made[] = {
		{ "unmapped", unmapped },
		{ "forbidden", forbidden },
		{ "truncated", truncated },
		{ "slow", slow },
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(values); i++)
		if (!strcmp(name, values[i].name))
			*at = values[i].value;
	for (i = 0; i < ARRAY_SIZE(made); i++)
		if (!strcmp(name, made[i].name))
			*at = made[i].make();
	return *at != stack;
}

/* Stacks full of the same word. */
static int bad_contents(const char *name)
{
	unsigned long word;

	if (!strcmp(name, "zeros"))
		word = 0;
	else if (!strcmp(name, "ra_again"))
		word = after_call;
	else if (!strcmp(name, "ra_middle"))
		word = after_call - 1;
	else if (!strcmp(name, "ra_unmapped"))
		word = unmapped();
	else if (!strcmp(name, "ra_kernel"))
		word = 0xffffffff81000000ul;
	else if (!strcmp(name, "ra_data"))
		word = stack;
	else
		return 0;
	fill(word);
	return 1;
}

/* What @name means: SP and FP. False if there is no such case. */
static int set_up(const char *name, unsigned long *sp, unsigned long *fp)
{
	*sp = stack;
	if (bad_address(name, sp)) {
		*fp = *sp;
		return 1;
	}
	*sp = stack + 64;
	*fp = stack + 64;
	if (bad_contents(name))
		return 1;
	if (!strcmp(name, "unaligned"))
		*sp = *fp = stack + 67;
	else if (!strcmp(name, "end"))
		*sp = *fp = stack + SIZE - 4;
	else if (!strcmp(name, "fp_loop"))
		*fp = records(0, after_call);
	else if (!strcmp(name, "fp_down"))
		*fp = records(-64, after_call);
	else if (!strcmp(name, "fp_deep"))
		*fp = records(32, after_call);
	else if (!strcmp(name, "fp_below"))
		*sp = stack + SIZE / 2;
	else
		return 0;
	return 1;
}

static const char *const cases[] = {
	"null", "odd", "kernel", "noncanonical", "last", "wrap", "unaligned",
	"unmapped", "forbidden", "truncated", "slow", "end", "zeros",
	"ra_again", "ra_middle", "ra_unmapped", "ra_kernel", "ra_data",
	"fp_loop", "fp_down", "fp_deep", "fp_below",
};

static int run(const char *name, unsigned long rounds)
{
	unsigned long sp, fp;
	char comm[32];

	if (!set_up(name, &sp, &fp))
		return 2;
	snprintf(comm, sizeof(comm), "h_%s", name);
	prctl(PR_SET_NAME, comm);
	spin_all(sp, fp, rounds);
	return 0;
}

int main(int argc, char **argv)
{
	unsigned long rounds = argc > 1 ? strtoul(argv[1], NULL, 0) : 0;
	unsigned int i;
	int status, bad = 0;

	for (i = 0; argc == 2 && !strcmp(argv[1], "list") && i < ARRAY_SIZE(cases); i++)
		puts(cases[i]);
	if (!rounds)
		return argc != 2;
	rounds *= rounds_per_ms();
	stack = (unsigned long)mmap(NULL, SIZE + 2 * 65536, PROT_NONE,
				    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) + 65536;
	mprotect((void *)stack, SIZE, PROT_READ | PROT_WRITE);
	called_from();
	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		if (argc > 2 && strcmp(argv[2], cases[i]))
			continue;
		if (!fork())
			_exit(run(cases[i], rounds));
		wait(&status);
		if (status) {
			printf("%s: status %#x\n", cases[i], status);
			bad = 1;
		}
	}
	return bad;
}
