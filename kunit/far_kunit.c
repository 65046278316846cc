// SPDX-License-Identifier: GPL-2.0
/*
 * Walks out of long functions that have no row: assembly, whose loops are unrolled.
 */
#include <kunit/test.h>

#include <sframe/cursor.h>

#include "kept_answers.h"
#include "simple_world.h"

#define CODE		0x400000ull
#define CODE_LEN	16384
#define PC		(CODE + 64)
#define CALLER		(CODE + CODE_LEN)
#define RA		(CALLER + 64)
#define RA_2		(CALLER + 128)
/* What is called before RA, on arm64. */
#define CALLED		(RA - 4 + 4 * 0x40)
/* Farther away than a function is long. */
#define FAR		(CODE + 0x40000)
#define FAR_RA		(FAR + 64)
#define STACK		0x7ff000000000ull
#define STACK_WORDS	64
#define S(n)		(STACK + 8ull * (n))

#define A64_NOP		0xd503201f
#define A64_RET		0xd65f03c0
#define A64_BL		0x94000040
#define A64_BL_CALLER	0x97ffffee	/* at RA_2 - 4, to two instructions before that at RA - 4 */
#define A64_SP_FROM_FP	0x910003bf	/* mov sp, x29 */
#define A64_POP_64	0xa8c47bfd	/* ldp x29, x30, [sp], #64 */
#define A64_LOAD_BY_FP	0xa9407bbd	/* ldp x29, x30, [x29] */
#define A64_BR_X17	0xd61f0220	/* br x17 */
#define A64_IF_SKIP_2	0xb4000060	/* cbz x0, past two instructions */
#define A64_PUSH_16	0xa9bf7bfd	/* stp x29, x30, [sp, #-16]! */
#define A64_SET_FP	0x910003fd	/* mov x29, sp */
#define A64_POP_X19	0xa8c153f3	/* ldp x19, x20, [sp], #16 */

/* s390x: a nop of 4 bytes; others are of 6 and 2. */
#define S390_NOP	0x47000000
#define S390_LMG_208	0xeb6ff0d0, 0x000407fe	/* lmg %r6, %r15, 208(%r15); br %r14 */
#define S390_LG_120	0xe3e0f078, 0x000407fe	/* lg %r14, 120(%r15); br %r14 */
#define S390_LOSE_R11	0xb90400b2	/* lgr %r11, %r2 */
#define S390_BRASL	{ 0xc0, 0xe5, 0, 0, 1, 0 }

/**
 * struct far_case - a walk out of a long function
 * @name: what it shows
 * @abi: whose rules
 * @fp: FP
 * @ra: what the link register holds
 * @before: instructions before the PC, behind what is none
 * @nops: instructions that do nothing, from the PC on
 * @insns: those that follow
 * @called: rule of the function that is called before RA
 * @after: those at RA
 * @second_call: on arm64, the call before RA_2, if another than that before RA
 * @budget: of the walk, 0 for what the core sets
 * @words: on the stack: which, counted from SP on, and what it is
 * @rule: of the caller
 * @callers: how many are found
 * @sp_known: is SP of the first?
 * @sp: then it is that
 * @end: how the walk ends
 */
struct far_case {
	const char *name;
	const struct sframe_abi *abi;
	u64 fp;
	u64 ra;
	u32 before[8];
	unsigned int nops;
	u32 insns[6];
	struct sframe_rule called;
	u32 after[2];
	u32 second_call;
	u32 budget;
	struct {
		u8 at;
		u64 val;
	} words[5];
	struct sframe_rule rule;
	unsigned int callers;
	bool sp_known;
	u64 sp;
	enum sframe_reason end;
};

/* Its RA is found by SP only. */
#define BY_SP(size, ra_at)						\
	.rule = {							\
		.cfa = SFRAME_LOC_SP, .cfa_off = size,			\
		.ra = SFRAME_LOC_SAVED, .ra_off = ra_at, \
	}
