// SPDX-License-Identifier: GPL-2.0
/*
 * The rows of one function in .eh_frame: carries out its instructions up to where the
 * next row begins.
 */
#include "cfi_insn.h"
#include "table_impl.h"

/* Is @op an instruction that advances? Then @to is where to; else it stays as it is. */
static bool insn_advances_loc(struct sframe_cfi_rows *rows, u8 op, u64 *to,
			      enum sframe_reason *reason)
{
	struct sframe_cfi_reader *r = &rows->r;
	u64 delta, unit = rows->fde->cie->code_align;

	if ((op & ~CFA_OPERAND) == CFA_ADVANCE_LOC) {
		delta = op & CFA_OPERAND;
	} else if (op == CFA_ADVANCE_LOC1) {
		delta = sframe_cfi_uint(r, 1);
	} else if (op == CFA_ADVANCE_LOC2) {
		delta = sframe_cfi_uint(r, 2);
	} else if (op == CFA_ADVANCE_LOC4) {
		delta = sframe_cfi_uint(r, 4);
	} else if (op == CFA_MIPS_ADVANCE_LOC8) {
		delta = sframe_cfi_uint(r, 8);
	} else if (op == CFA_SET_LOC) {
		if (!sframe_cfi_pointer(r, rows->fde->cie->encoding, rows->eh,
					to))
			*reason = SFRAME_CFI_POINTER;
		*to -= rows->fde->start;
		return true;
	} else {
		return false;
	}
	if (__builtin_mul_overflow(delta, unit, &delta) ||
	    __builtin_add_overflow(rows->at, delta, to))
		*to = ~0ull;
	return true;
}

/* Carry out one instruction. @to is where the next row begins, if it ends the current one. */
static enum sframe_reason carry_out_next_insn(struct sframe_cfi_rows *rows, u64 *to)
{
	enum sframe_reason reason = SFRAME_OK;
	u8 op = *rows->r.p++;
	u64 n;

	if (op >= CFA_OFFSET) {
		if (op >= CFA_RESTORE) {
			sframe_cfi_restore(rows, op & CFA_OPERAND);
		} else {
			n = sframe_cfi_uleb(&rows->r);
			sframe_cfi_offset(rows, op & CFA_OPERAND, n);
		}
	} else if (!insn_advances_loc(rows, op, to, &reason)) {
		reason = sframe_cfi_carry_out(rows, op);
	}
	if (unlikely(rows->r.bad))
		return SFRAME_CFI_OPCODE;
	if (unlikely(!reason && *to < rows->at))
		return SFRAME_CFI_ORDER;
	return reason;
}

/**
 * sframe_cfi_initial() - carry out the initial instructions of a CIE
 * @rows: scratch space; its state is the result
 * @eh: the section
 * @fde: has the CIE, and its instructions as its program
 *
 * Context: Any.
 * Return: SFRAME_OK, or SFRAME_CFI_CIE if no function can begin like that; a CIE must
 *	not advance.
 */
enum sframe_reason sframe_cfi_initial(struct sframe_cfi_rows *rows,
				      const struct sframe_eh_frame *eh,
				      const struct sframe_cfi_fde *fde)
{
	enum sframe_reason reason = SFRAME_OK;
	u64 to = 0;

	sframe_cfi_rows_init(rows, eh, fde);
	while (!reason && rows->r.p < rows->r.end) {
		reason = carry_out_next_insn(rows, &to);
		if (!reason && to)
			reason = SFRAME_CFI_ORDER;
	}
	return reason ? SFRAME_CFI_CIE : SFRAME_OK;
}

/**
 * sframe_cfi_silence() - does a function's CFI never say that SP moves, or what is saved?
 * @fde: the function
 *
 * Context: Any.
 * Return: SFRAME_CFI_SPEAKS if it does.
 */
enum sframe_cfi_silence sframe_cfi_silence(const struct sframe_cfi_fde *fde)
{
	enum sframe_cfi_silence silence = SFRAME_CFI_SAYS_NOTHING;
	struct sframe_cfi_reader r = fde->program;
	unsigned int ticks = 0;
	u8 op;

	while (r.p < r.end) {
		sframe_tick(&ticks);
		op = *r.p++;
		if ((op & ~CFA_OPERAND) == CFA_ADVANCE_LOC || op == CFA_NOP ||
		    op == CFA_REMEMBER_STATE || op == CFA_RESTORE_STATE)
			continue;
		if (op == CFA_ADVANCE_LOC1) {
			sframe_cfi_skip(&r, 1);
		} else if (op == CFA_ADVANCE_LOC2) {
			sframe_cfi_skip(&r, 2);
		} else if (op == CFA_ADVANCE_LOC4) {
			sframe_cfi_skip(&r, 4);
		} else if (op == CFA_DEF_CFA_REGISTER) {
			sframe_cfi_uleb(&r);
			silence = SFRAME_CFI_NAMES_REGISTER;
		} else {
			return SFRAME_CFI_SPEAKS;
		}
	}
	return silence;
}

/**
 * sframe_cfi_rows_init() - go to a function's first row
 * @rows: filled; keeps pointers to @eh and @fde
 * @eh: the section
 * @fde: a function
 *
 * Context: Any.
 */
void sframe_cfi_rows_init(struct sframe_cfi_rows *rows,
			  const struct sframe_eh_frame *eh,
			  const struct sframe_cfi_fde *fde)
{
	rows->eh = eh;
	rows->fde = fde;
	rows->r = fde->program;
	rows->at = 0;
	rows->skip = SFRAME_OK;
	rows->done = false;
	rows->depth = 0;
	rows->state = fde->cie->initial;
}

/* Make the rest of the function one row, refused for @rows->skip. */
static void refuse_rest_of_function(struct sframe_cfi_rows *rows,
				    struct sframe_cfi_row *row)
{
	row->start = rows->at;
	row->end = rows->fde->size;
	row->reason = rows->skip;
	rows->done = true;
}

/**
 * sframe_cfi_rows_next() - read a function's next row
 * @rows: the position, moved on; @rows->state is what holds in the row
 * @row: filled; a row begins where the one before ends, and none is empty
 *
 * Where an instruction is not understood, the rest of the function is one row, refused.
 *
 * Context: May sleep.
 * Return: false if there was no further row.
 */
bool sframe_cfi_rows_next(struct sframe_cfi_rows *rows,
			  struct sframe_cfi_row *row)
{
	const u64 size = rows->fde->size;
	u64 to = rows->at;
	u32 ticks = 0;

	if (rows->done)
		return false;
	while (rows->r.p < rows->r.end && to == rows->at) {
		sframe_tick(&ticks);
		rows->skip = carry_out_next_insn(rows, &to);
		if (unlikely(rows->skip)) {
			refuse_rest_of_function(rows, row);
			return true;
		}
	}
	if (to > size)
		rows->skip = SFRAME_CFI_ORDER;
	if (to >= size || to == rows->at) {
		to = size;
		rows->done = true;
	}
	row->start = rows->at;
	row->end = to;
	row->reason = SFRAME_OK;
	rows->at = to;
	return true;
}
