// SPDX-License-Identifier: GPL-2.0
/*
 * Walks out of functions of x86-64 that were called by a pointer: where they begin, their
 * code says.
 */
#include <kunit/test.h>

#include <sframe/cursor.h>

#include "bare_world.h"

/* What has called the function, and what is left over on the stack. */
#define RA		(CODE + 1792)
#define STALE		(CODE + 1856)
/* SP of the function, whose callee has no more than its RA. */
#define SP_AT		4
/* On the stack, for what is left over nowhere. */
#define NOWHERE		(STACK_WORDS - 1)

#define MARK		"\xf3\x0f\x1e\xfa"	/* endbr64 */
#define PUSH		"\x53"			/* push %rbx */
#define POP		"\x5b"
#define SUB_32		"\x48\x83\xec\x20"
#define ADD_32		"\x48\x83\xc4\x20"
#define SUB_16		"\x48\x83\xec\x10"
#define ADD_16		"\x48\x83\xc4\x10"
#define SET_FP		"\x55\x48\x89\xe5"	/* push %rbp; mov %rsp, %rbp */
#define AND_32		"\x48\x83\xe4\xe0"	/* and $-32, %rsp */
#define CLEAR		"\x31\xc0"		/* xor %eax, %eax */
#define CALL		"\xe8\x10\xff\xff\xff"	/* of another function */
#define RET		"\xc3"

/**
 * struct entry_case - a walk
 * @name: what it shows
 * @code: the function, and what is around it
 * @len: bytes of it
 * @at: where in it the PC is, behind a call
 * @ra: where RA is, in words
 * @stale: where another word is that follows a call by a pointer
 * @direct: RA follows a call of another function
 * @topmost: the function has not called anything
 * @found: RA is found
 */
struct entry_case {
	const char *name;
	const char *code;
	unsigned int len;
	unsigned int at;
	unsigned int ra;
	unsigned int stale;
	bool direct;
	bool topmost;
	bool found;
};

#define is(before, after)						\
	.code = before after, .at = sizeof(before) - 1,			\
	.len = sizeof(before after) - 1
/* Behind the call there is another function. */
#define NEVER_RETURNS	MARK RET

static const struct entry_case entry_cases[] = {
	{ "it never returns", is(MARK PUSH CALL, NEVER_RETURNS), .ra = SP_AT + 1,
	  .stale = NOWHERE, .found = true },
	{ "a larger frame, and a word left over in it", is(MARK PUSH SUB_32 CALL, NEVER_RETURNS),
	  .ra = SP_AT + 5, .stale = SP_AT + 1, .found = true },
	{ "the same, past another call", is(MARK PUSH SUB_32 CALL CLEAR CALL, NEVER_RETURNS),
	  .ra = SP_AT + 5, .stale = SP_AT + 1, .found = true },
	{ "no mark", is(PUSH CALL, NEVER_RETURNS), .ra = SP_AT + 1, .stale = NOWHERE },
	{ "the mark is behind the call", is(PUSH CALL, MARK PUSH RET), .ra = SP_AT + 1,
	  .stale = NOWHERE },
	{ "RA follows a call of another function", is(MARK PUSH CALL, NEVER_RETURNS),
	  .ra = SP_AT + 1, .stale = NOWHERE, .direct = true },
	{ "SP was not aligned when it was called", is(MARK PUSH PUSH CALL, NEVER_RETURNS),
	  .ra = SP_AT + 2, .stale = NOWHERE },
	{ "a mark inside, words are pushed for the call",
	  is(MARK PUSH SUB_32 CALL MARK PUSH PUSH CALL, NEVER_RETURNS),
	  .ra = SP_AT + 7, .stale = SP_AT + 2 },
	{ "a mark inside, nothing is", is(MARK PUSH SUB_32 CALL MARK CALL, NEVER_RETURNS),
	  .ra = SP_AT + 5, .stale = SP_AT },
	{ "what has the mark is before it, and has not returned",
	  is(MARK PUSH CALL CLEAR PUSH CALL, NEVER_RETURNS), .ra = SP_AT + 1,
	  .stale = SP_AT + 2, .direct = true },
	{ "the same, and there are two of them, which makes it even",
	  is(MARK PUSH CALL CLEAR PUSH CALL CLEAR PUSH CALL, NEVER_RETURNS), .ra = SP_AT + 1,
	  .stale = SP_AT + 3, .direct = true },
	{ "it aligns SP itself, a word is left over in the gap",
	  is(MARK SET_FP AND_32 SUB_32 CALL, NEVER_RETURNS), .ra = SP_AT + 7,
	  .stale = SP_AT + 5 },
	{ "it may return, a word is left over", is(MARK PUSH SUB_32 CALL, ADD_32 POP RET),
	  .ra = SP_AT + 5, .stale = SP_AT + 1, .found = true },
	{ "the same, but no mark", is(PUSH SUB_32 CALL, ADD_32 POP RET),
	  .ra = SP_AT + 5, .stale = SP_AT + 1 },
	{ "the same, but it was entered with more on the stack",
	  is(MARK PUSH PUSH PUSH SUB_32 CALL, ADD_32 POP RET), .ra = SP_AT + 5,
	  .stale = SP_AT + 1 },
	{ "the topmost, a word is left over", is(MARK PUSH SUB_32, CALL ADD_32 POP RET),
	  .ra = SP_AT + 5, .stale = SP_AT + 1, .topmost = true, .found = true },
	{ "the topmost, a mark inside",
	  is(MARK PUSH SUB_32 CALL MARK SUB_16, ADD_16 CALL SUB_16 ADD_16 RET),
	  .ra = SP_AT + 1, .stale = SP_AT + 2, .topmost = true },
	{ "the topmost, it never returns", is(MARK PUSH SUB_32, CALL NEVER_RETURNS),
	  .ra = SP_AT + 5, .stale = SP_AT + 1, .topmost = true },
};

