// SPDX-License-Identifier: GPL-2.0
/*
 * Walk the current task's user stack: the core's cursor over this mm's map
 * and this task's memory.
 */
#include <linux/mm.h>
#include <linux/ptrace.h>
#include <linux/sched.h>
#include <linux/uaccess.h>
#include <linux/userfaultfd_k.h>

#include "internal.h"

/**
 * struct walk - one walk of the current task
 * @cur: the core's part
 * @m: its mm; the caller keeps it
 * @regs: registers of the topmost frame
 * @hint: index of the range found last
 * @way: may reads fault?
 */
struct walk {
	struct sframe_cursor cur;
	struct sframe_mm *m;
	const struct pt_regs *regs;
	unsigned int hint;
	enum sframe_way way;
};

static enum sframe_reason walk_find(void *ctx, u64 pc, struct sframe_rule *rule)
{
	struct walk *w = ctx;
	const struct sframe_range *range;
	const struct sframe_map *map;
	enum sframe_reason r = SFRAME_NO_MAPPING;

	rcu_read_lock();
	map = rcu_dereference(w->m->map);
	range = map ? sframe_map_find(map, pc, &w->hint) : NULL;
	if (range && range->table) {
		*rule = *sframe_table_recall(range->table, pc - range->bias);
		r = SFRAME_OK;
	} else if (range) {
		r = SFRAME_NO_TABLE;
	}
	rcu_read_unlock();
	return r;
}

static int read_nofault(void *ctx, u64 addr, void *buf, unsigned int len)
{
	return sframe_arch_read(addr, buf, len);
}

/*
 * Have the page made present, if the kernel can by itself. If another task had
 * to (userfaultfd, FUSE), that may take for ever, and unload would wait for it.
 * The lock is held throughout, so the mapping stays what it was found to be.
 */
static bool fault_in(struct mm_struct *mm, u64 addr)
{
	struct vm_area_struct *vma;
	bool ret;

	if (mmap_read_lock_killable(mm))
		return false;
	vma = vma_lookup(mm, addr);
	ret = vma && !userfaultfd_armed(vma) &&
	      !(vma->vm_file && sframe_file_is_remote(vma->vm_file)) &&
	      !fixup_user_fault(mm, addr, 0, NULL);
	mmap_read_unlock(mm);
	return ret;
}

static int read_faultable(void *ctx, u64 addr, void *buf, unsigned int len)
{
	if (likely(!read_nofault(ctx, addr, buf, len)))
		return 0;
	if (!fault_in(current->mm, addr) ||
	    (offset_in_page(addr) + len > PAGE_SIZE &&
	     !fault_in(current->mm, addr + len - 1)))
		return -EFAULT;
	return read_nofault(ctx, addr, buf, len);
}

static int walk_reg(void *ctx, unsigned int reg, u64 *val)
{
	struct walk *w = ctx;

	return sframe_arch_reg(w->regs, reg, val);
}

static const struct sframe_cursor_ops walk_ops[SFRAME_NR_WAYS] = {
	[SFRAME_WAY_INPLACE] = {
		.find = walk_find,
		.read = read_nofault,
		.reg = walk_reg,
	},
	[SFRAME_WAY_DEFERRED] = {
		.find = walk_find,
		.read = read_faultable,
		.reg = walk_reg,
	},
};

/* Constant operations are inlined: no indirect calls for most frames. */
static enum sframe_reason walk_next(struct walk *w)
{
	if (w->way == SFRAME_WAY_DEFERRED)
		return sframe_cursor_next_with(&w->cur,
					       &walk_ops[SFRAME_WAY_DEFERRED]);
	return sframe_cursor_next_with(&w->cur,
				       &walk_ops[SFRAME_WAY_INPLACE]);
}

/**
 * sframe_task_ours() - may the current task's user stack be walked?
 * @regs: its user registers
 *
 * Kernel threads, exiting tasks without an mm, virtual CPUs (the sample is the
 * guest's) and 32-bit tasks are left to the kernel.
 *
 * Context: any, NMI included.
 * Return: true if so.
 */
bool sframe_task_ours(struct pt_regs *regs)
{
	if (!current->mm ||
	    (current->flags & (PF_KTHREAD | PF_USER_WORKER | PF_VCPU)))
		return false;
	return user_mode(regs) && sframe_arch_user64(regs);
}

/**
 * sframe_walk() - walk the current task's user stack
 * @m: what is known of its mm; kept by RCU or a reference of the caller
 * @regs: user registers to start from
 * @way: in place (reads never fault) or deferred (reads fault and may sleep)
 * @max_frames: most PCs to emit
 * @emit: called with each PC, innermost first; false ends the walk
 * @arg: handed to @emit
 *
 * Context: any, NMI included, in place; task context that may sleep, deferred.
 * Return: why it ended; SFRAME_DEPTH if there are more frames than were wanted.
 */
enum sframe_reason sframe_walk(struct sframe_mm *m, const struct pt_regs *regs,
			       enum sframe_way way, u32 max_frames,
			       bool (*emit)(void *arg, u64 pc), void *arg)
{
	struct walk w = { .m = m, .regs = regs, .way = way };
	enum sframe_reason r = SFRAME_DEPTH;
	struct sframe_regs start;

	if (!max_frames)
		return r;
	sframe_arch_regs(regs, &start);
	sframe_cursor_init(&w.cur, sframe_abi_native, &start, max_frames - 1,
			   &walk_ops[way], &w);
	while (emit(arg, w.cur.pc)) {
		r = walk_next(&w);
		if (r)
			break;
		r = SFRAME_DEPTH;	/* if it ends because @emit says so */
	}
	this_cpu_inc(sframe_stats.walks[way]);
	this_cpu_inc(sframe_stats.end[way][r]);
	this_cpu_add(sframe_stats.frames[way], w.cur.depth + 1);
	this_cpu_add(sframe_stats.fallbacks[way], w.cur.fallbacks);
	return r;
}
