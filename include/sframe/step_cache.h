/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Where frames without a row have led. What code and stack say of such a frame takes up to
 * some hundred thousand instructions to find out, and one sample's callers are mostly the next
 * one's, too. So all that was read on the way is kept, as a hash: as long as the same is
 * there, the caller is the same.
 */
#ifndef SFRAME_STEP_CACHE_H
#define SFRAME_STEP_CACHE_H

#include <sframe/env.h>

/* Fewer are not worth it. */
#define SFRAME_STEP_WORTH	3
/* A power of two. */
#define SFRAME_STEPS_MAX	64
/* A step that reads more pieces of memory than that is not kept. */
#define SFRAME_STEP_PIECES	24

/**
 * struct sframe_step_from - what a step depends on, but for what it reads
 * @key: of mappings and tables
 * @pc: of the frame that is left
 * @cfa: of the one below it
 * @sp: its stack pointer
 * @fp: its frame pointer
 * @ra: the topmost frame's link register
 * @how: why it has no row, and what else is known of it
 *
 * Compared as bytes.
 */
struct sframe_step_from {
	u64 key;
	u64 pc;
	u64 cfa;
	u64 sp;
	u64 fp;
	u64 ra;
	u64 how;
};

/**
 * struct sframe_step - a step that was made
 * @from: the frame that was left
 * @hash: of what was read, in order
 * @ra: the caller, with the PAC as it was read
 * @cfa: of the frame that was left
 * @sp: the caller's
 * @fp: likewise
 * @what: what else is known of it
 * @cost: instructions, about, to read all of it again
 * @paid: instructions, about, that it took to note what was read
 * @nr: pieces that were read; if more than there is room for, the step cannot be kept
 * @len: bytes of each, or what stands for a register
 * @addr: where it is, or which
 */
struct sframe_step {
	struct sframe_step_from from;
	u64 hash;
	u64 ra;
	u64 cfa;
	u64 sp;
	u64 fp;
	u32 what;
	u32 cost;
	u32 paid;
	u16 nr;
	u16 len[SFRAME_STEP_PIECES];
	u64 addr[SFRAME_STEP_PIECES];
};

/**
 * struct sframe_step_cache - steps of the last walks
 * @key: of what the walk sees that uses it. Anything else as long as nothing that is
 *	mapped, and no table, is another one; not 0
 * @keeps: steps that the walk makes are kept, too
 * @worth: if they took so many times as long as it takes to look at them again
 * @now: the step that is being made
 * @step: older ones, each at its place
 *
 * One walk at a time may use it.
 */
struct sframe_step_cache {
	u64 key;
	bool keeps;
	u32 worth;
	struct sframe_step now;
	struct sframe_step step[SFRAME_STEPS_MAX];
};

#endif /* SFRAME_STEP_CACHE_H */
