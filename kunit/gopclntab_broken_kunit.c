// SPDX-License-Identifier: GPL-2.0
/*
 * Go's function tables: what can be wrong with a section.
 */
#include <kunit/test.h>

#include "go_trial.h"
#include "guard.h"

static void two_functions(struct trial *t)
{
	GO_FUNC(&t->m, 0x100, 0x40, "main.f", 0, { 0, 4 }, { 8, 0x40 });
	GO_FUNC(&t->m, 0x140, 0x40, "main.g", 0, { 0, 4 }, { 8, 0x40 });
	go_end(&t->m);
	go_sources(&t->m, &t->src);
}

/* What is wrong with a header, or the list of functions. */
static const struct broken {
	const char *name;
	u32 at;
	u8 bytes;
	u64 value;
	enum sframe_reason reason;
} broken[] = {
	{ "a version of the past", 0, 4, 0xfffffffb, SFRAME_GO_HEADER },
	{ "padding", 4, 2, 1, SFRAME_GO_HEADER },
	{ "quantum", 6, 1, 3, SFRAME_GO_HEADER },
	{ "pointers of 32 bits", 7, 1, 4, SFRAME_GO_HEADER },
	{ "too many functions", 8, 8, 1000, SFRAME_GO_HEADER },
	{ "so many that it wraps", 8, 8, ~0ull / 8 + 1, SFRAME_GO_HEADER },
	{ "no function", 8, 8, 0, SFRAME_NO_FUNCTIONS },
	{ "code nobody knows where", 24, 8, 0, SFRAME_GO_TEXT },
	{ "code elsewhere", 24, 8, 0x10000000, SFRAME_NO_FUNCTIONS },
	{ "code at the end of all addresses", 24, 8, ~0ull - 0x100,
	  SFRAME_NO_FUNCTIONS },
	{ "names outside", 32, 8, 1 << 20, SFRAME_GO_HEADER },
	{ "rows outside", 56, 8, ~0ull, SFRAME_GO_HEADER },
	{ "functions outside", 64, 8, ~0ull - 4, SFRAME_GO_HEADER },
	{ "functions at the end", 64, 8, GO_HDR + 2 * GO_ROOM + 116,
	  SFRAME_GO_HEADER },
};

KUNIT_ARRAY_PARAM_DESC(broken, broken, name);

static void is_broken(struct kunit *test)
{
	const struct broken *b = test->param_value;
	struct trial *t = start(test, &sframe_abi_x86, false);

	two_functions(t);
	go_put(&t->m, b->at, b->bytes, b->value);
	KUNIT_EXPECT_EQ(test, build_of(t), b->reason);
	KUNIT_EXPECT_NULL(test, t->table);
}

/* One function that is broken leaves the other one. */
static void one_is_broken(struct kunit *test)
{
	const u32 funcs = GO_HDR + 2 * GO_ROOM;
	struct trial *t = start(test, &sframe_abi_x86, false);

	two_functions(t);
	go_put(&t->m, funcs + 4, 4, ~0u);
	KUNIT_ASSERT_EQ(test, build_of(t), SFRAME_OK);
	expect(t, 0x120, FLAG(NO_FDE));
	expect(t, 0x150, X86_SP(16, X86_FP_SAVED));
	EXPECT_SKIPS(t, GO_RECORD, 1);
	finish(t, 1);

	two_functions(start(test, &sframe_abi_x86, false));
	go_put(&t->m, go_record(&t->m, 1), 4, 0x100);
	KUNIT_ASSERT_EQ(test, build_of(t), SFRAME_OK);
	EXPECT_SKIPS(t, GO_RECORD, 1);
	finish(t, 1);

	two_functions(start(test, &sframe_abi_x86, false));
	go_put(&t->m, go_record(&t->m, 1) + 16, 4, ~0u);
	KUNIT_ASSERT_EQ(test, build_of(t), SFRAME_OK);
	EXPECT_SKIPS(t, GO_RECORD, 1);
	finish(t, 1);

	two_functions(start(test, &sframe_abi_x86, false));
	go_put(&t->m, funcs + 16, 4, 0x120);
	KUNIT_ASSERT_EQ(test, build_of(t), SFRAME_OK);
	expect(t, 0x120, X86_SP(16, X86_FP_SAVED));
	expect(t, 0x150, FLAG(NO_FDE));
	EXPECT_SKIPS(t, GO_ORDER, 1);
	finish(t, 1);

	two_functions(start(test, &sframe_abi_x86, false));
	go_put(&t->m, funcs + 16, 4, GO_TEXT_SIZE + 1);
	KUNIT_ASSERT_EQ(test, build_of(t), SFRAME_OK);
	expect(t, 0x150, FLAG(NO_FDE));
	EXPECT_SKIPS(t, GO_RANGE, 1);
	finish(t, 1);
}

