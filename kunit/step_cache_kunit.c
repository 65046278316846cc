// SPDX-License-Identifier: GPL-2.0
/*
 * Which steps are kept, for how long, and for whom. (That they lead where others would,
 * whatever has changed, cursor_again.h shows.)
 */
#include <kunit/test.h>

#include <sframe/cursor.h>

#include "bare_world.h"

#define RA		(CODE + 1792)
/* add $24,%rsp; ret */
#define LEAVES		{ 0x48, 0x83, 0xc4, 0x18, 0xc3 }
#define FRAME		4

/* A walk, and what is done to it where it reads the RA of the frame without a row. */
struct step_world {
	struct bare_world bare;
	struct sframe_cursor cur;
	u64 fp;
	bool fp_unknown;
	bool fixed;
	bool fails;
	bool loses;
};

static int step_read(void *ctx, u64 addr, void *buf, unsigned int len)
{
	struct step_world *w = ctx;

	if (addr == S(FRAME)) {
		if (w->loses) {
			w->cur.steps = NULL;
			w->cur.noted = NULL;
		}
		if (w->fails)
			return -1;
	}
	return bare_read(&w->bare, addr, buf, len);
}

static bool step_is_fixed(void *ctx, u64 addr, unsigned int len)
{
	const struct step_world *w = ctx;

	return w->fixed && addr - CODE < CODE_LEN && len <= CODE_LEN - (addr - CODE);
}

static const struct sframe_cursor_ops step_ops = {
	.find = bare_find,
	.find_kept = nothing_kept,
	.read = step_read,
	.read_code = step_read,
	.reg = no_register,
	.steps = kept_steps,
	.is_fixed = step_is_fixed,
};

static void world_set(struct step_world *w)
{
	static const u8 leaves[] = LEAVES;

	memset(w, 0, sizeof(*w));
	memset(w->bare.code, 0xcc, sizeof(w->bare.code));
	put_x86_call(w->bare.code, CODE, BARE + 64, CALLED);
	memcpy(w->bare.code + (BARE + 64 - CODE), leaves, sizeof(leaves));
	put_x86_call(w->bare.code, CODE, RA, BARE + 32);
	w->bare.stack[0] = BARE + 64;
	w->bare.stack[FRAME] = RA;
	kept_steps_begin(STEPS_NEW);
}

/* Walk: so many steps were known. */
static u32 walk(struct kunit *test, struct step_world *w)
{
	const struct sframe_regs regs = { .pc = CALLED, .sp = S(0), .fp = w->fp };

	sframe_cursor_init(&w->cur, &sframe_abi_x86, &regs, 16, &step_ops, w);
	w->cur.fp_known = !w->fp_unknown;
	while (!sframe_cursor_next(&w->cur))
		;
	KUNIT_EXPECT_EQ(test, w->cur.depth, w->fails ? 1u : 2u);
	KUNIT_EXPECT_EQ(test, w->cur.pc, w->fails ? BARE + 64 : RA);
	return w->cur.recalled;
}

static void known_the_second_time(struct kunit *test)
{
	static struct step_world w;
	u32 before;

	world_set(&w);
	KUNIT_EXPECT_EQ(test, walk(test, &w), 0u);
	before = w.cur.budget;
	KUNIT_EXPECT_EQ(test, walk(test, &w), 1u);
	KUNIT_EXPECT_GT(test, w.cur.budget, before);
	/* Of what lies below its RA, only what could be another one matters. */
	w.bare.stack[FRAME + 8] = RA;
	w.bare.stack[FRAME - 1] = 1;
	KUNIT_EXPECT_EQ(test, walk(test, &w), 1u);
	w.bare.stack[FRAME - 1] = BARE;
	KUNIT_EXPECT_EQ(test, walk(test, &w), 0u);
	KUNIT_EXPECT_EQ(test, walk(test, &w), 1u);
}

/* Code is looked at again, unless it cannot be another one. */
static void other_code(struct kunit *test)
{
	static struct step_world w;
	u8 *code = &w.bare.code[BARE + 64 - CODE];

	world_set(&w);
	walk(test, &w);
	/* Behind the return. */
	code[5] = 0x90;
	KUNIT_EXPECT_EQ(test, walk(test, &w), 0u);
	w.fixed = true;
	kept_steps_key(2);
	KUNIT_EXPECT_EQ(test, walk(test, &w), 0u);
	code[6] = 0x90;
	KUNIT_EXPECT_EQ(test, walk(test, &w), 1u);
}

/* Where no frame can be, FP can be anything; the caller has the same, or what was saved. */
static void other_fp(struct kunit *test)
{
	/* add $16,%rsp; pop %rbp; ret */
	static const u8 pops[] = { 0x48, 0x83, 0xc4, 0x10, 0x5d, 0xc3 };
	static struct step_world w;

	world_set(&w);
	for (w.fp = 1ull << 40; w.fp < 1ull << 44; w.fp *= 2) {
		KUNIT_EXPECT_EQ(test, walk(test, &w), w.fp > 1ull << 40);
		KUNIT_EXPECT_EQ(test, w.cur.fp, w.fp);
	}
	w.fp = -w.fp;
	KUNIT_EXPECT_EQ(test, walk(test, &w), 0u);
	/* That is where one can be. */
	w.fp = S(40);
	KUNIT_EXPECT_EQ(test, walk(test, &w), 0u);

	world_set(&w);
	memcpy(w.bare.code + (BARE + 64 - CODE), pops, sizeof(pops));
	/* What was saved is what FP still is. */
	w.fp = 1ull << 40;
	w.bare.stack[FRAME - 1] = w.fp;
	walk(test, &w);
	w.fp *= 2;
	KUNIT_EXPECT_EQ(test, walk(test, &w), 0u);
	KUNIT_EXPECT_EQ(test, w.cur.fp, w.fp / 2);
	w.fp *= 2;
	KUNIT_EXPECT_EQ(test, walk(test, &w), 1u);
	KUNIT_EXPECT_EQ(test, w.cur.fp, w.fp / 4);
}

