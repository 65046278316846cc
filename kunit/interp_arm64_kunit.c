// SPDX-License-Identifier: GPL-2.0
/*
 * Walks through HotSpot's interpreter on AArch64, and what it has jumped to.
 */
#include <kunit/test.h>

#include <sframe/cursor.h>

#define STACK_WORDS	1024
#include "interp_world.h"
#include "leave.h"

/* Where a compiled function is left; the interpreter, and where functions return to it. */
#define COMPILED	(CODE + 64)
#define DISPATCH	(CODE + 128)
#define INVOKE		(CODE + 160)
#define ENTRY		(CODE + 192)
#define RESUME		(CODE + 224)
#define REG_LR		30
/* In place, so many interpreters may wait for each other; words from one to the next. */
#define DEEP		80
#define FRAME		8

/* ldp x29, x30, [sp, #16]; add sp, sp, #32; ret */
static const u32 compiled[] = { 0xa9417bfd, 0x910083ff, 0xd65f03c0 };
/* ldrb w8, [x22, #1]!; add w9, w8, #1024; ldr x9, [x21, w9, uxtw #3]; br x9 */
static const u32 dispatch[] = { 0x38401ec8, 0x11100109, 0xf8695aa9, 0xd61f0120 };
/* The same, but br x8. */
static const u32 jump[] = { 0x38401ec8, 0x11100109, 0xf8695aa9, 0xd61f0100 };
/* mov x19, sp; stur x20, [x29, #-16]; br x8 */
static const u32 invoke[] = { 0x910003f3, 0xf81f03b4, 0xd61f0100 };
/* and sp, x8, #-16; br x8 */
static const u32 entry[] = { 0x927ced1f, 0xd61f0100 };
/* ldur x20, [x29, #-16]; stur xzr, [x29, #-16] */
static const u32 by_address[] = { 0xf85f03b4, 0xf81f03bf, 0xd61f0100 };
/* ldur x8, [x29, #-16]; add x20, x29, x8, uxtx #3; stur xzr, [x29, #-16] */
static const u32 by_distance[] = { 0xf85f03a8, 0x8b286fb4, 0xf81f03bf };
/* ldur x20, [x29, #-24]; stur xzr, [x29, #-24] */
static const u32 by_another[] = { 0xf85e83b4, 0xf81e83bf, 0xd61f0100 };
/* blr x8 */
static const u32 call = 0xd63f0100;

/**
 * struct interp_case - a walk
 * @name: what it shows
 * @pc: where it begins
 * @fp: x29 there
 * @lr: x30
 * @resume: what is at %RESUME
 * @kept: where the interpreter says that its SP is
 * @no_table: what is at %DISPATCH instead
 * @nr: how many callers are found
 * @caller: these
 * @end: how the walk ends
 */
struct interp_case {
	const char *name;
	u64 pc;
	u64 fp;
	u64 lr;
	const u32 *resume;
	u64 kept;
	const u32 *no_table;
	unsigned int nr;
	u64 caller[2];
	enum sframe_reason end;
};

/*
 * S(0) is SP, and the compiled function's record is at S(2). The same words are what such
 * a function has left behind, where the interpreter is topmost. Its record is at S(12).
 */
#define FROM_COMPILED	.pc = COMPILED, .fp = 7
#define TOPMOST(at)	.pc = (at), .fp = S(12), .resume = by_address
#define BOTH		.nr = 2, .caller = { RESUME, RA }, .end = SFRAME_OUTERMOST
#define ITS_CALLER	.nr = 1, .caller = { RA }, .end = SFRAME_OUTERMOST

