// SPDX-License-Identifier: GPL-2.0
/*
 * Walks out of functions of s390x that never return: their frame is as they have made it,
 * behind the instruction that saves RA and SP.
 */
#include <kunit/test.h>

#include "prologue_s390_world.h"

static const struct prologue_case prologue_cases[] = {
	{ "RA is saved", { STMG_6, AGHI, MOVE, CALL }, FRAME, BASR },
	{ "another way to lower SP", { STMG_6, LAY, CALL }, FRAME, BASR },
	{ "in two steps", { STMG_6, AGHI_80, AGHI_80, CALL }, FRAME, BASR },
	{ "FP is not saved", { STMG_12, AGHI, CALL }, FRAME, BASR },
	{ "nor saved, but changed", { STMG_12, AGHI, SET_FP_TO_R2, CALL }, FRAME, BASR,
	  .fp_lost = true },
	{ "saved and changed", { STMG_6, AGHI, SET_FP_TO_R2, CALL }, FRAME, BASR },
	{ "made to be SP", { STMG_6, AGHI, SET_FP, CALL }, FRAME, BASR, .fp = S(SP_AT) },
	{ "which was lowered later", { STMG_6, AGHI, SET_FP, CALL }, FRAME + 2, BASR,
	  .fp = S(SP_AT + 2) },
	{ "behind a way out", { STMG_6, AGHI, SET_FP, IF_LONG, LMG, BR_14, CALL }, FRAME + 2,
	  BASR, .fp = S(SP_AT + 2) },
	{ "or that copy was moved", { STMG_6, AGHI, SET_FP, CALL }, .call = BASR,
	  .fp = S(SP_AT + 2) },
	{ "or moved down", { STMG_6, AGHI, SET_FP, CALL }, .call = BASR, .fp = S(SP_AT - 2) },
	{ "or is elsewhere", { STMG_6, AGHI, SET_FP, CALL }, .call = BASR, .fp = 8 },
	{ "the same, and SP is as it was", { STMG_6, AGHI, SET_FP, IF_LONG, LMG, BR_14, CALL },
	  FRAME, BASR, .fp = S(SP_AT) },
	{ "or is not known", { STMG_6, AGHI, SET_FP, CALL }, .call = BASR, .fp = 1 },
	{ "and then something else", { STMG_6, AGHI, SET_FP, SET_FP_TO_R2, CALL }, FRAME, BASR },
	{ "only on another way", { STMG_6, AGHI, IF_NEXT, SET_FP, CALL }, FRAME, BASR },
	{ "past another call", { STMG_6, AGHI, CALL, MOVE, CALL }, FRAME, BASR },
	{ "past a branch", { STMG_6, AGHI, IF_NEXT, MOVE, CALL }, FRAME, BASR },
	{ "called directly", { STMG_6, AGHI, CALL }, FRAME },
	{ "called before it has to be saved", { IF_NEXT, MOVE, STMG_6, AGHI, CALL }, FRAME },
	{ "called before, and it returns", { BR_14, STMG_6, AGHI, CALL } },
	{ "called before, and it chooses", { BR_1, STMG_6, AGHI, CALL } },
	{ "in an arm of a switch", { STMG_6, AGHI, BR_1, MOVE, CALL }, FRAME, BASR },
	{ "jumped to by a table of jumps", { STMG_6, AGHI, B_TABLE, MOVE, CALL }, FRAME, BASR },
	{ "behind a jump to another function", { STMG_6, AGHI, IF_NEXT, MOVE, LMG, BR_1, CALL },
	  .call = BASR },
	{ "in an arm of another function's", { STMG_6, AGHI, BR_1, STMG_6, BR_14, CALL },
	  .call = BASR },
	{ "past a way out", { STMG_6, AGHI, IF_LONG, LMG, BR_14, CALL }, FRAME, BASR },
	{ "on the way out", { STMG_6, AGHI, IF_NEXT, MOVE, LMG, CALL }, .call = BASR },
	{ "behind a return", { STMG_6, AGHI, BR_14, MOVE, CALL }, .call = BASR },
	{ "behind a trap", { STMG_6, AGHI, TRAP, MOVE, CALL }, .call = BASR },
	{ "another function was called", { STMG_6, AGHI, CALL }, .call = CALL },
	{ "RA follows no call", { STMG_6, AGHI, CALL }, .call = MOVE },
	{ "RA is not saved", { STMG_TO_14, AGHI, CALL }, .call = BASR },
	{ "not where callers leave room for it", { STMG_ELSEWHERE, AGHI, CALL }, .call = BASR },
	{ "SP was another when it was saved", { STMG_6, AGHI, CALL }, .call = BASR,
	  .sp_differs = true },
	{ "SP is lowered by any number", { STMG_6, SUB_R1, CALL }, .call = BASR },
	{ "SP is lowered once more", { STMG_6, AGHI_80, CALL, AGHI_80, CALL }, .call = BASR },
	{ "no frame is made", { STMG_6, CALL }, .call = BASR },
	{ "what leads there comes from behind", { STMG_6, AGHI, IF_PAST, JUMP_PAST, CALL }, FRAME },
	{ "and nothing says what was called", { STMG_6, AGHI, IF_PAST, JUMP_PAST, CALL },
	  .call = BASR },
	{ "a function begins at RA", { STMG_6, LAY, CALL }, FRAME, BASR, .next = BR_14 },
	{ "RA is stored once more", { STMG_6, LAY, STG_152, CALL }, FRAME, BASR },
	{ "and that not at once", { STMG_6, MOVE, LAY, STG_152, CALL }, FRAME, BASR },
};

