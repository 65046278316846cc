// SPDX-License-Identifier: GPL-2.0
/*
 * Which answers of code are kept, for how long, and for whom. (That walks that know them find
 * the same, all suites of walks show.)
 */
#include <kunit/test.h>

#include "answers_world.h"
#include "cursor_impl.h"

/* For a walk to follow all that. */
#define TOO_LITTLE	7000

/* From AT on, code that is not read together with what is there. */
#define FAR		512

#define LEAVE		"\xc9"
#define AND_16		"\x48\x83\xe4\xf0"	/* and $-16, %rsp */
#define LOAD_SP		"\x48\x8b\x24\x24"	/* mov (%rsp), %rsp */
#define CLEAR_FP	"\x31\xed"		/* xor %ebp, %ebp */
#define LEA_FAR		"\x48\x8d\xa5\x00\x00\xfe\xff"	/* lea -0x20000(%rbp), %rsp */
#define JNE_5		"\x75\x05"		/* past a jump */

static void known_the_second_time(struct kunit *test)
{
	static struct answers_world w;
	u32 before;

	world_set(&w, ENDS(ADD_24 RET));
	KUNIT_EXPECT_EQ(test, walk(test, &w), 0u);
	before = w.cur.budget;
	KUNIT_EXPECT_EQ(test, walk(test, &w), 1u);
	KUNIT_EXPECT_GT(test, w.cur.budget, before);
	/* Code is not looked at again. */
	w.bare.code[AT + NOPS - CODE] = 0xcc;
	KUNIT_EXPECT_EQ(test, walk(test, &w), 1u);
}

/* It is for all frames of the function, be FP what it may. */
static void other_frame(struct kunit *test)
{
	static struct answers_world w;

	world_set(&w, ENDS(ADD_24 RET));
	walk(test, &w);
	w.regs.sp += 16;
	w.regs.fp = 12345;
	w.bare.stack[RA_AT] = 0;
	w.bare.stack[RA_AT + 2] = RA;
	KUNIT_EXPECT_EQ(test, walk(test, &w), 1u);
	KUNIT_EXPECT_EQ(test, w.cur.sp, S(RA_AT + 3));
	KUNIT_EXPECT_EQ(test, w.cur.fp, 12345ull);
}

/* But not if FP has a part in it. */
static void by_fp(struct kunit *test)
{
	static struct answers_world w;

	world_set(&w, ENDS(LEAVE RET));
	/* Not that of the record at FP. */
	w.bare.stack[SP_AT] = RA;
	w.regs.fp = S(RA_AT - 1);
	KUNIT_EXPECT_EQ(test, walk(test, &w), 0u);
	KUNIT_EXPECT_EQ(test, walk(test, &w), 1u);
	w.regs.fp = S(RA_AT);
	w.bare.stack[RA_AT + 1] = RA;
	KUNIT_EXPECT_EQ(test, walk(test, &w), 0u);
	KUNIT_EXPECT_EQ(test, w.cur.sp, S(RA_AT + 2));
	KUNIT_EXPECT_EQ(test, walk(test, &w), 1u);
	KUNIT_EXPECT_EQ(test, w.cur.sp, S(RA_AT + 2));
	w.regs.fp = S(RA_AT - 1);
	KUNIT_EXPECT_EQ(test, walk(test, &w), 1u);
	KUNIT_EXPECT_EQ(test, w.cur.sp, S(RA_AT + 1));
}

/* Likewise on arm64, where FP is at the record from which RA is loaded, if it is used. */
static void by_fp_on_arm64(struct kunit *test)
{
	static struct answers_world w;
	static const u32 end[] = {
		0x910003bf,	/* mov sp, x29 */
		0xa8c17bfd,	/* ldp x29, x30, [sp], #16 */
		0xd65f03c0,	/* ret */
	};
	unsigned int i, at = AT + 4 * NOPS - CODE;

	world_set(&w, ENDS(RET));
	for (i = 0; i < NOPS; i++)
		memcpy(w.bare.code + AT - CODE + 4 * i, "\x1f\x20\x03\xd5", 4);
	for (i = 0; i < 4 * ARRAY_SIZE(end); i++)
		w.bare.code[at + i] = end[i / 4] >> 8 * (i % 4);
	/* A call of any function is before the RA. */
	memcpy(w.bare.code + RA - 4 - CODE, "\x00\x00\x3f\xd6", 4);
	w.regs.fp = S(RA_AT - 1);
	KUNIT_EXPECT_EQ(test, walk_on(test, &w, &sframe_abi_arm64), 0u);
	KUNIT_EXPECT_EQ(test, walk_on(test, &w, &sframe_abi_arm64), 1u);
	KUNIT_EXPECT_EQ(test, w.cur.sp, S(RA_AT + 1));
	w.regs.fp = S(RA_AT + 1);
	w.bare.stack[RA_AT + 2] = RA;
	KUNIT_EXPECT_EQ(test, walk_on(test, &w, &sframe_abi_arm64), 0u);
	KUNIT_EXPECT_EQ(test, w.cur.sp, S(RA_AT + 3));
}

