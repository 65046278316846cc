// SPDX-License-Identifier: GPL-2.0
/*
 * AArch64: where HotSpot's interpreter goes on when a function returns that it has
 * jumped to; how what HotSpot compiles begins, and what it leaves behind calls.
 */
#include <sframe/abi.h>

#include "arm64.h"

#define LOAD_SP		0xf85f03b4	/* ldur x20, [x29, #-16] */
#define LOAD_DISTANCE	0xf85f03a8	/* ldur x8, [x29, #-16] */
#define FROM_FP		0x8b286fb4	/* add x20, x29, x8, uxtx #3 */
#define CLEAR_SP	0xf81f03bf	/* stur xzr, [x29, #-16] */

/* movk xzr, #...: of the first, and the low byte of the next one, how far back it is. */
#define MOVK_XZR	0xf280001f
#define MOVK_IMM	(0xffffu << 5)
#define MARK_BACK	0xffffff

#define SUB_X9_SP	0xd14003e9	/* sub x9, sp, #..., lsl #12 */
#define TOUCH_X9	0xf900013f	/* str xzr, [x9] */
#define SUB_SP		0xd10003ff	/* sub sp, sp, #... */
#define STORE_RECORD	0xa9007bfd	/* stp x29, x30, [sp, #...] */
#define IMM7		(0x7fu << 15)
#define PUSH_RECORD	0xa9bf7bfd	/* stp x29, x30, [sp, #-16]! */
#define RECORD		16

/**
 * sframe_arm64_resumes() - &sframe_abi.resumes
 * @code: %SFRAME_RESUME_LEN bytes
 *
 * The SP that it takes from its frame is that of its own stack, x20: the processor's is
 * below that.
 *
 * Return: how HotSpot's interpreter finds SP, if this is where it is returned to.
 */
enum sframe_resume sframe_arm64_resumes(const u8 *code)
{
	u32 first = sframe_arm64_insn(code), next = sframe_arm64_insn(code + INSN_LEN);

	if (first == LOAD_SP)
		return next == CLEAR_SP ? SFRAME_RESUME_ADDRESS : SFRAME_RESUME_NOT;
	/* Since JDK 22. */
	if (first == LOAD_DISTANCE && next == FROM_FP &&
	    sframe_arm64_insn(code + 2 * INSN_LEN) == CLEAR_SP)
		return SFRAME_RESUME_DISTANCE;
	return SFRAME_RESUME_NOT;
}

/**
 * sframe_arm64_call_mark() - &sframe_abi.call_mark
 * @code: %SFRAME_CALL_MARK_LEN bytes
 *
 * Return: as there.
 */
u32 sframe_arm64_call_mark(const u8 *code)
{
	u32 low = sframe_arm64_insn(code + INSN_LEN);
	u32 high = sframe_arm64_insn(code + 2 * INSN_LEN);

	if (sframe_arm64_insn(code) != ARM64_NOP || (low & ~MOVK_IMM) != MOVK_XZR ||
	    (high & ~MOVK_IMM) != MOVK_XZR)
		return 0;
	return (low >> 5 & 0xffff) | ((high >> 5 & 0xffff) << 16 & MARK_BACK);
}

/**
 * sframe_arm64_frame_made() - &sframe_abi.frame_made
 * @code: %SFRAME_FRAME_MADE_LEN bytes
 *
 * Functions see first whether there is room on the stack, but for those that call nobody.
 * The first instruction may be there to be replaced.
 *
 * Return: as there.
 */
u64 sframe_arm64_frame_made(const u8 *code)
{
	u32 insn, next, size;

	if (sframe_arm64_insn(code) == ARM64_NOP)
		code += INSN_LEN;
	if ((sframe_arm64_insn(code) & ~A64_IMM12) == SUB_X9_SP &&
	    sframe_arm64_insn(code + INSN_LEN) == TOUCH_X9)
		code += 2 * INSN_LEN;
	insn = sframe_arm64_insn(code);
	next = sframe_arm64_insn(code + INSN_LEN);
	if (insn == PUSH_RECORD && (next & ~A64_IMM12) == SUB_SP)
		return (next >> 10 & 0xfff) + RECORD - sizeof(u64);
	size = insn >> 10 & 0xfff;
	if ((insn & ~A64_IMM12) != SUB_SP || (next & ~IMM7) != STORE_RECORD ||
	    (next >> 15 & 0x7f) * sizeof(u64) + RECORD != size)
		return 0;
	return size - sizeof(u64);
}
