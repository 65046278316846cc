// SPDX-License-Identifier: GPL-2.0
/*
 * x86-64: what compilers at run time do, as far as it must be known to follow their code: they
 * put addresses that are too far for a direct call or jump into a register; RPython's (PyPy)
 * calls nothing that does not return; QEMU's blocks all have the same frame.
 */
#include "x86_leave.h"

/* R8 to R15: only what names them writes to them, but for SYSCALL. */
#define NAMED_ONLY_FROM	8

/* movabs $address, %reg */
static bool sets_address(const struct x86_insn *in)
{
	return !in->map && (in->op & 0xf8) == 0xb8 && in->rex & 8 &&
	       sframe_x86_op_reg(in) >= NAMED_ONLY_FROM;
}

/* The address, of such an instruction. */
static u64 address_set(const u8 *code)
{
	return sframe_x86_u32(code + 2) | (u64)sframe_x86_u32(code + 6) << 32;
}

/* lea disp(%reg), %reg */
static bool adds_to(const struct x86_insn *in, unsigned int reg)
{
	return !in->map && in->op == 0x8d && in->rex & 8 && !in->moved && !in->half &&
	       in->modrm >= 0x40 && (in->modrm & 7) != 4 && !(in->high & 2) &&
	       sframe_x86_rm(in) == reg && sframe_x86_reg(in) == reg;
}

static bool writes_to(const struct x86_insn *in, unsigned int reg)
{
	if (!in->map && in->op >= 0x58 && in->op < 0x60)
		return sframe_x86_op_reg(in) == reg;
	return sframe_x86_written(in) >> reg & 1 ||
	       sframe_x86_flags(in) & SFRAME_INSN_CALLS;
}

/**
 * sframe_x86_follow_constant() - what does an instruction do to the register?
 * @s: the search: the register, if any, and what is in it
 * @in: the instruction
 *
 * Context: any.
 */
void sframe_x86_follow_constant(struct x86_search *s, const struct x86_insn *in)
{
	if (sets_address(in)) {
		s->constant_reg = sframe_x86_op_reg(in);
		s->constant = address_set(in->code + in->len - 10);
	} else if (s->constant_reg && adds_to(in, s->constant_reg)) {
		s->constant += in->disp;
	} else if (s->constant_reg && writes_to(in, s->constant_reg)) {
		s->constant_reg = 0;
	}
}

/**
 * sframe_x86_constant_in() - to where does a call or jump by a register go?
 * @s: the search: what is in a register
 * @in: the instruction
 *
 * Context: any.
 * Return: the address; 0 if it is not known.
 */
u64 sframe_x86_constant_in(const struct x86_search *s, const struct x86_insn *in)
{
	return s->constant_reg && sframe_x86_is_direct(in) &&
	       sframe_x86_rm(in) == s->constant_reg ? s->constant : 0;
}

static bool read_aside(struct leave_search *s, u64 addr, u8 *code, unsigned int len)
{
	return sframe_leave_read_aside(s, addr, code, len, X86_INSN_COST);
}

/**
 * sframe_x86_is_qemu_epilogue() - is there where QEMU's blocks are left?
 * @s: the search; its cost is counted
 * @pc: where
 *
 * jmp *%rsi; xor %eax, %eax; add $imm32, %rsp: QEMU's blocks do not move SP, and all are entered
 * and left here. So whatever leads to the last of these, SP was as it is.
 *
 * Return: is the last of these at @pc?
 */
bool sframe_x86_is_qemu_epilogue(struct leave_search *s, u64 pc)
{
	static const u8 qemu[] = { 0xff, 0xe6, 0x33, 0xc0, 0x48, 0x81, 0xc4 };
	u8 code[sizeof(qemu)];

	return read_aside(s, pc - 4, code, sizeof(code)) && !memcmp(code, qemu, sizeof(qemu));
}

/*
 * lea address(%rip), %rax; jmp epilogue: behind the jump to what is to be run next, most blocks
 * of QEMU's have another way out.
 */
static bool is_exit_of_block(struct leave_search *s, u64 pc)
{
	static const u8 leads[] = { X86_REX_W, 0x8d, 0x05 };
	unsigned int len;
	const u8 *code = leave_code_at(&s->code, pc, X86_INSN_MAX, &len);

	return code && len >= 12 && !memcmp(code, leads, sizeof(leads)) && code[7] == 0xe9 &&
	       sframe_x86_is_qemu_epilogue(s, pc + 12 + (s32)sframe_x86_u32(code + 8));
}

