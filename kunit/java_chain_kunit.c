// SPDX-License-Identifier: GPL-2.0
/*
 * Walks along HotSpot's backchain on s390x, from a function that C has entered Java for.
 */
#include <kunit/test.h>

#include <sframe/cursor.h>

#include "simple_world.h"

#define CODE		0x3ff90000000ull
#define CODE_LEN	12288
/*
 * The topmost function; where its caller goes on, and what called that, and the interpreter;
 * the stub by which C enters.
 */
#define METHOD		(CODE + 256)
#define PC		(METHOD + 128)
/* Where the topmost function goes on if it is the interpreter. */
#define RETURNED	(PC - 100)
#define CALLER_RA	(CODE + 1024)
#define OUTER_RA	(CODE + 1152)
#define RESUME		(CODE + 1280)
#define STUB_RA		(CODE + 1536)
/* C, which has a table. */
#define C		(CODE + 2048)
#define C_RA		(C + 64)
/* Far away, another function of Java's: where a call in it returns to. */
#define FAR_RA		(CODE + 11264)
#define STACK		0x3ffa0000000ull
#define STACK_WORDS	2048
#define S(n)		(STACK + 8ull * (n))
/* The topmost frame's words, those of each caller's, and where the first of them is. */
#define SP		20
#define FRAME		30
#define UP		(SP + FRAME - 2)
#define C_FP		0x1234
#define NO_CODE		0x1b0
/* In place, a walk may be so deep. */
#define DEEP		60

struct chain_world {
	u8 code[CODE_LEN];
	u64 stack[STACK_WORDS];
};

/**
 * struct chain_case - a walk
 * @name: what it shows
 * @code: at the PC
 * @ra: the link register; 0: %NO_CODE
 * @interpreted: the caller is the interpreter, at RESUME
 * @kept: where the interpreter has stored SP, in words from the frame's end
 * @framed: the topmost function has a frame
 * @set: a word that is another one, and @to what
 * @to: see @set
 * @found: the topmost function's callers are
 */
struct chain_case {
	const char *name;
	u8 code[24];
	u64 ra;
	bool interpreted;
	bool kept;
	bool framed;
	unsigned int set;
	u64 to;
	bool found;
};

#define TOUCH	0xeb, 0xde, 0xf0, 0x00, 0xec, 0x51
#define SAVE	0xe3, 0xe0, 0xf0, 0x08, 0x00, 0x24
#define COPY	0xb9, 0x04, 0x00, 0x0f
#define LOWER	0xa7, 0xfb, 0xff, 0x10
#define RAISE	0xa7, 0xfb, 0x00, 0xf0
#define POLL	0xe3, 0x10, 0x84, 0x50, 0x00, 0x04
#define TEST	0x91, 0x6f, 0x10, 0x00
#define RETURN	0x07, 0xfe
#define CHAIN	0xe3, 0x00, 0xf0, 0x00, 0x00, 0x24
/* j: to itself */
#define LOOP	0xa7, 0xf4, 0x00, 0x00

static const struct chain_case chain_cases[] = {
	{ "it has called nobody", .code = { LOOP }, .ra = CALLER_RA, .framed = true,
	  .found = true },
	{ "it uses the link register", .code = { LOOP }, .framed = true, .found = true },
	{ "for an address of C's", .code = { LOOP }, .ra = C_RA, .framed = true },
	{ "it has called", .code = { LOOP }, .ra = PC - 16, .framed = true, .found = true },
	{ "another function has", .code = { LOOP }, .ra = METHOD - 64, .framed = true },
	{ "the interpreter is the caller", .code = { LOOP }, .interpreted = true,
	  .framed = true, .found = true },
	{ "the interpreter runs", .code = { LOOP }, .kept = true, .framed = true,
	  .found = true },
	{ "the interpreter was returned to", .code = { LOOP }, .ra = RETURNED, .kept = true,
	  .framed = true, .found = true },
	{ "it begins", .code = { TOUCH, SAVE }, .ra = CALLER_RA, .found = true },
	{ "it saves RA", .code = { SAVE }, .ra = CALLER_RA, .found = true },
	{ "it makes its frame", .code = { COPY, LOWER, CHAIN }, .ra = CALLER_RA,
	  .found = true },
	{ "it lowers SP", .code = { LOWER, CHAIN }, .ra = CALLER_RA, .found = true },
	{ "it has left its frame", .code = { POLL, TEST, RETURN }, .ra = CALLER_RA,
	  .found = true },
	{ "it only returns", .code = { RETURN }, .ra = CALLER_RA, .found = true },
	{ "it raises SP", .code = { RAISE, CHAIN }, .ra = CALLER_RA },
	{ "it has no frame", .code = { LOOP }, .ra = CALLER_RA },
	{ "the interpreter has jumped to it", .code = { LOOP }, .ra = RESUME,
	  .interpreted = true, .kept = true, .found = true },
	{ "has not stored SP", .code = { LOOP }, .ra = RESUME, .interpreted = true },
	{ "SP is not in the chain", .code = { LOOP }, .framed = true, .set = SP },
	{ "the chain is not aligned", .code = { LOOP }, .framed = true, .set = SP,
	  .to = S(UP) + 4 },
	{ "it leads down", .code = { LOOP }, .framed = true, .set = SP, .to = S(SP - 2) },
	{ "it leads nowhere", .code = { LOOP }, .framed = true, .set = SP, .to = S(SP + 1) },
	{ "it leads too far", .code = { LOOP }, .framed = true, .set = SP, .to = S(SP + 8193) },
	{ "no call is before the RA", .code = { LOOP }, .framed = true, .set = UP + 1,
	  .to = CALLER_RA + 2 },
	{ "the RA is C's", .code = { LOOP }, .framed = true, .set = UP + 1, .to = C_RA },
	{ "the next one's is", .code = { LOOP }, .framed = true, .set = UP + FRAME + 1,
	  .to = C_RA },
	{ "the next one's leads down", .code = { LOOP }, .framed = true, .set = UP, .to = S(SP) },
};

