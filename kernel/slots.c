// SPDX-License-Identifier: GPL-2.0
/*
 * Task work for the current task, asked for where nothing can be allocated:
 * in hooks under mmap_lock and in samples in NMI. A fixed set of slots,
 * claimed without locks; one is enough per task, so requests coalesce.
 *
 *	FREE -> CLAIMED -> QUEUED -> RUNNING -> FREE
 *			   QUEUED -> CANCELLING -> FREE, or back to QUEUED
 */
#include <linux/hash.h>
#include <linux/sched/task.h>
#include <linux/wait_bit.h>

#include "compat/compat.h"
#include "internal.h"

#define SLOT_PROBES	8

enum slot_state {
	SLOT_FREE,
	SLOT_CLAIMED,		/* being filled by its task */
	SLOT_QUEUED,		/* task work is queued, or about to run */
	SLOT_RUNNING,		/* the set's run() has it */
	SLOT_CANCELLING,	/* the module unloads */
};

/**
 * sframe_slot_release() - later requests of this task are new ones
 * @slot: which; must not be used any more
 *
 * Context: the set's run().
 */
void sframe_slot_release(struct sframe_slot *slot)
{
	WRITE_ONCE(slot->task, NULL);
	/* Whoever claims it next sees it empty. */
	smp_store_release(&slot->state, SLOT_FREE);
}

static void running_done(struct sframe_slots *set)
{
	if (atomic_dec_and_test(&set->running))
		wake_up_var(&set->running);
}

static void slot_run(struct sframe_slot *slot)
{
	struct sframe_slots *set = slot->set;

	set->run(slot);
	put_task_struct(current);
	running_done(set);
}

static void slot_work(struct callback_head *head)
{
	struct sframe_slot *slot = container_of(head, struct sframe_slot, work);

	/* Unload may be looking at it; it puts back what it cannot cancel. */
	while (cmpxchg(&slot->state, SLOT_QUEUED, SLOT_RUNNING) != SLOT_QUEUED)
		schedule_timeout_uninterruptible(1);
	slot_run(slot);
}

static struct sframe_slot *slot_probe(struct sframe_slots *set, unsigned int i)
{
	unsigned int h = hash_ptr(current, SFRAME_SLOT_BITS);

	return &set->slot[(h + i) % ARRAY_SIZE(set->slot)];
}

/* Only the task itself writes its address there, so this needs no ordering. */
static struct sframe_slot *slot_find(struct sframe_slots *set)
{
	struct sframe_slot *slot;
	unsigned int i;

	for (i = 0; i < SLOT_PROBES; i++) {
		slot = slot_probe(set, i);
		if (READ_ONCE(slot->task) == current)
			return slot;
	}
	return NULL;
}

static struct sframe_slot *slot_claim(struct sframe_slots *set)
{
	struct sframe_slot *slot;
	unsigned int i;

	for (i = 0; i < SLOT_PROBES; i++) {
		slot = slot_probe(set, i);
		if (READ_ONCE(slot->state) == SLOT_FREE &&
		    cmpxchg(&slot->state, SLOT_FREE, SLOT_CLAIMED) == SLOT_FREE)
			return slot;
	}
	return NULL;
}

/**
 * sframe_slot_request() - have the set's run() called in the current task
 * @set: which set
 *
 * It is called before the task returns to user mode. If a call is due already
 * that one is meant: an interrupt or NMI that comes while its task is in here
 * finds the slot as soon as it bears a cookie.
 *
 * Context: any, NMI included.
 * Return: the slot, NULL if none is free or the task exits.
 */
struct sframe_slot *sframe_slot_request(struct sframe_slots *set)
{
	enum task_work_notify_mode mode = in_nmi() ? TWA_NMI_CURRENT : TWA_RESUME;
	struct sframe_slot *slot;

	/* Without PF_EXITING, task_work_add() cannot find the task too dead. */
	if (current->flags & (PF_KTHREAD | PF_USER_WORKER | PF_EXITING))
		return NULL;
	slot = slot_find(set);
	if (slot)
		return slot;
	slot = slot_claim(set);
	if (!slot) {
		sframe_count(set->full);
		return NULL;
	}
	slot->set = set;
	slot->cookie = atomic64_inc_return(&set->cookies);
	init_task_work(&slot->work, slot_work);
	get_task_struct(current);
	atomic_inc(&set->running);
	barrier();	/* for interrupts of this task: filled, then shown */
	WRITE_ONCE(slot->task, current);
	/* Filled, for unload. It runs in this task, so not before we leave. */
	smp_store_release(&slot->state, SLOT_QUEUED);
	if (!task_work_add(current, &slot->work, mode)) {
		sframe_count(set->queued);
		return slot;
	}
	/* No NMI on this machine can queue work: not even this one. */
	sframe_slot_release(slot);
	put_task_struct(current);
	atomic_dec(&set->running);
	return NULL;
}

/* Take a queued work back. True if it will not run. */
static bool slot_cancel(struct sframe_slot *slot)
{
	if (cmpxchg(&slot->state, SLOT_QUEUED, SLOT_CANCELLING) != SLOT_QUEUED)
		return false;
	/* The work waits for us to leave this state, so the task is there. */
	if (sframe_task_work_cancel(slot->task, &slot->work))
		return true;
	/* From here on the task may be gone. */
	smp_store_release(&slot->state, SLOT_QUEUED);
	return false;
}

/**
 * sframe_slots_flush() - call run() now if it is due for the current task
 * @set: which set
 *
 * Context: the current task exits; may be atomic.
 * Return: whether it was.
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
 * sframe_slots_drain() - no run() is due or running when this returns
 * @set: which set
 *
 * Context: process context, may sleep; nobody may make requests any more.
 */
void sframe_slots_drain(struct sframe_slots *set)
{
	struct task_struct *task;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(set->slot); i++) {
		if (!slot_cancel(&set->slot[i]))
			continue;
		task = set->slot[i].task;
		sframe_slot_release(&set->slot[i]);
		put_task_struct(task);
		running_done(set);
	}
	wait_var_event(&set->running, !atomic_read(&set->running));
	/* A run() that was the last to count may still be returning. */
	sframe_synchronize_redirects();
}
