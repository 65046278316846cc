// SPDX-License-Identifier: GPL-2.0
/*
 * The kernel's copy of the vDSO. No header has its name for modules:
 *
 *  x86-64	vdso64_image (6.12: vdso_image_64), which says where and how long
 *  arm64	vdso_start to vdso_end
 *  s390x	vdso_start to vdso_end (6.12: vdso64_start to vdso64_end)
 *
 * Where the kernel has none of them, the vDSO has no table.
 */
#include <linux/kernel.h>
#include <linux/mm_types.h>

#ifdef CONFIG_X86
#include <asm/vdso.h>
#endif

#include "compat.h"
#include "vdso_copy.h"

#ifdef CONFIG_X86

/**
 * sframe_vdso_find() - find the kernel's copy of the vDSO
 * @copy: where it is
 *
 * Context: process context, after sframe_symbols_init().
 * Return: whether there is one.
 */
bool sframe_vdso_find(struct sframe_vdso_copy *copy)
{
	const struct vdso_image *image;

	image = (const struct vdso_image *)sframe_symbol("vdso64_image");
	if (!image)
		image = (const struct vdso_image *)sframe_symbol("vdso_image_64");
	if (!image)
		return false;
	copy->image = image;
	copy->data = image->data;
	copy->len = image->size;
	return true;
}

#else

static const struct {
	const char *start;
	const char *end;
} vdso_names[] = {
	{ "vdso64_start", "vdso64_end" },
	{ "vdso_start", "vdso_end" },
};

bool sframe_vdso_find(struct sframe_vdso_copy *copy)
{
	unsigned long start, end;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(vdso_names); i++) {
		start = sframe_symbol(vdso_names[i].start);
		end = sframe_symbol(vdso_names[i].end);
		if (!start || end <= start)
			continue;
		copy->image = NULL;
		copy->data = (const void *)start;
		copy->len = end - start;
		return true;
	}
	return false;
}

#endif

/**
 * sframe_vdso_is_at() - has an mm the vDSO at an address?
 * @copy: the kernel's copy of it; x86 has others, for other kinds of programs
 * @mm: the mm; mremap() may move its vDSO at any time
 * @start: the address
 *
 * Context: any; @mm is kept by the caller.
 * Return: whether it is.
 */
bool sframe_vdso_is_at(const struct sframe_vdso_copy *copy,
		       const struct mm_struct *mm, unsigned long start)
{
#ifdef CONFIG_X86
	if (READ_ONCE(mm->context.vdso_image) != copy->image)
		return false;
#endif
#ifdef CONFIG_S390
	return start == READ_ONCE(mm->context.vdso_base);
#else
	return start == (unsigned long)READ_ONCE(mm->context.vdso);
#endif
}
