// SPDX-License-Identifier: GPL-2.0
/*
 * Walks out of functions of AArch64 that never return: their frame is as they have made it.
 */
#include <kunit/test.h>

#include <sframe/cursor.h>

#define BARE_CALLED_FRAME 16
#include "bare_world.h"

#define RA		(CODE + 1792)
/* SP of the function; the one that it calls has a frame of two words. */
#define SP_AT		4
#define OLD_FP		0x1234567812345678ull

#define NOP		0xd503201f
#define MOVE		0xaa0103e0	/* mov x0, x1 */
#define PACIASP		0xd503233f
#define SAVE_LR		0xa9be4ffe	/* stp x30, x19, [sp, #-32]! */
#define SAVE_BOTH	0xa9be7bfd	/* stp x29, x30, [sp, #-32]! */
#define STORE_LR	0xf9000ffe	/* str x30, [sp, #24] */
#define SUB_32		0xd10083ff	/* sub sp, sp, #32 */
#define SUB_1M		0xd14403ff	/* sub sp, sp, #256, lsl #12 */
#define SUB_16M		0xd17fffff	/* 4 KB less than that */
#define SUB_X0		0xcb2063ff	/* sub sp, sp, x0 */
#define MOV_X13_32	0xd280040d	/* mov x13, #32 */
#define INC_X13		0x910005ad	/* add x13, x13, #1 */
#define SUB_X13		0xcb2d63ff	/* sub sp, sp, x13 */
#define ADD_X13		0x8b2d63ff	/* add sp, sp, x13 */
#define PUSH_X0		0xf81f0fe0	/* str x0, [sp, #-16]! */
#define IF_NEXT		0xb4000040	/* cbz x0, past the next instruction */
#define CALL		0x97fffff0	/* bl, to before the function */
#define CALL_NEXT	0x94000001	/* bl, what is behind */
#define BLR		0xd63f0000
#define RET		0xd65f03c0
#define JUMP_TO_THIRD	0x17fffffd	/* b, three instructions back */
#define JUMP_TO_SECOND	0x17fffffe	/* two back */
#define STOP		0xd4200000	/* brk */
#define IF_SIXTH	0xb4000080	/* cbz x0, past the next three */
#define IF_THIRD	0xb4000060	/* cbz x0, past the next two */
#define JUMP_THIRD	0x14000003	/* b, past the next two */
#define LOAD_LR		0xa8c24ffe	/* ldp x30, x19, [sp], #32 */
#define BR_X0		0xd61f0000
#define BR_X16		0xd61f0200
#define BTI_C		0xd503245f
#define BTI_J		0xd503249f

/* Of another function: jump to the first, or call that. */
#define TAIL		(CODE + 1200)
#define JUMP_TO_FIRST	0x14000000
#define CALL_FIRST	0x94000000

/**
 * struct prologue_case - a walk
 * @name: what it shows
 * @insns: the function, up to the PC
 * @more: another instruction, behind the first of these
 * @nr: so many times
 * @size: of its frame in words, or 0: nobody is found
 * @ra: in which word of it RA is
 * @call: what is before RA; 0: a call of the function
 * @tail: or of this one
 */
struct prologue_case {
	const char *name;
	u32 insns[10];
	u32 more;
	unsigned int nr;
	unsigned int size;
	unsigned int ra;
	u32 call;
	u32 tail[5];
};

