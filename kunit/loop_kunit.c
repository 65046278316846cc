// SPDX-License-Identifier: GPL-2.0
/*
 * Walks from loops whose condition lies behind their body (x86-64): the function begins with a
 * jump to there, so that nothing leads to the PC but a jump back.
 */
#include <kunit/test.h>

#include <sframe/cursor.h>

#include "bare_world.h"

/* The function: its beginning, the body, where the PC is in it, and the condition. */
#define BEGIN		(BARE + 0x100)
#define BODY		(BARE + 0x140)
#define PC		(BARE + 0x160)
#define CONDITION	(BARE + 0x200)
#define RA		(CALLERS + 64)
/* A word that was left below it, by a call of what began before. */
#define OTHER		BARE
#define STALE		(CALLERS + 128)

#define PROLOGUE	"\x55\x48\x89\xe5"	/* push %rbp; mov %rsp, %rbp */
#define RET		"\xc3"

/**
 * struct loop_case - a function with a loop
 * @name: what it shows
 * @jump: where its beginning jumps to
 * @back: and where the condition does
 * @back_at: that is so many bytes behind CONDITION
 * @record: it makes a record
 * @left: the record is believed to be its own
 */
struct loop_case {
	const char *name;
	u64 jump;
	u64 back;
	unsigned int back_at;
	bool record;
	bool left;
};

static const struct loop_case loop_cases[] = {
	{ "a loop", CONDITION, BODY, .record = true, .left = true },
	{ "its condition is large", CONDITION, BODY, .back_at = 64, .record = true, .left = true },
	{ "a part of it", CONDITION, BODY + 16, .record = true, .left = true },
	{ "another loop", CONDITION, PC + 16, .record = true },
	{ "no loop", CONDITION, CONDITION, .record = true },
	{ "it is not jumped to", CONDITION + 128, BODY, .record = true },
	{ "the record is another's", CONDITION, BODY },
};

KUNIT_ARRAY_PARAM_DESC(loop, loop_cases, name);

/* Too large for a kernel stack; the cases of a suite run one by one. */
static struct bare_world the_world;

/* jne @target: as a jump from the next byte on, but for the opcode. */
static void put_branch(u8 *code, u64 at, u64 target)
{
	put_x86_jump(code, CODE, at + 1, target);
	memcpy(code + (at - CODE), "\x0f\x85", 2);
}

static void walk_loop(struct kunit *test)
{
	const struct loop_case *c = test->param_value;
	struct bare_world *w = &the_world;

	memset(w, 0, sizeof(*w));
	memset(w->code, 0xcc, sizeof(w->code));
	memset(w->code + (BODY - CODE), 0x90, CONDITION - BODY);
	/* Jumps to who knows where: no way out is seen. */
	memcpy(w->code + (CONDITION - 2 - CODE), "\xff\xe0", 2);
	memset(w->code + (CONDITION - CODE), 0x90, 128);
	put_branch(w->code, CONDITION + c->back_at, c->back);
	memcpy(w->code + (CONDITION + c->back_at + 6 - CODE), "\xff\xe0", 2);
	memset(w->code + (BEGIN - CODE), 0x90, 4);
	if (c->record)
		memcpy(w->code + (BEGIN - CODE), PROLOGUE, 4);
	put_x86_jump(w->code, CODE, BEGIN + 4, c->jump);
	memcpy(w->code + (OTHER - CODE), RET, 1);
	put_x86_call(w->code, CODE, RA, BEGIN);
	put_x86_call(w->code, CODE, STALE, OTHER);
	expect_record_left(test, w, PC, STALE, RA, c->left);
}

static void loop(struct kunit *test)
{
	kept_answers_rounds(test, walk_loop);
}

static struct kunit_case loop_test_cases[] = {
	KUNIT_CASE_PARAM(loop, loop_gen_params),
	{}
};

static struct kunit_suite loop_suite = {
	.name = "sframe_loop",
	.test_cases = loop_test_cases,
};

kunit_test_suite(loop_suite);
