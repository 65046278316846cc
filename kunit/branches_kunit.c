// SPDX-License-Identifier: GPL-2.0
/*
 * Walks from two PCs before the same branch: what the first has found out the second knows, but
 * only if that is true for it.
 */
#include <kunit/test.h>

#include "answers_world.h"

#define NOPS_16		"\x90\x90\x90\x90\x90\x90\x90\x90\x90\x90\x90\x90\x90\x90\x90\x90"
#define NOP		"\x90"
/* A branch, past a nop. */
#define BRANCH		"\x74\x01\x90"
#define CLEAR_FP	"\x31\xed"		/* xor %ebp, %ebp */
#define LOAD_FP		"\x48\x8b\x6c\x24\x08"	/* mov 8(%rsp), %rbp */
#define SP_TO_FP	"\x48\x89\xe5"		/* mov %rsp, %rbp */
#define FP_TO_SP	"\x48\x89\xec"		/* mov %rbp, %rsp */
#define STORE_RA	"\x48\x89\x44\x24\x18"	/* mov %rax, 24(%rsp) */
#define STORE		"\x48\x89\x44\x24\x10"	/* mov %rax, 16(%rsp) */
#define PUSH		"\x50"
#define POP		"\x58"
/* FP at first, and what LOAD_FP makes of it. */
#define FP		0x1234567
#define OTHER_FP	0x89abcdef

/**
 * struct branch_case - two walks
 * @name: what they show
 * @first: what is done between the first PC and the branch
 * @second: likewise
 * @end: and behind the branch
 * @lower: SP of the second is lower, bytes
 * @by_fp: FP of the second is where SP of the first was
 * @lost: RA is not found by the second
 * @known: something is known for the second at the branch, be it of use or not
 * @fp: FP that the second finds, 0: none
 */
struct branch_case {
	const char *name;
	const char *first;
	const char *second;
	const char *end;
	unsigned int lower;
	bool by_fp;
	bool lost;
	bool known;
	u64 fp;
};

static const struct branch_case branch_cases[] = {
	{ "nothing is done", "", NOP, ADD_24 RET, .known = true, .fp = FP },
	{ "another word is stored to", "", STORE, ADD_24 RET, .known = true, .fp = FP },
	{ "RA is stored to", "", STORE_RA, ADD_24 RET, .lost = true },
	{ "RA is stored to first", STORE_RA, "", ADD_24 RET, .fp = FP },
	{ "SP is moved", "", PUSH, ADD_24 RET, .lost = true },
	{ "SP is moved, and back", PUSH POP, "", ADD_24 RET, .known = true, .fp = FP },
	{ "FP is changed", "", CLEAR_FP, ADD_24 RET, .known = true },
	{ "FP is changed, and loaded then", "", CLEAR_FP, LOAD_FP ADD_24 RET, .known = true,
	  .fp = OTHER_FP },
	{ "FP is changed first", CLEAR_FP, "", ADD_24 RET, .fp = FP },
	{ "FP is changed first, and loaded then", CLEAR_FP, "", LOAD_FP ADD_24 RET, .known = true,
	  .fp = OTHER_FP },
	{ "FP is loaded first", LOAD_FP, "", ADD_24 RET, .fp = FP },
	{ "SP is found by FP, that was set first", SP_TO_FP, "", FP_TO_SP ADD_24 RET,
	  .lower = 8, .by_fp = true, .fp = S(SP_AT) },
	{ "FP is set first, and loaded then", SP_TO_FP, "", FP_TO_SP LOAD_FP ADD_24 RET,
	  .lower = 8, .by_fp = true, .fp = OTHER_FP },
};

KUNIT_ARRAY_PARAM_DESC(branch, branch_cases, name);

static unsigned int put(struct answers_world *w, unsigned int at, const char *code)
{
	memcpy(w->bare.code + at, code, strlen(code));
	return at + strlen(code);
}

/* There is the same code from the branch on, but another before. */
static void set_code(struct answers_world *w, const char *before, const char *end)
{
	unsigned int at = AT - CODE;

	at += 8 - strlen(before);
	w->regs.pc = CODE + at;
	at = put(w, at, before);
	at = put(w, at, NOPS_16 BRANCH);
	put(w, at, end);
}

/* Is RA found? */
static bool is_left(struct answers_world *w)
{
	sframe_cursor_init(&w->cur, &sframe_abi_x86, &w->regs, 16, &answers_ops, w);
	return !sframe_cursor_next(&w->cur) && w->cur.pc == RA;
}

static void branch(struct kunit *test)
{
	const struct branch_case *c = test->param_value;
	static struct answers_world w;
	u32 before;

	world_set(&w, ENDS(RET));
	w.bare.stack[SP_AT + 1] = OTHER_FP;
	w.regs.fp = FP;
	/* The first may find RA or not: what is true of the second is known beforehand. */
	set_code(&w, c->first, c->end);
	is_left(&w);
	before = w.cur.recalled;
	KUNIT_EXPECT_EQ(test, before, 0u);
	set_code(&w, c->second, c->end);
	w.regs.sp -= c->lower;
	if (c->by_fp)
		w.regs.fp = S(SP_AT);
	KUNIT_ASSERT_EQ(test, is_left(&w), !c->lost);
	if (c->lost)
		return;
	KUNIT_EXPECT_EQ(test, w.cur.recalled > 0, c->known);
	KUNIT_EXPECT_EQ(test, w.cur.sp, S(RA_AT + 1));
	KUNIT_EXPECT_EQ(test, w.cur.fp_known, c->fp != 0);
	if (c->fp)
		KUNIT_EXPECT_EQ(test, w.cur.fp, c->fp);
}

/* What is mapped differently, or may change, is asked again. */
static void branch_is_asked_again(struct kunit *test)
{
	static struct answers_world w;
	unsigned int i;

	for (i = 0; i < 2; i++) {
		world_set(&w, ENDS(RET));
		w.fixed_from = i ? RA : BARE;
		set_code(&w, "", ADD_24 RET);
		KUNIT_EXPECT_TRUE(test, is_left(&w));
		w.answers.key += !i;
		w.regs.pc++;
		KUNIT_EXPECT_TRUE(test, is_left(&w));
		KUNIT_EXPECT_EQ(test, w.cur.recalled, 0u);
	}
}

/* Where the same code is mapped in another process, it is not. */
static void branch_is_known_elsewhere(struct kunit *test)
{
	static struct answers_world w;

	world_set(&w, ENDS(RET));
	w.home = (struct sframe_home){
		.key = 1ull << 63, .start = CODE, .end = CODE + CODE_LEN, .place = CODE,
	};
	set_code(&w, "", ADD_24 RET);
	KUNIT_EXPECT_TRUE(test, is_left(&w));
	w.answers.key++;
	w.regs.pc++;
	KUNIT_EXPECT_TRUE(test, is_left(&w));
	KUNIT_EXPECT_GT(test, w.cur.recalled, 0u);
	/* What is at the end of the way out is not mapped there. */
	w.answers.key++;
	w.regs.pc++;
	w.home.end = w.regs.pc + 32;
	KUNIT_EXPECT_TRUE(test, is_left(&w));
	KUNIT_EXPECT_EQ(test, w.cur.recalled, 0u);
}

static struct kunit_case branches_test_cases[] = {
	KUNIT_CASE_PARAM(branch, branch_gen_params),
	KUNIT_CASE(branch_is_asked_again),
	KUNIT_CASE(branch_is_known_elsewhere),
	{}
};

static struct kunit_suite branches_suite = {
	.name = "sframe_branches",
	.test_cases = branches_test_cases,
};

kunit_test_suite(branches_suite);
