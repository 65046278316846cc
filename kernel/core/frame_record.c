// SPDX-License-Identifier: GPL-2.0
/*
 * Frame records and backchains: where a frame without a row would have one, and what
 * that says of the caller. Whether it is the running function's own, fallback.c finds
 * out.
 */
#include "call_mark.h"
#include "cursor_impl.h"
#include "follow.h"

/* Prices: of reading what a function begins with, and of an instruction of that. */
#define LEVEL_COST	512
#define LOOK_COST	416

/**
 * sframe_record_at() - where is the record of a frame without a row, if it has made one?
 * @cur: the walk
 * @no_row: why there is no row
 * @rec: set to the address: FP, or what is linked from SP
 *
 * A chain of records ends with zero: then there is nothing to try, and the walk ends
 * because the PC has no row (@no_row). A frame with a backchain has room for what its callees
 * save, so it is no smaller than that.
 *
 * Context: as sframe_cursor_next().
 * Return: SFRAME_OK, or why there is nothing to try: @no_row, SFRAME_FP_UNKNOWN,
 *	SFRAME_FP_OFF_STACK or SFRAME_UNREADABLE.
 */
enum sframe_reason sframe_record_at(const struct sframe_cursor *cur,
				    enum sframe_reason no_row, u64 *rec)
{
	bool backchain = cur->abi->fallback == SFRAME_FALLBACK_BACKCHAIN;

	*rec = cur->fp;
	if (backchain && !sframe_read_word(cur, cur->sp, rec))
		return SFRAME_UNREADABLE;
	if (!*rec)
		return no_row;
	/* Then it is only what FP was farther in. */
	if (!backchain && !cur->fp_known)
		return SFRAME_FP_UNKNOWN;
	if ((*rec | cur->sp) % SFRAME_RECORD_ALIGN || *rec < cur->sp ||
	    (backchain && *rec - cur->sp < (u64)-cur->abi->sp_bias))
		return SFRAME_FP_OFF_STACK;
	return SFRAME_OK;
}

/**
 * sframe_record_read() - what does a record say of the caller?
 * @cur: the walk
 * @rec: its address
 * @to: filled in: the caller, if the record is the function's own
 * @slot: set to the address of its RA
 *
 * Context: as sframe_cursor_next().
 * Return: SFRAME_OK, SFRAME_FP_OFF_STACK or SFRAME_UNREADABLE.
 */
enum sframe_reason sframe_record_read(const struct sframe_cursor *cur, u64 rec,
				      struct sframe_frame *to, u64 *slot)
{
	const struct sframe_abi *abi = cur->abi;

	if (!sframe_add(rec, abi->ra_slot, slot))
		return SFRAME_FP_OFF_STACK;
	*to = (struct sframe_frame){
		.sp = rec,
		.sp_known = true,
		.fallback = true,
	};
	if (abi->fallback == SFRAME_FALLBACK_BACKCHAIN) {
		if (!sframe_add(rec, -abi->sp_bias, &to->cfa))
			return SFRAME_FP_OFF_STACK;
	} else {
		if (!sframe_add(*slot, sizeof(u64), &to->cfa))
			return SFRAME_FP_OFF_STACK;
		if (!sframe_read_word(cur, rec, &to->fp))
			return SFRAME_UNREADABLE;
		to->fp_known = true;
		to->sp = to->cfa;
		to->sp_known = abi->fallback == SFRAME_FALLBACK_FP_CFA;
	}
	if (to->cfa <= cur->cfa)
		return SFRAME_FP_OFF_STACK;
	return sframe_read_word(cur, *slot, &to->ra) ? SFRAME_OK : SFRAME_UNREADABLE;
}

/* Does @rule say that FP and RA are saved beside each other, as in a record? */
static bool saves_record(const struct sframe_abi *abi, const struct sframe_rule *rule)
{
	return !rule->flags && rule->ra == SFRAME_LOC_SAVED && rule->fp == SFRAME_LOC_SAVED &&
	       rule->ra_off - rule->fp_off == abi->ra_slot;
}

/**
 * sframe_record_is_of_called() - is a record that of the function which the call before
 *	its RA calls?
 * @cur: the walk, FP at the record
 * @ra: the record's RA, without its PAC
 * @sp: set to the caller's SP, if so
 *
 * Runtimes that are written by hand have one row for all of their code, which says that
 * FP is at the record, even before that is made (LuaJIT on arm64). Code that they
 * compile at run time is jumped to, and runs in the same frame.
 *
 * Context: as sframe_cursor_next().
 * Return: true if so.
 */
bool sframe_record_is_of_called(struct sframe_cursor *cur, u64 ra, u64 *sp)
{
	const struct sframe_abi *abi = cur->abi;
	struct sframe_rule rule;
	u64 target;

	if (!cur->fp_known)
		return false;
	target = sframe_call_target(cur, ra);
	return target && !cur->ops->find(cur->ctx, target, &rule) &&
	       saves_record(abi, &rule) && rule.cfa == SFRAME_LOC_FP &&
	       rule.cfa_off + rule.ra_off == abi->ra_slot &&
	       sframe_add(cur->fp, rule.cfa_off, sp);
}

