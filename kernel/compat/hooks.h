/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The kernel's functions that are hooked (we hear of the call) or redirected (we
 * take the call over): which, which of their arguments we read, and what their
 * callers guarantee. Everything about them is here and in hooks.c.
 */
#ifndef SFRAME_HOOKS_H
#define SFRAME_HOOKS_H

#include <linux/ftrace.h>
#include <linux/mm.h>
#include <linux/mmap_lock.h>
#include <linux/version.h>

/**
 * enum sframe_target - a function of the kernel's that is hooked or redirected
 * @SFRAME_HOOK_MAP: perf_event_mmap(vma): called after exec, mmap, mprotect made @vma
 *	what it is. mmap_lock is held for writing, or nobody else has the mm; task
 *	context
 * @SFRAME_HOOK_UNMAP: uprobe_munmap(vma, start, end): called by munmap, when the VMA is
 *	already out of the mm, and where VMAs split or merge, before that or after.
 *	mmap_lock is held, maybe for reading only;
 *	@start and @end may be less than the VMA. Also called where only pages are
 *	dropped, and no mapping changes: by madvise() under the VMA's own lock, by
 *	truncation of the file under its i_mmap_rwsem, and maybe without mmap_lock
 * @SFRAME_HOOK_MOVE: copy_vma(&vma, addr, len, ...): mremap is about to map @vma at
 *	@addr, too. mmap_lock is held for writing. No other hook tells of the new
 *	place
 * @SFRAME_HOOK_FORK: uprobe_dup_mmap(old, new): called in the parent, before the child
 *	has VMAs. @old's mmap_lock is held for writing until it has them all; nobody else
 *	has @new
 * @SFRAME_HOOK_EXIT: exit_mmap(mm): the last user is gone, and the mm cannot be reused
 *	yet; current->mm is another one, or none. The function sleeps later
 * @SFRAME_TAKE_CALLCHAIN_USER: perf_callchain_user(ctx, regs): called in NMI, in hard
 *	interrupts or with preemption off. Each architecture has its own
 * @SFRAME_TAKE_CALLCHAIN: perf_callchain(event, regs): likewise
 * @SFRAME_TAKE_UNWIND_USER: unwind_user(trace, max_entries): called in task work, may
 *	sleep
 * @SFRAME_TAKE_CHAIN_OUTPUT: perf_unwind_deferred_callback(work, trace, cookie): called
 *	after that. May be preempted
 * @SFRAME_NR_TARGETS: how many there are
 */
enum sframe_target {
	SFRAME_HOOK_MAP,
	SFRAME_HOOK_UNMAP,
	SFRAME_HOOK_MOVE,
	SFRAME_HOOK_FORK,
	SFRAME_HOOK_EXIT,
	SFRAME_TAKE_CALLCHAIN_USER,
	SFRAME_TAKE_CALLCHAIN,
	SFRAME_TAKE_UNWIND_USER,
	SFRAME_TAKE_CHAIN_OUTPUT,
	SFRAME_NR_TARGETS,
};

const char *sframe_target_name(enum sframe_target target);
unsigned long sframe_target_find(enum sframe_target target);

/*
 * The nth argument of a function that ftrace caught. On s390x 6.12 the
 * kernel's accessor needs a function that is not exported.
 */
#ifdef CONFIG_S390
#define SFRAME_ARG(fregs, n) \
	((void *)arch_ftrace_regs(fregs)->regs.gprs[2 + (n)])
#else
#define SFRAME_ARG(fregs, n) \
	((void *)ftrace_regs_get_argument(fregs, n))
#endif

/* Arguments by name; hooks.c checks their positions. */
#define SFRAME_ARG_MAP_VMA(fregs)	SFRAME_ARG(fregs, 0)
#define SFRAME_ARG_UNMAP_VMA(fregs)	SFRAME_ARG(fregs, 0)
#define SFRAME_ARG_MOVE_VMA(fregs)	SFRAME_ARG(fregs, 0)
#define SFRAME_ARG_MOVE_TO(fregs)	((unsigned long)SFRAME_ARG(fregs, 1))
#define SFRAME_ARG_MOVE_LEN(fregs)	((unsigned long)SFRAME_ARG(fregs, 2))
#define SFRAME_ARG_FORK_OLD(fregs)	SFRAME_ARG(fregs, 0)
#define SFRAME_ARG_FORK_NEW(fregs)	SFRAME_ARG(fregs, 1)
#define SFRAME_ARG_EXIT_MM(fregs)	SFRAME_ARG(fregs, 0)
#define SFRAME_ARG_CALLCHAIN_USER_REGS(fregs) SFRAME_ARG(fregs, 1)
#define SFRAME_ARG_CALLCHAIN_EVENT(fregs) SFRAME_ARG(fregs, 0)

/**
 * sframe_vma_is_gone() - was a VMA taken out of its mm?
 * @vma: the VMA
 *
 * For SFRAME_HOOK_UNMAP: munmap() marks a VMA so before the hook is called, and so does a
 * merge that removes one; those that stay are not marked.
 *
 * Context: as of that hook.
 * Return: true if it was; false also where the kernel does not tell.
 */
static inline bool sframe_vma_is_gone(struct vm_area_struct *vma)
{
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 15, 0)
	return !vma_is_attached(vma);
#elif defined(CONFIG_PER_VMA_LOCK)
	return vma->detached;
#else
	return false;
#endif
}

#endif /* SFRAME_HOOKS_H */
