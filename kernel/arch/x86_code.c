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

/**
 * sframe_x86_call_len() - is a call here, and how long?
 * @code: X86_CALL_LEN bytes
 *
 * Return: bytes of a near call without prefixes; 0: that is another instruction.
 */
unsigned int sframe_x86_call_len(const u8 *code)
{
	if (code[0] == 0xe8)
		return 5;
	return code[0] == 0xff && ((code[1] >> 3) & 7) == 2 ?
	       indirect_call_len(code[1], code[2]) : 0;
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
 * sframe_x86_resumes() - &sframe_abi.resumes
 * @code: %SFRAME_RESUME_LEN bytes
 *
 * Return: how HotSpot's interpreter finds SP, if this is where it is returned to.
 */
enum sframe_resume sframe_x86_resumes(const u8 *code)
{
	/* mov -16(%rbp),%rsp; movq $0,-16(%rbp) */
	static const u8 address[] = {
		0x48, 0x8b, 0x65, 0xf0,
		0x48, 0xc7, 0x45, 0xf0, 0, 0, 0, 0,
	};
	/* mov -16(%rbp),%rcx; lea (%rbp,%rcx,8),%rsp; movq $0,-16(%rbp) */
	static const u8 distance[SFRAME_RESUME_LEN] = {
		0x48, 0x8b, 0x4d, 0xf0, 0x48, 0x8d, 0x64, 0xcd, 0x00,
		0x48, 0xc7, 0x45, 0xf0, 0, 0, 0, 0,
	};

	if (!memcmp(code, address, sizeof(address)))
		return SFRAME_RESUME_ADDRESS;
	return memcmp(code, distance, sizeof(distance)) ? SFRAME_RESUME_NOT :
	       SFRAME_RESUME_DISTANCE;		/* since JDK 22 */
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
	return ra + (s32)sframe_x86_u32(end - 4);
}

/**
 * sframe_x86_first_call() - &sframe_abi.first_call
 * @code: %SFRAME_FIRST_CALL_LEN bytes
 *
 * Return: are they "and $-16, %rsp; call ..."?
 */
bool sframe_x86_first_call(const u8 *code)
{
	static const u8 align[] = { 0x48, 0x83, 0xe4, 0xf0 };

	return !memcmp(code, align, sizeof(align)) && code[sizeof(align)] == 0xe8;
}

/**
 * sframe_x86_ends_thread() - &sframe_abi.ends_thread
 * @code: %SFRAME_EXIT_LEN bytes
 *
 * Context: any.
 * Return: do they ask the kernel to end the thread, with what was returned?
 */
bool sframe_x86_ends_thread(const u8 *code)
{
	static const u8 exits[] = {
		0x89, 0xc7,	/* mov %eax, %edi */
		0x31, 0xc0,	/* xor %eax, %eax */
		0xb0, 60,	/* mov $SYS_exit, %al */
		0x0f, 0x05,	/* syscall */
	};

	static_assert(sizeof(exits) == SFRAME_EXIT_LEN, "as many as are read");
	return !memcmp(code, exits, sizeof(exits));
}

/**
 * sframe_x86_stub_slot() - &sframe_abi.stub_slot
 * @code: %SFRAME_STUB_LEN bytes
 * @pc: their address
 *
 * Return: what "jmp *slot(%rip)" says, behind ENDBR64 and BND or without them; 0
 * if it is another instruction.
 */
u64 sframe_x86_stub_slot(const u8 *code, u64 pc)
{
	unsigned int at = sframe_x86_is_endbr64(code) ? X86_ENDBR64_LEN : 0;

	at += code[at] == 0xf2;
	if (code[at] != 0xff || code[at + 1] != 0x25)
		return 0;
	return pc + at + 6 + (s32)sframe_x86_u32(code + at + 2);
}

static bool is_mov_rsp_rbp(const u8 *code)
{
	return code[0] == 0x48 && ((code[1] == 0x89 && code[2] == 0xe5) ||
				   (code[1] == 0x8b && code[2] == 0xec));
}

static bool is_mov_rbp_rsp(const u8 *code)
{
	return code[0] == 0x48 && ((code[1] == 0x89 && code[2] == 0xec) ||
				   (code[1] == 0x8b && code[2] == 0xe5));
}

/* push %rbp; mov %rsp, %rbp */
static bool is_prologue(const u8 *code)
{
	return code[0] == 0x55 && is_mov_rsp_rbp(code + 1);
}

/* Bytes between the push of FP and the mov, where a compiler has put others. */
#define PUSHED_BEFORE	12

/* Was FP pushed just before the instruction at @code, and nothing else? */
static bool is_pushed_before(const u8 *code, u32 *looks)
{
	const unsigned int other = SFRAME_INSN_STOPS | SFRAME_INSN_JUMPS |
				   SFRAME_INSN_CALLS | SFRAME_INSN_BEGINS |
				   SFRAME_INSN_RESTORES;
	struct sframe_insn insn;
	const u8 *p;
	int n;

	++*looks;
	for (n = 1; n <= PUSHED_BEFORE; n++) {
		/* With a prefix it is another register. */
		if (code[-n] != 0x55 || (code[-n - 1] & 0xf1) == 0x41)
			continue;
		for (p = code - n + 1; p < code; p += insn.len) {
			++*looks;
			if (!sframe_x86_insn(p, 0, &insn) || insn.flags & other)
				break;
		}
		if (p == code)
			return true;
	}
	return false;
}

/*
 * Go before 1.21: mov %rbp, n(%rsp); lea n(%rsp), %rbp. Others have such a lea, too,
 * of a local variable.
 */
static bool is_lea_of_saved(const u8 *code)
{
	unsigned int len = code[2] == 0x6c ? 5 : 8, i;
	const u8 *save = code - len;

	if (code[0] != 0x48 || code[1] != 0x8d || (code[2] != 0x6c && code[2] != 0xac) ||
	    code[3] != 0x24 || save[0] != 0x48 || save[1] != 0x89)
		return false;
	for (i = 2; i < len; i++) {
		if (save[i] != code[i])
			return false;
	}
	return true;
}

/**
 * sframe_x86_makes_record() - &sframe_abi.makes_record
 * @code: %SFRAME_CODE_AFTER bytes, behind %SFRAME_CODE_BEFORE
 * @pc: their address
 * @looks: grows by the number of instructions looked at
 *
 * Return: are they "mov %rsp, %rbp" behind "push %rbp", or what Go had for it?
 */
bool sframe_x86_makes_record(const u8 *code, u64 pc, u32 *looks)
{
	(void)pc;
	return (is_mov_rsp_rbp(code) && is_pushed_before(code, looks)) ||
	       is_lea_of_saved(code);
}

#define RET		0xc3
#define REP		0xf3
#define POP_RBP		0x5d
#define LEAVE		0xc9

/**
 * sframe_x86_fp_use() - what does an instruction use FP for?
 * @in: the instruction
 *
 * RBP with a displacement is in ModRM, and in no SIB.
 *
 * Context: any.
 * Return: that.
 */
enum sframe_fp_use sframe_x86_fp_use(const struct x86_insn *in)
{
	if (in->code[0] == LEAVE || is_mov_rbp_rsp(in->code))
		return SFRAME_FP_LEFT;
	if (in->code[0] == POP_RBP)
		return SFRAME_FP_POPPED;
	if (sframe_x86_written(in) & 1u << X86_FP)
		return SFRAME_FP_WRITTEN;
	if (in->modrm < 0x40 || sframe_x86_is_direct(in) || sframe_x86_rm(in) != X86_FP ||
	    in->moved || sframe_x86_flags(in) & SFRAME_INSN_FILLS)
		return SFRAME_FP_UNUSED;
	return in->disp < 0 ? SFRAME_FP_BASE : SFRAME_FP_POINTER;
}

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
		case 0x50 ... 0x5f: case 0xf4:
			return false;
		case 0x0f:	/* ud2 */
			if (p[i + 1] == 0x0b)
				return false;
		}
	}
	return false;
}

