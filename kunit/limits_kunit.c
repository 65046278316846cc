// SPDX-License-Identifier: GPL-2.0
/*
 * Limits on memory and work when a table is built.
 */
#include <kunit/test.h>

#include "trial.h"

#ifndef __KERNEL__
#include "alloc.h"
#endif

/* Functions of 16 bytes and two rows each; their FDEs ascend or descend. */
static void many(struct trial *t, u32 n, bool unsorted)
{
	u32 i;

	for (i = 0; i < n; i++)
		FUNCTION(t, TEXT + 16 * (unsorted ? n - 1 - i : i), 16, 0, 0, 2,
			 0, 4 + i % 12);
}

static void no_functions(struct kunit *test)
{
	struct trial t;

	start(test, &t, 2);
	KUNIT_EXPECT_EQ(test, convert(&t, ENOUGH), SFRAME_NO_FUNCTIONS);
	finish(&t, 0);

	start(test, &t, 2);
	FUNCTION(&t, TEXT, 0, 0, 0, 1, 0);
	FUNCTION(&t, 0, 16, 0, 0, 1, 0);
	KUNIT_EXPECT_EQ(test, convert(&t, ENOUGH), SFRAME_NO_FUNCTIONS);
	KUNIT_EXPECT_NULL(test, t.table);
	EXPECT_SKIPS(&t, FDE_EMPTY, 1);
	EXPECT_SKIPS(&t, FDE_RANGE, 1);
	finish(&t, 2);
}

/* Rows that say the same are one; a table is as large as it says. */
static void rows_merge(struct kunit *test)
{
	struct trial t;
	u32 i;

	start(test, &t, 2);
	for (i = 0; i < 100; i++)
		FUNCTION(&t, TEXT + 16 * i, 16, 0, 0, 1, 0);
	FUNCTION(&t, TEXT + 1600, 16, 0, 0, 2, 0, 8);
	KUNIT_ASSERT_EQ(test, convert(&t, ENOUGH), SFRAME_OK);
	KUNIT_EXPECT_EQ(test, t.table->nr_rows, 2);
	KUNIT_EXPECT_EQ(test, t.table->nr_rules, 4);
	KUNIT_EXPECT_EQ(test, t.table->base, TEXT);
	KUNIT_EXPECT_EQ(test, t.table->span, 1616);
	KUNIT_EXPECT_EQ(test, t.table->bytes, sizeof(*t.table) + 16 * 8 + 4 * 16 +
			(7 + 1) * 4 + 2 * 2);
	EXPECT_CFA(&t, TEXT + 1607, 8);
	EXPECT_CFA(&t, TEXT + 1608, 16);
	finish(&t, 0);
}

/* There is one least limit, and it is what is really allocated. */
static void memory_limit(struct kunit *test)
{
	int unsorted;

	for (unsorted = 0; unsorted < 2; unsorted++) {
		size_t low = 0, high = ENOUGH;
		struct trial t;

		while (high - low > 1) {
			size_t mid = low + (high - low) / 2;

			start(test, &t, 2);
			many(&t, 300, unsorted);
			if (convert(&t, mid) == SFRAME_TOO_BIG)
				low = mid;
			else
				high = mid;
			KUNIT_EXPECT_EQ(test, !t.table, low == mid);
			finish(&t, 0);
		}
		KUNIT_EXPECT_GT(test, low, 300 * 20);
		KUNIT_EXPECT_LT(test, high, 300 * 200);
#ifndef __KERNEL__
		start(test, &t, 2);
		many(&t, 300, unsorted);
		build_end(&t.b);
		KUNIT_ASSERT_EQ(test, build_open(&t.b, &t.sec), SFRAME_OK);
		low = alloc_bytes;
		alloc_peak = low;
		KUNIT_EXPECT_EQ(test, sframe_table_build(&t.sec, text, 2, high,
							 &t.table, &t.skips),
				SFRAME_OK);
		KUNIT_EXPECT_EQ(test, alloc_peak - low, high);
		finish(&t, 0);
#endif
	}
}

