// SPDX-License-Identifier: GPL-2.0
/*
 * Whole .eh_frame sections: how entries are written, which functions count,
 * and what can be wrong with them.
 */
#include <kunit/test.h>

#include "cfi_trial.h"
#include "table_impl.h"

#ifndef __KERNEL__
#include "alloc.h"
#endif

/* How pointers, lengths and CIEs may be written. */
static const struct writing {
	const char *name;
	const char *letters;
	u8 encoding;
	u8 version;
	u8 wide;
} writings[] = {
	{ "32 bits from here", "zR", 0x1b, 1, 0 },
	{ "64 bits from here", "zR", 0x1c, 1, 0 },
	{ "absolute", "zR", 0x00, 1, 0 },
	{ "no augmentation", "", 0x00, 1, 0 },
	{ "absolute, 32 bits", "zR", 0x03, 1, 0 },
	{ "from .eh_frame_hdr", "zR", 0x3b, 1, 0 },
	{ "LEB128", "zR", 0x01, 1, 0 },
	{ "signed LEB128 from here", "zR", 0x19, 1, 0 },
	{ "version 3", "zR", 0x1b, 3, 0 },
	{ "version 4", "zR", 0x1b, 4, 0 },
	{ "C++", "zPLR", 0x1b, 1, 0 },
	{ "64-bit lengths", "zR", 0x1b, 1, 4 },
	{ "64-bit lengths and identifiers", "zR", 0x1b, 1, 8 },
};

KUNIT_ARRAY_PARAM_DESC(writing, writings, name);

static void written(struct kunit *test)
{
	static const struct sframe_abi *const abis[] = {
		&sframe_abi_x86, &sframe_abi_arm64, &sframe_abi_s390,
	};
	const struct writing *w = test->param_value;
	unsigned int i;

	for (i = 0; i < 6; i++) {
		const struct sframe_abi *abi = abis[i / 2];
		struct trial *t = start(test);

		cfi_begin(&t->m, abi, i % 2);
		t->m.version = w->version;
		t->m.wide = w->wide;
		t->m.encoding = w->encoding;
		cfi_usual_cie(&t->m, w->letters);
		function(t, FN, 0x40, 8, 96);
		cfi_usual_cie(&t->m, w->letters);
		function(t, FN + 0x40, 0x40, 4, 112);
		cfi_end(&t->m);
		KUNIT_ASSERT_EQ(test, convert(t), SFRAME_OK);
		EXPECT_CFA(t, FN - 1, GAP);
		EXPECT_CFA(t, FN + 0x3f, 96);
		EXPECT_CFA(t, FN + 0x7f, 112);
		EXPECT_CFA(t, FN + 0x80, GAP);
		finish(t, 0);
	}
}

static void functions(struct kunit *test)
{
	struct trial *t = start(test);

	cfi_usual_cie(&t->m, "zR");
	function(t, FN + 0x100, 0x20, 4, 32);
	function(t, FN, 0x40, 4, 16);
	function(t, FN + 0x20, 0, 0, 24);
	function(t, FN + 0x30, 0x20, 4, 40);
	function(t, CFI_TEXT - 0x10, 0x20, 4, 48);
	function(t, CFI_TEXT + CFI_TEXT_SIZE - 4, 8, 4, 56);
	function(t, FN + 0x100, 0x10, 4, 64);
	cfi_end(&t->m);
	function(t, FN + 0x200, 0x40, 4, 72);
	KUNIT_ASSERT_EQ(test, convert(t), SFRAME_OK);
	EXPECT_CFA(t, FN + 3, 8);
	EXPECT_CFA(t, FN + 0x2f, 16);
	EXPECT_CFA(t, FN + 0x30, 8);
	EXPECT_CFA(t, FN + 0x4f, 40);
	EXPECT_CFA(t, FN + 0x50, GAP);
	/* Of two that begin at the same address, the later one in the file. */
	EXPECT_CFA(t, FN + 0x108, 64);
	EXPECT_CFA(t, FN + 0x110, GAP);
	/* Nothing behind the terminator counts. */
	EXPECT_CFA(t, FN + 0x220, GAP);
	EXPECT_SKIPS(t, CFI_EMPTY, 1);
	EXPECT_SKIPS(t, CFI_RANGE, 2);
	EXPECT_SKIPS(t, CFI_OVERLAP, 2);
	finish(t, 5);
}

/* Sections that linkers have emptied, addresses that wrap around. */
static void absolute_addresses(struct kunit *test)
{
	struct trial *t = start(test);

	t->m.encoding = SFRAME_PE_ABSPTR;
	cfi_usual_cie(&t->m, "zR");
	function(t, 0, 0x40, 4, 16);
	function(t, ~0ull - 0x10, 0x40, 4, 24);
	function(t, FN, ~0ull - 0x10, 4, 32);
	function(t, FN, 0x40, 4, 40);
	cfi_end(&t->m);
	KUNIT_ASSERT_EQ(test, convert(t), SFRAME_OK);
	EXPECT_CFA(t, FN + 8, 40);
	EXPECT_CFA(t, 8, GAP);
	EXPECT_SKIPS(t, CFI_RANGE, 3);
	finish(t, 3);
}

