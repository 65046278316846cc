// SPDX-License-Identifier: GPL-2.0
/*
 * Limits on what a table from .eh_frame may cost, and files that have .sframe
 * as well.
 */
#include <kunit/test.h>

#include "build.h"
#include "cfi_trial.h"

#ifndef __KERNEL__
#include "alloc.h"
#endif

/* DWARF numbers. */
#define RBX	3
#define RBP	6

/* Too many rows of a PLT, in a segment that is large enough for them. */
static void endless_plt(struct kunit *test)
{
	static const struct sframe_segment large = {
		.vaddr = CFI_TEXT, .size = 0x10000000,
	};
	struct trial *t = start(test);

	t->limits.table_bytes = 8 << 20;
	t->limits.build_bytes = 8 << 20;
	cfi_usual_cie(&t->m, "zR");
	cfi_fde(&t->m, CFI_TEXT, 0x400000, CFA_DEF_CFA_EXPRESSION, 11,
		0x77, 8, 0x80, 0, 0x3f, 0x1a, 0x3b, 0x2a, 0x33, 0x24, 0x22);
	cfi_end(&t->m);
	cfi_sources(&t->m, &t->src);
	t->src.text = &large;
	KUNIT_ASSERT_EQ(test, sframe_sources_build(&t->src, &t->limits,
						   &t->table, &t->skips),
			SFRAME_OK);
	EXPECT_CFA(t, CFI_TEXT + 0x1000, 8);
	EXPECT_CFA(t, CFI_TEXT + 0x100b, 16);
	EXPECT_CFA(t, CFI_TEXT + 0x3fffff, REFUSED);
	EXPECT_SKIPS(t, CFI_REPEAT, 1);
	finish(t, 1);
}

/* A few bytes for a block index of megabytes. */
static void sparse(struct kunit *test)
{
	static const struct sframe_segment large = {
		.vaddr = CFI_TEXT, .size = 0xf0000000,
	};
	struct trial *t = start(test);

	t->limits.build_bytes = 256 << 20;
	t->limits.table_bytes = 256 << 20;
	t->m.encoding = 0;
	cfi_usual_cie(&t->m, "zR");
	function(t, CFI_TEXT, 0x10, 4, 16);
	function(t, CFI_TEXT + 0xe0000000, 0x10, 4, 16);
	cfi_end(&t->m);
	cfi_sources(&t->m, &t->src);
	t->src.text = &large;
	KUNIT_EXPECT_EQ(test, sframe_sources_build(&t->src, &t->limits,
						   &t->table, &t->skips),
			SFRAME_TOO_BIG);
	KUNIT_EXPECT_NULL(test, t->table);
}

static void many_functions(struct trial *t)
{
	u32 i;

	cfi_usual_cie(&t->m, "zR");
	for (i = 0; i < 100; i++)
		function(t, FN + 16 * (i * 37 % 100), 16, 4, 16 + i % 8 * 8);
	cfi_end(&t->m);
}

/* There is one least limit, and no more than that is allocated. */
static void memory_limit(struct kunit *test)
{
	size_t low = 0, high = 1 << 22;
	struct trial *t;

	while (high - low > 1) {
		size_t mid = low + (high - low) / 2;

		t = start(test);
		many_functions(t);
		t->limits.build_bytes = mid;
#ifndef __KERNEL__
		alloc_peak = alloc_bytes;
#endif
		if (convert(t) == SFRAME_TOO_BIG)
			low = mid;
		else
			high = mid;
#ifndef __KERNEL__
		KUNIT_EXPECT_LE(test, alloc_peak, alloc_bytes + mid);
#endif
		KUNIT_EXPECT_EQ(test, !t->table, low == mid);
		finish(t, 0);
	}
	KUNIT_EXPECT_LT(test, high, 100000);
	t = start(test);
	many_functions(t);
	KUNIT_ASSERT_EQ(test, convert(t), SFRAME_OK);
	high = t->table->bytes;
	finish(t, 0);
	for (low = high - 1; low <= high; low++) {
		t = start(test);
		many_functions(t);
		t->limits.table_bytes = low;
		KUNIT_EXPECT_EQ(test, convert(t),
				low < high ? SFRAME_TOO_BIG : SFRAME_OK);
		finish(t, 0);
	}
}

/* @t with a .sframe that says SP+80 and SP+88 from FN + 0x40 on. */
static enum sframe_reason convert_both(struct trial *t, struct build *b)
{
	build_init(b, &sframe_abi_x86, 2, false, 0, 0x600000);
	build_fde(b, FN + 0x40, 0x20, 0, 0, 0);
	build_row(b, 0, SFRAME_ROW_BASE_SP, 0, 1, 80);
	build_row(b, 8, SFRAME_ROW_BASE_SP, 0, 1, 88);
	/* Two words too many: refused. */
	build_row(b, 16, SFRAME_ROW_BASE_SP, 0, 4, 8, 8, 8, 8);
	build_row(b, 24, SFRAME_ROW_BASE_SP, 0, 1, 96);
	build_end(b);
	KUNIT_ASSERT_FALSE(t->test, b->failed);
	cfi_sources(&t->m, &t->src);
	t->src.sframe = (struct sframe_bytes){ b->data, b->len, 0x600000 };
	return sframe_sources_build(&t->src, &t->limits, &t->table, &t->skips);
}

