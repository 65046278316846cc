// SPDX-License-Identifier: GPL-2.0
/*
 * x86-64 instructions: which general registers may they write to?
 */
#include "x86.h"

/*
 * Which operands of an opcode, of which nothing else is known, may be written to that
 * are general registers? All that ModRM says, where a table does not say otherwise.
 */
#define W_REG	1
#define W_RM	2
#define W_BOTH	(W_REG | W_RM)
#define W_OTHER	4	/* VEX's third */
#define W_OP	8	/* the one in the opcode */
#define W_GROUP	16	/* W_RM, but for some opcodes in ModRM */
#define W_VEX	32	/* none with VEX, but for one */
#define W_NONE	64
#define W_BYTE	128	/* of a register, its lowest byte; or the next: AH, CH, DH, BH */

static const u8 writes_1[256] = {
#define BYTE_OR_NOT(op, to)	\
	[(op)] = (to) | W_BYTE, [(op) + 1] = (to)
#define ARITHMETIC(op)		BYTE_OR_NOT(op, W_RM), BYTE_OR_NOT((op) + 2, W_REG)
	ARITHMETIC(0x00), ARITHMETIC(0x08), ARITHMETIC(0x10), ARITHMETIC(0x18),
	ARITHMETIC(0x20), ARITHMETIC(0x28), ARITHMETIC(0x30), [0x38 ... 0x3b] = W_NONE,
	BYTE_OR_NOT(0x80, W_GROUP), [0x82 ... 0x83] = W_GROUP, [0x84 ... 0x85] = W_NONE,
	BYTE_OR_NOT(0x86, W_BOTH), BYTE_OR_NOT(0x88, W_RM), BYTE_OR_NOT(0x8a, W_REG),
	[0x8f] = W_RM, [0x90 ... 0x97] = W_OP, [0xb0 ... 0xb7] = W_OP | W_BYTE,
	[0xb8 ... 0xbf] = W_OP, BYTE_OR_NOT(0xc0, W_RM), BYTE_OR_NOT(0xc6, W_RM),
	BYTE_OR_NOT(0xd0, W_RM), BYTE_OR_NOT(0xd2, W_RM), [0xd8 ... 0xdf] = W_NONE,
	BYTE_OR_NOT(0xf6, W_GROUP), [0xfe] = W_RM | W_BYTE, [0xff] = W_GROUP,
#undef ARITHMETIC
#undef BYTE_OR_NOT
};

static const u8 writes_2[256] = {
	[0x10 ... 0x1f] = W_NONE, [0x28 ... 0x2b] = W_NONE, [0x2c ... 0x2d] = W_REG,
	[0x2e ... 0x2f] = W_NONE, [0x40 ... 0x4f] = W_REG | W_VEX, [0x50] = W_REG,
	[0x51 ... 0x77] = W_NONE, [0x78 ... 0x79] = W_REG, [0x7a ... 0x7d] = W_NONE,
	[0x7e] = W_RM, [0x7f] = W_NONE, [0x90 ... 0x9f] = W_RM | W_BYTE | W_VEX, [0xa3] = W_NONE,
	[0xae] = W_RM, [0xaf] = W_REG, [0xb6 ... 0xb8] = W_REG, [0xba] = W_RM,
	[0xbc ... 0xbf] = W_REG, [0xc2 ... 0xc4] = W_NONE, [0xc5] = W_REG,
	[0xc6] = W_NONE, [0xc7] = W_RM, [0xc8 ... 0xcf] = W_OP | W_VEX,
	[0xd0 ... 0xd6] = W_NONE, [0xd7] = W_REG, [0xd8 ... 0xff] = W_NONE,
};

/* Behind 0F 38 and 0F 3A: vectors, and a few others. */
static u8 writes_3(const struct x86_insn *in)
{
	if (in->map == 2)
		return in->op < 0xe0 ? 0 : W_REG | W_OTHER;
	if (in->map == 3)
		return in->op >= 0x14 && in->op <= 0x17 ? W_RM :
		       in->op == 0xf0 ? W_REG : 0;
	/* Numbers of half precision. */
	return W_BOTH | W_OTHER;
}

