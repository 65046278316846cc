// SPDX-License-Identifier: GPL-2.0
/*
 * Single rows of all versions and ABIs, and the rules they stand for.
 */
#include <kunit/test.h>

#include "build.h"

#define VA	0x7000ull
#define TEXT	0x1000ull

#define X86	(&sframe_abi_x86)
#define ARM	(&sframe_abi_arm64)
#define S390	(&sframe_abi_s390)

#define SP	SFRAME_LOC_SP
#define FP	SFRAME_LOC_FP
#define CFA	SFRAME_LOC_CFA
#define REG(n)	(SFRAME_LOC_REG | (n))
#define AT(l)	((l) | SFRAME_LOC_DEREF)

#define BASE_SP	SFRAME_ROW_BASE_SP
#define MANGLED	SFRAME_ROW_MANGLED

struct row_case {
	const char *name;
	const struct sframe_abi *abi;
	u8 version;
	bool flex;
	u8 info;
	u8 code;
	u8 count;
	s32 w[15];
	enum sframe_reason reason;
	struct sframe_rule rule;
};

#define RULE(c, co, r, ro, f, fo)					\
	.rule = { .cfa = c, .cfa_off = co, .ra = r, .ra_off = ro,	\
		  .fp = f, .fp_off = fo }
#define BAD(why)							\
	.reason = SFRAME_##why, .rule = { .flags = SFRAME_RULE_BAD }
#define END	.rule = { .flags = SFRAME_RULE_OUTERMOST }