KUNIT_ARRAY_PARAM_DESC(chain, chain_cases, name);

static enum sframe_reason chain_find(void *ctx, u64 pc, struct sframe_rule *rule)
{
	(void)ctx;
	if (pc - CODE >= CODE_LEN)
		return SFRAME_NO_MAPPING;
	if (pc < C || pc >= FAR_RA - 16)
		return SFRAME_NO_TABLE;
	*rule = (struct sframe_rule){ .flags = SFRAME_RULE_OUTERMOST };
	return SFRAME_OK;
}

static int chain_read(void *ctx, u64 addr, void *buf, unsigned int len)
{
	const struct chain_world *w = ctx;

	return read_array(addr, buf, len, CODE, w->code) ||
	       read_array(addr, buf, len, STACK, w->stack) ? 0 : -1;
}

static const struct sframe_cursor_ops chain_ops = {
	.find = chain_find,
	.find_kept = nothing_kept,
	.read = chain_read,
	.read_code = chain_read,
	.reg = no_register,
};

/* brasl %r14 that returns to @ra. */
static void put_call(struct chain_world *w, u64 ra)
{
	static const u8 brasl[] = { 0xc0, 0xe5, 0x00, 0x00, 0x10, 0x00 };

	memcpy(w->code + (ra - CODE) - sizeof(brasl), brasl, sizeof(brasl));
}

static void world_code(struct chain_world *w)
{
	static const u8 resume[] = {
		0xe3, 0x90, 0xf0, 0x00, 0x00, 0x04, 0xe3, 0xd0, 0x9f, 0xe0, 0xff, 0x04,
	};
	unsigned int i;

	memset(w, 0, sizeof(*w));
	/* nopr */
	for (i = 0; i < CODE_LEN; i++)
		w->code[i] = i % 2 ? 0x00 : 0x07;
	put_call(w, CALLER_RA);
	put_call(w, OUTER_RA);
	put_call(w, STUB_RA);
	put_call(w, C_RA);
	memcpy(w->code + (RESUME - CODE), resume, sizeof(resume));
	memcpy(w->code + (RETURNED - CODE), resume, sizeof(resume));
}

/* A frame from word @sp to word @up, whose function returns to @ra. */
static void put_frame(struct chain_world *w, unsigned int sp, unsigned int up, u64 ra)
{
	w->stack[sp] = S(up);
	w->stack[up + 1] = ra;
}

/* The stub's frame, which has C's registers at its end. */
static void put_stub(struct chain_world *w, unsigned int sp, unsigned int up)
{
	w->stack[sp] = S(up);
	w->stack[up + 7] = C_FP;
	w->stack[up + 10] = C_RA;
	w->stack[up + 11] = S(up);
}

static void start_walk(struct sframe_cursor *cur, struct chain_world *w, u64 ra)
{
	struct sframe_regs regs = { .pc = PC, .sp = S(SP), .fp = 8, .ra = ra };

	sframe_cursor_init(cur, &sframe_abi_s390, &regs, 1000, &chain_ops, w);
}

