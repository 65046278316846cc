// SPDX-License-Identifier: GPL-2.0
/*
 * Code made at run time that keeps no frame pointers: where it was certain how a function's frame
 * is left, others at the same PC are left alike, and cheaply.
 */
#include <kunit/test.h>

#include "ways_world.h"

#define FUNCTION	(BARE + 0x10)
/* It calls what has a table, and goes on farther than is looked near a PC. */
#define PC		(FUNCTION + 0xc0)
#define END		(FUNCTION + 0x200)
#define RA		(CALLERS + 64)
/* push %rbp; push %rbx; sub $24, %rsp; and the reverse */
#define BEGINS		"\x55\x53\x48\x83\xec\x18"
#define ENDS		"\x48\x83\xc4\x18\x5b\x5d\xc3"
/* Words of the stack: what the call has left, and where SP is then, RBP and RA are. */
#define CALLS_RA	9
#define SP		10
#define FP_AT		14
#define RA_AT		15
#define CALLERS_FP	0x1234ull

static void put(struct ways_world *w, u64 at, const char *bytes, size_t len)
{
	memcpy(w->bare.code + (at - CODE), bytes, len);
}

static struct ways_world *called_world_new(void)
{
	struct ways_world *w = ways_world_new();

	put(w, FUNCTION, BEGINS, sizeof(BEGINS) - 1);
	put_x86_call(w->bare.code, CODE, PC, CALLED);
	put(w, END, ENDS, sizeof(ENDS) - 1);
	put_x86_call(w->bare.code, CODE, RA, FUNCTION);
	w->bare.stack[CALLS_RA] = PC;
	w->bare.stack[FP_AT] = CALLERS_FP;
	w->bare.stack[RA_AT] = RA;
	w->regs = (struct sframe_regs){ .pc = CALLED, .sp = S(CALLS_RA), .fp = 1 };
	return w;
}

/*
 * Walk to the function, and then from there, with FP known or not: what did that step cost? 0: it
 * leads nowhere.
 */
static u32 step_with_fp(struct ways_world *w, bool fp_known)
{
	u32 before;

	w->answers.walk++;
	sframe_cursor_init(&w->cur, &sframe_abi_x86, &w->regs, 16, &ways_ops, w);
	if (w->regs.pc == CALLED && sframe_cursor_next(&w->cur))
		return 0;
	w->cur.fp_known = fp_known;
	before = w->cur.budget;
	return sframe_cursor_next(&w->cur) ? 0 : before - w->cur.budget;
}

static u32 step_from_function(struct ways_world *w)
{
	return step_with_fp(w, true);
}

static bool is_left(struct ways_world *w)
{
	return step_from_function(w) && w->cur.pc == RA && w->cur.sp == S(RA_AT + 1) &&
	       w->cur.fp_known && w->cur.fp == CALLERS_FP;
}

static bool is_known(struct ways_world *w)
{
	return is_left(w) && w->cur.recalled == 1;
}

static struct ways_world *world_seen(struct kunit *test)
{
	struct ways_world *w = called_world_new();

	KUNIT_EXPECT_TRUE(test, is_left(w));
	KUNIT_EXPECT_EQ(test, w->cur.recalled, 0u);
	return w;
}

/* And for a fraction of the price. */
static void is_known_then(struct kunit *test)
{
	struct ways_world *w = called_world_new();
	u32 first = step_from_function(w);

	KUNIT_EXPECT_TRUE(test, is_known(w));
	KUNIT_EXPECT_LT(test, step_from_function(w) * 4, first);
}