/* HotSpot: cmp ...(%r15),%rsp; ja ...; ret, or the last two of these. */
static bool is_poll_and_ret(const u8 *p)
{
	static const u8 cmp[] = { 0x49, 0x3b, 0x67 }, cmp_far[] = { 0x49, 0x3b, 0xa7 };

	if (!memcmp(p, cmp, sizeof(cmp)))
		p += 4;
	else if (!memcmp(p, cmp_far, sizeof(cmp_far)))
		p += 7;
	return p[0] == 0x0f && p[1] == 0x87 && p[6] == RET;
}

/**
 * sframe_x86_leave() - &sframe_abi.leave
 * @lv: see &struct sframe_leave
 * @pc: the PC
 * @read: reads code
 * @ctx: handed to @read
 *
 * At first only the first and the last instructions of a function: there the frame
 * record is not yet, or no longer, where the frame pointer points to.
 *
 * Context: any that @read allows, NMI included.
 * Return: was a way out found?
 */
bool sframe_x86_leave(struct sframe_leave *lv, u64 pc, sframe_read_fn read,
		      void *ctx)
{
	u8 code[1 + AHEAD + 4], *p = code + 1;
	u64 ra_at = lv->sp, sp = 0;

	if (lv->far)
		return sframe_x86_follow(lv, pc, read, ctx);
	lv->cost = 0;
	if (!lv->topmost)
		return false;
	lv->cost = 8;
	if (read(ctx, pc - 1, code, sizeof(code)))
		return false;
	lv->fp_at = 0;
	if (is_prologue(p - 1) ||
	    (p[0] == POP_RBP && (p[1] == RET || is_poll_and_ret(p + 1)))) {
		lv->fp_at = lv->sp;
		ra_at += 8;
	} else if (p[0] == LEAVE && p[1] == RET) {
		lv->fp_at = lv->fp;
		ra_at = lv->fp + 8;
	} else if (sframe_x86_is_lisp_entry(p) && lv->fp > lv->sp) {
		lv->fp_at = lv->fp;
		sp = lv->fp + 16;
	} else if (p[0] != RET && !(p[0] == REP && p[1] == RET) && !is_poll_and_ret(p) &&
		   !is_before_prologue(p)) {
		return false;
	}
	lv->ra_at = ra_at;
	lv->sp = sp ?: ra_at + 8;
	lv->sure = true;
	lv->returns = p[0] == RET || p[1] == RET;
	return true;
}
