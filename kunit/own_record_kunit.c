// SPDX-License-Identifier: GPL-2.0
/*
 * Records that were seen to be the running function's own: at the same PC they are again, whatever
 * else lies below them by then.
 */
#include <kunit/test.h>

#include "ways_world.h"

#define PC		(BARE + 0x100)
#define RA		(CALLERS + 64)
/* It follows a call by a pointer: who knows whose RA that is? */
#define WORD		(CALLERS + 128)
/* FP, and where SP is below it, words. */
#define RECORD_AT	20
#define DEPTH		10

/* No other RA lies below the record, and code goes on with it. */
static struct ways_world *own_world_new(void)
{
	struct ways_world *w = ways_world_new();
	unsigned int i;

	/* mov %rax, -8(%rbp); and jmp *%rax, so that it does not say how it is left */
	memcpy(w->bare.code + (PC - CODE), "\x48\x89\x45\xf8", 4);
	memcpy(w->bare.code + (PC + 8 - CODE), "\xff\xe0", 2);
	for (i = 0; i < 2; i++)
		memcpy(w->bare.code + ((i ? WORD : RA) - 2 - CODE), "\xff\xd0", 2);
	w->bare.stack[RECORD_AT] = S(RECORD_AT + 20);
	w->bare.stack[RECORD_AT + 1] = RA;
	w->regs = (struct sframe_regs){
		.pc = PC, .sp = S(RECORD_AT - DEPTH), .fp = S(RECORD_AT),
	};
	return w;
}

static enum sframe_reason own_step(struct ways_world *w)
{
	sframe_cursor_init(&w->cur, &sframe_abi_x86, &w->regs, 16, &ways_ops, w);
	return sframe_cursor_next(&w->cur);
}

/* It is seen; then there is a word that leaves it open. */
static struct ways_world *world_seen(struct kunit *test)
{
	struct ways_world *w = own_world_new();

	KUNIT_EXPECT_EQ(test, (int)own_step(w), (int)SFRAME_OK);
	KUNIT_EXPECT_EQ(test, w->cur.pc, RA);
	w->bare.stack[RECORD_AT - 4] = WORD;
	return w;
}

static void is_seen_again(struct kunit *test)
{
	struct ways_world *w = world_seen(test);

	KUNIT_EXPECT_EQ(test, (int)own_step(w), (int)SFRAME_OK);
	KUNIT_EXPECT_EQ(test, w->cur.pc, RA);
	KUNIT_EXPECT_EQ(test, w->cur.sp, S(RECORD_AT + 2));
	KUNIT_EXPECT_EQ(test, w->cur.fp, S(RECORD_AT + 20));
	KUNIT_EXPECT_EQ(test, w->cur.recalled, 1u);
}

/* What nobody has seen is not known. */
static void was_not_seen(struct kunit *test)
{
	struct ways_world *w = own_world_new();

	w->bare.stack[RECORD_AT - 4] = WORD;
	KUNIT_EXPECT_EQ(test, (int)own_step(w), (int)SFRAME_FP_HIDDEN_RA);
	/* Nor does it become so. */
	KUNIT_EXPECT_EQ(test, (int)own_step(w), (int)SFRAME_FP_HIDDEN_RA);
}

/* FP may be data, and point to where an older call has left a record. */
static void is_not_used(struct kunit *test)
{
	struct ways_world *w = own_world_new();

	memset(w->bare.code + (PC - CODE), 0x90, 4);
	KUNIT_EXPECT_EQ(test, (int)own_step(w), (int)SFRAME_OK);
	w->bare.stack[RECORD_AT - 4] = WORD;
	KUNIT_EXPECT_EQ(test, (int)own_step(w), (int)SFRAME_FP_HIDDEN_RA);
}

