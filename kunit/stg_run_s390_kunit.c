// SPDX-License-Identifier: GPL-2.0
/*
 * Walks from what GHC has compiled for s390x, which jumps by calls, to what has entered it.
 */
#include <kunit/test.h>

#include "entered_world.h"

/* What Haskell was jumped to from; where C that it calls returns to. */
#define JUMPED_FROM	(CODE + 128)
#define CALLS_C		(CODE + 192)
/* SP of what has called StgRun(); in words. */
#define ABOVE		(LEFT + 16544 / 8)
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

#define PUT(w, at, insns)	memcpy((w)->code + ((at) - CODE), insns, sizeof(insns) - 1)

static void world_set(struct entered_world *w, const struct stg_case *c)
{
	s32 half = (s32)(ENTRY - (RA - 6)) / 2;
	unsigned int i;

	memset(w, 0, sizeof(*w));
	w->abi = &sframe_abi_s390;
	w->c_ra_off = -48;
	w->other_sp = c->other_sp;
	/* nopr */
	for (i = 0; i < CODE_LEN; i++)
		w->code[i] = i % 2 ? 0x00 : 0x07;
	PUT(w, RUNS, RETURN);
	PUT(w, JUMPED_FROM - 6, CALL RETURN);
	PUT(w, CALLS_C - 6, CALL);
	PUT(w, ENTRY, STG_RUN_CODE);
	if (c->changed)
		w->code[ENTRY - CODE + c->changed - 1] ^= 1;
	PUT(w, RA - 6, CALL);
	for (i = 0; i < 4; i++)
		w->code[RA - 4 + i - CODE] = half >> 8 * (3 - i);
	w->heap[0] = RUNS;
	w->heap[1] = RUNS;
	w->stack[ABOVE + 80 / 8] = RA;
	w->stack[ABOVE + 56 / 8] = OLD_FP;
	w->stack[LEFT + 112 / 8] = CALLS_C;
}

static void entered(struct kunit *test)
{
	const struct stg_case *c = test->param_value;
	struct sframe_regs regs = {
		.pc = c->in_c ? C + 8 : RUNS, .sp = S(c->in_c ? LEFT - C_FRAME : LEFT),
		.fp = HEAP, .ra = JUMPED_FROM,
	};
	static struct entered_world w;

	world_set(&w, c);
	expect_entered(test, &w, &regs, c->callers, S(ABOVE), OLD_FP);
}

/* A call that is returned from is none of these jumps. */
static void other_code(struct kunit *test)
{
	static const struct stg_case other = { .other_sp = true };
	struct sframe_regs regs = { .pc = RUNS, .sp = S(LEFT), .fp = HEAP, .ra = JUMPED_FROM };
	static struct entered_world w;
	struct sframe_cursor cur;

	world_set(&w, &other);
	PUT(&w, JUMPED_FROM, "\x07\x00");
	sframe_cursor_init(&cur, &sframe_abi_s390, &regs, 16, &entered_ops, &w);
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
