// SPDX-License-Identifier: GPL-2.0
/*
 * Walks out of what never returns on s390x, where it is not C: functions of OCaml, whose CFI
 * says nothing; and what looks like GHC's calls that are jumps.
 */
#include <kunit/test.h>

#include "prologue_s390_world.h"

/* A frame of OCaml's that is known takes fewer instructions. */
#define KNOWN_COST	640

/**
 * struct ocaml_case - a walk out of a function of OCaml, which has called another
 * @name: what it shows
 * @insns: the function, up to the PC
 * @next: the instruction there, or 0
 * @handlers: it has pushed so many
 * @call: what is before its RA; 0: a call of the function
 * @no_table: nothing is known of its file
 * @found: its RA is found
 */
struct ocaml_case {
	const char *name;
	u64 insns[8];
	u64 next;
	unsigned int handlers;
	u64 call;
	bool no_table;
	bool found;
};

static const struct ocaml_case ocaml_cases[] = {
	{ "called by a pointer", { LAY_40, STG_32, MOVE, CALL }, .call = BASR, .found = true },
	{ "called directly", { LAY_40, STG_32, CALL }, .found = true },
	{ "jumped to by another one", { LAY_40, STG_32, CALL }, .call = CALL, .found = true },
	{ "one handler", { LAY_40, STG_32, CALL }, .handlers = 1, .call = BASR, .found = true },
	{ "three handlers", { LAY_40, STG_32, CALL }, .handlers = 3, .call = BASR, .found = true },
	{ "in a handler", { LAY_40, STG_32, BR_1, MOVE, CALL }, .call = BASR, .found = true },
	{ "RA follows no call", { LAY_40, STG_32, CALL }, .call = MOVE },
	{ "RA is saved elsewhere", { LAY_40, STG_24, CALL }, .call = BASR },
	{ "another register is saved", { LAY_40, STG_R13, CALL }, .call = BASR },
	{ "not OCaml's: no table", { LAY_40, STG_32, CALL }, .call = BASR, .no_table = true },
	{ "SP is C's", { LAY_40, STG_32, CALL }, .next = SP_FROM_R12, .call = BASR },
	{ "not OCaml's: RA is saved with SP", { STMG_6, LAY_40, STG_32, CALL }, .call = BASR },
};

KUNIT_ARRAY_PARAM_DESC(ocaml, ocaml_cases, name);

/* The function has an FDE, but no row. */
static enum sframe_reason silent_find(void *ctx, u64 pc, struct sframe_rule *rule)
{
	enum sframe_reason reason = bare_find(ctx, pc, rule);

	if (reason != SFRAME_NO_TABLE)
		return reason;
	*rule = (struct sframe_rule){ .flags = SFRAME_RULE_BAD };
	return SFRAME_OK;
}

/* The PC in the function; @at: set to where its frame is, without the handlers. */
static u64 set_ocaml(struct bare_world *w, const struct ocaml_case *c, unsigned int *at)
{
	struct prologue_case code = { .call = c->call };
	unsigned int i;
	u64 pc;

	memcpy(code.insns, c->insns, sizeof(c->insns));
	pc = world_set(w, &code, ~0u);
	if (c->next)
		put_insn(w, pc, c->next);
	w->stack[SP_AT + FRAME + RA_AT] = 0;
	*at = SP_AT;
	for (i = 0; i < c->handlers; i++, *at += 2) {
		w->stack[*at] = S(*at + 8);
		w->stack[*at + 1] = BARE + 12;
	}
	w->stack[*at + 4] = RA;
	return pc;
}

static void walk_ocaml(struct kunit *test)
{
	const struct ocaml_case *c = test->param_value;
	struct sframe_cursor_ops ops = bare_ops;
	struct sframe_regs regs = { .pc = CALLED, .sp = S(SP_AT - 2), .fp = 8 };
	static struct bare_world w;
	struct sframe_cursor cur;
	unsigned int at;
	u64 pc;

	pc = set_ocaml(&w, c, &at);
	if (!c->no_table)
		ops.find = silent_find;
	sframe_cursor_init(&cur, &sframe_abi_s390, &regs, 16, &ops, &w);
	KUNIT_ASSERT_EQ(test, (int)sframe_cursor_next(&cur), (int)SFRAME_OK);
	KUNIT_ASSERT_EQ(test, cur.pc, pc);
	KUNIT_EXPECT_EQ(test, !sframe_cursor_next(&cur), c->found);
	if (!c->found)
		return;
	KUNIT_EXPECT_EQ(test, cur.pc, RA);
	KUNIT_EXPECT_EQ(test, cur.sp, S(at + 5));
	KUNIT_EXPECT_FALSE(test, cur.fp_known);
}