static const struct prologue_case prologue_cases[] = {
	{ "RA is saved", { PACIASP, SAVE_LR, NOP, CALL }, .size = 4, .call = BLR },
	{ "and stored", { PACIASP, SUB_32, STORE_LR, CALL }, .size = 4, .ra = 3, .call = BLR },
	{ "with FP", { PACIASP, SAVE_BOTH, CALL }, .size = 4, .ra = 1, .call = BLR },
	{ "past another call", { PACIASP, SAVE_LR, CALL, MOVE, CALL }, .size = 4, .call = BLR },
	{ "past a branch", { PACIASP, SAVE_LR, IF_NEXT, NOP, CALL }, .size = 4, .call = BLR },
	{ "in two steps", { PACIASP, SAVE_LR, SUB_32, CALL }, .size = 8, .ra = 4, .call = BLR },
	{ "and stored again", { PACIASP, SAVE_LR, STORE_LR, CALL }, .size = 4, .call = BLR },
	{ "called directly", { PACIASP, SAVE_LR, CALL }, .size = 4 },
	{ "called before it has to be saved", { IF_NEXT, NOP, PACIASP, SAVE_LR, CALL }, .size = 4 },
	{ "called before, and it returns", { RET, PACIASP, SAVE_LR, CALL } },
	{ "in an arm of a switch", { PACIASP, SAVE_LR, BR_X0, BTI_J, CALL },
	  .size = 4, .call = BLR },
	{ "behind a jump to another function", { PACIASP, SAVE_LR, BR_X16, BTI_J, CALL },
	  .call = BLR },
	{ "in an arm of another function's", { PACIASP, SAVE_LR, BR_X0, BTI_C, BTI_J, CALL },
	  .call = BLR },
	{ "past a way out", { PACIASP, SAVE_LR, IF_THIRD, LOAD_LR, RET, CALL },
	  .size = 4, .call = BLR },
	{ "on the way out", { PACIASP, SAVE_LR, IF_NEXT, NOP, LOAD_LR, CALL }, .call = BLR },
	{ "another function was called", { PACIASP, SAVE_LR, CALL }, .call = CALL },
	{ "RA follows no call", { PACIASP, SAVE_LR, CALL }, .call = NOP },
	{ "RA is not signed", { NOP, SAVE_LR, CALL }, .call = BLR },
	{ "RA is not saved", { PACIASP, SUB_32, CALL }, .call = BLR },
	{ "another function begins before RA is saved", { PACIASP, BTI_C, SAVE_LR, CALL },
	  .call = BLR },
	{ "RA is saved past a call", { PACIASP, CALL, SAVE_LR, CALL }, .call = BLR },
	{ "SP is lowered by any number", { PACIASP, SAVE_LR, CALL, SUB_X0, CALL }, .call = BLR },
	/* By 4 GB and 32 bytes in all. */
	{ "a frame that is too large", { PACIASP, SUB_32, SUB_1M, STORE_LR, CALL },
	  .more = SUB_16M, .nr = 256, .ra = 3, .call = BLR },
	{ "SP is lowered once more", { PACIASP, SAVE_LR, CALL, SUB_32, CALL }, .call = BLR },
	{ "SP is lowered by a large number", { PACIASP, SAVE_LR, MOV_X13_32, SUB_X13, CALL },
	  .size = 8, .ra = 4, .call = BLR },
	{ "which is changed",
	  { PACIASP, SAVE_LR, MOV_X13_32, INC_X13, SUB_X13, CALL }, .call = BLR },
	{ "past the way out of such a frame",
	  { PACIASP, SAVE_LR, MOV_X13_32, SUB_X13, IF_SIXTH, ADD_X13, LOAD_LR, RET, CALL },
	  .size = 8, .ra = 4, .call = BLR },
	{ "what leads there comes from behind", { PACIASP, SAVE_LR, IF_SIXTH, JUMP_THIRD, CALL },
	  .size = 4 },
	{ "and nothing says what was called", { PACIASP, SAVE_LR, IF_SIXTH, JUMP_THIRD, CALL },
	  .call = BLR },
	{ "jumped to by what was called", { PACIASP, SAVE_LR, CALL }, .size = 4,
	  .tail = { PACIASP, NOP, JUMP_TO_FIRST } },
	{ "called by that", { PACIASP, SAVE_LR, CALL }, .tail = { PACIASP, NOP, CALL_FIRST } },
	{ "jumped to by what is behind that", { PACIASP, SAVE_LR, CALL },
	  .tail = { NOP, RET, PACIASP, JUMP_TO_FIRST } },
	{ "something is pushed", { PACIASP, SAVE_LR, CALL, PUSH_X0, CALL }, .call = BLR },
	{ "behind a return, where nothing leads", { PACIASP, SAVE_LR, RET, NOP, CALL },
	  .call = BLR },
};

