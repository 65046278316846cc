// SPDX-License-Identifier: GPL-2.0
/*
 * Walks from what GHC has compiled for s390x, which jumps by calls, to what has entered it.
 */
#include <kunit/test.h>

#include <sframe/cursor.h>

#include "simple_world.h"

#define CODE		0x400000ull
#define CODE_LEN	1024
/* Haskell; what it was jumped to from; where C that it calls returns to. */
#define HASKELL		(CODE + 64)
#define JUMPED_FROM	(CODE + 128)
#define CALLS_C		(CODE + 192)
#define STG_RUN		(CODE + 256)
/* Of what has rows: what calls StgRun(), and what Haskell calls. */
#define SCHEDULE	(CODE + 512)
#define RA		(SCHEDULE + 64)
#define C		(CODE + 768)
#define STACK		0x7ff000000000ull
#define STACK_WORDS	2176
#define S(n)		(STACK + 8ull * (n))
/* SP of what runs in Haskell, of C that it calls, and of what has called StgRun(); in words. */
#define LEFT		40
#define C_FRAME		20
#define ABOVE		(LEFT + 16544 / 8)
#define HEAP		0x42000000ull
#define BASE		(HEAP + 16)
#define LIMIT		0x42010000ull
#define HASKELL_SP	(LIMIT + 512)
#define OLD_FP		0x1234567812345678ull

#define CALL		"\xc0\xe5\x00\x00\x00\x40"	/* brasl %r14, ... */
#define RETURN		"\x07\xfe"			/* br %r14 */
#define STG_RUN_CODE	"\xeb\x6e\xf0\x10\x00\x24" \
			"\x60\x80\xf0\x58\x60\x90\xf0\x60\x60\xa0\xf0\x68\x60\xb0\xf0\x70" \
			"\x60\xc0\xf0\x78\x60\xd0\xf0\x80\x60\xe0\xf0\x88\x60\xf0\xf0\x90" \
			"\xa7\xfb\xbf\x60\xb9\x04\x00\x73\x07\xf2"

/**
 * struct stg_case - a walk
 * @name: what it shows
 * @in_c: it begins in C that Haskell has called
 * @other_sp: the register that points to the Haskell stack has something else
 * @changed: byte of StgRun() that is another one, plus 1
 * @callers: how many are found
 */
struct stg_case {
	const char *name;
	bool in_c;
	bool other_sp;
	u8 changed;
	u8 callers;
};

static const struct stg_case stg_cases[] = {
	{ "Haskell", .callers = 1 },
	{ "C called by it", .in_c = true, .callers = 2 },
	{ "no Haskell stack", .other_sp = true },
	{ "StgRun() is another", .changed = 3 },
	{ "and leaves less", .changed = 42 },
};

KUNIT_ARRAY_PARAM_DESC(stg, stg_cases, name);

struct stg_world {
	const struct stg_case *c;
	u8 code[CODE_LEN];
	u64 stack[STACK_WORDS];
	u64 heap[2];
};

static enum sframe_reason stg_find(void *ctx, u64 pc, struct sframe_rule *rule)
{
	(void)ctx;
	if (pc - CODE >= CODE_LEN)
		return SFRAME_NO_MAPPING;
	if (pc < SCHEDULE)
		return SFRAME_NO_TABLE;
	*rule = (struct sframe_rule){ .flags = SFRAME_RULE_OUTERMOST };
	if (pc >= C)
		*rule = (struct sframe_rule){
			.cfa = SFRAME_LOC_SP, .cfa_off = 160 + 8 * C_FRAME,
			.ra = SFRAME_LOC_CFA | SFRAME_LOC_DEREF, .ra_off = -48,
			.fp = SFRAME_LOC_SAME,
		};
	return SFRAME_OK;
}

static int stg_read(void *ctx, u64 addr, void *buf, unsigned int len)
{
	const struct stg_world *w = ctx;

	return read_array(addr, buf, len, CODE, w->code) ||
	       read_array(addr, buf, len, STACK, w->stack) ||
	       read_array(addr, buf, len, HEAP, w->heap) ? 0 : -1;
}

