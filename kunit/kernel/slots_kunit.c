// SPDX-License-Identifier: GPL-2.0
/*
 * Requests of task work: coalesced, cancelled, refused.
 */
#include <kunit/test.h>

#include <linux/cred.h>
#include <linux/mm.h>
#include <linux/preempt.h>
#include <linux/sched.h>

#include "../../kernel/compat/compat.h"
#include "../../kernel/slots.h"
#include "../../kernel/stats.h"
#include "made.h"

static unsigned int runs;

static void run(struct sframe_slot *slot)
{
	runs++;
	sframe_slot_release(slot);
}

static struct sframe_slots *set_new(struct kunit *test)
{
	struct sframe_slots *set = kvzalloc(sizeof(*set), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, set);
	set->run = run;
	set->queued = SFRAME_EV_PENDING;
	set->full = SFRAME_EV_PENDING_FULL;
	sframe_slots_open(set);
	runs = 0;
	return set;
}

/* As a user task would; this one has no user mode to return to. */
static struct sframe_slot *request(struct sframe_slots *set)
{
	struct sframe_slot *slot;

	preempt_disable();
	current->flags &= ~PF_KTHREAD;
	slot = sframe_slot_request(set);
	current->flags |= PF_KTHREAD;
	preempt_enable();
	return slot;
}

static void kernel_threads_are_refused(struct kunit *test)
{
	struct sframe_slots *set = set_new(test);

	KUNIT_EXPECT_NULL(test, sframe_slot_request(set));
	KUNIT_EXPECT_EQ(test, atomic_read(&set->running), 0);
	KUNIT_EXPECT_FALSE(test, sframe_slots_flush(set));
	kvfree(set);
}

static void requests_coalesce(struct kunit *test)
{
	unsigned int users = refcount_read(&current->usage);
	struct sframe_slots *set = set_new(test);
	struct sframe_slot *slot = request(set);
	u64 cookie;

	KUNIT_ASSERT_NOT_NULL(test, slot);
	cookie = slot->cookie;
	slot->sampled = true;
	KUNIT_EXPECT_PTR_EQ(test, request(set), slot);
	KUNIT_EXPECT_TRUE(test, slot->sampled);
	KUNIT_EXPECT_EQ(test, slot->cookie, cookie);
	KUNIT_EXPECT_EQ(test, atomic_read(&set->running), 1);
	KUNIT_EXPECT_EQ(test, refcount_read(&current->usage), users + 1);
	KUNIT_EXPECT_EQ(test, runs, 0u);

	KUNIT_EXPECT_TRUE(test, sframe_slots_flush(set));
	KUNIT_EXPECT_EQ(test, runs, 1u);
	KUNIT_EXPECT_FALSE(test, sframe_slots_flush(set));
	KUNIT_EXPECT_EQ(test, atomic_read(&set->running), 0);
	KUNIT_EXPECT_EQ(test, refcount_read(&current->usage), users);

	/* The next one is another one. */
	slot = request(set);
	KUNIT_ASSERT_NOT_NULL(test, slot);
	KUNIT_EXPECT_NE(test, slot->cookie, cookie);
	KUNIT_EXPECT_FALSE(test, slot->sampled);
	KUNIT_EXPECT_TRUE(test, sframe_slots_flush(set));
	KUNIT_EXPECT_EQ(test, runs, 2u);
	kvfree(set);
}

static void close_cancels(struct kunit *test)
{
	unsigned int users = refcount_read(&current->usage);
	struct sframe_slots *set = set_new(test);

	KUNIT_ASSERT_NOT_NULL(test, request(set));
	sframe_slots_close(set);
	KUNIT_EXPECT_EQ(test, runs, 0u);
	KUNIT_EXPECT_EQ(test, atomic_read(&set->running), 0);
	KUNIT_EXPECT_EQ(test, refcount_read(&current->usage), users);
	KUNIT_EXPECT_FALSE(test, sframe_slots_flush(set));
	kvfree(set);
}

/* Before a set is open and from when it closes: no request, and none left. */
static void closed_sets_refuse(struct kunit *test)
{
	unsigned long full = made_events(SFRAME_EV_PENDING_FULL);
	struct sframe_slots *set = set_new(test);

	set->open = false;
	KUNIT_EXPECT_NULL(test, request(set));
	sframe_slots_open(set);
	KUNIT_EXPECT_FALSE(test, sframe_slots_requested(set));
	KUNIT_EXPECT_NOT_NULL(test, request(set));
	KUNIT_EXPECT_TRUE(test, sframe_slots_requested(set));
	sframe_slots_close(set);
	KUNIT_EXPECT_FALSE(test, sframe_slots_requested(set));
	KUNIT_EXPECT_EQ(test, atomic_read(&set->running), 0);
	KUNIT_EXPECT_NULL(test, request(set));
	KUNIT_EXPECT_EQ(test, runs, 0u);
	/* That is no lack of slots. */
	KUNIT_EXPECT_EQ(test, made_events(SFRAME_EV_PENDING_FULL), full);
	sframe_slots_drain(set);
	kvfree(set);
}

