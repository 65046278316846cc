// SPDX-License-Identifier: GPL-2.0
/*
 * Places the hooks (track.c) before the first mm becomes known, and removes them when none
 * is any more: a machine where nobody records callchains does not notice the module.
 *
 * That takes some million instructions under locks of the whole kernel, so a worker does
 * it, never the task that happens to need them.
 */
#include <linux/atomic.h>
#include <linux/ftrace.h>
#include <linux/jiffies.h>
#include <linux/minmax.h>
#include <linux/sched.h>
#include <linux/seq_file.h>
#include <linux/wait.h>
#include <linux/workqueue.h>

#include "compat/compat.h"
#include "mm.h"
#include "placement.h"
#include "redirect.h"

/*
 * How long a task waits for the hooks, each time that its map is to be updated; and how long their
 * placing may take until no task waits for it any more: another user of ftrace may hold its
 * locks for long.
 */
#define WAIT_PERIOD	(HZ / 10)
#define PLACE_PERIOD	(10 * HZ)
/* How often to check whether anybody still records callchains. */
#define IDLE_PERIOD	(5 * HZ)

/* The hooks; constant. */
static struct ftrace_ops *hooks;
/* Ordered: one work at a time, and no one else changes what ftrace does for the hooks. */
static struct workqueue_struct *place_wq;
static bool placed;		/* written by the worker, and once at load */
static unsigned int attempts;	/* attempts to place them, written by the worker */
static bool place_failed;	/* the last attempt did, written as @placed */
static bool closing;		/* the module unloads; set once */
static atomic_t placing;	/* the worker was asked to, and has not answered */
static unsigned long asked_at;	/* when it was, jiffies; written before @placing is set */
static DECLARE_WAIT_QUEUE_HEAD(place_wait);

static void check_idle(struct work_struct *work);
static DECLARE_DELAYED_WORK(idle_work, check_idle);

/* Place the hooks; once they are, mms may become known. */
static int place_hooks(void)
{
	int ret;

	if (placed)
		return 0;
	ret = register_ftrace_function(hooks);
	WRITE_ONCE(place_failed, ret);
	if (ret)
		return ret;
	sframe_mm_open();
	WRITE_ONCE(placed, true);
	queue_delayed_work(place_wq, &idle_work, IDLE_PERIOD);
	return 0;
}

static void place_work_fn(struct work_struct *work)
{
	if (!READ_ONCE(closing))
		place_hooks();
	WRITE_ONCE(attempts, attempts + 1);
	atomic_set(&placing, 0);
	wake_up_all(&place_wait);
}

/* Remove the hooks, unless an mm is known; at unload in any case. */
static void remove_hooks(void)
{
	if (!placed || (!sframe_mm_close() && !READ_ONCE(closing)))
		return;
	WRITE_ONCE(placed, false);
	if (READ_ONCE(closing)) {
		sframe_ftrace_off(hooks);
	} else if (unregister_ftrace_function(hooks)) {
		sframe_mm_open();
		WRITE_ONCE(placed, true);
	}
}

static void remove_work_fn(struct work_struct *work)
{
	remove_hooks();
}

static void check_idle(struct work_struct *work)
{
	if (!sframe_callchains_wanted())
		sframe_mm_forget_all();
	remove_hooks();
	if (placed && !READ_ONCE(closing))
		queue_delayed_work(place_wq, &idle_work, IDLE_PERIOD);
}

static DECLARE_WORK(place_work, place_work_fn);
static DECLARE_WORK(remove_work, remove_work_fn);

static void place_soon(void)
{
	/* Whoever sees that it was asked for sees since when. */
	if (READ_ONCE(placed) || READ_ONCE(closing) || atomic_read_acquire(&placing))
		return;
	WRITE_ONCE(asked_at, jiffies);
	if (!atomic_xchg(&placing, 1))
		queue_work(place_wq, &place_work);
}

/**
 * sframe_hooks_wait() - have a worker place the hooks, and wait for it, but not for long
 *
 * Context: task context, sleeps; killable.
 * Return: true if they are placed; false if that has failed, or takes longer.
 */
bool sframe_hooks_wait(void)
{
	unsigned int before = READ_ONCE(attempts);
	long left;

	if (READ_ONCE(placed))
		return true;
	place_soon();
	left = READ_ONCE(asked_at) + PLACE_PERIOD - jiffies;
	if (left > 0)
		wait_event_killable_timeout(place_wait, READ_ONCE(placed) ||
					    READ_ONCE(attempts) != before ||
					    READ_ONCE(closing), min(left, WAIT_PERIOD));
	return READ_ONCE(placed);
}

/**
 * sframe_hooks_failed() - could the hooks not be placed the last time?
 *
 * Context: any, NMI included.
 * Return: true if so.
 */
bool sframe_hooks_failed(void)
{
	return READ_ONCE(place_failed);
}

/**
 * sframe_hooks_remove_idle() - remove the hooks, unless some mm is known
 *
 * Context: process context, may sleep.
 * Return: true if there are none now.
 */
bool sframe_hooks_remove_idle(void)
{
	queue_work(place_wq, &remove_work);
	flush_work(&remove_work);
	return !READ_ONCE(placed);
}

/**
 * sframe_hooks_init() - check that the hooks can be placed
 * @ops: the hooks, with their filter; nobody else places or removes them
 *
 * Context: process context, may sleep.
 * Return: 0 or -errno.
 */
int sframe_hooks_init(struct ftrace_ops *ops)
{
	int ret;

	place_wq = alloc_ordered_workqueue("sframe-hooks", 0);
	if (!place_wq)
		return -ENOMEM;
	hooks = ops;
	/* Fail at load rather than when somebody records. */
	ret = place_hooks();
	if (ret) {
		destroy_workqueue(place_wq);
		return ret;
	}
	/* Remove them again, unless some mm became known meanwhile. */
	sframe_hooks_remove_idle();
	return 0;
}

/**
 * sframe_hooks_stop() - remove the hooks for good
 *
 * Context: process context, may sleep. Tasks that wait for them are woken up.
 */
void sframe_hooks_stop(void)
{
	WRITE_ONCE(closing, true);
	wake_up_all(&place_wait);
	cancel_work_sync(&place_work);
	cancel_delayed_work_sync(&idle_work);
	sframe_hooks_remove_idle();
}

/**
 * sframe_hooks_exit() - let go of what is left
 *
 * Context: process context, may sleep; after sframe_hooks_stop(), and nobody waits for the
 *	hooks any more.
 */
void sframe_hooks_exit(void)
{
	destroy_workqueue(place_wq);
}

/**
 * sframe_hooks_show() - print whether the hooks are placed
 * @m: where to print it
 *
 * Context: process context.
 */
void sframe_hooks_show(struct seq_file *m)
{
	seq_printf(m, "hooks %u\n", READ_ONCE(placed));
}
