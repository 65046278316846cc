// SPDX-License-Identifier: GPL-2.0
/*
 * Task work that scans the current task's mm before it returns to user mode.
 * Requests come from hooks under mmap_lock and from samples in NMI, where
 * nothing can be allocated: a fixed set of slots, claimed without locks.
 */
#include <linux/hash.h>
#include <linux/sched/task.h>
#include <linux/wait_bit.h>

#include "compat/compat.h"
#include "internal.h"

#define SLOT_BITS	8
#define SLOT_PROBES	8

enum slot_state {
	SLOT_FREE,
	SLOT_CLAIMED,		/* being filled by its task */
	SLOT_QUEUED,		/* task work is queued, or about to run */
	SLOT_CANCELLING,	/* the module unloads */
};

/**
 * struct slot - one queued scan
 * @work: in the task's list while QUEUED
 * @task: whose; a reference is held while not FREE. Written by the task
 *	itself only, so it may compare with current at any time
 * @state: enum slot_state, changed by cmpxchg
 */
struct slot {
	struct callback_head work;
	struct task_struct *task;
	int state;
};

static struct slot slots[1 << SLOT_BITS];
/* Queued works that neither finished nor were cancelled. */
static atomic_t running;

static void running_done(void)
{
	if (atomic_dec_and_test(&running))
		wake_up_var(&running);
}

static void slot_free(struct slot *s)
{
	WRITE_ONCE(s->task, NULL);
	smp_store_release(&s->state, SLOT_FREE);
}

static void slot_work(struct callback_head *head)
{
	struct slot *s = container_of(head, struct slot, work);
	struct sframe_mm *m;

	/* Unload may be looking at it; it puts back what it cannot cancel. */
	while (cmpxchg(&s->state, SLOT_QUEUED, SLOT_CLAIMED) != SLOT_QUEUED)
		cond_resched();
	/* Free before the scan: what changes meanwhile may ask again. */
	slot_free(s);
	put_task_struct(current);

	m = sframe_mm_scan();
	if (m)
		sframe_mm_put(m);
	running_done();
}

static struct slot *slot_claim(void)
{
	unsigned int h = hash_ptr(current, SLOT_BITS), i;
	struct slot *s;

	for (i = 0; i < SLOT_PROBES; i++) {
		s = &slots[(h + i) % ARRAY_SIZE(slots)];
		if (READ_ONCE(s->task) == current)
			return NULL;
	}
	for (i = 0; i < SLOT_PROBES; i++) {
		s = &slots[(h + i) % ARRAY_SIZE(slots)];
		if (READ_ONCE(s->state) == SLOT_FREE &&
		    cmpxchg(&s->state, SLOT_FREE, SLOT_CLAIMED) == SLOT_FREE) {
			WRITE_ONCE(s->task, current);
			return s;
		}
	}
	sframe_count(SFRAME_EV_PENDING_FULL);
	return NULL;
}

/**
 * sframe_pending_request() - have the current task scan its mm soon
 *
 * Does nothing if it is going to do so anyway, or exits.
 *
 * Context: any, NMI included.
 */
void sframe_pending_request(void)
{
	enum task_work_notify_mode mode = in_nmi() ? TWA_NMI_CURRENT : TWA_RESUME;
	struct slot *s;

	if (current->flags & (PF_KTHREAD | PF_USER_WORKER | PF_EXITING))
		return;
	s = slot_claim();
	if (!s)
		return;
	get_task_struct(current);
	atomic_inc(&running);
	init_task_work(&s->work, slot_work);
	/* Queued in name first: the work runs in this task, so not yet. */
	smp_store_release(&s->state, SLOT_QUEUED);
	if (!task_work_add(current, &s->work, mode)) {
		sframe_count(SFRAME_EV_PENDING);
		return;
	}
	slot_free(s);
	put_task_struct(current);
	running_done();
}

/* True if the slot is free, or its work is cancelled. */
static void slot_cancel(struct slot *s)
{
	if (cmpxchg(&s->state, SLOT_QUEUED, SLOT_CANCELLING) != SLOT_QUEUED)
		return;
	/* The work waits for us to leave this state, so the task is there. */
	if (!sframe_task_work_cancel(s->task, &s->work)) {
		smp_store_release(&s->state, SLOT_QUEUED);
		return;
	}
	put_task_struct(s->task);
	slot_free(s);
	running_done();
}

/**
 * sframe_pending_drain() - no scan is queued or runs when this returns
 *
 * Context: process context, may sleep; nobody may make requests any more.
 */
void sframe_pending_drain(void)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(slots); i++)
		slot_cancel(&slots[i]);
	wait_var_event(&running, !atomic_read(&running));
	/* A work that was the last to count may still be returning. */
	sframe_synchronize_redirects();
}
