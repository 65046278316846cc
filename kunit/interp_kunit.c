// SPDX-License-Identifier: GPL-2.0
/*
 * Walks through functions that an interpreter has jumped to, as HotSpot's does.
 */
#include <kunit/test.h>

#include <sframe/cursor.h>

#include "interp_world.h"

/* A function that was compiled; the interpreter, and where it is returned to. */
#define COMPILED	(CODE + 64)
#define INTERPRETER	(CODE + 128)
#define RESUME		(CODE + 160)
/* Where a signal has saved RAX. */
#define SAVED		20

/* add $24,%rsp; pop %rbp; ret */
#define LEAVES		"\x48\x83\xc4\x18\x5d\xc3"
/* call, before that */
#define CALLS		"\xe8\x00\x01\x00\x00"
#define CALL_LEN	5
/* jmp *(%r10,%rbx,8) */
#define DISPATCHES	"\x41\xff\x24\xda"
/* mov -16(%rbp),%rsp; movq $0,-16(%rbp) */
#define BY_ADDRESS	"\x48\x8b\x65\xf0\x48\xc7\x45\xf0\0\0\0\0"
/* mov -24(%rbp),%rsp; movq $0,-24(%rbp) */
#define BY_ANOTHER	"\x48\x8b\x65\xe8\x48\xc7\x45\xe8\0\0\0\0"
/* mov -16(%rbp),%rcx; lea (%rbp,%rcx,8),%rsp; movq $0,-16(%rbp) */
#define BY_DISTANCE	"\x48\x8b\x4d\xf0\x48\x8d\x64\xcd\0\x48\xc7\x45\xf0\0\0\0\0"

/**
 * struct interp_case - a walk
 * @name: what it shows
 * @pc: where it begins
 * @fp: FP there
 * @rax: RAX there
 * @interrupted: that is what a signal has interrupted
 * @handler_rax: then RAX of the signal's handler
 * @resume: what is at %RESUME
 * @kept: where the interpreter says that its SP is
 * @sender: where it says that its caller's is
 * @callers: how many are found: %RESUME, then %RA
 * @sp: SP of these
 * @end: how the walk ends
 */
struct interp_case {
	const char *name;
	u64 pc;
	u64 fp;
	u64 rax;
	bool interrupted;
	u64 handler_rax;
	const char *resume;
	u64 kept;
	u64 sender;
	unsigned int callers;
	u64 sp[2];
	enum sframe_reason end;
};

/*
 * S(0) is SP, and the compiled function's frame ends with FP and RA at S(3), S(4). The
 * interpreter's record is at S(12), and its own function's, when it is topmost, at S(8).
 */
#define FROM_COMPILED	.pc = COMPILED, .fp = 7
#define FROM_CALL	.pc = COMPILED - CALL_LEN, .fp = 7
#define FROM_ITSELF	.pc = INTERPRETER, .fp = S(8)
#define FROM_JUMP	.pc = INTERPRETER, .fp = S(12), .resume = BY_ADDRESS
#define JUST_JUMPED	FROM_JUMP, .rax = RESUME
#define WHOLE		.callers = 2, .end = SFRAME_OUTERMOST

static const struct interp_case interp_cases[] = {
	{ "compiled code", FROM_COMPILED, .resume = BY_ADDRESS, .kept = S(6),
	  .sender = S(16), WHOLE, .sp = { S(6), S(16) } },
	{ "compiled code, SP by its distance", FROM_COMPILED, .resume = BY_DISTANCE,
	  .kept = -6, .sender = S(16), WHOLE, .sp = { S(6), S(16) } },
	{ "compiled code, by its record", .pc = COMPILED, .fp = S(3), .resume = BY_ADDRESS,
	  .kept = S(6), .sender = S(16), WHOLE, .sp = { S(6), S(16) } },
	{ "past a call", FROM_CALL, .resume = BY_ADDRESS, .kept = S(5), .sender = S(16),
	  WHOLE, .sp = { S(5), S(16) } },
	{ "past a call, and the RA is not where it was left", FROM_CALL,
	  .resume = BY_ADDRESS, .kept = S(8), .sender = S(16), .end = SFRAME_FP_OFF_STACK },
	{ "the interpreter has called nobody", FROM_COMPILED, .resume = BY_ADDRESS,
	  .sender = S(16), .end = SFRAME_FP_OFF_STACK },
	{ "its SP is below the RA", FROM_COMPILED, .resume = BY_ADDRESS, .kept = S(4),
	  .sender = S(16), .end = SFRAME_FP_OFF_STACK },
	{ "its SP is in its frame", FROM_COMPILED, .resume = BY_ADDRESS, .kept = S(11),
	  .sender = S(16), .end = SFRAME_FP_OFF_STACK },
	{ "its SP is no address of words", FROM_COMPILED, .resume = BY_ADDRESS,
	  .kept = S(6) + 4, .sender = S(16), .end = SFRAME_FP_OFF_STACK },
	{ "SP is kept elsewhere", FROM_COMPILED, .resume = BY_ANOTHER, .kept = S(6),
	  .sender = S(16), .end = SFRAME_FP_OFF_STACK },
	{ "its caller has made no place for arguments", FROM_COMPILED,
	  .resume = BY_ADDRESS, .kept = S(6), .sender = S(14), WHOLE,
	  .sp = { S(6), S(14) } },
	{ "the interpreter itself", FROM_ITSELF, .resume = BY_ADDRESS, .kept = S(10),
	  .sender = S(16), WHOLE, .sp = { S(10), S(16) } },
	{ "RA is in a register still", JUST_JUMPED, .kept = S(2), .sender = S(16), WHOLE,
	  .sp = { S(2), S(16) } },
	{ "the same, and it was popped only now", JUST_JUMPED, .kept = S(0),
	  .sender = S(16), WHOLE, .sp = { S(0), S(16) } },
	{ "what was in the register is on the stack", JUST_JUMPED, .kept = S(6),
	  .sender = S(16), .end = SFRAME_FP_HIDDEN_RA },
	{ "a signal came then", JUST_JUMPED, .interrupted = true, .kept = S(2),
	  .sender = S(16), WHOLE, .sp = { S(2), S(16) } },
	{ "only the handler has something like it in the register", FROM_JUMP,
	  .interrupted = true, .handler_rax = RESUME, .kept = S(2), .sender = S(16),
	  .end = SFRAME_FP_HIDDEN_RA },
	{ "it is there still", FROM_ITSELF, .rax = RESUME, .resume = BY_ADDRESS,
	  .kept = S(10), .sender = S(16), WHOLE, .sp = { S(10), S(16) } },
};