KUNIT_ARRAY_PARAM_DESC(prologue, prologue_cases, name);

static void put_insn(struct bare_world *w, u64 addr, u32 insn)
{
	unsigned int byte;

	for (byte = 0; byte < 4; byte++)
		w->code[addr - CODE + byte] = insn >> 8 * byte;
}

/* B, or BL if @insn says so, from @addr to @target. */
static void put_jump(struct bare_world *w, u64 addr, u32 insn, u64 target)
{
	put_insn(w, addr, insn | (u32)((target - addr) / 4) % (1u << 26));
}

static void put_tail(struct bare_world *w, const u32 *tail)
{
	u64 at;

	for (at = TAIL; *tail; at += 4, tail++) {
		if (*tail == JUMP_TO_FIRST || *tail == CALL_FIRST)
			put_jump(w, at, *tail, BARE);
		else
			put_insn(w, at, *tail);
	}
}

/* The PC is behind the last instruction; there, another function begins. */
static u64 world_set(struct bare_world *w, const struct prologue_case *c)
{
	static const u32 other[] = { PACIASP, SAVE_LR, STOP };
	u64 pc = BARE;
	unsigned int i;

	memset(w, 0, sizeof(*w));
	put_insn(w, pc, c->insns[0]);
	pc += 4;
	for (i = 0; i < c->nr; i++, pc += 4)
		put_insn(w, pc, c->more);
	for (i = 1; c->insns[i]; i++, pc += 4)
		put_insn(w, pc, c->insns[i]);
	for (i = 0; i < ARRAY_SIZE(other); i++)
		put_insn(w, pc + 4 * i, other[i]);
	put_tail(w, c->tail);
	if (c->call)
		put_insn(w, RA - 4, c->call);
	else
		put_jump(w, RA - 4, CALL_FIRST, c->tail[0] ? TAIL : BARE);
	w->stack[SP_AT - 1] = pc;
	w->stack[SP_AT + c->ra] = RA;
	if (c->ra == 1)
		w->stack[SP_AT] = OLD_FP;
	return pc;
}

static void walk_never_returns(struct kunit *test)
{
	const struct prologue_case *c = test->param_value;
	static struct bare_world w;
	struct sframe_regs regs = { .pc = CALLED, .sp = S(SP_AT - 2), .fp = OLD_FP };
	struct sframe_cursor cur;
	u64 pc = world_set(&w, c);

	if (c->ra == 1)
		regs.fp = 8;
	sframe_cursor_init(&cur, &sframe_abi_arm64, &regs, 16, &bare_ops, &w);
	KUNIT_ASSERT_EQ(test, (int)sframe_cursor_next(&cur), (int)SFRAME_OK);
	KUNIT_ASSERT_EQ(test, cur.pc, pc);
	KUNIT_EXPECT_EQ(test, !sframe_cursor_next(&cur), c->size > 0);
	if (!c->size)
		return;
	KUNIT_EXPECT_EQ(test, cur.pc, RA);
	KUNIT_EXPECT_TRUE(test, cur.sp_known && cur.fp_known);
	KUNIT_EXPECT_EQ(test, cur.sp, S(SP_AT + c->size));
	KUNIT_EXPECT_EQ(test, cur.fp, OLD_FP);
	KUNIT_EXPECT_EQ(test, (int)sframe_cursor_next(&cur), (int)SFRAME_OUTERMOST);
}

static void never_returns(struct kunit *test)
{
	kept_answers_rounds(test, walk_never_returns);
}

/* So many instructions of @c have run last, and x30 is @last: is RA found? */
static bool topmost_is_left_at(struct kunit *test, const struct prologue_case *c,
			       unsigned int insns, u64 last)
{
	static struct bare_world w;
	struct sframe_regs regs = {
		.pc = BARE + 4 * insns, .sp = S(SP_AT), .fp = 8, .ra = last,
	};
	struct sframe_cursor cur;

	world_set(&w, c);
	put_insn(&w, RA + 60, BLR);
	sframe_cursor_init(&cur, &sframe_abi_arm64, &regs, 16, &bare_ops, &w);
	if (sframe_cursor_next(&cur))
		return false;
	KUNIT_EXPECT_EQ(test, cur.pc, RA);
	KUNIT_EXPECT_EQ(test, cur.sp, S(SP_AT + 4));
	return true;
}

