/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What walks through interpreters have in common: code of which nothing is known, a file's
 * code behind it, which is the outermost, and a stack.
 */
#ifndef SFRAME_KUNIT_INTERP_WORLD_H
#define SFRAME_KUNIT_INTERP_WORLD_H

#include "kept_answers.h"
#include "simple_world.h"

#define CODE		0x400000ull
/* Files' code begins here: what has called the interpreter. */
#define CALLER		(CODE + 256)
#define RA		(CALLER + 64)
#define STACK		0x7ff000000000ull
#ifndef STACK_WORDS
#define STACK_WORDS	32
#endif
#define S(n)		(STACK + 8ull * (n))

/**
 * struct interp_world - code and a stack
 * @code: from %CODE on
 * @stack: from %STACK on
 * @reg: number of the register that is known; all others are 0
 * @val: what it holds
 */
struct interp_world {
	u8 code[CALLER + 128 - CODE];
	u64 stack[STACK_WORDS];
	unsigned int reg;
	u64 val;
};

static enum sframe_reason interp_find(void *ctx, u64 pc, struct sframe_rule *rule)
{
	const struct interp_world *w = ctx;

	if (pc < CODE || pc >= CODE + sizeof(w->code))
		return SFRAME_NO_MAPPING;
	if (pc < CALLER)
		return SFRAME_NO_TABLE;
	*rule = (struct sframe_rule){ .flags = SFRAME_RULE_OUTERMOST };
	return SFRAME_OK;
}

static int interp_read(void *ctx, u64 addr, void *buf, unsigned int len)
{
	const struct interp_world *w = ctx;

	return read_array(addr, buf, len, CODE, w->code) ||
	       read_array(addr, buf, len, STACK, w->stack) ? 0 : -1;
}

static int interp_reg(void *ctx, unsigned int reg, u64 *val)
{
	const struct interp_world *w = ctx;

	*val = reg == w->reg ? w->val : 0;
	return 0;
}

static const struct sframe_cursor_ops interp_ops = {
	.find = interp_find,
	.find_kept = nothing_kept,
	.read = interp_read,
	.read_code = interp_read,
	.reg = interp_reg,
	.answers = kept_answers,
	.is_fixed = kept_answers_not_fixed,
};

#endif /* SFRAME_KUNIT_INTERP_WORLD_H */
