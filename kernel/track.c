// SPDX-License-Identifier: GPL-2.0
/*
 * Notices what changes an mm's executable mappings, by ftrace hooks. One ftrace_ops
 * serves all of them (on s390x the cost is per ops), and tells them apart by address;
 * which functions are hooked, and what their callers guarantee, is in compat/hooks.h.
 * They are placed before the first mm becomes known, and removed when none is any more:
 * a machine where nobody records callchains does not notice the module.
 *
 * Placing and removing them takes some million instructions under locks of the whole
 * kernel, so a worker does it, never the task that happens to need them.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/ftrace.h>
#include <linux/kernel.h>
#include <linux/mm.h>
#include <linux/sched.h>
#include <linux/seq_file.h>
#include <linux/wait.h>
#include <linux/workqueue.h>

#include "compat/compat.h"
#include "compat/gone.h"
#include "compat/hooks.h"
#include "follow.h"
#include "lesson.h"
#include "limits.h"
#include "mm.h"
#include "slots.h"
#include "stats.h"
#include "track.h"

/*
 * How long a task waits for the hooks to be placed; if that is too short, its next
 * update tries again.
 */
#define PLACE_PERIOD	(HZ / 10)
/* How often to check whether anybody still records callchains. */
#define IDLE_PERIOD	(5 * HZ)

static void update_in_task_work(struct sframe_slot *slot)
{
	struct sframe_mm *m;

	/* Before the update, so that changes during it can make a new request. */
	sframe_slot_release(slot);
	m = sframe_track_update();
	if (!m)
		return;
	sframe_lesson_take(m);
	sframe_mm_put(m);
}

static struct sframe_slots updates = {
	.run = update_in_task_work,
	.queued = SFRAME_EV_PENDING,
	.full = SFRAME_EV_PENDING_FULL,
};

bool sframe_track_request(void)
{
	return sframe_slot_request(&updates);
}

bool sframe_track_requested(void)
{
	return sframe_slots_requested(&updates);
}

int sframe_track_open(void)
{
	sframe_slots_open(&updates);
	return 0;
}

void sframe_track_close(void)
{
	sframe_slots_close(&updates);
}

/* ---- hooks: most of what they see is of no interest, and leaves at once ---- */

/* An executable mapping of the current task's mm changes; @gone: it is unmapped. */
static noinline void exec_mapping_changed(const struct vm_area_struct *vma, u64 start,
					  u64 end, bool gone)
{
	unsigned int places;

	/* Nobody records any more: what is known would be out of date by the next time. */
	if (!sframe_callchains_wanted()) {
		sframe_mm_exit(vma->vm_mm);
		return;
	}
	places = sframe_mm_changed(vma->vm_mm, start, end);
	/* Code without a file has no table, so there is no hurry. */
	if (!vma->vm_file || !sframe_follow_ahead())
		return;
	/*
	 * What is unmapped has no table from now on, as it is in the log; the next
	 * update takes it out of the map. But if the log gets crowded, its spans grow
	 * together, and what lies between them counts as changed, too: then do not
	 * wait.
	 */
	if (gone && places < SFRAME_CLAIMED_MAX)
		return;
	sframe_track_request();
}

/*
 * Is @vma executable, and of an mm whose map matters? Asked twice for each mapping of
 * every process.
 */
static __always_inline bool vma_is_followed(const struct vm_area_struct *vma)
{
	return vma->vm_flags & VM_EXEC && vma->vm_mm == current->mm &&
	       (sframe_follow_ahead() || sframe_mm_is_known(vma->vm_mm));
}

static void hook_map(struct ftrace_regs *fregs)
{
	struct vm_area_struct *vma = SFRAME_ARG_MAP_VMA(fregs);

	if (vma_is_followed(vma))
		exec_mapping_changed(vma, vma->vm_start, vma->vm_end, false);
}

static void hook_unmap(struct ftrace_regs *fregs)
{
	struct vm_area_struct *vma = SFRAME_ARG_UNMAP_VMA(fregs);

	if (vma_is_followed(vma))
		exec_mapping_changed(vma, vma->vm_start, vma->vm_end,
				     sframe_vma_is_gone(vma));
}

