// SPDX-License-Identifier: GPL-2.0
/*
 * Walks from what GHC has compiled, which has its own stack, to what has entered it.
 */
#include <kunit/test.h>

#include <sframe/cursor.h>

#include "simple_world.h"

#define CODE		0x400000ull
/* Haskell; where C that it calls returns to; what the runtime is asked for by it. */
#define HASKELL		(CODE + 64)
#define CALLS_C		(CODE + 128)
#define COLLECT		(CODE + 192)
#define STG_RUN		(CODE + 256)
/* Of what has rows: what calls StgRun(), and what Haskell calls. */
#define SCHEDULE	(CODE + 512)
#define RA		(SCHEDULE + 64)
#define C		(CODE + 768)
#define CODE_LEN	1024
#define STACK		0x7ff000000000ull
#define STACK_WORDS	2088
#define S(n)		(STACK + 8ull * (n))
/* What StgRun() leaves: SP, the registers that it has saved, its RA. */
#define LEFT		25
#define SAVED		(LEFT + 16384 / 8)
#define RA_AT		(SAVED + 6)
/* Where a signal has saved registers. */
#define BY_SIGNAL	16
/* The heap: what is called by a register, below it; the Haskell stack. */
#define HEAP		0x42000000ull
#define BASE		(HEAP + 16)
#define LIMIT		0x42010000ull
#define HASKELL_SP	(LIMIT + 512)
/* What a walk takes at the most, of what it may take in place. */
#define COST_MAX	3072
#define OLD_FP		0x1234567812345678ull

/* jmp *(%rbp); add $...,%rsp; the same in 4 bytes; call */
#define JUMPS		"\xff\x65\x00"
#define POPS(n)		"\x48\x83\xc4" n
#define POPS_MORE	"\x48\x81\xc4\x08\0\0\0"
#define CALL_LEN	5
#define STG_RUN_CODE	"\x48\x83\xec\x30\x48\x89\xe0\x48\x81\xec\0\x40\0\0\x48\x89\x18" \
			"\x48\x89\x68\x08\x4c\x89\x60\x10\x4c\x89\x68\x18" \
			"\x4c\x89\x70\x20\x4c\x89\x78\x28\x49\x89\xf5\x48\x89\xf8\xff\xe0"

/* What a case has otherwise than others: nothing, or one of these. */
enum stg_what {
	NOTHING,
	SP,		/* where the walk begins */
	FP,
	BASE_REG,	/* the register that leads to the runtime */
	LIMIT_REG,	/* the one that says where the Haskell stack ends */
	COLLECTS,	/* what a word says that is called by the former */
	RETURNS,	/* what is where StgRun() has its RA */
	CALLED,		/* what is called before %RA */
	BYTE,		/* one of StgRun(), at @at */
	NR_WHAT,
};

/**
 * struct stg_case - a walk
 * @name: what it shows
 * @in_c: it begins in C that Haskell has called, with SP so many words lower
 * @pops: then what is behind the call
 * @interrupted: a signal has interrupted; its handler has 0 in the registers
 * @flags: of the rule for Haskell; 0: it has no table
 * @what: what is different
 * @to: what it is
 * @at: where, if that is %BYTE
 * @callers: how many are found
 * @end: how the walk ends; if %SFRAME_OUTERMOST, behind %RA
 */
struct stg_case {
	const char *name;
	unsigned int in_c;
	const char *pops;
	bool interrupted;
	u8 flags;
	enum stg_what what;
	u64 to;
	unsigned int at;
	unsigned int callers;
	enum sframe_reason end;
};

#define WHOLE		.callers = 1, .end = SFRAME_OUTERMOST
#define WHOLE_FROM_C	.callers = 2, .end = SFRAME_OUTERMOST
#define CUT		.end = SFRAME_FP_OFF_STACK
#define CUT_FROM_C	.callers = 1, .end = SFRAME_FP_OFF_STACK

