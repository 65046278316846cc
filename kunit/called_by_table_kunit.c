// SPDX-License-Identifier: GPL-2.0
/*
 * Walks from code without a table and without a way out, below whose record a word was left that
 * follows a call of a function with a table (x86-64): what that function's code says of the word.
 */
#include <kunit/test.h>

#include <sframe/cursor.h>

#include "bare_world.h"

#define PC		(BARE + 0x160)
#define RA		(CALLERS + 64)
#define STALE		(CALLERS + 128)
/* The function; what its slot leads to; the slot. */
#define FUNCTION	CALLED
#define SLOT_TARGET	(CALLED + 64)
#define SLOT		(CALLED + 128)

#define RET		"\xc3"
#define JUMP_BY_POINTER	"\xff\xe0"			/* jmp *%rax */
/* At FUNCTION: jmp, as the function itself is no stub, to a stub: jmp *SLOT(%rip) */
#define JUMP_BY_SLOT	"\xeb\x02\x90\x90\xff\x25\x76\x00\x00\x00"
/* nop; jmp *SLOT(%rip) */
#define JUMP_BY_DATA	"\x90\xff\x25\x79\x00\x00\x00"
#define CODE_MAX	10

/**
 * struct called_case - a function before the stale word
 * @name: what it shows
 * @target: what was called
 * @code: its code
 * @slot: what is in its slot
 * @slot_code: and the code at SLOT_TARGET
 * @ra_target: what was called before the record's RA; 0: a pointer says it
 * @changed: function that may be something else by now
 * @left: the record is believed
 */
struct called_case {
	const char *name;
	u64 target;
	char code[CODE_MAX];
	u64 slot;
	char slot_code[CODE_MAX];
	u64 ra_target;
	u64 changed;
	bool left;
};

static const struct called_case called_cases[] = {
	{ "returns", FUNCTION, RET, .left = true },
	{ "hands on to a pointer", FUNCTION, JUMP_BY_POINTER },
	{ "jumps by a slot", FUNCTION, JUMP_BY_SLOT, SLOT_TARGET, RET, .left = true },
	{ "jumps by a variable, for all that is known", FUNCTION, JUMP_BY_DATA, SLOT_TARGET, RET },
	{ "jumps by a slot, and hands on", FUNCTION, JUMP_BY_SLOT, SLOT_TARGET, JUMP_BY_POINTER },
	{ "jumps by a slot to here", FUNCTION, JUMP_BY_SLOT, PC - 16, RET },
	{ "jumps by a slot to itself", FUNCTION, JUMP_BY_SLOT, FUNCTION, RET },
	{ "jumps by a slot to nothing", FUNCTION, JUMP_BY_SLOT, 0, RET },
	{ "has no table", BARE, RET },
	{ "and so does what was called before RA", FUNCTION, RET, .ra_target = FUNCTION },
	{ "what was called before RA hands on", FUNCTION, RET, 0, JUMP_BY_POINTER,
	  .ra_target = SLOT_TARGET, .left = true },
	{ "may have no table by now", FUNCTION, RET, .changed = FUNCTION },
	{ "what was called before RA may", FUNCTION, RET, 0, RET, .ra_target = SLOT_TARGET,
	  .changed = SLOT_TARGET },
};

KUNIT_ARRAY_PARAM_DESC(called, called_cases, name);

/* Too large for a kernel stack; the cases of a suite run one by one. */
static struct bare_world the_world;

static void walk_called(struct kunit *test)
{
	const struct called_case *c = test->param_value;
	struct bare_world *w = &the_world;

	memset(w, 0, sizeof(*w));
	memset(w->code, 0xcc, sizeof(w->code));
	memset(w->code + (PC - 16 - CODE), 0x90, 32);
	/* No way out is seen. */
	memcpy(w->code + (PC + 16 - CODE), JUMP_BY_POINTER, 2);
	memcpy(w->code + (c->target - CODE), c->code, CODE_MAX);
	memcpy(w->code + (SLOT_TARGET - CODE), c->slot_code, CODE_MAX);
	memcpy(w->code + (SLOT - CODE), &c->slot, sizeof(c->slot));
	put_x86_call(w->code, CODE, STALE, c->target);
	memcpy(w->code + (RA - 2 - CODE), "\xff\xd0", 2);	/* call *%rax */
	if (c->ra_target)
		put_x86_call(w->code, CODE, RA, c->ra_target);
	bare_changed = c->changed;
	expect_record_left(test, w, PC, STALE, RA, c->left);
	bare_changed = 0;
}

static void called(struct kunit *test)
{
	kept_answers_rounds(test, walk_called);
}

static struct kunit_case called_by_table_test_cases[] = {
	KUNIT_CASE_PARAM(called, called_gen_params),
	{}
};

static struct kunit_suite called_by_table_suite = {
	.name = "sframe_called_by_table",
	.test_cases = called_by_table_test_cases,
};

kunit_test_suite(called_by_table_suite);