static const struct row_case row_cases[] = {
	/* amd64: CFA, FP; RA at CFA-8. */
	{ "x86 sp", X86, 2, 0, BASE_SP, 0, 1, { 8 },
	  RULE(SP, 8, AT(CFA), -8, 0, 0) },
	{ "x86 fp saved", X86, 1, 0, 0, 0, 2, { 16, -16 },
	  RULE(FP, 16, AT(CFA), -8, AT(CFA), -16) },
	{ "x86 2-byte words", X86, 3, 0, BASE_SP, 1, 2, { 0x1234, -0x1234 },
	  RULE(SP, 0x1234, AT(CFA), -8, AT(CFA), -0x1234) },
	{ "x86 4-byte words", X86, 2, 0, BASE_SP, 2, 2, { 1 << 30, -70000 },
	  RULE(SP, 1 << 30, AT(CFA), -8, AT(CFA), -70000) },
	{ "x86 fp below sp", X86, 2, 0, BASE_SP, 0, 2, { 8, -48 },
	  RULE(SP, 8, AT(CFA), -8, AT(CFA), -48) },
	{ "x86 three words", X86, 2, 0, 0, 0, 3, { 16, -8, -16 },
	  BAD(ROW_WORDS) },
	{ "x86 V1 outermost", X86, 1, 0, 0, 0, 0, { 0 }, BAD(ROW_WORDS) },
	{ "x86 V2 outermost", X86, 2, 0, 0, 0, 0, { 0 }, END },
	{ "x86 V3 outermost", X86, 3, 0, 0, 0, 0, { 0 }, END },
	{ "x86 fifteen words", X86, 2, 0, 0, 2, 15, { 8 }, BAD(ROW_WORDS) },
	/* AArch64: CFA, RA, FP; two words are CFA, RA. */
	{ "arm leaf", ARM, 2, 0, BASE_SP, 0, 1, { 0 },
	  RULE(SP, 0, 0, 0, 0, 0) },
	{ "arm ra", ARM, 1, 0, BASE_SP, 0, 2, { 32, -32 },
	  RULE(SP, 32, AT(CFA), -32, 0, 0) },
	{ "arm ra at cfa", ARM, 2, 0, BASE_SP, 0, 2, { 32, 0 },
	  .rule = { .cfa = SP, .cfa_off = 32, .ra = AT(CFA),
		    .flags = SFRAME_RULE_RA_ABOVE } },
	{ "arm frame", ARM, 3, 0, 0, 0, 3, { 32, -24, -32 },
	  RULE(FP, 32, AT(CFA), -24, AT(CFA), -32) },
	{ "arm odd words", ARM, 2, 0, 0, 0, 3, { 33, -23, -31 },
	  RULE(FP, 33, AT(CFA), -23, AT(CFA), -31) },
	{ "arm signed ra", ARM, 2, 0, BASE_SP | MANGLED, 0, 1, { 0 },
	  .rule = { .cfa = SP, .flags = SFRAME_RULE_MANGLED } },
	{ "arm outermost signed", ARM, 3, 0, MANGLED, 0, 0, { 0 }, END },
	{ "arm below fp", ARM, 3, 0, 0, 0, 3, { 0, -8, -16 },
	  RULE(FP, 0, AT(CFA), -8, AT(CFA), -16) },
	{ "arm four words", ARM, 2, 0, 0, 0, 4, { 32, -24, -32, 0 },
	  BAD(ROW_WORDS) },
	/* s390x: CFA scaled; RA 0 not saved; odd words are registers in V2. */
	{ "s390 entry", S390, 2, 0, BASE_SP, 0, 1, { 0 },
	  RULE(SP, 160, 0, 0, 0, 0) },
	{ "s390 frame", S390, 3, 0, BASE_SP, 1, 3, { 12288, -48, -72 },
	  RULE(SP, 98464, AT(CFA), -48, AT(CFA), -72) },
	{ "s390 ra not saved", S390, 2, 0, BASE_SP, 0, 3, { 0, 0, -72 },
	  RULE(SP, 160, 0, 0, AT(CFA), -72) },
	{ "s390 ra not saved, alone", S390, 3, 0, 0, 0, 2, { 1, 0 },
	  RULE(FP, 168, 0, 0, 0, 0) },
	{ "s390 registers", S390, 2, 0, BASE_SP, 0, 3, { 0, 33, 35 },
	  RULE(SP, 160, REG(16), 0, REG(17), 0) },
	{ "s390 ra in r14", S390, 2, 0, BASE_SP, 0, 2, { 0, 29 },
	  RULE(SP, 160, REG(14), 0, 0, 0) },
	{ "s390 fp in sp", S390, 2, 0, BASE_SP, 0, 3, { 0, -48, 31 },
	  RULE(SP, 160, AT(CFA), -48, SP, 0) },
	{ "s390 register 32", S390, 2, 0, BASE_SP, 0, 2, { 0, 65 },
	  BAD(ROW_REGISTER) },
	{ "s390 negative odd", S390, 2, 0, BASE_SP, 0, 2, { 0, -49 },
	  BAD(ROW_REGISTER) },
	{ "s390 V3 odd", S390, 3, 0, BASE_SP, 0, 2, { 0, 33 },
	  BAD(ROW_REGISTER) },
	{ "s390 V3 odd fp", S390, 3, 0, BASE_SP, 0, 3, { 0, -48, 33 },
	  BAD(ROW_REGISTER) },
	{ "s390 cfa too far", S390, 2, 0, BASE_SP, 2, 1, { 0x10000000 },
	  BAD(ROW_OFFSET) },
	{ "s390 cfa too low", S390, 3, 0, BASE_SP, 2, 1, { -0x20000000 },
	  BAD(ROW_OFFSET) },
	/* Flexible rows. */
	{ "flex cfa rsp", X86, 3, 1, 0, 0, 2, { 0x39, 8 },
	  RULE(SP, 8, AT(CFA), -8, 0, 0) },
	{ "flex cfa r10", X86, 3, 1, 0, 0, 2, { 0x51, 0 },
	  RULE(REG(10), 0, AT(CFA), -8, 0, 0) },
	{ "flex drap", X86, 3, 1, 0, 0, 5, { 0x33, -16, 0, 0x33, 0 },
	  RULE(AT(FP), -16, AT(CFA), -8, AT(FP), 0) },
	{ "flex ra, fp", X86, 3, 1, 0, 0, 6, { 0x39, 8, 0x02, -16, 0x19, 0 },
	  RULE(SP, 8, AT(CFA), -16, REG(3), 0) },
	{ "flex fp value", X86, 3, 1, 0, 0, 5, { 0x39, 8, 0, 0x01 | 7 << 3, 4 },
	  RULE(SP, 8, AT(CFA), -8, SP, 4) },
	{ "flex fp from cfa", X86, 3, 1, 0, 0, 5, { 0x39, 8, 0, 0, -32 },
	  RULE(SP, 8, AT(CFA), -8, CFA, -32) },
	{ "flex ra only", X86, 3, 1, 0, 1, 4, { 0x39, 8, 0x02, -16 },
	  RULE(SP, 8, AT(CFA), -16, 0, 0) },
	{ "flex outermost", X86, 3, 1, 0, 0, 0, { 0 }, END },
	{ "flex base bit", X86, 3, 1, BASE_SP, 0, 2, { 0x31, 8 },
	  RULE(FP, 8, AT(CFA), -8, 0, 0) },
	{ "flex one word", X86, 3, 1, 0, 0, 1, { 0x39 }, BAD(ROW_WORDS) },
	{ "flex three words", X86, 3, 1, 0, 0, 3, { 0x39, 8, 0 },
	  BAD(ROW_WORDS) },
	{ "flex seven words", X86, 3, 1, 0, 0, 7, { 0x39, 8, 2, -8, 2, -16 },
	  BAD(ROW_WORDS) },
	{ "flex no pad", X86, 3, 1, 0, 0, 5, { 0x39, 8, 2, 0x33, 0 },
	  BAD(ROW_WORDS) },
	{ "flex ra without load", X86, 3, 1, 0, 0, 4, { 0x39, 8, 0, -16 },
	  BAD(ROW_REGISTER) },
	{ "flex ra above the cfa", X86, 3, 1, 0, 0, 4, { 0x39, 8, 0x02, 56 },
	  BAD(ROW_OFFSET) },
	{ "flex cfa from cfa", X86, 3, 1, 0, 0, 2, { 0x02, 8 },
	  BAD(ROW_REGISTER) },
	{ "flex x86 register 16", X86, 3, 1, 0, 1, 2, { 0x81, 8 },
	  BAD(ROW_REGISTER) },
	{ "flex unused bit", X86, 3, 1, 0, 0, 2, { 0x3d, 8 },
	  BAD(ROW_REGISTER) },
	{ "flex register 0x1fffffff", ARM, 3, 1, 0, 2, 5,
	  { 0xf9, 0, 0, -7, 0 }, BAD(ROW_REGISTER) },
	{ "flex arm x30", ARM, 3, 1, 0, 0, 4, { 0xf9, 16, 0xf1, 0 },
	  RULE(SP, 16, REG(30), 0, 0, 0) },
	{ "flex s390 scaled", S390, 3, 1, 0, 1, 4, { 0x71, 12288, 0x81, 0 },
	  RULE(REG(14), 98464, REG(16), 0, 0, 0) },
	{ "flex s390 fpr in a byte", S390, 3, 1, 0, 0, 6,
	  { 0x79, 0, 0x81, 0, 0x89, 0 },
	  RULE(SP, 160, REG(16), 0, REG(17), 0) },
	{ "flex s390 sp slot", S390, 3, 1, 0, 0, 5, { 0x59, 1, 0, 0x02, -72 },
	  RULE(FP, 168, 0, 0, AT(CFA), -72) },
	{ "flex s390 too far", S390, 3, 1, 0, 2, 2, { 0x79, 0x10000000 },
	  BAD(ROW_OFFSET) },
};

