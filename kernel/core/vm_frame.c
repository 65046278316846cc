// SPDX-License-Identifier: GPL-2.0
/*
 * Code compiled at run time that runs in the frame of an interpreter: LuaJIT's traces.
 * That interpreter is one function of assembly with a frame of fixed size, and its
 * table has one row for all of it, as if the frame were there before it is entered. No
 * other function has such a row on its first instruction: a call of the interpreter is
 * told by that. Called by fallback.c.
 */
#include "cursor_impl.h"

/* Bytes above SP that the code may use itself, below the interpreter's frame. */
#define OWN_MAX		256
/* Bytes of the interpreter's frame, the RA included, at most. */
#define FRAME_MAX	256
/* SP is aligned for calls of C. */
#define STACK_ALIGN	16

/* Does @ra follow a call of an interpreter? Then @rule is that one's. */
static bool calls_interpreter(struct sframe_cursor *cur, u64 ra, struct sframe_rule *rule)
{
	u64 target;

	sframe_cursor_charge(cur, 2 * SFRAME_COST_CODE);
	if (!sframe_is_return_address(cur, ra))
		return false;
	target = sframe_call_target(cur, ra);
	return target && !cur->ops->find(cur->ctx, target, rule) && !rule->flags &&
	       rule->cfa == SFRAME_LOC_SP && rule->cfa_off > cur->abi->min_cfa &&
	       rule->cfa_off <= FRAME_MAX && rule->ra_off == -(s32)sizeof(u64) &&
	       rule->ra == SFRAME_LOC_SAVED;
}

/* Does the caller's own rule lead to another RA? Mostly not, if @ra was left by an older call. */
static bool interpreter_has_caller(struct sframe_cursor *cur, u64 ra, u64 sp)
{
	enum sframe_reason why;
	u64 at, word;

	why = sframe_ra_of_caller(cur, ra, sp, &at);
	if (why)
		return why == SFRAME_OUTERMOST;
	sframe_cursor_charge(cur, SFRAME_COST_CODE);
	return sframe_read_word(cur, at, &word) && sframe_is_return_address(cur, word);
}

/* @ra, at @at, is the interpreter's RA: leave its frame by its rule. */
static bool leave_interpreter(struct sframe_cursor *cur, const struct sframe_rule *rule,
			      u64 at, u64 ra, struct sframe_frame *to)
{
	u64 cfa = at + sizeof(u64), own = cfa - rule->cfa_off - cur->sp;

	/* The interpreter's frame begins at SP, or above what the code itself uses. */
	if (own > OWN_MAX || own % STACK_ALIGN || cfa <= cur->cfa ||
	    !interpreter_has_caller(cur, ra, cfa))
		return false;
	*to = sframe_frame_above(at, ra);
	if (rule->fp == SFRAME_LOC_SAVED)
		to->fp_known = sframe_read_word(cur, cfa + rule->fp_off, &to->fp);
	return true;
}

/**
 * sframe_step_by_vm_frame() - leave code compiled at run time by its interpreter's frame
 * @cur: the walk, in a frame without a table
 * @to: filled in
 *
 * Only the first word that looks like an RA counts: the code may have been called, too.
 *
 * Context: as sframe_cursor_next().
 * Return: true if there is such a frame (x86-64).
 */
bool sframe_step_by_vm_frame(struct sframe_cursor *cur, struct sframe_frame *to)
{
	struct sframe_rule rule;
	u64 at, word;

	if (cur->abi->fallback != SFRAME_FALLBACK_FP_CFA || !cur->sp_known ||
	    cur->sp % STACK_ALIGN)
		return false;
	for (at = cur->sp; at - cur->sp < OWN_MAX + FRAME_MAX; at += sizeof(u64)) {
		if (!sframe_budget_left(cur) || !sframe_read_word(cur, at, &word))
			return false;
		if (sframe_may_be_ra(cur, word))
			return calls_interpreter(cur, word, &rule) &&
			       leave_interpreter(cur, &rule, at, word, to);
	}
	return false;
}
