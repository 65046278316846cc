// SPDX-License-Identifier: GPL-2.0
/*
 * Answers of code that may change: they hold as long as it is as it was.
 */
#include <kunit/test.h>

#include "answers_world.h"

/* Code that may change is looked at each time, but not followed, as long as it is as it was. */
static void changed_and_back(struct kunit *test)
{
	static struct sframe_checked places[SFRAME_CHECKED_MAX];
	static struct answers_world w;
	u8 *end = w.bare.code + (AT + NOPS - CODE);
	u32 budget;

	world_set(&w, ENDS(ADD_24 RET));
	memset(places, 0, sizeof(places));
	w.answers.checked = places;
	w.fixed_from = ~0ull;
	KUNIT_EXPECT_EQ(test, walk(test, &w), 0u);
	budget = w.cur.budget;
	KUNIT_EXPECT_EQ(test, walk(test, &w), 1u);
	KUNIT_EXPECT_GT(test, w.cur.budget, budget + 1000);
	/* It drops 16 bytes now: the RA is another word. */
	end[3] = 16;
	w.bare.stack[RA_AT - 1] = RA;
	KUNIT_EXPECT_EQ(test, walk(test, &w), 0u);
	KUNIT_EXPECT_EQ(test, w.cur.sp, S(RA_AT));
	KUNIT_EXPECT_EQ(test, walk(test, &w), 1u);
	KUNIT_EXPECT_EQ(test, w.cur.sp, S(RA_AT));
	/* And 24 again, as one of the answers that are kept has it. */
	end[3] = 24;
	KUNIT_EXPECT_LE(test, walk(test, &w), 1u);
	KUNIT_EXPECT_EQ(test, w.cur.sp, S(RA_AT + 1));
	/* What it has not read may be anything. */
	end[2048] ^= 1;
	KUNIT_EXPECT_EQ(test, walk(test, &w), 1u);
}

/* One byte after the other is another one: nobody is the caller who is not with that code. */
static void each_byte(struct kunit *test)
{
	static struct sframe_checked places[SFRAME_CHECKED_MAX];
	static struct answers_world w;
	u64 i, known = 0;

	world_set(&w, ENDS(ADD_24 RET));
	memset(places, 0, sizeof(places));
	w.fixed_from = ~0ull;
	for (i = AT - 256; i < AT + 256; i++) {
		enum sframe_reason want, r;
		u64 pc, sp;

		w.answers.checked = NULL;
		w.bare.code[i - CODE] ^= 0x10;
		sframe_cursor_init(&w.cur, &sframe_abi_x86, &w.regs, 16, &answers_ops, &w);
		want = sframe_cursor_next(&w.cur);
		pc = w.cur.pc;
		sp = w.cur.sp;
		w.bare.code[i - CODE] ^= 0x10;
		w.answers.checked = places;
		walk(test, &w);
		w.bare.code[i - CODE] ^= 0x10;
		sframe_cursor_init(&w.cur, &sframe_abi_x86, &w.regs, 16, &answers_ops, &w);
		r = sframe_cursor_next(&w.cur);
		known += w.cur.recalled;
		KUNIT_EXPECT_EQ_MSG(test, (int)r, (int)want, "%llx", (unsigned long long)i);
		KUNIT_EXPECT_EQ_MSG(test, w.cur.pc, pc, "%llx", (unsigned long long)i);
		KUNIT_EXPECT_EQ_MSG(test, w.cur.sp, sp, "%llx", (unsigned long long)i);
		w.bare.code[i - CODE] ^= 0x10;
	}
	/* Most of these bytes have no part in it. */
	KUNIT_EXPECT_GT(test, known, 128ull);
}

static struct kunit_case checked_test_cases[] = {
	KUNIT_CASE(changed_and_back),
	KUNIT_CASE(each_byte),
	{}
};

static struct kunit_suite checked_suite = {
	.name = "sframe_checked",
	.test_cases = checked_test_cases,
};

kunit_test_suite(checked_suite);
