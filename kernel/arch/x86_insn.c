// SPDX-License-Identifier: GPL-2.0
/*
 * x86-64: how long an instruction is, and where it leads. (Intel's manual, volume
 * 2, chapter 2 and appendix A.)
 */
#include <sframe/abi.h>

#include "x86.h"

/* An instruction, as far as it was read. */
struct x86_insn {
	const u8 *code;
	unsigned int len;	/* of what was read */
	unsigned int map;	/* 0: one byte, 1: 0F, 2: 0F 38, 3: 0F 3A */
	u8 rex;
	u8 op;
	u8 modrm;
	u8 rep;			/* the last F2 or F3, or 0 */
	bool vex;		/* VEX or EVEX */
	bool half;		/* operand size 16 */
	bool has_modrm;
	unsigned int imm;	/* bytes of immediate operand at the end */
};

static void read_prefixes(struct x86_insn *in)
{
	for (; in->len < X86_INSN_MAX - 1; in->len++) {
		switch (in->code[in->len]) {
		case 0x66:
			in->half = true;
			continue;
		case 0xf2: case 0xf3:
			in->rep = in->code[in->len];
			continue;
		case 0x26: case 0x2e: case 0x36: case 0x3e:
		case 0x64: case 0x65: case 0x67: case 0xf0:
			continue;
		}
		break;
	}
	if ((in->code[in->len] & 0xf0) == 0x40)
		in->rex = in->code[in->len++];
}

/* The opcode and its map, with what VEX and EVEX say of it. */
static bool read_opcode(struct x86_insn *in)
{
	const u8 *p = in->code + in->len;
	unsigned int skip = 0;

	switch (p[0]) {
	case 0x0f:
		in->map = p[1] == 0x38 ? 2 : p[1] == 0x3a ? 3 : 1;
		skip = in->map == 1 ? 1 : 2;
		break;
	case 0xc5:
		in->map = 1;
		skip = 2;
		break;
	case 0xc4:
		in->map = p[1] & 31;
		skip = 3;
		break;
	case 0x62:
		in->map = p[1] & 7;
		skip = 4;
		break;
	}
	in->vex = skip && p[0] != 0x0f;
	if (in->vex && (!in->map || in->rex))
		return false;
	in->op = p[skip];
	in->len += skip + 1;
	return true;
}

/* Opcodes of one byte: operands; false if it is none. */
static bool one_byte(struct x86_insn *in)
{
	unsigned int full = in->half && !(in->rex & 8) ? 2 : 4;

	switch (in->op) {
	case 0x00 ... 0x3f:
		in->has_modrm = !(in->op & 4);
		if ((in->op & 7) == 4)
			in->imm = 1;
		else if ((in->op & 7) == 5)
			in->imm = full;
		return (in->op & 7) < 6;
	case 0x9a: case 0x82: case 0xea: case 0xd4 ... 0xd6:
	case 0xce: case 0x60 ... 0x61:
		return false;
	case 0x63: case 0x84 ... 0x8f: case 0xd0 ... 0xd3: case 0xd8 ... 0xdf:
	case 0xfe ... 0xff:
		in->has_modrm = true;
		return true;
	case 0x6b: case 0x80: case 0x83: case 0xc0 ... 0xc1: case 0xc6:
		in->has_modrm = true;
		in->imm = 1;
		return true;
	case 0x69: case 0x81: case 0xc7:
		in->has_modrm = true;
		in->imm = full;
		return true;
	case 0x6a: case 0x70 ... 0x7f: case 0xa8: case 0xb0 ... 0xb7:
	case 0xcd: case 0xe0 ... 0xe7: case 0xeb:
		in->imm = 1;
		return true;
	case 0x68: case 0xa9:
		in->imm = full;
		return true;
	case 0xe8 ... 0xe9:
		in->imm = 4;
		return true;
	case 0xb8 ... 0xbf:
		in->imm = in->rex & 8 ? 8 : full;
		return true;
	case 0xa0 ... 0xa3:
		in->imm = 8;
		return true;
	case 0xc2: case 0xca:
		in->imm = 2;
		return true;
	case 0xc8:
		in->imm = 3;
		return true;
	case 0xf6 ... 0xf7:
		in->has_modrm = true;
		/* TEST has an operand more than the others. */
		if (!(in->code[in->len] & 0x30))
			in->imm = in->op & 1 ? full : 1;
		return true;
	}
	return true;
}

/* Opcodes behind 0F, or in that map of VEX. */
static bool two_bytes(struct x86_insn *in)
{
	in->has_modrm = true;
	switch (in->op) {
	case 0x70 ... 0x73: case 0xa4: case 0xac: case 0xba: case 0xc2:
	case 0xc4 ... 0xc6:
		in->imm = 1;
		return true;
	case 0x77:
		in->has_modrm = false;
		return true;
	}
	if (in->vex)
		return true;
	switch (in->op) {
	case 0x80 ... 0x8f:
		in->imm = 4;
		in->has_modrm = false;
		break;
	case 0x05 ... 0x09: case 0x0b: case 0x30 ... 0x37: case 0xa0 ... 0xa2:
	case 0xa8 ... 0xaa: case 0xc8 ... 0xcf:
		in->has_modrm = false;
		break;
	case 0x04: case 0x0a: case 0x0c: case 0x0e ... 0x0f: case 0x24 ... 0x27:
	case 0x39: case 0x3b ... 0x3f: case 0x7a ... 0x7b: case 0xa6 ... 0xa7:
		return false;
	}
	return true;
}

