// SPDX-License-Identifier: GPL-2.0
/*
 * seeds DIR [FILE]...: writes the fuzzer's first inputs to DIR: sections from
 * the suites' builder, and the tables of each FILE, linked with SFrame, each
 * in a small ELF file of its own.
 */
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include <sframe/elf.h>
#include <sframe/format.h>

#include "fuzz.h"
#include "map_file.h"
#include "plain_alloc.h"
#include "random.h"

#define MAX_TABLE	4096
#define STACK_WORDS	64
#define PHDRS		3
#define HEAD		(SFRAME_ELF_EHDR_SIZE + PHDRS * SFRAME_ELF_PHDR_SIZE)
#define SECTION		0x3f0000ull
#define TEXT		0x400000ull

static const char *dir;
static unsigned int nr_seeds;

const struct target targets[4] = {
	{ &sframe_abi_x86, false },
	{ &sframe_abi_arm64, false },
	{ &sframe_abi_arm64, true },
	{ &sframe_abi_s390, true },
};

static void put_phdr(u8 *p, bool be, u32 type, u32 flags, u64 offset, u64 va,
		     u64 size)
{
	put_bytes(p, be, 4, type);
	put_bytes(p + 4, be, 4, flags);
	put_bytes(p + 8, be, 8, offset);
	put_bytes(p + 16, be, 8, va);
	put_bytes(p + 24, be, 8, va);
	put_bytes(p + 32, be, 8, size);
	put_bytes(p + 40, be, 8, size);
}

/* An input: knobs, file, a stack of random words. */
static void write_seed(const u8 *knobs, const u8 *file, size_t len, u64 *rng)
{
	u64 stack[STACK_WORDS];
	char path[4096];
	FILE *f;
	int i;

	for (i = 0; i < STACK_WORDS; i++)
		stack[i] = (u64)rnd(rng) << 8 | rnd_below(rng, 6);
	snprintf(path, sizeof(path), "%s/seed-%04u", dir, nr_seeds++);
	f = fopen(path, "wb");
	if (!f || fwrite(knobs, KNOBS, 1, f) != 1 ||
	    fwrite(file, len, 1, f) != 1 ||
	    fwrite(stack, sizeof(stack), 1, f) != 1 || fclose(f)) {
		perror(path);
		exit(1);
	}
}

/* A section in an ELF file: headers, text (addresses only), the table. */
static void write_elf(const struct target *t, const u8 *table, size_t len,
		      u64 va, const struct sframe_segment *text, u64 *rng)
{
	u8 knobs[KNOBS] = {
		[KNOB_STACK] = STACK_WORDS,
		[KNOB_MEMORY] = 7 | 6 << 3,
	};
	static u8 file[HEAD + MAX_TABLE];
	u8 *p = file + SFRAME_ELF_EHDR_SIZE;
	bool be = t->big_endian;

	knobs[KNOB_WHAT] = (t - targets) | SHAPE_ELF << 4;
	knobs[KNOB_PC] = rnd(rng);
	knobs[KNOB_FP] = rnd_below(rng, 32);
	knobs[KNOB_RA] = rnd(rng);
	memset(file, 0, HEAD);
	put_bytes(file + 56, be, 2, PHDRS);
	put_phdr(p, be, 1, 5, 0, text->vaddr, text->size);
	p += SFRAME_ELF_PHDR_SIZE;
	put_phdr(p, be, 1, 4, HEAD, va, len);
	p += SFRAME_ELF_PHDR_SIZE;
	put_phdr(p, be, SFRAME_PT_GNU_SFRAME, 4, HEAD, va, len);
	memcpy(file + HEAD, table, len);
	write_seed(knobs, file, HEAD + len, rng);
}

/* The same bytes for every shape of section. */
static void write_sections(const struct target *t, const struct build *b,
			   u64 *rng)
{
	u8 knobs[KNOBS] = {
		[KNOB_STACK] = STACK_WORDS,
		[KNOB_MEMORY] = 7 | 6 << 3,
	};
	u8 shape;

	for (shape = SHAPE_ASCENDING; shape <= SHAPE_RAW; shape++) {
		knobs[KNOB_WHAT] = (t - targets) | b->version << 2 | shape << 4;
		knobs[KNOB_HEADER] = b->flags | b->num_fdes << 3;
		knobs[KNOB_PC] = rnd(rng);
		write_seed(knobs, b->data, b->len, rng);
	}
}

static void write_random(const struct target *t, u8 version, u8 flags,
			 u32 fdes, bool hostile, u64 *rng)
{
	struct sframe_segment text = { .vaddr = TEXT, .size = 0x10000 };
	struct build b;

	build_init(&b, t->abi, version, t->big_endian, flags, SECTION);
	random_functions(&b, rng, TEXT, fdes, hostile);
	build_end(&b);
	if (!b.failed && b.len <= MAX_TABLE) {
		write_elf(t, b.data, b.len, SECTION, &text, rng);
		write_sections(t, &b, rng);
	}
	build_free(&b);
}

/* Returns false if @map is not @t's or has no table, or one that is too big. */
static bool write_file_for(const struct target *t, const u8 *map, size_t len,
			   u64 *rng)
{
	struct sframe_elf elf;

	if (sframe_elf_header(&elf, t->abi, map, len, true) ||
	    elf.big_endian != t->big_endian ||
	    elf.phoff + elf.phnum * SFRAME_ELF_PHDR_SIZE > len ||
	    sframe_elf_phdrs(&elf, map + elf.phoff,
			     elf.phnum * SFRAME_ELF_PHDR_SIZE) ||
	    !elf.nr_text || elf.table.size > MAX_TABLE ||
	    elf.table.offset + elf.table.size > len)
		return false;
	write_elf(t, map + elf.table.offset, elf.table.size, elf.table.vaddr,
		  &elf.text[0], rng);
	return true;
}

static void write_file(const char *path, u64 *rng)
{
	unsigned int i;
	size_t len;
	u8 *map = map_file(path, &len);

	if (!map) {
		perror(path);
		exit(1);
	}
	for (i = 0; i < 4; i++)
		if (write_file_for(&targets[i], map, len, rng))
			break;
	munmap(map, len);
}

int main(int argc, char **argv)
{
	u64 rng = 1;
	unsigned int t;
	u8 version;
	int i;

	if (argc < 2) {
		fprintf(stderr, "usage: seeds DIR [FILE]...\n");
		return 2;
	}
	dir = argv[1];
	for (t = 0; t < 4; t++) {
		for (version = 1; version <= 3; version++) {
			if (version == 1 && targets[t].abi == &sframe_abi_s390)
				continue;
			for (i = 0; i < 6; i++)
				write_random(&targets[t], version,
					     i & 1 && version > 1 ?
					     SFRAME_F_PCREL : 0,
					     2 + 3 * i, i >= 4, &rng);
		}
	}
	for (i = 2; i < argc; i++)
		write_file(argv[i], &rng);
	printf("%u\n", nr_seeds);
	return 0;
}
