// SPDX-License-Identifier: GPL-2.0
/*
 * The vDSO's image. Its table is built at load from the kernel's own copy, never from
 * what a process has in that place; and walks can read its code there.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/printk.h>
#include <linux/sizes.h>

#include <sframe/elf.h>
#include <sframe/reason.h>
#include <sframe/sources.h>

#include "arch/native.h"
#include "compat/vdso_copy.h"
#include "image.h"
#include "limits.h"
#include "map.h"
#include "vdso.h"

/* A table for some pages of code takes less. */
#define VDSO_MAX_BYTES	SZ_256K

/* Set once at load; holds a reference of its own until unload. */
static struct sframe_image *vdso_image;
static struct sframe_vdso_copy vdso_copy;

/* @len bytes at @offset, or NULL if the vDSO ends before. */
static const void *vdso_bytes(u64 offset, u64 len)
{
	if (offset > vdso_copy.len || len > vdso_copy.len - offset)
		return NULL;
	return vdso_copy.data + offset;
}

static enum sframe_reason vdso_read_elf(struct sframe_elf *elf)
{
	const void *bytes = vdso_bytes(0, SFRAME_ELF_EHDR_SIZE);
	enum sframe_reason r = SFRAME_NOT_ELF;
	size_t len;

	if (bytes)
		r = sframe_elf_header(elf, sframe_abi_native, bytes,
				      SFRAME_ELF_EHDR_SIZE, false);
	if (r)
		return r;
	len = elf->phnum * SFRAME_ELF_PHDR_SIZE;
	bytes = vdso_bytes(elf->phoff, len);
	return bytes ? sframe_elf_phdrs(elf, bytes, len) : SFRAME_ELF_PHDRS;
}

static enum sframe_reason vdso_find_eh_frame(const struct sframe_elf *elf,
					     struct sframe_bytes *found)
{
	struct sframe_segment where;
	enum sframe_reason r;
	const void *hdr;

	if (!elf->has_eh_hdr)
		return SFRAME_NO_EH_FRAME;
	hdr = vdso_bytes(elf->eh_hdr.offset, SFRAME_EH_HDR_SIZE);
	if (!hdr)
		return SFRAME_FILE_SHORT;
	r = sframe_elf_eh_frame(elf, hdr, SFRAME_EH_HDR_SIZE, &where);
	if (r)
		return r;
	found->data = vdso_bytes(where.offset, where.size);
	found->len = where.size;
	found->va = where.vaddr;
	return found->data ? SFRAME_OK : SFRAME_FILE_SHORT;
}

static enum sframe_reason vdso_build(struct sframe_image *image)
{
	struct sframe_limits limits = {
		.table_bytes = VDSO_MAX_BYTES,
		.build_bytes = 4 * VDSO_MAX_BYTES,
	};
	struct sframe_sources src = { .abi = sframe_abi_native };
	struct sframe_skips skips;	/* not counted: the vDSO is no file that somebody chose */
	struct sframe_table *table;
	enum sframe_reason r;
	struct sframe_elf elf;

	r = vdso_read_elf(&elf);
	if (r && r != SFRAME_NO_SFRAME)
		return r;
	r = vdso_find_eh_frame(&elf, &src.eh_frame);
	if (r)
		return r;
	src.eh_hdr_va = elf.eh_hdr.vaddr;
	src.text = elf.text;
	src.nr_text = elf.nr_text;
	r = sframe_sources_build(&src, &limits, &table, &skips);
	if (!r)
		sframe_image_publish(image, table, &elf, NULL);
	return r;
}

/**
 * sframe_vdso_image_get() - get the image of a special mapping, if that is the vDSO
 * @mm: the mapping's mm; the mapping is neither a file's nor anonymous, so the kernel
 *	made it
 * @start: its first address
 *
 * Context: any; @mm is kept by the caller.
 * Return: the image with a reference, or NULL.
 */
struct sframe_image *sframe_vdso_image_get(const struct mm_struct *mm,
					   unsigned long start)
{
	if (!vdso_image || !sframe_vdso_is_at(&vdso_copy, mm, start))
		return NULL;
	return sframe_image_get(vdso_image);
}

/**
 * sframe_vdso_read() - read the vDSO at an address where a process maps it
 * @range: a mapping
 * @addr: an address in it
 * @buf: filled in
 * @len: bytes
 *
 * The bytes are the kernel's copy: a process may not have the pages in its page tables
 * yet, and get_user_page_fast_only() takes no special ones. The vDSO's link-time
 * addresses are offsets in that copy.
 *
 * Context: any, NMI included; @range is kept by the caller.
 * Return: 0, or -EFAULT if @range is not the vDSO's, or @addr lies outside of that.
 */
int sframe_vdso_read(const struct sframe_range *range, u64 addr, void *buf, unsigned int len)
{
	u64 place = READ_ONCE(range->place);
	const void *bytes;

	if (!vdso_image || range->image != vdso_image)
		return -EFAULT;
	if (place & SFRAME_PLACE_OFFSET)
		place = range->start - (place - SFRAME_PLACE_OFFSET);
	bytes = vdso_bytes(addr - place, len);
	if (!bytes)
		return -EFAULT;
	memcpy(buf, bytes, len);
	return 0;
}

/**
 * sframe_vdso_init() - make the vDSO's image, and build its table
 *
 * Without a table, frames in the vDSO are walked as others without one; signal
 * trampolines can still be read.
 *
 * Context: process context, may sleep; before any map is made.
 * Return: 0: to fail here is no reason not to load.
 */
int sframe_vdso_init(void)
{
	struct sframe_image *image;
	enum sframe_reason r;

	if (!sframe_vdso_find(&vdso_copy))
		return 0;
	image = sframe_image_alloc(NULL);
	if (!image)
		return 0;
	image->settled = true;
	image->in_all = true;
	vdso_image = image;
	if (!READ_ONCE(sframe_eh_frame))
		return 0;
	r = vdso_build(image);
	if (r)
		pr_info("no table for the vDSO: %s\n", sframe_reason_name(r));
	return 0;
}

/**
 * sframe_vdso_exit() - free the vDSO's image
 *
 * Context: process context; no map is left.
 */
void sframe_vdso_exit(void)
{
	if (vdso_image)
		sframe_image_free(vdso_image);
	vdso_image = NULL;
}