KUNIT_ARRAY_PARAM_DESC(row_case, row_cases, name);

/* Build a function of one row, and read that. */
static void one_row(struct kunit *test, const struct row_case *c, u8 fde_info,
		    s8 fixed_fp, struct sframe_row *row)
{
	bool be = !c->abi->id_le;
	struct sframe_section sec;
	struct sframe_rows rows;
	struct sframe_fde fde;
	struct build b;

	build_init(&b, c->abi, c->version, be, 0, VA);
	b.fixed_fp = fixed_fp;
	build_fde(&b, TEXT, 64, fde_info, c->flex, 16);
	build_row_words(&b, 0, c->info, c->code, c->count, c->w);
	build_end(&b);
	KUNIT_ASSERT_EQ(test, build_open(&b, &sec), SFRAME_OK);
	KUNIT_ASSERT_EQ(test, sframe_fde_get(&sec, 0, &fde), SFRAME_OK);
	sframe_rows_init(&rows, &sec, &fde);
	KUNIT_ASSERT_EQ(test, sframe_rows_next(&rows, row), SFRAME_OK);
	build_free(&b);
}

static void expect_rule(struct kunit *test, const struct sframe_rule *got,
			const struct sframe_rule *want)
{
	KUNIT_EXPECT_EQ(test, got->cfa, want->cfa);
	KUNIT_EXPECT_EQ(test, got->cfa_off, want->cfa_off);
	KUNIT_EXPECT_EQ(test, got->ra, want->ra);
	KUNIT_EXPECT_EQ(test, got->ra_off, want->ra_off);
	KUNIT_EXPECT_EQ(test, got->fp, want->fp);
	KUNIT_EXPECT_EQ(test, got->fp_off, want->fp_off);
	KUNIT_EXPECT_EQ(test, got->flags, want->flags);
}

