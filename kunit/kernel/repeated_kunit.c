// SPDX-License-Identifier: GPL-2.0
/*
 * A task that is sampled at what its samples ask for gets on.
 */
#include <kunit/test.h>

#include <linux/limits.h>
#include <linux/timekeeping.h>

#include "../../kernel/repeated.h"

/* So often, one right after the other. Nothing else counts there, so it may be preempted. */
static void count(struct sframe_repeated *r, unsigned int times)
{
	while (times--)
		sframe_repeated_count(r, r->done);
}

static void pauses_after_many(struct kunit *test)
{
	struct sframe_repeated r = { .done = ktime_get_mono_fast_ns() };

	KUNIT_EXPECT_FALSE(test, sframe_repeated_is_paused(&r));
	count(&r, SFRAME_REPEATED_MAX - 1);
	KUNIT_EXPECT_PTR_EQ(test, r.task, (const struct task_struct *)current);
	KUNIT_EXPECT_EQ(test, r.pause_until, 0ull);
	count(&r, 1);
	KUNIT_EXPECT_EQ(test, r.pause_until, r.done + SFRAME_REPEATED_PAUSE);
	/* After a pause so many are allowed again. */
	KUNIT_EXPECT_EQ(test, r.times, 0u);

	/* As long as it takes the test to ask. */
	r.pause_until = U64_MAX;
	KUNIT_EXPECT_TRUE(test, sframe_repeated_is_paused(&r));
	r.pause_until = r.done;
	KUNIT_EXPECT_FALSE(test, sframe_repeated_is_paused(&r));
}

/* In user mode it was, or is another task. */
static void others_begin_anew(struct kunit *test)
{
	struct sframe_repeated r = { .done = ktime_get_mono_fast_ns() };
	u64 *const what[] = { &r.pc, &r.sp };
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(what); i++) {
		count(&r, SFRAME_REPEATED_MAX);
		r.pause_until = U64_MAX;
		*what[i] += 16;
		KUNIT_EXPECT_FALSE(test, sframe_repeated_is_paused(&r));
		count(&r, 1);
		KUNIT_EXPECT_EQ(test, r.times, 1u);
		KUNIT_EXPECT_EQ(test, r.pause_until, 0ull);
	}
	count(&r, SFRAME_REPEATED_MAX - 1);
	r.pause_until = U64_MAX;
	r.task = NULL;
	KUNIT_EXPECT_FALSE(test, sframe_repeated_is_paused(&r));
	count(&r, 1);
	KUNIT_EXPECT_EQ(test, r.times, 1u);
}

/* The work itself may take long, but not what lies between. */
static void gaps_begin_anew(struct kunit *test)
{
	struct sframe_repeated r = { .done = ktime_get_mono_fast_ns() };

	count(&r, SFRAME_REPEATED_MAX - 1);
	sframe_repeated_count(&r, r.done + SFRAME_REPEATED_GAP + 1);
	KUNIT_EXPECT_EQ(test, r.times, 1u);
	sframe_repeated_count(&r, r.done + SFRAME_REPEATED_GAP);
	KUNIT_EXPECT_EQ(test, r.times, 2u);
}

static struct kunit_case repeated_cases[] = {
	KUNIT_CASE(pauses_after_many),
	KUNIT_CASE(others_begin_anew),
	KUNIT_CASE(gaps_begin_anew),
	{}
};

static struct kunit_suite repeated_suite = {
	.name = "sframe_repeated",
	.test_cases = repeated_cases,
};

kunit_test_suite(repeated_suite);
