/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Walks with known results: {registers, code, stack} in, {frames, reason} out.
 *
 * Code: functions of 64 bytes. START(f) is the first byte, AT(f) a place that
 * no call returns to, RET(f) behind a call in the middle, END(f) behind a call
 * that is the last instruction. Stack: S(n) is its nth word.
 */
#ifndef SFRAME_CURSOR_CASES_H
#define SFRAME_CURSOR_CASES_H

#include <sframe/cursor.h>

#define NR_FNS		8
#define FN_SIZE		64
#define STACK_WORDS	1024

#define CODE		0x400000ull
#define STACK		0x7ff000000000ull
#define START(f)	(CODE + FN_SIZE * (f))
#define AT(f)		(START(f) + 16)
#define RET(f)		(START(f) + 32)
#define END(f)		(START(f) + FN_SIZE)
#define S(n)		(STACK + 8ull * (n))
#define WILD		0x123456789ab8ull
#define PAC(p)		((p) | 0x002a000000000000ull)
#define PAC_MASK	0x007f000000000000ull

enum fn_kind {
	FN_TABLE,	/* .rule applies */
	FN_NO_TABLE,	/* executable, nothing known */
	FN_UNMAPPED,
	FN_CHANGED,	/* was not executable, may be by now */
	FN_NOT_YET,	/* executable, its table is still being built */
	FN_UNREADABLE,	/* executable, no table, code cannot be read */
	FN_SIGRETURN,	/* no table, a signal trampoline at AT() */
	FN_SIGRETURN_OLD,	/* without SA_SIGINFO (s390x) */
	FN_SIGRETURN_START,	/* at START() */
	FN_SIGRETURN_ROW,	/* at AT(), .rule applies */
};

/* What struct fn.calls can be. */
#define CALL_OF(f)	((f) + 1)
#define CALL_BY_REG	(-1)
#define CALL_NONE	(-2)
#define CALL_FAR	(-3)	/* of what is too far below to be looked at */

/* What struct fn.keeps can be. */
#define KEEPS_SAME	1

/* Instructions are those at AT() in the first function, at RET() in others. */
struct fn {
	enum fn_kind kind;
	struct sframe_rule rule;
	u32 insns[3];
	s32 keeps;	/* .rule: r10 is at CFA + this, KEEPS_SAME, or 0: not known */
	s8 calls;	/* before RET(): another call than the usual one, or none */
	bool record;	/* begins with the making of a frame record */
	bool saves_fp;	/* or pushes RBP, to use it for data */
	s8 stub_of;	/* is the linker's stub of this, as CALL_OF() */
	s8 jumps_to;	/* begins with a jump to this, as CALL_OF() */
	bool ends;	/* ends with a return, not with a call */
	u8 last[8];	/* its last bytes, up to one that is not 0 */
};

/* A direct call of START(@f) that ends at @end. */
static inline void write_call(u8 *end, u64 ra, u64 target, bool x86)
{
	u32 word = x86 ? target - ra : 0x94000000 | ((target - ra + 4) >> 2 & 0x3ffffff);
	int i;

	end[-5] = x86 ? 0xe8 : end[-5];
	for (i = 0; i < 4; i++)
		end[i - 4] = word >> 8 * i;
}

static inline void write_insns(u8 *code, const struct fn *fn)
{
	unsigned int i;

	for (i = 0; i < sizeof(fn->insns) && fn->insns[i / 4]; i++)
		code[i] = fn->insns[i / 4] >> i % 4 * 8;
}

struct word {
	u64 addr;
	u64 val;
};

/* A caller; sp or fp of 0: not compared. */
struct caller {
	u64 pc;
	u64 sp;
	u64 fp;
};

/**
 * struct walk_case - one walk
 * @name: what it shows
 * @abi: whose rules
 * @regs: start
 * @reg10: value of register 10, and of some others; 0: cannot be had
 * @max_depth: 0 for 16
 * @budget: 0 for what the core sets
 * @gap_around: what lies before and behind @fns is a gap between functions
 * @hole: the word at this address cannot be read
 * @fns: the code
 * @fill: the stack's words
 * @words: those that are something else
 * @callers: frames expected, up to the first with pc 0
 * @end: how the walk ends
 */
struct walk_case {
	const char *name;
	const struct sframe_abi *abi;
	struct sframe_regs regs;
	u64 reg10;
	u32 max_depth;
	u32 budget;
	bool gap_around;
	u64 hole;
	struct fn fns[NR_FNS];
	u64 fill;
	struct word words[12];
	struct caller callers[9];
	enum sframe_reason end;
};

#define ON_STACK	SFRAME_LOC_SAVED

/* Rule members: where the CFA, RA and FP are. */
#define CFA_SP(off)	.cfa = SFRAME_LOC_SP, .cfa_off = (off)
#define CFA_FP(off)	.cfa = SFRAME_LOC_FP, .cfa_off = (off)
#define CFA_R10(off)	.cfa = SFRAME_LOC_REG | 10, .cfa_off = (off)
#define RA_CFA(off)	.ra = ON_STACK, .ra_off = (off)
#define FP_CFA(off)	.fp = ON_STACK, .fp_off = (off)

#define RULE(...)	{ .rule = { __VA_ARGS__ } }
#define FLAGS(f)	{ .rule = { .flags = SFRAME_RULE_##f } }
#define KIND(k)		{ .kind = FN_##k }
#define SIGNAL_ROW	{ .kind = FN_SIGRETURN_ROW, \
			  .rule.flags = SFRAME_RULE_SIGNAL }
#define GAP(...)	{ .rule.flags = SFRAME_RULE_NO_FDE, __VA_ARGS__ }
#define BARE(...)	{ .kind = FN_NO_TABLE, __VA_ARGS__ }
#define INSNS(...)	{ .kind = FN_NO_TABLE, .insns = { __VA_ARGS__ } }

#endif /* SFRAME_CURSOR_CASES_H */
