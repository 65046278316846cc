// SPDX-License-Identifier: GPL-2.0
/*
 * What a lookup costs in this kernel: insmod sframe_kunit.ko bench=1. Times
 * are printed, not judged; what is found is.
 */
#include <kunit/test.h>

#include <linux/ktime.h>
#include <linux/math64.h>
#include <linux/module.h>

#include <sframe/table.h>

#include "../build.h"

#define TEXT		0x400000ull
#define FUNC		64u
#define LOOKUPS		200000u

static bool bench;
module_param(bench, bool, 0444);
MODULE_PARM_DESC(bench, "measure lookups, too");

/* Each function has a rule of its own: SP plus one of 16 offsets. */
static struct sframe_table *make_table(struct kunit *test, u32 nr)
{
	struct sframe_segment text = {
		.vaddr = TEXT, .offset = 0, .size = (u64)nr * FUNC,
	};
	struct sframe_skips skips = {};
	struct sframe_table *t = NULL;
	struct sframe_section sec;
	struct build b;
	u32 i;

	build_init(&b, &sframe_abi_x86, 3, false, SFRAME_F_SORTED,
		   TEXT - 0x1000);
	for (i = 0; i < nr; i++) {
		build_fde(&b, TEXT + i * FUNC, FUNC, 0, 0, 0);
		build_row(&b, 0, SFRAME_ROW_BASE_SP, 0, 1, 8 * (1 + i % 15));
	}
	build_end(&b);
	if (!b.failed && !build_open(&b, &sec))
		sframe_table_build(&sec, &text, 1, SIZE_MAX, &t, &skips);
	build_free(&b);
	KUNIT_ASSERT_NOT_NULL(test, t);
	return t;
}

static void measure(struct kunit *test, u32 nr)
{
	struct sframe_table *t = make_table(test, nr);
	const struct sframe_rule *rule;
	u64 state = nr, begin, end;
	u32 i, func, wrong = 0;

	begin = ktime_get_ns();
	for (i = 0; i < LOOKUPS; i++) {
		func = rnd_below(&state, nr);
		rule = sframe_table_lookup(t, TEXT + func * FUNC + 5);
		wrong += !rule || rule->cfa_off != 8 * (1 + func % 15);
	}
	end = ktime_get_ns();
	KUNIT_EXPECT_EQ(test, wrong, 0u);
	kunit_info(test, "%u functions: %llu ps a lookup", nr,
		   div_u64((end - begin) * 1000, LOOKUPS));
	sframe_free(t);
}

static void lookups(struct kunit *test)
{
	if (!bench)
		kunit_skip(test, "not asked for (bench=1)");
	measure(test, 100);
	measure(test, 10000);
	measure(test, 100000);
}

static struct kunit_case bench_cases[] = {
	KUNIT_CASE_SLOW(lookups),
	{}
};

static struct kunit_suite bench_suite = {
	.name = "sframe_bench",
	.test_cases = bench_cases,
};

kunit_test_suite(bench_suite);
