// SPDX-License-Identifier: GPL-2.0
/*
 * Task work for the current task, requested where nothing can be allocated: in samples,
 * which come in NMI and under any lock of the kernel, the allocator's too, and in hooks
 * under mmap_lock. A task has one slot per set, so requests coalesce. A slot is claimed
 * without locks:
 *
 *	FREE -> CLAIMED -> QUEUED -> RUNNING -> FREE
 *			   QUEUED -> CANCELLING -> FREE, or back to QUEUED
 *
 * A task's slot is in the chain that its address hashes to. Tasks that fall asleep in
 * the kernel keep theirs, so no user but root may have more than half of a chain, nor all
 * users together more than three quarters; and a chain that is crowded is extended by
 * the next task work of the set.
 */
#include <linux/cleanup.h>
#include <linux/hash.h>
#include <linux/preempt.h>
#include <linux/rcupdate.h>
#include <linux/sched/task.h>
#include <linux/slab.h>
#include <linux/uidgid.h>
#include <linux/wait_bit.h>

#include "account.h"
#include "compat/compat.h"
#include "slots.h"
#include "stats.h"

enum slot_state {
	SLOT_FREE,
	SLOT_CLAIMED,		/* being filled by its task */
	SLOT_QUEUED,		/* task work is queued, or about to run */
	SLOT_RUNNING,		/* the set's run() has it */
	SLOT_CANCELLING,	/* the module unloads */
};

/**
 * sframe_slot_release() - let later requests of this task be new ones
 * @slot: the slot; it must not be used afterwards
 *
 * Context: the set's run().
 */
void sframe_slot_release(struct sframe_slot *slot)
{
	WRITE_ONCE(slot->task, NULL);
	/* Pairs with the cmpxchg() of whoever claims it next. */
	smp_store_release(&slot->state, SLOT_FREE);
}

/* Nobody waits for that but drain_chains(), which comes after @set->open was cleared. */
static void slots_running_done(struct sframe_slots *set)
{
	if (atomic_dec_and_test(&set->running) && !READ_ONCE(set->open))
		wake_up_var(&set->running);
}

/* Add a link to a crowded chain. Two tasks may each add one. */
static void chain_grow(struct sframe_slots *set)
{
	unsigned int crowded = xchg(&set->crowded, 0), links = 1;
	struct sframe_link *link, *new, *next;

	if (!crowded)
		return;
	link = &set->chain[crowded - 1];
	/* Pairs with the release below: links are zeroed before they are seen. */
	while ((next = smp_load_acquire(&link->next))) {
		link = next;
		links++;
	}
	if (links >= SFRAME_LINKS_MAX)
		return;
	new = kzalloc(sizeof(*new), GFP_KERNEL | __GFP_NOWARN);
	if (new && cmpxchg_release(&link->next, NULL, new))
		kfree(new);
}

static void slot_run(struct sframe_slot *slot)
{
	struct sframe_slots *set = slot->set;

	set->run(slot);
	put_task_struct(current);
	/* An exiting task may come from sframe_slots_flush(), where it cannot sleep. */
	if (unlikely(READ_ONCE(set->crowded)) && !(current->flags & PF_EXITING))
		chain_grow(set);
	slots_running_done(set);
}

static void slot_work(struct callback_head *head)
{
	struct sframe_slot *slot = container_of(head, struct sframe_slot, work);

	/* Unload may be trying to cancel it; it puts back what it cannot cancel. */
	while (cmpxchg(&slot->state, SLOT_QUEUED, SLOT_RUNNING) != SLOT_QUEUED)
		schedule_timeout_uninterruptible(1);
	slot_run(slot);
}

/* Acquire pairs with chain_grow(): whoever sees a link sees it zeroed. */
#define for_each_slot(slot, link, i)					\
	/* acquire, see above */					\
	for (; link; link = smp_load_acquire(&(link)->next))		\
		for (i = 0, slot = (link)->slot;			\
		     i < SFRAME_LINK_SLOTS; i++, slot++)