static void both(struct kunit *test)
{
	struct trial *t = start(test);
	struct build b;

	cfi_usual_cie(&t->m, "zR");
	function(t, FN, 0x50, 4, 16);
	function(t, FN + 0x50, 0x90, 4, 24);
	cfi_end(&t->m);
	KUNIT_ASSERT_EQ(test, convert_both(t, &b), SFRAME_OK);
	EXPECT_CFA(t, FN - 1, GAP);
	EXPECT_CFA(t, FN, 8);
	EXPECT_CFA(t, FN + 0x3f, 16);
	EXPECT_CFA(t, FN + 0x40, 80);
	EXPECT_CFA(t, FN + 0x48, 88);
	EXPECT_CFA(t, FN + 0x4f, 88);
	/* Refused there, known here. */
	EXPECT_CFA(t, FN + 0x50, 8);
	EXPECT_CFA(t, FN + 0x54, 24);
	EXPECT_CFA(t, FN + 0x58, 96);
	EXPECT_CFA(t, FN + 0x5f, 96);
	EXPECT_CFA(t, FN + 0x60, 24);
	EXPECT_CFA(t, FN + 0xdf, 24);
	EXPECT_CFA(t, FN + 0xe0, GAP);
	EXPECT_CFA(t, ~0ull, GAP);
	EXPECT_SKIPS(t, ROW_WORDS, 1);
	finish(t, 1);
	build_free(&b);
}

/* What older assemblers do not write to .sframe. */
static void said_by_one(struct kunit *test)
{
	struct trial *t = start(test);
	struct build b;

	cfi_usual_cie(&t->m, "zR");
	cfi_fde(&t->m, FN + 0x30, 0x1c, ADVANCE(0x14), CFA_UNDEFINED, 16);
	cfi_usual_cie(&t->m, "zRS");
	function(t, FN + 0x4c, 8, 2, 24);
	cfi_end(&t->m);
	KUNIT_ASSERT_EQ(test, convert_both(t, &b), SFRAME_OK);
	EXPECT_CFA(t, FN + 0x43, 80);
	EXPECT_CFA(t, FN + 0x44, LAST);
	EXPECT_CFA(t, FN + 0x4b, LAST);
	EXPECT_CFA(t, FN + 0x4c, 8);
	EXPECT_CFA(t, FN + 0x4e, 24);
	KUNIT_EXPECT_EQ(test, sframe_table_lookup(t->table, FN + 0x4e)->flags,
			SFRAME_RULE_SIGNAL);
	EXPECT_CFA(t, FN + 0x54, REFUSED);
	EXPECT_CFA(t, FN + 0x58, 96);
	finish(t, 1);
	build_free(&b);
}

/* One source that is no use leaves the other one. */
static void one_is_broken(struct kunit *test)
{
	struct trial *t = start(test);
	struct build b;

	KUNIT_ASSERT_EQ(test, convert_both(t, &b), SFRAME_OK);
	EXPECT_CFA(t, FN + 0x48, 88);
	EXPECT_CFA(t, FN + 0x50, REFUSED);
	EXPECT_SKIPS(t, NO_FUNCTIONS, 1);
	finish(t, 2);

	cfi_usual_cie(&t->m, "zR");
	function(t, FN, 0x50, 4, 16);
	b.data[0] ^= 1;
	cfi_sources(&t->m, &t->src);
	t->src.sframe = (struct sframe_bytes){ b.data, b.len, 0x600000 };
	KUNIT_ASSERT_EQ(test, sframe_sources_build(&t->src, &t->limits,
						   &t->table, &t->skips),
			SFRAME_OK);
	EXPECT_CFA(t, FN + 0x48, 16);
	EXPECT_SKIPS(t, HDR_MAGIC, 1);
	finish(t, 1);

	t->src.eh_frame.len = 0;
	t->table = NULL;
	KUNIT_EXPECT_EQ(test, sframe_sources_build(&t->src, &t->limits,
						   &t->table, &t->skips),
			SFRAME_HDR_MAGIC);
	KUNIT_EXPECT_NULL(test, t->table);
	build_free(&b);
}

/*
 * A function that finds the CFA by rbx, once it saved that (as the dynamic linker's,
 * when it is called to bind another), and one that it calls.
 */
