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

#define SHDRS		4

static const char names[] = "\0.eh_frame_hdr\0.eh_frame\0.shstrtab";

/* A section header; @name is where it is in @names. */
static void put_shdr(struct image *im, u8 *shdrs, unsigned int i, u32 name,
		     u32 type, u64 flags, u64 offset)
{
	u8 *p = shdrs + i * SFRAME_ELF_SHDR_SIZE;

	put(im, p, 4, name);
	put(im, p + 4, 4, type);
	put(im, p + 8, 8, flags);
	put(im, p + 16, 8, 0x400000 + offset);
	put(im, p + 24, 8, offset);
	put(im, p + 32, 8, 0x300);
}

/* A static program's: nothing, other read-only data, .eh_frame, names. */
static void put_sections(struct image *im, u8 *shdrs)
{
	memset(shdrs, 0, SHDRS * SFRAME_ELF_SHDR_SIZE);
	put_shdr(im, shdrs, 1, 1, 1, 2, 0x7000);
	put_shdr(im, shdrs, 2, 15, 1, 2, 0x7500);
	put_shdr(im, shdrs, 3, 25, 3, 0, 0x9000);
	put(im, im->ehdr + 40, 8, 0xa000);
	put(im, im->ehdr + 58, 2, SFRAME_ELF_SHDR_SIZE);
	put(im, im->ehdr + 60, 2, SHDRS);
	put(im, im->ehdr + 62, 2, 3);
}

static enum sframe_reason find_by_header(const struct image *im, const u8 *shdrs,
					 size_t len, size_t names_len,
					 struct sframe_segment *seg)
{
	const struct sframe_shdrs headers = {
		.data = shdrs,
		.len = len,
		.names = names,
		.names_len = names_len,
	};
	struct sframe_segment where;
	struct sframe_elf elf;
	enum sframe_reason r;

	r = read_both(im, &elf);
	if (!r)
		r = sframe_elf_names(&elf, &headers, &where);
	if (!r && (where.offset != 0x9000 || where.size != 0x300))
		r = SFRAME_ELF_PHDRS;
	return r ?: sframe_elf_eh_frame_section(&elf, &headers, seg);
}

static void elf_eh_frame_section(struct kunit *test)
{
	size_t len = SHDRS * SFRAME_ELF_SHDR_SIZE;
	u8 *shdrs = guard_alloc(len);
	struct sframe_segment seg;
	struct image im;

	KUNIT_ASSERT_NOT_NULL(test, shdrs);
	image_init(test, &im, test->param_value);
#define FIND(len, names_len)	find_by_header(&im, shdrs, len, names_len, &seg)
	put_sections(&im, shdrs);
	KUNIT_ASSERT_EQ(test, FIND(len, sizeof(names)), SFRAME_OK);
	KUNIT_EXPECT_EQ(test, seg.vaddr, 0x407500);
	KUNIT_EXPECT_EQ(test, seg.offset, 0x7500);
	KUNIT_EXPECT_EQ(test, seg.size, 0x300);
	put(&im, shdrs + 2 * SFRAME_ELF_SHDR_SIZE + 32, 8, ~0ull);
	KUNIT_ASSERT_EQ(test, FIND(len, sizeof(names)), SFRAME_OK);
	KUNIT_EXPECT_EQ(test, seg.size, 0xb00);
	/* Fewer headers or names than were promised. */
	KUNIT_EXPECT_EQ(test, FIND(len - 1, sizeof(names)), SFRAME_NO_EH_FRAME);
	KUNIT_EXPECT_EQ(test, FIND(len, 24), SFRAME_NO_EH_FRAME);
	KUNIT_EXPECT_EQ(test, FIND(len, 0), SFRAME_NO_EH_FRAME);
	/* Not loaded; without content; elsewhere in the file; in no segment. */
	put_shdr(&im, shdrs, 2, 15, 1, 0, 0x7500);
	KUNIT_EXPECT_EQ(test, FIND(len, sizeof(names)), SFRAME_NO_EH_FRAME);
	put_shdr(&im, shdrs, 2, 15, 8, 2, 0x7500);
	KUNIT_EXPECT_EQ(test, FIND(len, sizeof(names)), SFRAME_NO_EH_FRAME);
	put_shdr(&im, shdrs, 2, 15, 1, 2, 0x7500);
	put(&im, shdrs + 2 * SFRAME_ELF_SHDR_SIZE + 24, 8, 0x7400);
	KUNIT_EXPECT_EQ(test, FIND(len, sizeof(names)), SFRAME_NO_EH_FRAME);
	put_shdr(&im, shdrs, 2, 15, 1, 2, 0x17500);
	KUNIT_EXPECT_EQ(test, FIND(len, sizeof(names)), SFRAME_NO_EH_FRAME);
	put_shdr(&im, shdrs, 2, 0xffffffff, 1, 2, 0x7500);
	KUNIT_EXPECT_EQ(test, FIND(len, sizeof(names)), SFRAME_NO_EH_FRAME);
	/* Headers that say nothing of sections. */
	put_sections(&im, shdrs);
	put(&im, im.ehdr + 62, 2, SHDRS);
	KUNIT_EXPECT_EQ(test, FIND(len, sizeof(names)), SFRAME_NO_EH_FRAME);
	put(&im, im.ehdr + 62, 2, 2);
	KUNIT_EXPECT_EQ(test, FIND(len, sizeof(names)), SFRAME_NO_EH_FRAME);
	put_sections(&im, shdrs);
	put(&im, im.ehdr + 40, 8, ~0ull);
	KUNIT_EXPECT_EQ(test, FIND(len, sizeof(names)), SFRAME_NO_EH_FRAME);
#undef FIND
	image_free(&im);
	guard_free(shdrs, len);
}

