// SPDX-License-Identifier: GPL-2.0
/*
 * Code that is compiled at run time, for AArch64: RPython's calls and guards, QEMU's blocks. The
 * words are what an assembler makes of the instructions named beside them.
 */
#include <kunit/test.h>

#include <sframe/abi.h>

#include "simple_world.h"

#define CODE		0x400100ull
/* Where a guard leads, and a block of QEMU's is left. */
#define OUT		0x404200ull
/* Bytes of each that can be read, and of what is before. */
#define LEN		256
#define BEFORE		64
#define SP		0x7ff000001000ull
#define HEAP		0x7ff00abcd000ull

#define NOP		0xd503201f
#define BRK		0xd4200020
#define RET		0xd65f03c0
#define RET_X17		0xd65f0220
#define BTI_J		0xd503249f
#define CALL		0x94000100	/* bl */
#define CALL_X16	0xd63f0200	/* blr x16 */
#define CALL_X3		0xd63f0060
#define X16_IS_OUT	0xd2884010, 0xf2a00810, 0xf2c00010, 0xf2e00010
#define X3_IS_OUT	0xd2884003, 0xf2a00803, 0xf2c00003, 0xf2e00003
#define X16_IS_SHORT	NOP, 0xd2884010, 0xf2a00810, 0xf2c00010
#define NOTE_GUARD	0x58000810, 0xf9000bb0	/* ldr x16, ...; str x16, [x29, #16] */
#define NOTE_OTHER	0x58000810, 0xf9000fb0	/* str x16, [x29, #24] */
#define NOTE_LIVE	0xf90013b0	/* str x16, [x29, #32] */
#define GUARD		NOTE_GUARD, X16_IS_OUT, NOTE_LIVE, X16_IS_OUT, CALL_X16
#define NOTES_X3	NOTE_GUARD, X3_IS_OUT, NOTE_LIVE, X16_IS_OUT, CALL_X16
#define NOTES_NONE	NOTE_GUARD, X16_IS_OUT, NOP, X16_IS_OUT, CALL_X16
#define NO_GUARD	NOTE_OTHER, X16_IS_OUT, NOTE_LIVE, X16_IS_OUT, CALL_X16
#define LOAD_FRAME	0xf940021d	/* ldr x29, [x16] */
#define POP_80		0xa8c577fe	/* ldp x30, x29, [sp], #80 */
#define SP_IS_FP	0x910003bf	/* mov sp, x29 */
#define PUSH		0xd10043ff	/* sub sp, sp, #16 */
#define POP		0x910043ff	/* add sp, sp, #16 */
#define SAVE_LR		0xf90003fe	/* str x30, [sp] */
#define LOAD_LR		0xf94003fe	/* ldr x30, [sp] */
#define LOAD_X17	0xf94003f1	/* ldr x17, [sp] */
#define MOVE_X17	0xaa0103f1	/* mov x17, x1 */
#define IF_SKIP(n)	(0x54000001 | ((n) + 1) << 5)	/* b.ne, past n instructions */
#define SKIP(n)		(0x14000000 | ((n) + 1))
#define BR_X0		0xd61f0000
#define BR_X1		0xd61f0020
#define BR_X16		0xd61f0200
#define ADR_X0		0x10fff8c0	/* adr x0, ... */
#define X0_IS_0		0xd2800000
/* b, to the last way out of QEMU's blocks, from instruction @n on. */
#define LEAVE_BLOCK(n)	(0x14000000 | (u32)((OUT + 12 - CODE) / 4 - (n)))
#define CALL_OUT(n)	(1u << 31 | LEAVE_BLOCK(n))
#define OUT_OF_BLOCKS	BR_X1, BTI_J, X0_IS_0, BTI_J, 0x910103ff /* add sp, sp, #64 */, \
			0xa8c17bfd /* ldp x29, x30, [sp], #16 */, RET
#define FROM_ELSEWHERE	BR_X0, BTI_J, X0_IS_0, BTI_J, 0x910103ff, 0xa8c17bfd, RET
#define NOT_MARKED	BR_X1, BTI_J, X0_IS_0, NOP, 0x910103ff, 0xa8c17bfd, RET
#define OTHER_FRAME	BR_X1, BTI_J, X0_IS_0, BTI_J, POP_80, RET
#define NOT_OF_BLOCKS	BR_X1, NOP, X0_IS_0, BTI_J, 0x910103ff, 0xa8c17bfd, RET

