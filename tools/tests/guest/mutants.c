// SPDX-License-Identifier: GPL-2.0
/*
 * Maps and runs files that differ from a good one in bytes chosen at random:
 * of the ELF header, the program headers, the SECTION .sframe or .eh_frame (with its
 * .eh_frame_hdr, and the other one hidden). All are different from each other, and the
 * same for the same SEED.
 *
 * usage: mutants map SECTION LIBRARY SEED COUNT COUNTERS
 *        mutants run SECTION PROGRAM SEED COUNT
 *
 * map: the text is mapped as ld.so would, and called at the entry point until the
 * module has looked at it. Prints what the module's counters say of them: each was either
 * accepted or refused under one name.
 *
 * run: only the section is changed, and each is executed.
 */
#define _GNU_SOURCE
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "burn.h"

#define PT_SFRAME	0x6474e554
#define SFRAME_HEADER	28
#define MAX_COUNT	65536u
/* What a file that nobody looks at is given. */
#define MAX_MS		5000

struct area {
	size_t at;
	size_t len;
};

static uint8_t *good, *bad;
static size_t size;
static struct area areas[3];	/* ELF header, program headers, section */
static struct area head;	/* what the section begins with, or .eh_frame_hdr */
static Elf64_Phdr text;
static size_t entry;		/* position in the file */
static uint64_t state;
static uint64_t seen[MAX_COUNT];
static unsigned int nr_seen;

static uint32_t rnd(uint32_t below)
{
	state = state * 6364136223846793005ull + 1442695040888963407ull;
	return (state >> 33) % below;
}

/* .eh_frame, which @hdr points to: an offset from its fifth byte, as ld writes it. */
static struct area eh_frame_of(const Elf64_Phdr *hdr)
{
	struct area area = { 0, 0 };
	uint32_t len = 0;
	int32_t ptr;

	memcpy(&ptr, good + hdr->p_offset + 4, sizeof(ptr));
	area.at = hdr->p_offset + 4 + ptr;
	do {
		memcpy(&len, good + area.at + area.len, sizeof(len));
		area.len += sizeof(len) + len;
	} while (len);
	return area;
}

static int load(const char *path, int eh_frame)
{
	int fd = open(path, O_RDONLY);
	const Elf64_Ehdr *eh;
	struct stat st;
	Elf64_Phdr *ph;
	int i;

	if (fd < 0 || fstat(fd, &st))
		return 1;
	size = st.st_size;
	good = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE, fd, 0);
	bad = malloc(size);
	close(fd);
	if (good == MAP_FAILED || !bad)
		return 1;
	eh = (const Elf64_Ehdr *)good;
	areas[0] = (struct area) { 0, sizeof(*eh) };
	areas[1] = (struct area) { eh->e_phoff, eh->e_phnum * sizeof(*ph) };
	for (i = 0; i < eh->e_phnum; i++) {
		ph = (Elf64_Phdr *)(good + eh->e_phoff) + i;
		if (ph->p_type == PT_LOAD && ph->p_flags & PF_X)
			text = *ph;
		if (ph->p_type == PT_GNU_EH_FRAME && eh_frame) {
			head = (struct area) { ph->p_offset, ph->p_filesz };
			areas[2] = eh_frame_of(ph);
		}
		if (ph->p_type == PT_SFRAME && eh_frame)
			ph->p_type = PT_NULL;
		if (ph->p_type == PT_SFRAME) {
			head = (struct area) { ph->p_offset, SFRAME_HEADER };
			areas[2] = (struct area) { ph->p_offset, ph->p_filesz };
		}
	}
	entry = eh->e_entry - text.p_vaddr + text.p_offset;
	return !text.p_filesz || !areas[2].len;
}

/* Bytes, bits, words of interesting values; a piece of it somewhere else. */
static void mutate_area(const struct area *area)
{
	static const uint64_t values[] = {
		0, 1, 0x7f, 0x80, 0xff, 0x7fff, 0x8000, 0xffff, 0x7fffffff,
		0x80000000, 0xffffffff, ~0ull, ~0ull - 15, 1ull << 63,
	};
	size_t at = area->at + rnd(area->len), left = area->at + area->len - at;
	size_t len = 1u << rnd(4), from;
	uint64_t value = values[rnd(ARRAY_SIZE(values))];

	if (len > left)
		len = 1;
	switch (rnd(5)) {
	case 0:
		bad[at] = rnd(256);
		break;
	case 1:
		bad[at] ^= 1u << rnd(8);
		break;
	case 2:
		value += rnd(3) - 1;
		memcpy(bad + at, &value, len);
		break;
	case 3:
		memcpy(&value, bad + at, len);
		value += (uint64_t)rnd(33) - 16;
		memcpy(bad + at, &value, len);
		break;
	default:
		from = area->at + rnd(area->len - len + 1);
		memmove(bad + at, bad + from, len);
	}
}

static uint64_t digest(const uint8_t *p, size_t len)
{
	uint64_t h = 14695981039346656037ull;

	for (; len; len--)
		h = (h ^ *p++) * 1099511628211ull;
	return h;
}

/* Is it one more? */
static int remember(uint64_t h)
{
	unsigned int i = h % MAX_COUNT;

	for (; seen[i]; i = (i + 1) % MAX_COUNT)
		if (seen[i] == h)
			return 0;
	seen[i] = h ?: 1;
	nr_seen++;
	return 1;
}

