// SPDX-License-Identifier: GPL-2.0
/*
 * What a worker does for one file.
 */
#include <kunit/test.h>

#include <linux/file.h>
#include <linux/fs.h>

#include <sframe/elf.h>
#include <sframe/format.h>

#include "../../kernel/account.h"
#include "../../kernel/arch/native.h"
#include "../../kernel/build.h"
#include "../../kernel/file_key.h"
#include "../../kernel/image.h"
#include "../../kernel/limits.h"
#include "cfi_made.h"
#include "made.h"

/* Where .eh_frame_hdr and .eh_frame are put, behind all that made_file() has. */
#define EH_HDR		(3 * PAGE_SIZE)
#define EH_FRAME	(EH_HDR + 64)

/* What nobody may be left to hold after a conversion. */
static void nothing_held(struct kunit *test, const struct sframe_payer *payer)
{
	KUNIT_EXPECT_EQ(test, payer->used[SFRAME_RES_BUILD], 0);
	KUNIT_EXPECT_EQ(test, payer->used[SFRAME_RES_TABLES], 0);
}

static struct sframe_image *image_for(struct kunit *test, struct file *file)
{
	struct sframe_image *image = sframe_image_alloc(NULL);

	KUNIT_ASSERT_NOT_NULL(test, image);
	KUNIT_ASSERT_EQ(test, sframe_file_key_get(file, &image->key),
			SFRAME_OK);
	return image;
}

static void convert_holds_what_it_takes(struct kunit *test)
{
	struct file *file = made_file(test, true);
	struct sframe_payer *payer = made_user(test, 1);
	struct sframe_image *image = image_for(test, file);

	KUNIT_EXPECT_EQ(test, sframe_convert(image, file, payer), SFRAME_OK);
	KUNIT_ASSERT_NOT_NULL(test, sframe_image_table(image));
	KUNIT_EXPECT_EQ(test, payer->used[SFRAME_RES_BUILD], 0);
	KUNIT_EXPECT_EQ(test, payer->used[SFRAME_RES_TABLES],
			sframe_image_table(image)->bytes);
	/* Its last reference: what it held is given back at once. */
	sframe_image_free(image);
	nothing_held(test, payer);
	sframe_payer_put(payer);
	fput(file);
}

/* Two workers build the same: whoever comes second holds nothing of it. */
static void convert_comes_second(struct kunit *test)
{
	struct sframe_payer *first = made_user(test, 1), *second = made_user(test, 2);
	struct file *file = made_file(test, true);
	struct sframe_image *image = image_for(test, file);
	const struct sframe_table *table;

	KUNIT_EXPECT_EQ(test, sframe_convert(image, file, first), SFRAME_OK);
	table = sframe_image_table(image);
	KUNIT_ASSERT_NOT_NULL(test, table);
	KUNIT_EXPECT_EQ(test, sframe_convert(image, file, second), SFRAME_OK);
	KUNIT_EXPECT_PTR_EQ(test, sframe_image_table(image), table);
	KUNIT_EXPECT_EQ(test, first->used[SFRAME_RES_TABLES], table->bytes);
	nothing_held(test, second);
	sframe_image_free(image);
	nothing_held(test, first);
	sframe_payer_put(second);
	sframe_payer_put(first);
	fput(file);
}

static void put(struct kunit *test, struct file *file, loff_t pos, const void *data, size_t len)
{
	KUNIT_ASSERT_EQ(test, kernel_write(file, data, len, &pos), (ssize_t)len);
}

static void put_phdr_field(struct kunit *test, struct file *file, unsigned int i,
			   unsigned int at, u64 value)
{
	put(test, file, SFRAME_ELF_EHDR_SIZE + i * SFRAME_ELF_PHDR_SIZE + at, &value,
	    sizeof(value));
}

/* Have the file's headers say that there is .eh_frame, too, of @len bytes. */
static void put_eh_frame_headers(struct kunit *test, struct file *file, u32 len)
{
	const u8 hdr[12] = { 1, SFRAME_PE_PCREL | SFRAME_PE_SDATA4, SFRAME_PE_OMIT,
			     SFRAME_PE_OMIT };
	const u32 type[] = { SFRAME_PT_GNU_EH_FRAME, 4 }, ptr = EH_FRAME - (EH_HDR + 4);
	const u16 phnum = 4;

	put(test, file, 56, &phnum, sizeof(phnum));
	put_phdr_field(test, file, 1, 32, EH_FRAME + len - 2 * PAGE_SIZE);
	put_phdr_field(test, file, 1, 40, EH_FRAME + len - 2 * PAGE_SIZE);
	put(test, file, SFRAME_ELF_EHDR_SIZE + 3 * SFRAME_ELF_PHDR_SIZE, type, sizeof(type));
	put_phdr_field(test, file, 3, 8, EH_HDR);
	put_phdr_field(test, file, 3, 16, MADE_VA + EH_HDR);
	put_phdr_field(test, file, 3, 32, sizeof(hdr));
	put_phdr_field(test, file, 3, 40, sizeof(hdr));
	put(test, file, EH_HDR, hdr, sizeof(hdr));
	put(test, file, EH_HDR + 4, &ptr, sizeof(ptr));
}