/*
 * Functions that were discarded keep their size. Where text and headers share a segment it
 * begins at 0, and has PLTs, of which .eh_frame may say nothing, in its first pages.
 */
static void discarded_function(struct kunit *test)
{
	static const struct sframe_segment whole = { .size = 0x20000 };
	static const u8 encodings[] = {
		SFRAME_PE_ABSPTR, SFRAME_PE_UDATA4, SFRAME_PE_PCREL | SFRAME_PE_SDATA4,
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(encodings); i++) {
		struct trial *t = start(test);
		u32 at;

		t->m.encoding = encodings[i];
		cfi_usual_cie(&t->m, "zR");
		at = t->m.len + 8;
		function(t, 0, 0x4000, 4, 16);
		cfi_put_at(&t->m, at, 4, 0);
		function(t, FN, 0x40, 4, 40);
		cfi_end(&t->m);
		cfi_sources(&t->m, &t->src);
		t->src.text = &whole;
		KUNIT_ASSERT_EQ(test, sframe_sources_build(&t->src, &t->limits, &t->table,
							   &t->skips), SFRAME_OK);
		EXPECT_CFA(t, 8, GAP);
		EXPECT_CFA(t, 0x3ff8, GAP);
		EXPECT_CFA(t, FN + 8, 40);
		EXPECT_SKIPS(t, CFI_RANGE, 1);
		finish(t, 1);
	}
}

static void no_function(struct kunit *test)
{
	struct trial *t = start(test);

	KUNIT_EXPECT_EQ(test, convert(t), SFRAME_NO_FUNCTIONS);
	cfi_end(&t->m);
	KUNIT_EXPECT_EQ(test, convert(t), SFRAME_NO_FUNCTIONS);
	t = start(test);
	cfi_usual_cie(&t->m, "zR");
	KUNIT_EXPECT_EQ(test, convert(t), SFRAME_NO_FUNCTIONS);
	t->src.eh_frame.data = NULL;
	KUNIT_EXPECT_EQ(test, sframe_sources_build(&t->src, &t->limits,
						   &t->table, &t->skips),
			SFRAME_NO_SFRAME);
	finish(t, 0);
}

/* The next function, by the CIE made last if no other is set. */
static void next_function(struct trial *t, u64 *at)
{
	function(t, *at, 0x10, 4, 16);
	*at += 0x10;
}

/* One by the usual CIE in another @encoding. */
static void encoded(struct trial *t, u8 encoding, u64 *at)
{
	t->m.encoding = encoding;
	cfi_usual_cie(&t->m, "zR");
	next_function(t, at);
}

/* CIEs that are not there or that cannot be read; others still count. */
static void broken_cies(struct kunit *test)
{
	struct trial *t = start(test);
	static const u8 many[300];
	u64 at = FN;
	u32 good;

	cfi_usual_cie(&t->m, "zR");
	good = t->m.cie;
	next_function(t, &at);
	t->m.cie = 0x4000;
	next_function(t, &at);
	t->m.cie = good + 4;
	next_function(t, &at);
	t->m.version = 2;
	cfi_usual_cie(&t->m, "zR");
	next_function(t, &at);
	t->m.version = 1;
	cfi_usual_cie(&t->m, "zQ");
	next_function(t, &at);
	cfi_usual_cie(&t->m, "eh");
	next_function(t, &at);
	encoded(t, 0x2b, &at);
	encoded(t, 0x9b, &at);
	t->m.encoding = 0x1b;
	/* Longer than any, one that advances, one that does not end. */
	cfi_cie_bytes(&t->m, "zR", 1, -8, 16, many, sizeof(many));
	next_function(t, &at);
	cfi_cie(&t->m, "zR", 1, -8, 16, CFA_DEF_CFA, 7, 8, ADVANCE(1));
	next_function(t, &at);
	cfi_cie(&t->m, "zR", 1, -8, 16, CFA_NOP, CFA_NOP, CFA_NOP,
		CFA_DEF_CFA_EXPRESSION, 0x7f);
	next_function(t, &at);
	t->m.cie = good;
	function(t, at, 0x10, 4, 24);
	cfi_end(&t->m);
	KUNIT_ASSERT_EQ(test, convert(t), SFRAME_OK);
	/* The first and the last. */
	EXPECT_CFA(t, FN + 8, 16);
	EXPECT_CFA(t, at + 8, 24);
	EXPECT_CFA(t, FN + 0x18, GAP);
	EXPECT_CFA(t, at - 8, GAP);
	EXPECT_SKIPS(t, CFI_CIE, 6);
	EXPECT_SKIPS(t, CFI_AUGMENTATION, 2);
	EXPECT_SKIPS(t, CFI_POINTER, 2);
	finish(t, 10);
}

