// SPDX-License-Identifier: GPL-2.0
/*
 * s390x: which GPRs an instruction may write; in doubt, all. Asked by s390_code.c and
 * s390_prologue.c of instructions that they do not follow.
 */
#include <sframe/abi.h>

#include "s390.h"

#define ALL	0xffffu

static u32 gprs_written_2(const struct s390_insn *insn)
{
	unsigned int r1 = insn->b[1] >> 4, r2 = insn->b[1] & 15;

	switch (insn->b[0]) {
	case 0x04:			/* SPM */
	case 0x07:			/* no operation */
	case 0x0a:			/* SVC */
	case 0x15:			/* CLR, CR */
	case 0x19:
	case 0x20 ... 0x3f:		/* floating point */
		return 0;
	case 0x0e:			/* MVCL, CLCL */
	case 0x0f:
		return s390_pair(r1) | s390_pair(r2);
	case 0x1c:			/* MR, DR */
	case 0x1d:
		return s390_pair(r1);
	case 0x06:
	case 0x0d:
	case 0x10 ... 0x14:
	case 0x16 ... 0x18:
	case 0x1a ... 0x1b:
	case 0x1e ... 0x1f:
		return s390_one(r1);
	default:
		return ALL;
	}
}

/* These have their registers in the last byte. */
static u32 gprs_written_b2_b3_b9(const struct s390_insn *insn)
{
	unsigned int op = insn->b[1], r1 = insn->b[3] >> 4, r2 = insn->b[3] & 15;

	if (insn->b[0] == 0xb2)
		return s390_pair(r1) | s390_pair(r2);
	if (insn->b[0] == 0xb3 && (op == 0xea || op == 0xeb))	/* CUXTR, CSXTR */
		return s390_pair(r1);
	if (insn->b[0] == 0xb3)		/* LDGR writes an FPR; others may not */
		return op == 0x8c || (op >= 0x98 && op != 0xc1) ? s390_one(r1) : 0;
	switch (op) {
	case 0x20:			/* comparisons */
	case 0x21:
	case 0x30:
	case 0x31:
		return 0;
	case 0x0d:			/* division, multiplication, FLOGR */
	case 0x1d:
	case 0x83:
	case 0x86:
	case 0x87:
	case 0xec:
		return s390_pair(r1);
	case 0x8d:			/* EPSW */
		return s390_one(r1) | s390_one(r2);
	case 0x1e:			/* cryptography, compression; some have three operands */
	case 0x29 ... 0x2f:
	case 0x38 ... 0x3f:
		return s390_pair(r1) | s390_pair(r2) | s390_pair(insn->b[2] >> 4);
	case 0x90 ... 0x93:		/* strings */
	case 0x96 ... 0x97:
	case 0xb0 ... 0xbf:
		return s390_pair(r1) | s390_pair(r2);
	default:
		return s390_one(r1);
	}
}

static u32 gprs_written_4(const struct s390_insn *insn)
{
	unsigned int r1 = insn->b[1] >> 4, low = insn->b[1] & 15;

	switch (insn->b[0]) {
	case 0x40:			/* STH, STC, BC, CH, CVD, ST, CL, C */
	case 0x42:
	case 0x47:
	case 0x49:
	case 0x4e:
	case 0x50:
	case 0x55:
	case 0x59:
	case 0x60 ... 0x70:		/* floating point */
	case 0x72 ... 0x7f:
	case 0x90 ... 0x97:		/* STM, and bytes in memory */
	case 0x9b:			/* STAM */
	case 0xbd ... 0xbe:		/* CLM, STCM */
		return 0;
	case 0x41:
	case 0x43:
	case 0x48:
	case 0x4a ... 0x4c:
	case 0x4f:
	case 0x54:
	case 0x56 ... 0x58:
	case 0x5a ... 0x5b:
	case 0x5e ... 0x5f:
	case 0x71:
	case 0x88 ... 0x8b:
	case 0xa5:
	case 0xba:
	case 0xbf:
		return s390_one(r1);
	case 0x5c ... 0x5d:
	case 0x8c ... 0x8f:
	case 0xbb:
		return s390_pair(r1);
	case 0x98:			/* LM */
		return s390_range(r1, low);
	case 0xa7:			/* TMxx, CHI, CGHI */
		return low < 4 || low >= 14 ? 0 : s390_one(r1);
	case 0xa8 ... 0xa9:
		return s390_pair(r1) | s390_pair(low);
	case 0xb2 ... 0xb3:
	case 0xb9:
		return gprs_written_b2_b3_b9(insn);
	default:
		return ALL;
	}
}

