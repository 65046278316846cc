// SPDX-License-Identifier: GPL-2.0
/*
 * The ELF reader: headers of three machines in both byte orders, and
 * everything that can be wrong with them.
 */
#include <kunit/test.h>

#include "elf_image.h"

static void elf_good(struct kunit *test)
{
	const struct machine *m = test->param_value;
	struct sframe_elf elf;
	struct image im;

	image_init(test, &im, m);
	KUNIT_ASSERT_EQ(test, read_both(&im, &elf), SFRAME_OK);
	KUNIT_EXPECT_PTR_EQ(test, elf.abi, m->abi);
	KUNIT_EXPECT_EQ(test, elf.big_endian, m->big_endian);
	KUNIT_EXPECT_EQ(test, elf.swap, m->big_endian != SFRAME_MACHINE_BE);
	KUNIT_EXPECT_EQ(test, elf.phoff, 0x40);
	KUNIT_EXPECT_EQ(test, elf.phnum, PHDRS);
	KUNIT_EXPECT_TRUE(test, elf.has_table);
	KUNIT_EXPECT_EQ(test, elf.table.vaddr, 0x407000);
	KUNIT_EXPECT_EQ(test, elf.table.offset, 0x7000);
	KUNIT_EXPECT_EQ(test, elf.table.size, 0x300);
	KUNIT_EXPECT_EQ(test, elf.nr_text, 1);
	KUNIT_EXPECT_EQ(test, elf.text[0].vaddr, 0x401000);
	KUNIT_EXPECT_EQ(test, elf.text[0].offset, 0x1000);
	KUNIT_EXPECT_EQ(test, elf.text[0].size, 0x5000);
	/* The kernel takes only its own byte order. */
	KUNIT_EXPECT_EQ(test, sframe_elf_header(&elf, m->abi, im.ehdr,
						SFRAME_ELF_EHDR_SIZE, false),
			m->big_endian == SFRAME_MACHINE_BE ? SFRAME_OK :
							     SFRAME_ELF_ORDER);
	image_free(&im);
}

/* What @size bytes of @value at @pos of the ELF header make of it. */
static enum sframe_reason broken(struct kunit *test, const struct machine *m,
				 unsigned int pos, unsigned int size, u64 value)
{
	enum sframe_reason reason;
	struct sframe_elf elf;
	struct image im;

	image_init(test, &im, m);
	put(&im, im.ehdr + pos, size, value);
	reason = read_header(&im, &elf);
	image_free(&im);
	return reason;
}

static void elf_header_bad(struct kunit *test)
{
	const struct machine *m = test->param_value;
	bool both = m->abi->id_le && m->abi->id_be;
	struct sframe_elf elf;
	struct image im;
	u16 other = m->abi == &sframe_abi_x86 ? 183 : 62;
	size_t len;

	KUNIT_EXPECT_EQ(test, broken(test, m, 0, 1, 0), SFRAME_NOT_ELF);
	KUNIT_EXPECT_EQ(test, broken(test, m, 3, 1, 'G'), SFRAME_NOT_ELF);
	KUNIT_EXPECT_EQ(test, broken(test, m, 4, 1, 1), SFRAME_ELF_CLASS);
	KUNIT_EXPECT_EQ(test, broken(test, m, 5, 1, 0), SFRAME_ELF_ORDER);
	KUNIT_EXPECT_EQ(test, broken(test, m, 5, 1, 3), SFRAME_ELF_ORDER);
	KUNIT_EXPECT_EQ(test, broken(test, m, 18, 2, other),
			SFRAME_ELF_MACHINE);
	KUNIT_EXPECT_EQ(test, broken(test, m, 54, 2, 32), SFRAME_ELF_PHDRS);
	KUNIT_EXPECT_EQ(test, broken(test, m, 54, 2, 64), SFRAME_ELF_PHDRS);
	KUNIT_EXPECT_EQ(test, broken(test, m, 56, 2, 0), SFRAME_ELF_PHDRS);
	KUNIT_EXPECT_EQ(test, broken(test, m, 56, 2, 512), SFRAME_OK);
	KUNIT_EXPECT_EQ(test, broken(test, m, 56, 2, 513), SFRAME_ELF_PHDRS);
	KUNIT_EXPECT_EQ(test, broken(test, m, 56, 2, 0xffff),
			SFRAME_ELF_PHDRS);
	KUNIT_EXPECT_EQ(test, broken(test, m, 32, 8, ~0ull - 8),
			SFRAME_ELF_PHDRS);
	KUNIT_EXPECT_EQ(test, broken(test, m, 32, 8, ~0ull >> 1),
			SFRAME_ELF_PHDRS);

	/* A machine in the byte order that it does not have. */
	image_init(test, &im, m);
	im.ehdr[5] ^= 3;
	put(&im, im.ehdr + 18, 2, m->abi->e_machine << 8);
	KUNIT_EXPECT_EQ(test, read_header(&im, &elf),
			both ? SFRAME_ELF_PHDRS : SFRAME_ELF_ORDER);
	image_free(&im);

	image_init(test, &im, m);
	for (len = 0; len < SFRAME_ELF_EHDR_SIZE; len++)
		KUNIT_EXPECT_EQ(test, sframe_elf_header(&elf, m->abi, im.ehdr +
							64 - len, len, true),
				SFRAME_NOT_ELF);
	image_free(&im);
}

