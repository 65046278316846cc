// SPDX-License-Identifier: GPL-2.0
/*
 * Walks through what SBCL compiles: whose record is at FP, and where RA is.
 */
#include <kunit/test.h>

#include <sframe/cursor.h>

#include "bare_world.h"

/* Code of Lisp; what it has called, below another one; who has called it, or one in Lisp. */
#define LISP		(BARE + 64)
#define CALLED_TWICE	(CALLED + 64)
#define RA		(CODE + 1792)
#define LISP_RA		(CODE + 1152)
/* A RA that was left over. */
#define STALE		(CODE + 1024)
/* SP; the record for what is called next; the function's own; FP in that. */
#define SP_AT		4
#define NEXT		8
#define OWN		12
#define OLD_FP		S(30)

#define POP_RA		"\x8f\x45\x08"			/* popq 8(%rbp) */
#define PUT_FP		"\x48\x89\x2c\x24"		/* mov %rbp,(%rsp) */
#define LEND		"\x48\x8b\xec"			/* mov %rsp,%rbp */
#define PUT_LOCAL	"\x4d\x89\x3e"			/* mov %r15,(%r14) */
#define LEND_LOCAL	"\x49\x8b\xee"			/* mov %r14,%rbp */
#define LOAD		"\x49\x8b\x45\xf0"		/* mov -16(%r13),%rax */
#define CALL_RAX	"\xff\x90\x08\x05\0\0"		/* call *0x508(%rax) */
#define CALL		"\xe8\x01\x02\x03\x04"
#define JE(by)		"\x74" by
#define JMP(by)		"\xeb" by
#define SUB		"\x48\x83\xec\x10"		/* sub $16,%rsp */
#define LEAVE		"\xc9\xf8\xc3"			/* leave; clc; ret */
#define NOP_4		"\x90\x90\x90\x90"

/**
 * struct lisp_case - a walk
 * @name: what it shows
 * @code: the code around the PC
 * @len: bytes of it
 * @pc: which of them is at the PC
 * @fp: word of the stack that FP points to
 * @below: so many others are called there
 * @entered: RA is at SP
 * @no_ra: there is none where it should be
 * @lisp_caller: RA is in Lisp, too
 * @stale: what was left over follows that call; else another one by a register
 * @found: is the caller found?
 */
struct lisp_case {
	const char *name;
	const char *code;
	unsigned int len;
	unsigned int pc;
	unsigned int fp;
	unsigned int below;
	bool entered;
	bool no_ra;
	bool lisp_caller;
	enum { BY_REGISTER, BY_LISP, BY_SECOND } stale;
	bool found;
};

#define code_of(before, after)						\
	.code = before after, .len = sizeof(before after) - 1, .pc = sizeof(before) - 1
#define code_at(...)	code_of(__VA_ARGS__)
#define OTHER		LOAD, LOAD NOP_4 NOP_4
#define OWNS		.fp = OWN, .found = true
#define LENDS		.fp = NEXT, .found = true

