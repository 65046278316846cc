// SPDX-License-Identifier: GPL-2.0
/*
 * x86-64: what an instruction does, as far as following code asks, and where it leads. Used by
 * x86_leave.c, and by the core through &sframe_abi.insn.
 */
#include <sframe/abi.h>

#include "x86.h"

/* Where a jump leads that ends before @end, at address @pc. */
static u64 relative_target(const u8 *end, bool is_short, u64 pc)
{
	return pc + (is_short ? (s8)end[-1] : (s32)sframe_x86_u32(end - 4));
}

/* The opcode alone does not tell: see more_flags(). */
#define SEE_MORE	0x80

static const u8 flags_1[256] = {
	[0x50 ... 0x57] = SFRAME_INSN_BEGINS,
	[0x5d] = SEE_MORE,
	[0x70 ... 0x7f] = SFRAME_INSN_JUMPS,
	[0x81] = SEE_MORE, [0x83] = SEE_MORE, [0x87] = SEE_MORE, [0x89] = SEE_MORE,
	[0x8b] = SEE_MORE, [0x8d] = SEE_MORE, [0x90] = SEE_MORE,
	[0xc2 ... 0xc3] = SFRAME_INSN_STOPS,
	[0xc9] = SFRAME_INSN_RESTORES,				/* leave */
	[0xca ... 0xcb] = SFRAME_INSN_STOPS,
	[0xcc] = SFRAME_INSN_STOPS | SFRAME_INSN_FILLS,
	[0xcf] = SFRAME_INSN_STOPS,
	[0xe0 ... 0xe3] = SFRAME_INSN_JUMPS,
	[0xe8] = SFRAME_INSN_CALLS,
	[0xe9] = SFRAME_INSN_STOPS | SFRAME_INSN_JUMPS,
	[0xeb] = SFRAME_INSN_STOPS | SFRAME_INSN_JUMPS,
	[0xf4] = SFRAME_INSN_STOPS,
	[0xff] = SEE_MORE,
};

static const u8 flags_2[256] = {
	[0x05] = SFRAME_INSN_CALLS,		/* syscall: exit_group()? */
	[0x0b] = SFRAME_INSN_STOPS,		/* ud2 */
	[0x1e] = SEE_MORE,
	[0x1f] = SFRAME_INSN_FILLS,
	[0x80 ... 0x8f] = SFRAME_INSN_JUMPS,
	[0xb9] = SFRAME_INSN_STOPS,		/* ud1 */
	[0xff] = SFRAME_INSN_STOPS,		/* ud0 */
};

/* Flags of instructions that have SEE_MORE, by ModRM and two prefixes. */
static inline u8 more_flags(u8 op, u8 modrm, u8 rex, u8 rep)
{
	unsigned int reg = modrm >> 3 & 7, rm = modrm & 7;
	bool direct = modrm >= 0xc0, fp = false;

	switch (op) {
	case 0x1e:				/* endbr64 */
		return rep == 0xf3 && modrm == 0xfa ? SFRAME_INSN_BEGINS : 0;
	case 0x90:
		return rep || rex ? 0 : SFRAME_INSN_FILLS;
	case 0x81: case 0x83:			/* sub n, %rsp */
		return modrm == 0xec && !(rex & 1) ? SFRAME_INSN_BEGINS : 0;
	case 0xff:				/* jmp, call */
		if (reg == 4 || reg == 5)
			return SFRAME_INSN_STOPS | SFRAME_INSN_ANYWHERE;
		return reg == 2 || reg == 3 ? SFRAME_INSN_CALLS : 0;
	case 0x5d:				/* pop */
		fp = !(rex & 1);
		break;
	case 0x8b: case 0x8d:			/* mov, lea */
		fp = reg == 5 && !(rex & 4);
		break;
	case 0x87:				/* xchg */
		fp = (reg == 5 && !(rex & 4)) || (direct && rm == 5 && !(rex & 1));
		break;
	case 0x89:				/* mov */
		fp = direct && rm == 5 && !(rex & 1);
		break;
	}
	return fp ? SFRAME_INSN_RESTORES : 0;
}

/**
 * sframe_x86_flags() - what does an instruction do, as far as following code asks?
 * @in: the instruction
 *
 * Context: any.
 * Return: SFRAME_INSN_*.
 */
u8 sframe_x86_flags(const struct x86_insn *in)
{
	u8 flags = !in->map ? flags_1[in->op] :
		   in->map == 1 && !in->vex ? flags_2[in->op] : 0;

	return flags & SEE_MORE ? more_flags(in->op, in->modrm, in->rex, in->rep) : flags;
}

/**
 * sframe_x86_insn_of() - what does an instruction do that was decoded?
 * @in: the instruction
 * @pc: its address
 * @insn: filled in
 *
 * Context: any.
 */
void sframe_x86_insn_of(const struct x86_insn *in, u64 pc, struct sframe_insn *insn)
{
	insn->len = in->len;
	insn->target = 0;
	insn->flags = sframe_x86_flags(in);
	if (insn->flags & SFRAME_INSN_JUMPS)
		insn->target = relative_target(in->code + in->len, !in->map && in->op != 0xe9,
					       pc + in->len);
}

/**
 * sframe_x86_plain_insn() - what does an instruction do that was quickly read?
 * @code: it
 * @pc: its address
 * @it: from sframe_x86_read_plain()
 * @insn: filled in
 *
 * That is in tables, so it is known in less than sframe_x86_decode() takes.
 *
 * Context: any.
 */
void sframe_x86_plain_insn(const u8 *code, u64 pc, const struct x86_plain *it,
			   struct sframe_insn *insn)
{
	u8 flags = flags_1[it->op];

	if (flags & SEE_MORE)
		flags = more_flags(it->op, it->modrm, it->rex, 0);
	*insn = (struct sframe_insn){ .len = it->len, .flags = flags };
	if (flags & SFRAME_INSN_JUMPS)
		insn->target = relative_target(code + it->len, it->op != 0xe9, pc + it->len);
}

/**
 * sframe_x86_insn() - &sframe_abi.insn
 * @code: X86_INSN_MAX bytes
 * @pc: their address
 * @insn: filled in
 *
 * Context: any.
 * Return: true if it is an instruction.
 */
bool sframe_x86_insn(const u8 *code, u64 pc, struct sframe_insn *insn)
{
	struct x86_plain it;
	struct x86_insn in;

	if (sframe_x86_read_plain(code, &it)) {
		sframe_x86_plain_insn(code, pc, &it, insn);
		return true;
	}
	if (!sframe_x86_decode(code, &in))
		return false;
	sframe_x86_insn_of(&in, pc, insn);
	return true;
}
