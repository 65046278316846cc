// SPDX-License-Identifier: GPL-2.0
/*
 * Walks out of functions of s390x that never return: their frame is as they have made it,
 * behind the instruction that saves RA and SP.
 */
#include <kunit/test.h>

#include <sframe/cursor.h>

#define BARE_CALLED_FRAME 176
#include "bare_world.h"

#define RA		(CODE + 1792)
/* In words: SP of the function; its frame; RA and SP, as it was called, above that. */
#define SP_AT		4
#define FRAME		20
#define RA_AT		14
#define OLD_SP_AT	15
#define FP_AT		11
#define OLD_FP		0x1234567812345678ull

/* Instructions of 2, 4 and 6 bytes. */
#define I2(insn)	((insn) << 32)
#define I4(insn)	((insn) << 16)
#define STMG_6		0xeb6ff0300024ull	/* stmg %r6,%r15,48(%r15) */
#define STMG_12		0xebcff0600024ull	/* stmg %r12,%r15,96(%r15) */
#define STMG_TO_14	0xeb6ef0300024ull	/* stmg %r6,%r14,48(%r15) */
#define STMG_ELSEWHERE	0xeb6ff0380024ull	/* stmg %r6,%r15,56(%r15) */
#define LMG		0xeb6ff0d00004ull	/* lmg %r6,%r15,208(%r15) */
#define LAY		0xe3f0ff60ff71ull	/* lay %r15,-160(%r15) */
#define AGHI		I4(0xa7fbff60ull)	/* aghi %r15,-160 */
#define AGHI_80		I4(0xa7fbffb0ull)
#define SUB_R1		I4(0xb90900f1ull)	/* sgr %r15,%r1 */
#define SET_FP		I4(0xb90400bfull)	/* lgr %r11,%r15 */
#define MOVE		I4(0xb9040021ull)	/* lgr %r2,%r1 */
#define NOPR		I2(0x0707ull)
#define IF_NEXT		I4(0xa7840004ull)	/* je, past the next four bytes */
#define IF_LONG		I4(0xa7840006ull)	/* je, past the next eight */
#define JUMP_NEXT	I4(0xa7f40004ull)	/* j, past the next four */
#define JUMP_BACK	I4(0xa7f4fffaull)	/* j, twelve bytes back */
#define TRAP		I4(0xa7f40001ull)	/* j .+2 */
#define CALL		0xc0e5ffffffd8ull	/* brasl %r14, to before the function */
#define BASR		I2(0x0de1ull)
#define BR_14		I2(0x07feull)
#define STG_152		0xe3e0f0980024ull	/* stg %r14,152(%r15) */
/* What OCaml's functions do first; and behind a call of C. */
#define LAY_40		0xe3f0ffd8ff71ull	/* lay %r15,-40(%r15) */
#define STG_32		0xe3e0f0200024ull	/* stg %r14,32(%r15) */
#define STG_24		0xe3e0f0180024ull	/* stg %r14,24(%r15) */
#define STG_R13		0xe3d0f0200024ull	/* stg %r13,32(%r15) */
#define SP_FROM_R12	I4(0xb90400fcull)	/* lgr %r15,%r12 */
#define BR_1		I2(0x07f1ull)
#define B_TABLE		I4(0x47f12000ull)	/* b 0(%r1,%r2) */

/**
 * struct prologue_case - a walk
 * @name: what it shows
 * @insns: the function, up to the PC
 * @frame: of it, in words; 0: nobody is found
 * @call: what is before RA; 0: a call of the function
 * @fp_lost: FP is not known then
 * @sp_differs: another SP was saved
 * @next: what is at RA, or 0
 */
struct prologue_case {
	const char *name;
	u64 insns[12];
	unsigned int frame;
	u64 call;
	bool fp_lost;
	bool sp_differs;
	u64 next;
};

