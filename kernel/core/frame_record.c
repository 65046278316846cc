// SPDX-License-Identifier: GPL-2.0
/*
 * Frame records and backchains: where they are, and what they say.
 */
#include "cursor_impl.h"

/**
 * sframe_record_at() - where a frame without a row may have left its record
 * @cur: the walk
 * @no_row: why there is none
 * @rec: set to the address: FP, or what is linked from SP
 *
 * A register or word of zero is how a chain of records ends: then there is nothing
 * to try, and what ends the walk is that the PC has no row.
 *
 * Context: as sframe_cursor_next().
 * Return: SFRAME_OK, or why there is nothing to try.
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
	if ((*rec | cur->sp) % SFRAME_RECORD_ALIGN || *rec < cur->sp ||
	    (backchain && *rec == cur->sp))
		return SFRAME_FP_OFF_STACK;
	return SFRAME_OK;
}

/**
 * sframe_record_read() - what a record says of the caller
 * @cur: the walk
 * @rec: where the record is
 * @to: filled: the caller, if it is the function's own record
 * @slot: where its RA lies
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
		if (!sframe_read_word(cur, rec + abi->fp_slot, &to->fp))
			return SFRAME_UNREADABLE;
		to->fp_known = true;
		to->sp = to->cfa;
		to->sp_known = abi->fallback == SFRAME_FALLBACK_FP_CFA;
	}
	if (to->cfa <= cur->cfa)
		return SFRAME_FP_OFF_STACK;
	return sframe_read_word(cur, *slot, &to->ra) ? SFRAME_OK : SFRAME_UNREADABLE;
}

/**
 * sframe_record_is_of_called() - is a record that of the function called before its RA?
 * @cur: the walk, FP at the record
 * @ra: the record's RA, without a PAC
 * @sp: set to the caller's SP, if so
 *
 * Run-time systems that are written by hand have one row for all of their code, be it
 * before the record is made: FP points to it (LuaJIT on arm64). Code that they make
 * themselves is jumped to, and runs in the same frame.
 *
 * Context: as sframe_cursor_next().
 * Return: true if so.
 */
bool sframe_record_is_of_called(struct sframe_cursor *cur, u64 ra, u64 *sp)
{
	const u8 saved = SFRAME_LOC_CFA | SFRAME_LOC_DEREF;
	const struct sframe_abi *abi = cur->abi;
	struct sframe_rule rule;
	u64 target;

	if (!abi->call_target || !cur->fp_known)
		return false;
	target = sframe_call_target(cur, ra);
	return target && !cur->ops->find(cur->ctx, target, &rule) &&
	       !(rule.flags & ~SFRAME_RULE_MANGLED) &&
	       rule.cfa == SFRAME_LOC_FP && rule.ra == saved && rule.fp == saved &&
	       rule.cfa_off + rule.ra_off == abi->ra_slot &&
	       rule.cfa_off + rule.fp_off == abi->fp_slot &&
	       sframe_add(cur->fp, rule.cfa_off, sp);
}
