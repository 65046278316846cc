// SPDX-License-Identifier: GPL-2.0
/*
 * s390x instructions: reading them, branches, where code leads, and what moves r11, r14
 * and r15 to and from the stack.
 */
#include <sframe/abi.h>

#include "s390.h"

static s64 rel16(const struct s390_insn *insn)
{
	return 2 * (s64)(s16)(insn->b[2] << 8 | insn->b[3]);
}

static s64 rel32(const struct s390_insn *insn)
{
	return 2 * (s64)(s32)((u32)insn->b[2] << 24 | insn->b[3] << 16 |
			      insn->b[4] << 8 | insn->b[5]);
}

/* A relative branch with a mask of conditions. */
static void set_masked_branch(struct s390_branch *br, unsigned int mask, s64 off)
{
	br->kind = mask == 15 ? S390_JUMP : S390_MAYBE;
	br->off = mask ? off : br->len;
}

/* Relative and save: of r14 a call, of others a jump past constants. */
static void and_save(struct s390_branch *br, unsigned int reg, s64 off)
{
	br->kind = reg == 14 ? S390_CALL : S390_JUMP;
	br->off = off;
	br->regs = reg == 14 ? 0 : s390_one(reg);
}

static bool branch_2(const struct s390_insn *insn, struct s390_branch *br)
{
	unsigned int r1 = insn->b[1] >> 4, r2 = insn->b[1] & 15;

	switch (insn->b[0]) {
	case 0x07:	/* BCR; without a mask or a register it does nothing */
		if (!r1 || !r2)
			return false;
		br->kind = r1 == 15 || r2 == 14 ? S390_TO_REG : S390_NOWHERE;
		br->reg = r2;
		return true;
	case 0x06:	/* BCTR, likewise */
	case 0x0d:	/* BASR */
		if (!r2)
			return false;
		br->kind = insn->b[0] == 0x0d && r1 == 14 ? S390_CALL :
							    S390_NOWHERE;
		return true;
	case 0x0a:	/* SVC: not sigreturn */
		return insn->b[1] == 119 || insn->b[1] == 173;
	case 0x01:
	case 0x0b:
	case 0x0c:
		return true;
	default:
		return false;
	}
}

static bool branch_4(const struct s390_insn *insn, struct s390_branch *br)
{
	unsigned int r1 = insn->b[1] >> 4, op = insn->b[1] & 15;

	switch (insn->b[0]) {
	case 0xa7:
		if (op == 4) {			/* BRC */
			set_masked_branch(br, r1, rel16(insn));
		} else if (op == 5) {		/* BRAS */
			and_save(br, r1, rel16(insn));
		} else if (op == 6 || op == 7) {	/* BRCT, BRCTG */
			set_masked_branch(br, 1, rel16(insn));
			br->regs = s390_one(r1);
		} else {
			return false;
		}
		return true;
	case 0x84:	/* BRXH, BRXLE */
	case 0x85:
		set_masked_branch(br, 1, rel16(insn));
		br->regs = s390_one(r1);
		return true;
	case 0x4d:	/* BAS */
		br->kind = r1 == 14 ? S390_CALL : S390_NOWHERE;
		return true;
	case 0x47:	/* BC */
		return r1;
	case 0x44:	/* EX, BAL, BCT, BXH, BXLE */
	case 0x45:
	case 0x46:
	case 0x86:
	case 0x87:
		return true;
	default:
		return false;
	}
}

static bool branch_6(const struct s390_insn *insn, struct s390_branch *br)
{
	unsigned int r1 = insn->b[1] >> 4, op = insn->b[1] & 15;

	switch (insn->b[0]) {
	case 0xc0:
		if (op == 4)		/* BRCL */
			set_masked_branch(br, r1, rel32(insn));
		else if (op == 5)	/* BRASL */
			and_save(br, r1, rel32(insn));
		return op == 4 || op == 5;
	case 0xcc:
		return op == 6;		/* BRCTH */
	case 0xe3:
		return insn->b[5] == 0x46 || insn->b[5] == 0x47;
	case 0xeb:
		return insn->b[5] == 0x44 || insn->b[5] == 0x45;
	case 0xec:
		switch (insn->b[5]) {
		case 0x44:		/* BRXHG, BRXLG */
		case 0x45:
			br->regs = s390_one(r1);
			set_masked_branch(br, 1, rel16(insn));
			return true;
		case 0x64:		/* compare and branch */
		case 0x65:
		case 0x76:
		case 0x77:
		case 0x7c:
		case 0x7d:
		case 0x7e:
		case 0x7f:
			set_masked_branch(br, 1, rel16(insn));
			return true;
		default:		/* ... to an address in a register */
			return insn->b[5] >= 0xe4;
		}
	default:
		return false;
	}
}

