// SPDX-License-Identifier: GPL-2.0
/*
 * The hooks that notice changes: placed while an mm is known, else away.
 */
#include <kunit/test.h>

#include <linux/delay.h>
#include <linux/file.h>
#include <linux/mman.h>
#include <linux/perf_event.h>

#include "../../kernel/compat/compat.h"
#include "../../kernel/limits.h"
#include "../../kernel/map.h"
#include "../../kernel/mm.h"
#include "../../kernel/placement.h"
#include "../../kernel/stats.h"
#include "../../kernel/track.h"
#include "made.h"

/* Nothing is known, so that there is no reason for hooks. */
static void forget_all(struct kunit *test)
{
	unsigned int seconds;

	for (seconds = 0; sframe_mm_count() && seconds < 30; seconds++)
		msleep(1000);
	KUNIT_ASSERT_EQ(test, sframe_mm_count(), 0u);
	KUNIT_ASSERT_TRUE(test, sframe_hooks_remove_idle());
}

static void placed_while_known(struct kunit *test)
{
	struct file *file = made_file(test, true);
	struct mm_struct *mm = made_mm(test);
	struct perf_event *event = made_record(test);
	struct sframe_mm *m;

	made_map(test, file);
	scoped_guard(rcu)
		KUNIT_EXPECT_TRUE(test, sframe_mm_is_new(sframe_mm_find(mm)));
	m = made_update();
	KUNIT_ASSERT_NOT_NULL(test, m);
	scoped_guard(rcu)
		KUNIT_EXPECT_FALSE(test, sframe_mm_is_new(m));
	KUNIT_EXPECT_FALSE(test, sframe_hooks_remove_idle());
	KUNIT_EXPECT_TRUE(test, sframe_mm_is_up_to_date(m));
	made_map(test, file);
	KUNIT_EXPECT_FALSE(test, sframe_mm_is_up_to_date(m));
	perf_event_release_kernel(event);
	made_mm_end(mm);
	sframe_mm_put(m);
	forget_all(test);
	fput(file);
}

/* The system call's function; nothing that would do is exported. */
static int protect(unsigned long addr, unsigned long prot)
{
	long (*mprotect)(const struct pt_regs *regs);
	struct pt_regs regs = { };

#if defined(CONFIG_X86_64)
	mprotect = (void *)sframe_symbol("__x64_sys_mprotect");
	regs.di = addr;
	regs.si = PAGE_SIZE;
	regs.dx = prot;
#elif defined(CONFIG_ARM64)
	mprotect = (void *)sframe_symbol("__arm64_sys_mprotect");
	regs.orig_x0 = addr;	/* since 7.3 */
	regs.regs[0] = addr;
	regs.regs[1] = PAGE_SIZE;
	regs.regs[2] = prot;
#else
	mprotect = (void *)sframe_symbol("__s390x_sys_mprotect");
	regs.orig_gpr2 = addr;
	regs.gprs[2] = addr;
	regs.gprs[3] = PAGE_SIZE;
	regs.gprs[4] = prot;
#endif
	return mprotect ? mprotect(&regs) : -ENOENT;
}

static enum sframe_reason find(const struct sframe_mm *m, u64 pc)
{
	const struct sframe_range *range;
	struct sframe_view v;

	guard(rcu)();
	sframe_view_begin(&v, m);
	return sframe_view_find(&v, pc, &range);
}

/* mprotect() of a whole mapping: what is not executable any more is not code. */
static void code_is_taken_back(struct kunit *test)
{
	struct file *file = made_file(test, true);
	struct mm_struct *mm = made_mm(test);
	struct perf_event *event = made_record(test);
	unsigned long addr = made_map(test, file);
	struct sframe_mm *m = made_update();

	KUNIT_ASSERT_NOT_NULL(test, m);
	KUNIT_EXPECT_EQ(test, find(m, addr), SFRAME_OK);
	KUNIT_ASSERT_EQ(test, protect(addr, PROT_READ), 0);
	KUNIT_EXPECT_EQ(test, find(m, addr), SFRAME_CHANGED);
	sframe_mm_put(m);
	m = made_update();
	KUNIT_ASSERT_NOT_NULL(test, m);
	KUNIT_EXPECT_EQ(test, find(m, addr), SFRAME_NO_MAPPING);
	/* Where there is no code, nothing has changed. */
	KUNIT_ASSERT_EQ(test, protect(addr, PROT_NONE), 0);
	KUNIT_EXPECT_TRUE(test, sframe_mm_is_up_to_date(m));
	KUNIT_ASSERT_EQ(test, protect(addr, PROT_READ | PROT_EXEC), 0);
	KUNIT_EXPECT_EQ(test, find(m, addr), SFRAME_CHANGED);
	perf_event_release_kernel(event);
	made_mm_end(mm);
	sframe_mm_put(m);
	forget_all(test);
	fput(file);
}