#define A64_LEAF							\
	.abi = &sframe_abi_arm64, .fp = S(20), .ra = RA,		\
	.insns = { A64_POP_X19, A64_RET },				\
	.words = { { 5, RA_2 }, { 21, RA_2 } }, BY_SP(32, -8)
#define A64_RECORD							\
	.abi = &sframe_abi_arm64, .fp = S(4), .nops = 500,		\
	.words = { { 4, S(20) }, { 5, RA }, { 15, RA_2 }, { 21, RA_2 } }, \
	BY_SP(32, -8)
/* The caller saves FP, and RA so many bytes above it; what lies where FP points. */
#define A64_RECORD_ROW(size, apart)					\
	.rule = {							\
		.cfa = SFRAME_LOC_SP, .cfa_off = size,			\
		.fp = SFRAME_LOC_SAVED, .fp_off = -(size), \
		.ra = SFRAME_LOC_SAVED, .ra_off = (apart) - (size), \
	}
#define A64_CALLERS_RECORD(up_ra)					\
	.abi = &sframe_abi_arm64, .fp = S(4), .nops = 500,		\
	.insns = { A64_SP_FROM_FP, A64_POP_64 },			\
	.words = { { 4, S(20) }, { 5, RA }, { 20, S(40) }, { 21, up_ra } }
/* Another RA is below, left over. */
#define A64_STALE							\
	.abi = &sframe_abi_arm64, .fp = S(4), .nops = 10,		\
	.words = { { 4, S(20) }, { 5, RA }, { 15, RA_2 }, { 21, RA_2 },	\
		   { 2, RA_2 } },					\
	BY_SP(32, -8)
/* And that of a caller, of which SP is not known. */
#define A64_CALLER							\
	.abi = &sframe_abi_arm64, .fp = S(4), .nops = 10,		\
	.words = { { 4, S(20) }, { 5, RA }, { 15, RA }, { 20, S(40) },	\
		   { 21, RA_2 } },					\
	.rule.flags = SFRAME_RULE_NO_FDE
#define A64_NO_RECORD							\
	.abi = &sframe_abi_arm64, .fp = S(20), .nops = 10,		\
	.insns = { A64_PUSH_16, A64_SET_FP },				\
	.words = { { 20, S(40) }, { 21, RA_2 } },			\
	.rule.flags = SFRAME_RULE_OUTERMOST
/* LuaJIT: one row for all of the code, be it before the record is made. */
#define A64_BY_FP(size)							\
	.called = {							\
		.cfa = SFRAME_LOC_FP, .cfa_off = size,			\
		.fp = SFRAME_LOC_SAVED, .fp_off = -(size), \
		.ra = SFRAME_LOC_SAVED, .ra_off = 8 - (size), \
	}
#define A64_BEFORE(sixth, eighth)					\
	.before = { A64_NOP, A64_NOP, A64_NOP, A64_NOP, A64_NOP,	\
		    sixth, A64_NOP, eighth }
#define S390_FRAME							\
	.abi = &sframe_abi_s390, .insns = { S390_LMG_208 },		\
	.words = { { 34, RA }, { 35, S(20) }, { 54, RA_2 } }, BY_SP(320, -48)

