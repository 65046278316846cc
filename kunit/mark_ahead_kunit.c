// SPDX-License-Identifier: GPL-2.0
/*
 * The topmost function is one that HotSpot has compiled: walks by what it puts behind the calls
 * that are still to be made.
 */
#include <kunit/test.h>

#include "marked_world.h"

/**
 * struct ahead_case - a walk
 * @name: what it shows
 * @calls: what the caller calls
 * @pc: the PC
 * @back: how far before it what holds the function begins, as the mark says
 * @mark: where that is; 0: MARKED
 * @size: words from SP to RA; 0: SIZE
 * @found: the caller is
 */
struct ahead_case {
	const char *name;
	u64 calls;
	u64 pc;
	u64 mark;
	u32 back;
	unsigned int size;
	bool found;
};

static const struct ahead_case ahead_cases[] = {
	{ "in a loop", ENTRY, LOOP, .back = BACK, .found = true },
	{ "the call was of what comes before it", ENTRY - 0x20, LOOP, .back = BACK, .found = true },
	{ "the call was of another function", OTHER, LOOP, .back = BACK },
	{ "the call was of what comes earlier", HELD - 0x20, LOOP, .back = BACK },
	{ "nobody knows of what", 0, LOOP, .back = BACK },
	{ "nothing is marked", ENTRY, LOOP, .back = 0 },
	{ "another function is marked", ENTRY, LOOP, .back = 0x20 },
	{ "the mark is not where calls are aligned", ENTRY, LOOP, MARKED + 2, BACK + 2 },
	{ "SP is elsewhere for a moment", ENTRY, LOOP, .back = BACK, .size = SIZE + 1 },
	{ "the frame is larger", ENTRY, LOOP, .back = BACK, .size = SIZE + 2 },
};

KUNIT_ARRAY_PARAM_DESC(ahead, ahead_cases, name);

/* An interpreter, with its record at S(@record), has jumped with SP at S(@sp); RA has called it. */
static void put_interpreter(struct bare_world *w, unsigned int record, unsigned int sp)
{
	put_insns(w, RESUMES - 4, "\x41\xff\x24\xda"
				   "\x48\x8b\x4d\xf0\x48\x8d\x64\xcd\x00\x48\xc7\x45\xf0\0\0\0\0");
	w->stack[record - 2] = (u64)sp - record;
	w->stack[record + 1] = RA;
}

static void walk_ahead(struct kunit *test)
{
	const struct ahead_case *c = test->param_value;
	struct sframe_regs regs = { .pc = c->pc, .sp = S(SP), .fp = NOT_FP };
	static struct bare_world w;
	struct sframe_cursor cur;
	unsigned int at = SP + (c->size ?: SIZE);

	put_function(&w, c->mark ?: MARKED, c->back);
	put_call(&w, c->calls);
	w.stack[at - 1] = OLD_FP;
	w.stack[at] = RA;
	sframe_cursor_init(&cur, &sframe_abi_x86, &regs, 16, &made_ops, &w);
	if (!c->found) {
		KUNIT_EXPECT_NE(test, (int)sframe_cursor_next(&cur), (int)SFRAME_OK);
		return;
	}
	KUNIT_ASSERT_EQ(test, (int)sframe_cursor_next(&cur), (int)SFRAME_OK);
	KUNIT_EXPECT_EQ(test, cur.pc, RA);
	KUNIT_EXPECT_TRUE(test, cur.sp_known && cur.fp_known);
	KUNIT_EXPECT_EQ(test, cur.sp, S(RA_AT + 1));
	KUNIT_EXPECT_EQ(test, cur.fp, OLD_FP);
	KUNIT_EXPECT_EQ(test, (int)sframe_cursor_next(&cur), (int)SFRAME_OUTERMOST);
}

static void ahead(struct kunit *test)
{
	kept_answers_rounds(test, walk_ahead);
}

/* An interpreter has jumped to the function, and stored that it had SP at S(@sp). */
static enum sframe_reason walk_jumped(struct kunit *test, unsigned int sp)
{
	enum { RECORD = 40 };
	static struct bare_world w;
	struct sframe_cursor cur;
	enum sframe_reason r;

	put_function(&w, MARKED, BACK);
	w.stack[RA_AT - 1] = S(RECORD);
	w.stack[RA_AT] = RESUMES;
	put_interpreter(&w, RECORD, sp);
	r = first_step(&w, &cur, LOOP, SP, NOT_FP);
	if (!r) {
		KUNIT_EXPECT_EQ(test, cur.pc, RESUMES);
		KUNIT_EXPECT_EQ(test, cur.sp, S(sp));
		KUNIT_EXPECT_EQ(test, cur.fp, S(RECORD));
	}
	return r;
}

static void interpreter_has_jumped(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, (int)walk_jumped(test, RA_AT + 1), (int)SFRAME_OK);
	KUNIT_EXPECT_NE(test, (int)walk_jumped(test, RA_AT + 3), (int)SFRAME_OK);
}