static void expect_caller(struct kunit *test, struct sframe_cursor *cur, u64 pc, u64 sp)
{
	KUNIT_ASSERT_EQ(test, (int)sframe_cursor_next(cur), (int)SFRAME_OK);
	KUNIT_EXPECT_EQ(test, cur->pc, pc);
	KUNIT_EXPECT_EQ(test, cur->sp, sp);
}

/* The topmost function, its caller, what that has called, the stub, C. */
static void from_topmost(struct kunit *test)
{
	static const u8 loop[] = { LOOP };
	const struct chain_case *c = test->param_value;
	unsigned int at = c->framed ? UP : SP;
	static struct chain_world w;
	struct sframe_cursor cur;
	u64 caller = c->interpreted ? RESUME : CALLER_RA;

	world_code(&w);
	memcpy(w.code + (PC - CODE), c->code, sizeof(c->code));
	put_call(&w, PC - 16);
	put_call(&w, METHOD - 64);
	/* What is before METHOD is another function. */
	memcpy(w.code + (METHOD - CODE) - sizeof(loop), loop, sizeof(loop));
	if (c->framed)
		put_frame(&w, SP, UP, caller);
	put_frame(&w, at, at + FRAME, OUTER_RA);
	put_frame(&w, at + FRAME, at + 2 * FRAME, STUB_RA);
	put_stub(&w, at + 2 * FRAME, at + 3 * FRAME);
	if (c->kept)
		w.stack[SP + FRAME - 4] = S(SP);
	if (c->set)
		w.stack[c->set] = c->to;
	start_walk(&cur, &w, c->ra ?: NO_CODE);
	if (!c->found) {
		KUNIT_EXPECT_NE(test, (int)sframe_cursor_next(&cur), (int)SFRAME_OK);
		return;
	}
	expect_caller(test, &cur, caller, S(at));
	expect_caller(test, &cur, OUTER_RA, S(at + FRAME));
	expect_caller(test, &cur, STUB_RA, S(at + 2 * FRAME));
	KUNIT_EXPECT_FALSE(test, cur.fp_known);
	expect_caller(test, &cur, C_RA, S(at + 3 * FRAME));
	KUNIT_EXPECT_TRUE(test, cur.fp_known);
	KUNIT_EXPECT_EQ(test, cur.fp, (u64)C_FP);
	KUNIT_EXPECT_EQ(test, (int)sframe_cursor_next(&cur), (int)SFRAME_OUTERMOST);
}

/* Where C has entered, its own SP is among what was saved, and its RA has a table. */
static void entered_otherwise(struct kunit *test)
{
	static const struct {
		unsigned int word;
		u64 to;
	} others[] = {
		{ 11, S(UP + FRAME) + 8 }, { 10, STUB_RA }, { 10, C_RA + 2 }, { 10, 0 },
	};
	static struct chain_world w;
	struct sframe_cursor cur;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(others); i++) {
		world_code(&w);
		put_frame(&w, SP, UP, STUB_RA);
		put_stub(&w, UP, UP + FRAME);
		start_walk(&cur, &w, NO_CODE);
		expect_caller(test, &cur, STUB_RA, S(UP));
		w.stack[UP + FRAME + others[i].word] = others[i].to;
		start_walk(&cur, &w, NO_CODE);
		KUNIT_EXPECT_NE(test, (int)sframe_cursor_next(&cur), (int)SFRAME_OK);
	}
}

/* What was seen of such an end from the frame before it is not believed later, either. */
static void seen_before(struct kunit *test)
{
	/* aghi %r15, 224; lmg %r6, %r14, 48(%r15); br %r14 */
	static const u8 leaves[] = {
		0xa7, 0xfb, 0x00, 0xe0, 0xeb, 0x6e, 0xf0, 0x30, 0x00, 0x04, RETURN,
	};
	static struct chain_world w;
	struct sframe_cursor cur;

	world_code(&w);
	memcpy(w.code + (PC - CODE), leaves, sizeof(leaves));
	put_frame(&w, SP, UP, STUB_RA);
	put_stub(&w, UP, UP + FRAME);
	w.stack[UP + 14] = STUB_RA;
	w.stack[UP + FRAME + 10] = OUTER_RA;
	start_walk(&cur, &w, NO_CODE);
	expect_caller(test, &cur, STUB_RA, S(UP));
	KUNIT_EXPECT_NE(test, (int)sframe_cursor_next(&cur), (int)SFRAME_OK);
}

/* The topmost function has called itself, and returns to PC + 96 from there. */
static void put_recursion(struct chain_world *w)
{
	put_call(w, PC + 96);
	put_frame(w, SP, UP, PC + 96);
	put_frame(w, UP, UP + FRAME, OUTER_RA);
	put_frame(w, UP + FRAME, UP + 2 * FRAME, STUB_RA);
	put_stub(w, UP + 2 * FRAME, UP + 3 * FRAME);
}

