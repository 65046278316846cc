// SPDX-License-Identifier: GPL-2.0
/*
 * Steps that were made before: the caller is the same as long as all that the step has read is;
 * and it is never one that a walk which knows nothing does not find.
 */
#include <kunit/test.h>

#include "answers_world.h"

/* The rows of what is called say that its RA is at S(SP_AT - 1). */
#define CALLED_AT	(SP_AT - 1)
/* Where its record is, if it has one. */
#define RECORD_AT	20
/* Functions behind whose calls words of the stack may lie. */
#define OTHER_RA	(CODE + 1984)

static struct sframe_known_step steps[SFRAME_STEPS_MAX];
/* The function lies in a gap of a table. */
static bool in_gap;
/* As this word of the stack is read, the walk pauses once, and another one notes nothing. */
static u64 pauses_at;
/* Then that has the answers from then on. */
static bool are_taken;
/* The stack ends here. */
static u64 stack_end;

static enum sframe_reason find(void *ctx, u64 pc, struct sframe_rule *rule)
{
	enum sframe_reason reason = bare_find(ctx, pc, rule);

	if (reason != SFRAME_NO_TABLE || !in_gap)
		return reason;
	*rule = (struct sframe_rule){ .flags = SFRAME_RULE_NO_FDE };
	return SFRAME_OK;
}

static int read_in_pauses(void *ctx, u64 addr, void *buf, unsigned int len)
{
	struct answers_world *w = ctx;

	if (pauses_at - addr < len) {
		pauses_at = 0;
		w->cur.answers = NULL;
		w->answers.noted = (struct sframe_known_step){};
	}
	return addr >= STACK && addr + len > stack_end ? -1 : answers_read(ctx, addr, buf, len);
}

static struct sframe_answers *answers_if_there(void *ctx)
{
	return are_taken && !pauses_at ? NULL : answers_of(ctx);
}

static const struct sframe_cursor_ops ops = {
	.find = find,
	.find_kept = nothing_kept,
	.read = read_in_pauses,
	.read_code = read_in_pauses,
	.reg = no_register,
	.answers = answers_if_there,
	.is_fixed = answers_fixed,
};

/*
 * A function that has called another one, and leaves its frame past some nops, as its code says
 * that nobody keeps: so what is known the next time is the step.
 */
static void world_of_steps(struct answers_world *w)
{
	world_set(w, ENDS(ADD_24 RET));
	put_x86_call(w->bare.code, CODE, AT, CALLED);
	put_x86_call(w->bare.code, CODE, OTHER_RA, BARE + 512);
	w->bare.stack[CALLED_AT] = AT;
	w->regs.pc = CALLED;
	w->regs.sp = S(CALLED_AT);
	w->fixed_from = ~0ull;
	w->answers.branches = NULL;
	w->answers.steps = steps;
	memset(steps, 0, sizeof(steps));
	stack_end = S(STACK_WORDS);
}

/* Likewise, but its code does not say how it is left: it has a record. */
static void world_of_records(struct answers_world *w)
{
	world_of_steps(w);
	memcpy(w->bare.code + AT + NOPS - CODE, "\x0f\x0b", 2);
	w->bare.stack[RA_AT] = 0;
	/* As its beginning shows; so this word is left over. */
	memset(w->bare.code + BARE + 32 - CODE, 0x90, AT - BARE - 32);
	memcpy(w->bare.code + BARE + 32 - CODE, "\x55\x48\x89\xe5", 4);
	put_x86_call(w->bare.code, CODE, AT, CALLED);
	w->bare.stack[RECORD_AT - 2] = OTHER_RA;
	w->bare.stack[RECORD_AT] = S(RECORD_AT + 20);
	w->bare.stack[RECORD_AT + 1] = RA;
	w->regs.fp = S(RECORD_AT);
}

static enum sframe_reason two_steps(struct answers_world *w, u32 budget)
{
	enum sframe_reason reason;

	sframe_cursor_init(&w->cur, &sframe_abi_x86, &w->regs, 16, &ops, w);
	if (budget)
		sframe_cursor_set_budget(&w->cur, budget);
	reason = sframe_cursor_next(&w->cur);
	return reason ?: sframe_cursor_next(&w->cur);
}

