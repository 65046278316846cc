// SPDX-License-Identifier: GPL-2.0
/*
 * Walks from code made at run time that runs in an interpreter's frame.
 */
#include <kunit/test.h>

#include <sframe/cursor.h>

#include "simple_world.h"

#define CODE		0x400000ull
#define CODE_LEN	2048
/* The interpreter; what it has compiled; who called the interpreter, and what else there is. */
#define INTERPRETER	CODE
#define COMPILED	(CODE + 512)
#define CALLER		(CODE + 1024)
#define RA		(CALLER + 64)
#define OTHER_RA	(CALLER + 128)
#define STACK		0x7ff000000000ull
#define STACK_WORDS	128
#define S(n)		(STACK + 8ull * (n))
#define OLD_FP		0x1234567812345678ull
/* The interpreter's frame and its RA, words. */
#define FRAME		10

/**
 * struct vm_case - a walk
 * @name: what it shows
 * @sp: SP, in words
 * @ra: where the RA is, likewise
 * @other: where another word is that follows a call; 0: nowhere
 * @found: that is the caller
 * @row: instead of the interpreter's, from where it is entered
 * @caller: CFA of the caller, bytes above its SP; 0: it ends the stack
 * @indirect: its call does not say which function is called
 */
struct vm_case {
	const char *name;
	unsigned int sp;
	unsigned int ra;
	unsigned int other;
	bool found;
	const struct sframe_rule *row;
	unsigned int caller;
	bool indirect;
};

#define VM_ROW								\
	.cfa = SFRAME_LOC_SP, .cfa_off = 8 * FRAME, .ra_off = -8,	\
	.ra = SFRAME_LOC_SAVED,			\
	.fp = SFRAME_LOC_SAVED, .fp_off = -16

static const struct sframe_rule vm_row = { VM_ROW };

static const struct sframe_rule usual_row = {
	.cfa = SFRAME_LOC_SP, .cfa_off = 8, .ra_off = -8,
	.ra = SFRAME_LOC_SAVED,
};

static const struct sframe_rule record_row = {
	.cfa = SFRAME_LOC_FP, .cfa_off = 16, .ra_off = -8,
	.ra = SFRAME_LOC_SAVED,
};

static const struct sframe_rule signal_row = { VM_ROW, .flags = SFRAME_RULE_SIGNAL };

static const struct sframe_rule ra_row = {
	.cfa = SFRAME_LOC_SP, .cfa_off = 8 * FRAME, .ra_off = -16,
	.ra = SFRAME_LOC_SAVED,
};

static const struct vm_case vm_cases[] = {
	{ "in its frame", .sp = 2, .ra = 2 + FRAME - 1, .found = true },
	{ "with room for two words", .sp = 2, .ra = 4 + FRAME - 1, .found = true },
	{ "with as much room as there may be", .sp = 2, .ra = 34 + FRAME - 1, .found = true },
	{ "with more", .sp = 2, .ra = 36 + FRAME - 1 },
	{ "not where SP can be aligned", .sp = 2, .ra = 3 + FRAME - 1 },
	{ "SP is not", .sp = 3, .ra = 3 + FRAME - 1 },
	{ "nearer than a frame", .sp = 2, .ra = FRAME - 1 },
	{ "and something else where it could be", .sp = 2, .ra = FRAME - 1,
	  .other = 2 + FRAME - 1 },
	{ "before it is another RA", .sp = 2, .ra = 4 + FRAME - 1, .other = 3 },
	{ "its caller has a caller", .sp = 2, .ra = 2 + FRAME - 1, .caller = 24, .other = 14,
	  .found = true },
	{ "its caller has none: that was left over", .sp = 2, .ra = 2 + FRAME - 1, .caller = 32,
	  .other = 14 },
	{ "its caller's row does not tell", .sp = 2, .ra = 2 + FRAME - 1, .caller = 1 },
	{ "a call by a register", .sp = 2, .ra = 2 + FRAME - 1, .indirect = true },
	{ "a function as others", .sp = 2, .ra = 2 + FRAME - 1, .row = &usual_row },
	{ "one with a record", .sp = 2, .ra = 2 + FRAME - 1, .row = &record_row },
	{ "a trampoline", .sp = 2, .ra = 2 + FRAME - 1, .row = &signal_row },
	{ "RA is not where calls put it", .sp = 2, .ra = 2 + FRAME - 1, .row = &ra_row },
};

KUNIT_ARRAY_PARAM_DESC(vm, vm_cases, name);

