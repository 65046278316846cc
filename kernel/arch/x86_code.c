// SPDX-License-Identifier: GPL-2.0
/*
 * x86-64: what little can be told from code without decoding all of it.
 */
#include <sframe/abi.h>

#include "x86.h"

/* Bytes of an indirect near call (FF /2) by its ModRM and SIB bytes. */
static unsigned int indirect_call_len(u8 modrm, u8 sib)
{
	unsigned int mod = modrm >> 6, rm = modrm & 7;
	unsigned int len = 2 + (mod != 3 && rm == 4);

	if (mod == 1)
		return len + 1;
	if (mod == 2)
		return len + 4;
	if (mod == 0 && (rm == 5 || (rm == 4 && (sib & 7) == 5)))
		return len + 4;
	return len;
}

/*
 * Prefixes (REX, segment, NOTRACK, operand size) come first and change no
 * length here, so it is enough that the last bytes are a call without them.
 */
static bool is_indirect_call(const u8 *end)
{
	unsigned int len;

	for (len = 2; len <= X86_CALL_LEN; len++) {
		const u8 *op = end - len;

		if (op[0] == 0xff && ((op[1] >> 3) & 7) == 2 &&
		    indirect_call_len(op[1], len > 2 ? op[2] : 0) == len)
			return true;
	}
	return false;
}

/**
 * sframe_x86_after_call() - &sframe_abi.after_call
 * @code: X86_CALL_LEN bytes
 *
 * Return: do they end with a call?
 */
bool sframe_x86_after_call(const u8 *code)
{
	const u8 *end = code + X86_CALL_LEN;

	return end[-5] == 0xe8 || is_indirect_call(end);
}

/**
 * sframe_x86_call_target() - &sframe_abi.call_target
 * @code: X86_CALL_LEN bytes
 * @ra: where they end
 *
 * Return: the function called, 0 if bytes can be read as an indirect call, too
 */
u64 sframe_x86_call_target(const u8 *code, u64 ra)
{
	const u8 *end = code + X86_CALL_LEN;

	if (end[-5] != 0xe8 || is_indirect_call(end))
		return 0;
	return ra + (s32)(end[-4] | end[-3] << 8 | end[-2] << 16 |
			  (u32)end[-1] << 24);
}

/* The length of the int3 or nop at @p, that ends at @end at the latest; or 0. */
static unsigned int padding_len(const u8 *p, const u8 *end)
{
	unsigned int n = 0, len;

	if (*p == 0xcc)
		return 1;
	while (p + n < end && (p[n] == 0x66 || p[n] == 0x2e))
		n++;
	if (p + n < end && p[n] == 0x90)
		return n + 1;
	if (p + n + 3 > end || p[n] != 0x0f || p[n + 1] != 0x1f)
		return 0;
	/* By its addressing mode. */
	switch (p[n + 2]) {
	case 0x00:
		len = n + 3;
		break;
	case 0x40:
		len = n + 4;
		break;
	case 0x44:
		len = n + 5;
		break;
	case 0x80:
		len = n + 7;
		break;
	case 0x84:
		len = n + 8;
		break;
	default:
		return 0;
	}
	return p + len <= end ? len : 0;
}

static bool is_padding(const u8 *p, const u8 *end)
{
	unsigned int len;

	for (; p < end; p += len) {
		len = padding_len(p, end);
		if (!len)
			return false;
	}
	return true;
}

/* Does something end before @p that is never passed: a return, jump or trap? */
static bool is_barrier(const u8 *p, unsigned int have)
{
	return p[-1] == 0xc3 || (have >= 5 && p[-5] == 0xe9) ||
	       (have >= 2 && p[-2] == 0x0f && p[-1] == 0x0b);
}

/**
 * sframe_x86_ends_function() - &sframe_abi.ends_function
 * @code: what is at @pc; there are SFRAME_ENDS_BEFORE bytes before
 * @pc: the address
 *
 * Functions begin at multiples of 16, behind a return, a jump or a trap, and
 * padding. Where one of these is in the middle of a function, this says yes too
 * often.
 *
 * Return: may a function begin there?
 */
