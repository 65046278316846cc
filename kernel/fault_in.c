// SPDX-License-Identifier: GPL-2.0
/* Faults in pages of the stack that are not present, for walks that may sleep (walk.c). */
#include <linux/mm.h>
#include <linux/sched.h>
#include <linux/userfaultfd_k.h>

#include "fault_in.h"
#include "file_key.h"

/* Attempts to fault a page in before the walk gives up. */
#define FAULT_TRIES	3

/*
 * May a page of @vma be faulted in? Not if another task has to bring it (userfaultfd,
 * FUSE), as that may take for ever, and unload would wait. Nor if it is a file's code,
 * which no stack should be, nor if it is not all ordinary memory, as a driver would be
 * asked for it.
 */
static bool vma_may_fault_in(struct vm_area_struct *vma)
{
	if (!(vma->vm_flags & VM_READ) || userfaultfd_armed(vma) ||
	    vma->vm_flags & (VM_IO | VM_PFNMAP | VM_MIXEDMAP))
		return false;
	return !vma->vm_file || !(vma->vm_flags & VM_EXEC ||
				  sframe_file_is_remote(vma->vm_file));
}

/**
 * sframe_fault_in() - fault in a page of the current task
 * @addr: an address in the page
 *
 * As a fault of the task itself would, but without a signal. A fault that has to wait
 * drops mmap_lock, so that nobody else waits with it; then the mapping is looked up
 * again. Killable.
 *
 * Context: task context, sleeps; takes mmap_lock.
 * Return: true if the page is present now.
 */
bool sframe_fault_in(u64 addr)
{
	struct mm_struct *mm = current->mm;
	unsigned int flags = FAULT_FLAG_ALLOW_RETRY | FAULT_FLAG_KILLABLE;
	struct vm_area_struct *vma;
	unsigned int tries;
	vm_fault_t fault;

	for (tries = 0; tries < FAULT_TRIES; tries++) {
		if (mmap_read_lock_killable(mm))
			return false;
		vma = vma_lookup(mm, addr);
		if (!vma || !vma_may_fault_in(vma)) {
			mmap_read_unlock(mm);
			return false;
		}
		fault = handle_mm_fault(vma, addr, flags, NULL);
		/* In these two cases the lock was dropped. */
		if (fault & VM_FAULT_COMPLETED)
			return true;
		if (!(fault & VM_FAULT_RETRY)) {
			mmap_read_unlock(mm);
			return !(fault & VM_FAULT_ERROR);
		}
		flags |= FAULT_FLAG_TRIED;
	}
	return false;
}
