// SPDX-License-Identifier: GPL-2.0
/*
 * Which code that may change an answer comes from: what is noted of it, and whether it is as it
 * was.
 */
#include <kunit/test.h>

#include "answers_impl.h"
#include "simple_world.h"

#define BASE		0x7f0000000000ull
#define CODE_LEN	512
/* Farthest from the base that can be noted. */
#define REACH		0x80000000ll
/* A range of the cases, and what is near enough to it. */
#define AT		1000
#define LEN		32
#define GAP		128

/**
 * struct grow_case - some bytes that are read, where others were noted
 * @name: what it shows
 * @begin: what was noted begins there, from the base on
 * @noted: its bytes
 * @at: what is read begins there
 * @len: its bytes
 * @grows: they are noted as one
 * @to_at: and that begins there
 * @to_len: its bytes
 */
struct grow_case {
	const char *name;
	s64 begin;
	u16 noted;
	s64 at;
	u32 len;
	bool grows;
	s64 to_at;
	u32 to_len;
};

#define NOTED	.begin = AT, .noted = LEN

static const struct grow_case grow_cases[] = {
	{ "the same", NOTED, AT, LEN, true, AT, LEN },
	{ "a part", NOTED, AT + 8, 16, true, AT, LEN },
	{ "more behind", NOTED, AT + LEN, 16, true, AT, LEN + 16 },
	{ "more before", NOTED, AT - 16, 16, true, AT - 16, LEN + 16 },
	{ "more on both sides", NOTED, AT - 8, LEN + 16, true, AT - 8, LEN + 16 },
	{ "behind a gap", NOTED, AT + LEN + GAP, 16, true, AT, LEN + GAP + 16 },
	{ "behind a larger one", NOTED, AT + LEN + GAP + 1, 16 },
	{ "before a gap", NOTED, AT - GAP - 16, 16, true, AT - GAP - 16, LEN + GAP + 16 },
	{ "before a larger one", NOTED, AT - GAP - 17, 16 },
	{ "as much as can be one", .begin = AT, .noted = 65535 - 16, AT + 65535 - 16, 16, true,
	  AT, 65535 },
	{ "more than that", .begin = AT, .noted = 65535 - 16, AT + 65535 - 16, 17 },
	{ "as far as that can be", .begin = -REACH + 16, .noted = LEN, -REACH, 16, true,
	  -REACH, LEN + 16 },
	{ "farther", .begin = -REACH + 16, .noted = LEN, -REACH - 1, 16 },
};

KUNIT_ARRAY_PARAM_DESC(grow, grow_cases, name);

static void grows(struct kunit *test)
{
	const struct grow_case *c = test->param_value;
	struct sframe_code_ranges code = { .at = { c->begin }, .len = { c->noted }, .nr = 1 };

	KUNIT_ASSERT_EQ(test, sframe_ranges_grow(&code, BASE, BASE + c->at, c->len), c->grows);
	KUNIT_EXPECT_EQ(test, code.nr, 1u);
	KUNIT_EXPECT_EQ(test, (s64)code.at[0], c->grows ? c->to_at : c->begin);
	KUNIT_EXPECT_EQ(test, (u32)code.len[0], c->grows ? c->to_len : c->noted);
}

/* As long as there is room, and the base is near. */
static void is_added(struct kunit *test)
{
	struct sframe_code_ranges code = {};
	u32 i;

	KUNIT_EXPECT_FALSE(test, sframe_ranges_add(&code, BASE, BASE + REACH, LEN));
	KUNIT_EXPECT_FALSE(test, sframe_ranges_add(&code, BASE, BASE - REACH - 1, LEN));
	KUNIT_EXPECT_EQ(test, code.nr, 0u);
	for (i = 0; i < SFRAME_RANGES_MAX; i++) {
		KUNIT_EXPECT_TRUE(test, sframe_ranges_add(&code, BASE, BASE - i * AT, LEN));
		KUNIT_EXPECT_EQ(test, code.nr, i + 1);
		KUNIT_EXPECT_EQ(test, code.at[i], -(s32)i * AT);
		KUNIT_EXPECT_EQ(test, (int)code.len[i], LEN);
	}
	KUNIT_EXPECT_FALSE(test, sframe_ranges_add(&code, BASE, BASE + AT, LEN));
	KUNIT_EXPECT_EQ(test, code.nr, (u32)SFRAME_RANGES_MAX);
}