#define OTHER_UID	4711u

/* As if tasks of @uid had so many slots of each chain, from the first on. */
static void occupy(struct sframe_slots *set, unsigned int nr, uid_t uid)
{
	struct sframe_slot *slot;
	unsigned int i, j;

	for (i = 0; i < ARRAY_SIZE(set->chain); i++) {
		for (j = 0; j < SFRAME_LINK_SLOTS; j++) {
			slot = &set->chain[i].slot[j];
			/* Any state but the first: somebody else's. */
			slot->state = j < nr;
			slot->uid = uid;
		}
	}
}

static void no_slot_is_free(struct kunit *test)
{
	unsigned long before = made_events(SFRAME_EV_PENDING_FULL);
	struct sframe_slots *set = set_new(test);

	occupy(set, SFRAME_LINK_SLOTS, OTHER_UID);
	KUNIT_EXPECT_NULL(test, request(set));
	KUNIT_EXPECT_EQ(test, made_events(SFRAME_EV_PENDING_FULL), before + 1);
	KUNIT_EXPECT_EQ(test, atomic_read(&set->running), 0);
	kvfree(set);
}

/**
 * struct asker - somebody who asks for a slot
 * @set: of this set
 * @uid: as this user
 * @as_root: root's credentials are lent to it, as file systems do
 * @got: it got one
 * @asked: it has
 */
struct asker {
	struct sframe_slots *set;
	uid_t uid;
	bool as_root;
	bool got;
	struct completion asked;
};

static int ask(void *arg)
{
	struct asker *a = arg;
	struct cred *cred = prepare_creds();
	const struct cred *own = NULL, *root = get_current_cred();

	if (cred) {
		cred->uid = KUIDT_INIT(a->uid);
		commit_creds(cred);
		if (a->as_root)
			own = override_creds(root);
		a->got = request(a->set);
		if (a->as_root)
			revert_creds(own);
		sframe_slots_flush(a->set);
	}
	put_cred(root);
	complete(&a->asked);
	return cred ? 0 : -ENOMEM;
}

static bool user_gets_slot(struct kunit *test, struct sframe_slots *set, uid_t uid, bool as_root)
{
	struct asker a = { .set = set, .uid = uid, .as_root = as_root };
	struct task_struct *task;

	init_completion(&a.asked);
	task = made_thread(test, ask, &a);
	wait_for_completion(&a.asked);
	KUNIT_EXPECT_EQ(test, made_join(task), 0);
	return a.got;
}

#define SOME_UID	4712u

/* Half of a chain is all that a user may have, whoever's rights it has at the moment. */
static void users_have_shares(struct kunit *test)
{
	struct sframe_slots *set = set_new(test);

	occupy(set, SFRAME_LINK_SLOTS / 2, SOME_UID);
	KUNIT_EXPECT_FALSE(test, user_gets_slot(test, set, SOME_UID, false));
	KUNIT_EXPECT_FALSE(test, user_gets_slot(test, set, SOME_UID, true));
	KUNIT_EXPECT_TRUE(test, user_gets_slot(test, set, OTHER_UID, false));
	occupy(set, SFRAME_LINK_SLOTS / 2 - 1, SOME_UID);
	KUNIT_EXPECT_TRUE(test, user_gets_slot(test, set, SOME_UID, false));
	occupy(set, 0, 0);
	set->crowded = 0;
	KUNIT_EXPECT_TRUE(test, user_gets_slot(test, set, SOME_UID, false));
	KUNIT_EXPECT_EQ(test, set->crowded, 0u);
	sframe_slots_drain(set);
	kvfree(set);
}

/* All users together leave a quarter of a chain to root, and the chain is to grow. */
static void root_has_the_rest(struct kunit *test)
{
	struct sframe_slots *set = set_new(test);

	occupy(set, SFRAME_LINK_SLOTS * 3 / 4, OTHER_UID);
	KUNIT_EXPECT_FALSE(test, user_gets_slot(test, set, SOME_UID, false));
	KUNIT_EXPECT_NE(test, set->crowded, 0u);
	KUNIT_EXPECT_TRUE(test, user_gets_slot(test, set, 0, false));
	occupy(set, SFRAME_LINK_SLOTS - 1, 0);
	KUNIT_EXPECT_TRUE(test, user_gets_slot(test, set, 0, false));
	sframe_slots_drain(set);
	kvfree(set);
}

