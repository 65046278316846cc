// SPDX-License-Identifier: GPL-2.0
/*
 * x86-64: reads an instruction: how long it is, and what it consists of. (Intel's manual,
 * volume 2, chapter 2 and appendix A.) What it does is for others to say (x86_flags.c,
 * x86_written.c).
 */
#include <sframe/abi.h>

#include "x86.h"

/*
 * What follows an opcode: the lower bits say how many bytes of immediate operand;
 * IMM_FULL stands for 2 or 4, IMM_MOV for 8 or those.
 */
#define IMM		0x07
#define IMM_FULL	5
#define IMM_MOV		6
#define IMM_8		7
#define MODRM		0x08
#define TEST		0x10	/* TEST has an operand more than the others */
#define PREFIX		0x20
#define NONE		0x40	/* it is no instruction */
#define ESCAPE		0x80	/* one byte: the opcode is another one, in a map */
#define VEX_ONLY	0x80	/* two bytes: it is no instruction without VEX */

/*
 * Instructions with more prefixes, REX included, are refused: only tests of processors
 * have them.
 */
#define PREFIXES_MAX	7

/* Opcodes of one byte. */
static const u8 operands_1[256] = {
#define ARITHMETIC(op)							\
	[(op) ... (op) + 3] = MODRM, [(op) + 4] = 1, [(op) + 5] = IMM_FULL
	ARITHMETIC(0x00), ARITHMETIC(0x08), ARITHMETIC(0x10), ARITHMETIC(0x18),
	ARITHMETIC(0x20), ARITHMETIC(0x28), ARITHMETIC(0x30), ARITHMETIC(0x38),
#undef ARITHMETIC
	[0x06 ... 0x07] = NONE, [0x0e] = NONE, [0x0f] = ESCAPE, [0x16 ... 0x17] = NONE,
	[0x1e ... 0x1f] = NONE, [0x26] = PREFIX, [0x27] = NONE, [0x2e] = PREFIX,
	[0x2f] = NONE, [0x36] = PREFIX, [0x37] = NONE, [0x3e] = PREFIX,
	[0x3f] = NONE, [0x60 ... 0x61] = NONE, [0x62] = ESCAPE, [0x63] = MODRM,
	[0x64 ... 0x67] = PREFIX, [0x68] = IMM_FULL,
	[0x69] = MODRM | IMM_FULL, [0x6a] = 1, [0x6b] = MODRM | 1,
	[0x70 ... 0x7f] = 1, [0x80] = MODRM | 1, [0x81] = MODRM | IMM_FULL,
	[0x82] = NONE, [0x83] = MODRM | 1, [0x84 ... 0x8f] = MODRM,
	[0x9a] = NONE, [0xa0 ... 0xa3] = IMM_8, [0xa8] = 1, [0xa9] = IMM_FULL,
	[0xb0 ... 0xb7] = 1, [0xb8 ... 0xbf] = IMM_MOV,
	[0xc0 ... 0xc1] = MODRM | 1, [0xc2] = 2, [0xc4 ... 0xc5] = ESCAPE,
	[0xc6] = MODRM | 1,
	[0xc7] = MODRM | IMM_FULL, [0xc8] = 3, [0xca] = 2, [0xcd] = 1, [0xce] = NONE,
	[0xd0 ... 0xd3] = MODRM, [0xd4 ... 0xd6] = NONE, [0xd8 ... 0xdf] = MODRM,
	[0xe0 ... 0xe7] = 1, [0xe8 ... 0xe9] = 4, [0xea] = NONE, [0xeb] = 1,
	[0xf0] = PREFIX, [0xf2 ... 0xf3] = PREFIX,
	[0xf6] = MODRM | TEST | 1, [0xf7] = MODRM | TEST | IMM_FULL,
	[0xfe ... 0xff] = MODRM,
};

