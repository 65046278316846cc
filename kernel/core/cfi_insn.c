// SPDX-License-Identifier: GPL-2.0
/*
 * Carries out CFI instructions: keeps track of where the CFA, RA, FP and SP are. What
 * is said of other registers is skipped. Advances are in cfi_rows.c.
 */
#include "cfi_insn.h"

/* Where @state keeps DWARF register @reg's place; NULL if that register does not matter. */
static struct sframe_cfi_place *reg_place(const struct sframe_cfi_rows *rows,
					  struct sframe_cfi_state *state,
					  u64 reg)
{
	const struct sframe_abi *abi = rows->eh->abi;

	if (reg == rows->fde->cie->ra_reg)
		return &state->ra;
	if (reg == (u64)abi->fp_reg)
		return &state->fp;
	if (reg == (u64)abi->sp_reg)
		return &state->sp;
	return NULL;
}

static void set_reg_place(struct sframe_cfi_rows *rows, u64 reg,
			  enum sframe_cfi_how how, u64 from, s64 off)
{
	struct sframe_cfi_place *place = reg_place(rows, &rows->state, reg);

	if (place)
		sframe_cfi_place_set(place, how, from, off);
}

/* Offsets are in the CIE's units. One that overflows 64 bits becomes one that is refused. */
static s64 scale_data_offset(const struct sframe_cfi_rows *rows, s64 n)
{
	s64 off;

	if (__builtin_mul_overflow(n, rows->fde->cie->data_align, &off))
		return ~(1ull << 63);
	return off;
}

/**
 * sframe_cfi_restore() - a register is where it was at the function's start
 * @rows: the function
 * @reg: DWARF number
 *
 * Context: Any.
 */
void sframe_cfi_restore(struct sframe_cfi_rows *rows, u64 reg)
{
	struct sframe_cfi_place *place = reg_place(rows, &rows->state, reg);
	struct sframe_cfi_state initial;

	if (!place)
		return;
	initial = rows->fde->cie->initial;
	*place = *reg_place(rows, &initial, reg);
}

/**
 * sframe_cfi_offset() - a register is saved beside the CFA
 * @rows: the function
 * @reg: DWARF number
 * @n: offset, in the CIE's units
 *
 * Context: Any.
 */
void sframe_cfi_offset(struct sframe_cfi_rows *rows, u64 reg, u64 n)
{
	set_reg_place(rows, reg, SFRAME_HOW_AT_CFA, 0, scale_data_offset(rows, n));
}

/* Take the bytes of an expression out of @r. */
static struct sframe_cfi_reader read_expression_block(struct sframe_cfi_reader *r)
{
	u64 len = sframe_cfi_uleb(r);
	struct sframe_cfi_reader in = *r;

	sframe_cfi_skip(r, len);
	in.end = r->p;
	return in;
}

static void carry_out_expression(struct sframe_cfi_rows *rows, bool value)
{
	u64 reg = sframe_cfi_uleb(&rows->r);
	struct sframe_cfi_reader expr = read_expression_block(&rows->r);
	struct sframe_cfi_place *place = reg_place(rows, &rows->state, reg);

	if (place)
		sframe_cfi_expression(expr, value, place);
}

/* Change only the register or the offset of the CFA, which must have been given as such two. */
static enum sframe_reason change_cfa(struct sframe_cfi_rows *rows, u64 reg,
				     s64 off)
{
	struct sframe_cfi_place *cfa = &rows->state.cfa;

	if (cfa->how != SFRAME_HOW_IS_REG)
		return SFRAME_CFI_OPCODE;
	sframe_cfi_place_set(cfa, SFRAME_HOW_IS_REG, reg, off);
	return SFRAME_OK;
}

static enum sframe_reason remember_or_restore_state(struct sframe_cfi_rows *rows,
						    bool remember)
{
	if (remember) {
		if (rows->depth == SFRAME_CFI_DEPTH)
			return SFRAME_CFI_STATES;
		rows->stack[rows->depth++] = rows->state;
		return SFRAME_OK;
	}
	if (!rows->depth)
		return SFRAME_CFI_STATES;
	rows->state = rows->stack[--rows->depth];
	return SFRAME_OK;
}

/* Instructions that say where the CFA is, and those that are refused. */
static enum sframe_reason carry_out_cfa(struct sframe_cfi_rows *rows, u8 op)
{
	struct sframe_cfi_place *cfa = &rows->state.cfa;
	struct sframe_cfi_reader *r = &rows->r;
	u64 reg;