static const struct far_case far_cases[] = {
	{ "arm64: a leaf", A64_LEAF, .nops = 900,
	  .callers = 2, .sp_known = true, .sp = S(2), .end = SFRAME_OUTERMOST },
	{ "arm64: a leaf, on a small budget", A64_LEAF, .nops = 900,
	  .budget = SFRAME_BUDGET_INPLACE, .end = SFRAME_FP_HIDDEN_RA },
	{ "arm64: a leaf that is too long", A64_LEAF, .nops = 3950,
	  .end = SFRAME_FP_HIDDEN_RA },
	{ "arm64: a record, and SP by it", A64_RECORD,
	  .insns = { A64_SP_FROM_FP, A64_POP_64, A64_RET },
	  .callers = 2, .sp_known = true, .sp = S(12), .end = SFRAME_OUTERMOST },
	{ "arm64: a record, and code does not tell SP", A64_RECORD,
	  .insns = { A64_SP_FROM_FP, A64_POP_64 },
	  .callers = 1, .end = SFRAME_SP_UNKNOWN },
	{ "arm64: the same, but the caller's record does", A64_RECORD_ROW(32, 8),
	  A64_CALLERS_RECORD(RA_2), .second_call = A64_BL_CALLER,
	  .callers = 2, .sp_known = true, .sp = S(20), .end = SFRAME_OUTERMOST },
	{ "arm64: that is another function's, of which FP was left alone", A64_RECORD_ROW(32, 8),
	  A64_CALLERS_RECORD(RA_2), .callers = 2, .end = SFRAME_OUTERMOST },
	{ "arm64: no call is before its RA", A64_RECORD_ROW(32, 8),
	  A64_CALLERS_RECORD(RA_2 + 4), .second_call = A64_BL_CALLER,
	  .callers = 1, .end = SFRAME_SP_UNKNOWN },
	{ "arm64: FP and RA are saved apart", A64_RECORD_ROW(32, 16),
	  A64_CALLERS_RECORD(RA_2), .second_call = A64_BL_CALLER,
	  .callers = 2, .end = SFRAME_OUTERMOST },
	{ "arm64: a record, a word that speaks against it", A64_STALE,
	  .end = SFRAME_FP_HIDDEN_RA },
	{ "arm64: the same, but code loads the record", A64_STALE,
	  .insns = { A64_LOAD_BY_FP, A64_BR_X17 },
	  .callers = 1, .end = SFRAME_SP_UNKNOWN },
	{ "arm64: the same, on a small budget", A64_STALE,
	  .insns = { A64_LOAD_BY_FP, A64_BR_X17 }, .budget = SFRAME_BUDGET_INPLACE,
	  .callers = 1, .end = SFRAME_SP_UNKNOWN },
	{ "arm64: the same, past a call", A64_STALE,
	  .insns = { A64_BL, A64_LOAD_BY_FP, A64_BR_X17 }, .end = SFRAME_FP_HIDDEN_RA },
	{ "arm64: the same, another way out tells SP", A64_STALE,
	  .insns = { A64_IF_SKIP_2, A64_LOAD_BY_FP, A64_BR_X17,
		     A64_SP_FROM_FP, A64_POP_64, A64_RET },
	  .callers = 2, .sp_known = true, .sp = S(12), .end = SFRAME_OUTERMOST },
	{ "arm64: SP is not known, a word speaks against a record", A64_CALLER,
	  .callers = 1, .end = SFRAME_FP_HIDDEN_RA },
	{ "arm64: the same, but code loads the record", A64_CALLER,
	  .after = { A64_LOAD_BY_FP, A64_BR_X17 },
	  .callers = 2, .end = SFRAME_OUTERMOST },
	{ "arm64: the same, past a call", A64_CALLER,
	  .after = { A64_BL, A64_LOAD_BY_FP }, .callers = 1, .end = SFRAME_FP_HIDDEN_RA },
	{ "arm64: the same, but only code that needs SP does", A64_CALLER,
	  .after = { A64_POP_64, A64_RET }, .callers = 1, .end = SFRAME_FP_HIDDEN_RA },
	{ "arm64: about to make a record", A64_NO_RECORD, .ra = FAR_RA,
	  .callers = 1, .end = SFRAME_OUTERMOST },
	{ "arm64: the same, but x30 may be left by a call of its own", A64_NO_RECORD,
	  .ra = RA, A64_BEFORE(A64_BR_X17, A64_NOP), .end = SFRAME_FP_HIDDEN_RA },
	{ "arm64: the same, but the function begins at the PC", A64_NO_RECORD,
	  .ra = RA, .callers = 1, .end = SFRAME_OUTERMOST },
	{ "arm64: the same, but it has just begun", A64_NO_RECORD,
	  .ra = RA, A64_BEFORE(A64_NOP, A64_NOP), .callers = 1, .end = SFRAME_OUTERMOST },
	{ "arm64: the same, past a jump", A64_NO_RECORD,
	  .ra = RA, A64_BEFORE(A64_IF_SKIP_2, A64_BR_X17), .callers = 1,
	  .end = SFRAME_OUTERMOST },
	{ "arm64: the same, past a call", A64_NO_RECORD,
	  .ra = RA, A64_BEFORE(A64_NOP, A64_BL), .end = SFRAME_FP_HIDDEN_RA },
	{ "arm64: the same, past another record", A64_NO_RECORD,
	  .ra = RA, A64_BEFORE(A64_SET_FP, A64_NOP), .end = SFRAME_FP_HIDDEN_RA },
	{ "arm64: the same, and x29 is what it was before there were frames",
	  .abi = &sframe_abi_arm64, .fp = S(0) - 8, .ra = RA,
	  .insns = { A64_PUSH_16, A64_SET_FP }, .words = { { 6, RA_2 } },
	  BY_SP(32, -8), A64_BY_FP(32), .callers = 1, .end = SFRAME_SP_UNKNOWN },
	{ "s390x: a frame", S390_FRAME, .nops = 900,
	  .callers = 2, .sp_known = true, .sp = S(20), .end = SFRAME_OUTERMOST },
	{ "s390x: a frame, on a small budget", S390_FRAME, .nops = 900,
	  .budget = SFRAME_BUDGET_INPLACE, .end = SFRAME_NO_FDE },
	{ "s390x: a function that is too long", S390_FRAME, .nops = 2500,
	  .end = SFRAME_NO_FDE },
	{ "s390x: RA where SP would be", .abi = &sframe_abi_s390, .nops = 200,
	  .insns = { S390_LG_120 },
	  .words = { { 15, RA }, { 34, RA_2 } }, BY_SP(320, -48),
	  .callers = 2, .sp_known = true, .sp = S(0), .end = SFRAME_OUTERMOST },
	{ "s390x: r11 used for anything", .abi = &sframe_abi_s390, .nops = 200,
	  .insns = { S390_LOSE_R11, S390_LG_120 },
	  .words = { { 15, RA }, { 34, RA_2 } }, BY_SP(320, -48),
	  .callers = 2, .sp_known = true, .sp = S(0), .end = SFRAME_OUTERMOST },
	{ "s390x: the same, for a caller without a row", .abi = &sframe_abi_s390,
	  .nops = 200, .insns = { S390_LOSE_R11, S390_LG_120 },
	  .after = { S390_LMG_208 }, .rule.flags = SFRAME_RULE_NO_FDE,
	  .words = { { 15, RA }, { 34, RA_2 }, { 35, S(20) } },
	  .callers = 2, .sp_known = true, .sp = S(0), .end = SFRAME_OUTERMOST },
};

