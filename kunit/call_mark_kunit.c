// SPDX-License-Identifier: GPL-2.0
/*
 * Walks by what HotSpot puts behind the calls of what it compiles.
 */
#include <kunit/test.h>

#include <sframe/cursor.h>

#include "bare_world.h"

/* What has called what is called holds its code from HELD on; who called that. */
#define HELD		BARE
#define ENTRY		(HELD + 0x270)
#define MARKED		(HELD + 0x300)
#define RA		(CODE + 1792)
/* SP where it is called; in what has called it; that one's frame is 64 bytes and FP. */
#define SP_CALLED	3
#define SP_MARKED	4
#define OLD_FP		0x1234567812345678ull

#define TOUCH		"\x89\x84\x24\x00\xc0\xfe\xff"
#define PUSH		"\x55"
#define SUB		"\x48\x83\xec\x40"
#define SUB_MORE	"\x48\x81\xec\x40\0\0\0"
#define MARK(b)		"\x0f\x1f\x84\x00" b
#define BACK		"\x00\x03\x00\x05"

/**
 * struct mark_case - a walk
 * @name: what it shows
 * @mark: what is behind the call
 * @mark_len: bytes of it
 * @begin: how the function begins
 * @begin_len: bytes of that
 * @at: where it begins
 * @size: words from its SP to its RA; 0: nobody is found
 * @copy: the RA of what is called was taken so many words too low
 * @uncalled: RA follows no call
 * @again: so many words farther out is the same frame, with a RA that does
 */
struct mark_case {
	const char *name;
	const char *mark;
	unsigned int mark_len;
	const char *begin;
	unsigned int begin_len;
	u64 at;
	unsigned int size;
	unsigned int copy;
	bool uncalled;
	unsigned int again;
};

#define mark_of(m)	.mark = (m), .mark_len = sizeof(m) - 1
#define begins(b)	.begin = (b), .begin_len = sizeof(b) - 1, .at = ENTRY
#define USUAL		mark_of(MARK(BACK)), begins(TOUCH PUSH SUB)

static const struct mark_case mark_cases[] = {
	{ "FP is pushed", USUAL, .size = 9 },
	{ "a large frame", mark_of(MARK(BACK)), begins(TOUCH PUSH SUB_MORE), .size = 9 },
	{ "with a record", mark_of(MARK(BACK)), begins(TOUCH PUSH "\x48\x89\xe5" SUB), .size = 9 },
	{ "with a record, otherwise", mark_of(MARK(BACK)),
	  begins(TOUCH PUSH "\x48\x8b\xec" SUB), .size = 9 },
	{ "FP is stored", mark_of(MARK(BACK)), begins(SUB "\x48\x89\x6c\x24\x38"), .size = 8 },
	{ "FP is stored in a large frame", mark_of(MARK(BACK)),
	  begins(SUB_MORE "\x48\x89\xac\x24\x38\0\0\0"), .size = 8 },
	{ "it will be interpreted", mark_of("\x0f\xff\x00\xa9" BACK), begins(TOUCH PUSH SUB),
	  .size = 9 },
	{ "what is called had its RA twice", USUAL, .size = 9, .copy = 4 },
	{ "the copy makes SP odd", USUAL, .size = 9, .copy = 3 },
	{ "nothing is marked", mark_of(MARK("\0\0\0\0")), begins(TOUCH PUSH SUB) },
	{ "another instruction", mark_of("\x0f\x1f\x80\x00" BACK), begins(TOUCH PUSH SUB) },
	{ "it says too little", mark_of(MARK("\x80\0\0\0")), begins(TOUCH PUSH SUB) },
	{ "it says too much", mark_of(MARK("\0\0\0\x05")), begins(TOUCH PUSH SUB) },
	{ "it begins behind the call", mark_of(MARK(BACK)), .begin = TOUCH PUSH SUB,
	  .begin_len = 12, .at = MARKED + 16 },
	{ "it does not touch the stack", mark_of(MARK(BACK)), begins("\x90" PUSH SUB) },
	{ "it does not push FP", mark_of(MARK(BACK)), begins(TOUCH "\x56" SUB) },
	{ "it makes no frame", mark_of(MARK(BACK)), begins(TOUCH PUSH "\x90\x90\x90\x90") },
	{ "FP is stored elsewhere", mark_of(MARK(BACK)), begins(SUB "\x48\x89\x6c\x24\x30") },
	{ "another register is stored", mark_of(MARK(BACK)), begins(SUB "\x48\x89\x5c\x24\x38") },
	{ "a frame of odd size", mark_of(MARK(BACK)), begins(TOUCH PUSH "\x48\x83\xec\x41") },
	{ "the RA follows no call", USUAL, .uncalled = true },
	{ "though one that was left over does", USUAL, .uncalled = true, .again = 12 },
};

KUNIT_ARRAY_PARAM_DESC(mark, mark_cases, name);

static void world_set(struct bare_world *w, const struct mark_case *c)
{
	static const u8 call[] = { 0xe8, 1, 2, 3, 4 };

	memset(w, 0, sizeof(*w));
	memset(w->code, 0xcc, sizeof(w->code));
	memcpy(w->code + (MARKED - CODE) - sizeof(call), call, sizeof(call));
	memcpy(w->code + (MARKED - CODE), c->mark, c->mark_len);
	memcpy(w->code + (c->at - CODE), c->begin, c->begin_len);
	if (!c->uncalled)
		memcpy(w->code + (RA - CODE) - sizeof(call), call, sizeof(call));
	w->stack[SP_CALLED] = MARKED;
	w->stack[SP_CALLED + c->copy] = MARKED;
	w->stack[SP_MARKED + c->copy + 7] = OLD_FP;
	w->stack[SP_MARKED + c->copy + (c->size ?: 9)] = RA;
	if (c->again) {
		w->stack[SP_CALLED + c->again] = MARKED;
		w->stack[SP_MARKED + c->again + 9] = MARKED;
	}
	if (c->size == 9)
		w->stack[SP_MARKED + c->copy + 8] = OLD_FP;
}

