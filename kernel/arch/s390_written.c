// SPDX-License-Identifier: GPL-2.0
/*
 * s390x: which GPRs an instruction may write; in doubt, all. Asked by s390_code.c and
 * s390_prologue.c of instructions that they do not follow.
 */
#include <sframe/abi.h>

#include "s390.h"

/* Which of the two registers that an instruction names may be written? */
#define W_ALL	0	/* of all */
#define W_NONE	1
#define W_ONE	2	/* the first */
#define W_PAIR	3	/* and the other one of its pair */
#define W_PAIRS	4	/* likewise of both */
#define W_THREE	5	/* and of a third one */
#define W_RANGE	6	/* from the first up to the second */
#define W_MORE	7	/* the rest of the instruction says */

static const u8 writes[256] = {
	/* SPM; BCTR; no operation; SVC; BASR; MVCL, CLCL */
	[0x04] = W_NONE, [0x06] = W_ONE, [0x07] = W_NONE, [0x0a] = W_NONE, [0x0d] = W_ONE,
	[0x0e ... 0x0f] = W_PAIRS,
	/* But CLR, CR, MR and DR; floating point */
	[0x10 ... 0x14] = W_ONE, [0x15] = W_NONE, [0x16 ... 0x18] = W_ONE, [0x19] = W_NONE,
	[0x1a ... 0x1b] = W_ONE, [0x1c ... 0x1d] = W_PAIR, [0x1e ... 0x1f] = W_ONE,
	[0x20 ... 0x3f] = W_NONE,
	/* STH, STC, BC, CH, CVD, ST, CL and C write none; M and D */
	[0x40] = W_NONE, [0x41] = W_ONE, [0x42] = W_NONE, [0x43] = W_ONE, [0x47] = W_NONE,
	[0x48] = W_ONE, [0x49] = W_NONE, [0x4a ... 0x4c] = W_ONE, [0x4e] = W_NONE,
	[0x4f] = W_ONE, [0x50] = W_NONE, [0x54] = W_ONE, [0x55] = W_NONE,
	[0x56 ... 0x58] = W_ONE, [0x59] = W_NONE, [0x5a ... 0x5b] = W_ONE,
	[0x5c ... 0x5d] = W_PAIR, [0x5e ... 0x5f] = W_ONE,
	/* Floating point, but for MS */
	[0x60 ... 0x70] = W_NONE, [0x71] = W_ONE, [0x72 ... 0x7f] = W_NONE,
	/* Shifts; STM, and bytes in memory; LM; STAM */
	[0x88 ... 0x8b] = W_ONE, [0x8c ... 0x8f] = W_PAIR, [0x90 ... 0x97] = W_NONE,
	[0x98] = W_RANGE, [0x9b] = W_NONE, [0xa5] = W_ONE, [0xa7] = W_MORE,
	/* MVCLE, CLCLE; CS, CDS; CLM, STCM */
	[0xa8 ... 0xa9] = W_PAIRS, [0xb2 ... 0xb3] = W_MORE, [0xb9] = W_MORE, [0xba] = W_ONE,
	[0xbb] = W_PAIR, [0xbd ... 0xbe] = W_NONE, [0xbf] = W_ONE,
	/* EXRL of SS instructions */
	[0xc0] = W_ONE, [0xc2] = W_MORE, [0xc4] = W_MORE, [0xc5 ... 0xc7] = W_NONE,
	/* Bytes in memory; vectors; floating point */
	[0xcc] = W_ONE, [0xd1 ... 0xdf] = W_NONE, [0xe1 ... 0xe2] = W_NONE, [0xe3] = W_MORE,
	[0xe5] = W_NONE, [0xe6 ... 0xe7] = W_MORE, [0xe8 ... 0xea] = W_NONE, [0xeb] = W_MORE,
	[0xec] = W_ONE, [0xed] = W_NONE, [0xf0 ... 0xff] = W_NONE,
};

/* By their second opcode; W_ONE where nothing is said. */
static const u8 writes_b9[256] = {
	/* Comparisons; division, multiplication, FLOGR; strings */
	[0x20 ... 0x21] = W_NONE, [0x30 ... 0x31] = W_NONE, [0x0d] = W_PAIR, [0x1d] = W_PAIR,
	[0x83] = W_PAIR, [0x86 ... 0x87] = W_PAIR, [0xec] = W_PAIR, [0x90 ... 0x93] = W_PAIRS,
	[0x96 ... 0x97] = W_PAIRS, [0xb0 ... 0xbf] = W_PAIRS,
	/* EPSW, each of two; cryptography, compression, of which some have three operands */
	[0x8d] = W_PAIRS, [0x1e] = W_THREE, [0x29 ... 0x2f] = W_THREE,
	[0x38 ... 0x3f] = W_THREE,
};

