// SPDX-License-Identifier: GPL-2.0
/*
 * Code that is compiled at run time, for s390x: RPython's calls and guards, QEMU's blocks. The
 * bytes are what an assembler makes of the instructions named beside them.
 */
#include <kunit/test.h>

#include <sframe/abi.h>

#include "simple_world.h"

#define CODE_BEGIN	0x400000ull
#define CODE_LEN	1024
#define CODE		0x400100ull
/* Where a guard leads, and a block of QEMU's is left. */
#define OUT		0x400200ull
#define SP		0x7ff000001000ull
#define STACK_WORDS	64

#define BCR		"\x07\x00"			/* does nothing */
#define RETURN		"\x07\xfe"			/* br %r14 */
#define JUMP_R14	RETURN
#define CALL_R14	"\x0d\xee"			/* basr %r14, %r14 */
#define CALL_R1		"\x0d\xe1"
#define CALL		"\xc0\xe5\x00\x00\x01\x00"	/* brasl %r14, ... */
#define R14_IS_OUT	"\xc0\xe1\x00\x40\x02\x00"	/* lgfi %r14 */
#define R14_HAS_LOW	"\xc0\xe9\x00\x40\x02\x00"	/* iilf %r14 */
#define R14_HAS_HIGH	"\xc0\xe8\x00\x00\x00\x00"	/* iihf %r14 */
#define R1_HAS_LOW	"\xc0\x19\x00\x40\x02\x00"
#define R1_HAS_HIGH	"\xc0\x18\x00\x00\x00\x00"
#define R0_IS		"\xc0\x01\x00\x12\x34\x56"	/* lgfi %r0 */
#define R0_HAS_LOW	"\xc0\x09\xf0\x12\x34\x56"	/* iilf %r0 */
#define NOTE_LIVE	"\xe3\x10\xc0\x20\x00\x24"	/* stg %r1, 32(%r12) */
#define NOTE_OTHER	"\xe3\x10\xc0\x28\x00\x24"	/* stg %r1, 40(%r12) */
#define LOAD_R1		"\xe3\x10\xd0\x30\x00\x04"	/* lg %r1, 48(%r13) */
#define LOAD_R1_BY_12	"\xe3\x10\xc0\x30\x00\x04"	/* lg %r1, 48(%r12) */
#define STORE_R1	"\xe3\x10\xd0\x30\x00\x24"	/* stg %r1, 48(%r13) */
#define GUARD		LOAD_R1 R0_IS R14_IS_OUT JUMP_R14
#define LEAVE_FRAME	"\xeb\x6f\xf0\xd0\x00\x04" RETURN	/* lmg %r6, %r15, 208(%r15) */
#define LEAVE_FROM_R7	"\xeb\x7f\xf0\xd8\x00\x04" RETURN	/* lmg %r7, %r15, 216(%r15) */
#define LEAVE_BY_R11	"\xeb\x6f\xb0\xd0\x00\x04" RETURN	/* lmg %r6, %r15, 208(%r11) */
#define STORE_HALVES	"\xeb\x6f\xf0\x00\x00\x26"		/* stmh %r6, %r15, 0(%r15) */
#define DOWN		"\xa7\xfb\xff\x60"		/* aghi %r15, -160 */
#define UP		"\xa7\xfb\x00\xa0"
#define IF_NE(half)	"\xc0\x74\x00\x00\x00" half	/* jgne, half words */
#define IF_NE_NEAR(half) "\xa7\x74\x00" half		/* jne */
#define JUMP(half)	"\xc0\xf4\x00\x00\x00" half	/* jg */
#define JUMP_R2		"\x07\xf2"
#define JUMP_R3		"\x07\xf3"
#define R2_IS_0		"\xa7\x29\x00\x00"		/* lghi %r2, 0 */
#define R2_IS_1		"\xa7\x29\x00\x01"
#define R2_IS_PC	"\xc0\x20\xff\xff\xff\x80"	/* larl %r2, ... */
#define ADD_R2		"\x41\x20\x20\x01"		/* la %r2, 1(%r2) */
#define OUT_OF_BLOCKS	JUMP_R3 R2_IS_0 LEAVE_FRAME
#define NOT_OF_BLOCKS	JUMP_R3 R2_IS_1 LEAVE_FRAME
#define OTHERS_JUMP	JUMP_R2 R2_IS_0 LEAVE_FRAME
#define SAVES_BEFORE	JUMP_R3 R2_IS_0 STORE_HALVES LEAVE_FRAME
#define INTO_OUT	6

