// SPDX-License-Identifier: GPL-2.0
/*
 * Answers of code that may change: they hold as long as it is as it was.
 */
#include <kunit/test.h>

#include "answers_world.h"

/* Where the stack is, too, so near to code that this could be a part of it. */
#define NEAR_CODE	(CODE + 0x2000)

static struct sframe_checked places[SFRAME_CHECKED_MAX];

/* No code is fixed; nothing is known of it yet. */
static void all_may_change(struct answers_world *w)
{
	memset(places, 0, sizeof(places));
	w->answers.checked = places;
	w->fixed_from = ~0ull;
}

/* Code that may change is looked at each time, but not followed, as long as it is as it was. */
static void changed_and_back(struct kunit *test)
{
	static struct answers_world w;
	u8 *end = w.bare.code + (AT + NOPS - CODE);
	u32 budget;

	world_set(&w, ENDS(ADD_24 RET));
	all_may_change(&w);
	KUNIT_EXPECT_EQ(test, walk(test, &w), 0u);
	budget = w.cur.budget;
	KUNIT_EXPECT_EQ(test, walk(test, &w), 1u);
	KUNIT_EXPECT_GT(test, w.cur.budget, budget + 1000);
	/* It drops 16 bytes now: the RA is another word. */
	end[3] = 16;
	w.bare.stack[RA_AT - 1] = RA;
	KUNIT_EXPECT_EQ(test, walk(test, &w), 0u);
	KUNIT_EXPECT_EQ(test, w.cur.sp, S(RA_AT));
	KUNIT_EXPECT_EQ(test, walk(test, &w), 1u);
	KUNIT_EXPECT_EQ(test, w.cur.sp, S(RA_AT));
	/* And 24 again, as one of the answers that are kept has it. */
	end[3] = 24;
	KUNIT_EXPECT_EQ(test, walk(test, &w), 1u);
	KUNIT_EXPECT_EQ(test, w.cur.sp, S(RA_AT + 1));
	/* What it has not read may be anything. */
	end[2048] ^= 1;
	KUNIT_EXPECT_EQ(test, walk(test, &w), 1u);
}

/* One byte after the other is another one: nobody is the caller who is not with that code. */
static void each_byte(struct kunit *test)
{
	static struct answers_world w;
	u64 i, known = 0;

	world_set(&w, ENDS(ADD_24 RET));
	all_may_change(&w);
	for (i = AT - 256; i < AT + 256; i++) {
		enum sframe_reason want, r;
		u64 pc, sp;

		w.answers.checked = NULL;
		w.bare.code[i - CODE] ^= 0x10;
		sframe_cursor_init(&w.cur, &sframe_abi_x86, &w.regs, 16, &answers_ops, &w);
		want = sframe_cursor_next(&w.cur);
		pc = w.cur.pc;
		sp = w.cur.sp;
		w.bare.code[i - CODE] ^= 0x10;
		w.answers.checked = places;
		walk(test, &w);
		w.bare.code[i - CODE] ^= 0x10;
		sframe_cursor_init(&w.cur, &sframe_abi_x86, &w.regs, 16, &answers_ops, &w);
		r = sframe_cursor_next(&w.cur);
		known += w.cur.recalled;
		KUNIT_EXPECT_EQ_MSG(test, (int)r, (int)want, "%llx", (unsigned long long)i);
		KUNIT_EXPECT_EQ_MSG(test, w.cur.pc, pc, "%llx", (unsigned long long)i);
		KUNIT_EXPECT_EQ_MSG(test, w.cur.sp, sp, "%llx", (unsigned long long)i);
		w.bare.code[i - CODE] ^= 0x10;
	}
	/* Most of these bytes have no part in it. */
	KUNIT_EXPECT_GT(test, known, 128ull);
}

/* And nobody is the caller whom a walk that knows nothing does not find. */

/* Another walk has the CPU's answers as soon as this one reads the stack. */
static bool steals;

static int shared_read(void *ctx, u64 addr, void *buf, unsigned int len)
{
	struct answers_world *w = ctx;
	unsigned int i;

	/* As a deferred walk that pauses. */
	if (steals && addr - STACK < 8 * STACK_WORDS && w->cur.answers) {
		for (i = 0; i < SFRAME_CHECKED_MAX; i++) {
			places[i].answer.sp += 16;
			places[i].answer.ra_at += 16;
		}
		w->cur.answers = NULL;
	}
	/* The stack is there once more, 80 KiB above. */
	if (addr - STACK - 0x14000 < 8 * STACK_WORDS)
		addr -= 0x14000;
	/* And near the code, which need not be far from it. */
	if (addr - NEAR_CODE < 8 * STACK_WORDS)
		addr += STACK - NEAR_CODE;
	return bare_read(&w->bare, addr, buf, len);
}