static u32 gprs_written_e3(const struct s390_insn *insn)
{
	unsigned int r1 = insn->b[1] >> 4;

	switch (insn->b[5]) {
	case 0x20 ... 0x21:		/* comparisons and stores */
	case 0x24:
	case 0x26:
	case 0x2e ... 0x31:
	case 0x34:
	case 0x36:
	case 0x3e ... 0x3f:
	case 0x50:
	case 0x55:
	case 0x59:
	case 0x70:
	case 0x72:
	case 0x79:
	case 0xc3:
	case 0xc7:
	case 0xcb:
	case 0xcd:
	case 0xcf:
		return 0;
	case 0x0d:			/* division, multiplication, LPQ */
	case 0x1d:
	case 0x5c:
	case 0x84:
	case 0x86 ... 0x87:
	case 0x8f:
	case 0x96 ... 0x97:
		return s390_pair(r1);
	default:
		return s390_one(r1);
	}
}

static u32 gprs_written_eb(const struct s390_insn *insn)
{
	unsigned int r1 = insn->b[1] >> 4, low = insn->b[1] & 15;

	switch (insn->b[5]) {
	case 0x20 ... 0x21:		/* comparisons, stores, bytes in memory */
	case 0x24:
	case 0x26:
	case 0x2c ... 0x2d:
	case 0x51 ... 0x57:
	case 0x6a:
	case 0x6e:
	case 0x71:
	case 0x7a:
	case 0x7e:
	case 0x90:
	case 0xe1:
	case 0xe3:
	case 0xf3:
		return 0;
	case 0x96:			/* LMH, LMY */
	case 0x98:
		return s390_range(r1, low);
	case 0x31:
	case 0x3e:
	case 0x8e ... 0x8f:
		return s390_pair(r1) | s390_pair(low);
	default:
		return s390_one(r1);
	}
}

static u32 gprs_written_6(const struct s390_insn *insn)
{
	unsigned int r1 = insn->b[1] >> 4, low = insn->b[1] & 15;

	switch (insn->b[0]) {
	case 0xc0:
	case 0xcc:
		return s390_one(r1);
	case 0xc2:			/* comparisons */
		return low >= 12 ? 0 : s390_one(r1);
	case 0xc4:			/* stores */
		return low == 7 || low == 11 || low == 15 ? 0 : s390_one(r1);
	case 0xc6:			/* EXRL of SS instructions; comparisons */
	case 0xc5:
	case 0xc7:
	case 0xd1 ... 0xdf:		/* bytes in memory */
	case 0xe1 ... 0xe2:
	case 0xe5:
	case 0xe8 ... 0xea:
	case 0xed:			/* floating point */
	case 0xf0 ... 0xff:
		return 0;
	case 0xe3:
		return gprs_written_e3(insn);
	case 0xe6:			/* vectors */
		return insn->b[5] == 0x50 || insn->b[5] == 0x52 ? s390_one(r1) : 0;
	case 0xe7:
		return insn->b[5] == 0x21 || insn->b[5] == 0x27 ? s390_one(r1) : 0;
	case 0xeb:
		return gprs_written_eb(insn);
	case 0xec:
		return s390_one(r1);
	default:
		return ALL;
	}
}

/**
 * sframe_s390_written() - which GPRs may this write?
 * @insn: the instruction; not a branch
 *
 * Context: any.
 * Return: a bit for each.
 */
u32 sframe_s390_written(const struct s390_insn *insn)
{
	switch (insn->len) {
	case 2:
		return gprs_written_2(insn);
	case 4:
		return gprs_written_4(insn);
	default:
		return gprs_written_6(insn);
	}
}