KUNIT_ARRAY_PARAM_DESC(interp, interp_cases, name);

static void world_set(struct interp_world *w, const struct interp_case *c)
{
	bool distance = c->kept >> 63;

	memset(w, 0, sizeof(*w));
	w->val = c->interrupted ? c->handler_rax : c->rax;
	memset(w->code, 0xcc, sizeof(w->code));
	memcpy(w->code + (COMPILED - CODE), LEAVES, sizeof(LEAVES) - 1);
	memcpy(w->code + (COMPILED - CALL_LEN - CODE), CALLS, CALL_LEN);
	memcpy(w->code + (INTERPRETER - CODE), DISPATCHES, sizeof(DISPATCHES) - 1);
	memcpy(w->code + (RESUME - CODE), c->resume,
	       distance ? sizeof(BY_DISTANCE) - 1 : sizeof(BY_ADDRESS) - 1);
	/* call *%rax */
	memcpy(w->code + (RA - 2 - CODE), "\xff\xd0", 2);
	w->stack[3] = S(12);
	w->stack[4] = RESUME;
	if (c->fp == S(8)) {
		w->stack[4] = 0;
		w->stack[8] = S(12);
		w->stack[9] = RESUME;
	}
	/* Where the interpreter has put it, and a compiled function found it. */
	w->stack[5] = w->stack[4];
	w->stack[10] = c->kept;
	w->stack[11] = c->sender;
	w->stack[13] = RA;
	w->stack[SAVED] = c->rax;
}

static void walk_jumped_to(struct kunit *test)
{
	const struct interp_case *c = test->param_value;
	static const u16 saved[] = { 0 };
	static const struct sframe_sigframe frame = { .nr = 1, .reg = saved };
	struct sframe_regs regs = { .pc = c->pc, .sp = S(0), .fp = c->fp };
	static struct interp_world w;
	struct sframe_cursor cur;
	enum sframe_reason end;
	unsigned int n = 0;

	world_set(&w, c);
	sframe_cursor_init(&cur, &sframe_abi_x86, &regs, 16, &interp_ops, &w);
	if (c->interrupted)
		cur.saved = (struct sframe_saved){ .frame = &frame, .at = S(SAVED) };
	while (!(end = sframe_cursor_next(&cur))) {
		KUNIT_ASSERT_LT(test, n, 2u);
		KUNIT_EXPECT_EQ(test, cur.pc, n ? RA : RESUME);
		KUNIT_EXPECT_TRUE(test, cur.sp_known);
		KUNIT_EXPECT_EQ(test, cur.sp, c->sp[n]);
		n++;
	}
	KUNIT_EXPECT_EQ(test, (int)end, (int)c->end);
	KUNIT_EXPECT_EQ(test, n, c->callers);
}

static void jumped_to(struct kunit *test)
{
	kept_answers_rounds(test, walk_jumped_to);
}

static struct kunit_case interp_test_cases[] = {
	KUNIT_CASE_PARAM(jumped_to, interp_gen_params),
	{}
};

static struct kunit_suite interp_suite = {
	.name = "sframe_interp",
	.test_cases = interp_test_cases,
};

kunit_test_suite(interp_suite);
