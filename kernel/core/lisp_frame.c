// SPDX-License-Identifier: GPL-2.0
/*
 * Frames of what SBCL compiles. They have records, but callers make them, before they
 * call: so for some instructions FP is at a record that belongs to no function yet, and
 * whose RA was left by an older call. And as a frame is not cleared below its record,
 * more of those are there. The code around the PC tells (&sframe_abi.lisp). Called by
 * fallback.c, and by words.c for such RAs.
 */
#include "cursor_impl.h"

/*
 * Prices: of reading the code around a PC; of an instruction of it; in addition if it
 * is not Lisp.
 */
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
 * sframe_may_be_lisp() - does the code around the PC look like Lisp's?
 * @cur: the walk
 *
 * Context: as sframe_cursor_next().
 * Return: true if so (x86-64).
 */
bool sframe_may_be_lisp(struct sframe_cursor *cur)
{
	return cur->abi->lisp && classify_lisp_code(cur, cur->pc) != SFRAME_LISP_NOT;
}

/**
 * sframe_step_by_lisp_frame() - leave a frame of Lisp by its record
 * @cur: the walk, in a frame without a table
 * @to: filled in
 *
 * Context: as sframe_cursor_next().
 * Return: true if code says that it is one, and the record's RA follows a call
 *	(x86-64).
 */
bool sframe_step_by_lisp_frame(struct sframe_cursor *cur, struct sframe_frame *to)
{
	u64 record = cur->fp, slot;
	enum sframe_lisp lisp;

	if (!cur->abi->lisp || !cur->fp_known)
		return false;
	lisp = classify_lisp_code(cur, cur->pc);
	if (lisp == SFRAME_LISP_NOT ||
	    (lisp == SFRAME_LISP_LENT &&
	     (!cur->topmost || !sframe_read_word(cur, cur->fp, &record) ||
	      record <= cur->fp)))
		return false;
	if (record % SFRAME_RECORD_ALIGN || sframe_record_read(cur, record, to, &slot) ||
	    !sframe_is_return_address(cur, to->ra & cur->ra_bits))
		return false;
	to->lisp = true;
	return true;
}

/**
 * sframe_left_by_lisp() - does a word that follows a call of Lisp's lie where no RA does?
 * @cur: the walk
 * @word: the word
 * @at: its address
 *
 * A function of Lisp first of all moves its RA into its record. So such a RA elsewhere
 * was left by an older call; but at SP of the topmost frame it may be that of a call
 * that has not got to its function yet, as something in between jumps there.
 *
 * Context: as sframe_cursor_next().
 * Return: true if so: the word is no RA (x86-64).
 */
bool sframe_left_by_lisp(struct sframe_cursor *cur, u64 word, u64 at)
{
	struct sframe_rule rule;

	return cur->abi->lisp && !(cur->topmost && at == cur->sp) &&
	       cur->ops->find(cur->ctx, word - 1, &rule) == SFRAME_NO_TABLE &&
	       classify_lisp_code(cur, word) == SFRAME_LISP_CALLED;
}