/**
 * sframe_x86_jump_target() - to where does a jump by a pointer lead, in code made at run time?
 * @s: the search
 * @next: address behind the jump
 * @in: the jump
 *
 * Return: the address; 0 if it is not known, or it is no such code.
 */
u64 sframe_x86_jump_target(struct x86_search *s, u64 next, const struct x86_insn *in)
{
	u64 target = sframe_x86_constant_in(s, in);

	/* jmp *%rax */
	if (!target && in->modrm == 0xe0 && is_exit_of_block(&s->all, next))
		target = next;
	return target;
}

/* call *%reg, of which these are the last two bytes */
static bool is_call_of_register(const u8 *call)
{
	return call[0] == 0xff && (call[1] & 0xf8) == 0xd0;
}

/**
 * sframe_x86_calls_register() - &sframe_abi.calls_register
 * @code: X86_CALL_LEN bytes
 *
 * Return: is it "call *%reg" that they end with?
 */
bool sframe_x86_calls_register(const u8 *code)
{
	return is_call_of_register(code + X86_CALL_LEN - 2);
}

/**
 * sframe_x86_far_call_target() - &sframe_abi.far_call_target
 * @code: as there
 *
 * Return: the function called, or 0
 */
u64 sframe_x86_far_call_target(const u8 *code)
{
	/* With REX for R8 to R15. */
	const u8 *call = code + SFRAME_FAR_CALL_LEN - 2;
	bool high = call[-1] == 0x41;
	const u8 *set = call - high - 10;

	if (!is_call_of_register(call) || set[0] != (high ? 0x49 : 0x48) ||
	    set[1] != (0xb8 | (call[1] & 7)))
		return 0;
	return address_set(set);
}

/**
 * sframe_x86_is_rpython_call() - &sframe_abi.is_sure_call
 * @code: as there
 *
 * RPython's compiler (PyPy) calls nothing that does not return. Before most calls, the callee's
 * address is made of what was in R11; behind others, FP, which is no address on the stack, is
 * loaded from where the callee has left it.
 *
 * Return: has it made the call?
 */
bool sframe_x86_is_rpython_call(const u8 *code)
{
	/* lea disp32(%r11), %r11; call *%r11 */
	static const u8 leads[] = { 0x4d, 0x8d, 0x9b }, calls[] = { 0x41, 0xff, 0xd3 };
	/* movabs $address, %r11; mov (%r11), %rcx; mov -8(%rcx), %rbp */
	static const u8 sets[] = { 0x49, 0xbb };
	static const u8 loads[] = { 0x49, 0x8b, 0x0b, 0x48, 0x8b, 0x69, 0xf8 };
	const u8 *end = code + SFRAME_SURE_CALL_BEFORE;

	return (!memcmp(end - 7 - sizeof(calls), leads, sizeof(leads)) &&
		!memcmp(end - sizeof(calls), calls, sizeof(calls))) ||
	       (!memcmp(end, sets, sizeof(sets)) && !memcmp(end + 10, loads, sizeof(loads)));
}

/**
 * sframe_x86_is_sure_call() - is a call one that does return, by the code around it?
 * @s: the search; its cost is counted
 * @ra: where it returns to
 *
 * Return: true if so.
 */
bool sframe_x86_is_sure_call(struct leave_search *s, u64 ra)
{
	u8 code[SFRAME_SURE_CALL_BEFORE + SFRAME_SURE_CALL_AFTER];

	return read_aside(s, ra - SFRAME_SURE_CALL_BEFORE, code, sizeof(code)) &&
	       sframe_x86_is_rpython_call(code);
}

/**
 * sframe_x86_is_guard() - does a branch of RPython's lead to where its code is left for good?
 * @s: the search; its cost is counted
 * @target: where the branch leads
 *
 * It does where an assumption fails that the code was compiled with, which is many times in each
 * loop: that is the shortest way out. push word(%rip); then R11 is set to the epilogue.
 *
 * Return: true if so.
 */
bool sframe_x86_is_guard(struct leave_search *s, u64 target)
{
	static const u8 pushes[] = { 0xff, 0x35 }, sets[] = { 0x49, 0xbb };
	static const u8 adds[] = { 0x4d, 0x8d, 0x9b };
	u8 code[6 + sizeof(adds)];

	return read_aside(s, target, code, sizeof(code)) &&
	       !memcmp(code, pushes, sizeof(pushes)) &&
	       (!memcmp(code + 6, sets, sizeof(sets)) || !memcmp(code + 6, adds, sizeof(adds)));
}