static const struct prologue_case prologue_cases[] = {
	{ "RA is saved", { STMG_6, AGHI, MOVE, CALL }, FRAME, BASR },
	{ "another way to lower SP", { STMG_6, LAY, CALL }, FRAME, BASR },
	{ "in two steps", { STMG_6, AGHI_80, AGHI_80, CALL }, FRAME, BASR },
	{ "FP is not saved", { STMG_12, AGHI, CALL }, FRAME, BASR },
	{ "nor saved, but changed", { STMG_12, AGHI, SET_FP, CALL }, FRAME, BASR, .fp_lost = true },
	{ "saved and changed", { STMG_6, AGHI, SET_FP, CALL }, FRAME, BASR },
	{ "past another call", { STMG_6, AGHI, CALL, MOVE, CALL }, FRAME, BASR },
	{ "past a branch", { STMG_6, AGHI, IF_NEXT, MOVE, CALL }, FRAME, BASR },
	{ "called directly", { STMG_6, AGHI, CALL }, FRAME },
	{ "called before it has to be saved", { IF_NEXT, MOVE, STMG_6, AGHI, CALL }, FRAME },
	{ "called before, and it returns", { BR_14, STMG_6, AGHI, CALL } },
	{ "called before, and it chooses", { BR_1, STMG_6, AGHI, CALL } },
	{ "in an arm of a switch", { STMG_6, AGHI, BR_1, MOVE, CALL }, FRAME, BASR },
	{ "jumped to by a table of jumps", { STMG_6, AGHI, B_TABLE, MOVE, CALL }, FRAME, BASR },
	{ "behind a jump to another function", { STMG_6, AGHI, IF_NEXT, MOVE, LMG, BR_1, CALL },
	  .call = BASR },
	{ "in an arm of another function's", { STMG_6, AGHI, BR_1, STMG_6, BR_14, CALL },
	  .call = BASR },
	{ "past a way out", { STMG_6, AGHI, IF_LONG, LMG, BR_14, CALL }, FRAME, BASR },
	{ "on the way out", { STMG_6, AGHI, IF_NEXT, MOVE, LMG, CALL }, .call = BASR },
	{ "behind a return", { STMG_6, AGHI, BR_14, MOVE, CALL }, .call = BASR },
	{ "behind a trap", { STMG_6, AGHI, TRAP, MOVE, CALL }, .call = BASR },
	{ "another function was called", { STMG_6, AGHI, CALL }, .call = CALL },
	{ "RA follows no call", { STMG_6, AGHI, CALL }, .call = MOVE },
	{ "RA is not saved", { STMG_TO_14, AGHI, CALL }, .call = BASR },
	{ "not where callers leave room for it", { STMG_ELSEWHERE, AGHI, CALL }, .call = BASR },
	{ "SP was another when it was saved", { STMG_6, AGHI, CALL }, .call = BASR,
	  .sp_differs = true },
	{ "SP is lowered by any number", { STMG_6, SUB_R1, CALL }, .call = BASR },
	{ "SP is lowered once more", { STMG_6, AGHI_80, CALL, AGHI_80, CALL }, .call = BASR },
	{ "no frame is made", { STMG_6, CALL }, .call = BASR },
	{ "a function begins at RA", { STMG_6, LAY, CALL }, FRAME, BASR, .next = BR_14 },
	{ "RA is stored once more", { STMG_6, LAY, STG_152, CALL }, FRAME, BASR },
	{ "and that not at once", { STMG_6, MOVE, LAY, STG_152, CALL }, FRAME, BASR },
};

static void prologue_name(const struct prologue_case *c, char *desc)
{
	snprintf(desc, KUNIT_PARAM_DESC_SIZE, "%s", c->name);
}

KUNIT_ARRAY_PARAM(prologue, prologue_cases, prologue_name);

/* Where the next instruction is. */
static u64 put_insn(struct bare_world *w, u64 addr, u64 insn)
{
	unsigned int first = insn >> 40, len = first < 0x40 ? 2 : first < 0xc0 ? 4 : 6, i;

	for (i = 0; i < len; i++)
		w->code[addr - CODE + i] = insn >> (40 - 8 * i);
	return addr + len;
}

/* The PC is behind the last instruction, or behind @insns of them; then another begins. */
static u64 world_set(struct bare_world *w, const struct prologue_case *c, unsigned int insns)
{
	u64 at = BARE, pc = BARE, call = c->call;
	unsigned int i;

	memset(w, 0, sizeof(*w));
	for (i = 0; c->insns[i]; i++) {
		at = put_insn(w, at, c->insns[i]);
		if (i < insns)
			pc = at;
	}
	put_insn(w, at, STMG_6);
	if (!call)
		call = 0xc0e500000000ull | ((BARE - (RA - 6)) / 2 & 0xffffffff);
	put_insn(w, RA - (call == BASR ? 2 : call == MOVE ? 4 : 6), call);
	if (c->next)
		put_insn(w, RA, c->next);
	/* The RA of what it calls, and its own. */
	w->stack[SP_AT + 19] = pc;
	w->stack[SP_AT + FRAME + RA_AT] = RA;
	w->stack[SP_AT + FRAME + OLD_SP_AT] = S(SP_AT + FRAME + c->sp_differs);
	w->stack[SP_AT + FRAME + FP_AT] = OLD_FP;
	return pc;
}

