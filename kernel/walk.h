/* SPDX-License-Identifier: GPL-2.0 */
/* Walks the current task's user stack for whichever way into perf asks. */
#ifndef SFRAME_WALK_H
#define SFRAME_WALK_H

#include <linux/types.h>

#include <sframe/reason.h>

struct pt_regs;
struct sframe_mm;

enum sframe_way {
	SFRAME_WAY_INPLACE,
	SFRAME_WAY_DEFERRED,
	SFRAME_WAY_LEARNING,
	SFRAME_NR_WAYS,
};

/**
 * struct sframe_chain - the PCs that a walk finds
 * @pcs: the caller's array, innermost frame first
 * @nr: entries used
 * @max: entries there are
 * @whole: set if the walk reached the outermost frame
 * @spent: set if it ended because its budget was used up
 */
struct sframe_chain {
	u64 *pcs;
	u32 nr;
	u32 max;
	bool whole;
	bool spent;
};

/*
 * Put the PC in @regs and one return address per caller into @chain, until the walk
 * ends or it is full. @way decides whether reads may fault and sleep, and the budget.
 */
enum sframe_reason sframe_walk(struct sframe_mm *m, const struct pt_regs *regs,
			       enum sframe_way way, struct sframe_chain *chain);

#endif /* SFRAME_WALK_H */