/* In place, near is not followed again where that has led nowhere for what there was. */
static void too_far_for_near(struct kunit *test)
{
	static struct answers_world w;
	const unsigned int nops = 200;
	unsigned int i;
	u32 spent[2];

	world_set(&w, ENDS(RET));
	for (i = 0; i < nops; i++)
		memcpy(w.bare.code + AT - CODE + 4 * i, "\x1f\x20\x03\xd5", 4);
	/* brk #0 */
	memcpy(w.bare.code + AT - CODE + 4 * nops, "\x00\x00\x20\xd4", 4);
	w.regs.fp = S(RA_AT + 20);
	for (i = 0; i < 2; i++) {
		sframe_cursor_init(&w.cur, &sframe_abi_arm64, &w.regs, 16, &answers_ops, &w);
		sframe_cursor_set_budget(&w.cur, SFRAME_BUDGET_INPLACE);
		KUNIT_EXPECT_NE(test, (int)sframe_cursor_next(&w.cur), (int)SFRAME_OK);
		spent[i] = SFRAME_BUDGET_INPLACE - w.cur.budget;
		KUNIT_EXPECT_EQ(test, w.cur.recalled > 0, i > 0);
	}
	KUNIT_EXPECT_LT(test, spent[1], spent[0] - 10000);
}

/* What is not found for want of more is asked in two ways: if one is known, nothing is sought. */
static void known_in_either_way(struct kunit *test)
{
	static struct answers_world w;
	unsigned int i;

	world_set(&w, ENDS(RET));
	for (i = 0; i < NOPS; i++)
		memcpy(w.bare.code + AT - CODE + 4 * i, "\x1f\x20\x03\xd5", 4);
	sframe_cursor_init(&w.cur, &sframe_abi_arm64, &w.regs, 16, &answers_ops, &w);
	for (i = 0; i < 2; i++) {
		struct sframe_leave lv = { .sp = w.cur.sp, .fp = w.cur.fp, .cost_max = 32 };

		KUNIT_EXPECT_FALSE(test, sframe_code_leaves(&w.cur, &lv));
		KUNIT_EXPECT_EQ(test, w.cur.recalled, i);
		KUNIT_EXPECT_NULL(test, w.cur.asking);
	}
}

/* The frame of s390x, in words: 20 below the r15 that is saved above. */
#define S390_FRAME	20
#define S390_RA_AT(sp)	((sp) + 14)
#define S390_SP_AT(sp)	((sp) + 15)

#define MOVE		"\xb9\x04\x00\x21"
#define LMG_BY_SP	"\xeb\x6f\xf0\xd0\x00\x04"	/* lmg %r6,%r15,208(%r15) */
#define LMG_BY_FP	"\xeb\xbf\xb0\xf8\x00\x04"	/* lmg %r11,%r15,248(%r11) */
#define BR_14		"\x07\xfe"

/* Its RA and SP are where a function has saved them that was called with SP there. */
static void save_s390(struct answers_world *w, unsigned int sp)
{
	w->bare.stack[S390_RA_AT(sp)] = RA;
	w->bare.stack[S390_SP_AT(sp)] = S(sp);
}

static void world_set_s390(struct answers_world *w, const char *end, unsigned int len)
{
	static const char moves[] = MOVE MOVE MOVE MOVE;

	world_set(w, end, len);
	memcpy(w->bare.code + (AT - CODE), moves, NOPS);
	memcpy(w->bare.code + (RA - 2 - CODE), "\x0d\xe1", 2);
	w->bare.stack[RA_AT] = 0;
	w->regs.fp = S(SP_AT);
}

