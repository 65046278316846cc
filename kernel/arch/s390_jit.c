// SPDX-License-Identifier: GPL-2.0
/*
 * s390x: what compilers at run time do, as far as it must be known to follow their code.
 *
 * RPython's (PyPy) puts addresses into r14, for calls and for jumps, and calls nothing that does
 * not return. r12 points to its frame's data, r13 to constants. Where an assumption fails that
 * the code was compiled with (a guard), it goes for good to where its frame is left.
 *
 * QEMU's blocks do not move SP, and all are entered and left at one place. Most jump to each
 * other, and have a way out behind that.
 */
#include <sframe/abi.h>

#include "s390.h"

/* What reading away from the path costs, see &sframe_leave.cost. */
#define READ_COST	(3 * S390_INSN_COST)

#define CALL_R14	0x0dee		/* basr %r14, %r14 */
#define JUMP_R3		0x07f3		/* br %r3 */
#define LGFI_R14	0xc0e1		/* r14 is set to 32 bits, and their sign */
#define IIHF_R14	0xc0e8		/* its upper half */
#define IILF_R14	0xc0e9		/* and its lower */
#define LGFI_R0		0xc001
#define IILF_R0		0xc009
#define LG_R1		0xe310		/* lg %r1, ... */
#define LARL_R2		0xc020		/* larl %r2, ... */
#define JG		0xc0f4
#define LMG_R6		0xeb6f		/* lmg %r6, %r15, ... */

#define SET_LEN		6		/* of instructions that set a register, or load one */
#define LMG_LEN		6
#define BR_LEN		2
#define LGHI_LEN	4

static u32 get16(const u8 *code)
{
	return code[0] << 8 | code[1];
}

static u32 get32(const u8 *code)
{
	return get16(code) << 16 | get16(code + 2);
}

static bool read_aside(struct leave_search *s, u64 addr, u8 *code, unsigned int len)
{
	return sframe_leave_read_aside(s, addr, code, len, READ_COST);
}

/**
 * sframe_s390_constant_in_r14() - to where does a jump by r14 go, that was set right before?
 * @s: the search; its cost is counted
 * @pc: address of the jump
 *
 * Return: the address; 0 if it is not known.
 */
u64 sframe_s390_constant_in_r14(struct leave_search *s, u64 pc)
{
	u8 code[2 * SET_LEN];
	const u8 *last = code + SET_LEN;

	if (!read_aside(s, pc - sizeof(code), code, sizeof(code)))
		return 0;
	if (get16(last) == LGFI_R14)
		return (s64)(s32)get32(last + 2);
	if (get16(code) == IILF_R14 && get16(last) == IIHF_R14)
		return get32(code + 2) | (u64)get32(last + 2) << 32;
	return 0;
}

/**
 * sframe_s390_is_guard() - does a branch of RPython's lead to where its code is left for good?
 * @s: the search; its cost is counted
 * @target: where the branch leads
 *
 * lg %r1, ...(%r13); then r0 is set to a constant.
 *
 * Return: true if so.
 */
bool sframe_s390_is_guard(struct leave_search *s, u64 target)
{
	u8 code[SET_LEN + 2];

	return read_aside(s, target, code, sizeof(code)) && get16(code) == LG_R1 &&
	       code[2] >> 4 == 13 && code[5] == 0x04 &&
	       (get16(code + SET_LEN) == LGFI_R0 || get16(code + SET_LEN) == IILF_R0);
}

/**
 * sframe_s390_is_rpython_call() - &sframe_abi.is_sure_call
 * @code: as there
 *
 * basr %r14, %r14; before that r14 was set to a constant, or the frame's data told what is
 * alive: stg %r1, 32(%r12).
 *
 * Return: is it a call as RPython's compiler makes them?
 */
bool sframe_s390_is_rpython_call(const u8 *code)
{
	static const u8 notes[SET_LEN] = { 0xe3, 0x10, 0xc0, 0x20, 0x00, 0x24 };
	const u8 *call = code + SFRAME_SURE_CALL_BEFORE - BR_LEN, *last = call - SET_LEN;

	return get16(call) == CALL_R14 &&
	       (!memcmp(last, notes, sizeof(notes)) || get16(last) == LGFI_R14 ||
		get16(last) == IIHF_R14);
}

/**
 * sframe_s390_is_sure_call() - is a call one that does return, by the code around it?
 * @s: the search; its cost is counted
 * @ra: where it returns to
 *
 * Return: true if so.
 */
bool sframe_s390_is_sure_call(struct leave_search *s, u64 ra)
{
	u8 code[SFRAME_SURE_CALL_BEFORE];

	return read_aside(s, ra - sizeof(code), code, sizeof(code)) &&
	       sframe_s390_is_rpython_call(code);
}

/**
 * sframe_s390_is_qemu_epilogue() - is there where QEMU's blocks are left?
 * @s: the search; its cost is counted
 * @pc: where
 *
 * br %r3, by which they are entered; lghi %r2, 0; lmg %r6, %r15, ...(%r15): whatever leads to the
 * last of these, SP was as it is.
 *
 * Return: is that at @pc?
 */
bool sframe_s390_is_qemu_epilogue(struct leave_search *s, u64 pc)
{
	static const u8 lghi[LGHI_LEN] = { 0xa7, 0x29, 0x00, 0x00 };
	u8 code[BR_LEN + LGHI_LEN + LMG_LEN];
	const u8 *lmg = code + BR_LEN + LGHI_LEN;

	return read_aside(s, pc - BR_LEN - LGHI_LEN, code, sizeof(code)) &&
	       get16(code) == JUMP_R3 && !memcmp(code + BR_LEN, lghi, sizeof(lghi)) &&
	       get16(lmg) == LMG_R6 && lmg[2] >> 4 == 15 && lmg[5] == 0x04;
}

/**
 * sframe_s390_is_exit_of_block() - has a block of QEMU's another way out behind a jump?
 * @s: the search; its cost is counted
 * @pc: address behind the jump
 *
 * It tells the loop that runs the blocks which one it was: larl %r2, ...; jg epilogue; perhaps
 * with an instruction of four bytes between.
 *
 * Return: true if so.
 */
bool sframe_s390_is_exit_of_block(struct leave_search *s, u64 pc)
{
	u8 code[2 * SET_LEN + 4];
	unsigned int at = SET_LEN;

	if (!read_aside(s, pc, code, sizeof(code)) || get16(code) != LARL_R2)
		return false;
	if (get16(code + at) != JG)
		at += 4;
	return get16(code + at) == JG &&
	       sframe_s390_is_qemu_epilogue(s, pc + at + 2 * (s64)(s32)get32(code + at + 2));
}
