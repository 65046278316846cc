// SPDX-License-Identifier: GPL-2.0
/*
 * Notice what changes an mm's executable mappings. One ftrace_ops for all
 * hooks (on s390x the cost is per ops), told apart by address; what they are and
 * who calls them is in compat/hooks.h. They are placed before the first mm becomes
 * known, and taken away when none is any more: a machine where nobody records
 * callchains does not notice the module.
 *
 * Placing and removing them takes some million instructions under locks of the
 * whole kernel, so a worker does it, never the task that comes first.
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
#include "mm.h"
#include "slots.h"
#include "stats.h"
#include "track.h"

/* How long a task waits for the hooks; then its map is made another time. */
#define PLACE_PERIOD	(HZ / 10)
/* How often to see whether anybody still records callchains. */
#define IDLE_PERIOD	(5 * HZ)

static void update_in_task_work(struct sframe_slot *slot)
{
	struct sframe_mm *m;

	/* What changes during the update may ask for another one. */
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

void sframe_track_request(void)
{
	sframe_slot_request(&updates);
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

/* Of the current task's mm, and executable. */
static noinline void exec_mapping_changed(const struct vm_area_struct *vma, u64 start,
					  u64 end, bool gone)
{
	unsigned int places;

	/* Nobody will update it in time for the next recording: start afresh. */
	if (!sframe_callchains_wanted()) {
		sframe_mm_exit(vma->vm_mm);
		return;
	}
	places = sframe_mm_changed(vma->vm_mm, start, end);
	/* Code without a file has no table: look when it matters. */
	if (!vma->vm_file || !sframe_follow_ahead())
		return;
	/*
	 * What only goes has no table from now on, and the next update takes it
	 * out of the map. If it were in many places, what lies between them would
	 * soon count as changed, too.
	 */
	if (gone && places < SFRAME_CLAIMED_MAX)
		return;
	sframe_track_request();
}

/* Asked for every process on the machine, twice for each of its mappings. */
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

/* Those that are called most come first. */
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

/* Where these functions are; written before the hooks are placed. */
static unsigned long hook_addr[NR_HOOKS];

/* Bytes from a function's address to its ftrace site, at most. */
#define SITE_MAX	16

static __always_inline bool ip_is_at_hook(unsigned long ip, enum hook hook)
{
	return ip - hook_addr[hook] <= SITE_MAX;
}

/*
 * Every process of the machine comes here while anybody records: no loop and no
 * call by a pointer on the way to finding that its mm is not known.
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
	/* Switched off behind our back, maps would go stale. */
	.flags = FTRACE_OPS_FL_PERMANENT,
};

/* ---- placing them ---- */

/* Runs one work at a time, and alone changes what ftrace does. */
static struct workqueue_struct *track_wq;
static bool placed;		/* written by the worker */
static unsigned int attempts;	/* to place them, written by the worker */
static bool closing;		/* the module unloads; set once */
static DECLARE_WAIT_QUEUE_HEAD(place_wait);

static void check_idle(struct work_struct *work);
static DECLARE_DELAYED_WORK(idle_work, check_idle);

/* From then on, mms may become known. */
static int place_hooks(void)
{
	int ret;

	if (placed)
		return 0;
	ret = register_ftrace_function(&track_ops);
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

/* Not while an mm is known, but for the end. */
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
 * sframe_track_place_soon() - have the hooks placed soon
 *
 * Context: task context.
 */
void sframe_track_place_soon(void)
{
	if (!READ_ONCE(placed) && !READ_ONCE(closing))
		queue_work(track_wq, &place_work);
}

/* Killably, and not for long: others of ftrace's users may be slow. */
static void wait_hooks_placed(void)
{
	unsigned int before = READ_ONCE(attempts);

	sframe_track_place_soon();
	wait_event_killable_timeout(place_wait, READ_ONCE(placed) ||
				    READ_ONCE(attempts) != before ||
				    READ_ONCE(closing), PLACE_PERIOD);
}

/**
 * sframe_track_update() - sframe_mm_update(), with the hooks placed
 *
 * Context: task context, may sleep, no mmap_lock held.
 * Return: as sframe_mm_update(); NULL, too, if the hooks take their time, or if
 * only those are followed whom somebody privileged records.
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
 * sframe_track_remove_idle() - remove the hooks, if no mm is known
 *
 * Context: process context, may sleep.
 * Return: whether there are none now.
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
 * sframe_track_init() - see that the hooks can be placed
 *
 * All or none: with a hook missing, a map could describe mappings of the past.
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
	/* Rather fail now than when somebody records. */
	if (!ret)
		ret = place_hooks();
	if (ret) {
		ftrace_free_filter(&track_ops);
		destroy_workqueue(track_wq);
		return ret;
	}
	/* They stay, if an mm is known already. */
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
