/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A world of code of which nothing is known, between functions that it calls, and what has
 * called it, which ends the stack. What it calls has frames of BARE_CALLED_FRAME bytes: on
 * x86-64, if nothing else is said, of a RA alone.
 */
#ifndef SFRAME_KUNIT_BARE_WORLD_H
#define SFRAME_KUNIT_BARE_WORLD_H

#include "kept_answers.h"
#include "simple_world.h"

#ifndef BARE_CALLED_FRAME
#define BARE_CALLED_FRAME 8
#endif

#define CODE		0x400000ull
#define CODE_LEN	2048
/* Of what is called; of what nothing is known; behind that are callers. */
#define CALLED		(CODE + 16)
#define BARE		(CODE + 256)
#define CALLERS		(CODE + 1536)
#define STACK		0x7ff000000000ull
#define STACK_WORDS	64
#define S(n)		(STACK + 8ull * (n))

struct bare_world {
	u8 code[CODE_LEN];
	u64 stack[STACK_WORDS];
};

/* If not 0, code from here on, 64 bytes, may be something else by now. */
static u64 bare_changed;

static enum sframe_reason bare_find(void *ctx, u64 pc, struct sframe_rule *rule)
{
	(void)ctx;
	if (pc - CODE >= CODE_LEN)
		return SFRAME_NO_MAPPING;
	if (bare_changed && pc - bare_changed < 64)
		return SFRAME_CHANGED;
	if (pc >= BARE && pc < CALLERS)
		return SFRAME_NO_TABLE;
	*rule = (struct sframe_rule){ .flags = SFRAME_RULE_OUTERMOST };
	if (pc < BARE)
		*rule = rule_by_sp(BARE_CALLED_FRAME);
	return SFRAME_OK;
}

static int bare_read(void *ctx, u64 addr, void *buf, unsigned int len)
{
	const struct bare_world *w = ctx;

	return read_array(addr, buf, len, CODE, w->code) ||
	       read_array(addr, buf, len, STACK, w->stack) ? 0 : -1;
}

static const struct sframe_cursor_ops bare_ops __maybe_unused = {
	.find = bare_find,
	.find_kept = nothing_kept,
	.read = bare_read,
	.read_code = bare_read,
	.reg = no_register,
	.answers = kept_answers,
	.is_fixed = kept_answers_fixed,
};

/* The same, of code that is made at run time. */
static const struct sframe_cursor_ops made_ops __maybe_unused = {
	.find = bare_find,
	.find_kept = nothing_kept,
	.read = bare_read,
	.read_code = bare_read,
	.reg = no_register,
	.answers = kept_answers,
	.is_fixed = kept_answers_not_fixed,
};

/*
 * Walk from @regs, in what was called, by way of @nr frames at @pc to @ra, where the stack ends.
 * What did all but the end cost?
 */
static u32 __maybe_unused walk_alike(struct kunit *test, const struct sframe_cursor_ops *ops,
				     struct bare_world *w, const struct sframe_regs *regs,
				     unsigned int nr, u64 pc, u64 ra)
{
	struct sframe_cursor cur;
	u32 before, left;

	sframe_cursor_init(&cur, &sframe_abi_x86, regs, 16, ops, w);
	before = cur.budget;
	while (nr--) {
		KUNIT_ASSERT_EQ(test, (int)sframe_cursor_next(&cur), (int)SFRAME_OK);
		KUNIT_EXPECT_EQ(test, cur.pc, pc);
	}
	KUNIT_ASSERT_EQ(test, (int)sframe_cursor_next(&cur), (int)SFRAME_OK);
	KUNIT_EXPECT_EQ(test, cur.pc, ra);
	left = cur.budget;
	KUNIT_EXPECT_EQ(test, (int)sframe_cursor_next(&cur), (int)SFRAME_OUTERMOST);
	return before - left;
}

/*
 * Step from @pc, of code without a table, whose record leads to @ra, with @stale below that: is
 * the record believed, if it is to be?
 */
static void __maybe_unused expect_record_left(struct kunit *test, struct bare_world *w, u64 pc,
					      u64 stale, u64 ra, bool left)
{
	struct sframe_regs regs = { .pc = pc, .sp = S(0), .fp = S(10) };
	struct sframe_cursor cur;
	enum sframe_reason end;

	w->stack[2] = stale;
	w->stack[10] = S(20);
	w->stack[11] = ra;
	sframe_cursor_init(&cur, &sframe_abi_x86, &regs, 16, &bare_ops, w);
	end = sframe_cursor_next(&cur);
	KUNIT_EXPECT_EQ(test, !end, left);
	KUNIT_EXPECT_TRUE(test, end || cur.pc == ra);
}

#endif /* SFRAME_KUNIT_BARE_WORLD_H */