static bool saves_fp(const struct prologue_case *c)
{
	return c->insns[0] != STMG_12;
}

static void walk_never_returns(struct kunit *test)
{
	const struct prologue_case *c = test->param_value;
	static struct bare_world w;
	struct sframe_regs regs = { .pc = CALLED, .sp = S(SP_AT - 2), .fp = OLD_FP };
	struct sframe_cursor cur;
	u64 pc = world_set(&w, c, ~0u);

	if (saves_fp(c))
		regs.fp = 8;
	sframe_cursor_init(&cur, &sframe_abi_s390, &regs, 16, &bare_ops, &w);
	KUNIT_ASSERT_EQ(test, (int)sframe_cursor_next(&cur), (int)SFRAME_OK);
	KUNIT_ASSERT_EQ(test, cur.pc, pc);
	KUNIT_EXPECT_EQ(test, !sframe_cursor_next(&cur), c->frame > 0);
	if (!c->frame)
		return;
	KUNIT_EXPECT_EQ(test, cur.pc, RA);
	KUNIT_EXPECT_TRUE(test, cur.sp_known);
	KUNIT_EXPECT_EQ(test, cur.sp, S(SP_AT + c->frame));
	KUNIT_EXPECT_EQ(test, cur.fp_known, !c->fp_lost);
	if (!c->fp_lost)
		KUNIT_EXPECT_EQ(test, cur.fp, OLD_FP);
	KUNIT_EXPECT_EQ(test, (int)sframe_cursor_next(&cur), (int)SFRAME_OUTERMOST);
}

static void never_returns(struct kunit *test)
{
	kept_answers_rounds(test, walk_never_returns);
}

/* So many instructions of @c have run last, and r14 is @last: is RA found? */
static bool topmost_is_left(struct kunit *test, const struct prologue_case *c,
			    unsigned int insns, u64 last)
{
	static struct bare_world w;
	struct sframe_regs regs = { .sp = S(SP_AT), .fp = 8, .ra = last };
	struct sframe_cursor cur;

	regs.pc = world_set(&w, c, insns);
	put_insn(&w, RA + 58, BASR);
	sframe_cursor_init(&cur, &sframe_abi_s390, &regs, 16, &bare_ops, &w);
	if (sframe_cursor_next(&cur))
		return false;
	KUNIT_EXPECT_EQ(test, cur.pc, RA);
	KUNIT_EXPECT_EQ(test, cur.sp, S(SP_AT + FRAME));
	return true;
}

/* The topmost function is the one if it has made the last call, or none was made. */
static void topmost(struct kunit *test)
{
	const struct prologue_case c = {
		.insns = { STMG_6, AGHI, IF_NEXT, MOVE, CALL, MOVE }, .call = BASR,
	};
	const struct prologue_case begins = { .insns = { STMG_6, AGHI, MOVE }, .call = BASR };
	u64 called = BARE + 24;

	KUNIT_EXPECT_TRUE(test, topmost_is_left(test, &c, 6, called));
	/* Another one has made that; or no call, which there must have been one. */
	KUNIT_EXPECT_FALSE(test, topmost_is_left(test, &c, 6, RA + 60));
	KUNIT_EXPECT_FALSE(test, topmost_is_left(test, &c, 6, 0));
	/* Nobody, yet: r14 is as it was, or what it is used for meanwhile. */
	KUNIT_EXPECT_TRUE(test, topmost_is_left(test, &c, 4, RA));
	KUNIT_EXPECT_TRUE(test, topmost_is_left(test, &c, 4, S(SP_AT)));
	KUNIT_EXPECT_FALSE(test, topmost_is_left(test, &c, 4, RA + 60));
	/* What is about to branch knows where to. */
	KUNIT_EXPECT_FALSE(test, topmost_is_left(test, &begins, 3, RA));
}