static const u8 writes_e3[256] = {
	/* Comparisons and stores */
	[0x20 ... 0x21] = W_NONE, [0x24] = W_NONE, [0x26] = W_NONE, [0x2e ... 0x31] = W_NONE,
	[0x34] = W_NONE, [0x36] = W_NONE, [0x3e ... 0x3f] = W_NONE, [0x50] = W_NONE,
	[0x55] = W_NONE, [0x59] = W_NONE, [0x70] = W_NONE, [0x72] = W_NONE, [0x79] = W_NONE,
	[0xc3] = W_NONE, [0xc7] = W_NONE, [0xcb] = W_NONE, [0xcd] = W_NONE, [0xcf] = W_NONE,
	/* Division, multiplication, LPQ */
	[0x0d] = W_PAIR, [0x1d] = W_PAIR, [0x5c] = W_PAIR, [0x84] = W_PAIR,
	[0x86 ... 0x87] = W_PAIR, [0x8f] = W_PAIR, [0x96 ... 0x97] = W_PAIR,
};

static const u8 writes_eb[256] = {
	/* Comparisons, stores, bytes in memory */
	[0x20 ... 0x21] = W_NONE, [0x24] = W_NONE, [0x26] = W_NONE, [0x2c ... 0x2d] = W_NONE,
	[0x51 ... 0x57] = W_NONE, [0x6a] = W_NONE, [0x6e] = W_NONE, [0x71] = W_NONE,
	[0x7a] = W_NONE, [0x7e] = W_NONE, [0x90] = W_NONE, [0xe1] = W_NONE, [0xe3] = W_NONE,
	[0xf3] = W_NONE,
	/* LMH, LMY */
	[0x96] = W_RANGE, [0x98] = W_RANGE, [0x31] = W_PAIRS, [0x3e] = W_PAIRS,
	[0x8e ... 0x8f] = W_PAIRS,
};

/* Of an instruction of which the first byte is not enough. */
static u8 writes_more(const struct s390_insn *insn)
{
	unsigned int op = insn->b[1], low = op & 15, last = insn->b[5];

	switch (insn->b[0]) {
	case 0xa7:			/* TMxx, CHI, CGHI */
		return low < 4 || low >= 14 ? W_NONE : W_ONE;
	case 0xb2:
		return W_PAIRS;
	case 0xb3:			/* CUXTR, CSXTR; LDGR writes an FPR; others may not */
		if (op == 0xea || op == 0xeb)
			return W_PAIR;
		return op == 0x8c || (op >= 0x98 && op != 0xc1) ? W_ONE : W_NONE;
	case 0xb9:
		return writes_b9[op] ?: W_ONE;
	case 0xc2:			/* comparisons */
		return low >= 12 ? W_NONE : W_ONE;
	case 0xc4:			/* stores */
		return low == 7 || low == 11 || low == 15 ? W_NONE : W_ONE;
	case 0xe3:
		return writes_e3[last] ?: W_ONE;
	case 0xe6:			/* vectors */
		return last == 0x50 || last == 0x52 ? W_ONE : W_NONE;
	case 0xe7:
		return last == 0x21 || last == 0x27 ? W_ONE : W_NONE;
	default:
		return writes_eb[last] ?: W_ONE;
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
	u8 first = insn->b[0], to = writes[first];
	/* Some have their registers in the last byte. */
	bool late = first == 0xb2 || first == 0xb3 || first == 0xb9;
	unsigned int r1 = insn->b[late ? 3 : 1] >> 4, r2 = insn->b[late ? 3 : 1] & 15;

	switch (to == W_MORE ? writes_more(insn) : to) {
	case W_NONE:
		return 0;
	case W_ONE:
		return s390_one(r1);
	case W_PAIR:
		return s390_pair(r1);
	case W_PAIRS:
		return s390_pair(r1) | s390_pair(r2);
	case W_THREE:
		return s390_pair(r1) | s390_pair(r2) | s390_pair(insn->b[2] >> 4);
	case W_RANGE:
		return s390_range(r1, r2);
	default:
		return 0xffff;
	}
}
