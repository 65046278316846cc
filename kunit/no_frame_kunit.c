// SPDX-License-Identifier: GPL-2.0
/*
 * Walks out of x86-64 code that has no frame: where a function has only begun, and where
 * code never has one.
 */
#include <kunit/test.h>

#include <sframe/cursor.h>

/* Bytes between the RA in C's function and that in who has called it, on the stack. */
#define BARE_CALLED_FRAME	24
#include "bare_world.h"

/* Of what nothing is known, where the function begins; C's function; who has called that. */
#define BEGIN		(BARE + 64)
#define FUNCTION	CALLED
#define FUNCTION_RA	(FUNCTION + 64)
#define CALLER_RA	(CALLERS + 64)
/* Behind a call in code of which nothing is known. */
#define BARE_RA		(BARE + 32)
/* A function that jumps by a pointer, and another one. */
#define THUNK		(CALLERS + 256)
#define OTHER		(CALLERS + 384)
#define SP		8
#define NO_FP		1

#define NOP		0x90
#define PUSH_R11	0x41, 0x53
#define PUSH_RBX	0x53
#define POP_RBX		0x5b
#define ADD_SP		0x48, 0x83, 0xc4, 0x08
#define AND_SP		0x48, 0x83, 0xe4, 0xe0
#define MOV_RAX_RBP	0x48, 0x89, 0xc5
#define RET		0xc3
#define MOV_ECX		0xb9
#define INT3		0xcc
#define JMP_RAX		0xff, 0xe0
#define JMP_MEM		0x41, 0xff, 0x65, 0x00
#define CALL_RAX	0xff, 0xd0
/* To itself, with a conditional jump over it; and to what is before, for ever. */
#define JNE_OVER	0x75, 0x02
#define JE_BACK		0x74, 0xfd
#define JMP_BACK	0xeb, 0xfb
#define JMP_SELF	0xeb, 0xfe

/**
 * struct begun_case - a function that has no frame yet, and begins at BEGIN
 * @name: what it shows
 * @before: bytes of a gap before it that are something else: where the gap ends
 * @op: what is before the gap instead of NOP
 * @later: how many bytes later it begins
 * @code: its code
 * @len: the PC is so far in it
 * @uncalled: the word at SP follows no call
 * @fp_lost: then FP is not known
 * @found: that word is RA
 */
struct begun_case {
	const char *name;
	unsigned int before;
	u8 op;
	unsigned int later;
	u8 code[10];
	unsigned int len;
	bool uncalled;
	bool fp_lost;
	bool found;
};

static const struct begun_case begun_cases[] = {
	{ "it has only begun", .before = 3, .code = { NOP, NOP, NOP, JMP_SELF }, .len = 3,
	  .found = true },
	{ "just where it begins", .before = 3, .code = { JMP_SELF }, .found = true },
	{ "a gap of two bytes", .before = 3, .code = { NOP, JMP_SELF }, .len = 1, .found = true },
	{ "of one byte", .before = 2, .code = { NOP, JMP_SELF }, .len = 1 },
	{ "of none", .before = 1, .code = { NOP, JMP_SELF }, .len = 1 },
	{ "not where functions begin", .before = 3, .later = 8, .code = { NOP, JMP_SELF },
	  .len = 1 },
	{ "it jumps over something", .before = 3, .code = { JNE_OVER, JMP_SELF, JMP_SELF },
	  .len = 4, .found = true },
	{ "what it jumps over goes on", .before = 3, .code = { JMP_SELF, NOP, JMP_SELF },
	  .len = 3 },
	{ "behind a function's end", .before = 4, .op = RET, .code = { JMP_SELF }, .found = true },
	{ "the gap is an operand", .before = 5, .op = MOV_ECX, .code = { NOP, JMP_SELF },
	  .len = 1 },
	{ "it has pushed a register", .before = 3, .code = { PUSH_RBX, JMP_SELF }, .len = 1 },
	{ "and another one", .before = 3, .code = { PUSH_R11, JMP_SELF }, .len = 2 },
	{ "it has popped one", .before = 3, .code = { POP_RBX, JMP_SELF }, .len = 1 },
	{ "it has added to SP", .before = 3, .code = { ADD_SP, JMP_SELF }, .len = 4 },
	{ "it has called", .before = 3, .code = { CALL_RAX, JMP_SELF }, .len = 2,
	  .found = true },
	{ "one of two ways leads there", .before = 3,
	  .code = { JNE_OVER, JMP_SELF, PUSH_RBX, NOP, POP_RBX, JMP_SELF }, .len = 7,
	  .found = true },
	{ "past a loop", .before = 3, .code = { NOP, JE_BACK, NOP, JMP_SELF }, .len = 4,
	  .found = true },
	{ "it has aligned SP", .before = 3, .code = { AND_SP, JMP_SELF }, .len = 4 },
	{ "it has put something into FP", .before = 3, .code = { MOV_RAX_RBP, JMP_SELF },
	  .len = 3, .fp_lost = true, .found = true },
	{ "another gap is before the PC", .before = 3, .code = { NOP, INT3, INT3, NOP, JMP_SELF },
	  .len = 3 },
	{ "the PC is no instruction of it", .before = 3, .code = { JMP_MEM, JMP_SELF },
	  .len = 2 },
	{ "no call left what is at SP", .before = 3, .code = { NOP, JMP_SELF }, .len = 1,
	  .uncalled = true },
};

