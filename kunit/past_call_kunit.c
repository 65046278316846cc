// SPDX-License-Identifier: GPL-2.0
/*
 * What lies behind a call that never returns: a part of the function that has no record, or the
 * next function. That of an outer frame, which FP is at then, must not be believed.
 */
#include <kunit/test.h>

#include <sframe/cursor.h>

#include "bare_world.h"

/* A function that is mostly a leaf; where it makes a record, for a call; what is behind that. */
#define FUNCTION	BARE
#define RARE		(BARE + 0x80)
#define BEHIND		(RARE + 9)
/* Another one, which ends itself. */
#define OTHER		(BARE + 0x300)
#define RA		(CALLERS + 64)
#define WORD		(CALLERS + 128)

#define RARE_CALL	"\x55\x48\x89\xe5\xe8\x00\x04\x00\x00"	/* push; mov; call */
#define LEAF		"\x90\x90\x90\xc3"
#define LEAVE		"\x90\x90\xc9\xc3"

/**
 * struct past_call_case - code behind a call
 * @name: what it shows
 * @code: what is there
 * @called: function called before the record's RA
 * @other: likewise, before the word below the record; 0: by a pointer
 * @left: the record is believed to be its own
 */
struct past_call_case {
	const char *name;
	char code[5];
	u64 called;
	u64 other;
	bool left;
};

static const struct past_call_case past_call_cases[] = {
	{ "a part without a record", LEAF, .called = OTHER, .other = FUNCTION },
	{ "the next function", LEAF, .called = RARE },
	{ "it goes on with its record", LEAVE, .called = OTHER, .other = OTHER, .left = true },
	{ "and was called there", LEAVE, .called = RARE, .left = true },
};

KUNIT_ARRAY_PARAM_DESC(past_call, past_call_cases, name);

static void walk_past_call(struct kunit *test)
{
	const struct past_call_case *c = test->param_value;
	static struct bare_world the_world;
	struct bare_world *w = &the_world;

	memset(w, 0, sizeof(*w));
	memset(w->code, 0xcc, sizeof(w->code));
	memset(w->code + (FUNCTION - CODE), 0x90, RARE - FUNCTION);
	/* jne BEHIND */
	put_x86_jump(w->code, CODE, RARE - 5, BEHIND);
	memcpy(w->code + (RARE - 6 - CODE), "\x0f\x85", 2);
	memcpy(w->code + (RARE - CODE), RARE_CALL, sizeof(RARE_CALL) - 1);
	memcpy(w->code + (BEHIND - CODE), c->code, sizeof(c->code) - 1);
	w->code[OTHER - CODE] = 0xc3;
	put_x86_call(w->code, CODE, RA, c->called);
	if (c->other)
		put_x86_call(w->code, CODE, WORD, c->other);
	else
		memcpy(w->code + (WORD - 2 - CODE), "\xff\xd0", 2);
	expect_record_left(test, w, BEHIND + 1, WORD, RA, c->left);
}

static void past_call(struct kunit *test)
{
	kept_answers_rounds(test, walk_past_call);
}

static struct kunit_case past_call_test_cases[] = {
	KUNIT_CASE_PARAM(past_call, past_call_gen_params),
	{}
};

static struct kunit_suite past_call_suite = {
	.name = "sframe_past_call",
	.test_cases = past_call_test_cases,
};

kunit_test_suite(past_call_suite);