/* Code leads to the call, from where a word is pushed, or the frame is not made yet. */
static void code_leads_to_mark(struct kunit *test)
{
	static const struct {
		u64 pc;
		unsigned int sp;
		u64 fp;
	} cases[] = {
		{ LOOP + 16, SP - 1, OLD_FP },
		{ LOOP + 17, SP, OLD_FP },
		{ ENTRY + 7, RA_AT, NOT_FP },
		{ ENTRY + 8, RA_AT - 1, OLD_FP },
		{ ENTRY + 12, SP, OLD_FP },
	};
	static struct bare_world w;
	struct sframe_cursor cur;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		put_function(&w, MARKED, BACK);
		put_insns(&w, LOOP - 8, "\x90\x90");
		put_insns(&w, LOOP, "\x90\x90");
		put_insns(&w, LOOP + 15, "\x51\x59");
		put_call(&w, 0);
		w.stack[RA_AT - 1] = OLD_FP;
		w.stack[RA_AT] = RA;
		KUNIT_EXPECT_EQ(test, (int)first_step(&w, &cur, cases[i].pc, cases[i].sp, NOT_FP),
				(int)SFRAME_OK);
		KUNIT_EXPECT_EQ(test, cur.pc, RA);
		KUNIT_EXPECT_EQ(test, cur.sp, S(RA_AT + 1));
		KUNIT_EXPECT_EQ(test, cur.fp, cases[i].fp);
	}
}

static void leads_to_mark(struct kunit *test)
{
	kept_answers_rounds(test, code_leads_to_mark);
}

/* The function's epilogue is at LOOP; what called it has been jumped to by an interpreter. */
static void pops_fp_below_interpreted(struct kunit *test)
{
	enum { RECORD = 40, CALLER_SP = SP + 2, CALLER_RA = CALLER_SP + SIZE - 2 };
	static struct bare_world w;
	struct sframe_cursor cur;

	put_function(&w, MARKED, BACK);
	/* pop %rbp; cmp 1104(%r15),%rsp; ja .+2; ret */
	put_insns(&w, LOOP, "\x5d\x49\x3b\xa7\x50\x04\0\0\x0f\x87\x01\0\0\0\xc3\xeb\xfe");
	put_call(&w, ENTRY);
	w.stack[SP] = OLD_FP;
	w.stack[SP + 1] = RA;
	/* Its frame is 16 bytes smaller. */
	w.stack[CALLER_RA - 1] = S(RECORD);
	w.stack[CALLER_RA] = RESUMES;
	put_interpreter(&w, RECORD, CALLER_RA + 1);
	if (!first_step(&w, &cur, LOOP, SP, NOT_FP))
		KUNIT_EXPECT_EQ(test, cur.pc, RA);
}

/*
 * Room was made for registers, as large as a frame (as ZGC's barriers do): where RA would be, the
 * function's call of itself has left its RA.
 */
static void makes_room_over_own_call(struct kunit *test)
{
	enum { REAL = 20, BELOW = REAL - SIZE - 1, REAL_RA = REAL + SIZE };
	static struct bare_world w;
	struct sframe_cursor cur;

	put_function(&w, MARKED, BACK);
	put_u32(&w, MARKED - 4, (u32)(ENTRY - MARKED));
	/* mov %rax,(%rsp); add $80,%rsp; add $64,%rsp; pop %rbp; ret */
	put_insns(&w, LOOP, "\x48\x89\x04\x24\x48\x83\xc4\x50\x48\x83\xc4\x40\x5d\xc3");
	put_call(&w, ENTRY);
	w.stack[REAL - 1] = MARKED;
	w.stack[REAL_RA - 1] = OLD_FP;
	w.stack[REAL_RA] = RA;
	if (!first_step(&w, &cur, LOOP, BELOW, NOT_FP))
		KUNIT_EXPECT_EQ(test, cur.pc, RA);
}

/* What the mark says was not believed; how the function was entered still tells. */
static void entry_is_asked_still(struct kunit *test)
{
	static struct bare_world w;
	struct sframe_cursor cur;

	put_function(&w, MARKED, BACK);
	put_insns(&w, LOOP - 8, "\x90\x90\x90\x90\x90\x90\x51\x51");
	put_call(&w, ENTRY);
	w.stack[RA_AT - 1] = OLD_FP;
	w.stack[RA_AT] = RA;
	KUNIT_EXPECT_EQ(test, (int)first_step(&w, &cur, LOOP, SP - 2, NOT_FP), (int)SFRAME_OK);
	KUNIT_EXPECT_EQ(test, cur.pc, RA);
}