/* Give it @nr functions, of which all but the last are hidden by the next one. */
static u32 put_eh_frame(struct kunit *test, struct file *file, unsigned int nr)
{
	struct cfi_made *m = kunit_kzalloc(test, sizeof(*m), GFP_KERNEL);
	u32 cie, at, len, field[2];
	unsigned int i;

	KUNIT_ASSERT_NOT_NULL(test, m);
	cfi_begin(m, sframe_abi_native, SFRAME_MACHINE_BE);
	cfi_usual_cie(m, "zR");
	cie = m->len;
	cfi_fde(m, 0, MADE_FUNC, CFA_NOP);
	len = m->len - cie;
	put(test, file, EH_FRAME, m->data, cie);
	for (i = 0, at = cie; i < nr; i++, at += len) {
		field[0] = at + 4;
		field[1] = MADE_TEXT - (EH_FRAME + at + 8);
		memcpy(m->data + cie + 4, field, sizeof(field));
		put(test, file, EH_FRAME + at, m->data + cie, len);
	}
	put_eh_frame_headers(test, file, at + 4);
	put(test, file, EH_FRAME + at, "\0\0\0", 4);
	return at + 4;
}

/*
 * A user's share is too small for a part of a file's table. Another user's may do: so that is
 * not the table.
 */
static void no_part_by_share(struct kunit *test)
{
	struct sframe_payer *user = made_user(test, 1);
	struct sframe_payer *root = sframe_payer_of(GLOBAL_ROOT_UID);
	struct file *file = made_file(test, true);
	unsigned long limit = sframe_max_build_bytes;
	u32 len = put_eh_frame(test, file, 12000);
	struct sframe_image *image = image_for(test, file);

	KUNIT_ASSERT_NOT_NULL(test, root);
	sframe_max_build_bytes = 2 * (len + SZ_64K + SZ_4K);
	KUNIT_EXPECT_EQ(test, sframe_convert(image, file, user), SFRAME_SHARE);
	KUNIT_EXPECT_NULL(test, sframe_image_table(image));
	nothing_held(test, user);
	KUNIT_EXPECT_EQ(test, sframe_convert(image, file, root), SFRAME_OK);
	KUNIT_EXPECT_NOT_NULL(test, sframe_image_table(image));
	sframe_max_build_bytes = limit;
	sframe_image_free(image);
	sframe_payer_put(root);
	sframe_payer_put(user);
	fput(file);
}

static void convert_what_changed(struct kunit *test)
{
	struct file *file = made_file(test, true);
	struct sframe_payer *payer = made_user(test, 1);
	struct sframe_image *image = image_for(test, file);

	image->key.ctime.tv_nsec ^= 1;
	KUNIT_EXPECT_EQ(test, sframe_convert(image, file, payer),
			SFRAME_FILE_CHANGED);
	KUNIT_EXPECT_NULL(test, sframe_image_table(image));
	nothing_held(test, payer);
	sframe_image_free(image);
	sframe_payer_put(payer);
	fput(file);
}

/*
 * The file claims a section of all its bytes, which are many; of which it has a
 * header, and that says how many there are.
 */
static void claims_are_not_believed(struct kunit *test)
{
	struct file *file = made_file(test, true);
	struct sframe_payer *payer = made_user(test, 1);
	unsigned long limit = sframe_max_build_bytes;
	struct sframe_image *image;
	const u64 huge = SZ_512M;

	/* p_filesz of the segment, and of the table in it. */
	put_phdr_field(test, file, 1, 32, huge);
	put_phdr_field(test, file, 2, 32, huge);
	put(test, file, 2 * huge, "x", 1);
	sframe_max_build_bytes = SZ_256K;
	image = image_for(test, file);
	KUNIT_EXPECT_EQ(test, sframe_convert(image, file, payer), SFRAME_OK);
	sframe_max_build_bytes = limit;
	sframe_image_free(image);
	nothing_held(test, payer);
	sframe_payer_put(payer);
	fput(file);
}

/* Not even if nobody else builds anything. */
static void more_than_there_ever_is(struct kunit *test)
{
	struct file *file = made_file(test, true);
	struct sframe_payer *payer = made_user(test, 1);
	unsigned long limit = sframe_max_build_bytes;
	struct sframe_image *image = image_for(test, file);

	sframe_max_build_bytes = SZ_64K;
	KUNIT_EXPECT_EQ(test, sframe_convert(image, file, payer), SFRAME_SHARE);
	sframe_max_build_bytes = limit;
	nothing_held(test, payer);
	sframe_image_free(image);
	sframe_payer_put(payer);
	fput(file);
}

/* Every allocation fails in turn; nothing stays behind. */
static void convert_allocations_fail(struct kunit *test)
{
	struct made_failures fail = made_failures(test);
	struct sframe_payer *payer = made_user(test, 1);
	struct sframe_image *image;
	enum sframe_reason r;
	struct file *file;

	while (made_failures_next(&fail)) {
		file = made_file(test, true);
		image = image_for(test, file);
		made_failure(&fail);
		r = sframe_convert(image, file, payer);
		made_failure_end(&fail, !r);
		KUNIT_EXPECT_TRUE(test, !r || r == SFRAME_NO_MEMORY ||
				  r == SFRAME_READ_FAILED);
		KUNIT_EXPECT_EQ(test, !r, !!sframe_image_table(image));
		sframe_image_free(image);
		nothing_held(test, payer);
		fput(file);
	}
	made_failures_end(&fail, 0);
	sframe_payer_put(payer);
}

static struct kunit_case convert_cases[] = {
	KUNIT_CASE(convert_holds_what_it_takes),
	KUNIT_CASE(convert_comes_second),
	KUNIT_CASE(no_part_by_share),
	KUNIT_CASE(convert_what_changed),
	KUNIT_CASE(claims_are_not_believed),
	KUNIT_CASE(more_than_there_ever_is),
	KUNIT_CASE(convert_allocations_fail),
	{}
};

static struct kunit_suite convert_suite = {
	.name = "sframe_convert",
	.test_cases = convert_cases,
};

kunit_test_suite(convert_suite);