/**
 * sframe_is_level_with_record() - is SP where a function puts it right after it has made the record
 *	at FP?
 * @cur: the walk, in code made at run time
 * @target: the function; it is called before the record's RA
 *
 * What that calls has SP farther down. Such functions are too long to be followed from their
 * beginning to the PC. But a call may have been made to lead elsewhere since; and something may be
 * called before SP is there, or take its RA off the stack. So code has to use the record, too.
 *
 * Context: as sframe_cursor_next().
 * Return: true if so: then no other RA lies between SP and the record.
 */
bool sframe_is_level_with_record(struct sframe_cursor *cur, u64 target)
{
	u8 code[SFRAME_RECORD_DEPTH_LEN];
	u32 looks = 0;
	u64 depth;

	if (!cur->abi->record_depth || !cur->sp_known || cur->fp <= cur->sp || !target ||
	    cur->pc - target > SFRAME_FUNCTION_MAX ||
	    !sframe_spend(cur, LEVEL_COST) ||
	    cur->ops->read_code(cur->ctx, target, code, sizeof(code)))
		return false;
	depth = cur->abi->record_depth(code, &looks);
	sframe_cursor_charge(cur, LOOK_COST * looks);
	return depth == cur->fp - cur->sp && sframe_goes_on_with_record(cur);
}

/**
 * sframe_caller_needs_sp() - is the caller left by what needs its SP?
 * @cur: the walk
 * @ra: where it is returned to, without a PAC
 *
 * Context: as sframe_cursor_next().
 * Return: true if its rule, or the mark behind its call, leads from there.
 */
bool sframe_caller_needs_sp(struct sframe_cursor *cur, u64 ra)
{
	struct sframe_rule rule;
	enum sframe_reason reason;

	reason = cur->ops->find(cur->ctx, ra - 1, &rule);
	if (reason)
		return reason == SFRAME_NO_TABLE && sframe_read_call_mark(cur, ra);
	return !rule.flags && (rule.cfa & ~SFRAME_LOC_DEREF) == SFRAME_LOC_SP;
}

/* Is the function that is returned to at @ra the one that is called before @callers_ra? */
static bool is_called_before(struct sframe_cursor *cur, u64 ra, u64 callers_ra)
{
	u64 target;

	if (!sframe_is_return_address(cur, callers_ra))
		return false;
	target = sframe_call_target(cur, callers_ra);
	return target && target < ra && ra - target < SFRAME_FUNCTION_MAX &&
	       sframe_follow(cur, target, ra, 0) & LEADS_THERE;
}

/**
 * sframe_caller_sp_by_record() - the SP of a caller that FP is at the record of
 * @cur: the walk, in a function without a row
 * @to: the caller, FP known; its @sp is filled in
 *
 * If the caller's row needs SP, but says that FP was saved, with RA beside it, compilers have
 * then mostly made FP point there (arm64). They have if the RA at FP follows a call of the
 * caller: else FP may still be at the record of another function.
 *
 * Context: as sframe_cursor_next().
 * Return: true if so.
 */
bool sframe_caller_sp_by_record(struct sframe_cursor *cur, struct sframe_frame *to)
{
	u64 caller = to->ra & cur->ra_bits, ra, sp;
	const struct sframe_abi *abi = cur->abi;
	struct sframe_rule rule;

	if (!to->fp_known || to->fp % SFRAME_RECORD_ALIGN || to->fp <= cur->fp ||
	    cur->ops->find(cur->ctx, caller - 1, &rule) ||
	    !saves_record(abi, &rule) || rule.cfa != SFRAME_LOC_SP)
		return false;
	sframe_cursor_charge(cur, 2 * SFRAME_COST_CODE);
	if (!sframe_add(to->fp, -(s64)rule.fp_off - rule.cfa_off, &sp) ||
	    sp <= cur->cfa || !sframe_read_word(cur, to->fp + abi->ra_slot, &ra) ||
	    !is_called_before(cur, caller, ra & cur->ra_bits))
		return false;
	to->cfa = sp;
	to->sp = sp;
	to->sp_known = true;
	return true;
}

/**
 * sframe_find_caller_sp() - the SP of a caller that the record at FP led to
 * @cur: the walk
 * @to: the caller; its SP is filled in
 *
 * x86-64: it lies above the record, but not right above that of an interpreter. arm64: if the
 * caller is left by what needs SP, it is taken from the row of the function called, or from where
 * code leaves this one, which must agree with the record.
 *
 * Context: as sframe_cursor_next().
 */
void sframe_find_caller_sp(struct sframe_cursor *cur, struct sframe_frame *to)
{
	struct sframe_frame far;

	sframe_sp_past_interpreter(cur, to);
	if (to->sp_known || cur->abi->fallback != SFRAME_FALLBACK_FP ||
	    !sframe_caller_needs_sp(cur, to->ra & cur->ra_bits))
		return;
	if (sframe_record_is_of_called(cur, to->ra & cur->ra_bits, &to->sp)) {
		to->cfa = to->sp;
		to->sp_known = true;
		return;
	}
	if (sframe_caller_sp_by_record(cur, to))
		return;
	if (cur->sp_known && sframe_step_by_code(cur, SFRAME_REACH_SP, &far) && far.fp_known &&
	    far.sp_known && far.ra == to->ra && far.fp == to->fp)
		*to = far;
}
