// SPDX-License-Identifier: GPL-2.0
/*
 * Reads user memory for walks (walk.c), without faulting; and for those that may sleep, faults
 * in pages of the stack that are not present.
 */
#include <linux/mm.h>
#include <linux/sched.h>
#include <linux/uaccess.h>
#include <linux/unaligned.h>
#include <linux/userfaultfd_k.h>

#include "file_key.h"
#include "read_user.h"

/* Attempts to fault a page in before the walk gives up. */
#define FAULT_TRIES	3

/* Read as much as one instruction can, inside of user_access_begin() and _end(). */
#define READ_PIECE(type)						\
do {									\
	type word_;							\
									\
	unsafe_get_user(word_, (const type __user *)addr, fault);	\
	put_unaligned(word_, (type *)buf);				\
	buf += sizeof(type);						\
	addr += sizeof(type);						\
} while (0)

/**
 * sframe_read_user() - copy the current task's memory, as far as it is present
 * @addr: user address
 * @buf: filled in
 * @len: bytes
 *
 * Uses what get_user() is made of: addresses that are not the user's are refused, and
 * with page faults disabled a page that is not present makes it fail, as in
 * copy_from_user_nofault(). That one also checks the context, which sframe_arch_may_read()
 * does here, and, by hardened usercopy, that the buffer is large enough: the core's
 * buffers are on the stack, and have room for what it asks for.
 *
 * Context: any, NMI included, if the caller has disabled page faults.
 * Return: 0, or -EFAULT if not all of it can be read.
 */
int sframe_read_user(u64 addr, void *buf, unsigned int len)
{
	if (!user_access_begin((const void __user *)addr, len))
		return -EFAULT;
	for (; len >= sizeof(u64); len -= sizeof(u64))
		READ_PIECE(u64);
	if (len & sizeof(u32))
		READ_PIECE(u32);
	if (len & sizeof(u16))
		READ_PIECE(u16);
	if (len & sizeof(u8))
		READ_PIECE(u8);
	user_access_end();
	return 0;

fault:
	user_access_end();
	return -EFAULT;
}

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
