// SPDX-License-Identifier: GPL-2.0
/*
 * Mistakes made on request (module parameter "bug"), to see that the runner
 * notices each kind. Without a request the case passes.
 */
#include <kunit/test.h>

#include <linux/delay.h>
#include <linux/list.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/preempt.h>
#include <linux/slab.h>
#include <linux/string.h>

static char *bug = "none";
module_param(bug, charp, 0444);
MODULE_PARM_DESC(bug, "kind of mistake to make, for tests of the runner");

static void bug_kasan(struct kunit *test)
{
	char *p = kmalloc(20, GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, p);
	OPTIMIZER_HIDE_VAR(p);
	p[20] = 'x';
	kfree(p);
}

static void bug_ubsan(struct kunit *test)
{
	int bits = 40, one = 1;

	OPTIMIZER_HIDE_VAR(bits);
	kunit_info(test, "%d", one << bits);
}

static void bug_sleep(struct kunit *test)
{
	preempt_disable();
	might_sleep();
	preempt_enable();
}

static DEFINE_MUTEX(one);
static DEFINE_MUTEX(other);

static void bug_lockdep(struct kunit *test)
{
	mutex_lock(&one);
	mutex_lock(&other);
	mutex_unlock(&other);
	mutex_unlock(&one);
	mutex_lock(&other);
	mutex_lock(&one);
	mutex_unlock(&one);
	mutex_unlock(&other);
}

static void bug_list(struct kunit *test)
{
	static LIST_HEAD(list);
	static struct list_head entry;

	list_add(&entry, &list);
	list_add(&entry, &list);
}

/* Several: of the last, its address may still be on a stack. */
static void bug_leak(struct kunit *test)
{
	unsigned int i;
	void *p;

	for (i = 0; i < 10; i++) {
		p = kmalloc(77, GFP_KERNEL);
		OPTIMIZER_HIDE_VAR(p);
		KUNIT_EXPECT_NOT_NULL(test, p);
	}
}

static void bug_null(struct kunit *test)
{
	int *p = NULL;

	OPTIMIZER_HIDE_VAR(p);
	*p = 1;
}

static void bug_assert(struct kunit *test)
{
	KUNIT_ASSERT_EQ(test, 2 + 2, 5);
}

/* With interrupts off, so that nothing can be done about it. */
static void bug_hang(struct kunit *test)
{
	local_irq_disable();
	for (;;)
		mdelay(1000);
}

static const struct {
	const char *name;
	void (*make)(struct kunit *test);
} bugs[] = {
	{ "kasan", bug_kasan },
	{ "ubsan", bug_ubsan },
	{ "sleep", bug_sleep },
	{ "lockdep", bug_lockdep },
	{ "list", bug_list },
	{ "leak", bug_leak },
	{ "null", bug_null },
	{ "assert", bug_assert },
	{ "hang", bug_hang },
};

static void requested(struct kunit *test)
{
	unsigned int i;

	if (!strcmp(bug, "none"))
		return;
	for (i = 0; i < ARRAY_SIZE(bugs); i++) {
		if (!strcmp(bug, bugs[i].name)) {
			bugs[i].make(test);
			return;
		}
	}
	KUNIT_FAIL(test, "no bug of the name '%s'", bug);
}

static struct kunit_case bug_cases[] = {
	KUNIT_CASE(requested),
	{}
};

static struct kunit_suite bug_suite = {
	.name = "sframe_bug",
	.test_cases = bug_cases,
};

kunit_test_suite(bug_suite);