/* Opcodes behind 0F, or in that map of VEX. */
static const u8 operands_2[256] = {
	[0x00 ... 0x03] = MODRM, [0x04] = MODRM | VEX_ONLY,
	[0x0a] = MODRM | VEX_ONLY, [0x0c] = MODRM | VEX_ONLY, [0x0d] = MODRM,
	[0x0e ... 0x0f] = MODRM | VEX_ONLY, [0x10 ... 0x23] = MODRM,
	[0x24 ... 0x27] = MODRM | VEX_ONLY, [0x28 ... 0x2f] = MODRM,
	[0x38] = MODRM, [0x39] = MODRM | VEX_ONLY, [0x3a] = MODRM,
	[0x3b ... 0x3f] = MODRM | VEX_ONLY, [0x40 ... 0x6f] = MODRM,
	[0x70 ... 0x73] = MODRM | 1, [0x74 ... 0x76] = MODRM,
	[0x78 ... 0x79] = MODRM, [0x7a ... 0x7b] = MODRM | VEX_ONLY,
	[0x7c ... 0x7f] = MODRM, [0x80 ... 0x8f] = 4, [0x90 ... 0x9f] = MODRM,
	[0xa3] = MODRM, [0xa4] = MODRM | 1, [0xa5] = MODRM,
	[0xa6 ... 0xa7] = MODRM | VEX_ONLY, [0xab] = MODRM, [0xac] = MODRM | 1,
	[0xad ... 0xb9] = MODRM, [0xba] = MODRM | 1, [0xbb ... 0xc1] = MODRM,
	[0xc2] = MODRM | 1, [0xc3] = MODRM, [0xc4 ... 0xc6] = MODRM | 1,
	[0xc7] = MODRM, [0xd0 ... 0xff] = MODRM,
};

static void read_prefixes(struct x86_insn *in)
{
	u8 byte;

	for (; in->len <= PREFIXES_MAX; in->len++) {
		byte = in->code[in->len];
		if (!(operands_1[byte] & PREFIX))
			break;
		if (byte == 0x66)
			in->half = true;
		else if (byte >= 0x64 && byte <= 0x67)
			in->moved = true;
		else if (byte == 0xf2 || byte == 0xf3)
			in->rep = byte;
	}
}

/* Read the opcode behind an escape, its map, and the registers that VEX and EVEX name. */
static bool read_opcode(struct x86_insn *in)
{
	const u8 *p = in->code + in->len - 1;
	unsigned int skip;

	if (p[0] == 0x0f) {
		in->map = p[1] == 0x38 ? 2 : p[1] == 0x3a ? 3 : 1;
		skip = in->map == 1 ? 1 : 2;
	} else if (p[0] == 0xc5) {
		in->map = 1;
		skip = 2;
	} else if (p[0] == 0xc4) {
		in->map = p[1] & 31;
		skip = 3;
	} else {
		in->map = p[1] & 7;
		skip = 4;
	}
	in->vex = p[0] != 0x0f;
	if (in->vex) {
		/* In these the bits are inverted. */
		in->high = (~p[1] >> 5 & 7) & (p[0] == 0xc5 ? 4 : 7);
		in->other = ~p[p[0] == 0xc5 ? 1 : 2] >> 3 & 15;
	}
	if (in->vex && (!in->map || in->rex))
		return false;
	in->op = p[skip];
	in->len += skip;
	return true;
}

/* What follows an opcode in another map; NONE if that is not known. */
static u8 operands_of(const struct x86_insn *in)
{
	u8 operands;

	/* Not APX's (4), which has all kinds of operands. */
	if (in->map > 1)
		return in->map == 3 ? MODRM | 1 : in->map == 4 || in->map > 6 ? NONE : MODRM;
	/* EXTRQ and INSERTQ. */
	if (in->map == 1 && in->op == 0x78 && !in->vex && (in->half || in->rep))
		return NONE;
	operands = operands_2[in->op];
	if (!in->vex)
		return operands & VEX_ONLY ? NONE : operands;
	/* With VEX, all have ModRM but VZEROUPPER. */
	if (in->op == 0x77)
		return 0;
	return MODRM | (operands & MODRM ? operands & IMM : 0);
}