/* Each allocation fails in turn: that is said, and nothing is leaked. */
static void allocation_failure(struct kunit *test)
{
#ifdef __KERNEL__
	kunit_skip(test, "allocations are failed in user space only");
#else
	struct sframe_table *table = NULL;
	enum sframe_reason reason;
	struct sframe_skips skips;
	long n, first, live;
	struct trial t;

	start(test, &t, 2);
	many(&t, 50, true);
	KUNIT_ASSERT_EQ(test, convert(&t, ENOUGH), SFRAME_OK);
	live = alloc_live;
	for (n = 0; n < 3; n++) {
		first = alloc_count;
		alloc_fail_at = first + n;
		reason = sframe_table_build(&t.sec, text, 2, ENOUGH, &table,
					    &skips);
		alloc_fail_at = -1;
		KUNIT_EXPECT_EQ(test, reason, SFRAME_NO_MEMORY);
		KUNIT_EXPECT_EQ(test, alloc_live, live);
		KUNIT_EXPECT_NULL(test, table);
	}
	/* Order, scratch, table: there is no fourth. */
	first = alloc_count;
	KUNIT_EXPECT_EQ(test, sframe_table_build(&t.sec, text, 2, ENOUGH,
						 &table, &skips), SFRAME_OK);
	KUNIT_EXPECT_EQ(test, alloc_count - first, 3);
	sframe_free(table);
	finish(&t, 0);
#endif
}

/* All functions claim all rows: no more are read than there can be. */
static void rows_claimed_often(struct kunit *test)
{
	const u32 n = 300;
	struct trial t;
	u32 i, ok = 0;

	start(test, &t, 2);
	for (i = 0; i < n; i++)
		build_fde(&t.b, TEXT + 64 * i, 64, 0, 0, 0);
	for (i = 0; i < 60; i++)
		build_row(&t.b, i, SP_ROW, 0, 1, 8 * (i % 16));
	build_end(&t.b);
	for (i = 0; i < n; i++) {
		build_put(&t.b, build_fde_pos(&t.b, i) + SFRAME_FDE_ROW_OFF, 4,
			  0);
		build_put(&t.b, build_fde_pos(&t.b, i) + SFRAME_FDE_NUM_ROWS,
			  4, 60);
	}
	KUNIT_ASSERT_EQ(test, build_open(&t.b, &t.sec), SFRAME_OK);
	KUNIT_ASSERT_EQ(test, sframe_table_build(&t.sec, text, 2, ENOUGH,
						 &t.table, &t.skips),
			SFRAME_OK);
	for (i = 0; i < n; i++)
		ok += cfa_at(t.table, TEXT + 64 * i) == 0;
	/* 180 bytes of rows can hold 90. */
	KUNIT_EXPECT_EQ(test, ok, 2);
	EXPECT_CFA(&t, TEXT + 64 + 28, 8 * 12);
	EXPECT_CFA(&t, TEXT + 64 + 29, REFUSED);
	EXPECT_CFA(&t, TEXT + 128, REFUSED);
	EXPECT_SKIPS(&t, FDE_BUDGET, n - 1);
	finish(&t, n - 1);
}

/* Two rows, repeated every byte or two over a huge range. */
static void repeated_often(struct kunit *test)
{
	const u32 most = SFRAME_REPEAT_ROWS_MAX;
	struct trial t;

	start(test, &t, 2);
	FUNCTION(&t, TEXT, 0x500000, PCMASK, 2, 2, 0, 1);
	FUNCTION(&t, TEXT + 0x500000, 64, PCMASK, 16, 2, 0, 1);
	FUNCTION(&t, TEXT + 0x500040, 64, 0, 0, 1, 0);
	KUNIT_ASSERT_EQ(test, convert(&t, ENOUGH), SFRAME_OK);
	EXPECT_CFA(&t, TEXT, 8);
	EXPECT_CFA(&t, TEXT + 1001, 16);
	EXPECT_CFA(&t, TEXT + most - 2, 8);
	EXPECT_CFA(&t, TEXT + most, REFUSED);
	EXPECT_CFA(&t, TEXT + 0x4fffff, REFUSED);
	EXPECT_CFA(&t, TEXT + 0x500000, REFUSED);
	EXPECT_CFA(&t, TEXT + 0x500040, 8);
	KUNIT_EXPECT_LT(test, t.table->nr_rows, most + 10);
	EXPECT_SKIPS(&t, FDE_REPEAT, 2);
	finish(&t, 2);

	/* Every byte: only the row at 0 counts, so there is but one rule. */
	start(test, &t, 2);
	FUNCTION(&t, TEXT, 0x1000, PCMASK, 1, 2, 0, 1);
	KUNIT_ASSERT_EQ(test, convert(&t, ENOUGH), SFRAME_OK);
	EXPECT_CFA(&t, TEXT + 0xfff, 8);
	KUNIT_EXPECT_LT(test, t.table->nr_rows, 10);
	finish(&t, 0);
}