/**
 * struct jit_case - a piece of code, and how it is left
 * @name: what it shows
 * @code: it
 * @len: its bytes
 * @at: of these before the PC
 * @jump: its last instruction is a jump into what is at OUT
 * @out: and that is this
 * @out_len: bytes of that
 * @topmost: is it not a caller's?
 * @near: is it not followed far?
 * @frame: bytes from SP to its caller's, as the stack says
 * @found: is a way out found, and RA where lmg loads it from?
 * @sure: it leads past nothing that might not return
 */
struct jit_case {
	const char *name;
	const char *code;
	u8 len;
	u8 at;
	bool jump;
	const char *out;
	u8 out_len;
	bool topmost;
	bool near;
	u8 frame;
	bool found;
	bool sure;
};

#define IS(text)	.code = (text), .len = sizeof(text) - 1
#define OUT_IS(text)	.out = (text), .out_len = sizeof(text) - 1
#define SURELY		.found = true, .sure = true
/* As RPython makes its frames, and all others. */
#define RPYTHONS	.frame = 224
#define OTHERS		.frame = 160

static const struct jit_case jit_cases[] = {
	{ "RPython's call", IS(NOTE_LIVE CALL_R14 LEAVE_FRAME), .at = 8, RPYTHONS, SURELY },
	{ "of a constant", IS(R14_IS_OUT CALL_R14 LEAVE_FRAME), .at = 8, RPYTHONS, SURELY },
	{ "of a large one", IS(R14_HAS_LOW R14_HAS_HIGH CALL_R14 LEAVE_FRAME), .at = 14,
	  RPYTHONS, SURELY },
	{ "by another register", IS(NOTE_LIVE CALL_R1 LEAVE_FRAME), .at = 8, RPYTHONS },
	{ "which others do", IS(NOTE_LIVE CALL_R1 LEAVE_FRAME), .at = 8, OTHERS, .found = true },
	{ "that notes nothing", IS(NOTE_OTHER CALL_R14 LEAVE_FRAME), .at = 8, OTHERS,
	  .found = true },
	{ "in a frame as others have", IS(NOTE_LIVE CALL_R14 LEAVE_FRAME), .at = 8, OTHERS },
	{ "not followed far", .near = true, IS(NOTE_LIVE CALL_R14 LEAVE_FRAME), .at = 8,
	  RPYTHONS },
	{ "on the way", .topmost = true, IS(NOTE_LIVE CALL_R14 LEAVE_FRAME), RPYTHONS, SURELY },
	{ "what was put on the stack may be gone", .topmost = true,
	  IS(DOWN NOTE_LIVE CALL_R14 UP LEAVE_FRAME), RPYTHONS },
	{ "a guard comes first", .topmost = true, IS(IF_NE("\x0a") CALL LEAVE_FRAME GUARD),
	  OUT_IS(LEAVE_FRAME), RPYTHONS, SURELY },
	{ "is none", .topmost = true,
	  IS(IF_NE("\x0a") CALL LEAVE_FRAME LOAD_R1_BY_12 R0_IS R14_IS_OUT JUMP_R14),
	  OUT_IS(LEAVE_FRAME), OTHERS, .found = true },
	{ "which stores", .topmost = true,
	  IS(IF_NE("\x0a") CALL LEAVE_FRAME STORE_R1 R0_IS R14_IS_OUT JUMP_R14),
	  OUT_IS(LEAVE_FRAME), OTHERS, .found = true },
	{ "with a large number", .topmost = true,
	  IS(IF_NE("\x0a") CALL LEAVE_FRAME LOAD_R1 R0_HAS_LOW R14_IS_OUT JUMP_R14),
	  OUT_IS(LEAVE_FRAME), RPYTHONS, SURELY },
	{ "of what jumps near", .topmost = true, IS(IF_NE_NEAR("\x09") CALL LEAVE_FRAME GUARD),
	  OUT_IS(LEAVE_FRAME), RPYTHONS },
	{ "a jump to a constant", .topmost = true, IS(R14_IS_OUT JUMP_R14), OUT_IS(LEAVE_FRAME),
	  OTHERS, SURELY },
	{ "a large one", .topmost = true, IS(R14_HAS_LOW R14_HAS_HIGH JUMP_R14),
	  OUT_IS(LEAVE_FRAME), OTHERS, SURELY },
	{ "half of one", .topmost = true, IS(R1_HAS_LOW R14_HAS_HIGH JUMP_R14),
	  OUT_IS(LEAVE_FRAME), OTHERS },
	{ "the other half", .topmost = true, IS(R14_HAS_LOW R1_HAS_HIGH JUMP_R14),
	  OUT_IS(LEAVE_FRAME), OTHERS },

	{ "a block of QEMU's", IS(CALL), .at = 6, .jump = true, OUT_IS(OUT_OF_BLOCKS), OTHERS,
	  SURELY },
	{ "of something else", IS(CALL), .at = 6, .jump = true, OUT_IS(NOT_OF_BLOCKS), OTHERS,
	  .found = true },
	{ "not entered there", IS(CALL), .at = 6, .jump = true, OUT_IS(OTHERS_JUMP), OTHERS,
	  .found = true },
	{ "not left there", IS(CALL), .at = 6, .jump = true, OUT_IS(SAVES_BEFORE), OTHERS,
	  .found = true },
	{ "by fewer registers", IS(CALL), .at = 6, .jump = true,
	  OUT_IS(JUMP_R3 R2_IS_0 LEAVE_FROM_R7), OTHERS, .found = true },
	{ "by FP", IS(CALL), .at = 6, .jump = true, OUT_IS(JUMP_R3 R2_IS_0 LEAVE_BY_R11), OTHERS,
	  .found = true },
	{ "that jumps to the next", IS(CALL JUMP("\x7f") R2_IS_PC), .at = 6, .jump = true,
	  OUT_IS(OUT_OF_BLOCKS), OTHERS, SURELY },
	{ "with a number", IS(CALL JUMP("\x7f") R2_IS_PC ADD_R2), .at = 6, .jump = true,
	  OUT_IS(OUT_OF_BLOCKS), OTHERS, SURELY },
	{ "or may jump to any", .topmost = true, IS(JUMP_R2 R2_IS_PC), .jump = true,
	  OUT_IS(OUT_OF_BLOCKS), OTHERS, SURELY },
	{ "no block", .topmost = true, IS(JUMP_R2 R2_IS_PC), .jump = true, OUT_IS(NOT_OF_BLOCKS),
	  OTHERS },
	{ "a jump on a condition", .topmost = true, IS(JUMP_R2 R2_IS_PC ADD_R2 IF_NE("\x7d")),
	  OUT_IS(OUT_OF_BLOCKS), OTHERS },
	{ "nothing behind", .topmost = true, IS(JUMP_R2 ADD_R2), .jump = true,
	  OUT_IS(OUT_OF_BLOCKS), OTHERS },
};

