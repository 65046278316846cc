// SPDX-License-Identifier: GPL-2.0
/*
 * x86-64 code of which nothing is known, between gaps: a function that makes its record where
 * it begins has that at FP, whatever stands below it on the stack.
 */
#include <kunit/test.h>

#include <sframe/cursor.h>

#include "bare_world.h"

#define BEGIN		(BARE + 64)
/* Where it has called; that is come to from behind alone, so code is seen to lead around it. */
#define RA		(BEGIN + 75)
#define BEHIND		(RA + 5)
#define CALLERS_RA	(CALLERS + 64)
#define STALE_RA	(CALLERS + 128)
/* Where there is a row, with no gap up to the call. */
#define BEGIN_WITH_ROW	(BARE - 32)
#define SP		8
#define FP		16
/* Instructions of 7 bytes in a long function. */
#define LONG_WAY	100

#define PUSH_RBP	0x55
#define MOV_RBP_RSP	0x48, 0x89, 0xe5
#define NOP		0x90
#define INT3		0xcc
#define RET		0xc3
#define POP_RBP		0x5d
#define JE		0x0f, 0x84
#define JE_BACK		0x74, (u8)-12

/**
 * struct gap_case - a function, and what is around it
 * @name: what it shows
 * @before: what is before it, up to its first byte
 * @code: its beginning
 * @gap: another gap ends so many bytes behind its beginning; 0: there is none
 * @gap_len: bytes of that, if not 3
 * @row: it begins where there is a row, which is of another function
 * @topmost: the PC is in it; else in what it has called
 * @found: its record is believed
 */
struct gap_case {
	const char *name;
	u8 before[4];
	u8 code[12];	/* NOPs behind that */
	unsigned int gap;
	unsigned int gap_len;
	bool row;
	bool topmost;
	bool found;
};

static const struct gap_case gap_cases[] = {
	{ "its record is made first", { NOP, NOP, INT3, INT3 }, { PUSH_RBP, MOV_RBP_RSP },
	  .found = true },
	{ "nearly so", { NOP, NOP, INT3, INT3 }, { NOP, NOP, NOP, PUSH_RBP, MOV_RBP_RSP },
	  .found = true },
	{ "later", { NOP, NOP, INT3, INT3 },
	  { NOP, NOP, NOP, NOP, NOP, NOP, NOP, PUSH_RBP, MOV_RBP_RSP } },
	{ "none is", { NOP, NOP, INT3, INT3 }, { NOP } },
	{ "no gap", { NOP, NOP, NOP, NOP }, { PUSH_RBP, MOV_RBP_RSP } },
	{ "a gap of one byte", { NOP, NOP, NOP, INT3 }, { PUSH_RBP, MOV_RBP_RSP } },
	{ "it returns, and another function follows", { NOP, NOP, INT3, INT3 },
	  { PUSH_RBP, MOV_RBP_RSP, POP_RBP, RET } },
	{ "a byte within it", { NOP, NOP, INT3, INT3 }, { PUSH_RBP, MOV_RBP_RSP }, .gap = 32,
	  .gap_len = 1, .found = true },
	{ "a gap behind a call", { 0xff, 0xd0, INT3, INT3 }, { PUSH_RBP, MOV_RBP_RSP } },
	{ "what may be an operand", { 0xb8, 0xcd, INT3, INT3 },
	  { 0x3d, NOP, PUSH_RBP, MOV_RBP_RSP } },
	{ "one with a row", { NOP, NOP, INT3, INT3 }, { PUSH_RBP, MOV_RBP_RSP }, .row = true },
	{ "another function behind it", { NOP, NOP, INT3, INT3 }, { PUSH_RBP, MOV_RBP_RSP },
	  .gap = 32 },
	{ "a gap where none begins", { NOP, NOP, INT3, INT3 }, { PUSH_RBP, MOV_RBP_RSP },
	  .gap = 40, .found = true },
	{ "a gap around where one might", { NOP, NOP, INT3, INT3 }, { PUSH_RBP, MOV_RBP_RSP },
	  .gap = 33, .found = true },
	{ "the topmost may have given it back", { NOP, NOP, INT3, INT3 },
	  { PUSH_RBP, MOV_RBP_RSP }, .topmost = true },
};

KUNIT_ARRAY_PARAM_DESC(gap, gap_cases, name);