static struct sframe_link *chain_of_current(struct sframe_slots *set)
{
	return &set->chain[hash_ptr(current, SFRAME_CHAIN_BITS)];
}

/* Only the task itself writes its address into a slot, so no ordering is needed. */
static struct sframe_slot *slot_find(struct sframe_slots *set)
{
	struct sframe_link *link = chain_of_current(set);
	struct sframe_slot *slot;
	unsigned int i;

	for_each_slot(slot, link, i) {
		if (READ_ONCE(slot->task) == current)
			return slot;
	}
	return NULL;
}

/**
 * struct census - who uses a chain's slots
 * @slots: slots there are
 * @taken: slots in use
 * @mine: slots in use by @uid
 * @uid: the current task's user
 */
struct census {
	unsigned int slots;
	unsigned int taken;
	unsigned int mine;
	kuid_t uid;
};

/* Others claim and release slots meanwhile: the counts are approximate. */
static void chain_count(struct sframe_link *link, struct census *census)
{
	struct sframe_slot *slot;
	unsigned int i;

	for_each_slot(slot, link, i) {
		census->slots++;
		if (READ_ONCE(slot->state) == SLOT_FREE)
			continue;
		census->taken++;
		census->mine += READ_ONCE(slot->uid) == __kuid_val(census->uid);
	}
}

/* May the user have one more? */
static bool is_within_share(const struct census *census)
{
	return uid_eq(census->uid, GLOBAL_ROOT_UID) ||
	       (2 * census->mine < census->slots && 4 * census->taken < 3 * census->slots);
}

static struct sframe_slot *slot_claim(struct sframe_slots *set, kuid_t uid)
{
	struct sframe_link *chain = chain_of_current(set), *link = chain;
	struct census census = { .uid = uid };
	struct sframe_slot *slot;
	unsigned int i;

	chain_count(chain, &census);
	if (2 * census.taken >= census.slots)
		WRITE_ONCE(set->crowded, chain - set->chain + 1);
	if (!is_within_share(&census))
		return NULL;
	for_each_slot(slot, link, i) {
		if (READ_ONCE(slot->state) == SLOT_FREE &&
		    cmpxchg(&slot->state, SLOT_FREE, SLOT_CLAIMED) == SLOT_FREE)
			return slot;
	}
	return NULL;
}

/**
 * sframe_slot_request() - have the set's run() called in the current task
 * @set: the set
 *
 * It is called before the task returns to user mode. If a request is pending already,
 * that one's slot is returned: an interrupt or NMI that comes in here finds the slot once
 * its task is set, and claims another one before that.
 *
 * Context: any, NMI included. Allocates nothing.
 * Return: the slot; NULL if none is free, users have their share of the chain, the task
 *	exits, or the set is not open.
 */
struct sframe_slot *sframe_slot_request(struct sframe_slots *set)
{
	enum task_work_notify_mode mode = in_nmi() ? TWA_NMI_CURRENT : TWA_RESUME;
	struct sframe_slot *slot;
	kuid_t uid;

	/* sframe_slots_close() waits until the request is queued or refused. */
	guard(preempt_notrace)();
	if (!READ_ONCE(set->open))
		return NULL;
	/* A task without PF_EXITING cannot be too dead for task_work_add(). */
	if (current->flags & (PF_KTHREAD | PF_USER_WORKER | PF_EXITING))
		return NULL;
	slot = slot_find(set);
	if (slot)
		return slot;
	uid = sframe_payer_uid_current();
	slot = slot_claim(set, uid);
	if (!slot) {
		sframe_count(set->full);
		return NULL;
	}
	WRITE_ONCE(slot->uid, __kuid_val(uid));
	slot->set = set;
	slot->sampled = false;
	slot->cookie = atomic64_inc_return(&set->cookies);
	init_task_work(&slot->work, slot_work);
	get_task_struct(current);
	atomic_inc(&set->running);
	barrier();	/* an interrupt of this task must not find it before it is filled */
	WRITE_ONCE(slot->task, current);
	/* Unload may cancel it from now on. It cannot run before we leave. */
	smp_store_release(&slot->state, SLOT_QUEUED);
	if (!task_work_add(current, &slot->work, mode)) {
		sframe_count(set->queued);
		return slot;
	}
	/*
	 * task_work_add() refuses TWA_NMI_CURRENT where irq_work is not
	 * NMI-safe. Give the slot back.
	 */
	sframe_slot_release(slot);
	put_task_struct(current);
	atomic_dec(&set->running);
	return NULL;
}