KUNIT_ARRAY_PARAM_DESC(far, far_cases, name);

/* Too large for a kernel stack; the cases of a suite run one by one. */
static struct far_world {
	const struct far_case *c;
	struct sframe_cursor cur;
	u8 code[CODE_LEN + 256];
	u64 stack[STACK_WORDS];
} the_world;

static enum sframe_reason far_find(void *ctx, u64 pc, struct sframe_rule *rule)
{
	const struct far_world *w = ctx;

	*rule = (struct sframe_rule){ .flags = SFRAME_RULE_OUTERMOST };
	if (pc >= FAR && pc <= FAR_RA)
		return SFRAME_OK;
	if (pc == CALLED) {
		*rule = w->c->called;
		return SFRAME_OK;
	}
	if (pc < CODE || pc >= CODE + sizeof(w->code))
		return SFRAME_NO_MAPPING;
	*rule = (struct sframe_rule){ .flags = SFRAME_RULE_NO_FDE };
	if (pc >= RA)
		rule->flags = SFRAME_RULE_OUTERMOST;
	else if (pc >= CALLER)
		*rule = w->c->rule;
	return SFRAME_OK;
}

static int far_read(void *ctx, u64 addr, void *buf, unsigned int len)
{
	const struct far_world *w = ctx;

	/* There is what is before RA. */
	if (addr >= FAR && addr < FAR_RA)
		addr -= FAR_RA - RA;
	return read_array(addr, buf, len, CODE, w->code) ||
	       read_array(addr, buf, len, STACK, w->stack) ? 0 : -1;
}