static int shared_read_code(void *ctx, u64 addr, void *buf, unsigned int len)
{
	struct answers_world *w = ctx;

	if (w->loses)
		w->cur.answers = NULL;
	return bare_read(&w->bare, addr, buf, len);
}

static const struct sframe_cursor_ops knowing_ops = {
	.find = bare_find,
	.find_kept = nothing_kept,
	.read = shared_read,
	.read_code = shared_read_code,
	.reg = no_register,
	.answers = answers_of,
	.is_fixed = answers_fixed,
};

static const struct sframe_cursor_ops fresh_ops = {
	.find = bare_find,
	.find_kept = nothing_kept,
	.read = shared_read,
	.read_code = shared_read_code,
	.reg = no_register,
};

static enum sframe_reason step_with(struct answers_world *w, const struct sframe_abi *abi,
				    const struct sframe_cursor_ops *ops)
{
	sframe_cursor_init(&w->cur, abi, &w->regs, 16, ops, w);
	return sframe_cursor_next(&w->cur);
}

static void same_as_fresh(struct kunit *test, struct answers_world *w,
			  const struct sframe_abi *abi)
{
	enum sframe_reason r, want = step_with(w, abi, &fresh_ops);
	u64 pc = w->cur.pc, sp = w->cur.sp;

	r = step_with(w, abi, &knowing_ops);
	KUNIT_EXPECT_EQ(test, (int)r, (int)want);
	KUNIT_EXPECT_EQ(test, w->cur.pc, pc);
	KUNIT_EXPECT_EQ(test, w->cur.sp, sp);
}

static void set_s390(struct answers_world *w, const char *end, unsigned int len)
{
	unsigned int i;

	world_set(w, end, len);
	for (i = 0; i < NOPS; i += 4)
		memcpy(w->bare.code + (AT - CODE) + i, "\xb9\x04\x00\x21", 4);
	memcpy(w->bare.code + (RA - 2 - CODE), "\x0d\xe1", 2);
	w->bare.stack[RA_AT] = 0;
	w->regs.fp = S(SP_AT);
	all_may_change(w);
	steals = false;
}

/* r14 and r15 saved by a function called with that SP. */
static void save_s390(struct answers_world *w, unsigned int sp)
{
	w->bare.stack[sp + 14] = RA;
	w->bare.stack[sp + 15] = S(sp);
}

#define BRC(to)	"\xa7\x84\x00" to
#define LMG(at)	"\xeb\x6f\xf0" at "\x00\x04"

/* One path does not find SP in its slot, another is taken: that is by the stack. */
static void by_a_missed_slot(struct kunit *test)
{
	static struct answers_world w;

	/* brc +12; lmg %r6,%r15,208(%r15); br %r14; lmg %r6,%r15,224(%r15); br %r14 */
	set_s390(&w, ENDS(BRC("\x06") LMG("\xd0") "\x07\xfe" LMG("\xe0") "\x07\xfe"));
	save_s390(&w, SP_AT + 22);
	same_as_fresh(test, &w, &sframe_abi_s390);
	save_s390(&w, SP_AT + 20);
	same_as_fresh(test, &w, &sframe_abi_s390);
}

/* One path finds SP in its slot, but leads nowhere; it has been where the other leads. */
static void by_a_slot_elsewhere(struct kunit *test)
{
	static struct answers_world w;

	static const char code[] =
		"\xa7\x84\x00\x09\xe3\xf0\xf1\x18\x00\x04"	/* brc 1f; lg %r15,280(%r15) */
		"\xb9\x04\x00\xe1\xa7\xf4\x00\x06"		/* lgr %r14,%r1; j 2f */
		"\x41\xf0\xf0\xb0\xa7\xf4\x00\x02"		/* 1: la %r15,176(%r15); j 2f */
		"\x07\xfe";					/* 2: br %r14 */

	set_s390(&w, ENDS(code));
	w.regs.ra = RA;
	save_s390(&w, SP_AT + 20);
	same_as_fresh(test, &w, &sframe_abi_s390);
	w.bare.stack[SP_AT + 35] = 0;
	same_as_fresh(test, &w, &sframe_abi_s390);
}

