// SPDX-License-Identifier: GPL-2.0
/*
 * Notices what changes an mm's executable mappings, by ftrace hooks. One ftrace_ops
 * serves all of them (on s390x the cost is per ops), and tells them apart by address;
 * which functions are hooked, and what their callers guarantee, is in compat/hooks.h.
 * When they are placed and removed is in placement.c.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/cleanup.h>
#include <linux/ftrace.h>
#include <linux/kernel.h>
#include <linux/mm.h>
#include <linux/percpu.h>
#include <linux/preempt.h>
#include <linux/sched.h>
#include <linux/timekeeping.h>

#include "compat/compat.h"
#include "compat/hooks.h"
#include "lesson.h"
#include "limits.h"
#include "mm.h"
#include "placement.h"
#include "recorded.h"
#include "repeated.h"
#include "slots.h"
#include "stats.h"
#include "track.h"

/* May the current task be followed? Then have the hooks placed; they may take longer. */
static bool hooks_are_ready(void)
{
	return current->mm && sframe_recorded_allowed() && sframe_hooks_wait();
}

/* Events may be of what is done for each request; see there. */
static DEFINE_PER_CPU(struct sframe_repeated, repeated_updates);

static void update_in_task_work(struct sframe_slot *slot)
{
	bool ready, sampled = READ_ONCE(slot->sampled);
	u64 begin = sampled ? ktime_get_mono_fast_ns() : 0;
	struct sframe_mm *m;

	/* It may wait; then a sample of this wait finds the request that is there. */
	ready = hooks_are_ready();
	/* Before the update, so that changes during it can make a new request. */
	sframe_slot_release(slot);
	m = ready ? sframe_mm_update() : NULL;
	if (m) {
		sframe_lesson_take(m);
		sframe_mm_put(m);
	}
	/* Hooks make requests for what the task itself does. */
	if (!sampled)
		return;
	scoped_guard(preempt)
		sframe_repeated_count(this_cpu_ptr(&repeated_updates), begin);
}

static struct sframe_slots updates = {
	.run = update_in_task_work,
	.queued = SFRAME_EV_PENDING,
	.full = SFRAME_EV_PENDING_FULL,
};

bool sframe_track_request(void)
{
	struct sframe_slot *slot = sframe_slot_request(&updates);

	if (slot)
		WRITE_ONCE(slot->sampled, true);
	return slot;
}

bool sframe_track_requested(void)
{
	return sframe_slots_requested(&updates);
}

bool sframe_track_is_paused(void)
{
	return sframe_repeated_is_paused(raw_cpu_ptr(&repeated_updates));
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
		sframe_mm_forget(vma->vm_mm);
		return;
	}
	places = sframe_mm_changed(vma->vm_mm, start, end);
	/* Code without a file has no table, so there is no hurry. */
	if (!vma->vm_file || !sframe_recorded_ahead())
		return;
	/*
	 * What is unmapped has no table from now on, as it is in the log; the next
	 * update takes it out of the map. But if the log gets crowded, its spans grow
	 * together, and what lies between them counts as changed, too: then do not
	 * wait.
	 */
	if (gone && places < SFRAME_CLAIMED_MAX)
		return;
	sframe_slot_request(&updates);
}

/*
 * Is @vma executable, and of an mm whose map matters? Asked twice for each mapping of
 * every process.
 */
static __always_inline bool vma_is_followed(const struct vm_area_struct *vma)
{
	return vma->vm_flags & VM_EXEC && vma->vm_mm == current->mm &&
	       (sframe_recorded_ahead() || sframe_mm_is_known(vma->vm_mm));
}

/*
 * Is @vma where there was code, but not executable itself? That is noticed here only: when
 * mprotect() takes the right away from a whole mapping, no other hook is called; and without
 * a file, none tells that code is gone.
 */
static bool vma_replaces_code(const struct vm_area_struct *vma)
{
	return !(vma->vm_flags & VM_EXEC) && vma->vm_mm == current->mm &&
	       sframe_mm_is_known(vma->vm_mm) &&
	       sframe_mm_may_have_code(vma->vm_mm, vma->vm_start, vma->vm_end);
}

static void hook_map(struct ftrace_regs *fregs)
{
	struct vm_area_struct *vma = SFRAME_ARG_MAP_VMA(fregs);

	if (vma_is_followed(vma))
		exec_mapping_changed(vma, vma->vm_start, vma->vm_end, false);
	else if (vma_replaces_code(vma))
		exec_mapping_changed(vma, vma->vm_start, vma->vm_end, true);
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
		sframe_mm_forget(mm);
}

/*
 * The addresses of the functions that are hooked, the first of enum sframe_target; written
 * before the hooks are placed.
 */
static unsigned long hook_addr[SFRAME_HOOK_EXIT + 1];

/* Bytes from a function's address to its ftrace site, at most. */
#define SITE_MAX	16

static __always_inline bool ip_is_at_hook(unsigned long ip, enum sframe_target hook)
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
	if (ip_is_at_hook(ip, SFRAME_HOOK_MAP))
		hook_map(fregs);
	else if (ip_is_at_hook(ip, SFRAME_HOOK_UNMAP))
		hook_unmap(fregs);
	else if (ip_is_at_hook(ip, SFRAME_HOOK_EXIT))
		hook_exit(fregs);
	else if (ip_is_at_hook(ip, SFRAME_HOOK_FORK))
		hook_fork(fregs);
	else if (ip_is_at_hook(ip, SFRAME_HOOK_MOVE))
		hook_move(fregs);
}

static struct ftrace_ops track_ops = {
	.func = sframe_track_hook,
	/* If it could be switched off (kernel.ftrace_enabled), maps would go stale. */
	.flags = FTRACE_OPS_FL_PERMANENT,
};

bool sframe_track_will_know(void)
{
	return !sframe_hooks_failed() && !READ_ONCE(sframe_privileged_only);
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
	return hooks_are_ready() ? sframe_mm_update() : NULL;
}

static int find_hooks(void)
{
	unsigned int i;
	int ret;

	for (i = 0; i < ARRAY_SIZE(hook_addr); i++) {
		hook_addr[i] = sframe_target_find(i);
		ret = hook_addr[i] ?
		      ftrace_set_filter_ip(&track_ops, hook_addr[i], 0, 0) :
		      -ENOENT;
		if (ret) {
			pr_err("cannot hook %s(): %d\n", sframe_target_name(i), ret);
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
	int ret = find_hooks() ?: sframe_hooks_init(&track_ops);

	if (ret)
		ftrace_free_filter(&track_ops);
	return ret;
}

void sframe_track_exit(void)
{
	sframe_hooks_stop();
	ftrace_free_filter(&track_ops);
	sframe_slots_drain(&updates);
	sframe_hooks_exit();
}
