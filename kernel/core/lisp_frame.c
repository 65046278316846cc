// SPDX-License-Identifier: GPL-2.0
/*
 * Frames of what SBCL compiles. Its records are those of any function, but the caller
 * makes them, before it calls: for some instructions FP is at a record that belongs to
 * nobody yet, and whose RA is what an older call has left there. And what lies below a
 * record is not written before it is used, so other such RAs are there. The code that
 * calls tells.
 */
#include "cursor_impl.h"

/* Prices: of the code around a PC; of an instruction of it; if it says nothing. */
#define LOOK_COST	512
#define INSN_COST	192
#define NOTHING_COST	768

static enum sframe_lisp classify_lisp_code(struct sframe_cursor *cur, u64 pc)
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

/**
 * sframe_step_by_lisp_frame() - leave a frame of Lisp
 * @cur: the walk, in a frame without a table
 * @to: filled in, if there is one
 *
 * Context: as sframe_cursor_next().
 * Return: true if code says that there is one, and it has a RA (x86-64).
 */
bool sframe_step_by_lisp_frame(struct sframe_cursor *cur, struct sframe_frame *to)
{
	const struct sframe_abi *abi = cur->abi;
	u64 record = cur->fp, cfa, fp, ra;
	enum sframe_lisp lisp;

	if (!abi->lisp || !cur->fp_known)
		return false;
	lisp = classify_lisp_code(cur, cur->pc);
	if (lisp == SFRAME_LISP_NOT ||
	    (lisp == SFRAME_LISP_LENT &&
	     (!cur->topmost || !sframe_read_word(cur, cur->fp + abi->fp_slot, &record) ||
	      record <= cur->fp)))
		return false;
	cfa = record + abi->ra_slot + sizeof(u64);
	if (record % SFRAME_RECORD_ALIGN || cfa <= cur->cfa ||
	    !sframe_read_word(cur, record + abi->fp_slot, &fp) ||
	    !sframe_read_word(cur, record + abi->ra_slot, &ra) ||
	    !sframe_is_return_address(cur, ra & cur->ra_bits))
		return false;
	*to = (struct sframe_frame){
		.cfa = cfa,
		.sp = cfa,
		.fp = fp,
		.ra = ra,
		.sp_known = true,
		.fp_known = true,
		.fallback = true,
		.lisp = true,
	};
	return true;
}

/**
 * sframe_left_by_lisp() - is a word that follows a call where nothing returns to?
 * @cur: the walk
 * @word: the word
 * @at: where it is
 *
 * A function of Lisp moves its RA into its record before it does anything else: elsewhere
 * such a RA is what an older call has left. But at SP it may be that of a call that has not
 * got to a function yet, as something jumps there.
 *
 * Context: as sframe_cursor_next().
 * Return: true if so (x86-64).
 */
bool sframe_left_by_lisp(struct sframe_cursor *cur, u64 word, u64 at)
{
	struct sframe_rule rule;

	return cur->abi->lisp && !(cur->topmost && at == cur->sp) &&
	       cur->ops->find(cur->ctx, word - 1, &rule) == SFRAME_NO_TABLE &&
	       classify_lisp_code(cur, word) == SFRAME_LISP_CALLED;
}
