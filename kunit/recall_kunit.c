// SPDX-License-Identifier: GPL-2.0
/*
 * What a table remembers: whatever was looked up before, it returns what it
 * returned at first.
 */
#include <kunit/test.h>

#include <sframe/table.h>

#include "build.h"
#include "random.h"

#define VA	0x600000ull
#define TEXT	0x10000ull

static const struct sframe_segment text = { .vaddr = TEXT, .size = 0x100000 };

static struct sframe_table *random_table(struct kunit *test)
{
	struct sframe_table *table = NULL;
	struct sframe_section sec;
	struct sframe_skips skips;
	struct build b;
	u64 rng = 5;

	build_init(&b, &sframe_abi_x86, 2, false, 0, VA);
	random_functions(&b, &rng, TEXT, 60, false);
	build_end(&b);
	KUNIT_EXPECT_EQ(test, build_open(&b, &sec), SFRAME_OK);
	KUNIT_EXPECT_EQ(test, sframe_table_build(&sec, &text, 1, 1u << 20,
						 &table, &skips), SFRAME_OK);
	build_free(&b);
	KUNIT_ASSERT_NOT_NULL(test, table);
	return table;
}

static bool agree(const struct sframe_table *table, u64 pc)
{
	return sframe_table_recall(table, pc) ==
	       sframe_table_lookup(table, pc);
}

/* An address from @at on whose slot is the first. */
static u64 first_slot(const struct sframe_table *table, u64 at)
{
	while (sframe_table_slot(table, at))
		at++;
	return at;
}

/* Addresses that share slots, in random order, most of them several times. */
static void remembers_what_the_table_says(struct kunit *test)
{
	struct sframe_table *table = random_table(test);
	u64 rng = 9, pc;
	u32 i, wrong = 0;

	for (i = 0; i < 100000; i++) {
		pc = table->base + rnd_below(&rng, table->span + 600) - 300;
		if (rnd(&rng) & 1)
			pc = table->base + first_slot(table, pc % 512);
		wrong += !agree(table, pc) || !agree(table, pc);
	}
	KUNIT_EXPECT_EQ(test, wrong, 0u);
	sframe_free(table);
}

/* Nothing outside the table is taken for what is in it, full or empty. */
static void outside_is_a_gap(struct kunit *test)
{
	struct sframe_table *table = random_table(test);
	u64 base = table->base, span = table->span, i;
	const u64 pcs[] = {
		0, base - 1, base - 512, base + span,
		base + (1ull << 32), base + (1ull << 47), base + (1ull << 48),
		base + (1ull << 48) + 4, ~0ull,
	};

	for (i = 0; i < ARRAY_SIZE(pcs); i++)
		KUNIT_EXPECT_TRUE(test, agree(table, pcs[i]));
	for (i = 0; i < 4096; i++)
		sframe_table_recall(table, base + i);
	for (i = 0; i < ARRAY_SIZE(pcs); i++)
		KUNIT_EXPECT_TRUE(test, agree(table, pcs[i]));
	sframe_free(table);
}

/* A hit does not ask the table: seen with one that has other rules by then. */
static void hits_are_hits(struct kunit *test)
{
	struct sframe_table *table = random_table(test), other;
	const struct sframe_rule *rule;

	rule = sframe_table_recall(table, table->base + 200);
	other = *table;
	other.span = 0;
	KUNIT_EXPECT_PTR_EQ(test, sframe_table_lookup(&other, table->base + 200),
			    other.rule);
	KUNIT_EXPECT_PTR_EQ(test, sframe_table_recall(&other, table->base + 200),
			    rule);
	sframe_free(table);
}

/*
 * Return addresses in calls of the same form, one after the other: whatever lies
 * between them, and a multiple of four above all, many are remembered at a time.
 */
static void patterns_are_spread(struct kunit *test)
{
	static const u32 apart[] = { 4, 6, 8, 12, 16, 20, 24, 32, 64, 128, 256, 4096 };
	struct sframe_table *table = random_table(test);
	const u32 nr = sframe_table_slots(table);
	u32 i, n, used;
	u64 taken[8];

	KUNIT_ASSERT_GE(test, nr, 16u);
	KUNIT_ASSERT_LE(test, nr, 512u);
	for (i = 0; i < ARRAY_SIZE(apart); i++) {
		memset(taken, 0, sizeof(taken));
		used = 0;
		for (n = 0; n < nr / 2; n++) {
			u32 slot = sframe_table_slot(table, 0x124 + n * apart[i] - 1);

			KUNIT_ASSERT_LT(test, slot, nr);
			used += !(taken[slot / 64] >> slot % 64 & 1);
			taken[slot / 64] |= 1ull << slot % 64;
		}
		KUNIT_EXPECT_GE(test, used, nr / 4);
	}
	sframe_free(table);
}

static struct kunit_case recall_test_cases[] = {
	KUNIT_CASE(remembers_what_the_table_says),
	KUNIT_CASE(outside_is_a_gap),
	KUNIT_CASE(hits_are_hits),
	KUNIT_CASE(patterns_are_spread),
	{}
};

static struct kunit_suite recall_suite = {
	.name = "sframe_recall",
	.test_cases = recall_test_cases,
};

kunit_test_suite(recall_suite);
