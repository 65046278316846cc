// SPDX-License-Identifier: GPL-2.0
/*
 * AArch64: what compilers at run time do, as far as it must be known to follow their code.
 *
 * RPython's (PyPy) puts what it calls into x16, always by four instructions, and calls nothing
 * that does not return; x29 is no address on the stack there. Where an assumption fails that
 * the code was compiled with (a guard), it notes which, and goes for good to where its frame
 * is left, by a call of that.
 *
 * QEMU's blocks do not move SP, and all are entered and left at one place. Most jump to each
 * other, and have a way out behind that.
 */
#include "arm64.h"

#define X16_IS		0xd2800010	/* mov x16, #... */
#define X16_IS_ALSO(i)	(0xf2800010 | (i) << 21)	/* movk x16, #..., lsl #16 * i */
#define IMM16		(0xffffu << 5)
#define CALL_X16	0xd63f0200	/* blr x16 */
#define LOAD_X16	0x58000010	/* ldr x16, ... */
#define NOTE_GUARD	0xf9000bb0	/* str x16, [x29, #16] */
#define NOTE_LIVE	0xf90013b0	/* str x16, [x29, #32] */

#define JUMP_X1		0xd61f0020	/* br x1 */
#define ADD_SP		0x910003ff	/* add sp, sp, #... */
#define ADR_X0		0x10000000	/* adr x0, ... */
#define ADR_MASK	0x9f00001f

/* Instructions before the last way out of QEMU's blocks that are looked at, and from it on. */
#define NR_BEFORE_OUT	3
#define NR_OUT		2
/* In how many behind a jump a block of QEMU's has another way out. */
#define NR_EXIT		6

/* What reading away from the path costs, see &sframe_leave.cost. */
#define READ_COST	3

/* Instructions that put an address into x16; the same, and the call. */
#define NR_SET		4
#define NR_CALL		(NR_SET + 1)
/* Two that note the guard, five what is alive, and the call. */
#define NR_GUARD	(2 + NR_SET + 1 + NR_CALL)

static_assert(NR_CALL * INSN_LEN == SFRAME_SURE_CALL_BEFORE, "read as a whole");

static bool read_aside(struct leave_search *s, u64 addr, u8 *code, unsigned int len)
{
	return sframe_leave_read_aside(s, addr, code, len, READ_COST);
}

/* Do the instructions at @code put an address into x16? */
static bool sets_x16(const u8 *code, u64 *address)
{
	unsigned int i;
	u32 insn;

	*address = 0;
	for (i = 0; i < NR_SET; i++) {
		insn = sframe_arm64_insn(code + i * INSN_LEN);
		if ((insn & ~IMM16) != (i ? X16_IS_ALSO(i) : X16_IS))
			return false;
		*address |= (u64)(insn >> 5 & 0xffff) << 16 * i;
	}
	return true;
}

/**
 * sframe_arm64_is_rpython_call() - &sframe_abi.is_sure_call
 * @code: as there
 *
 * Return: is it a call as RPython's compiler makes them?
 */
bool sframe_arm64_is_rpython_call(const u8 *code)
{
	u64 address;

	return sframe_arm64_insn(code + NR_SET * INSN_LEN) == CALL_X16 &&
	       sets_x16(code, &address);
}

static bool notes_guard(const u8 *code)
{
	return (sframe_arm64_insn(code) & 0xff00001f) == LOAD_X16 &&
	       sframe_arm64_insn(code + INSN_LEN) == NOTE_GUARD;
}

/**
 * sframe_arm64_is_guard() - does a branch of RPython's lead to where its code is left for good?
 * @s: the search; its cost is counted
 * @target: where the branch leads
 *
 * Return: true if so.
 */
bool sframe_arm64_is_guard(struct leave_search *s, u64 target)
{
	u8 code[2 * INSN_LEN];

	return read_aside(s, target, code, sizeof(code)) && notes_guard(code);
}

/**
 * sframe_arm64_rpython_call() - what does a call by x16 do, in RPython's code?
 * @s: the search; its cost is counted
 * @ra: address behind that call
 * @to: set to where that goes which does not come back; else 0
 *
 * Return: true if it is RPython's, so that it returns, or else *@to is set.
 */
bool sframe_arm64_rpython_call(struct leave_search *s, u64 ra, u64 *to)
{
	const unsigned int call_at = (NR_GUARD - NR_CALL) * INSN_LEN;
	u8 code[NR_GUARD * INSN_LEN];
	u64 address, alive;

	*to = 0;
	if (!read_aside(s, ra - sizeof(code), code, sizeof(code)) ||
	    !sets_x16(code + call_at, &address))
		return false;
	if (notes_guard(code) && sets_x16(code + 2 * INSN_LEN, &alive) &&
	    sframe_arm64_insn(code + call_at - INSN_LEN) == NOTE_LIVE)
		*to = address;
	return true;
}

/**
 * sframe_arm64_is_qemu_epilogue() - is there where QEMU's blocks are left?
 * @s: the search; its cost is counted
 * @pc: where
 *
 * br x1, by which they are entered; bti j; mov x0, #0; bti j; add sp, sp, #...: whatever leads to
 * the last two of these, SP was as it is.
 *
 * Return: true if the last two are at @pc.
 */
bool sframe_arm64_is_qemu_epilogue(struct leave_search *s, u64 pc)
{
	u8 code[(NR_BEFORE_OUT + NR_OUT) * INSN_LEN];

	return read_aside(s, pc - NR_BEFORE_OUT * INSN_LEN, code, sizeof(code)) &&
	       sframe_arm64_insn(code) == JUMP_X1 &&
	       sframe_arm64_insn(code + INSN_LEN) == ARM64_BTI_J &&
	       sframe_arm64_insn(code + 3 * INSN_LEN) == ARM64_BTI_J &&
	       (sframe_arm64_insn(code + 4 * INSN_LEN) & ~A64_IMM12) == ADD_SP;
}

/**
 * sframe_arm64_is_exit_of_block() - has a block of QEMU's another way out behind a jump?
 * @s: the search; its cost is counted
 * @pc: address behind the jump
 *
 * It tells the loop that runs the blocks which one it was: adr x0, ...; b epilogue.
 *
 * Return: true if so.
 */
bool sframe_arm64_is_exit_of_block(struct leave_search *s, u64 pc)
{
	u8 code[NR_EXIT * INSN_LEN];
	unsigned int i;
	u32 insn;

	if (!read_aside(s, pc, code, sizeof(code)))
		return false;
	for (i = 1; i < NR_EXIT; i++) {
		insn = sframe_arm64_insn(code + (i - 1) * INSN_LEN);
		if ((insn & ADR_MASK) != ADR_X0)
			continue;
		pc += i * INSN_LEN;
		insn = sframe_arm64_insn(code + i * INSN_LEN);
		return sframe_arm64_is_b(insn) &&
		       sframe_arm64_is_qemu_epilogue(s, sframe_arm64_b_target(insn, pc));
	}
	return false;
}