/* All of them have. */
static bool topmost_is_left(struct kunit *test, const struct prologue_case *c, u64 last)
{
	unsigned int insns;

	for (insns = 0; c->insns[insns];)
		insns++;
	return topmost_is_left_at(test, c, insns, last);
}

/* The topmost function is the one if it has made the last call, or none was made. */
static void topmost(struct kunit *test)
{
	const struct prologue_case calls = {
		.insns = { PACIASP, SAVE_LR, CALL, MOVE, MOVE }, .call = BLR,
	};
	const struct prologue_case calls_nobody = {
		.insns = { PACIASP, SAVE_LR, IF_NEXT, NOP, NOP }, .call = BLR,
	};
	/* What follows is not known to be its body yet. */
	const struct prologue_case begins = { .insns = { PACIASP, SAVE_LR, NOP }, .call = BLR };

	KUNIT_EXPECT_TRUE(test, topmost_is_left(test, &calls, BARE + 12));
	KUNIT_EXPECT_TRUE(test, topmost_is_left(test, &calls_nobody, RA));
	KUNIT_EXPECT_FALSE(test, topmost_is_left(test, &calls, RA + 64));
	KUNIT_EXPECT_FALSE(test, topmost_is_left(test, &calls_nobody, BARE + 12));
	KUNIT_EXPECT_FALSE(test, topmost_is_left(test, &begins, RA));
}

/*
 * Behind a call, another function may begin where that would be aligned; but the running
 * one has made all of the calls up to the last one.
 */
static void topmost_has_called(struct kunit *test)
{
	const struct prologue_case earlier = {
		.insns = { PACIASP, SAVE_LR, NOP, CALL, MOVE, CALL, MOVE, MOVE }, .call = BLR,
	};
	const struct prologue_case later = {
		.insns = { PACIASP, SAVE_LR, CALL, MOVE, NOP, NOP, NOP, CALL, MOVE }, .call = BLR,
	};
	const struct prologue_case jumps_back = {
		.insns = { PACIASP, SAVE_LR, IF_NEXT, MOVE, CALL, JUMP_TO_THIRD }, .call = BLR,
	};
	const struct prologue_case returned = {
		.insns = { PACIASP, SAVE_LR, NOP, CALL }, .call = BLR,
	};
	const struct prologue_case calls_next = {
		.insns = { PACIASP, SAVE_LR, CALL_NEXT, MOVE, MOVE }, .call = BLR,
	};
	/* Past a call by what is jumped back to from behind it. */
	const struct prologue_case forth_and_back = {
		.insns = { PACIASP, SAVE_LR, IF_SIXTH, NOP, CALL, JUMP_TO_THIRD, MOVE, MOVE },
		.call = BLR,
	};
	const struct prologue_case past_another = {
		.insns = { PACIASP, SAVE_LR, IF_THIRD, CALL, JUMP_TO_SECOND, CALL, MOVE, MOVE },
		.call = BLR,
	};
	const struct prologue_case far_back = {
		.insns = { PACIASP, SAVE_LR, NOP, CALL, MOVE, MOVE, CALL, JUMP_TO_THIRD },
		.call = BLR,
	};

	KUNIT_EXPECT_TRUE(test, topmost_is_left(test, &earlier, BARE + 24));
	KUNIT_EXPECT_FALSE(test, topmost_is_left(test, &later, BARE + 12));
	KUNIT_EXPECT_TRUE(test, topmost_is_left_at(test, &jumps_back, 3, BARE + 20));
	KUNIT_EXPECT_TRUE(test, topmost_is_left(test, &returned, BARE + 16));
	KUNIT_EXPECT_TRUE(test, topmost_is_left_at(test, &far_back, 5, BARE + 28));
	KUNIT_EXPECT_FALSE(test, topmost_is_left(test, &calls_next, BARE + 12));
	KUNIT_EXPECT_TRUE(test, topmost_is_left_at(test, &forth_and_back, 6, BARE + 20));
	KUNIT_EXPECT_FALSE(test, topmost_is_left(test, &past_another, BARE + 16));
}