static int read_code(void *ctx, u64 addr, void *buf, unsigned int len)
{
	return read_piece(addr, buf, len, BASE, ctx, CODE_LEN) ? 0 : -1;
}

static enum sframe_reason no_table(void *ctx, u64 pc, struct sframe_rule *rule)
{
	(void)ctx, (void)pc, (void)rule;
	return SFRAME_NO_TABLE;
}

static const struct sframe_cursor_ops code_ops = {
	.find = no_table,
	.find_kept = nothing_kept,
	.read = read_code,
	.read_code = read_code,
	.reg = no_register,
};

/* Two ranges of it, the second of more bytes than are read at once, and no whole words. */
static const struct sframe_code_ranges two_ranges = {
	.at = { 16, 128 }, .len = { 24, 203 }, .nr = 2,
};

static void is_as_it_was(struct kunit *test)
{
	struct sframe_code_ranges code = two_ranges;
	struct sframe_regs regs = {};
	struct sframe_cursor cur;
	static u8 bytes[CODE_LEN];
	u32 i, price = sframe_ranges_price(&code), budget;
	bool noted;

	for (i = 0; i < CODE_LEN; i++)
		bytes[i] = 7 * i;
	sframe_cursor_init(&cur, &sframe_abi_x86, &regs, 16, &code_ops, bytes);
	KUNIT_ASSERT_TRUE(test, sframe_ranges_sum(&cur, &code, BASE));
	for (i = 0; i < CODE_LEN; i++) {
		noted = (i >= 16 && i < 40) || (i >= 128 && i < 331);
		sframe_cursor_init(&cur, &sframe_abi_x86, &regs, 16, &code_ops, bytes);
		budget = cur.budget;
		bytes[i] ^= 1;
		KUNIT_EXPECT_EQ(test, sframe_ranges_same(&cur, &code, BASE), !noted);
		bytes[i] ^= 1;
		KUNIT_EXPECT_LE(test, budget - cur.budget, price);
		KUNIT_EXPECT_TRUE(test, noted || budget - cur.budget == price);
	}
}

/* Nothing is known of what cannot be read, or costs more than there is. */
static void is_not_known(struct kunit *test)
{
	struct sframe_code_ranges code = two_ranges;
	struct sframe_regs regs = {};
	struct sframe_cursor cur;
	static u8 bytes[CODE_LEN];

	sframe_cursor_init(&cur, &sframe_abi_x86, &regs, 16, &code_ops, bytes);
	KUNIT_EXPECT_FALSE(test, sframe_ranges_sum(&cur, &code, BASE + CODE_LEN - 200));
	KUNIT_ASSERT_TRUE(test, sframe_ranges_sum(&cur, &code, BASE));
	KUNIT_EXPECT_TRUE(test, sframe_ranges_same(&cur, &code, BASE));
	KUNIT_EXPECT_FALSE(test, sframe_ranges_same(&cur, &code, BASE + CODE_LEN - 200));
	sframe_cursor_set_budget(&cur, sframe_ranges_price(&code));
	KUNIT_EXPECT_FALSE(test, sframe_ranges_same(&cur, &code, BASE));
	sframe_cursor_set_budget(&cur, sframe_ranges_price(&code) + 1);
	KUNIT_EXPECT_TRUE(test, sframe_ranges_same(&cur, &code, BASE));
}

static struct kunit_case code_ranges_test_cases[] = {
	KUNIT_CASE_PARAM(grows, grow_gen_params),
	KUNIT_CASE(is_added),
	KUNIT_CASE(is_as_it_was),
	KUNIT_CASE(is_not_known),
	{}
};

static struct kunit_suite code_ranges_suite = {
	.name = "sframe_code_ranges",
	.test_cases = code_ranges_test_cases,
};

kunit_test_suite(code_ranges_suite);