/* Wherever its frame is, and whatever was left over there. */
static void elsewhere(struct kunit *test)
{
	struct ways_world *w = world_seen(test);
	u64 *frame = w->bare.stack + CALLS_RA;

	memmove(frame + 16, frame, 8 * sizeof(*frame));
	memset(frame, 0, 8 * sizeof(*frame));
	frame[17] = RA + 1;
	frame[18] = RA;
	w->regs.sp += 16 * sizeof(*frame);
	KUNIT_EXPECT_TRUE(test, step_from_function(w));
	KUNIT_EXPECT_EQ(test, w->cur.recalled, 1u);
	KUNIT_EXPECT_EQ(test, w->cur.pc, RA);
	KUNIT_EXPECT_EQ(test, w->cur.sp, S(RA_AT + 17));
	KUNIT_EXPECT_EQ(test, w->cur.fp, CALLERS_FP);
}

/* One byte around the PC, or where the function begins, after the other is another one. */
static void code_changes(struct kunit *test)
{
	static struct sframe_known_way seen[SFRAME_WAYS_MAX];
	struct ways_world *w = world_seen(test);
	u64 at, unknown = 0;

	memcpy(seen, ways, sizeof(ways));
	for (at = FUNCTION - 8; at < PC + 128; at++) {
		w->bare.code[at - CODE] ^= 0x40;
		unknown += !is_known(w);
		w->bare.code[at - CODE] ^= 0x40;
		memcpy(ways, seen, sizeof(ways));
	}
	KUNIT_EXPECT_EQ(test, unknown, 96 + 96ull);
}

/* Where RA would be lies what no call of this function has left. */
static void of_another_call(struct kunit *test)
{
	struct ways_world *w = world_seen(test);

	put_x86_call(w->bare.code, CODE, RA + 32, FUNCTION + 1);
	put_x86_call(w->bare.code, CODE, RA + 64, CALLED);
	put(w, RA + 94, "\xff\xd0", 2);
	w->bare.stack[RA_AT] = RA + 32;
	KUNIT_EXPECT_FALSE(test, step_from_function(w) && w->cur.recalled);
	w->bare.stack[RA_AT] = RA + 64;
	KUNIT_EXPECT_FALSE(test, step_from_function(w) && w->cur.recalled);
	w->bare.stack[RA_AT] = RA + 96;
	KUNIT_EXPECT_FALSE(test, step_from_function(w) && w->cur.recalled);
	w->bare.stack[RA_AT] = RA + 1;
	KUNIT_EXPECT_FALSE(test, step_from_function(w) && w->cur.recalled);
	w->bare.stack[RA_AT] = 0;
	KUNIT_EXPECT_FALSE(test, step_from_function(w) && w->cur.recalled);
	w->bare.stack[RA_AT] = RA;
	KUNIT_EXPECT_TRUE(test, is_known(w));
}

/* Only what was called by its name is certain: by a pointer it may be another function. */
static void called_by_pointer(struct kunit *test)
{
	struct ways_world *w = called_world_new();
	unsigned int i;

	put(w, RA - 5, "\x90\x90\x90\xff\xd0", 5);
	for (i = 0; i < 2; i++) {
		KUNIT_EXPECT_TRUE(test, is_left(w));
		KUNIT_EXPECT_EQ(test, w->cur.recalled, 0u);
	}
}

/* mov $..., %rax; call *%rax: that is a name, too. */
static void put_far_call(struct ways_world *w, u64 ra, u64 target)
{
	put(w, ra - 12, "\x48\xb8", 2);
	put(w, ra - 10, (const char *)&target, sizeof(target));
	put(w, ra - 2, "\xff\xd0", 2);
}

static void called_from_far(struct kunit *test)
{
	struct ways_world *w = called_world_new();

	put_far_call(w, RA, FUNCTION);
	put_far_call(w, RA + 32, CALLED);
	KUNIT_EXPECT_TRUE(test, is_left(w));
	KUNIT_EXPECT_TRUE(test, is_known(w));
	w->bare.stack[RA_AT] = RA + 32;
	KUNIT_EXPECT_FALSE(test, step_from_function(w) && w->cur.recalled);
}