/* Where FP was saved, what is in it does not matter, be that known or not. */
static void unknown_fp(struct kunit *test)
{
	/* push %rbp; xor %ebp,%ebp; sub $16,%rsp; how it is left nobody sees. */
	static const u8 pushes[] = { 0x55, 0x31, 0xed, 0x48, 0x83, 0xec, 0x10 };
	static struct step_world w;
	u64 saved = 1ull << 40;
	unsigned int i;

	world_set(&w);
	memset(w.bare.code + (BARE + 32 - CODE), 0x90, 32);
	memcpy(w.bare.code + (BARE + 32 - CODE), pushes, sizeof(pushes));
	put_x86_call(w.bare.code, CODE, BARE + 64, CALLED);
	memset(w.bare.code + (BARE + 64 - CODE), 0xcc, 16);
	w.bare.stack[FRAME - 1] = saved;
	for (i = 0; i < 8; i++) {
		w.fp_unknown = i / 4;
		w.fp = saved << i % 4;
		walk(test, &w);
		KUNIT_EXPECT_TRUE(test, w.cur.fp_known);
		KUNIT_EXPECT_EQ(test, w.cur.fp, saved);
	}
	KUNIT_EXPECT_EQ(test, walk(test, &w), 1u);
}

static void other_mappings(struct kunit *test)
{
	static struct step_world w;
	u64 key;

	world_set(&w);
	for (key = 1; key < 4; key++) {
		kept_steps_key(key);
		KUNIT_EXPECT_EQ(test, walk(test, &w), 0u);
		KUNIT_EXPECT_EQ(test, walk(test, &w), 1u);
	}
}

static void not_worth_it(struct kunit *test)
{
	static struct step_world w;

	world_set(&w);
	kept_steps(NULL)->worth = 100;
	walk(test, &w);
	KUNIT_EXPECT_EQ(test, walk(test, &w), 0u);
}

/* A walk in place finds what others have kept, and keeps nothing. */
static void only_found(struct kunit *test)
{
	static struct step_world w;

	world_set(&w);
	kept_steps(NULL)->keeps = false;
	walk(test, &w);
	KUNIT_EXPECT_EQ(test, walk(test, &w), 0u);
	kept_steps(NULL)->keeps = true;
	walk(test, &w);
	kept_steps(NULL)->keeps = false;
	KUNIT_EXPECT_EQ(test, walk(test, &w), 1u);
}

/* Whatever could not be read may be there the next time. */
static void unreadable(struct kunit *test)
{
	static struct step_world w;

	world_set(&w);
	walk(test, &w);
	w.fails = true;
	KUNIT_EXPECT_EQ(test, walk(test, &w), 0u);
	w.fails = false;
	KUNIT_EXPECT_EQ(test, walk(test, &w), 1u);
}

/* The walk has to wait for memory, and others use the cache meanwhile. */
static void lost(struct kunit *test)
{
	static struct step_world w;

	world_set(&w);
	w.loses = true;
	walk(test, &w);
	w.loses = false;
	KUNIT_EXPECT_EQ(test, walk(test, &w), 0u);
	w.loses = true;
	KUNIT_EXPECT_EQ(test, walk(test, &w), 0u);
	KUNIT_EXPECT_NULL(test, w.cur.noted);
}

/* The same of the topmost frame; at another place, it is another step. */
static void of_the_topmost(struct kunit *test)
{
	struct sframe_regs regs = { .pc = BARE + 64, .sp = S(1) };
	static struct step_world w;
	unsigned int i;

	world_set(&w);
	for (i = 0; i < 4; i++) {
		regs.fp = i / 2;
		sframe_cursor_init(&w.cur, &sframe_abi_x86, &regs, 16, &step_ops, &w);
		KUNIT_EXPECT_EQ(test, (int)sframe_cursor_next(&w.cur), (int)SFRAME_OK);
		KUNIT_EXPECT_EQ(test, w.cur.pc, RA);
		KUNIT_EXPECT_EQ(test, w.cur.recalled, i % 2);
	}
}

static struct kunit_case step_cache_test_cases[] = {
	KUNIT_CASE(known_the_second_time),
	KUNIT_CASE(other_code),
	KUNIT_CASE(other_fp),
	KUNIT_CASE(unknown_fp),
	KUNIT_CASE(other_mappings),
	KUNIT_CASE(not_worth_it),
	KUNIT_CASE(only_found),
	KUNIT_CASE(unreadable),
	KUNIT_CASE(lost),
	KUNIT_CASE(of_the_topmost),
	{}
};

static struct kunit_suite step_cache_suite = {
	.name = "sframe_step_cache",
	.test_cases = step_cache_test_cases,
};

kunit_test_suite(step_cache_suite);
