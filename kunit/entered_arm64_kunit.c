// SPDX-License-Identifier: GPL-2.0
/*
 * Walks on AArch64 from code with a stack of its own, which C has entered: what GHC has compiled
 * from Haskell, and SBCL's Lisp.
 */
#include <kunit/test.h>

#include "entered_world.h"

/* Where C that is called returns to; what jumps to what C calls. */
#define CALLS_C		(CODE + 128)
#define JUMPS_THERE	(CODE + 384)
#define OLD_FP		0x7ff000004321ull
#define NIL		0x42000117ull

#define CALL(from, to)	(0x94000000 | (u32)(((s64)((to) - (from)) / 4) & 0x3ffffff))
#define JUMP(from, to)	(0x14000000 | (u32)(((s64)((to) - (from)) / 4) & 0x3ffffff))
#define BTI_C		0xd503245f
#define NOP		0xd503201f

static const u32 stg_run[] = {
	0xa9ba4ffe /* stp x30, x19, [sp, #-96]! */, 0xa90157f4, 0xa9025ff6, 0xa90367f8,
	0xa9046ffa, 0xf9002bfc, 0xa9bf7bfd /* stp x29, x30, [sp, #-16]! */, 0x910003fd,
	0xa9bf47f0, 0xa9bf53f3, 0xa9bf5bf5, 0xa9bf63f7, 0xa9bf6bf9, 0xa9bf73fb, 0x6dbf27e8,
	0x6dbf2fea, 0x6dbf37ec, 0x6dbf3fee, 0xd14013ff /* sub sp, sp, #16384 */, 0xaa0103f3,
	0xd61f0000 /* br x0 */,
};

static const u32 call_into_lisp[] = {
	0xa9b653f3 /* stp x19, x20, [sp, #-160]! */, 0xa9015bf5, 0xa90263f7, 0xa9036bf9,
	0xa90473fb, 0xa9057bfd /* stp x29, x30, [sp, #80] */, 0x6d0627e8, 0x6d072fea,
	0x6d0837ec, 0x6d093fee,
};

/**
 * struct entered_case - a walk
 * @name: what it shows
 * @lisp: it is Lisp, else Haskell
 * @in_c: it begins in C that was called
 * @lower: SP is so many words lower than it was left
 * @by_jump: what was called jumps to the entry
 * @other_reg: FP is not NIL, or what points to the Haskell stack is something else
 * @changed: instruction of the entry that is another one, plus 1
 * @callers: how many are found
 */
struct entered_case {
	const char *name;
	bool lisp;
	bool in_c;
	u8 lower;
	bool by_jump;
	bool other_reg;
	u8 changed;
	u8 callers;
};

static const struct entered_case entered_cases[] = {
	{ "Haskell", .callers = 1 },
	{ "C called by it", .in_c = true, .callers = 2 },
	{ "SP is lower", .lower = 2 },
	{ "no Haskell stack", .other_reg = true },
	{ "StgRun() is another", .changed = 8 },
	{ "it begins otherwise", .changed = 1 },
	{ "and makes no place", .changed = 19 },
	{ "Lisp", .lisp = true, .callers = 1 },
	{ "C called by Lisp", .lisp = true, .in_c = true, .callers = 2 },
	{ "a routine has saved registers", .lisp = true, .lower = 2, .callers = 1 },
	{ "many", .lisp = true, .lower = 32, .callers = 1 },
	{ "entered by a jump", .lisp = true, .by_jump = true, .callers = 1 },
	{ "FP is not NIL", .lisp = true, .other_reg = true },
	{ "call_into_lisp() is another", .lisp = true, .changed = 6 },
};

KUNIT_ARRAY_PARAM_DESC(entered, entered_cases, name);

static void put_insn(struct entered_world *w, u64 at, u32 insn)
{
	unsigned int byte;

	for (byte = 0; byte < 4; byte++)
		w->code[at - CODE + byte] = insn >> 8 * byte;
}

static void put_entry(struct entered_world *w, const struct entered_case *c,
		      const u32 *insns, unsigned int nr)
{
	unsigned int i;

	for (i = 0; i < nr; i++)
		put_insn(w, ENTRY + 4 * i, i + 1 == c->changed ? NOP : insns[i]);
	put_insn(w, JUMPS_THERE, BTI_C);
	put_insn(w, JUMPS_THERE + 4, JUMP(JUMPS_THERE + 4, ENTRY));
	put_insn(w, RA - 4, CALL(RA - 4, c->by_jump ? JUMPS_THERE : ENTRY));
	put_insn(w, CALLS_C - 4, CALL(CALLS_C - 4, C));
}

/* Words from SP as it was left to what was saved, and to the caller's SP. */
static unsigned int put_stack(struct entered_world *w, const struct entered_case *c)
{
	unsigned int saved = c->lisp ? 80 / 8 : (16384 + 160) / 8;

	w->stack[LEFT + saved] = OLD_FP;
	w->stack[LEFT + saved + 1] = RA;
	w->stack[LEFT - c->lower - 1] = CALLS_C;
	w->heap[0] = RUNS;
	w->heap[1] = RUNS;
	return c->lisp ? 160 / 8 : (16384 + 160 + 16 + 96) / 8;
}

static void entered(struct kunit *test)
{
	const struct entered_case *c = test->param_value;
	struct sframe_regs regs = {
		.pc = c->in_c ? C + 8 : RUNS,
		.sp = S(LEFT - c->lower - (c->in_c ? C_FRAME : 0)),
		.fp = c->lisp && !c->other_reg ? NIL : NIL + 1,
	};
	static struct entered_world w;
	unsigned int frame;

	memset(&w, 0, sizeof(w));
	w.abi = &sframe_abi_arm64;
	w.c_ra_off = -8;
	w.other_sp = c->other_reg;
	if (c->lisp)
		put_entry(&w, c, call_into_lisp, ARRAY_SIZE(call_into_lisp));
	else
		put_entry(&w, c, stg_run, ARRAY_SIZE(stg_run));
	frame = put_stack(&w, c);
	expect_entered(test, &w, &regs, c->callers, S(LEFT + frame), OLD_FP);
}

static struct kunit_case entered_test_cases[] = {
	KUNIT_CASE_PARAM(entered, entered_gen_params),
	{}
};

static struct kunit_suite entered_suite = {
	.name = "sframe_entered_arm64",
	.test_cases = entered_test_cases,
};

kunit_test_suite(entered_suite);
