/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Is a mapping about to go?
 */
#ifndef SFRAME_COMPAT_GONE_H
#define SFRAME_COMPAT_GONE_H

#include <linux/mm.h>
#include <linux/mmap_lock.h>
#include <linux/version.h>

/**
 * sframe_vma_is_gone() - is a VMA no longer among its mm's?
 * @vma: the VMA
 *
 * For SFRAME_HOOK_UNMAP: what munmap() takes away is marked so before it is told of;
 * what is split, joined or replaced is not, or not yet.
 *
 * Context: mmap_lock is held.
 * Return: true if it is; false, too, where kernels do not tell.
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
