// SPDX-License-Identifier: GPL-2.0
/*
 * Searches of code and of the stack, where what is sought is nowhere: each look is paid for, and
 * they end when the budget does.
 */
#include <kunit/test.h>

#include "cursor_impl.h"
#include "simple_world.h"

/* NOPs, no table, but for a call in their middle, and of what is behind that. */
#define CODE		0x400000ull
#define CODE_LEN	65536
#define PC		(CODE + 32768)
#define RA		(CODE + 40960)
#define CALLED		(RA + 4096)
#define STACK		0x7ff000000000ull
#define STACK_WORDS	1024
/* As SBCL's NIL has it, in FP. */
#define NIL		(CODE + 7)
/* The least that a look costs: for code, at words, and what they say; some need not be paid. */
#define CODE_PRICE	320
#define WORD_PRICE	32
#define RA_PRICE	160
#define FEW		8

/**
 * struct paid_case - a search
 * @name: what is sought
 * @abi: where
 * @search: by that
 * @fill: in all words of the stack
 * @price: of each look, at least
 * @share: it takes 1 / @share of the budget
 */
struct paid_case {
	const char *name;
	const struct sframe_abi *abi;
	bool (*search)(struct sframe_cursor *cur);
	u64 fill;
	u32 price;
	u32 share;
};

static bool find_mark(struct sframe_cursor *cur)
{
	u64 mark;

	return sframe_find_mark(cur, &mark) && mark;
}

static bool by_entry(struct sframe_cursor *cur)
{
	struct sframe_frame to;

	return sframe_step_by_entry(cur, &to);
}

static bool by_mark_ahead(struct sframe_cursor *cur)
{
	struct sframe_frame to;

	return sframe_step_by_mark_ahead(cur, &to);
}

static bool by_lisp_entry(struct sframe_cursor *cur)
{
	struct sframe_frame to;

	return sframe_step_by_lisp_entry(cur, &to);
}

#define CODE_OF(abi, find, part)					\
	&sframe_abi_##abi, find, .price = CODE_PRICE, .share = part
#define WORDS(abi, find, word, least)					\
	&sframe_abi_##abi, find, .fill = word, .price = least, .share = 1

static const struct paid_case paid_cases[] = {
	{ "a function's beginning", CODE_OF(x86, find_mark, 4) },
	{ "the same, for arm64", CODE_OF(arm64, find_mark, 4) },
	{ "a mark ahead", CODE_OF(x86, by_mark_ahead, 8) },
	{ "RA, among small numbers", WORDS(x86, by_entry, 5, WORD_PRICE) },
	{ "RA, among addresses of code", WORDS(x86, by_entry, PC, RA_PRICE) },
	{ "RA, among others", WORDS(x86, by_entry, RA, RA_PRICE) },
	{ "who has entered Lisp, among RAs", WORDS(arm64, by_lisp_entry, RA, RA_PRICE) },
	{ "the same, among small numbers", WORDS(arm64, by_lisp_entry, 5, WORD_PRICE) },
};

KUNIT_ARRAY_PARAM_DESC(paid, paid_cases, name);

struct paid_world {
	u8 code[CODE_LEN];
	u64 stack[STACK_WORDS];
	u32 looks;
};

static enum sframe_reason paid_find(void *ctx, u64 pc, struct sframe_rule *rule)
{
	struct paid_world *w = ctx;

	(void)rule;
	w->looks++;
	return pc - CODE < CODE_LEN ? SFRAME_NO_TABLE : SFRAME_NO_MAPPING;
}

static int paid_read(void *ctx, u64 addr, void *buf, unsigned int len)
{
	struct paid_world *w = ctx;

	w->looks++;
	return read_array(addr, buf, len, CODE, w->code) ||
	       read_array(addr, buf, len, STACK, w->stack) ? 0 : -1;
}

static const struct sframe_cursor_ops paid_ops = {
	.find = paid_find,
	.find_kept = nothing_kept,
	.read = paid_read,
	.read_code = paid_read,
	.reg = no_register,
};

static void is_paid(struct kunit *test)
{
	static const u32 budgets[] = { SFRAME_BUDGET, 16000, 4000, 500 };
	const struct paid_case *c = test->param_value;
	struct sframe_regs regs = { .pc = PC, .sp = STACK, .fp = NIL };
	static struct paid_world w;
	struct sframe_cursor cur;
	unsigned int i, n;

	for (i = 0; i < CODE_LEN; i += 4)
		memcpy(w.code + i, c->abi == &sframe_abi_x86 ? "\x90\x90\x90\x90" :
							       "\x1f\x20\x03\xd5", 4);
	if (c->abi == &sframe_abi_x86)
		put_x86_call(w.code, CODE, RA, CALLED);
	else
		memcpy(w.code + (RA - CODE) - 4, "\x00\x04\x00\x94", 4);
	for (i = 0; i < STACK_WORDS; i++)
		w.stack[i] = c->fill;
	for (n = 0; n < ARRAY_SIZE(budgets); n++) {
		sframe_cursor_init(&cur, c->abi, &regs, 16, &paid_ops, &w);
		sframe_cursor_set_budget(&cur, budgets[n]);
		w.looks = 0;
		KUNIT_EXPECT_FALSE(test, c->search(&cur));
		/* With so much it does look. */
		if (!n)
			KUNIT_EXPECT_GT(test, w.looks, FEW);
		KUNIT_EXPECT_LE(test, w.looks, FEW + (budgets[n] - cur.budget) / c->price);
		KUNIT_EXPECT_LE(test, w.looks, FEW + budgets[n] / c->share / c->price);
	}
}

static struct kunit_case paid_test_cases[] = {
	KUNIT_CASE_PARAM(is_paid, paid_gen_params),
	{}
};

static struct kunit_suite paid_suite = {
	.name = "sframe_paid",
	.test_cases = paid_test_cases,
};

kunit_test_suite(paid_suite);