/* What a walk spends in a function that has no row, but may be found. */
static u32 spent(struct kunit *test, const struct prologue_case *c,
		 const struct sframe_cursor_ops *ops)
{
	static struct bare_world w;
	struct sframe_regs regs = { .pc = CALLED, .sp = S(SP_AT - 2), .fp = 8 };
	struct sframe_cursor cur;
	u32 budget;

	world_set(&w, c);
	sframe_cursor_init(&cur, &sframe_abi_arm64, &regs, 16, ops, &w);
	budget = cur.budget;
	KUNIT_EXPECT_EQ(test, (int)sframe_cursor_next(&cur), (int)SFRAME_OK);
	KUNIT_EXPECT_EQ(test, !sframe_cursor_next(&cur), c->size > 0);
	return budget - cur.budget;
}

/* And in one that does not save RA. */
static u32 spent_in_vain(struct kunit *test, unsigned int nops)
{
	const struct prologue_case c = {
		.insns = { PACIASP, SUB_32, CALL }, .more = NOP, .nr = nops, .call = BLR,
	};

	return spent(test, &c, &bare_ops);
}

/* Each instruction is paid for, wherever that leads. */
static void what_does_not_save_ra_costs_as_much(struct kunit *test)
{
	KUNIT_EXPECT_GE(test, spent_in_vain(test, 100), spent_in_vain(test, 0) + 100 * 64);
}

/* So is what is read before each that moves SP by a register: no less than three. */
static void numbers_are_paid_for(struct kunit *test)
{
	enum { PAIRS = 50 };
	struct sframe_leave lv = { .sp = S(SP_AT), .cost_max = 100000 };
	static struct bare_world w;
	unsigned int i;

	memset(&w, 0, sizeof(w));
	put_insn(&w, BARE, PACIASP);
	for (i = 0; i < PAIRS; i++) {
		put_insn(&w, BARE + 8 * i + 4, MOV_X13_32);
		put_insn(&w, BARE + 8 * i + 8, SUB_X13);
	}
	sframe_abi_arm64.prologue(&lv, BARE, BARE + 8 * PAIRS + 4, bare_read, &w);
		KUNIT_EXPECT_GE(test, lv.cost, (2u + 3u) * PAIRS);
}

static enum sframe_reason find_in_file(void *ctx, u64 pc, struct sframe_rule *rule)
{
	enum sframe_reason reason = bare_find(ctx, pc, rule);

	if (reason != SFRAME_NO_TABLE)
		return reason;
	*rule = (struct sframe_rule){ .flags = SFRAME_RULE_NO_FDE };
	return SFRAME_OK;
}

/* There it is the first that is asked. */
static void costs_less_in_a_file_with_a_table(struct kunit *test)
{
	const struct prologue_case c = {
		.insns = { PACIASP, SAVE_LR, CALL }, .size = 4, .call = BLR,
	};
	struct sframe_cursor_ops ops = bare_ops;

	ops.find = find_in_file;
	KUNIT_EXPECT_LT(test, spent(test, &c, &ops), spent(test, &c, &bare_ops));
}

static struct kunit_case prologue_test_cases[] = {
	KUNIT_CASE_PARAM(never_returns, prologue_gen_params),
	KUNIT_CASE(topmost),
	KUNIT_CASE(topmost_has_called),
	KUNIT_CASE(what_does_not_save_ra_costs_as_much),
	KUNIT_CASE(numbers_are_paid_for),
	KUNIT_CASE(costs_less_in_a_file_with_a_table),
	{}
};

static struct kunit_suite prologue_suite = {
	.name = "sframe_prologue",
	.test_cases = prologue_test_cases,
};

kunit_test_suite(prologue_suite);