static int stg_reg(void *ctx, unsigned int reg, u64 *val)
{
	const struct stg_world *w = ctx;

	*val = reg == 7 ? BASE : reg == 8 ? HASKELL_SP : reg == 9 ? LIMIT : 0;
	if (reg == 8 && w->c->other_sp)
		*val = LIMIT - 4096;
	return 0;
}

static const struct sframe_cursor_ops stg_ops = {
	.find = stg_find,
	.find_kept = nothing_kept,
	.read = stg_read,
	.read_code = stg_read,
	.reg = stg_reg,
};

#define PUT(w, at, insns)	memcpy((w)->code + ((at) - CODE), insns, sizeof(insns) - 1)

static void world_set(struct stg_world *w, const struct stg_case *c)
{
	s32 half = (s32)(STG_RUN - (RA - 6)) / 2;
	unsigned int i;

	memset(w, 0, sizeof(*w));
	w->c = c;
	/* nopr */
	for (i = 0; i < CODE_LEN; i++)
		w->code[i] = i % 2 ? 0x00 : 0x07;
	PUT(w, HASKELL, RETURN);
	PUT(w, JUMPED_FROM - 6, CALL RETURN);
	PUT(w, CALLS_C - 6, CALL);
	PUT(w, STG_RUN, STG_RUN_CODE);
	if (c->changed)
		w->code[STG_RUN - CODE + c->changed - 1] ^= 1;
	PUT(w, RA - 6, CALL);
	for (i = 0; i < 4; i++)
		w->code[RA - 4 + i - CODE] = half >> 8 * (3 - i);
	w->heap[0] = HASKELL;
	w->heap[1] = HASKELL;
	w->stack[ABOVE + 80 / 8] = RA;
	w->stack[ABOVE + 56 / 8] = OLD_FP;
	w->stack[LEFT + 112 / 8] = CALLS_C;
}

static void entered(struct kunit *test)
{
	const struct stg_case *c = test->param_value;
	struct sframe_regs regs = {
		.pc = c->in_c ? C + 8 : HASKELL, .sp = S(c->in_c ? LEFT - C_FRAME : LEFT),
		.fp = HEAP, .ra = JUMPED_FROM,
	};
	static struct stg_world w;
	struct sframe_cursor cur;
	unsigned int n = 0;

	world_set(&w, c);
	sframe_cursor_init(&cur, &sframe_abi_s390, &regs, 16, &stg_ops, &w);
	while (!sframe_cursor_next(&cur))
		n++;
	KUNIT_EXPECT_EQ(test, n, c->callers);
	if (!c->callers)
		return;
	KUNIT_EXPECT_EQ(test, cur.pc, RA);
	KUNIT_EXPECT_EQ(test, cur.sp, S(ABOVE));
	KUNIT_EXPECT_EQ(test, cur.fp, OLD_FP);
}

/* A call that is returned from is none of these jumps. */
static void other_code(struct kunit *test)
{
	static const struct stg_case other = { .other_sp = true };
	struct sframe_regs regs = { .pc = HASKELL, .sp = S(LEFT), .fp = HEAP, .ra = JUMPED_FROM };
	static struct stg_world w;
	struct sframe_cursor cur;

	world_set(&w, &other);
	PUT(&w, JUMPED_FROM, "\x07\x00");
	sframe_cursor_init(&cur, &sframe_abi_s390, &regs, 16, &stg_ops, &w);
	KUNIT_ASSERT_EQ(test, (int)sframe_cursor_next(&cur), (int)SFRAME_OK);
	KUNIT_EXPECT_EQ(test, cur.pc, JUMPED_FROM);
}

static struct kunit_case stg_test_cases[] = {
	KUNIT_CASE_PARAM(entered, stg_gen_params),
	KUNIT_CASE(other_code),
	{}
};

static struct kunit_suite stg_suite = {
	.name = "sframe_stg_run_s390",
	.test_cases = stg_test_cases,
};

kunit_test_suite(stg_suite);