KUNIT_ARRAY_PARAM_DESC(prologue, prologue_cases, name);

static bool saves_fp(const struct prologue_case *c)
{
	return c->insns[0] != STMG_12;
}

static void walk_never_returns(struct kunit *test)
{
	const struct prologue_case *c = test->param_value;
	static struct bare_world w;
	struct sframe_regs regs = { .pc = CALLED, .sp = S(SP_AT - 2), .fp = OLD_FP };
	struct sframe_cursor cur;
	u64 pc = world_set(&w, c, ~0u);

	if (c->fp)
		regs.fp = c->fp;
	else if (saves_fp(c))
		regs.fp = 8;
	sframe_cursor_init(&cur, &sframe_abi_s390, &regs, 16, &bare_ops, &w);
	KUNIT_ASSERT_EQ(test, (int)sframe_cursor_next(&cur), (int)SFRAME_OK);
	KUNIT_ASSERT_EQ(test, cur.pc, pc);
	cur.fp_known = c->fp != 1;
	KUNIT_EXPECT_EQ(test, !sframe_cursor_next(&cur), c->frame > 0);
	if (!c->frame)
		return;
	KUNIT_EXPECT_EQ(test, cur.pc, RA);
	KUNIT_EXPECT_TRUE(test, cur.sp_known);
	KUNIT_EXPECT_EQ(test, cur.sp, S(SP_AT + c->frame));
	KUNIT_EXPECT_EQ(test, cur.fp_known, !c->fp_lost);
	if (!c->fp_lost)
		KUNIT_EXPECT_EQ(test, cur.fp, OLD_FP);
	KUNIT_EXPECT_EQ(test, (int)sframe_cursor_next(&cur), (int)SFRAME_OUTERMOST);
}

static void never_returns(struct kunit *test)
{
	kept_answers_rounds(test, walk_never_returns);
}

/* So many instructions of @c have run last, and r14 is @last: is RA found? */
static bool topmost_is_left(struct kunit *test, const struct prologue_case *c,
			    unsigned int insns, u64 last)
{
	static struct bare_world w;
	struct sframe_regs regs = { .sp = S(SP_AT), .fp = 8, .ra = last };
	struct sframe_cursor cur;

	regs.pc = world_set(&w, c, insns);
	put_insn(&w, RA + 58, BASR);
	sframe_cursor_init(&cur, &sframe_abi_s390, &regs, 16, &bare_ops, &w);
	if (sframe_cursor_next(&cur))
		return false;
	KUNIT_EXPECT_EQ(test, cur.pc, RA);
	KUNIT_EXPECT_EQ(test, cur.sp, S(SP_AT + FRAME));
	return true;
}