static void rbx_functions(struct trial *t)
{
	cfi_usual_cie(&t->m, "zR");
	cfi_fde(&t->m, FN, 0x40, ADVANCE(1), CFA_DEF_CFA_OFFSET, 16,
		CFA_OFFSET | RBX, 2, ADVANCE(3), CFA_DEF_CFA_REGISTER, RBX);
	cfi_fde(&t->m, FN + 0x40, 0x40, ADVANCE(2), CFA_DEF_CFA_OFFSET, 16,
		CFA_OFFSET | RBP, 2, ADVANCE(1), CFA_DEF_CFA_OFFSET, 24,
		CFA_OFFSET | RBX, 3);
	cfi_end(&t->m);
}

/* Each allocation fails in turn, with one source and with two. */
static void allocation_failure(struct kunit *test)
{
#ifdef __KERNEL__
	kunit_skip(test, "allocations are failed in user space only");
#else
	enum sframe_reason reason = SFRAME_NO_MEMORY;
	struct trial *t = start(test);
	struct build b;
	long n;

	rbx_functions(t);
	KUNIT_ASSERT_EQ(test, convert_both(t, &b), SFRAME_OK);
	for (n = 0; reason; n++) {
		long live;

		sframe_table_free(t->table);
		t->table = NULL;
		live = alloc_live;
		alloc_fail_at = alloc_count + n;
		reason = sframe_sources_build(&t->src, &t->limits, &t->table,
					      &t->skips);
		alloc_fail_at = -1;
		if (!reason)
			break;
		KUNIT_ASSERT_EQ(test, reason, SFRAME_NO_MEMORY);
		KUNIT_EXPECT_EQ(test, alloc_live, live);
		KUNIT_EXPECT_NULL(test, t->table);
	}
	/* Two tables with what it takes to make them, the third, and where rbx is. */
	KUNIT_EXPECT_EQ(test, n, 12);
	sframe_table_free(t->table);
	build_free(&b);
#endif
}

static void expect_kept(struct trial *t, u64 pc, u8 loc, s32 off)
{
	const struct sframe_rule *rule = sframe_table_lookup(t->table->kept, pc);

	KUNIT_EXPECT_EQ(t->test, rule->flags, 0);
	KUNIT_EXPECT_EQ(t->test, rule->fp, loc);
	KUNIT_EXPECT_EQ(t->test, rule->fp_off, off);
}

static void kept_register(struct kunit *test)
{
	struct trial *t = start(test);
	size_t bytes;

	rbx_functions(t);
	KUNIT_ASSERT_EQ(test, convert(t), SFRAME_OK);
	KUNIT_ASSERT_NOT_NULL(test, t->table->kept);
	KUNIT_EXPECT_EQ(test, t->table->kept_reg, RBX);
	expect_kept(t, FN, SFRAME_LOC_SAME, 0);
	expect_kept(t, FN + 4, SFRAME_LOC_SAVED, -16);
	expect_kept(t, FN + 0x40, SFRAME_LOC_SAME, 0);
	expect_kept(t, FN + 0x42, SFRAME_LOC_SAME, 0);
	expect_kept(t, FN + 0x43, SFRAME_LOC_SAVED, -24);
	KUNIT_EXPECT_EQ(test, sframe_table_lookup(t->table, FN + 0x43)->fp_off, -16);
	bytes = t->table->bytes;
	KUNIT_EXPECT_LT(test, t->table->kept->bytes, bytes);
	finish(t, 0);

	/* Where there is no room for both, the table comes first. */
	t = start(test);
	rbx_functions(t);
	t->limits.table_bytes = bytes - 1;
	KUNIT_ASSERT_EQ(test, convert(t), SFRAME_OK);
	KUNIT_EXPECT_NULL(test, t->table->kept);
	finish(t, 0);
}

/* Nobody saves rax for its caller, and who needs r10 in the topmost frame has it. */
static void registers_not_kept(struct kunit *test)
{
	struct trial *t = start(test);

	cfi_usual_cie(&t->m, "zR");
	cfi_fde(&t->m, FN, 0x40, ADVANCE(1), CFA_DEF_CFA_REGISTER, 0,
		ADVANCE(1), CFA_DEF_CFA_REGISTER, 10);
	cfi_end(&t->m);
	KUNIT_ASSERT_EQ(test, convert(t), SFRAME_OK);
	KUNIT_EXPECT_NULL(test, t->table->kept);
	finish(t, 0);
}

static struct kunit_case sources_cases[] = {
	KUNIT_CASE(endless_plt),
	KUNIT_CASE(sparse),
	KUNIT_CASE(memory_limit),
	KUNIT_CASE(both),
	KUNIT_CASE(said_by_one),
	KUNIT_CASE(one_is_broken),
	KUNIT_CASE(allocation_failure),
	KUNIT_CASE(kept_register),
	KUNIT_CASE(registers_not_kept),
	{}
};

static struct kunit_suite sources_suite = {
	.name = "sframe_sources",
	.test_cases = sources_cases,
};

kunit_test_suite(sources_suite);
