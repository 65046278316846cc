// SPDX-License-Identifier: GPL-2.0
/* Walks through a file with few rows, whose functions keep frame pointers. */
#include <kunit/test.h>

#include <sframe/trail.h>

#include "kept_world.h"

/* From what PC has called to PC. */
static void come_to_pc(struct kunit *test, struct sframe_cursor *cur)
{
	struct sframe_regs regs = { .pc = CALLED, .sp = S(0), .fp = S(20) };

	sframe_cursor_init(cur, &sframe_abi_x86, &regs, 16, &gap_ops, &kept_world);
	KUNIT_ASSERT_EQ(test, (int)sframe_cursor_next(cur), (int)SFRAME_OK);
	KUNIT_ASSERT_EQ(test, cur->pc, PC);
}

/* Is RA PC's caller? It is so, too, if PC was come to by its record, and if RA is in the gap. */
static bool leads_on_to_ra(struct kunit *test, struct sframe_cursor *cur)
{
	struct sframe_cursor quick = *cur;
	bool leads = !sframe_cursor_next(cur) && cur->pc == RA;
	struct sframe_cursor last;

	quick.called_depth = quick.depth;
	last = quick;
	KUNIT_EXPECT_EQ(test, !sframe_cursor_next(&last) && last.pc == RA, leads);
	KUNIT_EXPECT_EQ(test, last.sp_known, cur->sp_known);
	callers_in_gap = true;
	KUNIT_EXPECT_EQ(test, !sframe_cursor_next(&quick) && quick.pc == RA, leads);
	callers_in_gap = false;
	if (leads) {
		KUNIT_EXPECT_EQ(test, quick.depth, cur->depth);
		KUNIT_EXPECT_EQ(test, quick.left, cur->left);
		KUNIT_EXPECT_EQ(test, quick.sp, cur->sp);
		KUNIT_EXPECT_EQ(test, quick.fp, cur->fp);
		KUNIT_EXPECT_EQ(test, quick.cfa, cur->cfa);
	}
	return leads;
}

/* From what PC has called to PC's caller; is it RA? */
static bool leads_to_ra(struct kunit *test, struct sframe_cursor *cur)
{
	come_to_pc(test, cur);
	return leads_on_to_ra(test, cur);
}

/* A caller has its record at FP, whatever else is on the stack: that is not looked at. */
static void caller(struct kunit *test)
{
	struct sframe_cursor cur;

	make_world("\x90", 1);
	KUNIT_ASSERT_TRUE(test, leads_to_ra(test, &cur));
	KUNIT_EXPECT_TRUE(test, cur.sp_known && cur.fp_known);
	KUNIT_EXPECT_EQ(test, cur.sp, S(22));
	KUNIT_EXPECT_EQ(test, cur.fp, S(40));
	KUNIT_EXPECT_GT(test, cur.budget, 1000000 - 1500);
}

/* Where the call before a PC was looked at, the way to its caller is quick. */
static void callers_caller(struct kunit *test)
{
	struct bare_world *w = make_world("\x90", 1);
	struct sframe_cursor cur;
	u32 left[4], i;

	memcpy(w->code + (PC + 64 - CODE) - 2, "\xff\xd0", 2);
	memcpy(w->code + (PC + 128 - CODE) - 2, "\xff\xd0", 2);
	w->stack[20] = S(29);
	w->stack[21] = PC + 64;
	w->stack[29] = S(35);
	w->stack[30] = PC + 128;
	w->stack[36] = RA;
	come_to_pc(test, &cur);
	callers_in_gap = true;
	for (i = 0; i < 4; i++) {
		left[i] = cur.budget;
		KUNIT_EXPECT_EQ(test, !sframe_cursor_next(&cur), i < 3);
	}
	KUNIT_EXPECT_EQ(test, cur.pc, RA);
	KUNIT_EXPECT_GT(test, left[0] - left[1], 2 * (left[1] - left[2]));
	KUNIT_EXPECT_EQ(test, left[1] - left[2], left[2] - left[3]);
}

static bool peek_begin(void *ctx)
{
	(void)ctx;
	return true;
}

static int peek_word(void *ctx, u64 addr, u64 *word)
{
	return bare_read(ctx, addr, word, sizeof(*word));
}

static void peek_end(void *ctx)
{
	(void)ctx;
}

static const struct sframe_peek_ops peeks = {
	.begin = peek_begin, .word = peek_word, .end = peek_end,
};

static struct sframe_trail kept_trail;

/* Walk to @end, by way of @nr frames, of which the trail knew @known. */
static void expect_known(struct kunit *test, u32 nr, u64 end, u32 known)
{
	struct sframe_regs regs = { .pc = CALLED, .sp = S(0), .fp = S(20) };
	struct sframe_trail_place place;
	struct sframe_trail *trail = &kept_trail;
	struct sframe_cursor cur;
	u64 pcs[16], *pc = pcs;

	sframe_trail_begin(trail, 1 + callers_made);
	place = sframe_trail_place(trail);
	sframe_cursor_init(&cur, &sframe_abi_x86, &regs, 16, &gap_ops, &kept_world);
	while (!sframe_trail_next_with(&trail, &place, &cur, &gap_ops, &peeks, &pc))
		;
	KUNIT_EXPECT_EQ(test, cur.depth, nr);
	KUNIT_EXPECT_EQ(test, cur.pc, end);
	KUNIT_EXPECT_EQ(test, cur.known, known);
}