static const struct lisp_case lisp_cases[] = {
	{ "just called", code_at("", POP_RA), .fp = OWN, .entered = true, .found = true },
	{ "the same, but nobody called", code_at("", POP_RA), .fp = OWN, .entered = true,
	  .no_ra = true },
	{ "before FP is lent", code_at("", SUB PUT_FP LEND), OWNS },
	{ "the same, behind another call", code_at("", LOAD CALL SUB PUT_FP LEND), OWNS },
	{ "before FP is put down", code_at(SUB, PUT_FP LEND), OWNS },
	{ "when it was put down", code_at(PUT_FP, LEND LOAD CALL_RAX), OWNS },
	{ "when it is lent", code_at(PUT_FP LEND, LOAD CALL_RAX), LENDS },
	{ "just before the call", code_at(PUT_FP LEND LOAD, CALL_RAX), LENDS },
	{ "lent, but there is no RA", code_at(PUT_FP LEND, LOAD CALL_RAX), .fp = NEXT,
	  .no_ra = true },
	{ "lent, but what it is put in is its own", code_at(PUT_FP LEND, LOAD CALL_RAX),
	  .fp = OWN },
	{ "behind the call", code_at(PUT_FP LEND LOAD CALL_RAX, NOP_4), OWNS },
	{ "behind the call, still in it", code_at(PUT_FP LEND LOAD CALL_RAX, NOP_4), OWNS,
	  .below = 1 },
	{ "the same, and that has called another one",
	  code_at(PUT_FP LEND LOAD CALL_RAX, NOP_4), OWNS, .below = 2 },
	{ "behind the call, but FP is below SP", code_at(PUT_FP LEND LOAD CALL_RAX, NOP_4),
	  .fp = SP_AT - 4 },
	{ "a local call", code_at(PUT_LOCAL LEND_LOCAL CALL, NOP_4), OWNS, .below = 1 },
	{ "before a local call", code_at(PUT_LOCAL LEND_LOCAL, CALL), LENDS },
	{ "the second of two calls",
	  code_at(PUT_FP LEND JE("\x07") CALL JMP("\x06") CALL_RAX, NOP_4), OWNS,
	  .below = 1 },
	{ "the first of two calls",
	  code_at(PUT_FP LEND JE("\x07") CALL, JMP("\x06") CALL_RAX), OWNS, .below = 1 },
	{ "between two calls",
	  code_at(PUT_FP LEND JE("\x07") CALL JMP("\x06"), CALL_RAX), LENDS },
	{ "where something else goes behind a call",
	  code_at(PUT_FP LEND CALL JMP("\x10"), LOAD NOP_4 NOP_4), .fp = OWN },
	{ "before it returns", code_at("", LOAD LEAVE), OWNS },
	{ "other code", code_at(OTHER), .fp = OWN },
	{ "the same, and RAs of Lisp are left over", code_at(OTHER), OWNS, .stale = BY_LISP },
	{ "... but one is where that of a call would be", code_at(OTHER), .fp = OWN,
	  .entered = true, .stale = BY_LISP },
	{ "... of other functions", code_at(OTHER), .fp = OWN, .lisp_caller = true },
	{ "... behind another call", code_at(OTHER), .fp = OWN, .stale = BY_SECOND },
	{ "another one is pushed", code_at("\x56" LEND LOAD CALL_RAX, NOP_4), .fp = OWN,
	  .below = 1 },
	{ "FP is put elsewhere", code_at("\x48\x89\x6c\x24\x08" LEND LOAD CALL_RAX, NOP_4),
	  .fp = OWN, .below = 1 },
	{ "another register points there",
	  code_at(PUT_FP "\x48\x8b\xcc" LOAD CALL_RAX, NOP_4), .fp = OWN, .below = 1 },
	{ "it is put where another one points to",
	  code_at(PUT_LOCAL LEND LOAD CALL_RAX, NOP_4), .fp = OWN, .below = 1 },
	{ "a jump to elsewhere", code_at(PUT_FP LEND JE("\x60") CALL, NOP_4), .fp = OWN,
	  .below = 1 },
	{ "a jump back", code_at(PUT_FP LEND JE("\xf0") CALL, NOP_4), .fp = OWN,
	  .below = 1 },
	{ "too far behind", code_at(PUT_FP LEND NOP_4 NOP_4 CALL, NOP_4), .fp = OWN,
	  .below = 1 },
	{ "behind a lending that is too long ago to be followed",
	  code_at(PUT_FP LEND NOP_4 NOP_4 NOP_4, NOP_4 CALL LEAVE), .fp = NEXT },
	{ "before the next function", code_at(LOAD, POP_RA PUT_FP LEND), .fp = OWN },
	{ "it jumps before", code_at("", LOAD JMP("\x10") LEAVE), .fp = OWN },
};

KUNIT_ARRAY_PARAM_DESC(lisp, lisp_cases, name);

static void put_lisp_call(struct bare_world *w, u64 ra)
{
	static const u8 code[] = PUT_FP LEND LOAD CALL_RAX;
	const size_t len = sizeof(code) - 1;

	memcpy(w->code + (ra - CODE) - len, code, len);
}

static void put_stale(struct bare_world *w, const struct lisp_case *c)
{
	switch (c->stale) {
	case BY_LISP:
		put_lisp_call(w, STALE);
		break;
	case BY_SECOND:
		put_lisp_call(w, STALE - 2);
		put_x86_call(w->code, CODE, STALE, 0);
		break;
	default:
		put_x86_call(w->code, CODE, STALE, 0);
	}
}