static const struct interp_case interp_cases[] = {
	{ "compiled code", FROM_COMPILED, .resume = by_address, .kept = S(6), BOTH },
	{ "compiled code, SP by its distance", FROM_COMPILED, .resume = by_distance,
	  .kept = -6, BOTH },
	{ "the interpreter has called nobody", FROM_COMPILED, .resume = by_address,
	  .end = SFRAME_FP_OFF_STACK },
	{ "its SP is below the RA", FROM_COMPILED, .resume = by_address, .kept = S(3),
	  .end = SFRAME_FP_OFF_STACK },
	{ "SP is kept elsewhere", FROM_COMPILED, .resume = by_another, .kept = S(6),
	  .end = SFRAME_FP_OFF_STACK },
	{ "the interpreter, and what is left of a callee", TOPMOST(DISPATCH), ITS_CALLER },
	{ "the same, with its RA in the link register", TOPMOST(DISPATCH), .lr = RESUME,
	  ITS_CALLER },
	{ "the same, and some other call's", TOPMOST(DISPATCH), .lr = RA, ITS_CALLER },
	{ "another jump, and some other call's RA in the link register", TOPMOST(DISPATCH),
	  .no_table = jump, .lr = RA + 8, .end = SFRAME_FP_HIDDEN_RA },
	{ "about to call", TOPMOST(INVOKE), .lr = RA + 8, ITS_CALLER },
	{ "just called", TOPMOST(ENTRY), .lr = RESUME, .kept = S(6), BOTH },
	{ "just called, by its distance", .pc = ENTRY, .fp = S(12), .lr = RESUME,
	  .resume = by_distance, .kept = -6, BOTH },
	{ "just returned to", TOPMOST(RESUME), .lr = RESUME, .kept = S(6), ITS_CALLER },
};

KUNIT_ARRAY_PARAM_DESC(interp, interp_cases, name);

/* Instructions are little-endian, whatever the machine. */
static void put(struct interp_world *w, u64 at, const u32 *insn, unsigned int nr)
{
	unsigned int i;

	for (i = 0; i < 4 * nr; i++)
		w->code[at - CODE + i] = insn[i / 4] >> i % 4 * 8;
}

static void world_set(struct interp_world *w, const struct interp_case *c)
{
	memset(w, 0, sizeof(*w));
	w->reg = REG_LR;
	w->val = c->lr;
	put(w, COMPILED, compiled, ARRAY_SIZE(compiled));
	put(w, DISPATCH, c->no_table ?: dispatch, ARRAY_SIZE(dispatch));
	put(w, INVOKE, invoke, ARRAY_SIZE(invoke));
	put(w, ENTRY, entry, ARRAY_SIZE(entry));
	put(w, RESUME, c->resume, 3);
	put(w, RA - 4, &call, 1);
	put(w, RA + 4, &call, 1);
	w->stack[2] = S(12);
	w->stack[3] = RESUME;
	w->stack[10] = c->kept;
	w->stack[11] = S(16);
	w->stack[13] = RA;
}

static void walk_interpreted(struct kunit *test)
{
	const struct interp_case *c = test->param_value;
	struct sframe_regs regs = { .pc = c->pc, .sp = S(0), .fp = c->fp, .ra = c->lr };
	static struct interp_world w;
	struct sframe_cursor cur;
	enum sframe_reason end;
	unsigned int n = 0;

	world_set(&w, c);
	sframe_cursor_init(&cur, &sframe_abi_arm64, &regs, 16, &interp_ops, &w);
	while (!(end = sframe_cursor_next(&cur))) {
		KUNIT_ASSERT_LT(test, n, 2u);
		KUNIT_EXPECT_EQ(test, cur.pc, c->caller[n]);
		n++;
	}
	KUNIT_EXPECT_EQ(test, (int)end, (int)c->end);
	KUNIT_EXPECT_EQ(test, n, c->nr);
}

static void interpreted(struct kunit *test)
{
	kept_answers_rounds(test, walk_interpreted);
}

/**
 * struct made_case - what HotSpot has compiled
 * @name: what it shows
 * @insn: how a function begins, or what is behind a call
 * @frame: how far its frame goes below RA
 * @back: how far before the call it says that the function begins
 */
struct made_case {
	const char *name;
	u32 insn[5];
	u64 frame;
	u32 back;
};

#define NOP		0xd503201f
#define SUB_SP_64	0xd10103ff
#define STORE_AT_48	0xa9037bfd
#define BANG		0xd14053e9, 0xf900013f

static const struct made_case made_cases[] = {
	{ "a frame", { SUB_SP_64, STORE_AT_48 }, .frame = 56 },
	{ "room on the stack is asked for first", { BANG, SUB_SP_64, STORE_AT_48 }, .frame = 56 },
	{ "it may be replaced", { NOP, BANG, SUB_SP_64, STORE_AT_48 }, .frame = 56 },
	{ "a large frame", { 0xa9bf7bfd, 0xd11003ff }, .frame = 0x408 },
	{ "the record is elsewhere", { SUB_SP_64, 0xa9027bfd } },
	{ "other registers are stored", { SUB_SP_64, 0xa9034ff4 } },
	{ "a pushed record alone", { 0xa9bf7bfd, 0x910003fd } },
	{ "room is asked for by another way", { BANG, BANG, SUB_SP_64 } },
	{ "a mark", { NOP, 0xf2808e9f, 0xf280001f }, .back = 0x474 },
	{ "a mark, and a number of HotSpot's", { NOP, 0xf2838d9f, 0xf281a03f }, .back = 0x11c6c },
	{ "another instruction than NOP", { 0xd503205f, 0xf2808e9f, 0xf280001f } },
	{ "another register", { NOP, 0xf2808e9f, 0xf2800000 } },
};