/**
 * sframe_s390_branch() - is this a branch, and where does it go?
 * @insn: the instruction
 * @br: filled if it is one
 *
 * What may not be followed for other reasons is a branch to nowhere.
 *
 * Context: any.
 * Return: true if it is.
 */
bool sframe_s390_branch(const struct s390_insn *insn, struct s390_branch *br)
{
	*br = (struct s390_branch){ .kind = S390_NOWHERE, .len = insn->len };
	switch (insn->len) {
	case 2:
		return branch_2(insn, br);
	case 4:
		return branch_4(insn, br);
	default:
		return branch_6(insn, br);
	}
}

/* The operands of RXY and RSY, with 20 bits of displacement. */
static void long_operand(const struct s390_insn *insn, struct s390_memory *m)
{
	m->base = insn->b[2] >> 4;
	m->off = (s8)insn->b[4] * 4096 + ((insn->b[2] & 15) << 8 | insn->b[3]);
}

static enum s390_memory_kind memory_6(const struct s390_insn *insn,
				      struct s390_memory *m)
{
	unsigned int r1 = insn->b[1] >> 4, low = insn->b[1] & 15;

	m->first = r1;
	m->regs = s390_one(r1);
	if (insn->b[0] == 0xc2 && low == 8) {		/* AGFI */
		m->base = r1;
		m->off = rel32(insn) / 2;
		return S390_SET;
	}
	long_operand(insn, m);
	if (insn->b[0] == 0xeb) {
		m->regs = s390_range(r1, low);
		if (insn->b[5] == 0x24)			/* STMG */
			return S390_STORE;
		return insn->b[5] == 0x04 ? S390_LOAD : S390_NEITHER; /* LMG */
	}
	if (insn->b[0] != 0xe3)
		return S390_NEITHER;
	m->index = low;
	switch (insn->b[5]) {
	case 0x04:					/* LG */
		return S390_LOAD;
	case 0x24:					/* STG */
		return S390_STORE;
	case 0x71:					/* LAY */
		return S390_SET;
	default:
		return S390_NEITHER;
	}
}

/**
 * sframe_s390_memory() - does this load, store or set r11, r14 or r15?
 * @insn: the instruction, not a branch
 * @m: its operands
 *
 * Context: any.
 * Return: what it does, %S390_NEITHER if something else
 */
enum s390_memory_kind sframe_s390_memory(const struct s390_insn *insn,
					 struct s390_memory *m)
{
	unsigned int r1 = insn->b[1] >> 4, low = insn->b[1] & 15;
	enum s390_memory_kind kind = S390_NEITHER;

	*m = (struct s390_memory){ };
	if (insn->len == 6) {
		kind = memory_6(insn, m);
	} else if (insn->b[0] == 0x41) {			/* LA */
		m->first = r1;
		m->index = low;
		m->base = insn->b[2] >> 4;
		m->off = (insn->b[2] & 15) << 8 | insn->b[3];
		kind = S390_SET;
	} else if (insn->b[0] == 0xa7 && low == 11) {		/* AGHI */
		m->first = r1;
		m->base = r1;
		m->off = rel16(insn) / 2;
		kind = S390_SET;
	} else if (insn->b[0] == 0xb9 && insn->b[1] == 0x04) {	/* LGR */
		m->first = insn->b[3] >> 4;
		m->base = insn->b[3] & 15;
		kind = S390_SET;
	}
	if (kind == S390_SET)
		m->regs = s390_one(m->first);
	return m->regs & (s390_one(11) | s390_one(14) | s390_one(15)) ? kind : S390_NEITHER;
}

/**
 * sframe_s390_fetch() - read an instruction
 * @code: reads it
 * @pc: where
 * @insn: filled in
 *
 * Return: false if it is not there, or @pc is no address of one.
 */
bool sframe_s390_fetch(struct leave_code *code, u64 pc, struct s390_insn *insn)
{
	unsigned int len;
	const u8 *bytes;

	if (pc & 1)
		return false;
	bytes = leave_code_at(code, pc, S390_INSN_MAX, &len);
	if (!bytes)
		return false;
	memcpy(insn->b, bytes, sizeof(insn->b));
	insn->len = sframe_s390_len(insn->b[0]);
	return insn->len <= len;
}
