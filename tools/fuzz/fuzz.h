/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The fuzz target's parts.
 *
 * An input is KNOBS bytes that choose what it is, then an ELF file or a
 * section, then a stack. So that most inputs get past the first checks, much
 * is put right before it is used; each knob that does so can be turned off by
 * the fuzzer.
 */
#ifndef FUZZ_H
#define FUZZ_H

#include <stdio.h>

#include <sframe/cursor.h>
#include <sframe/table.h>

/* Positions of the knobs. */
enum {
	KNOB_WHAT,	/* bits 0-1 target, 2-3 version, 4-6 shape */
	KNOB_HEADER,	/* bits 0-2 flags, 3-7 number of functions */
	KNOB_STACK,	/* words of stack at the end of the input */
	KNOB_MEMORY,	/* bits 0-2 limit, 3-5 depth, 6-7 allocation to fail */
	KNOB_SP,
	KNOB_FP,	/* bit 6: where the program has begun is known */
	KNOB_RA,
	KNOB_PC,
	KNOBS,
};

/* Shapes (bits 4-6 of KNOB_WHAT). */
enum {
	SHAPE_ASCENDING,	/* header and FDEs put right, FDEs ascend */
	SHAPE_ANYWHERE,		/* the same, in any order */
	SHAPE_HEADER,		/* header put right */
	SHAPE_RAW,		/* a section as it is */
	SHAPE_ELF,		/* an ELF file, its header put right */
	SHAPE_RAW_ELF,
};

/* Who the input is for (bits 0-1 of KNOB_WHAT). */
struct target {
	const struct sframe_abi *abi;
	bool big_endian;
};

extern const struct target targets[4];

/* Sections that come without a file are here, and their code. */
#define SECTION_VA	0x3f0000ull
#define TEXT_VA		0x400000ull
#define TEXT_SIZE	0x10000ull
/* Code of a file without a table. */
#define BARE_VA		0x420000ull
#define BARE_SIZE	0x4000ull
#define STACK_VA	0x7ff000000000ull

/* An input, understood. */
struct input {
	const u8 *knobs;
	const struct target *target;
	u8 *file;		/* owned: ends where the allocation ends */
	size_t file_len;
	u64 *stack;		/* owned, likewise */
	u32 stack_words;
	struct sframe_section sec;
	struct sframe_segment text[SFRAME_ELF_MAX_TEXT];
	unsigned int nr_text;
	u64 pc;			/* where a walk begins; 0: as the knobs say */
};

/* @value in @size bytes at @p. */
static inline void put_bytes(u8 *p, bool big_endian, unsigned int size, u64 value)
{
	unsigned int i;

	for (i = 0; i < size; i++)
		p[big_endian ? size - 1 - i : i] = value >> 8 * i;
}

static inline void put(const struct input *in, u8 *p, unsigned int size, u64 value)
{
	put_bytes(p, in->target->big_endian, size, value);
}

/* Say what does not hold, and die. */
#define MUST(cond)							\
	do {								\
		if (!(cond)) {						\
			fprintf(stderr, "%s:%d: %s does not hold\n",	\
				__FILE__, __LINE__, #cond);		\
			abort();					\
		}							\
	} while (0)

/* alloc.c: the allocation of this number fails (0: none); those not freed. */
extern long alloc_fail_at;
extern long alloc_live;

/* shape.c: take an input apart; false if it is too short. */
bool input_begin(struct input *in, const u8 *data, size_t len);
/* The same, and false if there is no section in it. */
bool input_open(struct input *in, const u8 *data, size_t len);
/* Its bytes as a section, even if the knobs speak of a file. */
bool input_section(struct input *in, const u8 *data, size_t len);
void input_close(struct input *in);

/* check.c: a table's arrays are consistent. */
void check_arrays(const struct sframe_table *table);
/* A table is sound, and says what a naive reading says. */
void check_table(const struct input *in, const struct sframe_table *table,
		 const struct sframe_skips *skips);

/* walk.c: a walk ends, rises, and goes the same way fast and slow. */
void check_walk(const struct input *in, const struct sframe_table *table);
/*
 * 0 to 63, for what takes too long to do with each input. It hangs on all of the stack, so that
 * what comes of an input that it was done with has no better chance.
 */
unsigned int input_lot(const struct input *in);

#endif /* FUZZ_H */
