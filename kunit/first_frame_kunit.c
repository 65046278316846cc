// SPDX-License-Identifier: GPL-2.0
/*
 * Walks to where a program, or a thread, begins, from what no code says how to leave.
 */
#include <kunit/test.h>

#include <sframe/cursor.h>

#include "simple_world.h"

#define CODE		0x400000ull
#define CODE_LEN	512
#define PC		(CODE + 64)
/* Where the program begins, and what follows its call; another call's. */
#define ENTRY		(CODE + 256)
#define RA		(ENTRY + 32)
#define CALL_LEN	5
#define OTHER_RA	(CODE + 128)
#define STACK		0x7ff000000000ull
#define STACK_WORDS	128
#define S(n)		(STACK + 8ull * (n))
#define START		100

/**
 * struct start_case - a walk
 * @name: what it shows
 * @sp: SP, in words
 * @start: SP where the program has begun, bytes from the stack's on; 0: not known
 * @calls: what is called before RA; 0: what begins at %CODE
 * @uncalled: it follows no call
 * @elsewhere: before that call is something else than where programs begin
 * @begin: where RA is, if not right below where the program has begun: the table of what
 *	begins it says that the stack ends there; 0: it has no table
 * @other: where a word is that follows another call; 0: nowhere
 * @hidden: the code before that cannot be read
 * @frame: the other one has a table, and its frame is so large, bytes
 * @stale: where one more such word is; 0: nowhere
 * @found: RA is the outermost
 */
struct start_case {
	const char *name;
	unsigned int sp;
	unsigned int start;
	u64 calls;
	bool uncalled;
	bool elsewhere;
	unsigned int begin;
	unsigned int other;
	bool hidden;
	unsigned int frame;
	unsigned int stale;
	bool found;
};

static const struct start_case start_cases[] = {
	{ "called at once", .sp = START - 1, .start = 8 * START, .found = true },
	{ "with a frame", .sp = START - 20, .start = 8 * START, .found = true },
	{ "SP is aligned first", .sp = START - 20, .start = 8 * START + 8, .found = true },
	{ "with as large a frame as there may be", .sp = START - 65, .start = 8 * START,
	  .found = true },
	{ "with a larger one", .sp = START - 66, .start = 8 * START },
	{ "nobody knows where it has begun", .sp = START - 20 },
	{ "SP is where it has begun", .sp = START, .start = 8 * START },
	{ "on another stack", .sp = START, .start = 8 },
	{ "another RA is below", .sp = START - 20, .start = 8 * START, .other = START - 3 },
	{ "another RA is below SP", .sp = START - 20, .start = 8 * START, .other = START - 21,
	  .found = true },
	{ "another RA is above", .sp = START - 20, .start = 8 * START, .other = START + 1,
	  .found = true },
	{ "and leads there", .sp = START - 20, .start = 8 * START, .other = START - 9,
	  .frame = 64, .found = true },
	{ "and leads elsewhere", .sp = START - 20, .start = 8 * START, .other = START - 9,
	  .frame = 40 },
	{ "where it begins pushes words", .sp = START - 20, .start = 8 * START,
	  .other = START - 9, .frame = 48, .begin = START - 3, .found = true },
	{ "something was left over between", .sp = START - 20, .start = 8 * START,
	  .other = START - 9, .frame = 64, .stale = START - 5, .found = true },
	{ "it was left over below", .sp = START - 20, .start = 8 * START,
	  .other = START - 9, .frame = 64, .stale = START - 15 },
	{ "what is called there is another function", .sp = START - 20, .start = 8 * START,
	  .other = START - 9, .frame = 64, .calls = CODE + 256 },
	{ "it is the one", .sp = START - 20, .start = 8 * START,
	  .other = START - 9, .frame = 64, .calls = CODE + 64, .found = true },
	{ "it is hidden whether there is one below", .sp = START - 20, .start = 8 * START,
	  .other = START - 3, .hidden = true },
	{ "no program begins so", .sp = START - 20, .start = 8 * START, .elsewhere = true },
	{ "what is there follows no call", .sp = START - 20, .start = 8 * START,
	  .uncalled = true },
};

