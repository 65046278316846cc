// SPDX-License-Identifier: GPL-2.0
/*
 * Trails of CPUs: one walk at a time has one, and those that do not pay are left alone.
 * Nobody else walks meanwhile.
 */
#include <kunit/test.h>
#include <linux/preempt.h>

#include <sframe/answers.h>
#include <sframe/trail.h>

#include "../../kernel/trails.h"

/* How many walks do without before one gets it; at most 100. */
static u32 refused(u64 key, struct sframe_trail **trail)
{
	u32 n = 0;

	do {
		*trail = sframe_trail_take(key);
	} while (!*trail && ++n < 100);
	return n;
}

static void one_at_a_time(struct kunit *test)
{
	struct sframe_trail *trail, *other;

	preempt_disable();
	refused(1, &trail);
	other = sframe_trail_take(1);
	if (trail)
		sframe_trail_put(trail, true);
	preempt_enable();
	KUNIT_EXPECT_NOT_NULL(test, trail);
	KUNIT_EXPECT_NULL(test, other);
}

static void kept_for_the_key(struct kunit *test)
{
	static const u64 keys[] = { 1, 1, 2, 2, 1 };
	u16 used[ARRAY_SIZE(keys)] = { };
	struct sframe_trail *trail;
	bool none;
	u32 i;

	preempt_disable();
	none = !sframe_trail_take(0);
	refused(3, &trail);
	for (i = 0; i < ARRAY_SIZE(keys) && trail; i++) {
		sframe_trail_put(trail, true);
		refused(keys[i], &trail);
		if (trail)
			used[i] = trail->used++;
	}
	if (trail)
		sframe_trail_put(trail, true);
	preempt_enable();
	KUNIT_EXPECT_TRUE(test, none);
	KUNIT_EXPECT_EQ(test, used[0], 1);
	KUNIT_EXPECT_EQ(test, used[1], 2);
	KUNIT_EXPECT_EQ(test, used[2], 1);
	KUNIT_EXPECT_EQ(test, used[3], 2);
	KUNIT_EXPECT_EQ(test, used[4], 1);
}

static void pauses_grow(struct kunit *test)
{
	static const u32 want[] = { 0, 0, 0, 1, 3, 7, 15, 15 };
	u32 got[ARRAY_SIZE(want)] = { }, i;
	struct sframe_trail *trail;

	preempt_disable();
	refused(1, &trail);
	for (i = 0; i < ARRAY_SIZE(want) && trail; i++) {
		sframe_trail_put(trail, i < 2);
		got[i] = refused(1, &trail);
	}
	if (trail)
		sframe_trail_put(trail, true);
	preempt_enable();
	for (i = 0; i < ARRAY_SIZE(want); i++)
		KUNIT_EXPECT_EQ(test, got[i], want[i]);
}

/* Answers are kept where trails are, but each walk gets them. */
static void answers_of_one(struct kunit *test)
{
	struct sframe_answers *answers, *none, *other, *again;

	preempt_disable();
	none = sframe_answers_take(0);
	answers = sframe_answers_take(7);
	other = sframe_answers_take(7);
	if (answers)
		sframe_answers_put(answers);
	again = sframe_answers_take(8);
	if (again)
		sframe_answers_put(again);
	preempt_enable();
	KUNIT_EXPECT_NULL(test, none);
	KUNIT_EXPECT_NOT_NULL(test, answers);
	KUNIT_EXPECT_NULL(test, other);
	KUNIT_EXPECT_PTR_EQ(test, again, answers);
	KUNIT_ASSERT_NOT_NULL(test, again);
	KUNIT_EXPECT_EQ(test, again->key, 8ull);
}

static struct kunit_case trails_test_cases[] = {
	KUNIT_CASE(answers_of_one),
	KUNIT_CASE(one_at_a_time),
	KUNIT_CASE(kept_for_the_key),
	KUNIT_CASE(pauses_grow),
	{}
};

static struct kunit_suite trails_suite = {
	.name = "sframe_trails",
	.test_cases = trails_test_cases,
};

kunit_test_suite(trails_suite);