/* Callers that were found so are known to the next walk, as long as their words are the same. */
static void known_by_trail(struct kunit *test)
{
	struct bare_world *w = make_world("\x90", 1);

	memcpy(w->code + (PC + 64 - CODE) - 2, "\xff\xd0", 2);
	memcpy(w->code + (RA + 64 - CODE) - 2, "\xff\xd0", 2);
	w->stack[20] = S(30);
	w->stack[21] = PC + 64;
	w->stack[30] = S(40);
	w->stack[31] = RA;
	kept_trail.key = 0;
	expect_known(test, 3, RA, 0);
	expect_known(test, 3, RA, 2);
	w->stack[31] = RA + 64;
	expect_known(test, 3, RA + 64, 1);
	w->stack[30] = S(41);
	expect_known(test, 3, RA + 64, 1);
	/* There may be another call before it, the next time. */
	callers_made = true;
	expect_known(test, 3, RA + 64, 0);
	expect_known(test, 3, RA + 64, 1);
}

/* No call is before the RA: then it is none. */
static void no_call(struct kunit *test)
{
	struct bare_world *w = make_world("\x90", 1);
	struct sframe_cursor cur;

	memset(w->code + (RA - CODE) - 2, 0x90, 2);
	KUNIT_EXPECT_FALSE(test, leads_to_ra(test, &cur));
}

/* A record is not below SP, nor between two words; and FP is known, if it is there. */
static void no_record(struct kunit *test)
{
	struct bare_world *w = make_world("\x90", 1);
	struct sframe_cursor cur;

	come_to_pc(test, &cur);
	cur.sp = S(21);
	KUNIT_EXPECT_FALSE(test, leads_on_to_ra(test, &cur));
	come_to_pc(test, &cur);
	cur.fp_known = false;
	cur.odd_cfa = ~0ull;
	KUNIT_EXPECT_FALSE(test, leads_on_to_ra(test, &cur));
	memmove((u8 *)&w->stack[20] + 4, &w->stack[20], 16);
	come_to_pc(test, &cur);
	cur.fp += 4;
	KUNIT_EXPECT_FALSE(test, leads_on_to_ra(test, &cur));
}

/* What costs as much as a walk may: then the caller's caller is not come to. */
static void too_costly(struct kunit *test)
{
	struct sframe_cursor cur;

	make_world("\x90", 1);
	come_to_pc(test, &cur);
	callers_in_gap = true;
	cur.called_depth = cur.depth;
	sframe_cursor_set_budget(&cur, 400);
	KUNIT_EXPECT_EQ(test, (int)sframe_cursor_next(&cur), (int)SFRAME_FP_TOO_COSTLY);
	KUNIT_EXPECT_EQ(test, cur.pc, PC);
}

/* RA, and a copy of it below that: where the record ends is not SP. */
static void realigned(struct kunit *test)
{
	struct bare_world *w = make_world("\x90", 1);
	struct sframe_cursor cur;

	w->stack[24] = RA;
	KUNIT_ASSERT_TRUE(test, leads_to_ra(test, &cur));
	KUNIT_EXPECT_FALSE(test, cur.sp_known);
}

/* The call before RA is of a function behind the PC, which has jumped here, or has called this. */
static void called_by_other_name(struct kunit *test)
{
	static const u8 local[] = {
		0x90, 0x74, 0x10,		/* nop; je */
		0x48, 0x8b, 0x45, 0xf8,		/* mov -8(%rbp), %rax */
	};
	static const u8 leaves[] = { 0xc9, 0xc3 };	/* leave; ret */
	static const u8 returns[] = { 0xc3 };
	struct sframe_cursor cur;

	make_world(local, sizeof(local));
	put_x86_call(kept_world.code, CODE, RA, PC + 64);
	KUNIT_EXPECT_TRUE(test, leads_to_ra(test, &cur));
	make_world(leaves, sizeof(leaves));
	put_x86_call(kept_world.code, CODE, RA, PC + 64);
	KUNIT_EXPECT_TRUE(test, leads_to_ra(test, &cur));
	make_world(returns, sizeof(returns));
	put_x86_call(kept_world.code, CODE, RA, PC + 64);
	KUNIT_EXPECT_FALSE(test, leads_to_ra(test, &cur));
}

/* A signal handler's caller is what was interrupted, wherever FP is. */
static void trampoline(struct kunit *test)
{
	static const u8 code[] = {
		0x48, 0xc7, 0xc0, 0x0f, 0, 0, 0,	/* mov $15, %rax */
		0x0f, 0x05,				/* syscall */
	};
	struct sframe_cursor cur;

	make_world(code, sizeof(code));
	come_to_pc(test, &cur);
	KUNIT_EXPECT_FALSE(test, !sframe_cursor_next(&cur) && cur.pc == RA);
}

static struct kunit_case kept_fp_test_cases[] = {
	KUNIT_CASE(caller),
	KUNIT_CASE(callers_caller),
	KUNIT_CASE(known_by_trail),
	KUNIT_CASE(no_call),
	KUNIT_CASE(no_record),
	KUNIT_CASE(too_costly),
	KUNIT_CASE(realigned),
	KUNIT_CASE(called_by_other_name),
	KUNIT_CASE(trampoline),
	{}
};

static struct kunit_suite kept_fp_suite = {
	.name = "sframe_kept_fp",
	.test_cases = kept_fp_test_cases,
};

kunit_test_suite(kept_fp_suite);
