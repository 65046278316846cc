// SPDX-License-Identifier: GPL-2.0
/*
 * Who is recorded, and by whom.
 */
#include <kunit/test.h>

#include <linux/cleanup.h>
#include <linux/delay.h>
#include <linux/perf_event.h>
#include <linux/preempt.h>
#include <linux/rcupdate.h>

#include "../../kernel/limits.h"
#include "../../kernel/recorded.h"
#include "made.h"

/* Samples of whole CPUs before this case are forgotten after ten seconds. */
static bool not_allowed_soon(void)
{
	unsigned int seconds;

	for (seconds = 0; seconds < 15 && sframe_recorded_allowed(); seconds++)
		msleep(1000);
	return !sframe_recorded_allowed();
}

static void privileged_only(struct kunit *test)
{
	struct perf_event *event;

	KUNIT_EXPECT_TRUE(test, sframe_recorded_allowed());
	WRITE_ONCE(sframe_privileged_only, true);
	KUNIT_EXPECT_TRUE(test, not_allowed_soon());

	/* The kernel's own event of this task. */
	event = made_record(test);
	KUNIT_EXPECT_TRUE(test, sframe_recorded_allowed());
	/* With events of its own, a sample tells nothing of other ones, nor do they. */
	sframe_recorded_sample();
	sframe_recorded_by(event);
	perf_event_release_kernel(event);
	KUNIT_EXPECT_FALSE(test, sframe_recorded_allowed());

	/* Without, it can only come from those of a CPU; if it is one. */
	scoped_guard(preempt) {
		sframe_recorded_pause(true);
		sframe_recorded_sample();
		sframe_recorded_pause(false);
	}
	if (!current->perf_event_ctxp) {
		KUNIT_EXPECT_FALSE(test, sframe_recorded_allowed());
		sframe_recorded_sample();
		KUNIT_EXPECT_TRUE(test, sframe_recorded_allowed());
	}
	WRITE_ONCE(sframe_privileged_only, false);
}

/* An event of a CPU says so itself, whatever events the task has. */
static void recorded_by_wide(struct kunit *test)
{
	struct perf_event *wide = made_wide_record(test);

	WRITE_ONCE(sframe_privileged_only, true);
	KUNIT_EXPECT_TRUE(test, not_allowed_soon());
	scoped_guard(rcu)
		sframe_recorded_by(wide);
	KUNIT_EXPECT_TRUE(test, sframe_recorded_allowed());
	WRITE_ONCE(sframe_privileged_only, false);
	perf_event_release_kernel(wide);
}

static struct kunit_case recorded_cases[] = {
	KUNIT_CASE_SLOW(privileged_only),
	KUNIT_CASE_SLOW(recorded_by_wide),
	{}
};

static struct kunit_suite recorded_suite = {
	.name = "sframe_recorded",
	.test_cases = recorded_cases,
};

kunit_test_suite(recorded_suite);