/* The next one, in a file of its own; the section's header gets its share. */
static int next_file(int table_only)
{
	size_t end = size;
	unsigned int n;
	int fd;

	do {
		memcpy(bad, good, size);
		for (n = 1u << rnd(4); n; n--) {
			unsigned int i = rnd(10);

			if (i < 2 && !table_only)
				mutate_area(&areas[i]);
			else
				mutate_area(i < 4 ? &head : &areas[2]);
		}
		if (!rnd(20) && !table_only)
			end = text.p_offset + text.p_filesz +
			      rnd(size - text.p_offset - text.p_filesz);
	} while (!remember(digest(bad, end)));
	fd = memfd_create("mutant", MFD_CLOEXEC);
	if (fd < 0 || write(fd, bad, end) != (ssize_t)end)
		exit(3);
	return fd;
}

static void call(int (*fn)(int))
{
	long end = cpu_ms() + 1;

	do
		fn(0);
	while (cpu_ms() < end);
}

static void run_file(int fd)
{
	char *args[] = { "mutant", "2", NULL };
	char *env[] = { NULL };
	pid_t pid = fork();

	if (!pid) {
		fexecve(fd, args, env);
		_exit(errno);
	}
	if (pid < 0 || waitpid(pid, NULL, 0) != pid)
		exit(5);
	close(fd);
}

struct counts {
	long builds;
	long accepted;
	long refused;
	char names[4096];
};

/* Files that have a table, or had one; files refused, not parts of tables. */
static struct counts count(const char *path)
{
	struct counts c = { 0, 0, 0, "" };
	FILE *f = fopen(path, "r");
	char name[64];
	long n;

	if (!f)
		exit(6);
	while (fscanf(f, "%63s %ld", name, &n) == 2) {
		if (!strcmp(name, "builds"))
			c.builds += n;
		if (!strcmp(name, "tables") || !strcmp(name, "tables_evicted"))
			c.accepted += n;
		if (strncmp(name, "refused_", 8) ||
		    !strncmp(name + 8, "FDE_", 4) ||
		    !strncmp(name + 8, "ROW_", 4) ||
		    !strncmp(name + 8, "CFI_", 4) ||
		    !strcmp(name + 8, "RULES_FULL"))
			continue;
		c.refused += n;
		snprintf(c.names + strlen(c.names),
			 sizeof(c.names) - strlen(c.names), " %s=%ld", name + 8,
			 n);
	}
	fclose(f);
	return c;
}

static long told(const char *counters)
{
	struct counts c = count(counters);

	return c.accepted + c.refused;
}

/*
 * A mapping that reads do not change, as of a file that is read only; for as long
 * as it takes until a sample of it has the module look at the file.
 */
static void map_file(int fd, const char *counters)
{
	long end = cpu_ms() + MAX_MS, before = told(counters);
	size_t first = text.p_offset & -sysconf(_SC_PAGESIZE);
	size_t len = text.p_offset + text.p_filesz - first;
	char path[64];
	uint8_t *p;
	int ro;

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	ro = open(path, O_RDONLY | O_CLOEXEC);
	if (ro < 0)
		exit(4);
	p = mmap(NULL, len, PROT_READ | PROT_EXEC, MAP_PRIVATE, ro, first);
	if (p == MAP_FAILED)
		exit(4);
	do
		call((int (*)(int))(p + entry - first));
	while (told(counters) == before && cpu_ms() < end);
	munmap(p, len);
	close(ro);
	close(fd);
}

/* Others' files are counted, too, if they were forgotten meanwhile. */
static int map_all(unsigned int nr, const char *counters)
{
	struct counts before, after;
	long start, was, builds, told_of;
	unsigned int i;

	/* Known to the module, with all that it and others map, before it counts. */
	do {
		was = told(counters);
		for (start = cpu_ms(); cpu_ms() < start + 1000; )
			burn(100000);
	} while (told(counters) != was);
	before = count(counters);
	for (i = 0; i < nr; i++)
		map_file(next_file(0), counters);
	after = count(counters);
	builds = after.builds - before.builds;
	told_of = after.accepted - before.accepted + after.refused - before.refused;
	printf("%u mapped, %u distinct, %ld read: %ld accepted, %ld refused\n", nr, nr_seen,
	       builds, after.accepted - before.accepted, after.refused - before.refused);
	printf("before:%s\nafter:%s\n", before.names, after.names);
	return builds < (long)nr || told_of != builds || nr_seen != nr;
}

static int run_all(unsigned int nr)
{
	unsigned int i;

	for (i = 0; i < nr; i++)
		run_file(next_file(1));
	printf("%u run, %u distinct\n", nr, nr_seen);
	return nr_seen != nr;
}

int main(int argc, char **argv)
{
	unsigned int nr = argc > 5 ? atoi(argv[5]) : 0;

	if (!nr || nr > MAX_COUNT / 2 || load(argv[3], !strcmp(argv[2], ".eh_frame")))
		return 2;
	state = strtoull(argv[4], NULL, 0);
	if (!strcmp(argv[1], "map") && argc == 7)
		return map_all(nr, argv[6]);
	if (!strcmp(argv[1], "run") && argc == 6)
		return run_all(nr);
	return 2;
}
