// SPDX-License-Identifier: GPL-2.0
/*
 * The decoder: function descriptors and the extent of rows, of all versions,
 * ABIs and byte orders, good and bad. What a row says is in rows_kunit.c.
 */
#include <kunit/test.h>

#include "formats.h"

#define VA	0x7000ull
#define TEXT	0x1000ull
#define X86	(&sframe_abi_x86)

static void fde_fields(struct kunit *test)
{
	const struct format *f = test->param_value;
	u8 rep = f->version > 1 ? 32 : f->abi == X86 ? 16 : 0;
	struct sframe_section sec;
	struct sframe_fde fde;
	struct build b;

	build_two(&b, f, VA, TEXT);
	KUNIT_ASSERT_EQ(test, build_open(&b, &sec), SFRAME_OK);
	KUNIT_EXPECT_EQ(test, sframe_fde_get(&sec, 0, &fde), SFRAME_OK);
	KUNIT_EXPECT_EQ(test, fde.start, TEXT);
	KUNIT_EXPECT_EQ(test, fde.size, 16);
	KUNIT_EXPECT_EQ(test, fde.num_rows, 1);
	KUNIT_EXPECT_EQ(test, fde.row_type, 0);
	KUNIT_EXPECT_FALSE(test, fde.pcmask);
	KUNIT_EXPECT_FALSE(test, fde.flex);
	KUNIT_EXPECT_FALSE(test, fde.signal);

	KUNIT_EXPECT_EQ(test, sframe_fde_get(&sec, 1, &fde),
			rep ? SFRAME_OK : SFRAME_FDE_REPEAT);
	KUNIT_EXPECT_EQ(test, fde.start, TEXT + 16);
	KUNIT_EXPECT_EQ(test, fde.size, 0x12345);
	KUNIT_EXPECT_EQ(test, fde.num_rows, 2);
	KUNIT_EXPECT_EQ(test, fde.row_type, 2);
	KUNIT_EXPECT_TRUE(test, fde.pcmask);
	KUNIT_EXPECT_EQ(test, fde.rep_size, rep);
	build_free(&b);
}

/* Addresses below and above the section, and far away in version 3. */
static void fde_starts(struct kunit *test)
{
	static const u64 far[] = { 0x10, 0x7fffffff, 0xffffffff00000010ull,
				   0x0000123456789abcull };
	const struct format *f = test->param_value;
	unsigned int i, n = f->version == 3 ? 4 : 2;
	struct sframe_section sec;
	struct sframe_fde fde;
	struct build b;

	build_format(&b, f, VA);
	for (i = 0; i < n; i++)
		build_fde(&b, far[i], 1, 0, 0, 0);
	build_end(&b);
	KUNIT_ASSERT_EQ(test, build_open(&b, &sec), SFRAME_OK);
	for (i = 0; i < n; i++) {
		KUNIT_EXPECT_EQ(test, sframe_fde_get(&sec, i, &fde),
				SFRAME_OK);
		KUNIT_EXPECT_EQ(test, fde.start, far[i]);
	}
	build_free(&b);
}

static void fde_info(struct kunit *test)
{
	const struct format *f = test->param_value;
	bool v3 = f->version == 3;
	struct sframe_section sec;
	struct sframe_fde fde;
	struct build b;

	build_format(&b, f, VA);
	build_fde(&b, TEXT, 0, 0, 0, 0);
	build_fde(&b, TEXT, 8, 3, 0, 0);
	build_fde(&b, TEXT, 8, 0, v3 ? 2 : 0, 0);
	build_fde(&b, TEXT, 8, SFRAME_FDE_PCMASK, 0, 0);
	build_fde(&b, TEXT, 8, SFRAME_FDE_PAUTH_B | SFRAME_FDE_SIGNAL, 1, 9);
	build_end(&b);
	KUNIT_ASSERT_EQ(test, build_open(&b, &sec), SFRAME_OK);
	KUNIT_EXPECT_EQ(test, sframe_fde_get(&sec, 0, &fde), SFRAME_FDE_EMPTY);
	KUNIT_EXPECT_EQ(test, sframe_fde_get(&sec, 1, &fde), SFRAME_FDE_TYPE);
	KUNIT_EXPECT_EQ(test, fde.size, 8);
	KUNIT_EXPECT_EQ(test, sframe_fde_get(&sec, 2, &fde),
			v3 ? SFRAME_FDE_TYPE : SFRAME_OK);
	KUNIT_EXPECT_EQ(test, fde.size, 8);
	KUNIT_EXPECT_EQ(test, sframe_fde_get(&sec, 3, &fde),
			f->version == 1 && f->abi == X86 ? SFRAME_OK :
							   SFRAME_FDE_REPEAT);
	KUNIT_EXPECT_EQ(test, sframe_fde_get(&sec, 4, &fde), SFRAME_OK);
	KUNIT_EXPECT_EQ(test, fde.flex, v3);
	KUNIT_EXPECT_EQ(test, fde.signal, v3);
	KUNIT_EXPECT_EQ(test, fde.num_rows, 0);
	build_free(&b);
}

