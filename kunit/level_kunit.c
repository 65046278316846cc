// SPDX-License-Identifier: GPL-2.0
/*
 * Functions made at run time that are too long to be followed from where they begin: is SP where
 * that has put it, below the record? Then what else looks like a RA there is none (x86-64).
 */
#include <kunit/test.h>

#include <sframe/cursor.h>

#include "bare_world.h"

/* Where the running function begins; its PC, to which nothing leads; and another function. */
#define FUNCTION	BARE
#define PC		(BARE + 0x200)
#define OTHER		(BARE + 0x300)
#define RA		(CALLERS + 64)
#define WORD		(CALLERS + 128)
/* How far below FP, which is S(20), SP is. */
#define DEPTH		0x50

#define RECORD		"\x55\x48\x89\xe5"		/* push %rbp; mov %rsp, %rbp */
#define SUB(n)		"\x48\x83\xec" n
#define LEA_RSI		"\x48\x8d\x75\xb0"		/* lea -0x50(%rbp), %rsi */
#define RSI_TO_SP	"\x48\x89\xf4"
/* mov %rax, -8(%rbp); and there again */
#define USES_FP		"\x48\x89\x45\xf8\xeb\xfa"

/**
 * struct level_case - a function, and where it is
 * @name: what it shows
 * @begins: its first instructions; a jump to where a pointer says follows
 * @goes_on: the code at the PC; NULL: it uses the record
 * @called: function called before the record's RA; 0: by a pointer
 * @depth: how far below FP SP is, bytes, if not DEPTH
 * @left: by the record
 */
struct level_case {
	const char *name;
	char begins[33];
	const char *goes_on;
	u64 called;
	unsigned int depth;
	bool left;
};

static const struct level_case level_cases[] = {
	{ "SP is moved", RECORD SUB("\x50"), .called = FUNCTION, .left = true },
	{ "behind a mark", "\xf3\x0f\x1e\xfa" RECORD SUB("\x50"), .called = FUNCTION,
	  .left = true },
	{ "behind a gap", "\x90" RECORD SUB("\x50"), .called = FUNCTION, .left = true },
	{ "registers are saved", RECORD "\x41\x54\x53" SUB("\x40"), .called = FUNCTION,
	  .left = true },
	{ "SP is made from FP", RECORD "\x48\x8d\x65\xb0", .called = FUNCTION, .left = true },
	{ "behind a check", RECORD LEA_RSI "\x49\x39\x33\x7f\x10" RSI_TO_SP,
	  .called = FUNCTION, .left = true },
	{ "SP is moved a little", RECORD SUB("\x10"), .called = FUNCTION, .depth = 16,
	  .left = true },
	{ "by as much as a push, and one", RECORD "\x53" SUB("\x08"), .called = FUNCTION,
	  .depth = 16, .left = true },
	{ "registers alone are saved", RECORD "\x41\x54\x53\x90", .called = FUNCTION,
	  .depth = 16 },
	{ "arguments are pushed", RECORD "\x6a\x08\x6a\x07\x90", .called = FUNCTION,
	  .depth = 16 },
	{ "to align them SP is moved", RECORD SUB("\x08") "\x6a\x07", .called = FUNCTION,
	  .depth = 16 },
	{ "they are pushed from memory", RECORD "\xff\x75\x10" SUB("\x08"),
	  .called = FUNCTION, .depth = 16 },
	{ "they are pushed then", RECORD SUB("\x40") "\x57\x56", .called = FUNCTION },
	{ "SP is farther down", RECORD SUB("\x50"), .called = FUNCTION, .depth = 0x60 },
	{ "SP is not so far down", RECORD SUB("\x60"), .called = FUNCTION },
	{ "SP is aligned", RECORD "\x48\x83\xe4\xe0" SUB("\x50"), .called = FUNCTION },
	{ "another value", RECORD LEA_RSI "\x48\x89\xfe" RSI_TO_SP, .called = FUNCTION },
	{ "another register", RECORD LEA_RSI "\x48\x89\xfc", .called = FUNCTION },
	{ "no record at first", SUB("\x50") RECORD, .called = FUNCTION },
	{ "something is called before", RECORD "\xff\xd0" SUB("\x50"), .called = FUNCTION },
	{ "the record is not used", RECORD SUB("\x50"), .goes_on = "\x90\xeb\xfd",
	  .called = FUNCTION },
	{ "FP is lost first", RECORD SUB("\x50"), .goes_on = "\x5d\x48\x89\x45\xf8\xeb\xf9",
	  .called = FUNCTION },
	{ "a function behind the PC", RECORD SUB("\x50"), .called = OTHER },
	{ "called by a pointer", RECORD SUB("\x50") },
};

KUNIT_ARRAY_PARAM_DESC(level, level_cases, name);

static void put_level_code(const struct level_case *c, struct bare_world *w)
{
	const char *goes_on = c->goes_on ?: USES_FP;
	size_t len = strlen(c->begins);

	memset(w, 0, sizeof(*w));
	memset(w->code, 0xcc, sizeof(w->code));
	memcpy(w->code + (FUNCTION - CODE), c->begins, len);
	memcpy(w->code + (FUNCTION - CODE) + len, "\xff\xe0", 2);
	memcpy(w->code + (PC - CODE), goes_on, strlen(goes_on));
	memcpy(w->code + (OTHER - CODE), c->begins, len);
	memcpy(w->code + (OTHER - CODE) + len, "\xff\xe0", 2);
	if (c->called)
		put_x86_call(w->code, CODE, RA, c->called);
	else
		memcpy(w->code + (RA - 2 - CODE), "\xff\xd0", 2);
	memcpy(w->code + (WORD - 2 - CODE), "\xff\xd0", 2);
}

static void walk_level(struct kunit *test)
{
	const struct level_case *c = test->param_value;
	static struct bare_world the_world;
	struct bare_world *w = &the_world;
	struct sframe_regs regs = { .pc = PC, .sp = S(20) - (c->depth ?: DEPTH), .fp = S(20) };
	struct sframe_cursor cur;
	enum sframe_reason end;

	put_level_code(c, w);
	w->stack[19] = WORD;
	w->stack[20] = S(30);
	w->stack[21] = RA;
	sframe_cursor_init(&cur, &sframe_abi_x86, &regs, 16, &made_ops, w);
	end = sframe_cursor_next(&cur);
	KUNIT_EXPECT_EQ(test, (int)end, (int)(c->left ? SFRAME_OK : SFRAME_FP_HIDDEN_RA));
	KUNIT_EXPECT_TRUE(test, end || (cur.pc == RA && cur.sp == S(22)));
}

static void level(struct kunit *test)
{
	kept_answers_rounds(test, walk_level);
}

static struct kunit_case level_test_cases[] = {
	KUNIT_CASE_PARAM(level, level_gen_params),
	{}
};

static struct kunit_suite level_suite = {
	.name = "sframe_level",
	.test_cases = level_test_cases,
};

kunit_test_suite(level_suite);