static void far_apart(struct kunit *test)
{
	static const struct sframe_segment far[] = {
		{ .vaddr = 0x1000, .size = 0x1000 },
		{ .vaddr = 0x7f0000000000ull, .size = 0x1000 },
	};
	struct trial t;

	start(test, &t, 3);
	FUNCTION(&t, 0x1000, 16, 0, 0, 1, 0);
	FUNCTION(&t, 0x7f0000000000ull, 16, 0, 0, 1, 0);
	build_end(&t.b);
	KUNIT_ASSERT_EQ(test, build_open(&t.b, &t.sec), SFRAME_OK);
	KUNIT_EXPECT_EQ(test, sframe_table_build(&t.sec, far, 2, ENOUGH,
						 &t.table, &t.skips),
			SFRAME_TOO_BIG);
	KUNIT_EXPECT_NULL(test, t.table);
	finish(&t, 0);
}

/* Two small functions in so much text, by what the index of it takes. */
static void sparse(struct kunit *test)
{
	u64 last = TEXT + ((u64)SFRAME_INDEX_FREE << (SFRAME_BLOCK_SHIFT - 2));
	const struct sframe_segment wide = {
		.vaddr = TEXT,
		.size = last - TEXT + 0x1000,
	};
	u64 at[] = { last, last + 256 };
	struct trial t;
	int i;

	for (i = 0; i < 2; i++) {
		start(test, &t, 3);
		FUNCTION(&t, TEXT, 16, 0, 0, 1, 0);
		FUNCTION(&t, at[i], 16, 0, 0, 1, 0);
		build_end(&t.b);
		KUNIT_ASSERT_EQ(test, build_open(&t.b, &t.sec), SFRAME_OK);
		KUNIT_EXPECT_EQ(test,
				sframe_table_build(&t.sec, &wide, 1, ENOUGH,
						   &t.table, &t.skips),
				i ? SFRAME_TOO_BIG : SFRAME_OK);
		finish(&t, 0);
	}
}

/* Text for twice the index that is free: @n functions and one at the end describe it. */
static enum sframe_reason spread(struct kunit *test, u32 n)
{
	u64 last = TEXT + ((u64)SFRAME_INDEX_FREE << (SFRAME_BLOCK_SHIFT - 1));
	const struct sframe_segment wide = {
		.vaddr = TEXT,
		.size = last - TEXT + 0x1000,
	};
	enum sframe_reason reason;
	struct trial t;

	start(test, &t, 3);
	many(&t, n, false);
	FUNCTION(&t, last, 16, 0, 0, 1, 0);
	build_end(&t.b);
	reason = build_open(&t.b, &t.sec);
	if (!reason)
		reason = sframe_table_build(&t.sec, &wide, 1, ENOUGH, &t.table, &t.skips);
	finish(&t, 0);
	return reason;
}

/* The more is said of the text, the larger the index may be. */
static void in_proportion(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, (int)spread(test, 1000), (int)SFRAME_TOO_BIG);
	KUNIT_EXPECT_EQ(test, (int)spread(test, 4000), (int)SFRAME_OK);
}

/* More distinct rules than identifiers: the last ones are refused. */
static void too_many_rules(struct kunit *test)
{
	const u32 n = 70000;
	struct trial t;
	u32 i;

	start(test, &t, 2);
	build_fde(&t.b, TEXT, n, 2, 0, 0);
	for (i = 0; i < n; i++)
		build_row(&t.b, i, SP_ROW, 2, 1, i * 8);
	KUNIT_ASSERT_EQ(test, convert(&t, ENOUGH), SFRAME_OK);
	KUNIT_EXPECT_GE(test, t.skips.count[SFRAME_RULES_FULL], n - 65534);
	KUNIT_EXPECT_LT(test, t.skips.count[SFRAME_RULES_FULL], n - 65434);
	KUNIT_EXPECT_GT(test, t.table->nr_rules, 65436);
	EXPECT_CFA(&t, TEXT + 1000, 8000);
	EXPECT_CFA(&t, TEXT + n - 1, REFUSED);
	finish(&t, t.skips.count[SFRAME_RULES_FULL]);
}