static unsigned int links(struct sframe_slots *set)
{
	struct sframe_link *link;
	unsigned int i, n = 0;

	for (i = 0; i < ARRAY_SIZE(set->chain); i++)
		for (link = &set->chain[i]; link; link = link->next)
			n++;
	return n;
}

/* Crowded chains grow where memory can be had, up to a limit. */
static void chains_grow(struct kunit *test)
{
	struct sframe_slots *set = set_new(test);
	unsigned int i, before = links(set);

	for (i = 1; i < SFRAME_LINKS_MAX + 3; i++) {
		occupy(set, SFRAME_LINK_SLOTS / 2, OTHER_UID);
		KUNIT_ASSERT_NOT_NULL(test, request(set));
		set->crowded = 1;
		KUNIT_EXPECT_EQ(test, links(set), before +
				min(i - 1, SFRAME_LINKS_MAX - 1));
		KUNIT_EXPECT_TRUE(test, sframe_slots_flush(set));
		KUNIT_EXPECT_EQ(test, links(set), before +
				min(i, SFRAME_LINKS_MAX - 1));
	}
	occupy(set, 0, 0);
	sframe_slots_drain(set);
	KUNIT_EXPECT_EQ(test, links(set), before);
	kvfree(set);
}

/* What the kernel calls where a user task leaves it. Not exported. */
static void leave_kernel(void)
{
	unsigned long addr = sframe_symbol("task_work_run");

	if (addr)
		((typeof(&task_work_run))addr)();
}

static void work_runs(struct kunit *test)
{
	unsigned int users = refcount_read(&current->usage);
	unsigned long before = made_events(SFRAME_EV_PENDING);
	struct sframe_slots *set = set_new(test);
	unsigned int i;

	for (i = 1; i <= 3; i++) {
		KUNIT_ASSERT_NOT_NULL(test, request(set));
		KUNIT_EXPECT_EQ(test, runs, i - 1);
		leave_kernel();
		KUNIT_EXPECT_EQ(test, runs, i);
		KUNIT_EXPECT_EQ(test, atomic_read(&set->running), 0);
		KUNIT_EXPECT_EQ(test, refcount_read(&current->usage), users);
		/* Nothing is left to do. */
		leave_kernel();
		KUNIT_EXPECT_EQ(test, runs, i);
		KUNIT_EXPECT_FALSE(test, sframe_slots_flush(set));
	}
	KUNIT_EXPECT_EQ(test, made_events(SFRAME_EV_PENDING), before + 3);
	kvfree(set);
}

/* It exits: too late for new requests. */
static void exiting_tasks_are_refused(struct kunit *test)
{
	struct sframe_slots *set = set_new(test);

	preempt_disable();
	current->flags |= PF_EXITING;
	KUNIT_EXPECT_NULL(test, request(set));
	current->flags &= ~PF_EXITING;
	preempt_enable();
	KUNIT_EXPECT_EQ(test, atomic_read(&set->running), 0);
	kvfree(set);
}

struct racer {
	struct sframe_slots *set;
	struct completion requested;
};

static int race(void *arg)
{
	struct racer *r = arg;

	request(r->set);
	complete(&r->requested);
	leave_kernel();
	return 0;
}

/* Unloading meets a task that is just leaving the kernel: runs or is cancelled. */
static void close_races_with_work(struct kunit *test)
{
	struct sframe_slots *set = set_new(test);
	struct racer r = { .set = set };
	struct task_struct *task;
	unsigned int i;

	for (i = 0; i < 20; i++) {
		init_completion(&r.requested);
		runs = 0;
		sframe_slots_open(set);
		task = made_thread(test, race, &r);
		wait_for_completion(&r.requested);
		sframe_slots_close(set);
		KUNIT_EXPECT_LE(test, READ_ONCE(runs), 1u);
		KUNIT_EXPECT_EQ(test, atomic_read(&set->running), 0);
		KUNIT_EXPECT_EQ(test, made_join(task), 0);
	}
	kvfree(set);
}

static struct kunit_case slots_cases[] = {
	KUNIT_CASE(kernel_threads_are_refused),
	KUNIT_CASE(requests_coalesce),
	KUNIT_CASE(close_cancels),
	KUNIT_CASE(closed_sets_refuse),
	KUNIT_CASE(no_slot_is_free),
	KUNIT_CASE(users_have_shares),
	KUNIT_CASE(root_has_the_rest),
	KUNIT_CASE(chains_grow),
	KUNIT_CASE(work_runs),
	KUNIT_CASE(exiting_tasks_are_refused),
	KUNIT_CASE_SLOW(close_races_with_work),
	{}
};

static struct kunit_suite slots_suite = {
	.name = "sframe_slots",
	.test_cases = slots_cases,
};

kunit_test_suite(slots_suite);