/* One byte around the PC after the other is another one. */
static void code_changes(struct kunit *test)
{
	struct ways_world *w = world_seen(test);
	u64 at, others = 0;

	for (at = PC - 64; at < PC + 64; at++) {
		w->bare.code[at - CODE] ^= 0x40;
		others += own_step(w) != SFRAME_OK;
		w->bare.code[at - CODE] ^= 0x40;
	}
	KUNIT_EXPECT_EQ(test, others, 96ull);
	KUNIT_EXPECT_EQ(test, (int)own_step(w), (int)SFRAME_OK);
}

/* As if it was called, and not jumped to: RA lies where the frame was larger by that. */
static void sp_differs(struct kunit *test)
{
	struct ways_world *w = world_seen(test);
	unsigned int i;

	for (i = 1; i < DEPTH + 2; i++) {
		w->regs.sp = S(RECORD_AT - i);
		w->bare.stack[RECORD_AT - i] = WORD;
		KUNIT_EXPECT_EQ(test, own_step(w) == SFRAME_OK, i == DEPTH);
	}
}

static void others_have_their_own(struct kunit *test)
{
	struct ways_world *w = world_seen(test);

	w->answers.key = 2;
	KUNIT_EXPECT_EQ(test, (int)own_step(w), (int)SFRAME_FP_HIDDEN_RA);
	w->answers.key = 1;
	w->regs.pc += 8;
	KUNIT_EXPECT_EQ(test, (int)own_step(w), (int)SFRAME_FP_HIDDEN_RA);
}

/* A record leads upwards, and to where a call returns to, or it is none. */
static void leads_nowhere(struct kunit *test)
{
	struct ways_world *w = world_seen(test);

	w->bare.stack[RECORD_AT + 1] = RA + 1;
	KUNIT_EXPECT_NE(test, (int)own_step(w), (int)SFRAME_OK);
	w->bare.stack[RECORD_AT + 1] = RA;
	w->bare.stack[RECORD_AT] = S(RECORD_AT);
	KUNIT_EXPECT_EQ(test, (int)own_step(w), (int)SFRAME_FP_HIDDEN_RA);
	w->bare.stack[RECORD_AT] = S(RECORD_AT) + 0x100000;
	KUNIT_EXPECT_EQ(test, (int)own_step(w), (int)SFRAME_FP_HIDDEN_RA);
	w->bare.stack[RECORD_AT] = S(RECORD_AT + 20);
	KUNIT_EXPECT_EQ(test, (int)own_step(w), (int)SFRAME_OK);
}

/* Who is jumped to by one function, and called by another, has that one's record at FP. */
static void of_another_function(struct kunit *test)
{
	struct ways_world *w = world_seen(test);

	put_x86_call(w->bare.code, CODE, RA, CALLED);
	KUNIT_EXPECT_EQ(test, (int)own_step(w), (int)SFRAME_FP_HIDDEN_RA);
	w->bare.stack[RECORD_AT - 4] = 0;
	KUNIT_EXPECT_EQ(test, (int)own_step(w), (int)SFRAME_OK);
	w->bare.stack[RECORD_AT - 4] = WORD;
	KUNIT_EXPECT_EQ(test, (int)own_step(w), (int)SFRAME_OK);
	put_x86_call(w->bare.code, CODE, RA, CALLED + 16);
	KUNIT_EXPECT_EQ(test, (int)own_step(w), (int)SFRAME_FP_HIDDEN_RA);
}

/*
 * A step that is noted depends on the code that its answers come from, also if that was compared
 * before it in the same walk: so it is compared anew then. Walks in place take no notes.
 */
