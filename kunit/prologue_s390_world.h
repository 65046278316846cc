/* SPDX-License-Identifier: GPL-2.0 */
/* A function of s390x that never returns, and what has called it. */
#ifndef SFRAME_KUNIT_PROLOGUE_S390_WORLD_H
#define SFRAME_KUNIT_PROLOGUE_S390_WORLD_H

#include <sframe/cursor.h>

#define BARE_CALLED_FRAME 176
#include "bare_world.h"

#define RA		(CODE + 1792)
/* In words: SP of the function; its frame; RA and SP, as it was called, above that. */
#define SP_AT		4
#define FRAME		20
#define RA_AT		14
#define OLD_SP_AT	15
#define FP_AT		11
#define OLD_FP		0x1234567812345678ull

/* Instructions of 2, 4 and 6 bytes. */
#define I2(insn)	((insn) << 32)
#define I4(insn)	((insn) << 16)
#define STMG_6		0xeb6ff0300024ull	/* stmg %r6,%r15,48(%r15) */
#define STMG_12		0xebcff0600024ull	/* stmg %r12,%r15,96(%r15) */
#define STMG_TO_14	0xeb6ef0300024ull	/* stmg %r6,%r14,48(%r15) */
#define STMG_ELSEWHERE	0xeb6ff0380024ull	/* stmg %r6,%r15,56(%r15) */
#define LMG		0xeb6ff0d00004ull	/* lmg %r6,%r15,208(%r15) */
#define LAY		0xe3f0ff60ff71ull	/* lay %r15,-160(%r15) */
#define AGHI		I4(0xa7fbff60ull)	/* aghi %r15,-160 */
#define AGHI_80		I4(0xa7fbffb0ull)
#define SUB_R1		I4(0xb90900f1ull)	/* sgr %r15,%r1 */
#define SET_FP		I4(0xb90400bfull)	/* lgr %r11,%r15 */
#define SET_FP_TO_R2	I4(0xb90400b2ull)	/* lgr %r11,%r2 */
#define MOVE		I4(0xb9040021ull)	/* lgr %r2,%r1 */
#define NOPR		I2(0x0707ull)
#define IF_NEXT		I4(0xa7840004ull)	/* je, past the next four bytes */
#define IF_LONG		I4(0xa7840006ull)	/* je, past the next eight */
#define JUMP_NEXT	I4(0xa7f40004ull)	/* j, past the next four */
#define IF_PAST		I4(0xa7840008ull)	/* je, past the next twelve */
#define JUMP_PAST	I4(0xa7f40006ull)	/* j, past the next eight */
#define JUMP_BACK	I4(0xa7f4fffaull)	/* j, twelve bytes back */
#define TRAP		I4(0xa7f40001ull)	/* j .+2 */
#define CALL		0xc0e5ffffffd8ull	/* brasl %r14, to before the function */
#define BASR		I2(0x0de1ull)
#define BR_14		I2(0x07feull)
#define STG_152		0xe3e0f0980024ull	/* stg %r14,152(%r15) */
/* What OCaml's functions do first; and behind a call of C. */
#define LAY_40		0xe3f0ffd8ff71ull	/* lay %r15,-40(%r15) */
#define STG_32		0xe3e0f0200024ull	/* stg %r14,32(%r15) */
#define STG_24		0xe3e0f0180024ull	/* stg %r14,24(%r15) */
#define STG_R13		0xe3d0f0200024ull	/* stg %r13,32(%r15) */
#define SP_FROM_R12	I4(0xb90400fcull)	/* lgr %r15,%r12 */
#define BR_1		I2(0x07f1ull)
#define B_TABLE		I4(0x47f12000ull)	/* b 0(%r1,%r2) */

/**
 * struct prologue_case - a walk
 * @name: what it shows
 * @insns: the function, up to the PC
 * @frame: of it, in words; 0: nobody is found
 * @call: what is before RA; 0: a call of the function
 * @fp_lost: FP is not known then
 * @sp_differs: another SP was saved
 * @next: what is at RA, or 0
 * @fp: r11 in the function, or 0; 1: it is not known
 */
struct prologue_case {
	const char *name;
	u64 insns[12];
	unsigned int frame;
	u64 call;
	bool fp_lost;
	bool sp_differs;
	u64 next;
	u64 fp;
};

/* Where the next instruction is. */
static u64 put_insn(struct bare_world *w, u64 addr, u64 insn)
{
	unsigned int first = insn >> 40, len = first < 0x40 ? 2 : first < 0xc0 ? 4 : 6, i;

	for (i = 0; i < len; i++)
		w->code[addr - CODE + i] = insn >> (40 - 8 * i);
	return addr + len;
}

/* The PC is behind the last instruction, or behind @insns of them; then another begins. */
static u64 world_set(struct bare_world *w, const struct prologue_case *c, unsigned int insns)
{
	unsigned int i, up = SP_AT + (c->frame ?: FRAME);
	u64 at = BARE, pc = BARE, call = c->call;

	memset(w, 0, sizeof(*w));
	for (i = 0; c->insns[i]; i++) {
		at = put_insn(w, at, c->insns[i]);
		if (i < insns)
			pc = at;
	}
	put_insn(w, at, STMG_6);
	if (!call)
		call = 0xc0e500000000ull | ((BARE - (RA - 6)) / 2 & 0xffffffff);
	put_insn(w, RA - (call == BASR ? 2 : call == MOVE ? 4 : 6), call);
	if (c->next)
		put_insn(w, RA, c->next);
	/* The RA of what it calls, and its own. */
	w->stack[SP_AT + 19] = pc;
	w->stack[up + RA_AT] = RA;
	w->stack[up + OLD_SP_AT] = S(up + c->sp_differs);
	w->stack[up + FP_AT] = OLD_FP;
	return pc;
}

#endif /* SFRAME_KUNIT_PROLOGUE_S390_WORLD_H */
