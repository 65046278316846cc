// SPDX-License-Identifier: GPL-2.0
/*
 * AArch64: where HotSpot's interpreter goes on when a function returns that it has
 * jumped to.
 */
#include <sframe/abi.h>

#include "arm64.h"

#define LOAD_SP		0xf85f03b4	/* ldur x20, [x29, #-16] */
#define LOAD_DISTANCE	0xf85f03a8	/* ldur x8, [x29, #-16] */
#define FROM_FP		0x8b286fb4	/* add x20, x29, x8, uxtx #3 */
#define CLEAR_SP	0xf81f03bf	/* stur xzr, [x29, #-16] */

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
