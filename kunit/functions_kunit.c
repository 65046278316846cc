// SPDX-License-Identifier: GPL-2.0
/*
 * Tables of particular functions: what is left out, why, and what holds there
 * instead.
 */
#include <kunit/test.h>

#include "trial.h"

static void bounds_of_functions(struct kunit *test)
{
	struct trial t;

	start(test, &t, 2);
	FUNCTION(&t, TEXT + 0x80, 16, 0, 0, 2, 0, 4);
	FUNCTION(&t, TEXT + 0x90, 16, 0, 0, 1, 2);
	FUNCTION(&t, TEXT + 0x1ff, 2, 0, 0, 3, 0, 1, 2);
	KUNIT_ASSERT_EQ(test, convert(&t, ENOUGH), SFRAME_OK);
	EXPECT_CFA(&t, 0, GAP);
	EXPECT_CFA(&t, TEXT - 1, GAP);
	EXPECT_CFA(&t, TEXT, GAP);
	EXPECT_CFA(&t, TEXT + 0x7f, GAP);
	EXPECT_CFA(&t, TEXT + 0x80, 8);
	EXPECT_CFA(&t, TEXT + 0x83, 8);
	EXPECT_CFA(&t, TEXT + 0x84, 16);
	EXPECT_CFA(&t, TEXT + 0x8f, 16);
	/* Before a function's first row there is no rule. */
	EXPECT_CFA(&t, TEXT + 0x90, GAP);
	EXPECT_CFA(&t, TEXT + 0x91, GAP);
	EXPECT_CFA(&t, TEXT + 0x92, 8);
	EXPECT_CFA(&t, TEXT + 0xa0, GAP);
	/* Across a block boundary; the row at the very end is legal. */
	EXPECT_CFA(&t, TEXT + 0x1ff, 8);
	EXPECT_CFA(&t, TEXT + 0x200, 16);
	EXPECT_CFA(&t, TEXT + 0x201, GAP);
	EXPECT_CFA(&t, ~0ull, GAP);
	finish(&t, 0);
}

static void order_and_overlap(struct kunit *test)
{
	struct trial t;

	start(test, &t, 2);
	FUNCTION(&t, TEXT + 0x100, 0x40, 0, 0, 1, 0);
	FUNCTION(&t, TEXT, 0x200, 0, 0, 2, 0, 0x80);
	FUNCTION(&t, TEXT + 0x120, 0, 0, 0, 1, 0);
	FUNCTION(&t, TEXT + 0x120, 0x10, 0, 0, 3, 0, 4, 8);
	KUNIT_ASSERT_EQ(test, convert(&t, ENOUGH), SFRAME_OK);
	EXPECT_SKIPS(&t, FDE_EMPTY, 1);
	EXPECT_SKIPS(&t, FDE_OVERLAP, 2);
	EXPECT_CFA(&t, TEXT + 0x7f, 8);
	EXPECT_CFA(&t, TEXT + 0xff, 16);
	EXPECT_CFA(&t, TEXT + 0x100, 8);
	EXPECT_CFA(&t, TEXT + 0x11f, 8);
	EXPECT_CFA(&t, TEXT + 0x120, 8);
	EXPECT_CFA(&t, TEXT + 0x128, 24);
	/* Both earlier functions reach here, but the last start rules. */
	EXPECT_CFA(&t, TEXT + 0x130, GAP);
	EXPECT_CFA(&t, TEXT + 0x1ff, GAP);
	finish(&t, 3);
}

