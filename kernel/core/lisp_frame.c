// SPDX-License-Identifier: GPL-2.0
/*
 * Frames of what SBCL compiles. Its records are those of any function, but the caller
 * makes them, before it calls: for some instructions FP is at a record that belongs to
 * nobody yet, and whose RA is what an older call has left there. And what lies below a
 * record is not written before it is used, so other such RAs are there. The code that
 * calls tells.
 */
#include "cursor_impl.h"
#include "follow.h"

/* Prices: of the code around a PC; of an instruction of it; if it says nothing. */
#define LOOK_COST	512
#define INSN_COST	192
#define NOTHING_COST	768

static enum sframe_lisp look_at_code(struct sframe_cursor *cur, u64 pc)
{
	u8 code[SFRAME_LISP_BEFORE + SFRAME_LISP_AFTER];
	enum sframe_lisp lisp;
	u32 looks = 0;

	if (!sframe_spend(cur, LOOK_COST) ||
	    cur->ops->read_code(cur->ctx, pc - SFRAME_LISP_BEFORE, code, sizeof(code)))
		return SFRAME_LISP_NOT;
	lisp = cur->abi->lisp(code + SFRAME_LISP_BEFORE, &looks);
	sframe_cursor_charge(cur, INSN_COST * looks + (lisp ? 0 : NOTHING_COST));
	return lisp;
}

/* By the record at @record, with RA at @ra_at. */
static bool step_by_record(struct sframe_cursor *cur, u64 record, u64 ra_at,
			   struct sframe_frame *to)
{
	const struct sframe_abi *abi = cur->abi;

	*to = (struct sframe_frame){
		.cfa = record + abi->ra_slot + sizeof(u64),
		.sp = record + abi->ra_slot + sizeof(u64),
		.sp_known = true,
		.fp_known = true,
		.fallback = true,
		.lisp = true,
	};
	return record % SFRAME_RECORD_ALIGN == 0 && to->cfa > cur->cfa &&
	       sframe_read_word(cur, record + abi->fp_slot, &to->fp) &&
	       sframe_read_word(cur, ra_at, &to->ra) &&
	       sframe_is_return_address(cur, to->ra & cur->ra_bits);
}

/**
 * sframe_step_by_lisp_frame() - leave a frame of Lisp
 * @cur: the walk, in a frame without a table
 * @to: filled in
 *
 * Context: as sframe_cursor_next().
 * Return: SFRAME_OK; SFRAME_NO_TABLE if code does not say that there is one (x86-64);
 * SFRAME_FP_NOT_A_CALL if it does, but no RA is where it should be: then no other way
 * leads on.
 */
enum sframe_reason sframe_step_by_lisp_frame(struct sframe_cursor *cur,
					     struct sframe_frame *to)
{
	u64 record = cur->fp, ra_at = record + cur->abi->ra_slot;
	enum sframe_lisp lisp;

	if (!cur->abi->lisp || !cur->fp_known)
		return SFRAME_NO_TABLE;
	lisp = look_at_code(cur, cur->pc);
	if (lisp == SFRAME_LISP_OWN || lisp == SFRAME_LISP_CALLED)
		return step_by_record(cur, record, ra_at, to) ? SFRAME_OK : SFRAME_NO_TABLE;
	if (lisp == SFRAME_LISP_NOT || !cur->topmost)
		return SFRAME_NO_TABLE;
	if (lisp == SFRAME_LISP_ENTERED) {
		ra_at = cur->sp;
	} else {
		if (!sframe_read_word(cur, cur->fp + cur->abi->fp_slot, &record) ||
		    record <= cur->fp)
			return SFRAME_FP_NOT_A_CALL;
		ra_at = record + cur->abi->ra_slot;
	}
	return step_by_record(cur, record, ra_at, to) ? SFRAME_OK : SFRAME_FP_NOT_A_CALL;
}

static bool follows_lisp_call(struct sframe_cursor *cur, u64 ra)
{
	struct sframe_rule rule;

	return cur->ops->find(cur->ctx, ra - 1, &rule) == SFRAME_NO_TABLE &&
	       look_at_code(cur, ra) == SFRAME_LISP_CALLED;
}

/**
 * sframe_left_by_lisp() - is a word that follows a call where nothing returns to?
 * @cur: the walk
 * @ra: the RA of the record at FP
 * @word: below that
 * @at: where the word is
 *
 * A function of Lisp moves its RA into its record before it does anything else: elsewhere
 * such a RA is what an older call has left. But at SP it may be that of a call that has not
 * got to a function yet, as something jumps there. What is not written in Lisp, and leaves
 * the record alone, is assembly that is called directly, and is small.
 *
 * Context: as sframe_cursor_next().
 * Return: true if so (x86-64).
 */
bool sframe_left_by_lisp(struct sframe_cursor *cur, u64 ra, u64 word, u64 at)
{
	u64 target;

	if (!cur->abi->lisp || (cur->topmost && at == cur->sp))
		return false;
	if (follows_lisp_call(cur, word))
		return true;
	target = sframe_call_target(cur, word);
	return target && target - cur->pc + SFRAME_FUNCTION_MAX > 2 * SFRAME_FUNCTION_MAX &&
	       follows_lisp_call(cur, ra);
}