/* Is the caller whom a walk finds that knows nothing, or are both none? Was a step known? */
static bool same_as_fresh(struct kunit *test, struct answers_world *w, u64 what)
{
	enum sframe_reason want, reason;
	struct sframe_cursor fresh;

	w->answers.steps = NULL;
	want = two_steps(w, 0);
	fresh = w->cur;
	w->answers.steps = steps;
	reason = two_steps(w, 0);
	KUNIT_EXPECT_EQ_MSG(test, (int)reason, (int)want, "%llx", (unsigned long long)what);
	KUNIT_EXPECT_EQ_MSG(test, w->cur.pc, fresh.pc, "%llx", (unsigned long long)what);
	KUNIT_EXPECT_EQ_MSG(test, w->cur.sp, fresh.sp, "%llx", (unsigned long long)what);
	KUNIT_EXPECT_EQ_MSG(test, w->cur.fp, fresh.fp, "%llx", (unsigned long long)what);
	KUNIT_EXPECT_EQ_MSG(test, w->cur.sp_known, fresh.sp_known, "%llx",
			    (unsigned long long)what);
	KUNIT_EXPECT_EQ_MSG(test, w->cur.fp_known, fresh.fp_known, "%llx",
			    (unsigned long long)what);
	return w->cur.recalled;
}

static void is_known_again(struct kunit *test)
{
	static struct answers_world w;
	u32 left;

	world_of_steps(&w);
	KUNIT_EXPECT_EQ(test, walk(test, &w), 0u);
	left = w.cur.budget;
	KUNIT_EXPECT_EQ(test, walk(test, &w), 1u);
	KUNIT_EXPECT_GT(test, w.cur.budget, left + 1000);
}

/* Whoever else is mapped has steps of their own. */
static void of_other_mappings(struct kunit *test)
{
	static struct answers_world w;

	world_of_steps(&w);
	walk(test, &w);
	for (w.answers.key = 2; w.answers.key < 4 * SFRAME_STEPS_MAX; w.answers.key++) {
		KUNIT_EXPECT_EQ(test, walk(test, &w), 0u);
		KUNIT_EXPECT_EQ(test, walk(test, &w), 1u);
	}
}

/* A walk in place can use what is known, and does not pay for notes. */
static void is_known_in_place(struct kunit *test)
{
	static struct answers_world w;
	u32 i;

	world_of_steps(&w);
	for (i = 0; i < 2; i++) {
		KUNIT_EXPECT_EQ(test, (int)two_steps(&w, SFRAME_BUDGET_INPLACE), 0);
		KUNIT_EXPECT_EQ(test, w.cur.recalled, 0u);
	}
	walk(test, &w);
	KUNIT_EXPECT_EQ(test, (int)two_steps(&w, SFRAME_BUDGET_INPLACE), 0);
	KUNIT_EXPECT_EQ(test, w.cur.pc, RA);
	KUNIT_EXPECT_EQ(test, w.cur.recalled, 1u);
}

/* One word of the stack after the other is another one. */
static void each_word(struct kunit *test)
{
	static const u64 words[] = { 0, 1, RA, OTHER_RA, AT, S(RA_AT), S(SP_AT + 8), CODE + 24 };
	static struct answers_world w;
	u64 i, j, was, known = 0;

	world_of_steps(&w);
	for (i = 0; i < STACK_WORDS; i++) {
		for (j = 0; j < ARRAY_SIZE(words); j++) {
			same_as_fresh(test, &w, i);
			was = w.bare.stack[i];
			w.bare.stack[i] = words[j];
			known += same_as_fresh(test, &w, i << 8 | j);
			w.bare.stack[i] = was;
		}
	}
	/* Most of them have no part in it. */
	KUNIT_EXPECT_GT(test, known, 256ull);
}

/* And one byte of the code. */
static void each_byte(struct kunit *test)
{
	static struct answers_world w;
	u64 i, known = 0;

	world_of_steps(&w);
	for (i = 0; i < CODE_LEN; i++) {
		same_as_fresh(test, &w, i);
		w.bare.code[i] ^= 0x10;
		known += same_as_fresh(test, &w, i);
		w.bare.code[i] ^= 0x10;
	}
	KUNIT_EXPECT_GT(test, known, CODE_LEN / 2ull);
}

/* A step by the record at FP, from registers that are like those of the step before, or not. */
static void each_register(struct kunit *test)
{
	static const u64 fps[] = { 0, 1, S(RA_AT + 3), S(RA_AT + 4), S(CALLED_AT) };
	static struct answers_world w;
	u64 i, j;

	world_of_steps(&w);
	w.bare.stack[RA_AT + 3] = S(RA_AT + 20);
	w.bare.stack[RA_AT + 4] = OTHER_RA;
	w.bare.stack[CALLED_AT + 1] = AT;
	for (i = 0; i < ARRAY_SIZE(fps); i++) {
		for (j = 0; j < 2; j++) {
			w.regs.fp = fps[i];
			w.regs.sp = S(CALLED_AT + j);
			same_as_fresh(test, &w, i << 8 | j);
			same_as_fresh(test, &w, i << 8 | j);
		}
	}
}