/* W_GROUP: does this one write to it? */
static bool group_writes(const struct x86_insn *in)
{
	unsigned int group = in->modrm >> 3 & 7;

	if (in->op == 0xff)
		return group < 2;
	return in->op < 0x84 ? group != 7 : group == 2 || group == 3;
}

static u8 operands_written(const struct x86_insn *in)
{
	u8 to;

	if (in->map > 1)
		return writes_3(in);
	/* RDSSP, among what does nothing. */
	if (in->map == 1 && in->op == 0x1e && in->rep)
		return W_RM;
	to = in->map ? writes_2[in->op] : writes_1[in->op];
	if (to & W_GROUP)
		return group_writes(in) ? W_RM | (to & W_BYTE) : W_NONE;
	if (to & W_VEX && in->vex)
		return in->op == 0x93 ? W_REG : in->op >= 0xc8 ? W_BOTH : W_NONE;
	return to ?: W_BOTH;
}

/* Without REX, what would be the bytes of SP, FP, RSI and RDI are AH, CH, DH and BH. */
static u32 register_bit(const struct x86_insn *in, unsigned int reg, u8 to)
{
	if (to & W_BYTE && !in->rex && reg >= 4 && reg < 8)
		reg -= 4;
	return 1u << reg;
}

/**
 * sframe_x86_written() - which general registers may an instruction write to?
 * @in: the instruction; not one that pushes, pops, or moves to SP or FP in a known way
 *
 * In doubt, all that it names.
 *
 * Context: any.
 * Return: a bit each.
 */
u32 sframe_x86_written(const struct x86_insn *in)
{
	u8 to = operands_written(in);
	u32 regs = 0;

	if (to & W_OP)
		return register_bit(in, sframe_x86_op_reg(in), to);
	if (to & W_NONE || !in->has_modrm)
		return 0;
	if (to & W_REG)
		regs |= register_bit(in, sframe_x86_reg(in), to);
	if (to & W_RM && sframe_x86_is_direct(in))
		regs |= register_bit(in, sframe_x86_rm(in), to);
	if (to & W_OTHER && in->vex)
		regs |= 1u << in->other;
	return regs;
}

/* Push, pop, ret, enter, leave, iret. */
static bool is_stack_insn(const struct x86_insn *in)
{
	/* Of FS, GS. */
	if (in->map == 1)
		return (in->op & 0xf6) == 0xa0;
	if (in->map)
		return false;
	switch (in->op) {
	case 0x50 ... 0x5f:
	case 0x68:
	case 0x6a:
	case 0x8f:
	case 0x9c ... 0x9d:
	case 0xc2 ... 0xc3:
	case 0xc8 ... 0xcb:
	case 0xcf:
		return true;
	default:
		return in->op == 0xff && (in->modrm >> 3 & 7) == 6;
	}
}

/* jmp *, or push of a register and ret, which is the same. */
static bool is_jump_by_pointer(const struct x86_insn *in)
{
	if (in->map)
		return false;
	return (in->op == 0xff && (in->modrm >> 3 & 7) == 4) ||
	       (in->op >= 0x50 && in->op < 0x58 && in->code[in->len] == 0xc3);
}

static enum sframe_sp_after sp_after(const struct x86_insn *in)
{
	if (is_jump_by_pointer(in))
		return SFRAME_SP_HANDED_ON;
	return is_stack_insn(in) || sframe_x86_written(in) & 1u << X86_SP ? SFRAME_SP_MOVED :
									 SFRAME_SP_KEPT;
}

/* add or sub of an immediate operand and SP. */
static s64 added_by_operand(const struct x86_insn *in)
{
	s64 imm = in->op == 0x83 ? (s8)in->code[in->len - 1] : sframe_x86_imm32(in);

	if (!(in->rex & 8) || !sframe_x86_is_direct(in) || sframe_x86_rm(in) != X86_SP)
		return 0;
	switch (in->modrm >> 3 & 7) {
	case 0:
		return imm;
	case 5:
		return -imm;
	default:
		return 0;
	}
}