static void elf_no_table(struct kunit *test)
{
	const struct machine *m = test->param_value;
	struct sframe_elf elf;
	struct image im;

	image_init(test, &im, m);
	put(&im, im.phdrs + 4 * SFRAME_ELF_PHDR_SIZE, 4, PT_NOTE);
	KUNIT_EXPECT_EQ(test, read_both(&im, &elf), SFRAME_NO_SFRAME);
	KUNIT_EXPECT_FALSE(test, elf.has_table);
	KUNIT_EXPECT_EQ(test, elf.nr_text, 1);
	image_free(&im);
}

/* The table's place, and what is made of it. */
static const struct place {
	const char *name;
	u64 offset;
	u64 vaddr;
	u64 size;
	enum sframe_reason reason;
	u64 cut;
} places[] = {
	{ "start of the segment", 0x6000, 0x406000, 0x10, SFRAME_OK, 0x10 },
	{ "to the end", 0x7000, 0x407000, 0x1000, SFRAME_OK, 0x1000 },
	{ "slack beyond", 0x7fe4, 0x407fe4, 0x300, SFRAME_OK, 0x1c },
	{ "last byte", 0x7fff, 0x407fff, 0x300, SFRAME_OK, 1 },
	{ "inside text", 0x1000, 0x401000, 0x20, SFRAME_OK, 0x20 },
	{ "empty", 0x7000, 0x407000, 0, SFRAME_OK, 0 },
	{ "removed by objcopy", 0, 0x407000, 0, SFRAME_NO_SFRAME, 0 },
	{ "behind", 0x8000, 0x408000, 0x300, SFRAME_ELF_PHDRS, 0 },
	{ "before", 0, 0x3fff00, 0x300, SFRAME_ELF_PHDRS, 0 },
	{ "elsewhere in the file", 0x7008, 0x407000, 0x300,
	  SFRAME_ELF_PHDRS, 0 },
	{ "size wraps", 0x7000, 0x407000, ~0ull, SFRAME_ELF_PHDRS, 0 },
	{ "address wraps", 0x7000, ~0ull - 8, 0x10, SFRAME_ELF_PHDRS, 0 },
	{ "offset too large", ~0ull >> 1, 0x407000, 8, SFRAME_ELF_PHDRS, 0 },
};

KUNIT_ARRAY_PARAM_DESC(place, places, name);

static void elf_table_place(struct kunit *test)
{
	const struct place *p = test->param_value;
	struct sframe_elf elf;
	struct image im;

	image_init(test, &im, &machines[0]);
	put_phdr(&im, 4, SFRAME_PT_GNU_SFRAME, SEG_READ, p->offset, p->vaddr,
		 p->size);
	KUNIT_EXPECT_EQ(test, read_both(&im, &elf), p->reason);
	KUNIT_EXPECT_EQ(test, elf.has_table, !p->reason);
	if (!p->reason)
		KUNIT_EXPECT_EQ(test, elf.table.size, p->cut);
	image_free(&im);
}

