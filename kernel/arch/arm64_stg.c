// SPDX-License-Identifier: GPL-2.0
/*
 * AArch64: matches how GHC's runtime enters what was compiled from Haskell, and SBCL's Lisp, for
 * core/stg_run.c.
 */
#include <sframe/abi.h>

#include "arm64.h"

/* stp x30, x19, [sp, #-...]!: gcc's part of the function begins. */
#define PUSH_LR		0xa9804ffe
#define PUSH_IMM	(0x7fu << 15)
/* stp and str of others, to where SP points, follow: no more than these. */
#define NR_STORES	6
#define STP_TO_SP	0xa90003e0
#define STP_MASK	0xffc003e0
#define STR_TO_SP	0xf90003e0

#define NR_INSNS	15
#define NR_LISP		10

/*
 * The runtime's part: it makes a record, saves registers in ten pairs, leaves 16 KiB below them,
 * and jumps.
 */
static const u32 stg_run[NR_INSNS] = {
	0xa9bf7bfd,	/* stp x29, x30, [sp, #-16]! */
	0x910003fd,	/* mov x29, sp */
	0xa9bf47f0,	/* stp x16, x17, [sp, #-16]! */
	0xa9bf53f3,	/* x19 to x28 */
	0xa9bf5bf5,
	0xa9bf63f7,
	0xa9bf6bf9,
	0xa9bf73fb,
	0x6dbf27e8,	/* d8 to d15 */
	0x6dbf2fea,
	0x6dbf37ec,
	0x6dbf3fee,
	0xd14013ff,	/* sub sp, sp, #16384 */
	0xaa0103f3,	/* mov x19, x1 */
	0xd61f0000,	/* br x0 */
};

#define PAIR		16
#define RECORD_AT	(16384 + 10 * PAIR)

static_assert((1 + NR_STORES + NR_INSNS) * INSN_LEN == SFRAME_STG_RUN_LEN, "read as a whole");

/**
 * sframe_arm64_stg_run() - &sframe_abi.stg_run
 * @code: %SFRAME_STG_RUN_LEN bytes
 * @run: filled in
 *
 * Context: any.
 * Return: true if this is StgRun().
 */
bool sframe_arm64_stg_run(const u8 *code, struct sframe_stg_run *run)
{
	u32 insn = sframe_arm64_insn(code);
	unsigned int i, at;

	if ((insn & ~PUSH_IMM) != PUSH_LR)
		return false;
	run->sp = RECORD_AT + PAIR - a64_field(insn, 15, 7) * 8;
	for (at = 1; at <= NR_STORES; at++) {
		insn = sframe_arm64_insn(code + at * INSN_LEN);
		if ((insn & STP_MASK) != STP_TO_SP && (insn & STP_MASK) != STR_TO_SP)
			break;
	}
	for (i = 0; i < NR_INSNS; i++) {
		if (sframe_arm64_insn(code + (at + i) * INSN_LEN) != stg_run[i])
			return false;
	}
	run->fp = RECORD_AT;
	run->ra = RECORD_AT + 8;
	return true;
}

/**
 * sframe_arm64_lisp_entry() - &sframe_abi.lisp_entry
 * @code: %SFRAME_STG_RUN_LEN bytes
 * @run: filled in
 *
 * Context: any.
 * Return: true if this is SBCL's call_into_lisp().
 */
bool sframe_arm64_lisp_entry(const u8 *code, struct sframe_stg_run *run)
{
	static const u32 call_into_lisp[NR_LISP] = {
		0xa9b653f3,	/* stp x19, x20, [sp, #-160]! */
		0xa9015bf5,	/* stp x21, x22, [sp, #16], and so on */
		0xa90263f7,
		0xa9036bf9,
		0xa90473fb,
		0xa9057bfd,	/* stp x29, x30, [sp, #80] */
		0x6d0627e8,	/* stp d8, d9, [sp, #96], and so on */
		0x6d072fea,
		0x6d0837ec,
		0x6d093fee,
	};
	unsigned int i;

	for (i = 0; i < NR_LISP; i++) {
		if (sframe_arm64_insn(code + i * INSN_LEN) != call_into_lisp[i])
			return false;
	}
	run->sp = 160;
	run->fp = 80;
	run->ra = 88;
	return true;
}
