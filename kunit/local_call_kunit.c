// SPDX-License-Identifier: GPL-2.0
/*
 * HotSpot's interpreter calls C from code that it has called itself, behind the next jump: walks
 * through that.
 */
#include <kunit/test.h>

#include "cursor_impl.h"
#include "marked_world.h"

/* What is called, and returned to, at LOOP; SP when C is called. */
#define HANDLER_RA	(LOOP + 5)
#define CALLED_AT	8

/* call +5; jmp ...; and behind that: call ... */
#define LOCAL		"\xe8\x05\0\0\0\xe9\x40\0\0\0\xe8\0\0\0\0"
#define LOCAL_LEN	15
/* cmp $0,8(%r15); je +5; jmp back; ret */
#define CHECKS		"\x49\x83\x7f\x08\x00\x74\x05\xe9\x00\xff\xff\xff"
#define RETURNS		CHECKS "\xc3"

/**
 * struct local_case - what code goes on with when C returns
 * @name: what it shows
 * @code: all of it
 * @len: bytes
 * @above: words above SP there, before the RA
 * @word: instead of that RA; 0: that
 * @found: it is
 */
struct local_case {
	const char *name;
	const char *code;
	unsigned int len;
	unsigned int above;
	u64 word;
	bool found;
};

#define CODE_OF(bytes)	(bytes), sizeof(bytes) - 1

static const struct local_case local_cases[] = {
	{ "it returns", CODE_OF(LOCAL RETURNS), 0, 0, true },
	{ "SP was aligned", CODE_OF(LOCAL "\x48\x83\xc4\x08" RETURNS), 1, 0, true },
	{ "that is forgotten", CODE_OF(LOCAL RETURNS), 1, 0, false },
	{ "it was not", CODE_OF(LOCAL "\x48\x83\xc4\x08" RETURNS), 0, 0, false },
	{ "it restores FP", CODE_OF(LOCAL "\x5d" RETURNS), 1, 0, false },
	{ "it goes on", CODE_OF(LOCAL CHECKS "\xeb\xf0"), 0, 0, false },
	{ "the call is of something else",
	  CODE_OF("\xe8\x06\0\0\0\xe9\x40\0\0\0\xe8\0\0\0\0" RETURNS), 0, 0, false },
	{ "the RA follows no call", CODE_OF("\x90" LOCAL RETURNS), 0, 0, false },
	{ "the RA is behind", CODE_OF(LOCAL RETURNS), 0, LOOP + 64, false },
	{ "the RA is of a caller far away", CODE_OF(LOCAL RETURNS), 0, RA, false },
};

KUNIT_ARRAY_PARAM_DESC(local, local_cases, name);

static void step_by_local_call(struct kunit *test)
{
	const struct local_case *c = test->param_value;
	unsigned int at = CALLED_AT + 1 + c->above;
	static struct bare_world w;
	struct sframe_cursor cur;
	struct sframe_frame to;

	memset(&w, 0, sizeof(w));
	memset(w.code, 0x90, sizeof(w.code));
	put_code(&w, LOOP, c->code, c->len);
	put_call(&w, 0);
	w.stack[CALLED_AT] = LOOP + LOCAL_LEN;
	w.stack[at] = c->word ?: HANDLER_RA;
	KUNIT_ASSERT_EQ(test, (int)first_step(&w, &cur, CALLED, CALLED_AT, OLD_FP), (int)SFRAME_OK);
	KUNIT_ASSERT_EQ(test, cur.pc, LOOP + LOCAL_LEN);
	if (!c->found) {
		KUNIT_EXPECT_FALSE(test, sframe_step_by_local_call(&cur, &to));
		return;
	}
	KUNIT_ASSERT_TRUE(test, sframe_step_by_local_call(&cur, &to));
	KUNIT_EXPECT_EQ(test, to.ra, HANDLER_RA);
	KUNIT_EXPECT_EQ(test, to.sp, S(at + 1));
	KUNIT_EXPECT_EQ(test, to.fp, OLD_FP);
	KUNIT_EXPECT_TRUE(test, to.sp_known && to.fp_known);
}

static void is_left_in_place(struct kunit *test)
{
	static struct bare_world w;
	struct sframe_regs regs = { .pc = CALLED, .sp = S(CALLED_AT), .fp = NOT_FP };
	struct sframe_cursor cur;

	memset(&w, 0, sizeof(w));
	memset(w.code, 0x90, sizeof(w.code));
	put_insns(&w, LOOP, LOCAL RETURNS);
	w.stack[CALLED_AT] = LOOP + LOCAL_LEN;
	w.stack[CALLED_AT + 1] = HANDLER_RA;
	sframe_cursor_init(&cur, &sframe_abi_x86, &regs, 16, &made_ops, &w);
	sframe_cursor_set_budget(&cur, SFRAME_BUDGET_INPLACE / 4);
	KUNIT_ASSERT_EQ(test, (int)sframe_cursor_next(&cur), (int)SFRAME_OK);
	KUNIT_ASSERT_EQ(test, (int)sframe_cursor_next(&cur), (int)SFRAME_OK);
	KUNIT_EXPECT_EQ(test, cur.pc, HANDLER_RA);
	KUNIT_EXPECT_EQ(test, cur.sp, S(CALLED_AT + 2));
}

static struct kunit_case local_test_cases[] = {
	KUNIT_CASE_PARAM(step_by_local_call, local_gen_params),
	KUNIT_CASE(is_left_in_place),
	{}
};

static struct kunit_suite local_suite = {
	.name = "sframe_local_call",
	.test_cases = local_test_cases,
};

kunit_test_suite(local_suite);