/* Whatever the header's SORTED flag says. */
static void sorted_lie(struct kunit *test)
{
	struct trial t;

	start(test, &t, 2);
	t.b.flags = SFRAME_F_SORTED;
	FUNCTION(&t, TEXT + 0x20, 16, 0, 0, 1, 0);
	FUNCTION(&t, TEXT, 16, 0, 0, 2, 0, 1);
	FUNCTION(&t, TEXT + 0x10, 16, 0, 0, 3, 0, 1, 2);
	KUNIT_ASSERT_EQ(test, convert(&t, ENOUGH), SFRAME_OK);
	EXPECT_CFA(&t, TEXT + 15, 16);
	EXPECT_CFA(&t, TEXT + 0x1f, 24);
	EXPECT_CFA(&t, TEXT + 0x2f, 8);
	finish(&t, 0);
}

/* The last of those that start together rules, whether sorted or not. */
static void same_start(struct kunit *test)
{
	int unsorted;

	for (unsorted = 0; unsorted < 2; unsorted++) {
		struct trial t;

		start(test, &t, 2);
		if (unsorted)
			FUNCTION(&t, TEXT + 0x100, 16, 0, 0, 1, 0);
		FUNCTION(&t, TEXT, 0, 0, 0, 0, 0);
		FUNCTION(&t, TEXT, 16, 0, 0, 1, 0);
		FUNCTION(&t, TEXT, 8, 0, 0, 2, 0, 1);
		FUNCTION(&t, TEXT, 0, 0, 0, 0, 0);
		KUNIT_ASSERT_EQ(test, convert(&t, ENOUGH), SFRAME_OK);
		EXPECT_SKIPS(&t, FDE_EMPTY, 2);
		EXPECT_SKIPS(&t, FDE_OVERLAP, 1);
		EXPECT_CFA(&t, TEXT, 8);
		EXPECT_CFA(&t, TEXT + 1, 16);
		EXPECT_CFA(&t, TEXT + 8, GAP);
		finish(&t, 3);
	}
}

static void outside_text(struct kunit *test)
{
	struct trial t;

	start(test, &t, 2);
	FUNCTION(&t, 0xff0, 0x10, 0, 0, 1, 0);
	FUNCTION(&t, 0xff8, 0x10, 0, 0, 1, 0);
	FUNCTION(&t, 0x1000, 0x1000, 0, 0, 1, 0);
	FUNCTION(&t, 0x1ff8, 0x10, 0, 0, 1, 0);
	FUNCTION(&t, 0x2000, 0x10, 0, 0, 1, 0);
	FUNCTION(&t, TEXT, 0xffffffff, 0, 0, 1, 0);
	FUNCTION(&t, VA - 1, 1, 0, 0, 1, 0);
	FUNCTION(&t, VA - 1, 2, 0, 0, 1, 0);
	KUNIT_ASSERT_EQ(test, convert(&t, ENOUGH), SFRAME_OK);
	EXPECT_SKIPS(&t, FDE_RANGE, 6);
	EXPECT_CFA(&t, 0xfff, GAP);
	EXPECT_CFA(&t, 0x1000, 8);
	EXPECT_CFA(&t, 0x1fff, 8);
	EXPECT_CFA(&t, 0x2000, GAP);
	EXPECT_CFA(&t, TEXT, GAP);
	EXPECT_CFA(&t, VA - 1, 8);
	EXPECT_CFA(&t, VA, GAP);
	finish(&t, 6);
}

/* A row that is refused hides the one before it. */
static void bad_rows(struct kunit *test)
{
	struct trial t;

	start(test, &t, 2);
	build_fde(&t.b, TEXT, 32, 0, 0, 0);
	build_row(&t.b, 0, SP_ROW, 0, 1, 8);
	build_row(&t.b, 4, SP_ROW, 0, 3, 1, 2, 3);
	build_row(&t.b, 8, SP_ROW, 0, 1, 24);
	build_row(&t.b, 12, 0, 0, 0, 0);
	/* Past the end; nothing there is looked at. */
	build_row(&t.b, 40, SP_ROW, 0, 1, 24);
	build_row(&t.b, 4, SP_ROW, 0, 1, 24);
	KUNIT_ASSERT_EQ(test, convert(&t, ENOUGH), SFRAME_OK);
	EXPECT_SKIPS(&t, ROW_WORDS, 1);
	EXPECT_SKIPS(&t, ROW_PAST_END, 1);
	EXPECT_CFA(&t, TEXT + 3, 8);
	EXPECT_CFA(&t, TEXT + 4, REFUSED);
	EXPECT_CFA(&t, TEXT + 7, REFUSED);
	EXPECT_CFA(&t, TEXT + 8, 24);
	EXPECT_CFA(&t, TEXT + 12, LAST);
	EXPECT_CFA(&t, TEXT + 31, LAST);
	finish(&t, 2);
}

