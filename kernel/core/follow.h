/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Where code leads.
 */
#ifndef SFRAME_FOLLOW_H
#define SFRAME_FOLLOW_H

#include "cursor_impl.h"

/* Code before the PC in which a record is looked for, or that makes one. */
#define SFRAME_NEAR_MAX		2048
/* A function is followed from its beginning, where a call says it is, as far. */
#define SFRAME_FOLLOW_MAX	8192
/* The most that functions have behind their beginning. */
#define SFRAME_FUNCTION_MAX	65536

/* What FP can be, on the ways that lead there. */
#define LEADS_FP_OTHER	1	/* not at a record of this function */
#define LEADS_FP_RECORD	2	/* at its record */
#define LEADS_THERE	(LEADS_FP_OTHER | LEADS_FP_RECORD)
/* Nothing leads there, but a branch around it: it is in the same function. */
#define LEADS_AROUND	4
/* Nothing leads there: each way ends before. */
#define LEADS_NOWHERE	8
/* With LEADS_THERE: a way leads there past no call, which might never return, nor by a switch. */
#define LEADS_CALLING_NOBODY	16

/* How code comes to the end: it runs there, and is not returned to. */
#define FOLLOW_RUNS		64

/* The price of a unit of &sframe_leave.cost; tools/bench judges whether it is enough. */
#define SFRAME_FOLLOW_COST	68

/* A function is followed near for so much at most, in such units; the ABIs stop there or before. */
#define SFRAME_NEAR_COST_MAX	1024

/*
 * What following code near may cost, of 1 / @share of what is left: a power of two. So what was
 * not found for want of it is known the next time (questions_leave.c).
 */
static inline u32 sframe_near_cost(const struct sframe_cursor *cur, u32 share)
{
	u32 left = sframe_budget_left(cur) / share / SFRAME_FOLLOW_COST;
	u32 most = SFRAME_NEAR_COST_MAX;

	while (most > left)
		most /= 2;
	return most;
}

u8 sframe_followed(struct sframe_cursor *cur, u64 from, u64 to, u32 how);
u8 sframe_follow(struct sframe_cursor *cur, u64 from, u64 to, u32 how);
u8 sframe_follow_now(struct sframe_cursor *cur, u64 from, u64 to, u32 how);
bool sframe_find_record(struct sframe_cursor *cur, u64 *place);

/* How it has come to the PC. */
static inline u32 sframe_comes_to_pc(const struct sframe_cursor *cur)
{
	return cur->topmost ? FOLLOW_RUNS : 0;
}

#endif /* SFRAME_FOLLOW_H */