static noinline void hook_move(struct ftrace_regs *fregs)
{
	struct vm_area_struct **vma = SFRAME_ARG_MOVE_VMA(fregs);
	unsigned long to = SFRAME_ARG_MOVE_TO(fregs);

	if (!vma_is_followed(*vma))
		return;
	exec_mapping_changed(*vma, (*vma)->vm_start, (*vma)->vm_end, false);
	exec_mapping_changed(*vma, to, to + SFRAME_ARG_MOVE_LEN(fregs), false);
}

static void hook_fork(struct ftrace_regs *fregs)
{
	sframe_mm_fork(SFRAME_ARG_FORK_OLD(fregs),
		       SFRAME_ARG_FORK_NEW(fregs));
}

static noinline void hook_exit(struct ftrace_regs *fregs)
{
	struct mm_struct *mm = SFRAME_ARG_EXIT_MM(fregs);

	if (sframe_mm_is_known(mm))
		sframe_mm_exit(mm);
}

/* The most frequent come first, see sframe_track_hook(). */
enum hook {
	HOOK_MAP,
	HOOK_UNMAP,
	HOOK_EXIT,
	HOOK_FORK,
	HOOK_MOVE,
	NR_HOOKS
};

static const enum sframe_target hook_targets[NR_HOOKS] = {
	[HOOK_MAP] = SFRAME_HOOK_MAP,
	[HOOK_UNMAP] = SFRAME_HOOK_UNMAP,
	[HOOK_EXIT] = SFRAME_HOOK_EXIT,
	[HOOK_FORK] = SFRAME_HOOK_FORK,
	[HOOK_MOVE] = SFRAME_HOOK_MOVE,
};

/* The functions' addresses; written before the hooks are placed. */
static unsigned long hook_addr[NR_HOOKS];

/* Bytes from a function's address to its ftrace site, at most. */
#define SITE_MAX	16

static __always_inline bool ip_is_at_hook(unsigned long ip, enum hook hook)
{
	return ip - hook_addr[hook] <= SITE_MAX;
}

/*
 * Called for every process on the machine while somebody records: no loop and no
 * indirect call until it is known that the mm is of no interest.
 */
static void notrace sframe_track_hook(unsigned long ip, unsigned long parent_ip,
				      struct ftrace_ops *ops,
				      struct ftrace_regs *fregs)
{
	if (ip_is_at_hook(ip, HOOK_MAP))
		hook_map(fregs);
	else if (ip_is_at_hook(ip, HOOK_UNMAP))
		hook_unmap(fregs);
	else if (ip_is_at_hook(ip, HOOK_EXIT))
		hook_exit(fregs);
	else if (ip_is_at_hook(ip, HOOK_FORK))
		hook_fork(fregs);
	else if (ip_is_at_hook(ip, HOOK_MOVE))
		hook_move(fregs);
}

static struct ftrace_ops track_ops = {
	.func = sframe_track_hook,
	/* If it could be switched off (kernel.ftrace_enabled), maps would go stale. */
	.flags = FTRACE_OPS_FL_PERMANENT,
};

/* ---- placing them ---- */

/* Ordered: one work at a time, and no one else changes what ftrace does for the hooks. */
static struct workqueue_struct *track_wq;
static bool placed;		/* written by the worker */
static unsigned int attempts;	/* attempts to place them, written by the worker */
static bool place_failed;	/* the last attempt did, written by the worker */
static bool closing;		/* the module unloads; set once */
static DECLARE_WAIT_QUEUE_HEAD(place_wait);

static void check_idle(struct work_struct *work);
static DECLARE_DELAYED_WORK(idle_work, check_idle);

/* Place the hooks; once they are, mms may become known. */
static int place_hooks(void)
{
	int ret;

	if (placed)
		return 0;
	ret = register_ftrace_function(&track_ops);
	WRITE_ONCE(place_failed, ret);
	if (ret)
		return ret;
	sframe_mm_open();
	WRITE_ONCE(placed, true);
	queue_delayed_work(track_wq, &idle_work, IDLE_PERIOD);
	return 0;
}

