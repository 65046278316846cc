// SPDX-License-Identifier: GPL-2.0
/*
 * The ELF reader: where .eh_frame is, and what can be wrong with the way there.
 */
#include <kunit/test.h>

#include "elf_image.h"

/* .eh_frame_hdr at 0x407400, in place of the note. */
static void put_eh_hdr(struct image *im, u8 encoding, u64 pointer, u8 *hdr)
{
	put_phdr(im, 3, SFRAME_PT_GNU_EH_FRAME, SEG_READ, 0x7400, 0x407400,
		 0x40);
	memset(hdr, 0, SFRAME_EH_HDR_SIZE);
	hdr[0] = 1;
	hdr[1] = encoding;
	put(im, hdr + 4, encoding & 4 || !encoding ? 8 : 4, pointer);
}

static void elf_eh_frame(struct kunit *test)
{
	static const struct {
		u8 encoding;
		u64 pointer;
	} good[] = {
		{ 0x1b, 0x407500 - 0x407404 },	/* from there, 32 bits */
		{ 0x1c, 0x407500 - 0x407404 },
		{ 0x3b, 0x100 },		/* from .eh_frame_hdr */
		{ 0x03, 0x407500 },
		{ 0x00, 0x407500 },
	}, bad[] = {
		{ 0x1b, 0x10000000 },		/* in no segment */
		{ 0x1b, 0x408000 - 0x407404 },	/* behind its last byte */
		{ 0x9b, 0x407500 - 0x407404 },	/* indirect */
		{ 0x2b, 0x407500 },
		{ 0x0a, 0x7500 },
		{ 0xff, 0 },
	};
	u8 hdr[SFRAME_EH_HDR_SIZE];
	struct sframe_segment seg;
	struct sframe_elf elf;
	struct image im;
	unsigned int i;

	image_init(test, &im, test->param_value);
	KUNIT_ASSERT_EQ(test, read_both(&im, &elf), SFRAME_OK);
	KUNIT_EXPECT_EQ(test, sframe_elf_eh_frame(&elf, hdr, sizeof(hdr), &seg),
			SFRAME_NO_EH_FRAME);
	for (i = 0; i < ARRAY_SIZE(good); i++) {
		put_eh_hdr(&im, good[i].encoding, good[i].pointer, hdr);
		KUNIT_ASSERT_EQ(test, read_both(&im, &elf), SFRAME_OK);
		KUNIT_ASSERT_TRUE(test, elf.has_eh_hdr);
		KUNIT_ASSERT_EQ(test, sframe_elf_eh_frame(&elf, hdr,
							  sizeof(hdr), &seg),
				SFRAME_OK);
		KUNIT_EXPECT_EQ(test, seg.vaddr, 0x407500);
		KUNIT_EXPECT_EQ(test, seg.offset, 0x7500);
		KUNIT_EXPECT_EQ(test, seg.size, 0xb00);
	}
	hdr[0] = 2;
	KUNIT_EXPECT_EQ(test, sframe_elf_eh_frame(&elf, hdr, sizeof(hdr), &seg),
			SFRAME_EH_FRAME_HDR);
	for (i = 0; i < ARRAY_SIZE(bad); i++) {
		put_eh_hdr(&im, bad[i].encoding, bad[i].pointer, hdr);
		KUNIT_EXPECT_EQ(test, sframe_elf_eh_frame(&elf, hdr,
							  sizeof(hdr), &seg),
				SFRAME_EH_FRAME_HDR);
	}
	KUNIT_EXPECT_EQ(test, sframe_elf_eh_frame(&elf, hdr, 11, &seg),
			SFRAME_EH_FRAME_HDR);
	/* Outside all segments, or too short: as if there were none. */
	put_phdr(&im, 3, SFRAME_PT_GNU_EH_FRAME, SEG_READ, 0x7400, 0x507400,
		 0x40);
	KUNIT_EXPECT_EQ(test, read_both(&im, &elf), SFRAME_OK);
	KUNIT_EXPECT_FALSE(test, elf.has_eh_hdr);
	put_phdr(&im, 3, SFRAME_PT_GNU_EH_FRAME, SEG_READ, 0x7400, 0x407400, 8);
	KUNIT_EXPECT_EQ(test, read_both(&im, &elf), SFRAME_OK);
	KUNIT_EXPECT_FALSE(test, elf.has_eh_hdr);
	image_free(&im);
}

static struct kunit_case elf_eh_frame_cases[] = {
	KUNIT_CASE_PARAM(elf_eh_frame, machine_gen_params),
	{}
};

static struct kunit_suite elf_eh_frame_suite = {
	.name = "sframe_elf_eh_frame",
	.test_cases = elf_eh_frame_cases,
};

kunit_test_suite(elf_eh_frame_suite);