static bool read_operands(struct x86_insn *in)
{
	bool known = in->map == 0 ? one_byte(in) : in->map == 1 ? two_bytes(in) :
		     in->map <= 6;
	unsigned int mod, rm;

	if (in->map > 1) {
		in->has_modrm = true;
		in->imm = in->map == 3;
	}
	if (!known || in->len >= X86_INSN_MAX)
		return false;
	if (in->has_modrm) {
		in->modrm = in->code[in->len++];
		mod = in->modrm >> 6;
		rm = in->modrm & 7;
		if (mod != 3 && rm == 4) {
			if (in->len >= X86_INSN_MAX)
				return false;
			rm = in->code[in->len++] & 7;
		}
		if (mod == 1)
			in->len += 1;
		else if (mod == 2 || (mod == 0 && rm == 5))
			in->len += 4;
	}
	in->len += in->imm;
	return in->len <= X86_INSN_MAX;
}

static u64 relative_target(const struct x86_insn *in, u64 pc)
{
	const u8 *p = in->code + in->len - in->imm;

	pc += in->len;
	if (in->imm == 1)
		return pc + (s8)p[0];
	return pc + (s32)(p[0] | p[1] << 8 | p[2] << 16 | (u32)p[3] << 24);
}

/* Is FP written to, by an instruction that moves 8 bytes to it? */
static bool writes_fp(const struct x86_insn *in)
{
	unsigned int reg = in->modrm >> 3 & 7, rm = in->modrm & 7;

	switch (in->op) {
	case 0x5d:				/* pop */
		return !(in->rex & 1);
	case 0xc9:				/* leave */
		return true;
	case 0x8b: case 0x8d:			/* mov, lea */
		return reg == 5 && !(in->rex & 4);
	case 0x87:				/* xchg */
		return (reg == 5 && !(in->rex & 4)) ||
		       (in->modrm >= 0xc0 && rm == 5 && !(in->rex & 1));
	case 0x89:
		return in->modrm >= 0xc0 && rm == 5 && !(in->rex & 1);
	}
	return false;
}

static unsigned int one_byte_flags(const struct x86_insn *in)
{
	unsigned int digit = in->modrm >> 3 & 7;

	switch (in->op) {
	case 0x50 ... 0x57:
		return SFRAME_INSN_BEGINS;
	case 0x81: case 0x83:			/* sub n, %rsp */
		return in->modrm == 0xec && !(in->rex & 1) ? SFRAME_INSN_BEGINS : 0;
	case 0x90:
		return in->rep || in->rex ? 0 : SFRAME_INSN_FILLS;
	case 0xcc:
		return SFRAME_INSN_STOPS | SFRAME_INSN_FILLS;
	case 0xc2 ... 0xc3: case 0xca ... 0xcb: case 0xcf: case 0xf4:
		return SFRAME_INSN_STOPS;
	case 0xe9: case 0xeb:
		return SFRAME_INSN_STOPS | SFRAME_INSN_JUMPS;
	case 0x70 ... 0x7f: case 0xe0 ... 0xe3:
		return SFRAME_INSN_JUMPS;
	case 0xe8:
		return SFRAME_INSN_CALLS;
	case 0xff:
		if (digit == 4 || digit == 5)
			return SFRAME_INSN_STOPS;
		return digit == 2 || digit == 3 ? SFRAME_INSN_CALLS : 0;
	}
	return 0;
}

static unsigned int two_bytes_flags(const struct x86_insn *in)
{
	switch (in->op) {
	case 0x05:				/* syscall: exit_group()? */
		return SFRAME_INSN_CALLS;
	case 0x0b: case 0xb9: case 0xff:	/* ud2, ud1, ud0 */
		return SFRAME_INSN_STOPS;
	case 0x1e:
		return in->rep == 0xf3 && in->modrm == 0xfa ? SFRAME_INSN_BEGINS : 0;
	case 0x1f:
		return SFRAME_INSN_FILLS;
	case 0x80 ... 0x8f:
		return SFRAME_INSN_JUMPS;
	}
	return 0;
}

/**
 * sframe_x86_insn() - &sframe_abi.insn
 * @code: X86_INSN_MAX bytes
 * @pc: their address
 * @insn: filled in
 *
 * Return: is it an instruction?
 */
bool sframe_x86_insn(const u8 *code, u64 pc, struct sframe_insn *insn)
{
	struct x86_insn in = { .code = code };

	read_prefixes(&in);
	if (in.len >= 8 || !read_opcode(&in) || !read_operands(&in))
		return false;
	insn->len = in.len;
	insn->flags = 0;
	insn->target = 0;
	if (in.map == 0)
		insn->flags = one_byte_flags(&in);
	else if (in.map == 1 && !in.vex)
		insn->flags = two_bytes_flags(&in);
	if (in.map == 0 && writes_fp(&in))
		insn->flags |= SFRAME_INSN_RESTORES;
	if (insn->flags & SFRAME_INSN_JUMPS)
		insn->target = relative_target(&in, pc);
	return true;
}
