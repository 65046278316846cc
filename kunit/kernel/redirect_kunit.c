// SPDX-License-Identifier: GPL-2.0
/*
 * Functions taken over and given back.
 */
#include <kunit/test.h>

#include <linux/completion.h>

#include "../../kernel/compat/compat.h"
#include "../../kernel/redirect.h"
#include "made.h"

static bool wanted;

static bool want(struct ftrace_regs *fregs)
{
	return wanted;
}

int sframe_kunit_target(int arg);

noinline __noclone int sframe_kunit_target(int arg)
{
	OPTIMIZER_HIDE_VAR(arg);
	return arg + 1;
}

static int replacement(int arg)
{
	return arg + 100;
}

static int call(int arg)
{
	int (*target)(int arg) = sframe_kunit_target;

	OPTIMIZER_HIDE_VAR(target);
	return target(arg);
}

static void redirect_on_and_off(struct kunit *test)
{
	struct sframe_redirect r = {
		.addr = (unsigned long)sframe_kunit_target,
		.to = replacement,
		.want = want,
	};

	wanted = true;
	KUNIT_EXPECT_EQ(test, call(1), 2);
	KUNIT_ASSERT_EQ(test, sframe_redirect_on(&r), 0);
	KUNIT_EXPECT_EQ(test, call(1), 101);
	wanted = false;
	KUNIT_EXPECT_EQ(test, call(1), 2);
	wanted = true;
	KUNIT_EXPECT_EQ(test, call(1), 101);
	sframe_redirect_off(&r);
	KUNIT_EXPECT_EQ(test, call(1), 2);
	/* Once more, and off twice. */
	KUNIT_ASSERT_EQ(test, sframe_redirect_on(&r), 0);
	KUNIT_EXPECT_EQ(test, call(1), 101);
	sframe_redirect_off(&r);
	sframe_redirect_off(&r);
	KUNIT_EXPECT_EQ(test, call(1), 2);
}

#define TAKE_OVER(function) {						\
	.addr = (unsigned long)(function),				\
	.to = replacement,						\
	.want = want,							\
}

/* Together too large for a stack. */
static struct sframe_redirect first = TAKE_OVER(sframe_kunit_target);
static struct sframe_redirect second = TAKE_OVER(sframe_kunit_target);
static struct sframe_redirect none = TAKE_OVER(0);
static struct sframe_redirect taken = TAKE_OVER(0);

static void redirect_refused(struct kunit *test)
{
	wanted = false;
	KUNIT_ASSERT_EQ(test, sframe_redirect_on(&first), 0);
	KUNIT_EXPECT_EQ(test, sframe_redirect_on(&second), -EBUSY);
	sframe_redirect_off(&second);
	sframe_redirect_off(&first);
	KUNIT_EXPECT_LT(test, sframe_redirect_on(&none), 0);
	/* Not where a function begins. */
	none.addr = (unsigned long)&none;
	KUNIT_EXPECT_LT(test, sframe_redirect_on(&none), 0);
	/* By the module itself. */
	taken.addr = sframe_symbol("perf_callchain_user");
	KUNIT_ASSERT_NE(test, taken.addr, 0ul);
	KUNIT_EXPECT_EQ(test, sframe_redirect_on(&taken), -EBUSY);
}

/* Every allocation on the way fails in turn: then it is not taken over. */
static void redirect_allocations_fail(struct kunit *test)
{
	struct made_failures f = made_failures(test);
	struct sframe_redirect r = TAKE_OVER(sframe_kunit_target);
	int ret;

	wanted = true;
	while (made_failures_next(&f)) {
		made_failure(&f);
		ret = sframe_redirect_on(&r);
		made_failure_end(&f, !ret);
		KUNIT_EXPECT_EQ(test, call(1), ret ? 2 : 101);
		sframe_redirect_off(&r);
		KUNIT_EXPECT_EQ(test, call(1), 2);
	}
	made_failures_end(&f, 1);
}

static struct sframe_redirect sleeper;
static DECLARE_COMPLETION(entered);
static DECLARE_COMPLETION(leave);

static int sleeping(int arg)
{
	complete(&entered);
	wait_for_completion(&leave);
	sframe_redirect_done(&sleeper);
	return arg + 200;
}

static int caller(void *unused)
{
	return call(1);
}

static DECLARE_COMPLETION(gone);

static int remover(void *unused)
{
	sframe_redirect_off(&sleeper);
	complete(&gone);
	return 0;
}

/* Taking it away waits for who is inside. */
static void redirect_that_sleeps(struct kunit *test)
{
	struct task_struct *inside, *outside;

	sleeper = (struct sframe_redirect) {
		.addr = (unsigned long)sframe_kunit_target,
		.to = sleeping,
		.want = want,
		.sleeps = true,
	};
	reinit_completion(&entered);
	reinit_completion(&leave);
	reinit_completion(&gone);
	wanted = true;
	KUNIT_ASSERT_EQ(test, sframe_redirect_on(&sleeper), 0);
	inside = made_thread(test, caller, NULL);
	wait_for_completion(&entered);
	KUNIT_EXPECT_EQ(test, atomic_read(&sleeper.running), 1);
	outside = made_thread(test, remover, NULL);
	KUNIT_EXPECT_EQ(test, wait_for_completion_timeout(&gone, 2 * HZ), 0ul);
	complete(&leave);
	wait_for_completion(&gone);
	KUNIT_EXPECT_EQ(test, atomic_read(&sleeper.running), 0);
	KUNIT_EXPECT_EQ(test, made_join(inside), 201);
	KUNIT_EXPECT_EQ(test, made_join(outside), 0);
	KUNIT_EXPECT_EQ(test, call(1), 2);
}

static struct kunit_case redirect_cases[] = {
	KUNIT_CASE(redirect_on_and_off),
	KUNIT_CASE(redirect_refused),
	KUNIT_CASE_SLOW(redirect_allocations_fail),
	KUNIT_CASE_SLOW(redirect_that_sleeps),
	{}
};

static struct kunit_suite redirect_suite = {
	.name = "sframe_redirect",
	.test_cases = redirect_cases,
};

kunit_test_suite(redirect_suite);