/* Rows: cut off, without end, too long, of no bytes, longer than the function. */
static void rows(struct kunit *test)
{
	static const struct {
		u8 bytes[12];
		s32 at_4;	/* CFA there; -1: refused */
		s32 at_3f;
		u8 skips;
	} cases[] = {
		{ { 2, 0x20, 16, 0x20, 0 }, 8, 16, 0 },
		{ { 2, 0x20, 16, 0x7f, 0 }, 8, 16, 0 },
		{ { 2, 0x20, 16, 0x7f, 0xff }, 8, 16, 0 },
		{ { 2, 0x20, 0 }, 8, 0, 0 },
		{ { 2, 0x20, 16, 0, 16, 1, 0 }, 8, -1, 1 },
		{ { 2, 0x20, 0x80, 0x80, 0x80, 0x80, 0x10, 0x20 }, 8, -1, 1 },
		{ { 2, 0x20, 16, 0x80, 0x80, 0x80, 0x80, 0x10 }, 8, -1, 1 },
		{ { 2, 0x20, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80,
		    0x80, 0x80 }, 8, -1, 1 },
		{ { 0xfe, 0xff, 0xff, 0xff, 0x0f, 0x20, 0xfe, 0xff, 0xff, 0xff,
		    0x0f, 0x20 }, -1, -1, 1 },
		{ { 0, 0x20, 1, 0x20, 0 }, -1, -1, 2 },
		{ { 2, 0x20, 10, 0x20, 0 }, 8, -1, 1 },
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		struct trial *t = start(test, &sframe_abi_x86, false);
		const struct sframe_rule *rule;

		two_functions(t);
		memcpy(t->m.data + GO_HDR + GO_ROOM + t->m.row[1],
		       cases[i].bytes, sizeof(cases[i].bytes));
		KUNIT_ASSERT_EQ(test, build_of(t), SFRAME_OK);
		expect(t, 0x120, X86_SP(16, X86_FP_SAVED));
		rule = sframe_table_lookup(t->table, GO_TEXT + 0x144);
		KUNIT_EXPECT_EQ(test, rule->flags == SFRAME_RULE_BAD ? -1 :
				rule->cfa_off, cases[i].at_4);
		rule = sframe_table_lookup(t->table, GO_TEXT + 0x17f);
		KUNIT_EXPECT_EQ(test, rule->flags == SFRAME_RULE_BAD ? -1 :
				rule->cfa_off, cases[i].at_3f);
		finish(t, cases[i].skips);
	}
}

/* Functions that share many rows: no more of these are read than there are bytes. */
static void shared_rows(struct kunit *test)
{
	/* SP at the entry, then a word lower and back again, at each byte. */
	static const u8 first[] = { 2, 1 }, other[] = { 16, 1, 15, 1 };
	const u32 nr_rows = 1 + 2 * 124;
	struct trial *t = start(test, &sframe_abi_x86, false);
	u32 i, last, left, refused;
	u8 *p;

	for (i = 0; i < GO_FUNCS; i++)
		GO_FUNC(&t->m, 0x100 * i, 0x100, "main.f", 0, { 0, 4 }, { 8, 0x40 });
	go_end(&t->m);
	go_sources(&t->m, &t->src);
	p = t->m.data + GO_HDR + GO_ROOM;
	memset(p, 0, GO_ROOM);
	memcpy(p + 1, first, sizeof(first));
	for (i = 0; i < 124; i++)
		memcpy(p + 3 + 4 * i, other, sizeof(other));
	for (i = 0; i < GO_FUNCS; i++)
		go_put(&t->m, go_record(&t->m, i) + 16, 4, 1);
	KUNIT_ASSERT_EQ(test, build_of(t), SFRAME_OK);

	/* The first two are read to see what frame there is, and the end once. */
	last = t->m.len / (nr_rows + 3);
	left = t->m.len % (nr_rows + 3);
	KUNIT_ASSERT_GE(test, left, 50u);
	KUNIT_ASSERT_LT(test, last, (u32)GO_FUNCS);
	refused = GO_FUNCS - last;
	expect(t, 0x100 * (last - 1) + 242, X86_SP(8));
	expect(t, 0x100 * (last - 1) + 243, X86_SP(16, X86_FP_SAVED));
	expect(t, 0x100 * last + left, FLAG(BAD));
	expect(t, 0x100 * (GO_FUNCS - 1), FLAG(BAD));
	EXPECT_SKIPS(t, GO_REPEAT, refused);
	finish(t, refused);
}

/* Each prefix of a section is read up to its end and no further. */
static void cut_off(struct kunit *test)
{
	struct trial *t = start(test, &sframe_abi_x86, false);
	u8 *area = guard_map(GUARD_PAGE);
	u32 len;

	KUNIT_ASSERT_NOT_NULL(test, area);
	two_functions(t);
	for (len = 0; len < t->m.len; len++) {
		u8 *data = area + GUARD_PAGE - len;

		memcpy(data, t->m.data, len);
		t->src.gopclntab.data = data;
		t->src.gopclntab.len = len;
		t->table = NULL;
		if (!build_of(t))
			sframe_free(t->table);
	}
	guard_unmap(area, GUARD_PAGE);
}

/* The address in the file counts, unless it will be another one. */
static void relocated(struct kunit *test)
{
	struct trial *t = start(test, &sframe_abi_x86, false);

	two_functions(t);
	t->src.go_text = GO_TEXT + 0x1000;
	KUNIT_ASSERT_EQ(test, build_of(t), SFRAME_OK);
	expect(t, 0x120, FLAG(NO_FDE));
	expect(t, 0x1120, X86_SP(16, X86_FP_SAVED));
	finish(t, 0);
}

static struct kunit_case gopclntab_broken_cases[] = {
	KUNIT_CASE_PARAM(is_broken, broken_gen_params),
	KUNIT_CASE(one_is_broken),
	KUNIT_CASE(rows),
	KUNIT_CASE(shared_rows),
	KUNIT_CASE(cut_off),
	KUNIT_CASE(relocated),
	{ }
};

static struct kunit_suite gopclntab_broken_suite = {
	.name = "sframe_gopclntab_broken",
	.test_cases = gopclntab_broken_cases,
};

kunit_test_suite(gopclntab_broken_suite);