/* Having called nobody, it is in no arm of a switch behind a call, and in no other function. */
static void topmost_calls_nobody(struct kunit *test)
{
	const struct prologue_case arm = {
		.insns = { STMG_6, AGHI, BR_1, MOVE, MOVE }, .call = BASR,
	};
	const struct prologue_case jumps_out = {
		.insns = { STMG_6, AGHI, LMG, JUMP_NEXT, MOVE, MOVE }, .call = BASR,
	};
	const struct prologue_case jumps_back = {
		.insns = { STMG_6, AGHI, MOVE, IF_NEXT, MOVE, JUMP_BACK }, .call = BASR,
	};

	KUNIT_EXPECT_TRUE(test, topmost_is_left(test, &arm, 5, RA));
	KUNIT_EXPECT_FALSE(test, topmost_is_left(test, &arm, 5, S(SP_AT)));
	KUNIT_EXPECT_FALSE(test, topmost_is_left(test, &jumps_out, 6, S(SP_AT)));
	KUNIT_EXPECT_TRUE(test, topmost_is_left(test, &jumps_back, 5, S(SP_AT)));
}

/* Walk with that budget, or if it is 0 with a usual one: is RA found? */
static bool is_left_for(struct bare_world *w, u32 budget)
{
	struct sframe_regs regs = { .pc = CALLED, .sp = S(SP_AT - 2), .fp = 8 };
	struct sframe_cursor cur;

	sframe_cursor_init(&cur, &sframe_abi_s390, &regs, 16, &bare_ops, w);
	if (budget)
		sframe_cursor_set_budget(&cur, budget);
	return !sframe_cursor_next(&cur) && !sframe_cursor_next(&cur);
}

/* What it was too costly to find out is asked again. */
static void too_costly(struct kunit *test)
{
	const struct prologue_case c = {
		.insns = { STMG_6, AGHI, MOVE, MOVE, MOVE, MOVE, MOVE, MOVE, MOVE, CALL },
		.call = BASR,
	};
	static struct bare_world w;
	u32 budget;

	world_set(&w, &c, ~0u);
	for (budget = 1; budget < 40000; budget += 64) {
		kept_answers_begin(ANSWERS_NEW);
		is_left_for(&w, budget);
		KUNIT_ASSERT_TRUE(test, is_left_for(&w, 0));
	}
	KUNIT_EXPECT_TRUE(test, is_left_for(&w, budget));
	kept_answers_begin(ANSWERS_NONE);
}

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

static void ocaml_name(const struct ocaml_case *c, char *desc)
{
	snprintf(desc, KUNIT_PARAM_DESC_SIZE, "%s", c->name);
}

KUNIT_ARRAY_PARAM(ocaml, ocaml_cases, ocaml_name);

/* The function has an FDE, but no row. */
static enum sframe_reason silent_find(void *ctx, u64 pc, struct sframe_rule *rule)
{
	enum sframe_reason reason = bare_find(ctx, pc, rule);

	if (reason != SFRAME_NO_TABLE)
		return reason;
	*rule = (struct sframe_rule){ .flags = SFRAME_RULE_BAD };
	return SFRAME_OK;
}

static void walk_ocaml(struct kunit *test)
{
	const struct ocaml_case *c = test->param_value;
	struct sframe_cursor_ops ops = bare_ops;
	struct prologue_case code = { .call = c->call };
	struct sframe_regs regs = { .pc = CALLED, .sp = S(SP_AT - 2), .fp = 8 };
	unsigned int i, at = SP_AT;
	static struct bare_world w;
	struct sframe_cursor cur;
	u64 pc;

	memcpy(code.insns, c->insns, sizeof(c->insns));
	pc = world_set(&w, &code, ~0u);
	if (c->next)
		put_insn(&w, pc, c->next);
	w.stack[SP_AT + FRAME + RA_AT] = 0;
	for (i = 0; i < c->handlers; i++, at += 2) {
		w.stack[at] = S(at + 8);
		w.stack[at + 1] = BARE + 12;
	}
	w.stack[at + 4] = RA;
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

static struct kunit_case prologue_s390_test_cases[] = {
	KUNIT_CASE_PARAM(never_returns, prologue_gen_params),
	KUNIT_CASE_PARAM(ocaml, ocaml_gen_params),
	KUNIT_CASE(topmost),
	KUNIT_CASE(topmost_calls_nobody),
	KUNIT_CASE(too_costly),
	{}
};

static struct kunit_suite prologue_s390_suite = {
	.name = "sframe_prologue_s390",
	.test_cases = prologue_s390_test_cases,
};

kunit_test_suite(prologue_s390_suite);