/* On s390x, code loads SP from where it was saved: each time it has to be there. */
static void by_saved_sp(struct kunit *test)
{
	static struct answers_world w;

	world_set_s390(&w, ENDS(MOVE MOVE LMG_BY_SP BR_14));
	sframe_cursor_init(&w.cur, &sframe_abi_s390, &w.regs, 16, &answers_ops, &w);
	KUNIT_EXPECT_NE(test, (int)sframe_cursor_next(&w.cur), (int)SFRAME_OK);
	/* That was not kept. */
	save_s390(&w, SP_AT + S390_FRAME);
	KUNIT_EXPECT_EQ(test, walk_on(test, &w, &sframe_abi_s390), 0u);
	KUNIT_EXPECT_EQ(test, walk_on(test, &w, &sframe_abi_s390), 1u);
	w.regs.sp += 16;
	save_s390(&w, SP_AT + 2 + S390_FRAME);
	KUNIT_EXPECT_EQ(test, walk_on(test, &w, &sframe_abi_s390), 1u);
	KUNIT_EXPECT_EQ(test, w.cur.sp, S(SP_AT + 2 + S390_FRAME));
	w.bare.stack[S390_SP_AT(SP_AT + 2 + S390_FRAME)]++;
	sframe_cursor_init(&w.cur, &sframe_abi_s390, &w.regs, 16, &answers_ops, &w);
	KUNIT_EXPECT_NE(test, (int)sframe_cursor_next(&w.cur), (int)SFRAME_OK);
}

/* And where it depends on FP, it is for that one. */
static void by_fp_on_s390(struct kunit *test)
{
	static struct answers_world w;

	world_set_s390(&w, ENDS(MOVE MOVE LMG_BY_FP BR_14));
	save_s390(&w, SP_AT + S390_FRAME);
	KUNIT_EXPECT_EQ(test, walk_on(test, &w, &sframe_abi_s390), 0u);
	KUNIT_EXPECT_EQ(test, walk_on(test, &w, &sframe_abi_s390), 1u);
	w.regs.fp += 16;
	save_s390(&w, SP_AT + 2 + S390_FRAME);
	KUNIT_EXPECT_EQ(test, walk_on(test, &w, &sframe_abi_s390), 0u);
	KUNIT_EXPECT_EQ(test, w.cur.sp, S(SP_AT + 2 + S390_FRAME));
}

/* Nor is one FP as another that is far, if the caller is found from there. */
static void by_far_fp(struct kunit *test)
{
	static struct answers_world w;

	world_set(&w, ENDS(LEA_FAR RET));
	w.regs.fp = S(RA_AT) + 0x20000;
	walk(test, &w);
	w.regs.fp = S(RA_AT + 2) + 0x20000;
	w.bare.stack[RA_AT + 2] = RA;
	KUNIT_EXPECT_EQ(test, walk(test, &w), 0u);
	KUNIT_EXPECT_EQ(test, w.cur.sp, S(RA_AT + 3));
}

/* What is known of a frame is part of the question; what becomes of FP, of the answer. */
static void other_question(struct kunit *test)
{
	static struct answers_world w;

	world_set(&w, ENDS(CLEAR_FP ADD_24 RET));
	walk(test, &w);
	KUNIT_EXPECT_FALSE(test, w.cur.fp_known);
	KUNIT_EXPECT_EQ(test, walk(test, &w), 1u);
	KUNIT_EXPECT_FALSE(test, w.cur.fp_known);
	/* Now it has called something, and nobody knows whether that will return. */
	w.fixed_from = CODE;
	put_x86_call(w.bare.code, CODE, AT, CALLED);
	w.bare.stack[SP_AT - 1] = AT;
	w.regs.pc = CALLED;
	w.regs.sp = S(SP_AT - 1);
	KUNIT_EXPECT_EQ(test, walk(test, &w), 0u);
	KUNIT_EXPECT_EQ(test, walk(test, &w), 1u);
}

/* Nor what the place of the frame or words on the stack have a part in. */
static void by_the_stack(struct kunit *test)
{
	static struct answers_world w;

	world_set(&w, ENDS(AND_16 ADD_24 RET));
	walk(test, &w);
	KUNIT_EXPECT_EQ(test, walk(test, &w), 0u);
	world_set(&w, ENDS(LOAD_SP RET));
	w.bare.stack[SP_AT] = S(RA_AT);
	walk(test, &w);
	KUNIT_EXPECT_EQ(test, walk(test, &w), 0u);
}

/* Nor that nothing was found, as long as some code could not be read. */
static void not_there(struct kunit *test)
{
	static struct answers_world w;

	world_set(&w, ENDS(JNE_5));
	put_x86_jump(w.bare.code, CODE, AT + NOPS + 2, AT + FAR);
	memcpy(w.bare.code + (AT - CODE) + NOPS + 7, ADD_24 RET, 5);
	memcpy(w.bare.code + (AT - CODE) + FAR, ADD_24 RET, 5);
	w.missing_from = AT + FAR;
	sframe_cursor_init(&w.cur, &sframe_abi_x86, &w.regs, 16, &answers_ops, &w);
	KUNIT_EXPECT_NE(test, (int)sframe_cursor_next(&w.cur), (int)SFRAME_OK);
	w.missing_from = ~0ull;
	KUNIT_EXPECT_EQ(test, walk(test, &w), 0u);
	KUNIT_EXPECT_EQ(test, walk(test, &w), 1u);
}