KUNIT_ARRAY_PARAM_DESC(entry, entry_cases, name);

static void world_set(struct bare_world *w, const struct entry_case *c)
{
	static const u8 by_pointer[] = { 0xff, 0xd0 };
	static const u8 direct[] = { 0xe8, 1, 0, 0, 0 };

	memset(w, 0, sizeof(*w));
	memset(w->code, 0xcc, sizeof(w->code));
	memcpy(w->code + (BARE - CODE), c->code, c->len);
	memcpy(w->code + (STALE - CODE) - sizeof(by_pointer), by_pointer, sizeof(by_pointer));
	if (c->direct)
		memcpy(w->code + (RA - CODE) - sizeof(direct), direct, sizeof(direct));
	else
		memcpy(w->code + (RA - CODE) - sizeof(by_pointer), by_pointer,
		       sizeof(by_pointer));
	w->stack[SP_AT - 1] = BARE + c->at;
	w->stack[c->stale] = STALE;
	w->stack[c->ra] = RA;
}

static void walk_entered(struct kunit *test)
{
	const struct entry_case *c = test->param_value;
	struct sframe_regs regs = { .pc = CALLED, .sp = S(SP_AT - 1), .fp = 1 };
	static struct bare_world w;
	struct sframe_cursor cur;

	world_set(&w, c);
	if (c->topmost) {
		regs.pc = BARE + c->at;
		regs.sp = S(SP_AT);
	}
	sframe_cursor_init(&cur, &sframe_abi_x86, &regs, 16, &bare_ops, &w);
	if (!c->topmost)
		KUNIT_ASSERT_EQ(test, (int)sframe_cursor_next(&cur), (int)SFRAME_OK);
	KUNIT_ASSERT_EQ(test, cur.pc, BARE + c->at);
	KUNIT_EXPECT_EQ(test, !sframe_cursor_next(&cur), c->found);
	if (!c->found)
		return;
	KUNIT_EXPECT_EQ(test, cur.pc, RA);
	KUNIT_EXPECT_TRUE(test, cur.sp_known);
	KUNIT_EXPECT_EQ(test, cur.sp, S(c->ra + 1));
	KUNIT_EXPECT_EQ(test, (int)sframe_cursor_next(&cur), (int)SFRAME_OUTERMOST);
}

static void entered_by_pointer(struct kunit *test)
{
	kept_answers_rounds(test, walk_entered);
}

static struct kunit_case entry_test_cases[] = {
	KUNIT_CASE_PARAM(entered_by_pointer, entry_gen_params),
	{}
};

static struct kunit_suite entry_suite = {
	.name = "sframe_entry",
	.test_cases = entry_test_cases,
};

kunit_test_suite(entry_suite);
