// SPDX-License-Identifier: GPL-2.0
/*
 * x86-64: most instructions are read by a quick way. A prefix that changes nothing has any of
 * them read by the other, and what is found must be the same.
 */
#include <kunit/test.h>

#include <sframe/abi.h>

#include "random.h"

#define PC		0x400000ull
#define SAME_DS		0x3e
#define ROUNDS		200000
#define INSN_MAX	15

static void same_steps(struct kunit *test, const u8 *quick, const u8 *other)
{
	struct sframe_sp_step q, o;

	KUNIT_ASSERT_TRUE(test, sframe_abi_x86.sp_step(quick, PC, &q));
	KUNIT_ASSERT_TRUE(test, sframe_abi_x86.sp_step(other, PC - 1, &o));
	KUNIT_ASSERT_TRUE(test, o.slow);
	KUNIT_ASSERT_EQ(test, (int)q.sp, (int)o.sp);
	KUNIT_ASSERT_EQ(test, q.added, o.added);
	KUNIT_ASSERT_EQ(test, q.plain, o.plain);
	KUNIT_ASSERT_EQ(test, q.insn.len + 1, (int)o.insn.len);
	KUNIT_ASSERT_EQ(test, q.insn.flags, o.insn.flags);
	/* What names FP is always read slowly, but as what an address counts from. */
	if (!q.slow)
		KUNIT_ASSERT_EQ(test, (int)q.fp, (int)o.fp);
}

static void quickly_read_as_others(struct kunit *test)
{
	u8 code[1 + 2 * INSN_MAX] = { SAME_DS };
	u64 rng = 11;
	u32 i, j, known = 0;

	for (i = 0; i < ROUNDS; i++) {
		struct sframe_insn quick = {}, other = {};
		bool is_quick, is_other;

		for (j = 1; j < sizeof(code); j++)
			code[j] = rnd(&rng);
		if (i % 4 == 1)
			code[1] = 0x40 | (code[1] & 15);
		is_quick = sframe_abi_x86.insn(code + 1, PC, &quick);
		is_other = sframe_abi_x86.insn(code, PC - 1, &other);
		/* With one prefix more, it may be too long or have too many. */
		if (is_quick && quick.len > 7 && !is_other)
			continue;
		KUNIT_ASSERT_EQ(test, is_quick, is_other);
		if (!is_quick)
			continue;
		known++;
		KUNIT_ASSERT_EQ(test, quick.len + 1, (int)other.len);
		KUNIT_ASSERT_EQ(test, quick.flags, other.flags);
		KUNIT_ASSERT_EQ(test, quick.target, other.target);
		same_steps(test, code + 1, code);
	}
	KUNIT_EXPECT_GT(test, known, (u32)ROUNDS / 2);
}

static struct kunit_case insn_x86_test_cases[] = {
	KUNIT_CASE(quickly_read_as_others),
	{}
};

static struct kunit_suite insn_x86_suite = {
	.name = "sframe_insn_x86",
	.test_cases = insn_x86_test_cases,
};

kunit_test_suite(insn_x86_suite);