static void expect_cut_off(struct kunit *test, struct trial *t)
{
	KUNIT_ASSERT_EQ(test, convert(t), SFRAME_OK);
	EXPECT_CFA(t, FN + 8, 16);
	EXPECT_CFA(t, FN + 0x18, GAP);
	EXPECT_SKIPS(t, CFI_ENTRY, 1);
	finish(t, 1);
}

/* What reaches beyond the section ends it; what was read before stays. */
static void cut_off(struct kunit *test)
{
	struct trial *t = start(test);
	u32 len, full;

	cfi_usual_cie(&t->m, "zR");
	function(t, FN, 0x10, 4, 16);
	len = t->m.len;
	function(t, FN + 0x10, 0x10, 4, 24);
	full = t->m.len;
	for (t->m.len = len + 4; t->m.len < full; t->m.len++)
		expect_cut_off(test, t);
	t->m.len = full;
	cfi_put_at(&t->m, len, 4, 0xfffffff0);
	expect_cut_off(test, t);
	cfi_put_at(&t->m, len, 4, 2);
	expect_cut_off(test, t);
}

/* A CIE of @len bytes in all. */
static void long_cie(struct trial *t, u32 len)
{
	u32 at = t->m.len;

	cfi_usual_cie(&t->m, "zR");
	t->m.len = at + len;
	cfi_put_at(&t->m, at, 4, len - 4);
}

/*
 * Two CIEs that push each other out of those that are kept: if functions take turns with them,
 * each has a long one read in each round. A few may.
 */
static void functions_take_turns(struct kunit *test)
{
	static const unsigned int functions[] = { 40, 120 };
	unsigned int i, n;

	for (n = 0; n < ARRAY_SIZE(functions); n++) {
		struct trial *t = start(test);
		const u32 len = 260;

		long_cie(t, len);
		long_cie(t, len);
		for (i = 0; i < functions[n]; i++) {
			t->m.cie = i % 2 ? len : 0;
			function(t, FN + 0x10 * i, 0x10, 4, 16);
		}
		cfi_end(&t->m);
		if (n) {
			KUNIT_EXPECT_EQ(test, convert(t), SFRAME_CFI_CIE);
			continue;
		}
		KUNIT_ASSERT_EQ(test, convert(t), SFRAME_OK);
		EXPECT_CFA(t, FN + 0x18, 16);
		finish(t, 0);
	}
}

/*
 * Each step lets others run now and then: to count the functions, to list them, and, twice,
 * to write them, which for those that another one hides is no more than to read them.
 */
static void others_run(struct kunit *test)
{
#ifdef __KERNEL__
	kunit_skip(test, "how often others may run is counted in user space only");
#else
	const u32 nr = 4 * SFRAME_TICKS;
	struct trial *t = start(test);
	u32 i, at, len;
	long before;
	u8 *many;

	t->m.encoding = SFRAME_PE_UDATA4;
	cfi_usual_cie(&t->m, "zR");
	at = t->m.len;
	function(t, FN, 0x10, 4, 16);
	len = t->m.len - at;
	many = malloc(at + nr * len);
	KUNIT_ASSERT_NOT_NULL(test, many);
	memcpy(many, t->m.data, at);
	for (i = 0; i < nr; i++) {
		cfi_put_at(&t->m, at + 4, 4, at + i * len + 4 - t->m.cie);
		memcpy(many + at + i * len, t->m.data + at, len);
	}
	cfi_sources(&t->m, &t->src);
	t->src.eh_frame.data = many;
	t->src.eh_frame.len = at + nr * len;
	before = relax_count;
	KUNIT_EXPECT_EQ(test, sframe_sources_build(&t->src, &t->limits, &t->table, &t->skips),
			SFRAME_OK);
	KUNIT_EXPECT_GE(test, relax_count - before, 4 * nr / SFRAME_TICKS);
	EXPECT_CFA(t, FN + 8, 16);
	EXPECT_SKIPS(t, CFI_OVERLAP, nr - 1);
	finish(t, nr - 1);
	free(many);
#endif
}

static struct kunit_case cfi_sections_cases[] = {
	KUNIT_CASE_PARAM(written, writing_gen_params),
	KUNIT_CASE(functions),
	KUNIT_CASE(absolute_addresses),
	KUNIT_CASE(discarded_function),
	KUNIT_CASE(no_function),
	KUNIT_CASE(broken_cies),
	KUNIT_CASE(cut_off),
	KUNIT_CASE(functions_take_turns),
	KUNIT_CASE(others_run),
	{}
};

static struct kunit_suite cfi_sections_suite = {
	.name = "sframe_cfi_sections",
	.test_cases = cfi_sections_cases,
};

kunit_test_suite(cfi_sections_suite);
