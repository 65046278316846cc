/* SPDX-License-Identifier: GPL-2.0 */
/* Is a mapping being unmapped? */
#ifndef SFRAME_COMPAT_GONE_H
#define SFRAME_COMPAT_GONE_H

#include <linux/mm.h>
#include <linux/mmap_lock.h>
#include <linux/version.h>

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

#endif /* SFRAME_COMPAT_GONE_H */
