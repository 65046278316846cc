/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Where the kernel keeps its vDSO, and where an mm has it.
 */
#ifndef SFRAME_COMPAT_VDSO_COPY_H
#define SFRAME_COMPAT_VDSO_COPY_H

#include <linux/types.h>

struct mm_struct;

/**
 * struct sframe_vdso_copy - the kernel's copy of the 64-bit vDSO
 * @image: what mms that have it point to (x86); NULL elsewhere
 * @data: an ELF file
 * @len: bytes of it
 */
struct sframe_vdso_copy {
	const void *image;
	const void *data;
	size_t len;
};

bool sframe_vdso_find(struct sframe_vdso_copy *copy);

bool sframe_vdso_is_at(const struct sframe_vdso_copy *copy,
		       const struct mm_struct *mm, unsigned long start);

#endif /* SFRAME_COMPAT_VDSO_COPY_H */
