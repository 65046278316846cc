// SPDX-License-Identifier: GPL-2.0
/*
 * Walks out of functions of x86-64 that are one jump to where a register says, without a mark;
 * and out of what only looks so.
 */
#include <kunit/test.h>

#include <sframe/cursor.h>

#include "bare_world.h"

#define RA		(CODE + 1792)
#define AT		(BARE + 64)
/* Where RA is; SP is no multiple of 16. */
#define RA_AT		5

#define JUMP		"\xff\xe2"		/* jmp *%rdx */
#define CALL_RAX	"\xff\xd0"
/* 10 and 4 bytes of gap. */
#define GAP		"\x66\x2e\x0f\x1f\x84\0\0\0\0\0\x0f\x1f\x40\0"

/**
 * struct jump_case - a walk
 * @name: what it shows
 * @before: the byte before the jump
 * @moved: it is so many bytes behind where it might be
 * @no_gap: no gap follows
 * @sp: SP is so many words off
 * @direct: what is before RA calls this; 0: whoever a register says
 * @found: RA is found
 */
struct jump_case {
	const char *name;
	u8 before;
	unsigned int moved;
	bool no_gap;
	unsigned int sp;
	u64 direct;
	bool found;
};

static const struct jump_case jump_cases[] = {
	{ "behind a return", 0xc3, .found = true },
	{ "behind a gap", 0x00, .found = true },
	{ "called by its name", 0xc3, .direct = AT, .found = true },
	{ "another one was called", 0xc3, .direct = BARE + 32 },
	{ "behind code", 0xd0 },
	{ "before code", 0xc3, .no_gap = true },
	{ "not where functions begin", 0xc3, .moved = 8 },
	{ "SP is aligned", 0xc3, .sp = 1 },
};

KUNIT_ARRAY_PARAM_DESC(jump, jump_cases, name);

static void walk_jump(struct kunit *test)
{
	const struct jump_case *c = test->param_value;
	struct sframe_regs regs = { .pc = AT + c->moved, .sp = S(RA_AT + c->sp), .fp = 1 };
	static struct bare_world w;
	struct sframe_cursor cur;
	u8 *code = w.code + (regs.pc - CODE);

	memset(&w, 0, sizeof(w));
	memset(w.code, 0xcc, sizeof(w.code));
	/* What is there may be code, and goes on somewhere. */
	memset(code, 0x90, 64);
	code[-1] = c->before;
	memcpy(code, JUMP, 2);
	memcpy(code + 2, GAP, 14);
	if (c->no_gap)
		memcpy(code + 2, JUMP, 2);
	memcpy(w.code + (RA - CODE) - 2, CALL_RAX, 2);
	if (c->direct)
		put_x86_call(w.code, CODE, RA, c->direct);
	w.stack[RA_AT + c->sp] = RA;
	sframe_cursor_init(&cur, &sframe_abi_x86, &regs, 16, &bare_ops, &w);
	KUNIT_ASSERT_EQ(test, !sframe_cursor_next(&cur), c->found);
	if (!c->found)
		return;
	KUNIT_EXPECT_EQ(test, cur.pc, RA);
	KUNIT_EXPECT_EQ(test, cur.sp, S(RA_AT + 1));
	KUNIT_EXPECT_EQ(test, cur.fp, 1ull);
}

static void jump(struct kunit *test)
{
	kept_answers_rounds(test, walk_jump);
}

static struct kunit_case lone_jump_test_cases[] = {
	KUNIT_CASE_PARAM(jump, jump_gen_params),
	{}
};

static struct kunit_suite lone_jump_suite = {
	.name = "sframe_lone_jump",
	.test_cases = lone_jump_test_cases,
};

kunit_test_suite(lone_jump_suite);