/**
 * struct entered_case - code that has no frame
 * @name: what it shows
 * @code: from the PC on
 * @long_way: so many instructions are before that, which do nothing
 * @words: so many words are between SP and the RA in C
 * @stale: one of them, the first is 1, was left over by a call of such code; 0: none
 * @behind: what is behind that call
 * @calls: what is called before that; 0: what RAX says
 * @function: what is called before the next RA; 0: what RAX says
 * @fp: FP
 * @found: C's function is
 */
struct entered_case {
	const char *name;
	u8 code[10];
	unsigned int long_way;
	unsigned int words;
	unsigned int stale;
	u8 behind[2];
	u64 calls;
	u64 function;
	u64 fp;
	bool found;
};

static const struct entered_case entered_cases[] = {
	{ "it jumps", .code = { JMP_RAX }, .function = FUNCTION, .fp = NO_FP, .found = true },
	{ "by memory", .code = { JMP_MEM }, .words = 3, .function = FUNCTION, .fp = NO_FP,
	  .found = true },
	{ "by push and ret", .code = { PUSH_R11, RET }, .words = 8, .function = FUNCTION,
	  .fp = NO_FP, .found = true },
	{ "by another push", .code = { PUSH_RBX, RET }, .function = FUNCTION, .fp = NO_FP,
	  .found = true },
	{ "a call's of such code among them", .code = { JMP_RAX }, .words = 3, .stale = 2,
	  .behind = { JMP_RAX }, .function = FUNCTION, .fp = NO_FP, .found = true },
	{ "of code with a frame", .code = { JMP_RAX }, .words = 3, .stale = 2,
	  .behind = { POP_RBX, NOP }, .function = FUNCTION, .fp = NO_FP },
	{ "of code that returns", .code = { JMP_RAX }, .words = 3, .stale = 2,
	  .behind = { RET }, .function = FUNCTION, .fp = NO_FP },
	{ "that may have called", .code = { JMP_RAX }, .words = 3, .stale = 1,
	  .behind = { JMP_RAX }, .function = FUNCTION, .fp = NO_FP },
	{ "more words than registers", .code = { JMP_RAX }, .words = 9, .function = FUNCTION,
	  .fp = NO_FP },
	{ "FP is far below", .code = { JMP_RAX }, .function = FUNCTION, .fp = S(SP) - 8,
	  .found = true },
	{ "FP is on the stack", .code = { JMP_RAX }, .function = FUNCTION, .fp = S(SP) + 0x4004 },
	{ "it calls before", .code = { CALL_RAX, JMP_RAX }, .function = FUNCTION, .fp = NO_FP,
	  .found = true },
	{ "it moves SP before", .code = { ADD_SP, JMP_RAX }, .function = FUNCTION,
	  .fp = NO_FP },
	{ "it pushes before", .code = { PUSH_RBX, NOP, JMP_RAX }, .function = FUNCTION,
	  .fp = NO_FP },
	{ "it returns", .code = { RET }, .words = 1, .function = FUNCTION, .fp = NO_FP },
	{ "it stops", .code = { INT3 }, .function = FUNCTION, .fp = NO_FP },
	{ "a loop", .code = { NOP, JE_BACK, JMP_RAX }, .function = FUNCTION, .fp = NO_FP,
	  .found = true },
	{ "a loop that is left by a jump", .code = { NOP, 0x75, 0x03, NOP, JMP_BACK, JMP_RAX },
	  .function = FUNCTION, .fp = NO_FP, .found = true },
	{ "a loop without an end", .code = { JMP_SELF }, .function = FUNCTION, .fp = NO_FP },
	{ "as far as is looked", .code = { JMP_RAX }, .long_way = 255, .function = FUNCTION,
	  .fp = NO_FP, .found = true },
	{ "farther", .code = { JMP_RAX }, .long_way = 256, .function = FUNCTION, .fp = NO_FP },
	{ "what is called jumps by a pointer", .code = { JMP_RAX }, .calls = THUNK,
	  .function = FUNCTION, .fp = NO_FP, .found = true },
	{ "what is called does not", .code = { JMP_RAX }, .calls = OTHER,
	  .function = FUNCTION, .fp = NO_FP },
	{ "C's function was called by a pointer", .code = { JMP_RAX }, .fp = NO_FP },
	{ "another one was called", .code = { JMP_RAX }, .function = OTHER, .fp = NO_FP },
};

