/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The headers of an ELF file, of three machines in both byte orders.
 */
#ifndef KUNIT_ELF_IMAGE_H
#define KUNIT_ELF_IMAGE_H

#include <sframe/elf.h>
#include <sframe/format.h>

#include "guard.h"

#define PT_LOAD		1
#define PT_NOTE		4
#define SEG_EXEC		1
#define SEG_READ		4

#define PHDRS		5

struct machine {
	const char *name;
	const struct sframe_abi *abi;
	bool big_endian;
};

static const struct machine machines[] = {
	{ "x86-64", &sframe_abi_x86, false },
	{ "arm64", &sframe_abi_arm64, false },
	{ "arm64be", &sframe_abi_arm64, true },
	{ "s390x", &sframe_abi_s390, true },
};

KUNIT_ARRAY_PARAM_DESC(machine, machines, name);

/* A file's headers, each ending at an unmapped page. */
struct image {
	const struct machine *m;
	u8 *ehdr;
	u8 *phdrs;
};

static inline void put(const struct image *im, u8 *p, unsigned int size, u64 value)
{
	unsigned int i;

	for (i = 0; i < size; i++)
		p[im->m->big_endian ? size - 1 - i : i] = value >> (8 * i);
}

static inline void put_phdr(struct image *im, unsigned int i, u32 type, u32 flags,
			    u64 offset, u64 vaddr, u64 size)
{
	u8 *p = im->phdrs + i * SFRAME_ELF_PHDR_SIZE;

	put(im, p, 4, type);
	put(im, p + 4, 4, flags);
	put(im, p + 8, 8, offset);
	put(im, p + 16, 8, vaddr);
	put(im, p + 24, 8, 0);
	put(im, p + 32, 8, size);
	put(im, p + 40, 8, size + 0x100);
	put(im, p + 48, 8, 0x1000);
}

/* Headers, text, read-only data with the table in it, data, the table. */
static inline void image_init(struct kunit *test, struct image *im,
			      const struct machine *m)
{
	im->m = m;
	im->ehdr = guard_alloc(SFRAME_ELF_EHDR_SIZE);
	im->phdrs = guard_alloc(PHDRS * SFRAME_ELF_PHDR_SIZE);
	KUNIT_ASSERT_NOT_NULL(test, im->ehdr);
	KUNIT_ASSERT_NOT_NULL(test, im->phdrs);
	memset(im->ehdr, 0, SFRAME_ELF_EHDR_SIZE);
	memcpy(im->ehdr, "\177ELF", 4);
	im->ehdr[4] = 2;
	im->ehdr[5] = m->big_endian ? 2 : 1;
	im->ehdr[6] = 1;
	put(im, im->ehdr + 16, 2, 3);
	put(im, im->ehdr + 18, 2, m->abi->e_machine);
	put(im, im->ehdr + 32, 8, 0x40);
	put(im, im->ehdr + 54, 2, SFRAME_ELF_PHDR_SIZE);
	put(im, im->ehdr + 56, 2, PHDRS);
	put_phdr(im, 0, PT_LOAD, SEG_READ, 0, 0x400000, 0x1000);
	put_phdr(im, 1, PT_LOAD, SEG_READ | SEG_EXEC, 0x1000, 0x401000, 0x5000);
	put_phdr(im, 2, PT_LOAD, SEG_READ, 0x6000, 0x406000, 0x2000);
	put_phdr(im, 3, PT_NOTE, SEG_READ, 0x6000, 0x406000, 0x20);
	put_phdr(im, 4, SFRAME_PT_GNU_SFRAME, SEG_READ, 0x7000, 0x407000, 0x300);
}

static inline void image_free(struct image *im)
{
	guard_free(im->ehdr, SFRAME_ELF_EHDR_SIZE);
	guard_free(im->phdrs, PHDRS * SFRAME_ELF_PHDR_SIZE);
}

static inline enum sframe_reason read_header(const struct image *im,
					     struct sframe_elf *elf)
{
	return sframe_elf_header(elf, im->m->abi, im->ehdr,
				 SFRAME_ELF_EHDR_SIZE, true);
}

static inline enum sframe_reason read_both(const struct image *im,
					   struct sframe_elf *elf)
{
	enum sframe_reason reason = read_header(im, elf);

	return reason ? reason : sframe_elf_phdrs(elf, im->phdrs, PHDRS *
						  SFRAME_ELF_PHDR_SIZE);
}

#endif /* KUNIT_ELF_IMAGE_H */