static const char go_names[] = "\0.gopclntab\0.data.rel.ro.gopclntab";

/* Go's function table, by either name; and where its code is said to be. */
static void elf_gopclntab(struct kunit *test)
{
	u8 shdrs[SHDRS * SFRAME_ELF_SHDR_SIZE], rela[3 * SFRAME_ELF_RELA_SIZE + 8];
	struct sframe_shdrs headers = {
		.data = shdrs,
		.len = sizeof(shdrs),
		.names = go_names,
		.names_len = sizeof(go_names),
	};
	struct sframe_segment seg;
	struct sframe_elf elf;
	unsigned int i = 0;
	struct image im;
	u64 to;

	image_init(test, &im, test->param_value);
	put_sections(&im, shdrs);
	KUNIT_ASSERT_EQ(test, read_both(&im, &elf), SFRAME_OK);
	put_shdr(&im, shdrs, 2, 12, 1, 3, 0x7500);
	KUNIT_ASSERT_EQ(test, sframe_elf_gopclntab(&elf, &headers, &seg),
			SFRAME_OK);
	KUNIT_EXPECT_EQ(test, seg.vaddr, 0x407000);
	put_shdr(&im, shdrs, 1, 0, 1, 2, 0x7000);
	KUNIT_ASSERT_EQ(test, sframe_elf_gopclntab(&elf, &headers, &seg),
			SFRAME_OK);
	KUNIT_EXPECT_EQ(test, seg.vaddr, 0x407500);
	headers.names_len--;
	KUNIT_EXPECT_EQ(test, sframe_elf_gopclntab(&elf, &headers, &seg),
			SFRAME_NO_GOPCLNTAB);

	KUNIT_EXPECT_FALSE(test, sframe_elf_relocations(&elf, &headers, &i, &seg));
	put_shdr(&im, shdrs, 0, 0, 4, 0, 0x7000);
	put_shdr(&im, shdrs, 2, 0, 4, 2, 0x7500);
	i = 0;
	KUNIT_ASSERT_TRUE(test, sframe_elf_relocations(&elf, &headers, &i, &seg));
	KUNIT_EXPECT_EQ(test, seg.offset, 0x7500);
	KUNIT_EXPECT_FALSE(test, sframe_elf_relocations(&elf, &headers, &i, &seg));

	memset(rela, 0, sizeof(rela));
	for (i = 0; i < 3; i++) {
		put(&im, rela + 24 * i, 8, 0x407018);
		put(&im, rela + 24 * i + 16, 8, 0x401000 + i);
	}
	/* By a symbol; of another pointer. */
	put(&im, rela + 8, 8, 1ull << 32 | 8);
	put(&im, rela + 24, 8, 0x407010);
	KUNIT_EXPECT_TRUE(test, sframe_elf_relocated(&elf, rela, sizeof(rela),
						     0x407018, &to));
	KUNIT_EXPECT_EQ(test, to, 0x401002);
	KUNIT_EXPECT_FALSE(test, sframe_elf_relocated(&elf, rela, 71, 0x407018,
						      &to));
	image_free(&im);
}

static const char module_names[] = "\0.go.module";

/* Since Go 1.26, where its code is said elsewhere. */
static void elf_go_module(struct kunit *test)
{
	u8 shdrs[SHDRS * SFRAME_ELF_SHDR_SIZE], module[SFRAME_GO_MODULE_SIZE];
	const struct sframe_shdrs headers = {
		.data = shdrs,
		.len = sizeof(shdrs),
		.names = module_names,
		.names_len = sizeof(module_names),
	};
	struct sframe_segment seg;
	struct sframe_elf elf;
	struct image im;

	image_init(test, &im, test->param_value);
	put_sections(&im, shdrs);
	KUNIT_ASSERT_EQ(test, read_both(&im, &elf), SFRAME_OK);
	put_shdr(&im, shdrs, 1, 0, 1, 2, 0x7000);
	KUNIT_EXPECT_EQ(test, sframe_elf_go_module(&elf, &headers, &seg),
			SFRAME_NO_GOPCLNTAB);
	put_shdr(&im, shdrs, 1, 1, 1, 2, 0x7000);
	KUNIT_ASSERT_EQ(test, sframe_elf_go_module(&elf, &headers, &seg),
			SFRAME_OK);
	KUNIT_EXPECT_EQ(test, seg.vaddr, 0x407000);
	/* It is cut where its segment ends. */
	put_shdr(&im, shdrs, 1, 1, 1, 2, 0x7fff - SFRAME_GO_MODULE_SIZE + 2);
	KUNIT_EXPECT_EQ(test, sframe_elf_go_module(&elf, &headers, &seg),
			SFRAME_NO_GOPCLNTAB);

	memset(module, 0, sizeof(module));
	put(&im, module, 8, 0x406000);
	put(&im, module + SFRAME_GO_MODULE_TEXT_AT, 8, 0x401000);
	KUNIT_EXPECT_EQ(test, sframe_elf_go_text(&elf, module, 0x406000),
			0x401000);
	KUNIT_EXPECT_EQ(test, sframe_elf_go_text(&elf, module, 0x406008), 0);
	image_free(&im);
}

static struct kunit_case elf_eh_frame_cases[] = {
	KUNIT_CASE_PARAM(elf_go_module, machine_gen_params),
	KUNIT_CASE_PARAM(elf_gopclntab, machine_gen_params),
	KUNIT_CASE_PARAM(elf_eh_frame_section, machine_gen_params),
	KUNIT_CASE_PARAM(elf_eh_frame, machine_gen_params),
	{}
};

static struct kunit_suite elf_eh_frame_suite = {
	.name = "sframe_elf_eh_frame",
	.test_cases = elf_eh_frame_cases,
};

kunit_test_suite(elf_eh_frame_suite);