/* The topmost frame is not left as a caller at the same PC: it may be about to return. */
static void topmost(struct kunit *test)
{
	struct ways_world *w = world_seen(test);

	w->regs.pc = PC;
	w->regs.sp = S(SP);
	KUNIT_EXPECT_TRUE(test, is_left(w));
	KUNIT_EXPECT_EQ(test, w->cur.depth, 1u);
	KUNIT_EXPECT_EQ(test, w->cur.recalled, 0u);
	w->regs.pc = CALLED;
	w->regs.sp = S(CALLS_RA);
	KUNIT_EXPECT_TRUE(test, is_known(w));
}

/* Mappings have changed, or it is another process. */
static void of_others(struct kunit *test)
{
	struct ways_world *w = world_seen(test);

	w->answers.key = 2;
	KUNIT_EXPECT_TRUE(test, is_left(w));
	KUNIT_EXPECT_EQ(test, w->cur.recalled, 0u);
	KUNIT_EXPECT_TRUE(test, is_known(w));
	w->answers.key = 1;
	KUNIT_EXPECT_TRUE(test, is_known(w));
}

/* A function that does not save RBP leaves it as it is; and what uses it as it likes loses it. */
static void fp_is_left_alone(struct kunit *test)
{
	struct ways_world *w = called_world_new();
	unsigned int i;

	put(w, FUNCTION, "\x53\x53\x48\x83\xec\x18", 6);
	put(w, END, "\x48\x83\xc4\x18\x5b\x5b\xc3", 7);
	w->regs.fp = 77;
	for (i = 0; i < 2; i++, w->regs.fp++) {
		KUNIT_EXPECT_TRUE(test, step_from_function(w));
		KUNIT_EXPECT_EQ(test, w->cur.recalled, i);
		KUNIT_EXPECT_EQ(test, w->cur.pc, RA);
		KUNIT_EXPECT_TRUE(test, w->cur.fp_known);
		KUNIT_EXPECT_EQ(test, w->cur.fp, w->regs.fp);
	}
}

/* That FP is not known in one frame does not make it so in others. */
static void fp_is_not_known(struct kunit *test)
{
	struct ways_world *w = called_world_new();

	put(w, FUNCTION, "\x53\x53\x48\x83\xec\x18", 6);
	put(w, END, "\x48\x83\xc4\x18\x5b\x5b\xc3", 7);
	step_with_fp(w, false);
	KUNIT_EXPECT_TRUE(test, step_from_function(w));
	KUNIT_EXPECT_TRUE(test, w->cur.fp_known);
	KUNIT_EXPECT_TRUE(test, step_from_function(w));
	KUNIT_EXPECT_EQ(test, w->cur.recalled, 1u);
	KUNIT_EXPECT_TRUE(test, w->cur.fp_known);
}

/* As many as there is room for, of as many PCs, are known; the oldest are forgotten. */
static void many(struct kunit *test)
{
	struct ways_world *w = world_seen(test);
	unsigned int known = 0;

	for (w->answers.key = 2; w->answers.key < 2 + 2 * SFRAME_WAYS_MAX; w->answers.key++)
		KUNIT_EXPECT_TRUE(test, is_left(w));
	while (--w->answers.key > 1 + SFRAME_WAYS_MAX)
		known += is_known(w);
	KUNIT_EXPECT_GT(test, known, SFRAME_WAYS_MAX / 2);
}

static struct kunit_case certain_way_test_cases[] = {
	KUNIT_CASE(is_known_then),
	KUNIT_CASE(elsewhere),
	KUNIT_CASE(code_changes),
	KUNIT_CASE(of_another_call),
	KUNIT_CASE(called_by_pointer),
	KUNIT_CASE(called_from_far),
	KUNIT_CASE(topmost),
	KUNIT_CASE(of_others),
	KUNIT_CASE(fp_is_left_alone),
	KUNIT_CASE(fp_is_not_known),
	KUNIT_CASE(many),
	{}
};

static struct kunit_suite certain_way_suite = {
	.name = "sframe_certain_way",
	.test_cases = certain_way_test_cases,
};

kunit_test_suite(certain_way_suite);