/* Only a readable segment can hold the table; it may come after it. */
static void elf_table_readable(struct kunit *test)
{
	struct sframe_elf elf;
	struct image im;

	image_init(test, &im, &machines[0]);
	put_phdr(&im, 2, PT_LOAD, SEG_EXEC, 0x6000, 0x406000, 0x2000);
	KUNIT_EXPECT_EQ(test, read_both(&im, &elf), SFRAME_ELF_PHDRS);
	put_phdr(&im, 2, SFRAME_PT_GNU_SFRAME, SEG_READ, 0x7000, 0x407000, 0x80);
	put_phdr(&im, 4, PT_LOAD, SEG_READ, 0x6000, 0x406000, 0x2000);
	KUNIT_EXPECT_EQ(test, read_both(&im, &elf), SFRAME_OK);
	/* The second of two does not count. */
	put_phdr(&im, 3, SFRAME_PT_GNU_SFRAME, SEG_READ, 0x7100, 0x407100, 0x40);
	KUNIT_EXPECT_EQ(test, read_both(&im, &elf), SFRAME_OK);
	KUNIT_EXPECT_EQ(test, elf.table.vaddr, 0x407000);
	image_free(&im);
}

static void elf_phdrs_truncated(struct kunit *test)
{
	struct sframe_elf elf;
	struct image im;
	size_t len, all = PHDRS * SFRAME_ELF_PHDR_SIZE;

	image_init(test, &im, &machines[0]);
	for (len = 0; len < all; len++) {
		KUNIT_ASSERT_EQ(test, read_header(&im, &elf), SFRAME_OK);
		KUNIT_EXPECT_EQ(test, sframe_elf_phdrs(&elf, im.phdrs + all -
						       len, len),
				SFRAME_ELF_PHDRS);
	}
	image_free(&im);
}

static void elf_segment_wraps(struct kunit *test)
{
	struct sframe_elf elf;
	struct image im;

	image_init(test, &im, &machines[0]);
	put_phdr(&im, 1, PT_LOAD, SEG_EXEC, 0x1000, ~0ull - 0x10, 0x1000);
	KUNIT_EXPECT_EQ(test, read_both(&im, &elf), SFRAME_ELF_PHDRS);
	put_phdr(&im, 1, PT_LOAD, SEG_EXEC, ~0ull, 0x1000, 0x1000);
	KUNIT_EXPECT_EQ(test, read_both(&im, &elf), SFRAME_ELF_PHDRS);
	put_phdr(&im, 1, PT_LOAD, SEG_EXEC, 0x1000, 0x1000, ~0ull >> 1);
	KUNIT_EXPECT_EQ(test, read_both(&im, &elf), SFRAME_ELF_PHDRS);
	image_free(&im);
}

/* Text beyond the limit is ignored, not written past the array. */
static void elf_many_text(struct kunit *test)
{
	const u32 n = SFRAME_ELF_MAX_TEXT + 3;
	struct sframe_elf elf;
	struct image im;
	u8 *phdrs;
	u32 i;

	image_init(test, &im, &machines[0]);
	put(&im, im.ehdr + 56, 2, n);
	phdrs = im.phdrs;
	im.phdrs = guard_alloc(n * SFRAME_ELF_PHDR_SIZE);
	KUNIT_ASSERT_NOT_NULL(test, im.phdrs);
	for (i = 0; i < n; i++)
		put_phdr(&im, i, PT_LOAD, SEG_READ | SEG_EXEC, i * 0x1000, i * 0x1000,
			 0x1000);
	KUNIT_ASSERT_EQ(test, read_header(&im, &elf), SFRAME_OK);
	KUNIT_EXPECT_EQ(test, sframe_elf_phdrs(&elf, im.phdrs, n *
					       SFRAME_ELF_PHDR_SIZE),
			SFRAME_NO_SFRAME);
	KUNIT_EXPECT_EQ(test, elf.nr_text, SFRAME_ELF_MAX_TEXT);
	KUNIT_EXPECT_EQ(test, elf.text[SFRAME_ELF_MAX_TEXT - 1].vaddr,
			(SFRAME_ELF_MAX_TEXT - 1) * 0x1000);
	guard_free(im.phdrs, n * SFRAME_ELF_PHDR_SIZE);
	im.phdrs = phdrs;
	image_free(&im);
}

static struct kunit_case elf_cases[] = {
	KUNIT_CASE_PARAM(elf_good, machine_gen_params),
	KUNIT_CASE_PARAM(elf_header_bad, machine_gen_params),
	KUNIT_CASE_PARAM(elf_no_table, machine_gen_params),
	KUNIT_CASE_PARAM(elf_table_place, place_gen_params),
	KUNIT_CASE(elf_table_readable),
	KUNIT_CASE(elf_phdrs_truncated),
	KUNIT_CASE(elf_segment_wraps),
	KUNIT_CASE(elf_many_text),
	{}
};

static struct kunit_suite elf_suite = {
	.name = "sframe_elf",
	.test_cases = elf_cases,
};

kunit_test_suite(elf_suite);
