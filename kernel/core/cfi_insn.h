/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The instructions of CFI (DWARF 5, 6.4.2), those of GNU and AArch64 included.
 */
#ifndef SFRAME_CORE_CFI_INSN_H
#define SFRAME_CORE_CFI_INSN_H

#include "cfi.h"

/* Instructions: three with an operand in their lower six bits, and others. */
#define CFA_OPERAND		0x3f
#define CFA_ADVANCE_LOC		0x40
#define CFA_OFFSET		0x80
#define CFA_RESTORE		0xc0

enum {
	CFA_NOP,
	CFA_SET_LOC,
	CFA_ADVANCE_LOC1,
	CFA_ADVANCE_LOC2,
	CFA_ADVANCE_LOC4,
	CFA_OFFSET_EXTENDED,
	CFA_RESTORE_EXTENDED,
	CFA_UNDEFINED,
	CFA_SAME_VALUE,
	CFA_REGISTER,
	CFA_REMEMBER_STATE,
	CFA_RESTORE_STATE,
	CFA_DEF_CFA,
	CFA_DEF_CFA_REGISTER,
	CFA_DEF_CFA_OFFSET,
	CFA_DEF_CFA_EXPRESSION,
	CFA_EXPRESSION,
	CFA_OFFSET_EXTENDED_SF,
	CFA_DEF_CFA_SF,
	CFA_DEF_CFA_OFFSET_SF,
	CFA_VAL_OFFSET,
	CFA_VAL_OFFSET_SF,
	CFA_VAL_EXPRESSION,
	CFA_MIPS_ADVANCE_LOC8		= 0x1d,
	CFA_NEGATE_RA_STATE_WITH_PC	= 0x2c,
	CFA_NEGATE_RA_STATE		= 0x2d,
	CFA_GNU_ARGS_SIZE		= 0x2e,
	CFA_GNU_NEGATIVE_OFFSET		= 0x2f,
};

enum sframe_reason sframe_cfi_carry_out(struct sframe_cfi_rows *rows, u8 op);
void sframe_cfi_restore(struct sframe_cfi_rows *rows, u64 reg);
void sframe_cfi_offset(struct sframe_cfi_rows *rows, u64 reg, u64 n);

#endif /* SFRAME_CORE_CFI_INSN_H */