static const struct stg_case stg_cases[] = {
	{ "Haskell", WHOLE },
	{ "in a file with a table", .flags = SFRAME_RULE_NO_FDE, WHOLE },
	{ "with a row that is refused", .flags = SFRAME_RULE_BAD, WHOLE },
	{ "about to call C", .what = SP, .to = S(LEFT - 1), WHOLE },
	{ "C was called", .in_c = 1, .pops = POPS("\x08"), WHOLE_FROM_C },
	{ "with arguments", .in_c = 3, .pops = POPS("\x18"), WHOLE_FROM_C },
	{ "a signal came", .interrupted = true, WHOLE },
	{ "the Haskell stack is about to grow", .what = FP, .to = LIMIT - 8, WHOLE },
	{ "SP is elsewhere", .what = SP, .to = S(LEFT - 2), CUT },
	{ "SP is no address of words", .what = SP, .to = S(LEFT) + 4, CUT },
	{ "FP is on C's stack", .what = FP, .to = S(LEFT + 10),
	  .end = SFRAME_FP_NOT_A_CALL },
	{ "FP is nowhere", .what = FP, .end = SFRAME_NO_TABLE },
	{ "FP is below its stack", .what = FP, .to = LIMIT - 264, CUT },
	{ "FP is no address of words", .what = FP, .to = HASKELL_SP + 2, CUT },
	{ "its stack has no end", .what = LIMIT_REG, CUT },
	{ "no register leads to the runtime", .what = BASE_REG, CUT },
	{ "it leads to what cannot be read", .what = BASE_REG, .to = BASE + 4096, CUT },
	{ "it is no address of words", .what = BASE_REG, .to = BASE + 1, CUT },
	{ "what it leads to is no code", .what = COLLECTS, .to = HEAP, CUT },
	{ "who has called is no code", .what = RETURNS, .to = HEAP, CUT },
	{ "nobody has called", .what = RETURNS, CUT },
	{ "it follows no call", .what = RETURNS, .to = RA + 8, CUT },
	{ "another function was called", .what = CALLED, .to = STG_RUN + 4, CUT },
	{ "what was called is no code", .what = CALLED, .to = HEAP + 16, CUT },
	{ "StgRun() takes less room", .what = BYTE, .at = 11, .to = 0x20, CUT },
	{ "it saves other registers", .what = BYTE, .at = 20, .to = 0x10, CUT },
	{ "it does not jump", .what = BYTE, .at = 44, .to = 0xd0, CUT },
	{ "C was called, nothing is popped", .in_c = 1, .pops = JUMPS, CUT_FROM_C },
	{ "C was called with SP not aligned", .in_c = 2, .pops = POPS("\x10"), CUT_FROM_C },
	{ "C was called, more is popped", .in_c = 1, .pops = POPS("\x18"), CUT_FROM_C },
	{ "C was called, SP goes down", .in_c = 17, .pops = POPS("\x88"), CUT_FROM_C },
	{ "C was called, popped in another way", .in_c = 1, .pops = POPS_MORE, CUT_FROM_C },
};

KUNIT_ARRAY_PARAM_DESC(stg, stg_cases, name);

struct stg_world {
	const struct stg_case *c;
	u64 value[NR_WHAT];
	u8 code[CODE_LEN];
	u64 heap[8];
	u64 stack[STACK_WORDS];
};

static enum sframe_reason stg_find(void *ctx, u64 pc, struct sframe_rule *rule)
{
	const struct stg_world *w = ctx;

	if (pc - CODE >= CODE_LEN)
		return SFRAME_NO_MAPPING;
	*rule = (struct sframe_rule){ .flags = SFRAME_RULE_OUTERMOST };
	if (pc >= C)
		*rule = rule_by_sp(8);
	else if (pc < SCHEDULE)
		*rule = (struct sframe_rule){ .flags = w->c->flags };
	return pc < SCHEDULE && !w->c->flags ? SFRAME_NO_TABLE : SFRAME_OK;
}

static int stg_read(void *ctx, u64 addr, void *buf, unsigned int len)
{
	const struct stg_world *w = ctx;

	return read_array(addr, buf, len, CODE, w->code) ||
	       read_array(addr, buf, len, HEAP, w->heap) ||
	       read_array(addr, buf, len, STACK, w->stack) ? 0 : -1;
}

static int stg_reg(void *ctx, unsigned int reg, u64 *val)
{
	const struct stg_world *w = ctx;

	*val = 0;
	if (w->c->interrupted)
		return 0;
	if (reg == 6)
		*val = w->value[FP];
	if (reg == 13 || reg == 15)
		*val = w->value[reg == 13 ? BASE_REG : LIMIT_REG];
	return 0;
}

