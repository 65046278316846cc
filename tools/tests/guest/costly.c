// SPDX-License-Identifier: GPL-2.0
/*
 * Runs with a stack that takes long to walk: frame records in code without tables,
 * and between them whatever has to be looked at. Prints how many nanoseconds it
 * ran, how often it was walked in place meanwhile, and how many nanoseconds of these the
 * module has used to find out what those walks could not pay for.
 *
 * usage: costly list
 *        costly CASE ROUNDS
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "burn.h"
#include "costly_code.h"
#include "spin.h"

#define SIZE		(256 * 1024ul)
#define MAPPINGS	1000
#define WINDOW		2048
#define COUNTERS	"/sys/kernel/debug/sframe/counters"

void spin_bare(unsigned long sp, unsigned long fp, unsigned long n);
void bare_call(void (*fn)(void));

static void (*spin)(unsigned long sp, unsigned long fp, unsigned long n) = spin_bare;
static unsigned long stack;
static unsigned long after_call;

FN void note_return(void)
{
	after_call = (unsigned long)__builtin_return_address(0);
}

static void *map(unsigned long size, int prot)
{
	void *p = mmap(NULL, size, prot, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (p == MAP_FAILED)
		exit(2);
	return p;
}

static void fill(unsigned long even, unsigned long odd)
{
	unsigned long at;

	for (at = stack; at < stack + SIZE; at += 16) {
		((unsigned long *)at)[0] = even;
		((unsigned long *)at)[1] = odd;
	}
}

/* Frame records from @first on, @step apart, with return address @ra. */
static unsigned long records(unsigned long first, long step, unsigned long ra)
{
	unsigned long at;

	for (at = first; at <= stack + SIZE - 64; at += step) {
		((unsigned long *)at)[0] = at + step;
		((unsigned long *)at)[1] = ra;
	}
	return first;
}

/* Lookups in a map with many mappings, which no search finds in few steps. */
static unsigned long among_many(void)
{
	long page = sysconf(_SC_PAGESIZE);
	char *p = map(2 * MAPPINGS * page, PROT_NONE);
	int fd = open("/proc/self/exe", O_RDONLY), i;

	for (i = 0; i < MAPPINGS; i++)
		if (mmap(p + 2 * i * page, page, PROT_READ | PROT_EXEC,
			 MAP_PRIVATE | MAP_FIXED, fd, 0) == MAP_FAILED)
			exit(2);
	return (unsigned long)p + (MAPPINGS + 1) * page + page / 2;
}

static unsigned long words(void)
{
	unsigned long word = among_many();

	fill(word, word);
	return records(stack + 64, 4096, after_call);
}

/* As many records as are believed. */
static unsigned long dense(void)
{
	among_many();
	return records(stack + 64, 16, after_call);
}

/* Each so aligned that the RA might be a copy of another one. */
static unsigned long aligned(void)
{
	among_many();
	return records(stack + 512 - 16, 512, after_call);
}

#ifdef __aarch64__
/* Spins before @nr times @filler, which no table tells how to leave. */
static void spin_before(const struct code *filler, unsigned int nr)
{
	char *p = map(4 * WINDOW, PROT_READ | PROT_WRITE), *at = p + sizeof(spin_begins);

	memcpy(p, spin_begins, sizeof(spin_begins));
	/* The last branches lead to the nops. */
	at = put_code(put_code(at, filler, nr), &nop, 4);
	memcpy(at, spin_ends, sizeof(spin_ends));
	mprotect(p, 4 * WINDOW, PROT_READ | PROT_EXEC);
	spin = (void *)p;
}

static unsigned long insns(void)
{
	spin_before(&nop, NR_NOPS);
	return dense();
}

static unsigned long branches(void)
{
	spin_before(&branch, NR_NOPS);
	return dense();
}
#endif

#ifdef __x86_64__
#include "costly_x86.h"
#endif

static const struct {
	const char *name;
	unsigned long (*make)(void);
} cases[] = {
	{ "words", words },
	{ "dense", dense },
	{ "aligned", aligned },
#if defined(__x86_64__) || defined(__aarch64__)
	{ "insns", insns },
	{ "branches", branches },
#endif
#ifdef __x86_64__
	{ "insns_last", insns_last },
	{ "calls", calls },
	{ "calls_nops", calls_nops },
	{ "absent", absent },
	{ "jumps", jumps },
	{ "entry", entry },
	{ "entries", entries },
	{ "marks", marks },
	{ "owned", owned },
	{ "owned_by_many", owned_by_many },
	{ "levels", levels },
#endif
};

static long now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC_RAW, &t);
	return t.tv_sec * 1000000000l + t.tv_nsec;
}

/* A counter of the module's; 0 where there is none. */
static long counter(const char *counted)
{
	FILE *f = fopen(COUNTERS, "r");
	char name[64];
	long n, found = 0;

	while (f && fscanf(f, "%63s %ld", name, &n) == 2)
		found = strcmp(name, counted) ? found : n;
	if (f)
		fclose(f);
	return found;
}

int main(int argc, char **argv)
{
	unsigned long rounds = argc > 2 ? strtoul(argv[2], NULL, 0) : 0, first;
	const struct sched_param alone = { .sched_priority = 1 };
	long begin, walks, learned, took;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		if (argc == 2)
			puts(cases[i].name);
		if (argc == 3 && !strcmp(argv[1], cases[i].name))
			break;
	}
	if (i == ARRAY_SIZE(cases))
		return argc != 2;
	stack = (unsigned long)map(SIZE, PROT_READ | PROT_WRITE);
#ifdef __aarch64__
	spin_before(&nop, 0);
#endif
	bare_call(note_return);
	first = cases[i].make();
	/* Until it ends, nobody else's work counts. */
	if (sched_setscheduler(0, SCHED_FIFO, &alone)) {
		perror("costly: sched_setscheduler");
		return 2;
	}
	walks = counter("inplace_walks");
	learned = counter("learning_ns");
	begin = now();
	spin(first, first, rounds);
	took = now() - begin;
	printf("%s %ld %ld %ld\n", argv[1], took, counter("inplace_walks") - walks,
	       counter("learning_ns") - learned);
	return 0;
}
