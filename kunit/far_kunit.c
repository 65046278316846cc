// SPDX-License-Identifier: GPL-2.0
/*
 * Walks out of long functions that have no row: assembly, whose loops are unrolled.
 */
#include <kunit/test.h>

#include <sframe/cursor.h>

#define CODE		0x400000ull
#define CODE_LEN	8192
#define PC		(CODE + 64)
#define CALLER		(CODE + CODE_LEN)
#define RA		(CALLER + 64)
#define RA_2		(CALLER + 128)
#define STACK		0x7ff000000000ull
#define STACK_WORDS	64
#define S(n)		(STACK + 8ull * (n))

#define A64_NOP		0xd503201f
#define A64_RET		0xd65f03c0
#define A64_BL		0x94000040
#define A64_SP_FROM_FP	0x910003bf	/* mov sp, x29 */
#define A64_POP_64	0xa8c47bfd	/* ldp x29, x30, [sp], #64 */
#define A64_POP_X19	0xa8c153f3	/* ldp x19, x20, [sp], #16 */

/**
 * struct far_case - a walk out of a long function
 * @name: what it shows
 * @abi: whose rules
 * @nops: instructions that do nothing, from the PC on
 * @insns: those that follow
 * @leaf: RA is in its register
 * @budget: of the walk, 0 for what the core sets
 * @rule: of the caller
 * @callers: how many are found
 * @sp: of the first caller, in words from where it was; 0: not known
 * @end: how the walk ends
 */
struct far_case {
	const char *name;
	const struct sframe_abi *abi;
	unsigned int nops;
	u32 insns[3];
	bool leaf;
	u32 budget;
	struct sframe_rule rule;
	unsigned int callers;
	unsigned int sp;
	enum sframe_reason end;
};

#define CALLER_BY_SP							\
	.rule = {							\
		.cfa = SFRAME_LOC_SP, .cfa_off = 32,			\
		.ra = SFRAME_LOC_CFA | SFRAME_LOC_DEREF, .ra_off = -8,	\
	}

static const struct far_case far_cases[] = {
	{ "arm64: a leaf", &sframe_abi_arm64, .nops = 900,
	  .insns = { A64_POP_X19, A64_RET }, .leaf = true, CALLER_BY_SP,
	  .callers = 2, .sp = 2, .end = SFRAME_OUTERMOST },
	{ "arm64: a leaf, on a small budget", &sframe_abi_arm64, .nops = 900,
	  .insns = { A64_POP_X19, A64_RET }, .leaf = true, CALLER_BY_SP,
	  .budget = SFRAME_BUDGET_INPLACE, .end = SFRAME_FP_HIDDEN_RA },
	{ "arm64: a leaf that is too long", &sframe_abi_arm64, .nops = 1500,
	  .insns = { A64_POP_X19, A64_RET }, .leaf = true, CALLER_BY_SP,
	  .end = SFRAME_FP_HIDDEN_RA },
	{ "arm64: a record, and SP by it", &sframe_abi_arm64, .nops = 500,
	  .insns = { A64_SP_FROM_FP, A64_POP_64, A64_RET }, CALLER_BY_SP,
	  .callers = 2, .sp = 12, .end = SFRAME_OUTERMOST },
	{ "arm64: a record, and code does not tell SP", &sframe_abi_arm64, .nops = 500,
	  .insns = { A64_SP_FROM_FP, A64_POP_64 }, CALLER_BY_SP,
	  .callers = 1, .end = SFRAME_SP_UNKNOWN },
};

static void far_name(const struct far_case *c, char *desc)
{
	snprintf(desc, KUNIT_PARAM_DESC_SIZE, "%s", c->name);
}

KUNIT_ARRAY_PARAM(far, far_cases, far_name);

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

	if (pc < CODE || pc >= CODE + sizeof(w->code))
		return SFRAME_NO_MAPPING;
	*rule = (struct sframe_rule){ .flags = SFRAME_RULE_NO_FDE };
	if (pc >= RA)
		rule->flags = SFRAME_RULE_OUTERMOST;
	else if (pc >= CALLER)
		*rule = w->c->rule;
	return SFRAME_OK;
}

static enum sframe_reason far_find_kept(void *ctx, u64 pc, unsigned int reg,
					struct sframe_rule *rule)
{
	(void)ctx, (void)pc, (void)reg, (void)rule;
	return SFRAME_NO_TABLE;
}

static int far_read(void *ctx, u64 addr, void *buf, unsigned int len)
{
	const struct far_world *w = ctx;

	if (addr - CODE < sizeof(w->code) && len <= sizeof(w->code) - (addr - CODE)) {
		memcpy(buf, w->code + (addr - CODE), len);
		return 0;
	}
	if (addr - STACK >= sizeof(w->stack) ||
	    len > sizeof(w->stack) - (addr - STACK))
		return -1;
	memcpy(buf, (const u8 *)w->stack + (addr - STACK), len);
	return 0;
}

static int far_reg(void *ctx, unsigned int reg, u64 *val)
{
	(void)ctx, (void)reg, (void)val;
	return -1;
}

static const struct sframe_cursor_ops far_ops = {
	.find = far_find,
	.find_kept = far_find_kept,
	.read = far_read,
	.read_code = far_read,
	.reg = far_reg,
};

static void put_insn(struct far_world *w, u64 addr, u32 insn)
{
	unsigned int byte;

	for (byte = 0; byte < 4; byte++)
		w->code[addr - CODE + byte] = insn >> 8 * byte;
}

/*
 * The caller's RA is where its rule says: the word below S(@sp + 4). Nearer than its
 * record, so that SP is needed to find it.
 */
static void world_set(struct far_world *w, const struct far_case *c)
{
	unsigned int i;

	memset(w, 0, sizeof(*w));
	w->c = c;
	for (i = 0; i < c->nops; i++)
		put_insn(w, PC + 4 * i, A64_NOP);
	for (i = 0; i < ARRAY_SIZE(c->insns); i++)
		put_insn(w, PC + 4 * (c->nops + i), c->insns[i]);
	put_insn(w, RA - 4, A64_BL);
	put_insn(w, RA_2 - 4, A64_BL);
	w->stack[4] = S(20);
	w->stack[5] = RA;
	w->stack[(c->sp ?: 12) + 3] = RA_2;
	w->stack[21] = RA_2;
}

static void long_function(struct kunit *test)
{
	const struct far_case *c = test->param_value;
	struct far_world *w = &the_world;
	struct sframe_regs regs = { .pc = PC, .sp = S(0), .fp = S(4) };
	unsigned int n = 0;
	enum sframe_reason end;

	/* A leaf's RA is in its register, and the record is its caller's. */
	if (c->leaf) {
		regs.ra = RA;
		regs.fp = S(20);
	}
	world_set(w, c);
	sframe_cursor_init(&w->cur, c->abi, &regs, 16, &far_ops, w);
	if (c->budget)
		sframe_cursor_set_budget(&w->cur, c->budget);
	while (!(end = sframe_cursor_next(&w->cur))) {
		KUNIT_EXPECT_EQ(test, w->cur.pc, n ? RA_2 : RA);
		if (!n++ && c->sp) {
			KUNIT_EXPECT_TRUE(test, w->cur.sp_known);
			KUNIT_EXPECT_EQ(test, w->cur.sp, S(c->sp));
		}
	}
	KUNIT_EXPECT_EQ(test, (int)end, (int)c->end);
	KUNIT_EXPECT_EQ(test, n, c->callers);
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
