/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Code with a stack of its own, which C has entered, and which calls C: GHC's Haskell, SBCL's
 * Lisp.
 */
#ifndef SFRAME_KUNIT_ENTERED_WORLD_H
#define SFRAME_KUNIT_ENTERED_WORLD_H

#include <sframe/cursor.h>

#include "simple_world.h"

#define CODE		0x400000ull
#define CODE_LEN	1024
/* Haskell or Lisp. */
#define RUNS		(CODE + 64)
/* What C calls to enter it. */
#define ENTRY		(CODE + 256)
/* Of what has rows: what calls that, and C that is called. */
#define CALLER		(CODE + 512)
#define RA		(CALLER + 64)
#define C		(CODE + 768)
#define STACK		0x7ff000000000ull
#define STACK_WORDS	2176
#define S(n)		(STACK + 8ull * (n))
/* SP as it was left, and the frame of C that is called, in words. */
#define LEFT		40
#define C_FRAME		20
/* Where registers of Haskell's lead. */
#define HEAP		0x42000000ull
#define BASE		(HEAP + 16)
#define LIMIT		0x42010000ull

/**
 * struct entered_world - code, a stack, and a heap
 * @abi: the machine
 * @c_ra_off: where C that is called has its RA, from the CFA
 * @other_sp: the register that points to the Haskell stack has something else
 * @code: from %CODE on
 * @stack: from %STACK on
 * @heap: from %HEAP on
 */
struct entered_world {
	const struct sframe_abi *abi;
	s32 c_ra_off;
	bool other_sp;
	u8 code[CODE_LEN];
	u64 stack[STACK_WORDS];
	u64 heap[2];
};

static enum sframe_reason entered_find(void *ctx, u64 pc, struct sframe_rule *rule)
{
	const struct entered_world *w = ctx;

	if (pc - CODE >= CODE_LEN)
		return SFRAME_NO_MAPPING;
	if (pc < CALLER)
		return SFRAME_NO_TABLE;
	*rule = (struct sframe_rule){ .flags = SFRAME_RULE_OUTERMOST };
	if (pc >= C)
		*rule = (struct sframe_rule){
			.cfa = SFRAME_LOC_SP, .cfa_off = 8 * C_FRAME - w->abi->sp_bias,
			.ra = SFRAME_LOC_SAVED, .ra_off = w->c_ra_off,
			.fp = SFRAME_LOC_SAME,
		};
	return SFRAME_OK;
}

static int entered_read(void *ctx, u64 addr, void *buf, unsigned int len)
{
	const struct entered_world *w = ctx;

	return read_array(addr, buf, len, CODE, w->code) ||
	       read_array(addr, buf, len, STACK, w->stack) ||
	       read_array(addr, buf, len, HEAP, w->heap) ? 0 : -1;
}

/* Haskell's, while it is the topmost. */
static int entered_reg(void *ctx, unsigned int reg, u64 *val)
{
	const struct entered_world *w = ctx;

	*val = 0;
	if (reg == w->abi->stg_base_reg)
		*val = BASE;
	else if (reg == w->abi->stg_limit_reg)
		*val = LIMIT;
	else if (reg == w->abi->stg_sp_reg)
		*val = w->other_sp ? LIMIT - 4096 : LIMIT + 512;
	return 0;
}

static const struct sframe_cursor_ops entered_ops = {
	.find = entered_find,
	.find_kept = nothing_kept,
	.read = entered_read,
	.read_code = entered_read,
	.reg = entered_reg,
};

/* Walk: so many @callers are found, the last one with that SP and FP, if any. */
static void expect_entered(struct kunit *test, struct entered_world *w,
			   const struct sframe_regs *regs, unsigned int callers, u64 sp, u64 fp)
{
	struct sframe_cursor cur;
	unsigned int n = 0;

	sframe_cursor_init(&cur, w->abi, regs, 16, &entered_ops, w);
	while (!sframe_cursor_next(&cur))
		n++;
	KUNIT_EXPECT_EQ(test, n, callers);
	if (!callers)
		return;
	KUNIT_EXPECT_EQ(test, cur.pc, RA);
	KUNIT_EXPECT_EQ(test, cur.sp, sp);
	KUNIT_EXPECT_EQ(test, cur.fp, fp);
}

#endif /* SFRAME_KUNIT_ENTERED_WORLD_H */