static void place_work_fn(struct work_struct *work)
{
	if (!READ_ONCE(closing))
		place_hooks();
	WRITE_ONCE(attempts, attempts + 1);
	wake_up_all(&place_wait);
}

/* Remove the hooks, unless an mm is known; at unload in any case. */
static void remove_hooks(void)
{
	if (!placed || (!sframe_mm_close() && !READ_ONCE(closing)))
		return;
	WRITE_ONCE(placed, false);
	unregister_ftrace_function(&track_ops);
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
		queue_delayed_work(track_wq, &idle_work, IDLE_PERIOD);
}

static DECLARE_WORK(place_work, place_work_fn);
static DECLARE_WORK(remove_work, remove_work_fn);

/**
 * sframe_track_place_soon() - have a worker place the hooks
 *
 * Context: task context.
 */
void sframe_track_place_soon(void)
{
	if (!READ_ONCE(placed) && !READ_ONCE(closing))
		queue_work(track_wq, &place_work);
}

/* Wait for the hooks, killably and not for long: another user of ftrace may hold its locks. */
static void wait_hooks_placed(void)
{
	unsigned int before = READ_ONCE(attempts);

	sframe_track_place_soon();
	wait_event_killable_timeout(place_wait, READ_ONCE(placed) ||
				    READ_ONCE(attempts) != before ||
				    READ_ONCE(closing), PLACE_PERIOD);
}

bool sframe_track_will_know(void)
{
	return !READ_ONCE(place_failed) && !READ_ONCE(sframe_privileged_only);
}

/**
 * sframe_track_update() - sframe_mm_update(), after the hooks are placed
 *
 * Context: task context, may sleep, no mmap_lock held.
 * Return: as sframe_mm_update(); NULL also if the hooks are not placed in time, or if
 *	the parameter privileged_only forbids to follow this task.
 */
struct sframe_mm *sframe_track_update(void)
{
	if (!current->mm || !sframe_follow_allowed())
		return NULL;
	if (!READ_ONCE(placed))
		wait_hooks_placed();
	return sframe_mm_update();
}

/**
 * sframe_track_remove_idle() - remove the hooks, unless some mm is known
 *
 * Context: process context, may sleep.
 * Return: true if there are none now.
 */
bool sframe_track_remove_idle(void)
{
	queue_work(track_wq, &remove_work);
	flush_work(&remove_work);
	return !READ_ONCE(placed);
}

static int find_hooks(void)
{
	unsigned int i;
	int ret;

	for (i = 0; i < NR_HOOKS; i++) {
		hook_addr[i] = sframe_target_find(hook_targets[i]);
		ret = hook_addr[i] ?
		      ftrace_set_filter_ip(&track_ops, hook_addr[i], 0, 0) :
		      -ENOENT;
		if (ret) {
			pr_err("cannot hook %s(): %d\n",
			       sframe_target_name(hook_targets[i]), ret);
			return ret;
		}
	}
	return 0;
}

/**
 * sframe_track_init() - check that the hooks can be placed
 *
 * All or none: with one missing, a map could describe mappings of the past.
 *
 * Context: process context, may sleep.
 * Return: 0, or -errno with a line in the log.
 */
int sframe_track_init(void)
{
	int ret;

	track_wq = alloc_ordered_workqueue("sframe-track", 0);
	if (!track_wq)
		return -ENOMEM;
	ret = find_hooks();
	/* Fail at load rather than when somebody records. */
	if (!ret)
		ret = place_hooks();
	if (ret) {
		ftrace_free_filter(&track_ops);
		destroy_workqueue(track_wq);
		return ret;
	}
	/* Remove them again, unless some mm became known meanwhile. */
	sframe_track_remove_idle();
	return 0;
}

void sframe_track_exit(void)
{
	WRITE_ONCE(closing, true);
	wake_up_all(&place_wait);
	cancel_work_sync(&place_work);
	cancel_delayed_work_sync(&idle_work);
	sframe_track_remove_idle();
	ftrace_free_filter(&track_ops);
	sframe_slots_drain(&updates);
	destroy_workqueue(track_wq);
}

void sframe_track_show(struct seq_file *m)
{
	seq_printf(m, "hooks %u\n", READ_ONCE(placed));
}