/* The topmost function is the one if it has made the last call, or none was made. */
static void topmost(struct kunit *test)
{
	const struct prologue_case c = {
		.insns = { STMG_6, AGHI, IF_NEXT, MOVE, CALL, MOVE }, .call = BASR,
	};
	const struct prologue_case begins = { .insns = { STMG_6, AGHI, MOVE }, .call = BASR };
	u64 called = BARE + 24;

	KUNIT_EXPECT_TRUE(test, topmost_is_left(test, &c, 6, called));
	/* Another one has made that; or no call, which there must have been one. */
	KUNIT_EXPECT_FALSE(test, topmost_is_left(test, &c, 6, RA + 60));
	KUNIT_EXPECT_FALSE(test, topmost_is_left(test, &c, 6, 0));
	/* Nobody, yet: r14 is as it was, or what it is used for meanwhile. */
	KUNIT_EXPECT_TRUE(test, topmost_is_left(test, &c, 4, RA));
	KUNIT_EXPECT_TRUE(test, topmost_is_left(test, &c, 4, S(SP_AT)));
	KUNIT_EXPECT_FALSE(test, topmost_is_left(test, &c, 4, RA + 60));
	/* What is about to branch knows where to. */
	KUNIT_EXPECT_FALSE(test, topmost_is_left(test, &begins, 3, RA));
}

/* Having called nobody, it is in no arm of a switch behind a call, and in no other function. */
static void topmost_calls_nobody(struct kunit *test)
{
	const struct prologue_case arm = {
		.insns = { STMG_6, AGHI, BR_1, MOVE, MOVE }, .call = BASR,
	};
	const struct prologue_case jumps_out = {
		.insns = { STMG_6, AGHI, LMG, JUMP_NEXT, MOVE, MOVE }, .call = BASR,
	};
	const struct prologue_case jumps_back = {
		.insns = { STMG_6, AGHI, MOVE, IF_NEXT, MOVE, JUMP_BACK }, .call = BASR,
	};

	KUNIT_EXPECT_TRUE(test, topmost_is_left(test, &arm, 5, RA));
	KUNIT_EXPECT_FALSE(test, topmost_is_left(test, &arm, 5, S(SP_AT)));
	KUNIT_EXPECT_FALSE(test, topmost_is_left(test, &jumps_out, 6, S(SP_AT)));
	KUNIT_EXPECT_TRUE(test, topmost_is_left(test, &jumps_back, 5, S(SP_AT)));
}

/* Walk with that budget, or if it is 0 with a usual one: is RA found? */
static bool is_left_for(struct bare_world *w, u32 budget)
{
	struct sframe_regs regs = { .pc = CALLED, .sp = S(SP_AT - 2), .fp = 8 };
	struct sframe_cursor cur;

	sframe_cursor_init(&cur, &sframe_abi_s390, &regs, 16, &bare_ops, w);
	if (budget)
		sframe_cursor_set_budget(&cur, budget);
	return !sframe_cursor_next(&cur) && !sframe_cursor_next(&cur);
}

/* What it was too costly to find out is asked again. */
static void too_costly(struct kunit *test)
{
	const struct prologue_case c = {
		.insns = { STMG_6, AGHI, MOVE, MOVE, MOVE, MOVE, MOVE, MOVE, MOVE, CALL },
		.call = BASR,
	};
	static struct bare_world w;
	u32 budget;

	world_set(&w, &c, ~0u);
	for (budget = 1; budget < 40000; budget += 64) {
		kept_answers_begin(ANSWERS_NEW);
		is_left_for(&w, budget);
		KUNIT_ASSERT_TRUE(test, is_left_for(&w, 0));
	}
	KUNIT_EXPECT_TRUE(test, is_left_for(&w, budget));
	kept_answers_begin(ANSWERS_NONE);
}

static struct kunit_case prologue_s390_test_cases[] = {
	KUNIT_CASE_PARAM(never_returns, prologue_gen_params),
	KUNIT_CASE(topmost),
	KUNIT_CASE(topmost_calls_nobody),
	KUNIT_CASE(too_costly),
	{}
};

static struct kunit_suite prologue_s390_suite = {
	.name = "sframe_prologue_s390",
	.test_cases = prologue_s390_test_cases,
};

kunit_test_suite(prologue_s390_suite);