static void says_where_code_may_be(struct kunit *test)
{
	struct file *file = made_file(test, true);
	struct mm_struct *mm = made_mm(test);
	struct perf_event *event = made_record(test);
	unsigned long addr = made_map(test, file), end = addr + PAGE_SIZE;
	struct sframe_mm *m;

	KUNIT_EXPECT_FALSE(test, sframe_mm_may_have_code(mm, addr, end));
	m = made_update();
	KUNIT_ASSERT_NOT_NULL(test, m);
	KUNIT_EXPECT_TRUE(test, sframe_mm_may_have_code(mm, addr, end));
	KUNIT_EXPECT_TRUE(test, sframe_mm_may_have_code(mm, addr - PAGE_SIZE, addr + 1));
	KUNIT_EXPECT_TRUE(test, sframe_mm_may_have_code(mm, end - 1, end + PAGE_SIZE));
	KUNIT_EXPECT_FALSE(test, sframe_mm_may_have_code(mm, addr - PAGE_SIZE, addr));
	KUNIT_EXPECT_FALSE(test, sframe_mm_may_have_code(mm, end, end + PAGE_SIZE));
	/* An update may have looked there, and not have told of it yet. */
	sframe_mm_changed(mm, end + PAGE_SIZE, end + 2 * PAGE_SIZE);
	KUNIT_EXPECT_FALSE(test, sframe_mm_may_have_code(mm, end, end + PAGE_SIZE));
	KUNIT_EXPECT_TRUE(test, sframe_mm_may_have_code(mm, end, end + PAGE_SIZE + 1));
	perf_event_release_kernel(event);
	made_mm_end(mm);
	sframe_mm_put(m);
	forget_all(test);
	fput(file);
}

/* Without the hooks no mm may become known: its map could go stale unnoticed. */
static void no_hooks_no_map(struct kunit *test)
{
	struct made_failures f = made_failures(test);
	struct file *file = made_file(test, true);
	struct mm_struct *mm = made_mm(test);
	struct sframe_mm *m;

	made_map(test, file);
	while (made_failures_next(&f)) {
		sframe_mm_forget(mm);
		sframe_hooks_remove_idle();
		made_failure(&f);
		m = made_update();
		made_failure_end(&f, m);
		/* Known, so there are hooks. */
		if (m) {
			KUNIT_EXPECT_FALSE(test, sframe_hooks_remove_idle());
			sframe_mm_put(m);
		}
	}
	made_failures_end(&f, 1);
	made_mm_end(mm);
	fput(file);
}

/* Whether an mm that is new will be known soon; else it is left to perf. */
static void knows_soon(struct kunit *test)
{
	bool privileged = sframe_privileged_only;

	WRITE_ONCE(sframe_privileged_only, false);
	KUNIT_EXPECT_TRUE(test, sframe_track_will_know());
	WRITE_ONCE(sframe_privileged_only, true);
	KUNIT_EXPECT_FALSE(test, sframe_track_will_know());
	WRITE_ONCE(sframe_privileged_only, privileged);
}

/* This thread has no user mode to return to, nor anything to scan. */
static void kernel_threads_scan_nothing(struct kunit *test)
{
	unsigned long before = made_events(SFRAME_EV_PENDING);

	KUNIT_EXPECT_FALSE(test, sframe_track_request());
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
	KUNIT_CASE_SLOW(code_is_taken_back),
	KUNIT_CASE_SLOW(says_where_code_may_be),
	KUNIT_CASE_SLOW(no_hooks_no_map),
	KUNIT_CASE(knows_soon),
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
