// SPDX-License-Identifier: GPL-2.0
/*
 * The hooks that notice changes: placed while an mm is known, else away.
 */
#include <kunit/test.h>

#include <linux/delay.h>
#include <linux/file.h>
#include <linux/perf_event.h>

#include "../../kernel/compat/compat.h"
#include "../../kernel/internal.h"
#include "made.h"

/* Nothing is known, so that there is no reason for hooks. */
static void forget_all(struct kunit *test)
{
	unsigned int seconds;

	for (seconds = 0; !sframe_mm_none() && seconds < 30; seconds++)
		msleep(1000);
	KUNIT_ASSERT_TRUE(test, sframe_mm_none());
	KUNIT_ASSERT_TRUE(test, sframe_track_rest());
}

static void placed_while_known(struct kunit *test)
{
	struct file *file = made_file(test, true);
	struct mm_struct *mm = made_mm(test);
	struct perf_event *event = made_record(test);
	struct sframe_mm *m;

	made_map(test, file);
	m = sframe_mm_scan();
	KUNIT_ASSERT_NOT_NULL(test, m);
	KUNIT_EXPECT_FALSE(test, sframe_track_rest());
	KUNIT_EXPECT_FALSE(test, sframe_mm_stale(m));
	made_map(test, file);
	KUNIT_EXPECT_TRUE(test, sframe_mm_stale(m));
	perf_event_release_kernel(event);
	made_mm_end(mm);
	sframe_mm_put(m);
	forget_all(test);
	fput(file);
}

/* Held without an mm that needs them: they stay until that is seen. */
static void hold_and_release(struct kunit *test)
{
	unsigned int i;

	forget_all(test);
	for (i = 0; i < 3; i++) {
		KUNIT_ASSERT_EQ(test, sframe_track_hold(), 0);
		sframe_track_release();
		KUNIT_EXPECT_TRUE(test, sframe_track_rest());
		KUNIT_EXPECT_TRUE(test, sframe_track_rest());
	}
}

/* Every allocation on the way fails in turn: no hooks, and the next may try. */
static void hold_allocations_fail(struct kunit *test)
{
#ifdef made_failure
	unsigned int n, none = 0;
	bool failed;
	int ret;

	forget_all(test);
	for (n = 1; n < 200; n++) {
		made_failure(n);
		ret = sframe_track_hold();
		failed = made_failure_end();
		KUNIT_EXPECT_TRUE(test, !ret || failed);
		none += !!ret;
		if (!ret)
			sframe_track_release();
		KUNIT_EXPECT_TRUE(test, sframe_track_rest());
		if (!failed)
			break;
	}
	kunit_info(test, "%u allocations, %u in vain", n - 1, none);
	KUNIT_EXPECT_LT(test, n, 200u);
#else
	kunit_skip(test, "this kernel injects no faults");
#endif
}

/* Without the hooks no mm may become known: its map could go stale unnoticed. */
static void no_hooks_no_map(struct kunit *test)
{
#ifdef made_failure
	struct file *file = made_file(test, true);
	struct mm_struct *mm = made_mm(test);
	struct sframe_mm *m;
	unsigned int n;
	bool failed;

	made_map(test, file);
	for (n = 1; n < 200; n++) {
		sframe_mm_exit(mm);
		sframe_track_rest();
		made_failure(n);
		m = sframe_mm_scan();
		failed = made_failure_end();
		/* Known, so there are hooks. */
		if (m) {
			KUNIT_EXPECT_FALSE(test, sframe_track_rest());
			sframe_mm_put(m);
		}
		if (!failed)
			break;
	}
	KUNIT_EXPECT_LT(test, n, 200u);
	made_mm_end(mm);
	fput(file);
#else
	kunit_skip(test, "this kernel injects no faults");
#endif
}

/* This thread has no user mode to return to, nor anything to scan. */
static void kernel_threads_scan_nothing(struct kunit *test)
{
	unsigned long before = made_events(SFRAME_EV_PENDING);

	sframe_track_request();
	KUNIT_EXPECT_EQ(test, made_events(SFRAME_EV_PENDING), before);
}

static void symbols(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, sframe_symbol("no_such_symbol_in_the_kernel"),
			0ul);
	KUNIT_EXPECT_NE(test, sframe_symbol("exit_mmap"), 0ul);
}

static void callchains_are_counted(struct kunit *test)
{
	bool before = sframe_callchains_wanted();
	struct perf_event *event = made_record(test);

	KUNIT_EXPECT_TRUE(test, sframe_callchains_wanted());
	perf_event_release_kernel(event);
	KUNIT_EXPECT_EQ(test, sframe_callchains_wanted(), before);
}

static struct kunit_case track_cases[] = {
	KUNIT_CASE_SLOW(placed_while_known),
	KUNIT_CASE_SLOW(hold_and_release),
	KUNIT_CASE_SLOW(hold_allocations_fail),
	KUNIT_CASE_SLOW(no_hooks_no_map),
	KUNIT_CASE(kernel_threads_scan_nothing),
	KUNIT_CASE(symbols),
	KUNIT_CASE(callchains_are_counted),
	{}
};

static struct kunit_suite track_suite = {
	.name = "sframe_track",
	.test_cases = track_cases,
};

kunit_test_suite(track_suite);