bool sframe_x86_ends_function(const u8 *code, u64 pc)
{
	unsigned int n;

	if (pc % 16)
		return false;
	if (code[-1] == 0xcc && code[-2] == 0xcc)
		return true;
	for (n = 0; n < SFRAME_ENDS_BEFORE; n++) {
		if (is_barrier(code - n, SFRAME_ENDS_BEFORE - n) &&
		    is_padding(code - n, code))
			return true;
	}
	return false;
}

/**
 * sframe_x86_jump_target() - &sframe_abi.jump_target
 * @code: 8 bytes
 * @pc: their address
 *
 * Return: where a direct jump or conditional jump that they are goes to, or 0
 */
u64 sframe_x86_jump_target(const u8 *code, u64 pc)
{
	unsigned int len;

	if ((code[0] & 0xf0) == 0x70 || code[0] == 0xeb)
		return pc + 2 + (s8)code[1];
	if (code[0] == 0xe9)
		len = 1;
	else if (code[0] == 0x0f && (code[1] & 0xf0) == 0x80)
		len = 2;
	else
		return 0;
	code += len;
	return pc + len + 4 + (s32)(code[0] | code[1] << 8 | code[2] << 16 |
				    (u32)code[3] << 24);
}

static bool is_mov_rsp_rbp(const u8 *code)
{
	return code[0] == 0x48 && ((code[1] == 0x89 && code[2] == 0xe5) ||
				   (code[1] == 0x8b && code[2] == 0xec));
}

/* push %rbp; mov %rsp, %rbp */
static bool is_prologue(const u8 *code)
{
	return code[0] == 0x55 && is_mov_rsp_rbp(code + 1);
}

/**
 * sframe_x86_makes_record() - &sframe_abi.makes_record
 * @code: 4 bytes
 * @pc: their address
 *
 * Return: do they begin with "mov %rsp, %rbp", or are they the beginning of the
 *	"lea n(%rsp), %rbp" of Go before 1.21?
 */
bool sframe_x86_makes_record(const u8 *code, u64 pc)
{
	(void)pc;
	return is_mov_rsp_rbp(code) ||
	       (code[0] == 0x48 && code[1] == 0x8d && code[3] == 0x24 &&
		(code[2] == 0x6c || code[2] == 0xac));
}

#define RET		0xc3
#define REP		0xf3
#define PUSH_RBP	0x55
#define POP_RBP		0x5d
#define LEAVE		0xc9

/* Code before the push of FP that is looked at: stack checks, V8's of the code. */
#define AHEAD		32

/*
 * Will FP be pushed further on? Up to there nothing may look like the end of a
 * function or a call; in doubt, no.
 */
static bool is_before_prologue(const u8 *p)
{
	unsigned int i;

	for (i = 0; i < AHEAD; i++) {
		if (is_prologue(p + i))
			return true;
		switch (p[i]) {
		case 0xc2: case 0xc3: case 0xc9: case 0xcc:
		case 0xe8: case 0xe9: case 0xeb: case 0xff:
		case 0x50 ... 0x5f:
			return false;
		}
	}
	return false;
}

/**
 * sframe_x86_leave() - &sframe_abi.leave
 * @lv: see &struct sframe_leave
 * @pc: the PC
 * @read: reads code
 * @ctx: handed to @read
 *
 * Only the first and the last instructions of a function: there the frame record
 * is not yet, or no longer, where the frame pointer points to.
 *
 * Context: any that @read allows, NMI included.
 * Return: is the PC at one of these?
 */
bool sframe_x86_leave(struct sframe_leave *lv, u64 pc, sframe_read_fn read,
		      void *ctx)
{
	u8 code[1 + AHEAD + 4], *p = code + 1;
	u64 ra_at = lv->sp;

	lv->cost = 8;
	if (!lv->topmost || read(ctx, pc - 1, code, sizeof(code)))
		return false;
	lv->fp_at = 0;
	if (is_prologue(p - 1) ||
	    (p[0] == POP_RBP && p[1] == RET)) {
		lv->fp_at = lv->sp;
		ra_at += 8;
	} else if (p[0] == LEAVE && p[1] == RET) {
		lv->fp_at = lv->fp;
		ra_at = lv->fp + 8;
	} else if (p[0] != RET && !(p[0] == REP && p[1] == RET) &&
		   !is_before_prologue(p)) {
		return false;
	}
	lv->ra_at = ra_at;
	lv->sp = ra_at + 8;
	lv->sure = true;
	return true;
}
