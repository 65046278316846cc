/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The vDSO: code that the kernel maps into every process.
 */
#ifndef SFRAME_VDSO_H
#define SFRAME_VDSO_H

#include <linux/types.h>

struct mm_struct;
struct sframe_image;
struct sframe_range;

struct sframe_image *sframe_vdso_image_get(const struct mm_struct *mm,
					   unsigned long start);
int sframe_vdso_read(const struct sframe_range *range, u64 addr, void *buf, unsigned int len);
int sframe_vdso_init(void);
void sframe_vdso_exit(void);

#endif /* SFRAME_VDSO_H */