static void rows_out_of_order(struct kunit *test)
{
	struct trial t;

	start(test, &t, 2);
	FUNCTION(&t, TEXT, 32, 0, 0, 4, 0, 4, 3, 8);
	FUNCTION(&t, TEXT + 32, 32, 0, 0, 3, 0, 4, 4);
	FUNCTION(&t, TEXT + 64, 32, 0, 0, 2, 0, 0);
	FUNCTION(&t, TEXT + 96, 32, 0, 0, 2, 0, 4);
	KUNIT_ASSERT_EQ(test, convert(&t, ENOUGH), SFRAME_OK);
	EXPECT_SKIPS(&t, ROW_ORDER, 3);
	EXPECT_CFA(&t, TEXT, REFUSED);
	EXPECT_CFA(&t, TEXT + 31, REFUSED);
	EXPECT_CFA(&t, TEXT + 32, REFUSED);
	EXPECT_CFA(&t, TEXT + 64, REFUSED);
	EXPECT_CFA(&t, TEXT + 95, REFUSED);
	EXPECT_CFA(&t, TEXT + 96, 8);
	EXPECT_CFA(&t, TEXT + 100, 16);
	finish(&t, 3);
}

/* Rows break off: it is not known how far the last one that is there goes. */
static void rows_break_off(struct kunit *test)
{
	struct trial t;

	start(test, &t, 2);
	FUNCTION(&t, TEXT, 32, 0, 0, 2, 0, 4);
	build_row(&t.b, 8, 3 << 5, 0, 1, 0);
	FUNCTION(&t, TEXT + 32, 32, 0, 0, 3, 0, 4, 8);
	t.b.fde_rows = 5;
	KUNIT_ASSERT_EQ(test, convert(&t, ENOUGH), SFRAME_OK);
	EXPECT_SKIPS(&t, ROW_WORDS, 1);
	EXPECT_SKIPS(&t, ROW_BOUNDS, 1);
	EXPECT_CFA(&t, TEXT + 3, 8);
	EXPECT_CFA(&t, TEXT + 4, REFUSED);
	EXPECT_CFA(&t, TEXT + 31, REFUSED);
	EXPECT_CFA(&t, TEXT + 39, 16);
	EXPECT_CFA(&t, TEXT + 40, REFUSED);
	EXPECT_CFA(&t, TEXT + 63, REFUSED);
	finish(&t, 2);
}

static void functions_without_rows(struct kunit *test)
{
	u8 version;

	for (version = 1; version <= 3; version++) {
		struct trial t;

		start(test, &t, version);
		FUNCTION(&t, TEXT, 8, 0, 0, 0, 0);
		FUNCTION(&t, TEXT + 8, 8, SFRAME_FDE_SIGNAL, 0, 0, 0);
		FUNCTION(&t, TEXT + 16, 8, SFRAME_FDE_SIGNAL, 0, 1, 0);
		KUNIT_ASSERT_EQ(test, convert(&t, ENOUGH), SFRAME_OK);
		EXPECT_CFA(&t, TEXT, version == 3 ? LAST : GAP);
		KUNIT_EXPECT_EQ(test, sframe_table_lookup(t.table, TEXT + 8)
				->flags, version == 3 ? SFRAME_RULE_SIGNAL :
							SFRAME_RULE_NO_FDE);
		KUNIT_EXPECT_EQ(test, sframe_table_lookup(t.table, TEXT + 16)
				->flags, version == 3 ? SFRAME_RULE_SIGNAL : 0);
		EXPECT_CFA(&t, TEXT + 16, 8);
		finish(&t, 0);
	}
}