static void row_rule(struct kunit *test)
{
	const struct row_case *c = test->param_value;
	/* A rule like any other, with one of these. */
	const u8 usual = SFRAME_RULE_MANGLED | SFRAME_RULE_RA_ABOVE;
	struct sframe_rule want = c->rule;
	struct sframe_row row;

	one_row(test, c, 0, 0, &row);
	KUNIT_EXPECT_EQ(test, row.reason, c->reason);
	expect_rule(test, &row.rule, &want);

	/* The same in a signal trampoline. */
	if (c->version == 3) {
		one_row(test, c, SFRAME_FDE_SIGNAL, 0, &row);
		if (!c->reason)
			want.flags |= SFRAME_RULE_SIGNAL;
		expect_rule(test, &row.rule, &want);
	}

	/* The same where FP has a fixed place; flexible rows ignore that. */
	one_row(test, c, 0, -24, &row);
	want = c->rule;
	if (!c->flex && !(want.flags & ~usual)) {
		want.fp = AT(CFA);
		want.fp_off = -24;
	}
	expect_rule(test, &row.rule, &want);
}

/* ld's row for .plt.got is wrong by one word; others stay as they are. */
static void row_plt_got(struct kunit *test)
{
	struct row_case c = { .abi = X86, .version = 2, .info = BASE_SP,
			      .count = 1, .w = { 16 } };
	struct sframe_row row;

	one_row(test, &c, SFRAME_FDE_PCMASK, 0, &row);
	KUNIT_EXPECT_EQ(test, row.rule.cfa_off, 8);
	one_row(test, &c, 0, 0, &row);
	KUNIT_EXPECT_EQ(test, row.rule.cfa_off, 16);
	c.w[0] = 24;
	one_row(test, &c, SFRAME_FDE_PCMASK, 0, &row);
	KUNIT_EXPECT_EQ(test, row.rule.cfa_off, 24);
	c.w[0] = 16;
	c.info = 0;
	one_row(test, &c, SFRAME_FDE_PCMASK, 0, &row);
	KUNIT_EXPECT_EQ(test, row.rule.cfa_off, 16);
	c.abi = ARM;
	c.info = BASE_SP;
	one_row(test, &c, SFRAME_FDE_PCMASK, 0, &row);
	KUNIT_EXPECT_EQ(test, row.rule.cfa_off, 16);
}

/* OCaml's for arm64: what was stored below SP is nothing, what is not yet is in registers. */
static void row_not_saved(struct kunit *test)
{
	static const struct row_case rows[] = {
		{ .abi = ARM, .info = BASE_SP, .count = 3, .w = { 0, -8, -16 },
		  RULE(SP, 0, 0, 0, 0, 0) },
		{ .abi = ARM, .info = BASE_SP, .count = 3, .w = { 16, -8, -16 },
		  RULE(SP, 16, AT(CFA), -8, AT(CFA), -16) },
		{ .abi = S390, .info = BASE_SP, .count = 3, .w = { -20, -8, -16 },
		  RULE(SP, 0, AT(CFA), -8, AT(CFA), -16) },
	};
	struct row_case c;
	struct sframe_row row;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		c = rows[i];
		for (c.version = 2; c.version <= 3; c.version++) {
			one_row(test, &c, 0, 0, &row);
			expect_rule(test, &row.rule, &c.rule);
		}
	}
}

/* OCaml's for arm64: the record that is said to be above the CFA is 160 bytes lower. */
static void row_saves_all(struct kunit *test)
{
	struct row_case c = { .abi = ARM, .version = 3, .info = BASE_SP, .code = 1,
			      .count = 3, .w = { 160, 8, 0 },
			      RULE(SP, 160, AT(CFA), -152, AT(CFA), -160) };
	struct sframe_row row;

	c.rule.flags = SFRAME_RULE_SIGNAL;
	one_row(test, &c, SFRAME_FDE_SIGNAL, 0, &row);
	expect_rule(test, &row.rule, &c.rule);
	c.rule.ra_off = 8;
	c.rule.fp_off = 0;
	c.rule.flags = SFRAME_RULE_RA_ABOVE;
	one_row(test, &c, 0, 0, &row);
	expect_rule(test, &row.rule, &c.rule);
}

static struct kunit_case rows_cases[] = {
	KUNIT_CASE_PARAM(row_rule, row_case_gen_params),
	KUNIT_CASE(row_plt_got),
	KUNIT_CASE(row_not_saved),
	KUNIT_CASE(row_saves_all),
	{}
};

static struct kunit_suite rows_suite = {
	.name = "sframe_rows",
	.test_cases = rows_cases,
};

kunit_test_suite(rows_suite);