static const struct sframe_cursor_ops far_ops = {
	.find = far_find,
	.find_kept = nothing_kept,
	.read = far_read,
	.read_code = far_read,
	.reg = no_register,
	.answers = kept_answers,
	.is_fixed = kept_answers_fixed,
};

static void put_insn(struct far_world *w, u64 addr, u32 insn)
{
	bool big = w->c->abi == &sframe_abi_s390;
	unsigned int byte;

	for (byte = 0; byte < 4; byte++)
		w->code[addr - CODE + byte] = insn >> 8 * (big ? 3 - byte : byte);
}

static void put_call(struct far_world *w, u64 end)
{
	static const u8 brasl[] = S390_BRASL;

	if (w->c->abi == &sframe_abi_arm64)
		put_insn(w, end - 4, A64_BL);
	else
		memcpy(w->code + (end - sizeof(brasl) - CODE), brasl, sizeof(brasl));
}

static void world_set(struct far_world *w, const struct far_case *c)
{
	bool arm64 = c->abi == &sframe_abi_arm64;
	unsigned int i;

	memset(w, 0, sizeof(*w));
	w->c = c;
	for (i = 0; i < ARRAY_SIZE(c->before); i++)
		put_insn(w, PC - sizeof(c->before) + 4 * i, c->before[i]);
	for (i = 0; i < c->nops; i++)
		put_insn(w, PC + 4 * i, arm64 ? A64_NOP : S390_NOP);
	for (i = 0; i < ARRAY_SIZE(c->insns); i++)
		put_insn(w, PC + 4 * (c->nops + i), c->insns[i]);
	for (i = 0; i < ARRAY_SIZE(c->after); i++)
		put_insn(w, RA + 4 * i, c->after[i]);
	put_call(w, RA);
	put_call(w, RA_2);
	if (c->second_call) {
		put_insn(w, RA - 12, A64_NOP);
		put_insn(w, RA - 8, A64_NOP);
		put_insn(w, RA_2 - 4, c->second_call);
	}
	for (i = 0; i < ARRAY_SIZE(c->words) && c->words[i].val; i++)
		w->stack[c->words[i].at] = c->words[i].val;
}

static void walk_long_function(struct kunit *test)
{
	const struct far_case *c = test->param_value;
	struct far_world *w = &the_world;
	struct sframe_regs regs = { .pc = PC, .sp = S(0), .fp = c->fp, .ra = c->ra };
	enum sframe_reason end;
	unsigned int n = 0;

	world_set(w, c);
	sframe_cursor_init(&w->cur, c->abi, &regs, 16, &far_ops, w);
	if (c->budget)
		sframe_cursor_set_budget(&w->cur, c->budget);
	while (!(end = sframe_cursor_next(&w->cur))) {
		KUNIT_EXPECT_EQ(test, w->cur.pc, n ? RA_2 : c->ra ?: RA);
		if (!n++) {
			KUNIT_EXPECT_EQ(test, w->cur.sp_known, c->sp_known);
			KUNIT_EXPECT_TRUE(test, !c->sp_known || w->cur.sp == c->sp);
		}
	}
	KUNIT_EXPECT_EQ(test, (int)end, (int)c->end);
	KUNIT_EXPECT_EQ(test, n, c->callers);
}

static void long_function(struct kunit *test)
{
	const struct far_case *c = test->param_value;

	/* What is known already costs less, and leads farther. */
	if (c->budget)
		walk_long_function(test);
	else
		kept_answers_rounds(test, walk_long_function);
}

static struct kunit_case far_test_cases[] = {
	KUNIT_CASE_PARAM(long_function, far_gen_params),
	{}
};

static struct kunit_suite far_suite = {
	.name = "sframe_far",
	.test_cases = far_test_cases,
};

kunit_test_suite(far_suite);
