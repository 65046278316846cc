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