/* A function that calls itself, by another call than before, is at its entry. */
static void calls_itself(struct kunit *test)
{
	/* lg %r1,8(%r2); cgr %r1,%r9; jne to before; then the function begins. */
	static const u8 entry[] = {
		0xe3, 0x10, 0x20, 0x08, 0x00, 0x04, 0xb9, 0x20, 0x00, 0x19,
		0xa7, 0x74, 0xff, 0xf0, TOUCH, SAVE, COPY, LOWER, CHAIN,
	};
	static struct chain_world w;
	struct sframe_cursor cur;

	world_code(&w);
	memcpy(w.code + (PC - CODE), entry, sizeof(entry));
	put_call(&w, PC + 64);
	put_recursion(&w);
	start_walk(&cur, &w, PC + 64);
	expect_caller(test, &cur, PC + 64, S(SP));
	expect_caller(test, &cur, PC + 96, S(UP));
}

/* Or by the same call, through a stub that makes no frame, and is elsewhere: none is left out. */
static void calls_itself_by_stub(struct kunit *test)
{
	/* br %r1 */
	static const u8 stub[] = { 0x07, 0xf1 };
	static struct chain_world w;
	struct sframe_cursor cur;
	unsigned int i;

	world_code(&w);
	memcpy(w.code + (PC - CODE), stub, sizeof(stub));
	put_call(&w, FAR_RA);
	for (i = 0; i < 3; i++)
		put_frame(&w, SP + i * FRAME, SP + (i + 1) * FRAME, FAR_RA);
	put_frame(&w, SP + i * FRAME, SP + (i + 1) * FRAME, STUB_RA);
	put_stub(&w, SP + (i + 1) * FRAME, SP + (i + 2) * FRAME);
	start_walk(&cur, &w, FAR_RA);
	if (!sframe_cursor_next(&cur))
		KUNIT_EXPECT_EQ(test, cur.sp, S(SP));
	KUNIT_EXPECT_LE(test, cur.sp, S(SP));
}

/* It has lowered SP, but not stored the backchain: an earlier frame's leads past its caller. */
static void calls_itself_unlinked(struct kunit *test)
{
	static const u8 entry[] = { SAVE, COPY, LOWER, CHAIN };
	static struct chain_world w;
	struct sframe_cursor cur;

	world_code(&w);
	memcpy(w.code + (PC - CODE) - (sizeof(entry) - 6), entry, sizeof(entry));
	put_recursion(&w);
	w.stack[SP] = S(UP + FRAME);
	start_walk(&cur, &w, PC + 96);
	if (!sframe_cursor_next(&cur))
		KUNIT_EXPECT_EQ(test, cur.sp, S(UP));
}

static void in_place(struct kunit *test)
{
	static struct chain_world w;
	struct sframe_cursor cur;
	unsigned int i;

	world_code(&w);
	for (i = 0; i < DEEP; i++)
		put_frame(&w, SP + i * FRAME, SP + (i + 1) * FRAME, RESUME);
	put_frame(&w, SP + i * FRAME, SP + (i + 1) * FRAME, STUB_RA);
	put_stub(&w, SP + (i + 1) * FRAME, SP + (i + 2) * FRAME);
	start_walk(&cur, &w, NO_CODE);
	sframe_cursor_set_budget(&cur, SFRAME_BUDGET_INPLACE);
	for (i = 0; i < DEEP; i++)
		expect_caller(test, &cur, RESUME, S(SP + (i + 1) * FRAME));
	expect_caller(test, &cur, STUB_RA, S(SP + (DEEP + 1) * FRAME));
	expect_caller(test, &cur, C_RA, S(SP + (DEEP + 2) * FRAME));
	KUNIT_EXPECT_EQ(test, (int)sframe_cursor_next(&cur), (int)SFRAME_OUTERMOST);
}

static struct kunit_case java_chain_test_cases[] = {
	KUNIT_CASE_PARAM(from_topmost, chain_gen_params),
	KUNIT_CASE(entered_otherwise),
	KUNIT_CASE(seen_before),
	KUNIT_CASE(calls_itself),
	KUNIT_CASE(calls_itself_by_stub),
	KUNIT_CASE(calls_itself_unlinked),
	KUNIT_CASE(in_place),
	{}
};

static struct kunit_suite java_chain_suite = {
	.name = "sframe_java_chain",
	.test_cases = java_chain_test_cases,
};

kunit_test_suite(java_chain_suite);
