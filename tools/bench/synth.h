/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Synthetic programs: a table of any number of functions that look like what
 * a compiler makes of -O2 -fomit-frame-pointer code, and stacks in them.
 */
#ifndef BENCH_SYNTH_H
#define BENCH_SYNTH_H

#include <sframe/table.h>

#include "build.h"

#define SYNTH_DEPTH	64	/* frames in a stack */

/**
 * struct synth_fn - one function
 * @start: link-time address
 * @size: bytes
 */
struct synth_fn {
	u64 start;
	u32 size;
};

/**
 * struct synth - one program
 * @build: its section
 * @fns: its functions, ascending
 * @nr_fns: how many
 * @text: the segment they are in
 */
struct synth {
	struct build build;
	struct synth_fn *fns;
	u32 nr_fns;
	struct sframe_segment text;
};

/**
 * struct synth_stack - a stack of SYNTH_DEPTH frames
 * @pc: of the topmost frame
 * @words: its memory, from SP up; RA 0 ends it
 */
struct synth_stack {
	u64 pc;
	u64 words[SYNTH_DEPTH * 64];
};

void synth_make(struct synth *s, u8 version, u32 nr_fns);
void synth_free(struct synth *s);

/* An address in a random function. */
u64 synth_pc(const struct synth *s, u64 *state);

/* A stack as the rules of @table have it, of random functions. */
void synth_stack(struct synth_stack *st, const struct synth *s,
		 const struct sframe_table *table, u64 sp, u64 *state);

#endif /* BENCH_SYNTH_H */