/* A flexible function cannot say that it has no rows to mean "outermost". */
static void flex_without_rows(struct kunit *test)
{
	struct trial t;

	start(test, &t, 3);
	build_fde(&t.b, TEXT, 8, 0, SFRAME_FDE_KIND_FLEX, 0);
	build_fde(&t.b, TEXT + 8, 8, 0, 2, 0);
	FUNCTION(&t, TEXT + 16, 8, 0, 0, 1, 0);
	KUNIT_ASSERT_EQ(test, convert(&t, ENOUGH), SFRAME_OK);
	EXPECT_CFA(&t, TEXT, GAP);
	EXPECT_CFA(&t, TEXT + 8, REFUSED);
	EXPECT_CFA(&t, TEXT + 16, 8);
	EXPECT_SKIPS(&t, FDE_TYPE, 1);
	finish(&t, 1);
}

static void plt(struct kunit *test)
{
	struct trial t;
	u32 i;

	start(test, &t, 2);
	/* .plt: 10 stubs and a half; .plt.sec: one row for all; .plt.got. */
	FUNCTION(&t, TEXT + 4, 168, PCMASK | 1, 16, 2, 0, 11);
	FUNCTION(&t, TEXT + 0x200, 0x8000, PCMASK | 1, 16, 1, 0);
	build_fde(&t.b, TEXT + 0x9000, 24, PCMASK, 0, 8);
	build_row(&t.b, 0, SP_ROW, 0, 1, 16);
	/* Rows behind the block; a block behind the function. */
	FUNCTION(&t, TEXT + 0xa000, 64, PCMASK, 16, 3, 4, 16, 40);
	FUNCTION(&t, TEXT + 0xb000, 16, PCMASK, 32, 2, 0, 8);
	FUNCTION(&t, TEXT + 0xc000, 16, PCMASK, 0, 2, 0, 8);
	KUNIT_ASSERT_EQ(test, convert(&t, ENOUGH), SFRAME_OK);
	for (i = 0; i < 168; i++)
		EXPECT_CFA(&t, TEXT + 4 + i, i % 16 < 11 ? 8 : 16);
	EXPECT_CFA(&t, TEXT + 4 + 168, GAP);
	EXPECT_CFA(&t, TEXT + 0x200, 8);
	EXPECT_CFA(&t, TEXT + 0x81ff, 8);
	/* One row for all of it, not one per block. */
	KUNIT_EXPECT_LT(test, t.table->nr_rows, 50);
	for (i = 0; i < 64; i++)
		EXPECT_CFA(&t, TEXT + 0xa000 + i, i % 16 < 4 ? GAP : 8);
	EXPECT_CFA(&t, TEXT + 0xb007, 8);
	EXPECT_CFA(&t, TEXT + 0xb00f, 16);
	EXPECT_CFA(&t, TEXT + 0xc000, REFUSED);
	EXPECT_SKIPS(&t, FDE_REPEAT, 1);
	finish(&t, 1);
}

