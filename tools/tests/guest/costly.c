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
/* A frame of the following. */
#define LEFT_SIZE	0x400

/*
 * Code behind a call that makes no record, and has @nr times @filler on its way to its return.
 * Return where that call returns to.
 */
static unsigned long leaving(const struct code *filler, unsigned int nr)
{
	char *p = map(4 * WINDOW, PROT_READ | PROT_WRITE), *at = p + 16;

	put_code(at - call.len, &call, 1);
	put_code(put_code(at, filler, nr), &leave, 1);
	mprotect(p, 4 * WINDOW, PROT_READ | PROT_EXEC);
	return (unsigned long)p + 16;
}

/* From @at on, frames without a record, each of code that returns to @ra. */
static void to_be_left(unsigned long at, unsigned long ra)
{
	((unsigned long *)at)[0] = 0;
	((unsigned long *)at)[1] = ra;
	for (at += 16 + LEFT_SIZE - 8; at < stack + SIZE; at += LEFT_SIZE)
		*(unsigned long *)at = ra;
}

static unsigned long left_past(const struct code *filler, unsigned int nr)
{
	among_many();
	to_be_left(stack + 64, leaving(filler, nr));
	return stack + 64;
}

static unsigned long insns(void)
{
	return left_past(&nop, NR_NOPS);
}

/* So many that none is left. */
static unsigned long branches(void)
{
	return left_past(&branch, WINDOW / branch.len);
}

/* Records first, until little is left for such code. */
static unsigned long insns_last(void)
{
	unsigned long first = dense(), at = first + 40 * 16;

	memset((char *)at, 0, stack + SIZE - at);
	to_be_left(at, leaving(&nop, NR_NOPS));
	return first;
}

/*
 * A function that makes a record and then is as @filler says, behind whose indirect
 * call something returns to, in pages of its own. Return that address.
 */
static unsigned long function(const struct code *filler)
{
	static const char record[] = { 0x55, 0x48, 0x89, 0xe5 };
	char *p = map(2 * WINDOW, PROT_READ | PROT_WRITE);

	put_code(p, filler, WINDOW / filler->len);
	put_code(p + WINDOW, filler, WINDOW / filler->len);
	memcpy(p + WINDOW, record, sizeof(record));
	put_code(p + 2 * WINDOW - 16, &call, 1);
	mprotect(p, 2 * WINDOW, PROT_READ | PROT_EXEC);
	return (unsigned long)p + 2 * WINDOW - 14;
}

/* Words that follow calls, but were left over. */
static unsigned long calls_among(const struct code *filler)
{
	among_many();
	fill(function(filler), function(filler));
	return records(stack + 64, 4096, function(filler));
}

static unsigned long calls(void)
{
	return calls_among(&add);
}

static unsigned long calls_nops(void)
{
	return calls_among(&nop);
}

/* Words of which nobody can tell what they follow. */
static unsigned long absent(void)
{
	unsigned long code = (unsigned long)map(SIZE, PROT_EXEC);

	fill(code + 64, code + SIZE / 2);
	return records(stack + 64, 4096, function(&add));
}

/* In each frame one word that has the code before the PC looked at. */
static unsigned long jumps(void)
{
	unsigned long first = stack + 64, at;

	records(first, 32, function(&branch_far));
	for (at = first + 16; at < stack + SIZE - 64; at += 32)
		((unsigned long *)at)[0] = after_call;
	return first;
}

/*
 * Frames that nothing leads out of, in code of which no word is found to be called
 * from: @ra is behind a call of a long function before it, or else no call.
 */
static unsigned long never_left(bool called)
{
	static const char jump_here[] = { 0xeb, 0xfe };
	unsigned long first = stack + 64, ra;
	char *p = map(4 * WINDOW, PROT_READ | PROT_WRITE), *end = p + 3 * WINDOW;
	int rel = p + 16 - (end + 5);

	memcpy(put_code(p + 16, &nop, NR_NOPS), jump_here, sizeof(jump_here));
	*end = 0xe8;
	memcpy(end + 1, &rel, sizeof(rel));
	put_code(end + 64, &call, 1);
	memcpy(end + 66, jump_here, sizeof(jump_here));
	mprotect(p, 4 * WINDOW, PROT_READ | PROT_EXEC);
	among_many();
	ra = (unsigned long)end + (called ? 5 : 32);
	fill(ra, ra);
	((unsigned long *)first)[0] = 0;
	((unsigned long *)first)[1] = (unsigned long)end + 66;
	return first;
}

static unsigned long entry(void)
{
	return never_left(false);
}

static unsigned long entries(void)
{
	return never_left(true);
}

/*
 * A function that has called, as HotSpot compiles it: the mark behind its call says where its
 * memory begins, but it makes its frame, of 72 bytes, only @made_at bytes from there on.
 */
static unsigned long marked(unsigned int made_at)
{
	/* mov %eax,-0x4000(%rsp); push %rbp; sub $64,%rsp */
	static const char makes[] = "\x89\x84\x24\x00\xc0\xff\xff\x55\x48\x83\xec\x40";
	static const char call[] = "\xff\xd0\x0f\x1f\x84\x00";
	char *p = map(4 * WINDOW, PROT_READ | PROT_WRITE);
	int back = 4 * WINDOW - 64;

	memset(p, 0x90, 4 * WINDOW);
	memcpy(p + made_at, makes, sizeof(makes) - 1);
	memcpy(p + back - 2, call, sizeof(call) - 1);
	memcpy(p + back + 4, &back, sizeof(back));
	mprotect(p, 4 * WINDOW, PROT_READ | PROT_EXEC);
	return (unsigned long)p + back;
}

/* Two of them by turns, so that neither is where the last one was. */
static unsigned long marks(void)
{
	unsigned long first = stack + 64, at = first + 8;
	const unsigned long ra[] = { marked(3 * WINDOW), marked(3 * WINDOW + 512) };
	unsigned int i;

	among_many();
	((unsigned long *)first)[0] = 0;
	for (i = 0; at < stack + SIZE; at += 80, i++)
		*(unsigned long *)at = ra[i % 2];
	return first;
}
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