static void fde_bounds(struct kunit *test)
{
	const struct format *f = test->param_value;
	bool v3 = f->version == 3;
	u32 field = v3 ? SFRAME_FDE3_ATTR_OFF : SFRAME_FDE_ROW_OFF;
	struct sframe_section sec;
	struct sframe_fde fde;
	struct build b;
	u32 pos, last;

	build_two(&b, f, VA, TEXT);
	KUNIT_ASSERT_EQ(test, build_open(&b, &sec), SFRAME_OK);
	pos = build_fde_pos(&b, 0) + field;
	/* The last place where an attribute, or no row at all, still fits. */
	last = sec.fre_len - (v3 ? SFRAME_ATTR_SIZE : 0);
	build_put(&b, pos, 4, last);
	build_put(&b, sec.fre_pos + last + SFRAME_ATTR_INFO, v3 ? 2 : 0, 0);
	KUNIT_EXPECT_EQ(test, sframe_fde_get(&sec, 0, &fde), SFRAME_OK);
	KUNIT_EXPECT_EQ(test, fde.row_pos, sec.fre_len);
	build_put(&b, pos, 4, last + 1);
	KUNIT_EXPECT_EQ(test, sframe_fde_get(&sec, 0, &fde),
			SFRAME_FDE_BOUNDS);
	KUNIT_EXPECT_EQ(test, fde.start, TEXT);
	build_put(&b, pos, 4, 0xffffffff);
	KUNIT_EXPECT_EQ(test, sframe_fde_get(&sec, 0, &fde),
			SFRAME_FDE_BOUNDS);
	sec.fre_len = 4;
	build_put(&b, pos, 4, 0);
	KUNIT_EXPECT_EQ(test, sframe_fde_get(&sec, 0, &fde),
			v3 ? SFRAME_FDE_BOUNDS : SFRAME_OK);
	build_free(&b);
}

/* All row types and word sizes, one after the other in one function each. */
static void rows_sizes(struct kunit *test)
{
	static const u32 starts[] = { 0xab, 0xabcd, 0xabcdef01 };
	static const s32 words[] = { -0x78, -0x7890, -0x789abcd0 };
	const struct format *f = test->param_value;
	struct sframe_section sec;
	struct sframe_rows rows;
	struct sframe_fde fde;
	struct sframe_row row;
	unsigned int t, c;
	struct build b;

	build_format(&b, f, VA);
	for (t = 0; t < 3; t++) {
		build_fde(&b, TEXT, 8, t, 0, 0);
		for (c = 0; c < 3; c++)
			build_row(&b, starts[t] + c, 0, c, 2, 8, words[c]);
	}
	build_end(&b);
	KUNIT_ASSERT_EQ(test, build_open(&b, &sec), SFRAME_OK);
	for (t = 0; t < 3; t++) {
		KUNIT_ASSERT_EQ(test, sframe_fde_get(&sec, t, &fde),
				SFRAME_OK);
		sframe_rows_init(&rows, &sec, &fde);
		for (c = 0; c < 3; c++) {
			KUNIT_ASSERT_EQ(test, rows.left, 3 - c);
			KUNIT_ASSERT_EQ(test, sframe_rows_next(&rows, &row),
					SFRAME_OK);
			KUNIT_EXPECT_EQ(test, row.start, starts[t] + c);
			KUNIT_EXPECT_EQ(test, row.reason, SFRAME_OK);
			KUNIT_EXPECT_EQ(test, f->abi == X86 ? row.rule.fp_off :
					row.rule.ra_off, words[c]);
		}
		KUNIT_EXPECT_EQ(test, rows.left, 0);
		KUNIT_EXPECT_NE(test, sframe_rows_next(&rows, &row),
				SFRAME_OK);
	}
	build_free(&b);
}

