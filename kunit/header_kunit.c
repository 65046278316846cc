// SPDX-License-Identifier: GPL-2.0
/*
 * The section header: what is learned from a good one, and the name of each
 * thing that can be wrong with a bad one.
 */
#include <kunit/test.h>

#include "formats.h"

#define X86	(&sframe_abi_x86)
#define VA	0x7000ull
#define TEXT	0x1000ull

static void header_good(struct kunit *test)
{
	const struct format *f = test->param_value;
	struct sframe_section sec;
	struct build b;

	build_two(&b, f, VA, TEXT);
	KUNIT_ASSERT_FALSE(test, b.failed);
	KUNIT_ASSERT_EQ(test, build_open(&b, &sec), SFRAME_OK);
	KUNIT_EXPECT_EQ(test, sec.version, f->version);
	KUNIT_EXPECT_EQ(test, sec.flags, f->flags);
	KUNIT_EXPECT_EQ(test, sec.num_fdes, 2);
	KUNIT_EXPECT_EQ(test, sec.fixed_fp, -16);
	KUNIT_EXPECT_EQ(test, sec.fde_pos, build_fde_pos(&b, 0));
	KUNIT_EXPECT_EQ(test, sec.fre_pos, build_fde_pos(&b, 2));
	KUNIT_EXPECT_EQ(test, sec.fre_pos + sec.fre_len + 7, b.len);
	build_free(&b);
}

/* What @size bytes of @value at @pos of the header make of it. */
static enum sframe_reason broken(const struct format *f, size_t pos,
				 unsigned int size, u64 value)
{
	struct sframe_section sec;
	enum sframe_reason reason;
	struct build b;

	build_two(&b, f, VA, TEXT);
	build_put(&b, pos, size, value);
	reason = build_open(&b, &sec);
	build_free(&b);
	return reason;
}

static void header_values(struct kunit *test)
{
	const struct format *f = test->param_value;
	u8 unknown = f->version == 2 ? 0x08 : f->version == 1 ? 0x04 : 0x02;

	KUNIT_EXPECT_EQ(test, broken(f, 0, 2, 0xe2de), SFRAME_HDR_ORDER);
	KUNIT_EXPECT_EQ(test, broken(f, 0, 2, 0xdee3), SFRAME_HDR_MAGIC);
	KUNIT_EXPECT_EQ(test, broken(f, 0, 2, 0), SFRAME_HDR_MAGIC);
	KUNIT_EXPECT_EQ(test, broken(f, SFRAME_AT_VERSION, 1, 0),
			SFRAME_HDR_VERSION);
	KUNIT_EXPECT_EQ(test, broken(f, SFRAME_AT_VERSION, 1, 4),
			SFRAME_HDR_VERSION);
	KUNIT_EXPECT_EQ(test, broken(f, SFRAME_AT_FLAGS, 1, unknown),
			SFRAME_HDR_FLAGS);
	KUNIT_EXPECT_EQ(test, broken(f, SFRAME_AT_FLAGS, 1, 0x80),
			SFRAME_HDR_FLAGS);
	KUNIT_EXPECT_EQ(test, broken(f, SFRAME_AT_ABI, 1, 0), SFRAME_HDR_ABI);
	KUNIT_EXPECT_EQ(test, broken(f, SFRAME_AT_ABI, 1,
				     f->abi == X86 ? 2 : 3), SFRAME_HDR_ABI);
	KUNIT_EXPECT_EQ(test, broken(f, SFRAME_AT_ABI, 1, 5), SFRAME_HDR_ABI);
	if (f->abi->id_le && f->abi->id_be)
		KUNIT_EXPECT_EQ(test, broken(f, SFRAME_AT_ABI, 1,
					     f->big_endian ? f->abi->id_le :
							     f->abi->id_be),
				SFRAME_HDR_ABI);
	KUNIT_EXPECT_EQ(test, broken(f, SFRAME_AT_FIXED_RA, 1, -16),
			SFRAME_HDR_FIXED);
	KUNIT_EXPECT_EQ(test, broken(f, SFRAME_AT_FIXED_RA, 1,
				     f->abi == X86 ? 0 : -8),
			SFRAME_HDR_FIXED);
}