KUNIT_ARRAY_PARAM_DESC(jit, jit_cases, name);

struct jit_world {
	u8 code[CODE_LEN];
	u64 stack[STACK_WORDS];
};

static int jit_read(void *ctx, u64 addr, void *buf, unsigned int len)
{
	const struct jit_world *w = ctx;

	return read_array(addr, buf, len, CODE_BEGIN, w->code) ||
	       read_array(addr, buf, len, SP, w->stack) ? 0 : -1;
}

static void put_jump(u8 *code, u64 from, u64 to)
{
	u32 half = (to - from) / 2;
	const u8 insn[] = { 0xc0, 0xf4, half >> 24, half >> 16, half >> 8, half };

	memcpy(code + (from - CODE_BEGIN), insn, sizeof(insn));
}

static void is_left(struct kunit *test)
{
	const struct jit_case *c = test->param_value;
	struct sframe_leave lv = {
		.sp = SP, .fp = SP, .cost_max = ~0u, .far = !c->near, .topmost = c->topmost,
	};
	static struct jit_world w;
	bool found;

	memset(&w, 0, sizeof(w));
	memcpy(w.code + (CODE - CODE_BEGIN), c->code, c->len);
	if (c->out)
		memcpy(w.code + (OUT - CODE_BEGIN), c->out, c->out_len);
	if (c->jump)
		put_jump(w.code, CODE + c->len, OUT + INTO_OUT);
	w.stack[(208 + 9 * 8) / 8] = SP + c->frame;
	found = sframe_abi_s390.leave(&lv, CODE + c->at, jit_read, &w);
	KUNIT_ASSERT_EQ(test, found, c->found);
	if (!found)
		return;
	KUNIT_EXPECT_EQ(test, lv.sp, SP + c->frame + 160);
	KUNIT_EXPECT_EQ(test, lv.ra_at, SP + 208 + 8 * 8);
	KUNIT_EXPECT_EQ(test, lv.sure, c->sure);
	/* What is always the same need not be asked for again. */
	KUNIT_EXPECT_EQ(test, lv.sp_saved, c->frame == 160);
}

static struct kunit_case jit_test_cases[] = {
	KUNIT_CASE_PARAM(is_left, jit_gen_params),
	{}
};

static struct kunit_suite jit_suite = {
	.name = "sframe_jit_s390",
	.test_cases = jit_test_cases,
};

kunit_test_suite(jit_suite);