/* Cancel a queued request; true if it will not run. */
static bool slot_cancel(struct sframe_slot *slot)
{
	if (cmpxchg(&slot->state, SLOT_QUEUED, SLOT_CANCELLING) != SLOT_QUEUED)
		return false;
	/* The work waits for the end of this state, so the task is there. */
	if (sframe_task_work_cancel(slot->task, &slot->work))
		return true;
	/* From here on the task may finish, and be gone. */
	smp_store_release(&slot->state, SLOT_QUEUED);
	return false;
}

/**
 * sframe_slots_flush() - run the current task's pending request now
 * @set: the set
 *
 * Context: the current task exits; may be atomic.
 * Return: true if there was one.
 */
bool sframe_slots_flush(struct sframe_slots *set)
{
	struct sframe_slot *slot = slot_find(set);

	if (!slot || !slot_cancel(slot))
		return false;
	WRITE_ONCE(slot->state, SLOT_RUNNING);
	slot_run(slot);
	return true;
}

/**
 * sframe_slots_requested() - has the current task a request that is pending?
 * @set: the set; need not be open
 *
 * Context: any, NMI included.
 * Return: true if it has, also while run() has it and did not release it.
 */
bool sframe_slots_requested(struct sframe_slots *set)
{
	return slot_find(set);
}

/* Cancel the requests of a chain; no new ones are made. */
static void drain_chain(struct sframe_slots *set, struct sframe_link *link)
{
	struct task_struct *task;
	struct sframe_slot *slot;
	unsigned int i;

	for_each_slot(slot, link, i) {
		if (!slot_cancel(slot))
			continue;
		task = slot->task;
		sframe_slot_release(slot);
		put_task_struct(task);
		slots_running_done(set);
	}
}

static void chain_free_links(struct sframe_link *chain)
{
	struct sframe_link *link = chain->next, *next;

	chain->next = NULL;
	for (; link; link = next) {
		next = link->next;
		kfree(link);
	}
}

/*
 * Cancel what is queued, and wait for what is about to run, or runs. The set is closed: so whoever
 * finishes a request after it was seen running here wakes us.
 */
static void drain_chains(struct sframe_slots *set)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(set->chain); i++)
		drain_chain(set, &set->chain[i]);
	wait_var_event(&set->running, !atomic_read(&set->running));
}

/**
 * sframe_slots_open() - take requests from now on
 * @set: the set
 *
 * Context: any.
 */
void sframe_slots_open(struct sframe_slots *set)
{
	WRITE_ONCE(set->open, true);
}

/**
 * sframe_slots_close() - take no more requests, and wait until none is left
 * @set: the set; sframe_slot_request() fails from now on
 *
 * A request that its task has not begun to run is cancelled, be the task blocked,
 * stopped or traced. One that it has begun to run, with all task work that was queued
 * with it, cannot be: this waits for whatever runs in the task before it. So call this
 * while nothing there can take for ever.
 *
 * Context: process context, may sleep.
 */
void sframe_slots_close(struct sframe_slots *set)
{
	WRITE_ONCE(set->open, false);
	/* After this, whoever found the set open has queued its request. */
	synchronize_rcu();
	drain_chains(set);
}

/**
 * sframe_slots_drain() - wait until no run() is due or running
 * @set: the set; it can be used again
 *
 * Context: process context, may sleep; the set is closed, and nobody asks for requests
 *	any more.
 */
void sframe_slots_drain(struct sframe_slots *set)
{
	unsigned int i;

	drain_chains(set);
	/* The last run() to be counted may still be returning. */
	sframe_synchronize_redirects();
	for (i = 0; i < ARRAY_SIZE(set->chain); i++)
		chain_free_links(&set->chain[i]);
}