static s64 sp_added(const struct x86_insn *in)
{
	if (in->map || in->half)
		return 0;
	switch (in->op) {
	case 0x50 ... 0x57: case 0x68: case 0x6a: case 0x9c:
		return -(s64)sizeof(u64);
	case 0x58 ... 0x5f: case 0x9d: case 0xc3:
		return in->op == 0x5c && !(in->high & 1) ? 0 : sizeof(u64);
	case 0xff:
		return (in->modrm >> 3 & 7) == 6 ? -(s64)sizeof(u64) : 0;
	case 0x81: case 0x83:
		return added_by_operand(in);
	default:
		return 0;
	}
}

/* These two have numbers that differ in the last bit alone. */
static bool is_neither_sp_nor_fp(unsigned int reg)
{
	return (reg & ~1u) != X86_SP;
}

/* Is it as most are: neither a jump nor the stack's, and SP and FP are not named? */
static bool is_plain(const struct x86_insn *in)
{
	if (!in->has_modrm || in->map > 3 || in->op == 0xff || in->op == 0xb9 ||
	    (in->map == 1 && in->op == 0x1e) || is_stack_insn(in))
		return false;
	return is_neither_sp_nor_fp(sframe_x86_reg(in)) && is_neither_sp_nor_fp(in->other) &&
	       (!sframe_x86_is_direct(in) || is_neither_sp_nor_fp(sframe_x86_rm(in)));
}

/* The same, quickly: true if it is seen to be, and @step is filled in. */
static inline bool plain_step(const u8 *code, const struct x86_plain *it,
			      struct sframe_sp_step *step)
{
	/* With a displacement and no SIB: where that ends. */
	unsigned int disp_end = (it->rex ? 2 : 1) + (it->modrm < 0x80 ? 1 : 4);
	unsigned int rm = (it->modrm & 7) | (it->rex & 1) << 3;

	if (!it->has_modrm || it->op == 0xff || it->op == 0x8f ||
	    !is_neither_sp_nor_fp((it->modrm >> 3 & 7) | (it->rex & 4) << 1) ||
	    (it->modrm >= 0xc0 && !is_neither_sp_nor_fp(rm)))
		return false;
	step->insn.len = it->len;
	step->plain = true;
	/* With a displacement, FP is in ModRM and in no SIB. */
	if (it->modrm >= 0x40 && it->modrm < 0xc0 && rm == X86_FP)
		step->fp = code[disp_end] & 0x80 ? SFRAME_FP_BASE : SFRAME_FP_POINTER;
	return true;
}

/* Jumps and calls, but by a pointer. */
static inline bool is_jump_or_call(u8 op)
{
	return (op & 0xf0) == 0x70 || op == 0xe8 || op == 0xe9 || op == 0xeb;
}

/* Is it one of most, which do nothing to SP? Then @step is filled in. */
static inline bool quick_step(const u8 *code, u64 pc, struct sframe_sp_step *step)
{
	struct x86_plain it;

	if (!sframe_x86_read_plain(code, &it))
		return false;
	if (!is_jump_or_call(it.op))
		return plain_step(code, &it, step);
	sframe_x86_plain_insn(code, pc, &it, &step->insn);
	return true;
}

/**
 * sframe_x86_sp_step() - &sframe_abi.sp_step
 * @code: the instruction, %SFRAME_CODE_AFTER bytes
 * @pc: its address
 * @step: filled in
 *
 * Context: any.
 * Return: as there.
 */
bool sframe_x86_sp_step(const u8 *code, u64 pc, struct sframe_sp_step *step)
{
	struct x86_insn in;

	*step = (struct sframe_sp_step){ .sp = SFRAME_SP_KEPT };
	if (quick_step(code, pc, step))
		return true;
	step->slow = true;
	if (!sframe_x86_decode(code, &in))
		return false;
	step->insn.len = in.len;
	step->fp = sframe_x86_fp_use(&in);
	step->plain = is_plain(&in);
	if (step->plain)
		return true;
	sframe_x86_insn_of(&in, pc, &step->insn);
	step->sp = sp_after(&in);
	step->added = step->sp == SFRAME_SP_MOVED ? sp_added(&in) : 0;
	return true;
}
