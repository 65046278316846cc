// SPDX-License-Identifier: GPL-2.0
/*
 * Who is followed.
 */
#include <kunit/test.h>

#include <linux/delay.h>
#include <linux/perf_event.h>

#include "../../kernel/follow.h"
#include "../../kernel/limits.h"
#include "made.h"

/* Samples of whole CPUs before this case are forgotten after ten seconds. */
static bool not_allowed_soon(void)
{
	unsigned int seconds;

	for (seconds = 0; seconds < 15 && sframe_follow_allowed(); seconds++)
		msleep(1000);
	return !sframe_follow_allowed();
}

static void privileged_only(struct kunit *test)
{
	struct perf_event *event;

	KUNIT_EXPECT_TRUE(test, sframe_follow_allowed());
	WRITE_ONCE(sframe_privileged_only, true);
	KUNIT_EXPECT_TRUE(test, not_allowed_soon());

	/* The kernel's own event of this task. */
	event = made_record(test);
	KUNIT_EXPECT_TRUE(test, sframe_follow_allowed());
	/* With events of its own, a sample tells nothing of other ones. */
	sframe_follow_sampled();
	perf_event_release_kernel(event);

	/* Without, it can only come from those of a CPU. */
	if (!current->perf_event_ctxp) {
		KUNIT_EXPECT_FALSE(test, sframe_follow_allowed());
		sframe_follow_sampled();
		KUNIT_EXPECT_TRUE(test, sframe_follow_allowed());
	}
	WRITE_ONCE(sframe_privileged_only, false);
}

static struct kunit_case follow_cases[] = {
	KUNIT_CASE_SLOW(privileged_only),
	{}
};

static struct kunit_suite follow_suite = {
	.name = "sframe_follow",
	.test_cases = follow_cases,
};

kunit_test_suite(follow_suite);