/* However short the row area is cut, what is read lies inside it. */
static void rows_truncated(struct kunit *test)
{
	const struct format *f = test->param_value;
	enum sframe_reason reason;
	struct sframe_section sec;
	struct sframe_rows rows;
	struct sframe_fde fde;
	struct sframe_row row;
	struct build b;
	u32 cut, got;

	for (cut = 0; cut < 22; cut++) {
		build_format(&b, f, VA);
		build_fde(&b, TEXT, 64, 2, 0, 0);
		build_row(&b, 0, 0, 0, 1, 8);
		build_row(&b, 1, 0, 1, 2, 8, -16);
		build_row(&b, 2, 0, 0, 1, 16);
		b.rows.len -= cut;
		build_end(&b);
		/* 6, 9 and 6 bytes. */
		got = cut == 0 ? 3 : cut <= 6 ? 2 : cut <= 15 ? 1 : 0;
		KUNIT_ASSERT_EQ(test, build_open(&b, &sec), SFRAME_OK);
		reason = sframe_fde_get(&sec, 0, &fde);
		sframe_rows_init(&rows, &sec, &fde);
		while (!reason && rows.left) {
			reason = sframe_rows_next(&rows, &row);
			if (!reason)
				got--;
		}
		KUNIT_EXPECT_EQ(test, got, 0);
		KUNIT_EXPECT_EQ(test, reason, cut ? SFRAME_ROW_BOUNDS :
						    SFRAME_OK);
		KUNIT_EXPECT_EQ(test, rows.left, 0);
		build_free(&b);
	}
}

/* Version 1 and 2 counts are 32 bits wide. */
static void rows_too_many(struct kunit *test)
{
	const struct format *f = test->param_value;
	struct sframe_section sec;
	struct sframe_rows rows;
	struct sframe_fde fde;
	struct sframe_row row;
	struct build b;
	u32 n = 0;

	build_two(&b, f, VA, TEXT);
	KUNIT_ASSERT_EQ(test, build_open(&b, &sec), SFRAME_OK);
	KUNIT_ASSERT_EQ(test, sframe_fde_get(&sec, 0, &fde), SFRAME_OK);
	fde.num_rows = 0xffffffff;
	sframe_rows_init(&rows, &sec, &fde);
	while (rows.left && n <= sec.fre_len / 2)
		n += !sframe_rows_next(&rows, &row);
	KUNIT_EXPECT_LE(test, n, sec.fre_len / 2);
	KUNIT_EXPECT_EQ(test, rows.left, 0);
	build_free(&b);
}

static void rows_word_code(struct kunit *test)
{
	const struct format *f = test->param_value;
	struct sframe_section sec;
	struct sframe_rows rows;
	struct sframe_fde fde;
	struct sframe_row row;
	struct build b;

	build_format(&b, f, VA);
	build_fde(&b, TEXT, 64, 0, 0, 0);
	build_row(&b, 0, 0, 0, 1, 8);
	build_row(&b, 1, 3 << 5, 0, 1, 8);
	build_row(&b, 2, 0, 0, 1, 8);
	build_end(&b);
	KUNIT_ASSERT_EQ(test, build_open(&b, &sec), SFRAME_OK);
	KUNIT_ASSERT_EQ(test, sframe_fde_get(&sec, 0, &fde), SFRAME_OK);
	sframe_rows_init(&rows, &sec, &fde);
	KUNIT_EXPECT_EQ(test, sframe_rows_next(&rows, &row), SFRAME_OK);
	KUNIT_EXPECT_EQ(test, sframe_rows_next(&rows, &row), SFRAME_ROW_WORDS);
	KUNIT_EXPECT_EQ(test, rows.left, 0);
	build_free(&b);
}

static void reason_strings(struct kunit *test)
{
	int i;

	KUNIT_EXPECT_STREQ(test, sframe_reason_name(SFRAME_OK), "OK");
	KUNIT_EXPECT_STREQ(test, sframe_reason_name(SFRAME_NO_FDE), "NO_FDE");
	KUNIT_EXPECT_STREQ(test, sframe_reason_text(SFRAME_RULES_FULL),
			   "too many distinct rules");
	for (i = 0; i < SFRAME_NR_REASONS; i++) {
		KUNIT_EXPECT_NOT_NULL(test, sframe_reason_name(i));
		KUNIT_EXPECT_NOT_NULL(test, sframe_reason_text(i));
	}
	KUNIT_EXPECT_STREQ(test, sframe_reason_name(SFRAME_NR_REASONS),
			   "UNKNOWN");
	KUNIT_EXPECT_STREQ(test, sframe_reason_text(-1), "unknown reason");
}

static struct kunit_case decode_cases[] = {
	KUNIT_CASE_PARAM(fde_fields, format_gen_params),
	KUNIT_CASE_PARAM(fde_starts, format_gen_params),
	KUNIT_CASE_PARAM(fde_info, format_gen_params),
	KUNIT_CASE_PARAM(fde_bounds, format_gen_params),
	KUNIT_CASE_PARAM(rows_sizes, format_gen_params),
	KUNIT_CASE_PARAM(rows_truncated, format_gen_params),
	KUNIT_CASE_PARAM(rows_too_many, format_gen_params),
	KUNIT_CASE_PARAM(rows_word_code, format_gen_params),
	KUNIT_CASE(reason_strings),
	{}
};

static struct kunit_suite decode_suite = {
	.name = "sframe_decode",
	.test_cases = decode_cases,
};

kunit_test_suite(decode_suite);