/* With marks looked for or not, it is the same function that is called. */
static void calls_what_it_calls(struct kunit *test)
{
	enum { OFF = 47 };
	static struct bare_world w;
	unsigned int i;

	put_function(&w, MARKED, BACK);
	/* It calls what loops forever, and is not marked; then: add $64,%rsp; pop %rbp; ret. */
	put_insns(&w, LOOP - 8, "\x90\x90\x90\x90\x90\x90\x90\x90\x90\x90");
	put_insns(&w, LOOP + OFF, "\xe8");
	put_u32(&w, LOOP + OFF + 1, (u32)(OTHER + 16 - (LOOP + OFF + 5)));
	put_insns(&w, OTHER + 16, "\xeb\xfe");
	put_insns(&w, OTHER + 32, "\xc3");
	put_insns(&w, LOOP + OFF + 5, "\x48\x83\xc4\x40\x5d\xc3");
	/* Farther on, bytes that nobody executes. */
	put_u32(&w, LOOP + OFF + 5 + OFF + 1, (u32)(OTHER + 32 - (LOOP + OFF + 5)));
	for (i = 0; i < 4; i++) {
		struct sframe_leave lv = {
			.sp = S(SP), .fp = NOT_FP, .cost_max = 100000, .topmost = true,
			.far = true, .by_mark = i % 2,
		};

		KUNIT_EXPECT_TRUE(test, sframe_abi_x86.leave(&lv, LOOP + i / 2 * 2, bare_read, &w));
		KUNIT_EXPECT_TRUE(test, !lv.sure && !lv.mark);
	}
}

/* An interpreter has just jumped, FP is still to be pushed: below the RA is anything. */
static void about_to_push_fp(struct kunit *test, u64 stale)
{
	enum { RECORD = 40, STALE = 50 };
	static struct bare_world w;
	struct sframe_cursor cur;

	put_function(&w, MARKED, BACK);
	put_insns(&w, LOOP - 8, "\x90\x90");
	put_insns(&w, LOOP, "\x90\x90");
	put_insns(&w, MARKED + 8, "\x48\x83\xc4\x40\x5d\xc3");
	w.stack[RA_AT - 1] = stale;
	w.stack[RA_AT] = RESUMES;
	put_interpreter(&w, RECORD, RA_AT + 1);
	w.stack[STALE - 2] = (u64)RA_AT + 9 - STALE;
	KUNIT_ASSERT_EQ(test, (int)first_step(&w, &cur, ENTRY + 7, RA_AT, S(RECORD)),
			(int)SFRAME_OK);
	KUNIT_EXPECT_EQ(test, cur.pc, RESUMES);
	KUNIT_EXPECT_EQ(test, cur.fp, S(RECORD));
	KUNIT_EXPECT_EQ(test, cur.sp, S(RA_AT + 1));
}

static void pushes_fp_over_nothing(struct kunit *test)
{
	about_to_push_fp(test, 0);
}

static void pushes_fp_over_another(struct kunit *test)
{
	about_to_push_fp(test, S(50));
}

/* In place, what another compiler made is left by its code as before. */
static void leaves_without_marks(struct kunit *test)
{
	struct sframe_regs regs = { .pc = BARE, .sp = S(SP), .fp = NOT_FP };
	static struct bare_world w;
	struct sframe_cursor cur;
	unsigned int i;

	memset(&w, 0, sizeof(w));
	memset(w.code, 0x90, sizeof(w.code));
	for (i = 0; i < 90; i++)
		put_insns(&w, BARE + 3 * i, "\x48\x01\xc0");
	put_insns(&w, BARE + 270, "\xc3");
	put_call(&w, 0);
	w.stack[SP] = RA;
	sframe_cursor_init(&cur, &sframe_abi_x86, &regs, 16, &made_ops, &w);
	sframe_cursor_set_budget(&cur, SFRAME_BUDGET_INPLACE);
	KUNIT_EXPECT_EQ(test, (int)sframe_cursor_next(&cur), (int)SFRAME_OK);
	KUNIT_EXPECT_EQ(test, cur.pc, RA);
}

/* Code comes to a mark that names another frame: then it is followed farther, to its return. */
static void refused_mark_is_passed_by(struct kunit *test)
{
	static struct bare_world w;
	struct sframe_cursor cur;

	put_function(&w, MARKED, BACK);
	put_insns(&w, LOOP, "\x90\x90");
	/* add $40,%rsp; ret */
	put_insns(&w, MARKED + 8, "\x48\x83\xc4\x28\xc3");
	put_call(&w, 0);
	w.stack[SP + 5] = RA;
	KUNIT_EXPECT_EQ(test, (int)first_step(&w, &cur, LOOP, SP, NOT_FP), (int)SFRAME_OK);
	KUNIT_EXPECT_EQ(test, cur.pc, RA);
	KUNIT_EXPECT_EQ(test, cur.sp, S(SP + 6));
}

static struct kunit_case ahead_test_cases[] = {
	KUNIT_CASE(leaves_without_marks),
	KUNIT_CASE(pops_fp_below_interpreted),
	KUNIT_CASE(makes_room_over_own_call),
	KUNIT_CASE(entry_is_asked_still),
	KUNIT_CASE(calls_what_it_calls),
	KUNIT_CASE(pushes_fp_over_nothing),
	KUNIT_CASE(pushes_fp_over_another),
	KUNIT_CASE_PARAM(ahead, ahead_gen_params),
	KUNIT_CASE(interpreter_has_jumped),
	KUNIT_CASE(leads_to_mark),
	KUNIT_CASE(refused_mark_is_passed_by),
	{}
};

static struct kunit_suite ahead_suite = {
	.name = "sframe_mark_ahead",
	.test_cases = ahead_test_cases,
};

kunit_test_suite(ahead_suite);