static void walk_marked(struct kunit *test)
{
	const struct mark_case *c = test->param_value;
	struct sframe_regs regs = { .pc = CALLED, .sp = S(SP_CALLED), .fp = 1 };
	static struct bare_world w;
	struct sframe_cursor cur;

	world_set(&w, c);
	sframe_cursor_init(&cur, &sframe_abi_x86, &regs, 16, &made_ops, &w);
	KUNIT_ASSERT_EQ(test, (int)sframe_cursor_next(&cur), (int)SFRAME_OK);
	KUNIT_ASSERT_EQ(test, cur.pc, MARKED);
	if (!c->size || (SP_MARKED + c->copy) % 2) {
		KUNIT_EXPECT_NE(test, (int)sframe_cursor_next(&cur), (int)SFRAME_OK);
		return;
	}
	KUNIT_ASSERT_EQ(test, (int)sframe_cursor_next(&cur), (int)SFRAME_OK);
	KUNIT_EXPECT_EQ(test, cur.pc, RA);
	KUNIT_EXPECT_TRUE(test, cur.sp_known && cur.fp_known);
	KUNIT_EXPECT_EQ(test, cur.sp, S(SP_MARKED + c->copy + c->size + 1));
	KUNIT_EXPECT_EQ(test, cur.fp, OLD_FP);
	KUNIT_EXPECT_EQ(test, (int)sframe_cursor_next(&cur), (int)SFRAME_OUTERMOST);
}

static void marked(struct kunit *test)
{
	kept_answers_rounds(test, walk_marked);
}

/* An interpreter's record, at FP; where its caller had SP, above its own variables. */
#define RECORD		10
#define SP_CALLER	14
/* What was called before it, from deeper down, has left this where SP right above would say. */
#define STALE_RA	(CODE + 1600)

/* Walk from an interpreter; @kept: the SP that it has stored. The caller of its caller. */
static u64 walk_interpreted(struct kunit *test, u64 kept, u64 caller_sp)
{
	static const struct mark_case c = { .name = "interpreted", USUAL, .size = 9 };
	struct sframe_regs regs = { .pc = HELD + 64, .sp = S(0), .fp = S(RECORD) };
	static struct bare_world w;
	struct sframe_cursor cur;

	world_set(&w, &c);
	memset(w.stack, 0, sizeof(w.stack));
	memcpy(w.code + (STALE_RA - CODE) - 5, "\xe8\1\2\3\4", 5);
	w.stack[RECORD - 2] = kept;
	w.stack[RECORD - 1] = caller_sp;
	w.stack[RECORD] = OLD_FP;
	w.stack[RECORD + 1] = MARKED;
	w.stack[RECORD + 2 + c.size] = STALE_RA;
	w.stack[SP_CALLER + c.size] = RA;
	sframe_cursor_init(&cur, &sframe_abi_x86, &regs, 16, &made_ops, &w);
	KUNIT_EXPECT_EQ(test, (int)sframe_cursor_next(&cur), (int)SFRAME_OK);
	KUNIT_EXPECT_EQ(test, cur.pc, MARKED);
	KUNIT_EXPECT_EQ(test, (int)sframe_cursor_next(&cur), (int)SFRAME_OK);
	return cur.pc;
}

/* What has called an interpreter is left from where that says that SP was. */
static void interpreted(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, walk_interpreted(test, 0, S(SP_CALLER)), RA);
	KUNIT_EXPECT_EQ(test, walk_interpreted(test, 0, S(RECORD + 2)), STALE_RA);
	/* That is no interpreter which runs, or no SP: then right above the record. */
	KUNIT_EXPECT_EQ(test, walk_interpreted(test, 1, S(SP_CALLER)), STALE_RA);
	KUNIT_EXPECT_EQ(test, walk_interpreted(test, 0, S(SP_CALLER) + 1), STALE_RA);
	KUNIT_EXPECT_EQ(test, walk_interpreted(test, 0, S(RECORD)), STALE_RA);
}

/* No program's file has such code: there it is not looked for. */
static void not_in_files(struct kunit *test)
{
	static const struct mark_case c = { .name = "in a file", USUAL, .size = 9 };
	struct sframe_regs regs = { .pc = CALLED, .sp = S(SP_CALLED), .fp = 1 };
	static struct bare_world w;
	struct sframe_cursor cur;

	world_set(&w, &c);
	kept_answers_begin(ANSWERS_NEW);
	sframe_cursor_init(&cur, &sframe_abi_x86, &regs, 16, &bare_ops, &w);
	KUNIT_ASSERT_EQ(test, (int)sframe_cursor_next(&cur), (int)SFRAME_OK);
	KUNIT_EXPECT_NE(test, (int)sframe_cursor_next(&cur), (int)SFRAME_OK);
	kept_answers_begin(ANSWERS_NONE);
}

static struct kunit_case mark_test_cases[] = {
	KUNIT_CASE_PARAM(marked, mark_gen_params),
	KUNIT_CASE(interpreted),
	KUNIT_CASE(not_in_files),
	{}
};

static struct kunit_suite mark_suite = {
	.name = "sframe_call_mark",
	.test_cases = mark_test_cases,
};

kunit_test_suite(mark_suite);