KUNIT_ARRAY_PARAM_DESC(made, made_cases, name);

static void compiled_by_hotspot(struct kunit *test)
{
	const struct made_case *c = test->param_value;
	u8 code[sizeof(c->insn)];
	unsigned int i;

	for (i = 0; i < sizeof(code); i++)
		code[i] = c->insn[i / 4] >> i % 4 * 8;
	KUNIT_EXPECT_EQ(test, sframe_abi_arm64.frame_made(code), c->frame);
	KUNIT_EXPECT_EQ(test, sframe_abi_arm64.call_mark(code), c->back);
}

/* However little may be spent, hardly more is, and what was not found then is not kept. */
static void costs_no_more_than_it_may(struct kunit *test)
{
	static const struct interp_case c = { .resume = by_address };
	static const u64 pc[] = { DISPATCH, INVOKE };
	static struct interp_world w;
	unsigned int i, most;

	world_set(&w, &c);
	for (i = 0; i < ARRAY_SIZE(pc); i++) {
		for (most = 0; most < 48; most++) {
			struct sframe_leave lv = {
				.sp = S(0), .fp = S(12), .cost_max = most, .topmost = true,
			};
			bool found = sframe_abi_arm64.leave(&lv, pc[i], interp_read, &w);

			KUNIT_EXPECT_LE(test, lv.cost, most + LEAVE_OVER_MAX);
			KUNIT_EXPECT_TRUE(test, found || !lv.lasts);
		}
	}
}

/* Interpreters that wait for each other, and a compiled function that the last one waits for. */
static void many_wait_in_place(struct kunit *test)
{
	static const struct interp_case c = { .resume = by_address };
	struct sframe_regs regs = { .pc = COMPILED, .sp = S(0), .fp = S(2) };
	static struct interp_world w;
	struct sframe_cursor cur;
	unsigned int i;

	world_set(&w, &c);
	memset(w.stack, 0, sizeof(w.stack));
	w.stack[2] = S(12);
	w.stack[3] = RESUME;
	for (i = 0; i < DEEP; i++) {
		u64 *record = w.stack + 12 + i * FRAME;

		record[-2] = S(8 + i * FRAME);
		record[-1] = S(16 + i * FRAME);
		record[0] = S(12 + (i + 1) * FRAME);
		record[1] = i == DEEP - 1 ? RA : RESUME;
	}
	sframe_cursor_init(&cur, &sframe_abi_arm64, &regs, 2 * DEEP, &interp_ops, &w);
	sframe_cursor_set_budget(&cur, SFRAME_BUDGET_INPLACE);
	for (i = 0; i < DEEP; i++) {
		KUNIT_ASSERT_EQ(test, (int)sframe_cursor_next(&cur), (int)SFRAME_OK);
		KUNIT_EXPECT_EQ(test, cur.pc, RESUME);
		KUNIT_EXPECT_EQ(test, cur.fp, S(12 + i * FRAME));
	}
	KUNIT_ASSERT_EQ(test, (int)sframe_cursor_next(&cur), (int)SFRAME_OK);
	KUNIT_EXPECT_EQ(test, cur.pc, RA);
	KUNIT_EXPECT_EQ(test, (int)sframe_cursor_next(&cur), (int)SFRAME_OUTERMOST);
}

static struct kunit_case interp_test_cases[] = {
	KUNIT_CASE(many_wait_in_place),
	KUNIT_CASE(costs_no_more_than_it_may),
	KUNIT_CASE_PARAM(interpreted, interp_gen_params),
	KUNIT_CASE_PARAM(compiled_by_hotspot, made_gen_params),
	{}
};

static struct kunit_suite interp_suite = {
	.name = "sframe_interp_arm64",
	.test_cases = interp_test_cases,
};

kunit_test_suite(interp_suite);