/* Rows of the same bytes mean different things in different functions. */
static void rows_alike(struct kunit *test)
{
	struct trial t;

	start(test, &t, 3);
	build_fde(&t.b, TEXT, 8, 0, SFRAME_FDE_KIND_FLEX, 0);
	build_row(&t.b, 0, 0, 0, 2, 0x39, 8);
	build_fde(&t.b, TEXT + 8, 8, 0, 0, 0);
	build_row(&t.b, 0, 0, 0, 2, 0x39, 8);
	build_fde(&t.b, TEXT + 16, 8, SFRAME_FDE_SIGNAL, 0, 0);
	build_row(&t.b, 0, 0, 0, 2, 0x39, 8);
	build_fde(&t.b, TEXT + 24, 8, 0, 0, 0);
	build_row(&t.b, 0, SP_ROW, 0, 1, 16);
	build_fde(&t.b, TEXT + 32, 16, PCMASK, 0, 8);
	build_row(&t.b, 0, SP_ROW, 0, 1, 16);
	build_row(&t.b, 4, SP_ROW, 0, 1, 24);
	build_fde(&t.b, TEXT + 48, 16, PCMASK, 0, 8);
	build_row(&t.b, 0, SP_ROW, 0, 1, 16);
	KUNIT_ASSERT_EQ(test, convert(&t, ENOUGH), SFRAME_OK);
	EXPECT_CFA(&t, TEXT, 8);
	EXPECT_CFA(&t, TEXT + 8, 0x39);
	EXPECT_CFA(&t, TEXT + 16, 0x39);
	KUNIT_EXPECT_EQ(test, sframe_table_lookup(t.table, TEXT + 8)->flags,
			0);
	KUNIT_EXPECT_EQ(test, sframe_table_lookup(t.table, TEXT + 16)->flags,
			SFRAME_RULE_SIGNAL);
	EXPECT_CFA(&t, TEXT + 24, 16);
	EXPECT_CFA(&t, TEXT + 32, 16);
	EXPECT_CFA(&t, TEXT + 48, 8);
	finish(&t, 0);
}

/* The tables of ld 2.40: right for a plain PLT, wrong beside .plt.sec. */
static void plt_version_1(struct kunit *test)
{
	bool ibt;

	for (ibt = false; ; ibt = true) {
		struct trial t;

		start(test, &t, 1);
		build_fde(&t.b, TEXT, 16, 0, 0, 0);
		build_row(&t.b, 0, SP_ROW, 0, 1, 16);
		build_row(&t.b, 6, SP_ROW, 0, 1, 24);
		FUNCTION(&t, TEXT + 16, 80, PCMASK, 0, 2, 0, 11);
		build_fde(&t.b, TEXT + 96, 16 + !ibt, 0, 0, 0);
		build_row(&t.b, 0, SP_ROW, 0, 1, 16);
		build_row(&t.b, 6, SP_ROW, 0, 1, 24);
		FUNCTION(&t, TEXT + 128, 32, 0, 0, 1, 0);
		KUNIT_ASSERT_EQ(test, convert(&t, ENOUGH), SFRAME_OK);
		EXPECT_CFA(&t, TEXT + 6, ibt ? REFUSED : 24);
		EXPECT_CFA(&t, TEXT + 42, ibt ? REFUSED : 8);
		EXPECT_CFA(&t, TEXT + 95, ibt ? REFUSED : 16);
		EXPECT_CFA(&t, TEXT + 96, ibt ? REFUSED : 16);
		EXPECT_CFA(&t, TEXT + 128, 8);
		EXPECT_SKIPS(&t, FDE_PLT, ibt ? 3 : 0);
		finish(&t, ibt ? 3 : 0);
		if (ibt)
			break;
	}
}

static struct kunit_case functions_cases[] = {
	KUNIT_CASE(bounds_of_functions),
	KUNIT_CASE(order_and_overlap),
	KUNIT_CASE(sorted_lie),
	KUNIT_CASE(same_start),
	KUNIT_CASE(outside_text),
	KUNIT_CASE(bad_rows),
	KUNIT_CASE(rows_out_of_order),
	KUNIT_CASE(rows_break_off),
	KUNIT_CASE(functions_without_rows),
	KUNIT_CASE(flex_without_rows),
	KUNIT_CASE(plt),
	KUNIT_CASE(plt_version_1),
	KUNIT_CASE(rows_alike),
	{}
};

static struct kunit_suite functions_suite = {
	.name = "sframe_functions",
	.test_cases = functions_cases,
};

kunit_test_suite(functions_suite);