/* While it is asked whether SP is in its slot, the walk pauses, and the answer is gone. */
static void stack_is_not_there(struct kunit *test)
{
	static struct answers_world w;

	set_s390(&w, ENDS(LMG("\xd0") "\x07\xfe"));
	save_s390(&w, SP_AT + 20);
	same_as_fresh(test, &w, &sframe_abi_s390);
	same_as_fresh(test, &w, &sframe_abi_s390);
	KUNIT_EXPECT_EQ(test, w.cur.recalled, 1u);
	w.bare.stack[SP_AT + 36] = RA;
	steals = true;
	same_as_fresh(test, &w, &sframe_abi_s390);
	steals = false;
}

/* Code that is near the stack may change as well. */
static void is_near_the_stack(struct kunit *test)
{
	static struct answers_world w;

	set_s390(&w, ENDS(LMG("\xd0") "\x07\xfe"));
	w.regs.sp = NEAR_CODE + 8 * SP_AT;
	w.regs.fp = w.regs.sp;
	w.bare.stack[SP_AT + 20 + 14] = RA;
	w.bare.stack[SP_AT + 20 + 15] = NEAR_CODE + 8 * (SP_AT + 20);
	same_as_fresh(test, &w, &sframe_abi_s390);
	KUNIT_EXPECT_EQ(test, w.cur.pc, RA);
	/* It leaves a larger frame now. */
	w.bare.code[AT + NOPS + 3 - CODE] = 0xe0;
	w.bare.stack[SP_AT + 22 + 14] = RA;
	w.bare.stack[SP_AT + 22 + 15] = NEAR_CODE + 8 * (SP_AT + 22);
	same_as_fresh(test, &w, &sframe_abi_s390);
}

/* FP is far, but what is stored from there on is near. */
static void by_a_far_store(struct kunit *test)
{
	static struct answers_world w;

	/* mov %rax,-0x11000(%rbp) */
	world_set(&w, ENDS("\x48\x89\x85\x00\xf0\xfe\xff" ADD_24 RET));
	all_may_change(&w);
	w.regs.fp = S(RA_AT) + 0x11000;
	same_as_fresh(test, &w, &sframe_abi_x86);
	w.regs.fp = S(RA_AT) + 0x30000;
	same_as_fresh(test, &w, &sframe_abi_x86);
}

/* A frame of more than 64 KiB: that FP is not at its record is not so of any far FP. */
static void by_a_far_record(struct kunit *test)
{
	static struct answers_world w;
	static const u32 end[] = {
		0x914053ff,	/* add sp, sp, #0x14000 */
		0xa8c17bfd,	/* ldp x29, x30, [sp], #16 */
		0xd61f0020,	/* br x1 */
	};
	unsigned int i;

	world_set(&w, ENDS(RET));
	for (i = 0; i < NOPS; i++)
		memcpy(w.bare.code + AT - CODE + 4 * i, "\x1f\x20\x03\xd5", 4);
	for (i = 0; i < 4 * ARRAY_SIZE(end); i++)
		w.bare.code[AT + 4 * NOPS - CODE + i] = end[i / 4] >> 8 * (i % 4);
	memcpy(w.bare.code + RA - 4 - CODE, "\x00\x00\x3f\xd6", 4);
	all_may_change(&w);
	w.bare.stack[RA_AT] = 0;
	w.bare.stack[SP_AT + 1] = 0;
	w.regs.fp = S(SP_AT) + 0x18000;
	same_as_fresh(test, &w, &sframe_abi_arm64);
	w.bare.stack[SP_AT + 1] = RA;
	w.regs.fp = S(SP_AT) + 0x14000;
	same_as_fresh(test, &w, &sframe_abi_arm64);
}

/* read_code() may let the walk pause, too: so a NULL is dereferenced. */
static void code_is_not_there(struct kunit *test)
{
	static struct answers_world w;

	world_set(&w, ENDS(ADD_24 RET));
	all_may_change(&w);
	w.loses = true;
	same_as_fresh(test, &w, &sframe_abi_x86);
	w.loses = false;
}

static struct kunit_case checked_test_cases[] = {
	KUNIT_CASE(changed_and_back),
	KUNIT_CASE(each_byte),
	KUNIT_CASE(by_a_missed_slot),
	KUNIT_CASE(by_a_slot_elsewhere),
	KUNIT_CASE(stack_is_not_there),
	KUNIT_CASE(is_near_the_stack),
	KUNIT_CASE(by_a_far_store),
	KUNIT_CASE(by_a_far_record),
	KUNIT_CASE(code_is_not_there),
	{}
};

static struct kunit_suite checked_suite = {
	.name = "sframe_checked",
	.test_cases = checked_test_cases,
};

kunit_test_suite(checked_suite);