static void header_bounds(struct kunit *test)
{
	const struct format *f = test->param_value;
	u32 big = 0xffffffff;
	struct build b;
	u32 fdes, rows;

	build_two(&b, f, VA, TEXT);
	fdes = b.fdes.len;
	rows = b.rows.len;
	build_free(&b);

	KUNIT_EXPECT_EQ(test, broken(f, SFRAME_AT_NUM_FDES, 4, 3),
			SFRAME_HDR_BOUNDS);
	KUNIT_EXPECT_EQ(test, broken(f, SFRAME_AT_NUM_FDES, 4, big),
			SFRAME_HDR_BOUNDS);
	/* 2^32 / 16, / 20 and / 17: products that wrap in 32 bits. */
	KUNIT_EXPECT_EQ(test, broken(f, SFRAME_AT_NUM_FDES, 4, 0x10000001),
			SFRAME_HDR_BOUNDS);
	KUNIT_EXPECT_EQ(test, broken(f, SFRAME_AT_NUM_FDES, 4, 0xf0f0f10),
			SFRAME_HDR_BOUNDS);
	KUNIT_EXPECT_EQ(test, broken(f, SFRAME_AT_FDE_OFF, 4, 1),
			SFRAME_HDR_BOUNDS);
	KUNIT_EXPECT_EQ(test, broken(f, SFRAME_AT_FDE_OFF, 4, big),
			SFRAME_HDR_BOUNDS);
	KUNIT_EXPECT_EQ(test, broken(f, SFRAME_AT_FRE_OFF, 4, fdes - 1),
			SFRAME_HDR_BOUNDS);
	KUNIT_EXPECT_EQ(test, broken(f, SFRAME_AT_FRE_OFF, 4, fdes + 8),
			SFRAME_HDR_BOUNDS);
	KUNIT_EXPECT_EQ(test, broken(f, SFRAME_AT_FRE_OFF, 4, big),
			SFRAME_HDR_BOUNDS);
	KUNIT_EXPECT_EQ(test, broken(f, SFRAME_AT_FRE_LEN, 4, rows + 8),
			SFRAME_HDR_BOUNDS);
	KUNIT_EXPECT_EQ(test, broken(f, SFRAME_AT_FRE_LEN, 4, big),
			SFRAME_HDR_BOUNDS);
	KUNIT_EXPECT_EQ(test, broken(f, SFRAME_AT_AUX_LEN, 1, 255),
			SFRAME_HDR_BOUNDS);
	/* Slack behind the table is normal; the row count is advisory. */
	KUNIT_EXPECT_EQ(test, broken(f, SFRAME_AT_FRE_LEN, 4, rows + 7),
			SFRAME_OK);
	KUNIT_EXPECT_EQ(test, broken(f, SFRAME_AT_NUM_FRES, 4, big),
			SFRAME_OK);
}

/* Every length that is too short for the section is noticed. */
static void header_truncated(struct kunit *test)
{
	const struct format *f = test->param_value;
	struct sframe_section sec;
	enum sframe_reason want;
	struct build b;
	size_t len;

	build_two(&b, f, VA, TEXT);
	for (len = 1; len < b.len - 7; len++) {
		/* The bytes of interest end at the unmapped page. */
		u8 *p = b.data + b.len - len;

		memmove(p, b.data, len);
		want = len < SFRAME_HDR_SIZE ? SFRAME_HDR_TRUNCATED :
					       SFRAME_HDR_BOUNDS;
		KUNIT_EXPECT_EQ(test, sframe_section_init(&sec, f->abi, p, len,
							  VA, build_swap(&b)),
				want);
		build_free(&b);
		build_two(&b, f, VA, TEXT);
	}
	build_free(&b);
}

static void header_empty(struct kunit *test)
{
	struct sframe_section sec;
	u8 zeros[64] = { 0 };
	size_t len;

	for (len = 0; len <= sizeof(zeros); len++)
		KUNIT_EXPECT_EQ(test, sframe_section_init(&sec, X86, zeros,
							  len, VA, false),
				SFRAME_EMPTY);
	/* What follows a header of zeros does not matter. */
	memset(zeros + SFRAME_HDR_SIZE, 0xe2, sizeof(zeros) - SFRAME_HDR_SIZE);
	KUNIT_EXPECT_EQ(test, sframe_section_init(&sec, X86, zeros,
						  sizeof(zeros), VA, false),
			SFRAME_EMPTY);
	zeros[SFRAME_HDR_SIZE - 1] = 1;
	KUNIT_EXPECT_EQ(test, sframe_section_init(&sec, X86, zeros,
						  sizeof(zeros), VA, false),
			SFRAME_HDR_MAGIC);
}

static void header_alone(struct kunit *test)
{
	const struct format *f = test->param_value;
	struct sframe_section sec;
	struct build b;

	build_format(&b, f, VA);
	build_end(&b);
	KUNIT_ASSERT_EQ(test, b.len, SFRAME_HDR_SIZE);
	KUNIT_ASSERT_EQ(test, build_open(&b, &sec), SFRAME_OK);
	KUNIT_EXPECT_EQ(test, sec.num_fdes, 0);
	build_free(&b);
}

static struct kunit_case header_cases[] = {
	KUNIT_CASE_PARAM(header_good, format_gen_params),
	KUNIT_CASE_PARAM(header_values, format_gen_params),
	KUNIT_CASE_PARAM(header_bounds, format_gen_params),
	KUNIT_CASE_PARAM(header_truncated, format_gen_params),
	KUNIT_CASE(header_empty),
	KUNIT_CASE_PARAM(header_alone, format_gen_params),
	{}
};

static struct kunit_suite header_suite = {
	.name = "sframe_header",
	.test_cases = header_cases,
};

kunit_test_suite(header_suite);