static void other_mappings(struct kunit *test)
{
	static struct answers_world w;

	world_set(&w, ENDS(ADD_24 RET));
	walk(test, &w);
	w.answers.key = 2;
	KUNIT_EXPECT_EQ(test, walk(test, &w), 0u);
	KUNIT_EXPECT_EQ(test, walk(test, &w), 1u);
	w.answers.key = 1;
	KUNIT_EXPECT_EQ(test, walk(test, &w), 1u);
}

/* Many have the same places: none is taken for that of another PC, or of other mappings. */
static void same_places(struct kunit *test)
{
	static struct answers_world w;
	unsigned int i, known = 0;

	world_set(&w, ENDS(ADD_24 RET));
	for (i = 0; i < 100 * NOPS; i++) {
		w.answers.key = 1 + i / NOPS;
		w.regs.pc = AT + i % NOPS;
		known += walk(test, &w);
	}
	KUNIT_EXPECT_EQ(test, known, 0u);
}

/* Code that may change is looked at each time. */
static void not_fixed(struct kunit *test)
{
	static const u8 out[] = { 0x48, 0x83, 0xc4, 0x18, 0xc3 };
	static struct answers_world w;

	world_set(&w, ENDS(ADD_24 RET));
	w.fixed_from = ~0ull;
	walk(test, &w);
	KUNIT_EXPECT_EQ(test, walk(test, &w), 0u);
	/* Some of it may. */
	world_set(&w, ENDS(JUMP_BACK));
	memcpy(w.bare.code + (AT - 32 - CODE), out, sizeof(out));
	w.fixed_from = AT;
	walk(test, &w);
	KUNIT_EXPECT_EQ(test, walk(test, &w), 0u);
	w.fixed_from = BARE;
	walk(test, &w);
	KUNIT_EXPECT_EQ(test, walk(test, &w), 1u);
}

/* Programs that run by turns have a place each. */
static void five_programs(struct kunit *test)
{
	static struct answers_world w;
	unsigned int i, known = 0;

	world_set(&w, ENDS(ADD_24 RET));
	for (i = 0; i < 50; i++) {
		w.answers.key = 1 + i % 5;
		known += walk(test, &w);
	}
	KUNIT_EXPECT_EQ(test, known, 45u);
}

/* The walk loses the answers where it waits for memory; the next one has them again. */
static void lost(struct kunit *test)
{
	static struct answers_world w;

	world_set(&w, ENDS(ADD_24 RET));
	w.loses = true;
	walk(test, &w);
	w.loses = false;
	KUNIT_EXPECT_EQ(test, walk(test, &w), 0u);
	KUNIT_EXPECT_EQ(test, walk(test, &w), 1u);
}

/* That nothing was found for this price says nothing. */
static void too_costly(struct kunit *test)
{
	static struct answers_world w;

	world_set(&w, ENDS(ADD_24 RET));
	sframe_cursor_init(&w.cur, &sframe_abi_x86, &w.regs, 16, &answers_ops, &w);
	sframe_cursor_set_budget(&w.cur, TOO_LITTLE);
	KUNIT_EXPECT_NE(test, (int)sframe_cursor_next(&w.cur), (int)SFRAME_OK);
	KUNIT_EXPECT_EQ(test, walk(test, &w), 0u);
	/* Now it is known, and to be had for that. */
	sframe_cursor_init(&w.cur, &sframe_abi_x86, &w.regs, 16, &answers_ops, &w);
	sframe_cursor_set_budget(&w.cur, TOO_LITTLE);
	KUNIT_EXPECT_EQ(test, (int)sframe_cursor_next(&w.cur), (int)SFRAME_OK);
}

static struct kunit_case answers_test_cases[] = {
	KUNIT_CASE(known_the_second_time),
	KUNIT_CASE(other_frame),
	KUNIT_CASE(by_fp),
	KUNIT_CASE(by_fp_on_arm64),
	KUNIT_CASE(too_far_for_near),
	KUNIT_CASE(known_in_either_way),
	KUNIT_CASE(by_saved_sp),
	KUNIT_CASE(by_fp_on_s390),
	KUNIT_CASE(by_far_fp),
	KUNIT_CASE(other_question),
	KUNIT_CASE(by_the_stack),
	KUNIT_CASE(not_there),
	KUNIT_CASE(other_mappings),
	KUNIT_CASE(same_places),
	KUNIT_CASE(not_fixed),
	KUNIT_CASE(five_programs),
	KUNIT_CASE(lost),
	KUNIT_CASE(too_costly),
	{}
};

static struct kunit_suite answers_suite = {
	.name = "sframe_answers",
	.test_cases = answers_test_cases,
};

kunit_test_suite(answers_suite);
