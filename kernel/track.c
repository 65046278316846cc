// SPDX-License-Identifier: GPL-2.0
/*
 * Notice what changes an mm's executable mappings. One ftrace_ops for all
 * hooks (on s390x the cost is per ops), told apart by address. They are placed
 * before the first mm becomes known, and taken away when none is any more: a
 * machine where nobody records callchains does not notice the module.
 *
 *  perf_event_mmap(vma)	exec, mmap, mprotect; mmap_lock held for write
 *  uprobe_munmap(vma, ...)	munmap, and VMAs that split or merge
 *  copy_vma(&vma, ...)		mremap, about to move a mapping
 *  uprobe_dup_mmap(old, new)	fork, in the parent, both mmap_locks held
 *  exit_mmap(mm)		last user gone, before the mm can be reused
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/ftrace.h>
#include <linux/kernel.h>
#include <linux/mm.h>
#include <linux/mutex.h>
#include <linux/sched.h>
#include <linux/seq_file.h>
#include <linux/string.h>

#include "compat/compat.h"
#include "internal.h"

static void scan(struct sframe_slot *slot)
{
	struct sframe_mm *m;

	/* What changes during the scan may ask for another one. */
	sframe_slot_release(slot);
	m = sframe_mm_scan();
	if (m)
		sframe_mm_put(m);
}

static struct sframe_slots scans = {
	.run = scan,
	.queued = SFRAME_EV_PENDING,
	.full = SFRAME_EV_PENDING_FULL,
};

void sframe_track_request(void)
{
	sframe_slot_request(&scans);
}

static void vma_changed(const struct vm_area_struct *vma)
{
	struct mm_struct *mm = vma->vm_mm;

	if (!(vma->vm_flags & VM_EXEC) || mm != current->mm)
		return;
	/* Nobody will scan it in time for the next recording: start afresh. */
	if (!sframe_callchains_wanted()) {
		sframe_mm_exit(mm);
		return;
	}
	/* Code without a file has no table: look when it matters. */
	if (!vma->vm_file) {
		sframe_mm_mark(mm, SFRAME_DIRTY_ANON);
		return;
	}
	sframe_mm_mark(mm, SFRAME_DIRTY_FILE);
	sframe_track_request();
}

static void hook_vma(struct ftrace_regs *fregs)
{
	if (current->mm)
		vma_changed(sframe_hook_arg(fregs, 0));
}

static void hook_move(struct ftrace_regs *fregs)
{
	struct vm_area_struct **vma = sframe_hook_arg(fregs, 0);

	if (current->mm)
		vma_changed(*vma);
}

static void hook_fork(struct ftrace_regs *fregs)
{
	sframe_mm_fork(sframe_hook_arg(fregs, 0),
		       sframe_hook_arg(fregs, 1));
}

static void hook_exit(struct ftrace_regs *fregs)
{
	sframe_mm_exit(sframe_hook_arg(fregs, 0));
}

static struct hook {
	const char *name;
	void (*fn)(struct ftrace_regs *fregs);
	unsigned long addr;
} hooks[] = {
	{ "perf_event_mmap",	hook_vma },
	{ "uprobe_munmap",	hook_vma },
	{ "copy_vma",		hook_move },
	{ "uprobe_dup_mmap",	hook_fork },
	{ "exit_mmap",		hook_exit },
};

/* Bytes from a function's address to its ftrace site, at most. */
#define SITE_MAX	16

static void notrace track(unsigned long ip, unsigned long parent_ip,
			  struct ftrace_ops *ops, struct ftrace_regs *fregs)
{
	unsigned int i;

	if (sframe_mm_none() && !sframe_callchains_wanted())
		return;
	for (i = 0; i < ARRAY_SIZE(hooks); i++) {
		if (ip - hooks[i].addr <= SITE_MAX) {
			hooks[i].fn(fregs);
			return;
		}
	}
}

static struct ftrace_ops track_ops = {
	.func = track,
	/* Switched off behind our back, maps would go stale. */
	.flags = FTRACE_OPS_FL_PERMANENT,
};

/*
 * Serializes what places and removes the hooks, and is held while an mm becomes
 * known. Taken in task work and by the idle check; nothing is held before it.
 */
static DEFINE_MUTEX(hooks_lock);
static bool placed;		/* written under hooks_lock */
static bool closing;		/* hooks_lock: the module unloads */

/**
 * sframe_track_hold() - no change of mappings goes unnoticed any more
 *
 * Places the hooks if need be. On success they stay until
 * sframe_track_release(), and then for as long as an mm is known.
 *
 * Context: task context, may sleep.
 * Return: 0; -EINTR if the task is killed, -ENODEV if the module unloads, or
 * what ftrace says.
 */
int sframe_track_hold(void)
{
	int ret = mutex_lock_killable(&hooks_lock);

	if (ret)
		return ret;
	if (closing)
		ret = -ENODEV;
	else if (!placed)
		ret = register_ftrace_function(&track_ops);
	if (ret) {
		mutex_unlock(&hooks_lock);
		return ret;
	}
	WRITE_ONCE(placed, true);
	return 0;
}

void sframe_track_release(void)
{
	mutex_unlock(&hooks_lock);
}

/* hooks_lock held */
static void remove_hooks(void)
{
	if (placed)
		unregister_ftrace_function(&track_ops);
	WRITE_ONCE(placed, false);
}

/**
 * sframe_track_rest() - remove the hooks, if no mm is known
 *
 * Context: process context, may sleep.
 * Return: whether there are none now.
 */
bool sframe_track_rest(void)
{
	bool ret;

	mutex_lock(&hooks_lock);
	if (sframe_mm_none())
		remove_hooks();
	ret = !placed;
	mutex_unlock(&hooks_lock);
	return ret;
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
	unsigned int i;
	int ret = 0;

	for (i = 0; i < ARRAY_SIZE(hooks) && !ret; i++) {
		hooks[i].addr = sframe_symbol(hooks[i].name);
		ret = ftrace_set_filter(&track_ops,
					(unsigned char *)hooks[i].name,
					strlen(hooks[i].name), 0);
		if (!hooks[i].addr)
			ret = -ENOENT;
		if (ret)
			pr_err("cannot hook %s(): %d\n", hooks[i].name, ret);
	}
	/* Rather fail now than when somebody records. */
	if (!ret)
		ret = sframe_track_hold();
	if (ret) {
		ftrace_free_filter(&track_ops);
		return ret;
	}
	sframe_track_release();
	/* Where they are of use already, they stay. */
	sframe_track_rest();
	return 0;
}

void sframe_track_exit(void)
{
	mutex_lock(&hooks_lock);
	closing = true;
	remove_hooks();
	mutex_unlock(&hooks_lock);
	ftrace_free_filter(&track_ops);
	sframe_slots_drain(&scans);
}

void sframe_track_show(struct seq_file *m)
{
	seq_printf(m, "hooks %u\n", READ_ONCE(placed));
}