static unsigned int immediate_len(const struct x86_insn *in, u8 operands)
{
	unsigned int imm = operands & IMM;

	if (operands & TEST && in->modrm & 0x30)
		return 0;
	if (imm < IMM_FULL)
		return imm;
	if (imm == IMM_8 || (imm == IMM_MOV && in->rex & 8))
		return 8;
	return in->half && !(in->rex & 8) ? 2 : 4;
}

/* Read a signed number of 1 or 4 bytes. */
static s32 read_disp(const u8 *p, unsigned int size)
{
	return size == 1 ? (s8)p[0] : (s32)sframe_x86_u32(p);
}

/* Read what the address of an operand in memory consists of. */
static bool read_address(struct x86_insn *in)
{
	unsigned int mod = in->modrm >> 6, rm = in->modrm & 7, size;

	if (rm == 4) {
		if (in->len >= X86_INSN_MAX)
			return false;
		in->sib = in->code[in->len++];
		rm = in->sib & 7;
	}
	if (!mod && rm != 5)
		return true;
	size = mod == 1 ? 1 : 4;
	if (in->len + size > X86_INSN_MAX)
		return false;
	in->disp = read_disp(in->code + in->len, size);
	in->len += size;
	return true;
}

static bool read_operands(struct x86_insn *in, u8 operands)
{
	if (operands & (NONE | PREFIX) || in->len >= X86_INSN_MAX)
		return false;
	in->has_modrm = operands & MODRM;
	if (operands & MODRM) {
		in->modrm = in->code[in->len++];
		if (in->modrm < 0xc0 && !read_address(in))
			return false;
	}
	if (operands & IMM)
		in->len += immediate_len(in, operands);
	return in->len <= X86_INSN_MAX;
}

/**
 * sframe_x86_decode() - read an instruction
 * @code: X86_INSN_MAX bytes
 * @in: filled in
 *
 * Context: any.
 * Return: true if it is an instruction.
 */
bool sframe_x86_decode(const u8 *code, struct x86_insn *in)
{
	u8 operands;

	*in = (struct x86_insn){ .code = code, .modrm = 0xc0, .sib = 0x24 };
	if (operands_1[*code] & PREFIX)
		read_prefixes(in);
	in->op = code[in->len++];
	if ((in->op & 0xf0) == 0x40) {
		in->rex = in->op;
		in->high = in->rex & 7;
		in->op = code[in->len++];
	}
	if (in->len > PREFIXES_MAX + 1)
		return false;
	operands = operands_1[in->op];
	if (operands & ESCAPE) {
		if (!read_opcode(in))
			return false;
		operands = operands_of(in);
	}
	return read_operands(in, operands);
}

/* Bytes of ModRM, and of what it says follows. */
static inline unsigned int address_len(const u8 *code)
{
	unsigned int mod = code[0] >> 6, rm = code[0] & 7, len = 1;

	if (mod == 3)
		return len;
	if (rm == 4) {
		len++;
		rm = code[1] & 7;
	}
	return len + (mod == 1 ? 1 : mod == 2 || rm == 5 ? 4 : 0);
}

/**
 * sframe_x86_read_plain() - read an instruction, if it is quickly read, as most are
 * @code: X86_INSN_MAX bytes
 * @it: filled in
 *
 * Context: any.
 * Return: true if it is; false for all others, and for what is none.
 */
bool sframe_x86_read_plain(const u8 *code, struct x86_plain *it)
{
	unsigned int has_rex = (code[0] & 0xf0) == 0x40, imm;
	const u8 *p = code + 1 + has_rex;
	u8 operands = operands_1[p[-1]];

	imm = operands & IMM;
	if (operands & ~(MODRM | IMM) || imm > IMM_FULL)
		return false;
	it->op = p[-1];
	it->rex = has_rex ? code[0] : 0;
	it->has_modrm = operands & MODRM;
	it->modrm = operands & MODRM ? p[0] : 0xc0;
	if (operands & MODRM)
		p += address_len(p);
	it->len = p - code + (imm == IMM_FULL ? 4 : imm);
	return true;
}