/**
 * struct jit_case - a piece of code, and how it is left
 * @name: what it shows
 * @at: which instruction the PC is at
 * @insns: the code, up to 0
 * @out: and that at OUT
 * @topmost: is it not a caller's?
 * @on_stack: does x29 point to the stack?
 * @found: is a way out found?
 * @sp: then the caller's SP, bytes from SP on
 * @ra: then RA is saved there, plus 1; 0: in its register
 * @sure: it leads past nothing that might not return
 * @by_fp: where FP points had a say
 */
struct jit_case {
	const char *name;
	u8 at;
	u32 insns[24];
	u32 out[8];
	bool topmost;
	bool on_stack;
	bool found;
	u8 sp;
	u8 ra;
	bool sure;
	bool by_fp;
};

#define POPS_80		.found = true, .sp = 80, .ra = 1
#define POPS_16		.found = true, .sp = 16, .ra = 1
#define RPYTHONS	.sure = true, .by_fp = true
#define LEAVES_BLOCK	.found = true, .sp = 80, .ra = 73

static const struct jit_case jit_cases[] = {
	{ "RPython's call", .insns = { X16_IS_OUT, CALL_X16, POP_80, RET }, POPS_80, RPYTHONS },
	{ "by another register", .insns = { X3_IS_OUT, CALL_X3, POP_80, RET }, POPS_80 },
	{ "of an address of three parts", .insns = { X16_IS_SHORT, CALL_X16, POP_80, RET },
	  POPS_80 },
	{ "where FP is on the stack", .on_stack = true,
	  .insns = { X16_IS_OUT, CALL_X16, POP_80, RET }, POPS_80 },
	{ "another call", .insns = { CALL, POP_80, RET }, POPS_80 },
	{ "what was pushed may be gone behind it",
	  .insns = { PUSH, X16_IS_OUT, CALL_X16, POP, POP_80, RET } },
	{ "and RA is lost there", .topmost = true, .insns = { X16_IS_OUT, CALL_X16, RET } },
	{ "a guard", .insns = { GUARD, BRK }, .out = { POP_80, RET }, POPS_80, RPYTHONS },
	{ "that does not say what is alive", .insns = { NOTES_X3, BRK }, .out = { POP_80, RET } },
	{ "or does not note it", .insns = { NOTES_NONE, BRK }, .out = { POP_80, RET } },
	{ "that is none", .insns = { NO_GUARD, BRK }, .out = { POP_80, RET } },
	{ "which comes first", .insns = { IF_SKIP(3), CALL, POP, RET, GUARD },
	  .out = { POP_80, RET }, POPS_80, RPYTHONS },
	{ "and need not call", .insns = { IF_SKIP(1), BRK, NOTE_GUARD, POP_80, RET }, POPS_80,
	  RPYTHONS },
	{ "but only where FP is data", .on_stack = true,
	  .insns = { IF_SKIP(3), CALL, POP_80, RET, GUARD }, .out = { POP, RET }, POPS_80 },
	{ "FP is loaded", .insns = { LOAD_FRAME, LOAD_LR, POP, RET }, POPS_16, RPYTHONS },
	{ "and is no address", .insns = { LOAD_FRAME, SP_IS_FP, POP_80, RET } },
	{ "by others, whose FP is an address", .on_stack = true,
	  .insns = { LOAD_FRAME, LOAD_LR, POP, RET } },
	{ "RA is loaded to x17", .insns = { LOAD_X17, POP, RET_X17 }, POPS_16, RPYTHONS },
	{ "but not by others", .on_stack = true,
	  .insns = { LOAD_X17, POP, RET_X17 } },
	{ "and was saved there", .topmost = true,
	  .insns = { PUSH, SAVE_LR, CALL, LOAD_X17, POP, RET_X17 },
	  .found = true, .by_fp = true },
	{ "x17 is something else", .insns = { LOAD_X17, MOVE_X17, POP, RET_X17 } },
	{ "a call may have changed it", .insns = { LOAD_X17, CALL, POP, RET_X17 } },

	{ "a block of QEMU's", .insns = { CALL, LEAVE_BLOCK(1) }, .out = { OUT_OF_BLOCKS },
	  LEAVES_BLOCK, .sure = true },
	{ "of something else", .insns = { CALL, LEAVE_BLOCK(1) }, .out = { NOT_OF_BLOCKS },
	  LEAVES_BLOCK },
	{ "not entered there", .insns = { CALL, LEAVE_BLOCK(1) }, .out = { FROM_ELSEWHERE },
	  LEAVES_BLOCK },
	{ "without a mark", .insns = { CALL, LEAVE_BLOCK(1) }, .out = { NOT_MARKED },
	  LEAVES_BLOCK },
	{ "with another frame", .insns = { CALL, LEAVE_BLOCK(1) }, .out = { OTHER_FRAME },
	  POPS_80 },
	{ "that jumps to the next",
	  .insns = { CALL, SKIP(4), BR_X16, BTI_J, ADR_X0, LEAVE_BLOCK(5) },
	  .out = { OUT_OF_BLOCKS }, LEAVES_BLOCK, .sure = true },
	{ "or may jump to any", .insns = { BR_X0, ADR_X0, LEAVE_BLOCK(2) },
	  .out = { OUT_OF_BLOCKS }, LEAVES_BLOCK, .sure = true },
	{ "no block", .insns = { BR_X0, ADR_X0, LEAVE_BLOCK(2) }, .out = { NOT_OF_BLOCKS } },
	{ "a call of the way out", .insns = { BR_X0, ADR_X0, CALL_OUT(2), POP_80, RET },
	  .out = { OUT_OF_BLOCKS } },
	{ "nothing behind", .insns = { BR_X0, NOP, LEAVE_BLOCK(2) }, .out = { OUT_OF_BLOCKS } },
};