KUNIT_ARRAY_PARAM_DESC(start, start_cases, name);

struct start_world {
	const struct start_case *c;
	u8 code[CODE_LEN];
	u64 stack[STACK_WORDS];
};

static enum sframe_reason start_find(void *ctx, u64 pc, struct sframe_rule *rule)
{
	const struct start_world *w = ctx;

	if (pc - CODE >= CODE_LEN)
		return SFRAME_NO_MAPPING;
	*rule = (struct sframe_rule){ .flags = SFRAME_RULE_NO_FDE };
	if (pc >= ENTRY && w->c->begin)
		rule->flags = SFRAME_RULE_OUTERMOST;
	if (pc == OTHER_RA - 1 && w->c->frame)
		*rule = rule_by_sp(w->c->frame);
	return SFRAME_OK;
}

static int start_read(void *ctx, u64 addr, void *buf, unsigned int len)
{
	const struct start_world *w = ctx;

	if (w->c->hidden && addr < OTHER_RA && addr + len > OTHER_RA - 8)
		return -1;
	return read_array(addr, buf, len, CODE, w->code) ||
	       read_array(addr, buf, len, STACK, w->stack) ? 0 : -1;
}

static const struct sframe_cursor_ops start_ops = {
	.find = start_find,
	.find_kept = nothing_kept,
	.read = start_read,
	.read_code = start_read,
	.reg = no_register,
};

static void world_set(struct start_world *w, const struct start_case *c)
{
	/* and $-16, %rsp */
	static const u8 align[] = { 0x48, 0x83, 0xe4, 0xf0 };
	u8 *call = w->code + (RA - CODE) - CALL_LEN;

	memset(w, 0, sizeof(*w));
	memset(w->code, 0xcc, sizeof(w->code));
	/* What is at the PC does not begin there, behind a gap. */
	w->code[PC - CODE - 1] = 0x90;
	memcpy(call - sizeof(align), align, sizeof(align));
	put_x86_call(w->code, CODE, RA, c->calls ?: CODE);
	if (c->elsewhere)
		call[-1] = 0x90;
	if (c->uncalled)
		*call = 0xcc;
	put_x86_call(w->code, CODE, OTHER_RA, 0);
	w->c = c;
	w->stack[c->begin ?: START - 1] = RA;
	if (c->other)
		w->stack[c->other] = OTHER_RA;
	if (c->stale)
		w->stack[c->stale] = OTHER_RA;
}

static void to_start(struct kunit *test)
{
	const struct start_case *c = test->param_value;
	struct sframe_regs regs = { .pc = PC, .sp = S(c->sp), .fp = 1 };
	static struct start_world w;
	struct sframe_cursor cur;

	world_set(&w, c);
	sframe_cursor_init(&cur, &sframe_abi_x86, &regs, 16, &start_ops, &w);
	cur.start = c->start ? STACK + c->start : 0;
	if (!c->found) {
		KUNIT_EXPECT_NE(test, (int)sframe_cursor_next(&cur), (int)SFRAME_OK);
		return;
	}
	KUNIT_ASSERT_EQ(test, (int)sframe_cursor_next(&cur), (int)SFRAME_OK);
	KUNIT_EXPECT_EQ(test, cur.pc, c->frame ? OTHER_RA : RA);
	KUNIT_EXPECT_EQ(test, cur.sp, S(c->frame ? c->other + 1 : START));
	KUNIT_EXPECT_FALSE(test, cur.fp_known);
	if (c->frame)
		KUNIT_EXPECT_EQ(test, (int)sframe_cursor_next(&cur), (int)SFRAME_OK);
	KUNIT_EXPECT_EQ(test, cur.pc, RA);
	KUNIT_EXPECT_NE(test, (int)sframe_cursor_next(&cur), (int)SFRAME_OK);
}

/**
 * struct thread_case - a walk to where a thread begins
 * @name: what it shows
 * @frame: words of its first function's frame
 * @uncalled: what has called that follows no call
 * @goes_on: nor ends the thread
 * @other: where a word is that follows another call, in words from SP; 0: nowhere
 * @found: the thread's beginning is found
 */
