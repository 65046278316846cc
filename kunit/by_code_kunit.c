// SPDX-License-Identifier: GPL-2.0
/*
 * Callers in a program without a table, which are left by their code: what else might apply is
 * asked only once (x86-64).
 */
#include <kunit/test.h>

#include <sframe/cursor.h>

#include "bare_world.h"

/* A function that calls itself, then another one, on its way out; where it goes on. */
#define BEGIN		(BARE + 0x100)
#define OTHER		(BARE + 0x40)
#define AGAIN		(BEGIN + 9)
#define RA		(CALLERS + 64)
/* Frames of it, and the words of each, the RA included. */
#define FRAMES		8
#define WORDS		4
#define NOT_FP		1

/* A frame that was left before takes so many instructions at most. */
#define KNOWN_COST	1664

/* Too large for a kernel stack; the cases of a suite run one by one. */
static struct bare_world the_world;

static void make_world(struct bare_world *w)
{
	unsigned int i;

	memset(w, 0, sizeof(*w));
	memset(w->code, 0xcc, sizeof(w->code));
	/* sub $24, %rsp; call; call; add $24, %rsp; ret */
	memcpy(w->code + (BEGIN - CODE), "\x48\x83\xec\x18", 4);
	put_x86_call(w->code, CODE, AGAIN, BEGIN);
	put_x86_call(w->code, CODE, AGAIN + 5, OTHER);
	memcpy(w->code + (AGAIN + 5 - CODE), "\x48\x83\xc4\x18\xc3", 5);
	memcpy(w->code + (OTHER - CODE), "\xc3", 1);
	put_x86_call(w->code, CODE, RA, BEGIN);
	for (i = 0; i < FRAMES; i++)
		w->stack[WORDS * i] = AGAIN;
	w->stack[WORDS * FRAMES] = RA;
}

/* Walk from what it has called, which has a table. What did that cost? */
static u32 walk_frames(struct kunit *test)
{
	struct sframe_regs regs = { .pc = CALLED, .sp = S(0), .fp = NOT_FP };

	return walk_alike(test, &bare_ops, &the_world, &regs, FRAMES, AGAIN, RA);
}

static void known_frames_are_cheap(struct kunit *test)
{
	u32 first, again;

	make_world(&the_world);
	kept_answers_begin(ANSWERS_NEW);
	first = walk_frames(test);
	kept_answers_begin(ANSWERS_OLD);
	again = walk_frames(test);
	KUNIT_EXPECT_LT(test, again, first);
	KUNIT_EXPECT_LT(test, again, FRAMES * KNOWN_COST);
	kept_answers_begin(ANSWERS_NONE);
}

/* That it was so before is no evidence: here something else is where RA would be. */
static void asked_again_if_not_so(struct kunit *test)
{
	struct sframe_regs regs = { .pc = CALLED, .sp = S(0), .fp = S(20) };
	struct sframe_cursor cur;

	make_world(&the_world);
	kept_answers_begin(ANSWERS_NEW);
	walk_frames(test);
	kept_answers_begin(ANSWERS_OLD);
	memset(the_world.stack, 0, sizeof(the_world.stack));
	the_world.stack[0] = AGAIN;
	the_world.stack[20] = S(30);
	the_world.stack[21] = RA;
	sframe_cursor_init(&cur, &sframe_abi_x86, &regs, 16, &bare_ops, &the_world);
	KUNIT_ASSERT_EQ(test, (int)sframe_cursor_next(&cur), (int)SFRAME_OK);
	KUNIT_ASSERT_EQ(test, (int)sframe_cursor_next(&cur), (int)SFRAME_OK);
	KUNIT_EXPECT_EQ(test, cur.pc, RA);
	KUNIT_EXPECT_EQ(test, cur.sp, S(22));
	kept_answers_begin(ANSWERS_NONE);
}

/* The caller of a function that never returns; behind that call another one begins. */
#define ENDLESS		(BEGIN + 13)
#define STALE		(CALLERS + 128)

static void make_endless(struct bare_world *w, u64 called_before_stale)
{
	memset(w, 0, sizeof(*w));
	memset(w->code, 0xcc, sizeof(w->code));
	/* push %rbp; mov %rsp, %rbp; sub $32, %rsp; call */
	memcpy(w->code + (BEGIN - CODE), "\x55\x48\x89\xe5\x48\x83\xec\x20", 8);
	put_x86_call(w->code, CODE, ENDLESS, CALLED);
	/* push %rbx; call; pop %rbx; ret */
	memcpy(w->code + (ENDLESS - CODE), "\x53", 1);
	put_x86_call(w->code, CODE, ENDLESS + 6, OTHER);
	memcpy(w->code + (ENDLESS + 6 - CODE), "\x5b\xc3", 2);
	memcpy(w->code + (OTHER - CODE), "\xc3", 1);
	put_x86_call(w->code, CODE, RA, BEGIN);
	put_x86_call(w->code, CODE, STALE, called_before_stale);
	w->stack[0] = ENDLESS;
	w->stack[1] = STALE;
	w->stack[5] = S(20);
	w->stack[6] = RA;
}

/* The caller of CALLED's caller; 0 if the walk does not get there. */
static u64 endless_caller(struct kunit *test, u64 fp)
{
	struct sframe_regs regs = { .pc = CALLED, .sp = S(0), .fp = fp };
	struct sframe_cursor cur;

	sframe_cursor_init(&cur, &sframe_abi_x86, &regs, 16, &bare_ops, &the_world);
	KUNIT_ASSERT_EQ(test, (int)sframe_cursor_next(&cur), (int)SFRAME_OK);
	return sframe_cursor_next(&cur) ? 0 : cur.pc;
}

/* A walk without FP finds nothing better than the code behind the call; others shall not learn. */
static void record_comes_first(struct kunit *test)
{
	static const u64 called[] = { OTHER, CALLED };
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(called); i++) {
		make_endless(&the_world, called[i]);
		kept_answers_begin(ANSWERS_NEW);
		endless_caller(test, NOT_FP);
		kept_answers_begin(ANSWERS_OLD);
		KUNIT_EXPECT_NE(test, endless_caller(test, S(5)), STALE);
	}
	kept_answers_begin(ANSWERS_NONE);
}

static struct kunit_case by_code_test_cases[] = {
	KUNIT_CASE(record_comes_first),
	KUNIT_CASE(known_frames_are_cheap),
	KUNIT_CASE(asked_again_if_not_so),
	{}
};

static struct kunit_suite by_code_suite = {
	.name = "sframe_by_code",
	.test_cases = by_code_test_cases,
};

kunit_test_suite(by_code_suite);