static void make_world(const struct gap_case *c, struct bare_world *w)
{
	u64 at = c->row ? BEGIN_WITH_ROW : BEGIN;
	const u8 over_call[] = { JE, BEHIND - (at + 18), 0, 0, 0, RET };
	static const u8 back[] = { JE_BACK, INT3 };
	u8 *begin = w->code + (at - CODE);
	unsigned int i;

	memset(w, 0, sizeof(*w));
	memset(w->code, NOP, sizeof(w->code));
	memcpy(begin - sizeof(c->before), c->before, sizeof(c->before));
	memset(begin, NOP, RA - at);
	for (i = 0; i < sizeof(c->code) && c->code[i]; i++)
		begin[i] = c->code[i];
	/* Over the call, behind which a jump leads back before it. */
	memcpy(begin + 12, over_call, sizeof(over_call));
	if (c->gap)
		memset(begin + c->gap - (c->gap_len ?: 3), INT3, c->gap_len ?: 3);
	put_x86_call(w->code, CODE, RA, CALLED);
	memset(w->code + (RA - CODE), INT3, BEHIND - RA);
	memcpy(w->code + (BEHIND - CODE), back, sizeof(back));
	put_x86_call(w->code, CODE, CALLERS_RA, 0);
	put_x86_call(w->code, CODE, STALE_RA, 0);
	w->stack[SP] = RA;
	w->stack[SP + 3] = STALE_RA;
	w->stack[FP] = S(FP + 8);
	w->stack[FP + 1] = CALLERS_RA;
}

static void walk_gap(struct kunit *test)
{
	const struct gap_case *c = test->param_value;
	static struct bare_world w;
	struct sframe_regs regs = {
		.pc = c->topmost ? RA : CALLED,
		.sp = S(c->topmost ? SP + 1 : SP),
		.fp = S(FP),
	};
	struct sframe_cursor cur;

	make_world(c, &w);
	sframe_cursor_init(&cur, &sframe_abi_x86, &regs, 16, &bare_ops, &w);
	if (!c->topmost)
		KUNIT_ASSERT_EQ(test, (int)sframe_cursor_next(&cur), (int)SFRAME_OK);
	if (!c->found) {
		KUNIT_EXPECT_EQ(test, (int)sframe_cursor_next(&cur), (int)SFRAME_FP_HIDDEN_RA);
		return;
	}
	KUNIT_ASSERT_EQ(test, (int)sframe_cursor_next(&cur), (int)SFRAME_OK);
	KUNIT_EXPECT_EQ(test, cur.pc, CALLERS_RA);
	KUNIT_EXPECT_EQ(test, cur.sp, S(FP + 2));
	KUNIT_EXPECT_EQ(test, cur.fp, S(FP + 8));
	KUNIT_EXPECT_EQ(test, (int)sframe_cursor_next(&cur), (int)SFRAME_OUTERMOST);
}

static void record_behind_gap(struct kunit *test)
{
	kept_answers_rounds(test, walk_gap);
}

/* Looking for a function without a frame leaves enough of the budget to verify the record. */
static void own_record_in_place(struct kunit *test)
{
	static const u8 prologue[] = { INT3, INT3, PUSH_RBP, MOV_RBP_RSP };
	static const u8 long_nop[] = { 0x0f, 0x1f, 0x80, 0, 0, 0, 0 };
	static struct bare_world w;
	struct sframe_regs regs = { .sp = S(SP), .fp = S(FP) };
	struct sframe_cursor cur;
	unsigned int i;
	u8 *code;

	kept_answers_begin(ANSWERS_NONE);
	memset(&w, 0, sizeof(w));
	memset(w.code, NOP, sizeof(w.code));
	code = w.code + (BEGIN - CODE) - 2;
	memcpy(code, prologue, sizeof(prologue));
	code += sizeof(prologue);
	for (i = 0; i < LONG_WAY; i++, code += sizeof(long_nop))
		memcpy(code, long_nop, sizeof(long_nop));
	regs.pc = CODE + (code - w.code);
	put_x86_call(w.code, CODE, CALLERS_RA, 0);
	put_x86_call(w.code, CODE, STALE_RA, CALLERS_RA);
	w.stack[SP] = STALE_RA;
	w.stack[FP + 1] = CALLERS_RA;
	sframe_cursor_init(&cur, &sframe_abi_x86, &regs, 16, &bare_ops, &w);
	sframe_cursor_set_budget(&cur, SFRAME_BUDGET_INPLACE);
	KUNIT_EXPECT_EQ(test, (int)sframe_cursor_next(&cur), (int)SFRAME_OK);
	KUNIT_EXPECT_EQ(test, cur.pc, CALLERS_RA);
}

static struct kunit_case gap_test_cases[] = {
	KUNIT_CASE_PARAM(record_behind_gap, gap_gen_params),
	KUNIT_CASE(own_record_in_place),
	{}
};

static struct kunit_suite gap_suite = {
	.name = "sframe_gap",
	.test_cases = gap_test_cases,
};

kunit_test_suite(gap_suite);
