// SPDX-License-Identifier: GPL-2.0
/*
 * Forms of .eh_frame that compilers, linkers and people write, on three ABIs:
 * what rule comes of them, where.
 */
#include <kunit/test.h>

#include "cfi_forms.h"

KUNIT_ARRAY_PARAM_DESC(form, forms, name);

static enum sframe_reason build(struct kunit *test, const struct cfi_made *m,
				struct sframe_table **table,
				struct sframe_skips *skips)
{
	const struct sframe_limits limits = {
		.table_bytes = 1 << 20, .build_bytes = 1 << 22,
	};
	struct sframe_sources src;

	KUNIT_ASSERT_LT(test, m->len, CFI_ROOM);
	cfi_sources(m, &src);
	*table = NULL;
	return sframe_sources_build(&src, &limits, table, skips);
}

static void expect_rule(struct kunit *test, const struct sframe_table *table,
			u64 pc, const struct sframe_rule *want)
{
	const struct sframe_rule *got = sframe_table_lookup(table, pc);

	KUNIT_EXPECT_EQ_MSG(test, got->flags, want->flags, "at %#llx",
			    (unsigned long long)pc);
	KUNIT_EXPECT_TRUE_MSG(test, !memcmp(got, want, sizeof(*want)),
			      "at %#llx: cfa %#x%+d ra %#x%+d fp %#x%+d",
			      (unsigned long long)pc, got->cfa, got->cfa_off,
			      got->ra, got->ra_off, got->fp, got->fp_off);
}

/* One function, in both byte orders, at all of its addresses. */
static void try_form(struct kunit *test, const struct form *f, bool big_endian)
{
	static const struct sframe_rule gap = { .flags = SFRAME_RULE_NO_FDE };
	static struct sframe_skips skips;
	static struct cfi_made m;
	struct sframe_table *table;
	u32 at, i;

	cfi_begin(&m, f->abi, big_endian);
	cfi_usual_cie(&m, f->letters ? f->letters : "zR");
	cfi_fde_bytes(&m, CFI_TEXT + 0x100, 0x40, f->insns, f->len);
	cfi_end(&m);
	KUNIT_ASSERT_EQ(test, build(test, &m, &table, &skips), SFRAME_OK);
	expect_rule(test, table, CFI_TEXT + 0xff, &gap);
	for (at = 0, i = 0; at < 0x40; at++) {
		while (i + 1 < f->nr && f->want[i + 1].at <= at)
			i++;
		expect_rule(test, table, CFI_TEXT + 0x100 + at,
			    &f->want[i].rule);
	}
	expect_rule(test, table, CFI_TEXT + 0x140, &gap);
	for (i = 0; i < SFRAME_NR_REASONS; i++)
		KUNIT_EXPECT_EQ_MSG(test, skips.count[i],
				    i && i == f->reason ? f->skips : 0,
				    "%s", sframe_reason_name(i));
	sframe_table_free(table);
}

static void form(struct kunit *test)
{
	const struct form *f = test->param_value;

	if (f->abi->id_le)
		try_form(test, f, false);
	if (f->abi->id_be)
		try_form(test, f, true);
}

static struct kunit_case cfi_cases[] = {
	KUNIT_CASE_PARAM(form, form_gen_params),
	{}
};

static struct kunit_suite cfi_suite = {
	.name = "sframe_cfi",
	.test_cases = cfi_cases,
};

kunit_test_suite(cfi_suite);