static const struct sframe_cursor_ops stg_ops = {
	.find = stg_find,
	.find_kept = nothing_kept,
	.read = stg_read,
	.read_code = stg_read,
	.reg = stg_reg,
};

static void put_values(struct stg_world *w)
{
	static const u64 usual[NR_WHAT] = {
		[SP] = S(LEFT), [FP] = HASKELL_SP, [BASE_REG] = BASE, [LIMIT_REG] = LIMIT,
		[COLLECTS] = COLLECT, [RETURNS] = RA, [CALLED] = STG_RUN,
	};
	const struct stg_case *c = w->c;

	memcpy(w->value, usual, sizeof(usual));
	w->value[c->what] = c->to;
	if (c->what == BYTE)
		w->code[STG_RUN - CODE + c->at] = c->to;
	w->heap[0] = COLLECT;
	w->heap[1] = w->value[COLLECTS];
	memcpy(w->heap + 2, STG_RUN_CODE, sizeof(STG_RUN_CODE) - 1);
	w->stack[SAVED + 1] = OLD_FP;
	w->stack[RA_AT] = w->value[RETURNS];
	w->stack[BY_SIGNAL] = w->value[BASE_REG];
	w->stack[BY_SIGNAL + 1] = w->value[LIMIT_REG];
	w->stack[BY_SIGNAL + 2] = w->value[FP];
}

static void world_set(struct stg_world *w, const struct stg_case *c)
{
	memset(w, 0, sizeof(*w));
	w->c = c;
	memset(w->code, 0xcc, sizeof(w->code));
	memcpy(w->code + (HASKELL - CODE), JUMPS, sizeof(JUMPS) - 1);
	memcpy(w->code + (STG_RUN - CODE), STG_RUN_CODE, sizeof(STG_RUN_CODE) - 1);
	put_values(w);
	put_x86_call(w->code, CODE, RA, w->value[CALLED]);
	if (!c->in_c)
		return;
	put_x86_call(w->code, CODE, CALLS_C, C);
	memcpy(w->code + (CALLS_C - CODE), c->pops, 4);
	w->value[SP] = S(LEFT - c->in_c - 1);
	w->stack[LEFT - c->in_c - 1] = CALLS_C;
}

static void entered(struct kunit *test)
{
	static const u16 saved[16] = { [6] = 16, [13] = 0, [15] = 8 };
	static const struct sframe_sigframe frame = { .nr = 16, .reg = saved };
	const struct stg_case *c = test->param_value;
	struct sframe_regs regs = { .pc = c->in_c ? C : HASKELL };
	static struct stg_world w;
	struct sframe_cursor cur;
	enum sframe_reason end;
	unsigned int n = 0;

	world_set(&w, c);
	regs.sp = w.value[SP];
	regs.fp = w.value[FP];
	sframe_cursor_init(&cur, &sframe_abi_x86, &regs, 16, &stg_ops, &w);
	sframe_cursor_set_budget(&cur, SFRAME_BUDGET_INPLACE);
	if (c->interrupted)
		cur.saved = (struct sframe_saved){ .frame = &frame, .at = S(BY_SIGNAL) };
	while (!(end = sframe_cursor_next(&cur)))
		n++;
	KUNIT_EXPECT_EQ(test, (int)end, (int)c->end);
	KUNIT_EXPECT_EQ(test, n, c->callers);
	if (end != SFRAME_OUTERMOST)
		return;
	KUNIT_EXPECT_EQ(test, cur.pc, RA);
	KUNIT_EXPECT_TRUE(test, cur.sp_known && cur.fp_known);
	KUNIT_EXPECT_EQ(test, cur.sp, S(RA_AT + 1));
	KUNIT_EXPECT_EQ(test, cur.fp, OLD_FP);
	KUNIT_EXPECT_GT(test, cur.budget, SFRAME_BUDGET_INPLACE - COST_MAX);
}

static struct kunit_case stg_test_cases[] = {
	KUNIT_CASE_PARAM(entered, stg_gen_params),
	{}
};

static struct kunit_suite stg_suite = {
	.name = "sframe_stg_run",
	.test_cases = stg_test_cases,
};

kunit_test_suite(stg_suite);