struct thread_case {
	const char *name;
	unsigned int frame;
	bool uncalled;
	bool goes_on;
	unsigned int other;
	bool found;
};

static const struct thread_case thread_cases[] = {
	{ "with a frame", .frame = 3, .found = true },
	{ "without a frame", .found = true },
	{ "with as large a frame as there may be", .frame = 7, .found = true },
	{ "with a larger one", .frame = 8 },
	{ "it may return", .frame = 3, .goes_on = true },
	{ "it follows no call", .frame = 3, .uncalled = true },
	{ "another RA is below", .frame = 3, .other = 2 },
	{ "another RA is above", .frame = 3, .other = 4, .found = true },
};

KUNIT_ARRAY_PARAM_DESC(thread, thread_cases, name);

static void to_thread_start(struct kunit *test)
{
	/* mov %eax, %edi; xor %eax, %eax; mov $60, %al; syscall */
	static const u8 ends[] = { 0x89, 0xc7, 0x31, 0xc0, 0xb0, 60, 0x0f, 0x05 };
	static const struct start_case usual = { .elsewhere = true };
	const struct thread_case *c = test->param_value;
	struct sframe_regs regs = { .pc = PC, .sp = S(8), .fp = 1 };
	static struct start_world w;
	struct sframe_cursor cur;

	world_set(&w, &usual);
	memcpy(w.code + (RA - CODE), ends, sizeof(ends));
	if (c->goes_on)
		w.code[RA - CODE + 5]++;
	if (c->uncalled)
		memset(w.code + (RA - CODE) - CALL_LEN, 0xcc, CALL_LEN);
	w.stack[8 + c->frame] = RA;
	if (c->other)
		w.stack[8 + c->other] = OTHER_RA;
	sframe_cursor_init(&cur, &sframe_abi_x86, &regs, 16, &start_ops, &w);
	KUNIT_EXPECT_EQ(test, !sframe_cursor_next(&cur), c->found);
	if (!c->found)
		return;
	KUNIT_EXPECT_EQ(test, cur.pc, RA);
	KUNIT_EXPECT_EQ(test, cur.sp, S(8 + c->frame + 1));
	KUNIT_EXPECT_EQ(test, (int)sframe_cursor_next(&cur), (int)SFRAME_OUTERMOST);
}

/* arm64: FP is still that of who has made the thread, where a record is; but code ends it. */
static void thread_ends_on_arm64(struct kunit *test)
{
	/* mov x8, #93; svc #0 */
	static const u8 ends[] = { 0xa8, 0x0b, 0x80, 0xd2, 0x01, 0, 0, 0xd4 };
	static const struct start_case usual = { .elsewhere = true };
	static struct start_world w;
	struct sframe_regs regs = { .pc = PC, .sp = S(8), .fp = S(8) };
	struct sframe_cursor cur;

	world_set(&w, &usual);
	/* blr x1, before both. */
	memcpy(w.code + (RA - CODE) - 4, "\x20\x00\x3f\xd6", 4);
	memcpy(w.code + (RA - CODE), ends, sizeof(ends));
	w.stack[8] = S(8) + (1 << 20);
	w.stack[9] = RA;
	sframe_cursor_init(&cur, &sframe_abi_arm64, &regs, 16, &start_ops, &w);
	KUNIT_ASSERT_EQ(test, (int)sframe_cursor_next(&cur), (int)SFRAME_OK);
	KUNIT_EXPECT_EQ(test, cur.pc, RA);
	KUNIT_EXPECT_EQ(test, (int)sframe_cursor_next(&cur), (int)SFRAME_OUTERMOST);
}

static struct kunit_case start_test_cases[] = {
	KUNIT_CASE(thread_ends_on_arm64),
	KUNIT_CASE_PARAM(to_start, start_gen_params),
	KUNIT_CASE_PARAM(to_thread_start, thread_gen_params),
	{}
};

static struct kunit_suite start_suite = {
	.name = "sframe_first_frame",
	.test_cases = start_test_cases,
};

kunit_test_suite(start_suite);