static void ocaml(struct kunit *test)
{
	kept_answers_rounds(test, walk_ocaml);
}

/* There are many such frames in a stack: where each begins, and what it does first, is kept. */
static void ocaml_is_cheap(struct kunit *test)
{
	struct sframe_regs regs = { .pc = CALLED, .sp = S(SP_AT - 2), .fp = 8 };
	struct sframe_cursor_ops ops = bare_ops;
	static struct bare_world w;
	enum kept_answers round;
	struct sframe_cursor cur;
	unsigned int at;
	u32 budget;

	ops.find = silent_find;
	for (round = ANSWERS_NEW; round <= ANSWERS_OLD; round++) {
		kept_answers_begin(round);
		set_ocaml(&w, &ocaml_cases[0], &at);
		sframe_cursor_init(&cur, &sframe_abi_s390, &regs, 16, &ops, &w);
		KUNIT_ASSERT_EQ(test, (int)sframe_cursor_next(&cur), (int)SFRAME_OK);
		budget = cur.budget;
		KUNIT_ASSERT_EQ(test, (int)sframe_cursor_next(&cur), (int)SFRAME_OK);
		KUNIT_EXPECT_EQ(test, budget - cur.budget < KNOWN_COST, round == ANSWERS_OLD);
	}
	kept_answers_begin(ANSWERS_NONE);
}

/* Nothing is known of the file that RA is in; or of the function, in a file with a table. */
static enum sframe_reason no_table_at_ra(void *ctx, u64 pc, struct sframe_rule *rule)
{
	return pc >= CALLERS && pc < CODE + CODE_LEN ? SFRAME_NO_TABLE : bare_find(ctx, pc, rule);
}

static enum sframe_reason no_fde_at_ra(void *ctx, u64 pc, struct sframe_rule *rule)
{
	if (pc < CALLERS || pc >= CODE + CODE_LEN)
		return bare_find(ctx, pc, rule);
	*rule = (struct sframe_rule){ .flags = SFRAME_RULE_NO_FDE };
	return SFRAME_OK;
}

/* GHC's code calls what never returns to "br %r14"; other functions may begin so. */
static void jumps_by_calls(struct kunit *test)
{
	enum sframe_reason (*const find[])(void *ctx, u64 pc, struct sframe_rule *rule) = {
		bare_find, no_table_at_ra, no_fde_at_ra,
	};
	struct prologue_case c = { .insns = { STMG_6, LAY, CALL }, .call = BASR };
	struct sframe_regs regs = { .pc = CALLED, .sp = S(SP_AT - 2), .fp = 8 };
	struct sframe_cursor_ops ops = bare_ops;
	static struct bare_world w;
	struct sframe_cursor cur;
	unsigned int i;

	for (i = 0; i < 2 * ARRAY_SIZE(find); i++) {
		ops.find = find[i / 2];
		c.next = i % 2 ? BR_14 : 0;
		world_set(&w, &c, ~0u);
		sframe_cursor_init(&cur, &sframe_abi_s390, &regs, 16, &ops, &w);
		KUNIT_ASSERT_EQ(test, (int)sframe_cursor_next(&cur), (int)SFRAME_OK);
		KUNIT_EXPECT_EQ(test, !sframe_cursor_next(&cur), ops.find == bare_find || !c.next);
	}
}

static struct kunit_case not_c_s390_test_cases[] = {
	KUNIT_CASE_PARAM(ocaml, ocaml_gen_params),
	KUNIT_CASE(ocaml_is_cheap),
	KUNIT_CASE(jumps_by_calls),
	{}
};

static struct kunit_suite not_c_s390_suite = {
	.name = "sframe_not_c_s390",
	.test_cases = not_c_s390_test_cases,
};

kunit_test_suite(not_c_s390_suite);
