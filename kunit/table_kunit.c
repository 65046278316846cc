// SPDX-License-Identifier: GPL-2.0
/*
 * Tables against the naive lookup, for every PC of every function, in all
 * versions, ABIs and byte orders; on good sections and on broken ones.
 */
#include <kunit/test.h>

#include "formats.h"
#include "naive.h"
#include "random.h"

#define VA		0x600000ull
#define TEXT		0x10123ull
#define ENOUGH		(64u << 20)

static const struct sframe_segment all_text = {
	.vaddr = 0x1000, .size = VA - 0x1000,
};

static bool same(const struct sframe_rule *a, const struct sframe_rule *b)
{
	return !memcmp(a, b, sizeof(*a));
}

/* Limits on work make rows bad that the naive lookup still reads. */
static bool limited(const struct sframe_skips *skips)
{
	return skips->count[SFRAME_FDE_BUDGET] ||
	       skips->count[SFRAME_FDE_REPEAT] ||
	       skips->count[SFRAME_RULES_FULL];
}

/* Compare at each PC in [@from, @to); returns how many had a rule. */
static u64 compare(struct kunit *test, const struct sframe_section *sec,
		   const struct sframe_table *table, bool limit,
		   u64 from, u64 to)
{
	u64 pc, ruled = 0;

	for (pc = from; pc < to; pc++) {
		const struct sframe_rule *got = sframe_table_lookup(table, pc);
		struct sframe_rule want = naive_lookup(sec, &all_text, 1, pc);

		if (!same(got, &want) &&
		    !(limit && got->flags == SFRAME_RULE_BAD)) {
			KUNIT_FAIL(test, "pc %#llx: flags %#x for %#x",
				   (unsigned long long)pc, got->flags,
				   want.flags);
			break;
		}
		ruled += !(got->flags & SFRAME_RULE_NO_FDE);
	}
	return ruled;
}

static enum sframe_reason table_of(const struct build *b,
				   struct sframe_section *sec,
				   struct sframe_table **table,
				   struct sframe_skips *skips)
{
	enum sframe_reason reason = build_open(b, sec);

	*table = NULL;
	return reason ? reason : sframe_table_build(sec, &all_text, 1, ENOUGH,
						    table, skips);
}

/* One random section, and all its PCs with some on either side. */
static void try_random(struct kunit *test, u64 seed, bool hostile)
{
	const struct format *f = test->param_value;
	struct sframe_section sec;
	struct sframe_table *table;
	struct sframe_skips skips;
	enum sframe_reason reason;
	struct build b;
	u64 end, rng = seed;

	build_format(&b, f, VA);
	end = random_functions(&b, &rng, TEXT, 30, hostile);
	build_end(&b);
	KUNIT_ASSERT_FALSE(test, b.failed);
	reason = table_of(&b, &sec, &table, &skips);
	KUNIT_ASSERT_EQ(test, reason, SFRAME_OK);
	KUNIT_EXPECT_GT(test, compare(test, &sec, table, limited(&skips),
				      TEXT - 600, end + 600), 0);
	sframe_free(table);
	build_free(&b);
}

static void random_good(struct kunit *test)
{
	u64 seed;

	for (seed = 1; seed <= 6; seed++)
		try_random(test, seed, false);
}

static void random_broken(struct kunit *test)
{
	u64 seed;

	for (seed = 101; seed <= 110; seed++)
		try_random(test, seed, true);
}

/* A sound section, in which some bytes were changed. */
static void mutate(struct build *b, u64 *rng, u64 *end)
{
	static const u8 values[] = { 0, 1, 2, 0x10, 0x7f, 0x80, 0xf0, 0xff };
	u32 i, n = 1 + rnd_below(rng, 8);

	*end = random_functions(b, rng, TEXT, 12, false);
	build_end(b);
	for (i = 0; i < n; i++) {
		u8 *p = b->data + rnd_below(rng, b->len);

		if (rnd_below(rng, 2))
			*p = values[rnd_below(rng, ARRAY_SIZE(values))];
		else
			*p ^= 1 << rnd_below(rng, 8);
	}
}

static void random_mutated(struct kunit *test)
{
	const struct format *f = test->param_value;
	struct sframe_section sec;
	struct sframe_table *table;
	struct sframe_skips skips;
	u32 refused = 0, built = 0;
	struct build b;
	u64 end, rng = 77;
	u32 i;

	for (i = 0; i < 300; i++) {
		build_format(&b, f, VA);
		mutate(&b, &rng, &end);
		if (table_of(&b, &sec, &table, &skips)) {
			KUNIT_EXPECT_TRUE(test, !table);
			refused++;
		} else {
			/* Version 1's PLT heuristics are not the format's. */
			if (i % 8 == 0 && !skips.count[SFRAME_FDE_PLT])
				compare(test, &sec, table, limited(&skips),
					TEXT - 10, end + 10);
			built++;
		}
		sframe_free(table);
		build_free(&b);
	}
	KUNIT_EXPECT_GT(test, refused, 10);
	KUNIT_EXPECT_GT(test, built, 100);
}

static struct kunit_case table_cases[] = {
	KUNIT_CASE_PARAM(random_good, format_gen_params),
	KUNIT_CASE_PARAM(random_broken, format_gen_params),
	KUNIT_CASE_PARAM(random_mutated, format_gen_params),
	{}
};

static struct kunit_suite table_suite = {
	.name = "sframe_table",
	.test_cases = table_cases,
};

kunit_test_suite(table_suite);