KUNIT_ARRAY_PARAM_DESC(begun, begun_cases, name);
KUNIT_ARRAY_PARAM_DESC(entered, entered_cases, name);

static void start_walk(struct sframe_cursor *cur, struct bare_world *w, u64 pc, u64 fp)
{
	struct sframe_regs regs = { .pc = pc, .sp = S(SP), .fp = fp };

	sframe_cursor_init(cur, &sframe_abi_x86, &regs, 16, &bare_ops, w);
}

static void walk_begun(struct kunit *test)
{
	const struct begun_case *c = test->param_value;
	u64 begin = BEGIN + c->later;
	static struct bare_world w;
	struct sframe_cursor cur;

	memset(&w, 0, sizeof(w));
	memset(w.code, INT3, sizeof(w.code));
	w.code[begin - CODE - c->before] = c->op ?: NOP;
	memcpy(w.code + (begin - CODE), c->code, sizeof(c->code));
	if (!c->uncalled)
		put_x86_call(w.code, CODE, CALLER_RA, OTHER);
	w.stack[SP] = CALLER_RA;
	start_walk(&cur, &w, begin + c->len, S(SP + 7));
	if (!c->found) {
		KUNIT_EXPECT_NE(test, (int)sframe_cursor_next(&cur), (int)SFRAME_OK);
		return;
	}
	KUNIT_ASSERT_EQ(test, (int)sframe_cursor_next(&cur), (int)SFRAME_OK);
	KUNIT_EXPECT_EQ(test, cur.pc, CALLER_RA);
	KUNIT_EXPECT_EQ(test, cur.sp, S(SP + 1));
	KUNIT_EXPECT_EQ(test, cur.fp, S(SP + 7));
	KUNIT_EXPECT_EQ(test, cur.fp_known, !c->fp_lost);
}

static void has_no_frame_yet(struct kunit *test)
{
	kept_answers_rounds(test, walk_begun);
}

static void was_entered(struct kunit *test)
{
	static const u8 thunk[] = { NOP, JMP_RAX };
	const struct entered_case *c = test->param_value;
	unsigned int ra = SP + c->words;
	static struct bare_world w;
	struct sframe_cursor cur;

	memset(&w, 0, sizeof(w));
	memset(w.code, INT3, sizeof(w.code));
	memset(w.code + (BEGIN - CODE), NOP, c->long_way);
	memcpy(w.code + (BEGIN - CODE) + c->long_way, c->code, sizeof(c->code));
	memcpy(w.code + (THUNK - CODE), thunk, sizeof(thunk));
	put_x86_call(w.code, CODE, FUNCTION_RA, c->calls);
	put_x86_call(w.code, CODE, CALLER_RA, c->function);
	w.stack[ra] = FUNCTION_RA;
	put_x86_call(w.code, CODE, BARE_RA, 0);
	memcpy(w.code + (BARE_RA - CODE), c->behind, sizeof(c->behind));
	if (c->stale)
		w.stack[SP + c->stale - 1] = BARE_RA;
	w.stack[ra + BARE_CALLED_FRAME / 8] = CALLER_RA;
	/* Not where a function begins. */
	w.code[(BEGIN - CODE) - 1] = NOP;
	start_walk(&cur, &w, BEGIN, c->fp);
	if (!c->found) {
		KUNIT_EXPECT_NE(test, (int)sframe_cursor_next(&cur), (int)SFRAME_OK);
		return;
	}
	KUNIT_ASSERT_EQ(test, (int)sframe_cursor_next(&cur), (int)SFRAME_OK);
	KUNIT_EXPECT_EQ(test, cur.pc, FUNCTION_RA);
	KUNIT_EXPECT_EQ(test, cur.sp, S(ra + 1));
	KUNIT_EXPECT_FALSE(test, cur.fp_known);
	KUNIT_EXPECT_EQ(test, (int)sframe_cursor_next(&cur), (int)SFRAME_OK);
	KUNIT_EXPECT_EQ(test, cur.pc, CALLER_RA);
	KUNIT_EXPECT_EQ(test, (int)sframe_cursor_next(&cur), (int)SFRAME_OUTERMOST);
}

static struct kunit_case no_frame_test_cases[] = {
	KUNIT_CASE_PARAM(has_no_frame_yet, begun_gen_params),
	KUNIT_CASE_PARAM(was_entered, entered_gen_params),
	{}
};

static struct kunit_suite no_frame_suite = {
	.name = "sframe_no_frame",
	.test_cases = no_frame_test_cases,
};

kunit_test_suite(no_frame_suite);