KUNIT_ARRAY_PARAM_DESC(jit, jit_cases, name);

struct jit_world {
	u8 code[LEN];
	u8 out[LEN];
};

static int read_code(void *ctx, u64 addr, void *buf, unsigned int len)
{
	const struct jit_world *w = ctx;

	return read_array(addr, buf, len, CODE - BEFORE, w->code) ||
	       read_array(addr, buf, len, OUT - BEFORE, w->out) ? 0 : -1;
}

/* Words, up to 0. */
static void put_words(u8 *code, const u32 *insns, unsigned int max)
{
	unsigned int i, byte;

	for (i = 0; i < max && insns[i]; i++) {
		for (byte = 0; byte < 4; byte++)
			code[BEFORE + 4 * i + byte] = insns[i] >> 8 * byte;
	}
}

static void is_left(struct kunit *test)
{
	const struct jit_case *c = test->param_value;
	struct sframe_leave lv = {
		.sp = SP, .fp = c->on_stack ? SP + 48 : HEAP, .cost_max = ~0u, .far = true,
		.topmost = c->topmost,
	};
	struct jit_world w = {};
	bool found;

	put_words(w.code, c->insns, ARRAY_SIZE(c->insns));
	put_words(w.out, c->out, ARRAY_SIZE(c->out));
	found = sframe_abi_arm64.leave(&lv, CODE + 4 * c->at, read_code, &w);
	KUNIT_ASSERT_EQ(test, found, c->found);
	if (!found)
		return;
	KUNIT_EXPECT_EQ(test, lv.sp, SP + c->sp);
	KUNIT_EXPECT_EQ(test, lv.ra_at, c->ra ? SP + c->ra - 1 : 0);
	KUNIT_EXPECT_EQ(test, lv.sure, c->sure);
	KUNIT_EXPECT_EQ(test, lv.by_fp, c->by_fp);
	/* Data stays data, though another frame's. */
	KUNIT_EXPECT_FALSE(test, lv.fp_lost);
}

static struct kunit_case jit_test_cases[] = {
	KUNIT_CASE_PARAM(is_left, jit_gen_params),
	{}
};

static struct kunit_suite jit_suite = {
	.name = "sframe_jit_arm64",
	.test_cases = jit_test_cases,
};

kunit_test_suite(jit_suite);