/* A function whose rows say SP + 8 * (@first + their offset). */
static void many_rules(struct trial *t, u64 at, u32 n, u32 first)
{
	u32 i;

	build_fde(&t->b, at, n, 1, 0, 0);
	for (i = 0; i < n; i++)
		build_row(&t->b, i, SP_ROW, 2, 1, (first + i) * 8);
}

/* That is what @t's table says at @at. */
static void expect_rules(struct kunit *test, const struct trial *t, u64 at,
			 u32 n, u32 first)
{
	u32 i;

	for (i = 0; i < n; i++)
		EXPECT_CFA(t, at + i, (int)(first + i) * 8);
	EXPECT_CFA(t, at + n, GAP);
}

/* As many rules as one byte can number, and one more. */
static void two_bytes(struct kunit *test)
{
	const u32 most = SFRAME_NARROW_RULES - 2;
	size_t bytes = 0;
	struct trial t;
	u32 n;

	for (n = most - 1; n <= most + 1; n++) {
		start(test, &t, 2);
		many_rules(&t, TEXT, n, 1);
		KUNIT_ASSERT_EQ(test, convert(&t, ENOUGH), SFRAME_OK);
		KUNIT_EXPECT_EQ(test, t.table->nr_rules, n + 2);
		KUNIT_EXPECT_EQ(test, t.table->nr_rows, n);
		KUNIT_EXPECT_EQ(test, !t.table->id_high, n <= most);
		expect_rules(test, &t, TEXT, n, 1);
		/* A rule and a row more; of each row another byte. */
		if (bytes)
			KUNIT_EXPECT_EQ(test, t.table->bytes - bytes,
					sizeof(struct sframe_rule) + 2 +
					(n > most ? n : 0));
		bytes = t.table->bytes;
		finish(&t, 0);
	}
}

static void merge(struct kunit *test, struct trial *t,
		  const struct trial *first, const struct trial *second)
{
	start(test, t, 2);
	KUNIT_ASSERT_EQ(test, sframe_table_merge(first->table, second->table,
						 ENOUGH, &t->table, &t->skips),
			SFRAME_OK);
}

/* Two tables whose rules have one byte, together with too many for that. */
static void two_bytes_merged(struct kunit *test)
{
	const u32 n = SFRAME_NARROW_RULES / 2;
	static struct trial t[4];
	u32 i;

	for (i = 0; i < 2; i++) {
		start(test, &t[i], 2);
		many_rules(&t[i], TEXT + 2 * n * i, n, 1 + n * i);
		KUNIT_ASSERT_EQ(test, convert(&t[i], ENOUGH), SFRAME_OK);
		KUNIT_EXPECT_NULL(test, t[i].table->id_high);
	}
	merge(test, &t[2], &t[0], &t[1]);
	merge(test, &t[3], &t[0], &t[2]);
	for (i = 2; i < 4; i++) {
		KUNIT_EXPECT_EQ(test, t[i].table->nr_rules, 2 * n + 2);
		KUNIT_EXPECT_NOT_NULL(test, t[i].table->id_high);
		expect_rules(test, &t[i], TEXT, n, 1);
		expect_rules(test, &t[i], TEXT + 2 * n, n, 1 + n);
	}
	for (i = 0; i < 4; i++)
		finish(&t[i], 0);
}

static struct kunit_case limits_cases[] = {
	KUNIT_CASE(no_functions),
	KUNIT_CASE(rows_merge),
	KUNIT_CASE(memory_limit),
	KUNIT_CASE(allocation_failure),
	KUNIT_CASE(rows_claimed_often),
	KUNIT_CASE(repeated_often),
	KUNIT_CASE(far_apart),
	KUNIT_CASE(sparse),
	KUNIT_CASE(in_proportion),
	KUNIT_CASE(too_many_rules),
	KUNIT_CASE(two_bytes),
	KUNIT_CASE(two_bytes_merged),
	{}
};

static struct kunit_suite limits_suite = {
	.name = "sframe_limits",
	.test_cases = limits_cases,
};

kunit_test_suite(limits_suite);
