// SPDX-License-Identifier: GPL-2.0
/*
 * x86-64, a file without a table, or a gap in one: FP may be data, and point to where older calls
 * have left words. These must not be taken for the running function's record.
 */
#include <kunit/test.h>

#include <sframe/cursor.h>

#include "bare_world.h"

#define RA		(CALLERS + 64)
#define PC		(BARE + 0x100)
#define NOWHERE		0x230084a559bfull

/* mov -8(%rbp), %eax */
#define USES_RECORD	"\x8b\x45\xf8"
/* mov 8(%rbp), %eax */
#define USES_POINTER	"\x8b\x45\x08"

/**
 * struct fp_is_data_case - words at FP
 * @name: what it shows
 * @fp: the first, which would be the caller's FP
 * @called: function called before the second, which would be RA; 0: by a pointer
 * @code: how code goes on from the PC
 * @left: they are believed to be the function's record
 */
struct fp_is_data_case {
	const char *name;
	u64 fp;
	u64 called;
	char code[8];
	bool left;
};

static const struct fp_is_data_case fp_is_data_cases[] = {
	{ "as records are", S(20), .left = true },
	{ "the last record", 0, .left = true },
	{ "FP leads nowhere", NOWHERE },
	{ "RA follows a call of what begins behind the PC", S(20), .called = PC + 0x80 },
	{ "FP leads nowhere, but is used", NOWHERE, .code = USES_RECORD, .left = true },
	{ "FP leads nowhere, and is used as a pointer", NOWHERE, .code = USES_POINTER },
	{ "both", NOWHERE, .code = USES_POINTER USES_RECORD, .left = true },
};

KUNIT_ARRAY_PARAM_DESC(fp_is_data, fp_is_data_cases, name);

/* The file has a table, which says nothing of the code. */
static enum sframe_reason gap_find(void *ctx, u64 pc, struct sframe_rule *rule)
{
	enum sframe_reason r = bare_find(ctx, pc, rule);

	if (r != SFRAME_NO_TABLE)
		return r;
	*rule = (struct sframe_rule){ .flags = SFRAME_RULE_NO_FDE };
	return SFRAME_OK;
}

static void walk_by_data(struct kunit *test, bool gap)
{
	const struct fp_is_data_case *c = test->param_value;
	struct sframe_regs regs = { .pc = PC, .sp = S(0), .fp = S(0) };
	static struct bare_world the_world;
	struct bare_world *w = &the_world;
	struct sframe_cursor_ops ops = bare_ops;
	struct sframe_cursor cur;
	enum sframe_reason end;

	if (gap)
		ops.find = gap_find;
	memset(w, 0, sizeof(*w));
	memset(w->code, 0x90, sizeof(w->code));
	memcpy(w->code + (PC - CODE), c->code, strlen(c->code));
	memset(w->code + (CALLERS - 64 - CODE), 0xcc, 64);
	put_x86_call(w->code, CODE, RA, c->called);
	w->stack[0] = c->fp;
	w->stack[1] = RA;
	sframe_cursor_init(&cur, &sframe_abi_x86, &regs, 16, &ops, w);
	end = sframe_cursor_next(&cur);
	KUNIT_EXPECT_EQ(test, !end, c->left);
	KUNIT_EXPECT_TRUE(test, end || cur.pc == RA);
}

/* Of what is made at run time, where nothing is fixed, records are believed. */
static void fp_is_data(struct kunit *test)
{
	unsigned int gap;

	for (gap = 0; gap < 2; gap++) {
		kept_answers_begin(ANSWERS_NEW);
		walk_by_data(test, gap);
		kept_answers_begin(ANSWERS_OLD);
		walk_by_data(test, gap);
	}
	kept_answers_begin(ANSWERS_NONE);
}

static struct kunit_case fp_is_data_test_cases[] = {
	KUNIT_CASE_PARAM(fp_is_data, fp_is_data_gen_params),
	{}
};

static struct kunit_suite fp_is_data_suite = {
	.name = "sframe_fp_is_data",
	.test_cases = fp_is_data_test_cases,
};

kunit_test_suite(fp_is_data_suite);