struct vm_world {
	const struct vm_case *c;
	u8 code[CODE_LEN];
	u64 stack[STACK_WORDS];
};

static enum sframe_reason vm_find(void *ctx, u64 pc, struct sframe_rule *rule)
{
	const struct vm_world *w = ctx;

	if (pc - CODE >= CODE_LEN)
		return SFRAME_NO_MAPPING;
	if (pc >= COMPILED && pc < CALLER)
		return SFRAME_NO_TABLE;
	*rule = (struct sframe_rule){ .flags = SFRAME_RULE_OUTERMOST };
	if (pc == RA - 1 && w->c->caller)
		*rule = rule_by_sp(w->c->caller);
	if (pc < COMPILED)
		*rule = w->c->row ? *w->c->row : vm_row;
	return SFRAME_OK;
}

static int vm_read(void *ctx, u64 addr, void *buf, unsigned int len)
{
	const struct vm_world *w = ctx;

	return read_array(addr, buf, len, CODE, w->code) ||
	       read_array(addr, buf, len, STACK, w->stack) ? 0 : -1;
}

static const struct sframe_cursor_ops vm_ops = {
	.find = vm_find,
	.find_kept = nothing_kept,
	.read = vm_read,
	.read_code = vm_read,
	.reg = no_register,
};

static void world_set(struct vm_world *w, const struct vm_case *c)
{
	memset(w, 0, sizeof(*w));
	memset(w->code, 0xcc, sizeof(w->code));
	w->c = c;
	put_x86_call(w->code, CODE, RA, c->indirect ? 0 : INTERPRETER + 64);
	/* This calls what ends the stack. */
	put_x86_call(w->code, CODE, OTHER_RA, CALLER);
	w->stack[c->ra] = RA;
	w->stack[c->ra - 1] = OLD_FP;
	if (c->other)
		w->stack[c->other] = OTHER_RA;
}

static void left(struct kunit *test)
{
	const struct vm_case *c = test->param_value;
	struct sframe_regs regs = { .pc = COMPILED + 64, .sp = S(c->sp), .fp = 1 };
	static struct vm_world w;
	struct sframe_cursor cur;

	world_set(&w, c);
	sframe_cursor_init(&cur, &sframe_abi_x86, &regs, 16, &vm_ops, &w);
	if (!c->found) {
		KUNIT_EXPECT_NE(test, (int)sframe_cursor_next(&cur), (int)SFRAME_OK);
		return;
	}
	KUNIT_ASSERT_EQ(test, (int)sframe_cursor_next(&cur), (int)SFRAME_OK);
	KUNIT_EXPECT_EQ(test, cur.pc, RA);
	KUNIT_EXPECT_EQ(test, cur.sp, S(c->ra + 1));
	KUNIT_EXPECT_TRUE(test, cur.sp_known && cur.fp_known);
	KUNIT_EXPECT_EQ(test, cur.fp, OLD_FP);
	if (c->caller)
		KUNIT_EXPECT_EQ(test, (int)sframe_cursor_next(&cur), (int)SFRAME_OK);
	KUNIT_EXPECT_EQ(test, (int)sframe_cursor_next(&cur), (int)SFRAME_OUTERMOST);
}

/* What is running was called by what the interpreter has compiled. */
static void called_by_compiled(struct kunit *test)
{
	static const struct vm_case c = { .ra = 15 };
	struct sframe_regs regs = { .pc = COMPILED + 64, .sp = S(2), .fp = 1 };
	static const u8 leave[] = { 0x48, 0x83, 0xc4, 0x18, 0xc3 };
	static struct vm_world w;
	struct sframe_cursor cur;

	world_set(&w, &c);
	memcpy(w.code + (COMPILED + 64 - CODE), leave, sizeof(leave));
	put_x86_call(w.code, CODE, COMPILED + 256, 0);
	w.stack[5] = COMPILED + 256;
	sframe_cursor_init(&cur, &sframe_abi_x86, &regs, 16, &vm_ops, &w);
	KUNIT_ASSERT_EQ(test, (int)sframe_cursor_next(&cur), (int)SFRAME_OK);
	KUNIT_EXPECT_EQ(test, cur.pc, COMPILED + 256);
}

static struct kunit_case vm_test_cases[] = {
	KUNIT_CASE(called_by_compiled),
	KUNIT_CASE_PARAM(left, vm_gen_params),
	{}
};

static struct kunit_suite vm_suite = {
	.name = "sframe_vm_frame",
	.test_cases = vm_test_cases,
};

kunit_test_suite(vm_suite);
