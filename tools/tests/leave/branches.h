/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What abi.leave has found out is kept for branches, as core/questions_leave.c does, and for all
 * functions of a file together.
 */
#ifndef BRANCHES_H
#define BRANCHES_H

#include <sframe/abi.h>

#define STACK		0x7ff000000000ull
/* Branches that something is kept for: more than libcrypto has, and no power of two. */
#define BRANCHES	4000037

/* What was found for a branch, as if SP had been STACK. */
static struct branch {
	u64 pc;
	u64 fp;
	struct sframe_leave says;
} branches[BRANCHES];

static struct branch *branch_at(u64 pc)
{
	return &branches[pc % BRANCHES];
}

static bool recall(void *ctx, u64 pc, const struct sframe_leave *lv, struct sframe_leave *known)
{
	const struct branch *b = branch_at(pc);
	u64 moved = lv->sp - STACK;

	(void)ctx;
	if (b->pc != pc || (b->says.by_fp && b->fp != lv->fp - moved))
		return false;
	*known = b->says;
	known->sp += moved;
	known->ra_at += moved;
	known->fp_at += known->fp_at ? moved : 0;
	return true;
}

static void keep_branch(const struct sframe_leave *lv, u64 sp, u64 fp)
{
	struct branch *b = branch_at(lv->branch);
	u64 moved = sp - STACK;

	if (!lv->branch || lv->branch_known)
		return;
	*b = (struct branch){ .pc = lv->branch, .fp = fp - moved, .says = *lv };
	b->says.sp -= moved;
	b->says.ra_at -= moved;
	b->says.fp_at -= lv->fp_at ? moved : 0;
}

#endif /* BRANCHES_H */