static void is_noted(struct kunit *test)
{
	static struct sframe_known_step steps[SFRAME_STEPS_MAX];
	struct ways_world *w = own_world_new();
	unsigned int i, at;
	u64 before;

	memset(steps, 0, sizeof(steps));
	w->answers.steps = steps;
	memcpy(w->bare.code + (PC - 2 - CODE), "\xff\xd0", 2);
	for (at = 8; at + 8 < STACK_WORDS; at += 8) {
		w->bare.stack[at] = S(at + 8);
		w->bare.stack[at + 1] = PC;
	}
	w->regs.sp = S(2);
	w->regs.fp = S(8);
	for (i = 0; i < 2; i++) {
		own_step(w);
		sframe_cursor_set_budget(&w->cur, i ? SFRAME_BUDGET_INPLACE : 1000000);
		before = w->answers.walk;
		KUNIT_EXPECT_EQ(test, (int)sframe_cursor_next(&w->cur), (int)SFRAME_OK);
		KUNIT_EXPECT_EQ(test, w->answers.walk, before + !i);
		/* What is quicker to know than a step is not kept as one. */
		KUNIT_EXPECT_EQ(test, steps[0].from.key, 0ull);
	}
}

/* HotSpot marks its calls, and that says more: it is asked first. */
static void behind_a_mark(struct kunit *test)
{
	struct ways_world *w = own_world_new();

	memcpy(w->bare.code + (PC - CODE), "\x0f\x1f\x84\x00\x40\x00\x00\x00", 8);
	memcpy(w->bare.code + (PC + 8 - CODE), "\x48\x89\x45\xf8\xff\xe0", 6);
	w->regs.pc = CALLED;
	w->regs.sp = S(RECORD_AT - DEPTH - 1);
	w->bare.stack[RECORD_AT - DEPTH - 1] = PC;
	memcpy(w->bare.code + (PC - 2 - CODE), "\xff\xd0", 2);
	own_step(w);
	KUNIT_EXPECT_EQ(test, (int)sframe_cursor_next(&w->cur), (int)SFRAME_OK);
	KUNIT_EXPECT_EQ(test, w->cur.pc, RA);
	w->bare.stack[RECORD_AT - 4] = WORD;
	own_step(w);
	KUNIT_EXPECT_NE(test, (int)sframe_cursor_next(&w->cur), (int)SFRAME_OK);
}

/* Of many frames of one function, the code is compared once: a walk is of its time. */
static void is_compared_once(struct kunit *test)
{
	struct ways_world *w = own_world_new();
	u32 i;
	int at;

	memcpy(w->bare.code + (PC - 2 - CODE), "\xff\xd0", 2);
	for (at = 8; at + 8 < STACK_WORDS; at += 8) {
		w->bare.stack[at] = S(at + 8);
		w->bare.stack[at + 1] = PC;
	}
	w->regs.sp = S(2);
	w->regs.fp = S(8);
	KUNIT_EXPECT_EQ(test, (int)own_step(w), (int)SFRAME_OK);
	KUNIT_EXPECT_EQ(test, (int)sframe_cursor_next(&w->cur), (int)SFRAME_OK);
	KUNIT_EXPECT_EQ(test, (int)own_step(w), (int)SFRAME_OK);
	KUNIT_EXPECT_EQ(test, (int)sframe_cursor_next(&w->cur), (int)SFRAME_OK);
	w->bare.code[PC + 40 - CODE] ^= 0x40;
	for (i = 3; i < 6; i++) {
		KUNIT_EXPECT_EQ(test, (int)sframe_cursor_next(&w->cur), (int)SFRAME_OK);
		KUNIT_EXPECT_EQ(test, w->cur.recalled, i);
	}
	own_step(w);
	KUNIT_EXPECT_EQ(test, w->cur.recalled, 0u);
}

static struct kunit_case own_record_test_cases[] = {
	KUNIT_CASE(is_seen_again),
	KUNIT_CASE(was_not_seen),
	KUNIT_CASE(is_not_used),
	KUNIT_CASE(code_changes),
	KUNIT_CASE(sp_differs),
	KUNIT_CASE(others_have_their_own),
	KUNIT_CASE(leads_nowhere),
	KUNIT_CASE(of_another_function),
	KUNIT_CASE(is_noted),
	KUNIT_CASE(behind_a_mark),
	KUNIT_CASE(is_compared_once),
	{}
};

static struct kunit_suite own_record_suite = {
	.name = "sframe_own_record",
	.test_cases = own_record_test_cases,
};

kunit_test_suite(own_record_suite);
