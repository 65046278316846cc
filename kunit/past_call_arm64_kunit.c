// SPDX-License-Identifier: GPL-2.0
/*
 * arm64: as past_call_kunit.c. What a function calls that makes a record never returns, and behind
 * that is the PC: in a function that has made none, with another RA in x30, or still in the same
 * one, x30 being left over. How code goes on tells.
 */
#include <kunit/test.h>

#include <sframe/cursor.h>

#include "bare_world.h"

#define NEXT		(BARE + 12)
#define PC		(NEXT + 8)
#define RA		(CALLERS + 64)
#define IN_X30		(CALLERS + 128)

static const u32 function[] = {
	0xa9bc7bfd,	/* stp x29, x30, [sp, #-64]! */
	0x910003fd,	/* mov x29, sp */
	0x97ffffd0,	/* bl CALLED */
};

/* No gap is filled with that: mov x1, x2 */
#define NOP		0xaa0203e1
#define RET		0xd65f03c0
#define STORE_X30	0xf81f0ffe	/* str x30, [sp, #-16]! */
#define BEGINS		0xd10083ff	/* sub sp, sp, #32 */
#define CALL		0x94000010	/* bl . + 64 */
#define FROM_SP		0xa8c47bfd	/* ldp x29, x30, [sp], #64 */
#define FROM_ABOVE	0xa9457bfd	/* ldp x29, x30, [sp, #80] */
#define BASE		0xb9402ba0	/* ldr w0, [x29, #40] */
#define WRITES		0xaa0003fd	/* mov x29, x0 */
#define LEAVES		0x910003bf	/* mov sp, x29 */
#define VECTOR		0xfd00003d	/* str d29, [x1] */
#define LITERAL		0x580003a1	/* ldr x1, . + 116: 29 words */

/**
 * struct past_call_arm64_case - code from the PC on
 * @name: what it shows
 * @code: what is there
 * @left: the record is believed to be its own
 */
struct past_call_arm64_case {
	const char *name;
	u32 code[3];
	bool left;
};

static const struct past_call_arm64_case past_call_arm64_cases[] = {
	{ "its record is restored", { NOP, FROM_SP, RET }, .left = true },
	{ "another one is", { NOP, FROM_ABOVE, RET } },
	{ "none is", { NOP, NOP, RET } },
	{ "it is used", { BASE, FROM_SP, RET }, .left = true },
	{ "it is where SP comes from", { LEAVES, FROM_SP, RET }, .left = true },
	{ "FP gets another value", { WRITES, NOP, RET }, .left = true },
	{ "a vector has its number", { VECTOR, NOP, BEGINS } },
	{ "a distance is that", { LITERAL, NOP, BEGINS } },
	{ "another call, and another function", { CALL, NOP, BEGINS } },
	{ "it saves x30 alone", { STORE_X30, NOP, NOP } },
	{ "nothing is seen", { NOP, NOP, NOP }, .left = true },
};

KUNIT_ARRAY_PARAM_DESC(past_call_arm64, past_call_arm64_cases, name);

static void put_insns(struct bare_world *w, u64 at, const u32 *insns, unsigned int nr)
{
	u8 *to = w->code + (at - CODE);
	unsigned int i;

	for (i = 0; i < 4 * nr; i++)
		to[i] = insns[i / 4] >> i % 4 * 8;
}

static void walk_past_call(struct kunit *test)
{
	const struct past_call_arm64_case *c = test->param_value;
	struct sframe_regs regs = { .pc = PC, .sp = S(0), .fp = S(0), .ra = IN_X30 };
	static const u32 nop = NOP, bl = 0x94000000, blr = 0xd63f0040;
	static struct bare_world the_world;
	struct bare_world *w = &the_world;
	struct sframe_cursor cur;
	unsigned int i;
	u32 call;

	memset(w, 0, sizeof(*w));
	for (i = 0; i < CODE_LEN / 4; i++)
		put_insns(w, CODE + 4 * i, &nop, 1);
	put_insns(w, BARE, function, ARRAY_SIZE(function));
	put_insns(w, PC, c->code, ARRAY_SIZE(c->code));
	call = bl | (((s64)(BARE - (RA - 4)) / 4) & 0x3ffffff);
	put_insns(w, RA - 4, &call, 1);
	put_insns(w, IN_X30 - 4, &blr, 1);
	w->stack[0] = S(20);
	w->stack[1] = RA;
	sframe_cursor_init(&cur, &sframe_abi_arm64, &regs, 16, &bare_ops, w);
	KUNIT_EXPECT_EQ(test, !sframe_cursor_next(&cur) && cur.pc == RA, c->left);
}

static void past_call_arm64(struct kunit *test)
{
	kept_answers_rounds(test, walk_past_call);
}

static struct kunit_case past_call_arm64_test_cases[] = {
	KUNIT_CASE_PARAM(past_call_arm64, past_call_arm64_gen_params),
	{}
};

static struct kunit_suite past_call_arm64_suite = {
	.name = "sframe_past_call_arm64",
	.test_cases = past_call_arm64_test_cases,
};

kunit_test_suite(past_call_arm64_suite);