	switch (op) {
	case CFA_DEF_CFA:
		reg = sframe_cfi_uleb(r);
		sframe_cfi_place_set(cfa, SFRAME_HOW_IS_REG, reg,
				     sframe_cfi_uleb(r));
		return SFRAME_OK;
	case CFA_DEF_CFA_SF:
		reg = sframe_cfi_uleb(r);
		sframe_cfi_place_set(cfa, SFRAME_HOW_IS_REG, reg,
				     scale_data_offset(rows, sframe_cfi_sleb(r)));
		return SFRAME_OK;
	case CFA_DEF_CFA_REGISTER:
		return change_cfa(rows, sframe_cfi_uleb(r), cfa->off);
	case CFA_DEF_CFA_OFFSET:
		return change_cfa(rows, cfa->reg, sframe_cfi_uleb(r));
	case CFA_DEF_CFA_OFFSET_SF:
		return change_cfa(rows, cfa->reg,
				  scale_data_offset(rows, sframe_cfi_sleb(r)));
	case CFA_DEF_CFA_EXPRESSION:
		sframe_cfi_cfa_expression(rows->eh->abi, read_expression_block(r), cfa);
		return SFRAME_OK;
	case CFA_NEGATE_RA_STATE:
	case CFA_NEGATE_RA_STATE_WITH_PC:
		/* Walks strip a PAC anyway. SPARC and others give these numbers another meaning. */
		return rows->eh->abi->has_pac ? SFRAME_OK : SFRAME_CFI_OPCODE;
	default:
		return SFRAME_CFI_OPCODE;
	}
}

/**
 * sframe_cfi_carry_out() - carry out an instruction
 * @rows: the function; @rows->r is behind the first byte
 * @op: that byte; not of one that advances, nor one with an operand in it
 *
 * Context: Any.
 * Return: SFRAME_OK, or why the state is not known from here on. Operands that
 *	are cut off are remembered by @rows->r.
 */
enum sframe_reason sframe_cfi_carry_out(struct sframe_cfi_rows *rows, u8 op)
{
	struct sframe_cfi_reader *r = &rows->r;
	u64 reg;

	switch (op) {
	case CFA_NOP:
		return SFRAME_OK;
	case CFA_GNU_ARGS_SIZE:
		sframe_cfi_uleb(r);
		return SFRAME_OK;
	case CFA_REMEMBER_STATE:
	case CFA_RESTORE_STATE:
		return remember_or_restore_state(rows, op == CFA_REMEMBER_STATE);
	case CFA_RESTORE_EXTENDED:
		sframe_cfi_restore(rows, sframe_cfi_uleb(r));
		return SFRAME_OK;
	case CFA_UNDEFINED:
		set_reg_place(rows, sframe_cfi_uleb(r), SFRAME_HOW_UNDEFINED, 0, 0);
		return SFRAME_OK;
	case CFA_SAME_VALUE:
		set_reg_place(rows, sframe_cfi_uleb(r), SFRAME_HOW_SAME, 0, 0);
		return SFRAME_OK;
	case CFA_REGISTER:
		reg = sframe_cfi_uleb(r);
		set_reg_place(rows, reg, SFRAME_HOW_IS_REG, sframe_cfi_uleb(r), 0);
		return SFRAME_OK;
	case CFA_OFFSET_EXTENDED:
	case CFA_VAL_OFFSET:
		reg = sframe_cfi_uleb(r);
		set_reg_place(rows, reg, op == CFA_VAL_OFFSET ?
			      SFRAME_HOW_IS_CFA : SFRAME_HOW_AT_CFA, 0,
			      scale_data_offset(rows, sframe_cfi_uleb(r)));
		return SFRAME_OK;
	case CFA_OFFSET_EXTENDED_SF:
	case CFA_VAL_OFFSET_SF:
		reg = sframe_cfi_uleb(r);
		set_reg_place(rows, reg, op == CFA_VAL_OFFSET_SF ?
			      SFRAME_HOW_IS_CFA : SFRAME_HOW_AT_CFA, 0,
			      scale_data_offset(rows, sframe_cfi_sleb(r)));
		return SFRAME_OK;
	case CFA_GNU_NEGATIVE_OFFSET:
		reg = sframe_cfi_uleb(r);
		set_reg_place(rows, reg, SFRAME_HOW_AT_CFA, 0,
			      scale_data_offset(rows, 0 - sframe_cfi_uleb(r)));
		return SFRAME_OK;
	case CFA_EXPRESSION:
	case CFA_VAL_EXPRESSION:
		carry_out_expression(rows, op == CFA_VAL_EXPRESSION);
		return SFRAME_OK;
	default:
		return carry_out_cfa(rows, op);
	}
}