/* What could not be read can be now, and the other way round: the stack has a copy of the RA. */
static void is_there_by_now(struct kunit *test)
{
	static struct answers_world w;
	u32 i;

	world_of_records(&w);
	w.bare.stack[RECORD_AT + 2] = RA;
	for (i = 0; i < 8; i++) {
		/* All that is read there is missing, or the end. */
		stack_end = S(i % 2 ? STACK_WORDS : RECORD_AT + 2 + i / 4);
		same_as_fresh(test, &w, i);
		KUNIT_EXPECT_EQ(test, w.cur.sp_known, i % 2 == 0);
		KUNIT_EXPECT_TRUE(test, same_as_fresh(test, &w, i));
	}
}

/* A function of a file without a table, or in a gap of one. */
static void of_another_kind(struct kunit *test)
{
	static struct answers_world w;
	u32 i;

	world_of_steps(&w);
	for (i = 0; i < 4; i++) {
		in_gap = i % 2;
		/* Known only by the same kind of step. */
		KUNIT_EXPECT_EQ(test, same_as_fresh(test, &w, i), i > 1);
	}
	in_gap = false;
}

/* While a step is made, the walk pauses once, whatever it is reading. */
static void pauses_once(struct kunit *test)
{
	static struct answers_world w;
	u32 i;

	for (i = SP_AT; i < RECORD_AT + 8; i++) {
		world_of_records(&w);
		pauses_at = S(i);
		KUNIT_EXPECT_EQ(test, (int)two_steps(&w, 0), 0);
		KUNIT_EXPECT_EQ(test, w.cur.pc, RA);
		/* It returns to somebody else now. */
		w.bare.stack[RECORD_AT + 1] = OTHER_RA;
		same_as_fresh(test, &w, i);
	}
}

/*
 * To see whether a word of the stack still cannot be read, a walk may pause; and whoever comes
 * meanwhile may take the answers: then nothing is known, and nothing noted.
 */
static void pauses_for_good(struct kunit *test)
{
	static struct answers_world w;

	world_of_records(&w);
	stack_end = S(RECORD_AT + 2);
	same_as_fresh(test, &w, 0);
	KUNIT_EXPECT_TRUE(test, same_as_fresh(test, &w, 0));
	pauses_at = stack_end;
	are_taken = true;
	KUNIT_EXPECT_EQ(test, (int)two_steps(&w, 0), 0);
	are_taken = false;
	KUNIT_EXPECT_EQ(test, pauses_at, 0ull);
	KUNIT_EXPECT_EQ(test, w.cur.pc, RA);
	KUNIT_EXPECT_EQ(test, w.cur.recalled, 0u);
}

/* A walk that pauses has no answers from then on, and others may have them. */
static void pauses(struct kunit *test)
{
	static struct answers_world w;

	world_of_steps(&w);
	w.loses = true;
	walk(test, &w);
	w.loses = false;
	KUNIT_EXPECT_EQ(test, walk(test, &w), 0u);
	w.loses = true;
	KUNIT_EXPECT_EQ(test, walk(test, &w), 0u);
	w.loses = false;
	KUNIT_EXPECT_EQ(test, walk(test, &w), 1u);
}

/* More frames than there is room for: those that were met last are known. */
static void has_no_more_room(struct kunit *test)
{
	static struct answers_world w;
	u32 i, known = 0;

	world_of_steps(&w);
	for (i = 0; i < 2 * SFRAME_STEPS_MAX; i++) {
		w.answers.key = 1 + i;
		walk(test, &w);
		KUNIT_EXPECT_EQ(test, walk(test, &w), 1u);
	}
	for (i = 0; i < 2 * SFRAME_STEPS_MAX; i++) {
		w.answers.key = 1 + i;
		/* In place, so nothing is kept meanwhile. */
		KUNIT_EXPECT_EQ(test, (int)two_steps(&w, SFRAME_BUDGET_INPLACE), 0);
		KUNIT_EXPECT_EQ(test, w.cur.pc, RA);
		known += w.cur.recalled;
	}
	KUNIT_EXPECT_GT(test, known, SFRAME_STEPS_MAX / 2);
	KUNIT_EXPECT_LE(test, known, SFRAME_STEPS_MAX);
}

static struct kunit_case known_steps_test_cases[] = {
	KUNIT_CASE(is_known_again),
	KUNIT_CASE(of_other_mappings),
	KUNIT_CASE(is_known_in_place),
	KUNIT_CASE(each_word),
	KUNIT_CASE(each_byte),
	KUNIT_CASE(each_register),
	KUNIT_CASE(is_there_by_now),
	KUNIT_CASE(of_another_kind),
	KUNIT_CASE(pauses),
	KUNIT_CASE(pauses_once),
	KUNIT_CASE(pauses_for_good),
	KUNIT_CASE(has_no_more_room),
	{}
};

static struct kunit_suite known_steps_suite = {
	.name = "sframe_known_steps",
	.test_cases = known_steps_test_cases,
};

kunit_test_suite(known_steps_suite);