/* Return the PC in Lisp. */
static u64 world_set(struct bare_world *w, const struct lisp_case *c)
{
	u64 ra = c->no_ra ? 0 : c->lisp_caller ? LISP_RA : RA;
	unsigned int i;

	memset(w, 0, sizeof(*w));
	/* cwtl */
	memset(w->code, 0x98, sizeof(w->code));
	put_stale(w, c);
	put_lisp_call(w, LISP_RA);
	put_x86_call(w->code, CODE, RA, 0);
	memcpy(w->code + (LISP - CODE), c->code, c->len);
	for (i = SP_AT + 1; i < OWN; i++)
		w->stack[i] = STALE;
	w->stack[NEXT] = S(OWN);
	w->stack[NEXT + 1] = STALE;
	w->stack[OWN] = OLD_FP;
	w->stack[OWN + 1] = c->entered && !c->stale ? STALE : ra;
	w->stack[SP_AT] = c->entered ? (c->stale ? STALE : ra) : 0;
	if (c->below > 1)
		w->stack[SP_AT] = CALLED_TWICE;
	if (c->below)
		w->stack[SP_AT + c->below - 1] = LISP + c->pc;
	/* A record below SP. */
	w->stack[SP_AT - 4] = OLD_FP;
	w->stack[SP_AT - 3] = RA;
	return LISP + c->pc;
}

static void walk_leaves_lisp(struct kunit *test)
{
	const struct lisp_case *c = test->param_value;
	struct sframe_regs regs = { .sp = S(SP_AT), .fp = S(c->fp) };
	static struct bare_world w;
	struct sframe_cursor cur;
	u64 pc = world_set(&w, c);
	unsigned int i;

	regs.pc = c->below ? CALLED : pc;
	sframe_cursor_init(&cur, &sframe_abi_x86, &regs, 16, &bare_ops, &w);
	for (i = 0; i < c->below; i++)
		KUNIT_ASSERT_EQ(test, (int)sframe_cursor_next(&cur), (int)SFRAME_OK);
	KUNIT_ASSERT_EQ(test, cur.pc, pc);
	if (!c->found) {
		KUNIT_EXPECT_NE(test, (int)sframe_cursor_next(&cur), (int)SFRAME_OK);
		return;
	}
	KUNIT_ASSERT_EQ(test, (int)sframe_cursor_next(&cur), (int)SFRAME_OK);
	KUNIT_EXPECT_EQ(test, cur.pc, c->lisp_caller ? LISP_RA : RA);
	KUNIT_EXPECT_TRUE(test, cur.sp_known && cur.fp_known);
	KUNIT_EXPECT_EQ(test, cur.sp, S(OWN + 2));
	KUNIT_EXPECT_EQ(test, cur.fp, OLD_FP);
	if (!c->lisp_caller)
		KUNIT_EXPECT_EQ(test, (int)sframe_cursor_next(&cur), (int)SFRAME_OUTERMOST);
}

static void leaves_lisp(struct kunit *test)
{
	kept_answers_rounds(test, walk_leaves_lisp);
}

/* Callers of callers in Lisp are left at a price that a walk in place can pay. */
static void many_frames_cost_little(struct kunit *test)
{
	const unsigned int nr = (STACK_WORDS - OWN) / 2 - 1;
	struct sframe_regs regs = { .pc = LISP_RA, .sp = S(SP_AT), .fp = S(OWN) };
	static struct bare_world w;
	struct sframe_cursor cur;
	unsigned int i;

	memset(&w, 0, sizeof(w));
	memset(w.code, 0x98, sizeof(w.code));
	put_lisp_call(&w, LISP_RA);
	put_x86_call(w.code, CODE, RA, 0);
	for (i = 0; i < nr; i++) {
		w.stack[OWN + 2 * i] = S(OWN + 2 * i + 2);
		w.stack[OWN + 2 * i + 1] = i + 1 < nr ? LISP_RA : RA;
	}
	sframe_cursor_init(&cur, &sframe_abi_x86, &regs, nr + 1, &bare_ops, &w);
	sframe_cursor_set_budget(&cur, (nr + 2) * 1000);
	while (!sframe_cursor_next(&cur))
		;
	KUNIT_EXPECT_EQ(test, cur.depth, nr);
	KUNIT_EXPECT_EQ(test, cur.pc, RA);
}

static struct kunit_case lisp_test_cases[] = {
	KUNIT_CASE(many_frames_cost_little),
	KUNIT_CASE_PARAM(leaves_lisp, lisp_gen_params),
	{}
};

static struct kunit_suite lisp_suite = {
	.name = "sframe_lisp",
	.test_cases = lisp_test_cases,
};

kunit_test_suite(lisp_suite);
