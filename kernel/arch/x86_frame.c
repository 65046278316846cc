// SPDX-License-Identifier: GPL-2.0
/*
 * x86-64: what instructions do to SP, to FP, and to the words of the stack in which FP
 * is saved, while code is followed to where its function is left.
 */
#include "x86_leave.h"

static unsigned int reg_of(const struct x86_insn *in)
{
	return (in->modrm >> 3 & 7) | (in->high & 4) << 1;
}

static unsigned int rm_of(const struct x86_insn *in)
{
	return (in->modrm & 7) | (in->high & 1) << 3;
}

/* In the opcode itself. */
static unsigned int op_reg_of(const struct x86_insn *in)
{
	return (in->op & 7) | (in->high & 1) << 3;
}

static bool is_direct(const struct x86_insn *in)
{
	return in->modrm >= 0xc0;
}

static bool is_wide(const struct x86_insn *in)
{
	return in->rex & 8;
}

/* FP, if it is known. */
static bool fp_of(struct x86_search *s, const struct x86_path *p, u64 *fp)
{
	if (p->fp_known && p->fp_is == KEPT) {
		s->lv->by_fp = true;
		s->lv->from_fp = true;
	}
	*fp = p->fp;
	return p->fp_known;
}

/* The operand's address, if it is found by SP or FP alone. */
static bool address_of(struct x86_search *s, const struct x86_path *p,
		       const struct x86_insn *in, u64 *addr)
{
	unsigned int rm = in->modrm & 7;

	if (is_direct(in) || in->moved || in->high & 3)
		return false;
	if (rm == 4 && in->sib == 0x24)
		*addr = p->sp;
	else if (rm != X86_FP || in->modrm < 0x40 || !fp_of(s, p, addr))
		return false;
	*addr += in->disp;
	return true;
}

/**
 * sframe_x86_is_old() - is a word on the stack what it was at the PC?
 * @p: the path so far
 * @addr: where it is
 *
 * Return: false if the path has written there, or may have.
 */
bool sframe_x86_is_old(const struct x86_path *p, u64 addr)
{
	unsigned int i;

	if (addr < p->new_to || addr < p->stored_to ||
	    (p->saved_at && addr == p->saved_at))
		return false;
	for (i = 0; i < p->nr_stores; i++) {
		if (addr - p->store[i] + 7 < 15)
			return false;
	}
	return true;
}

static void set_fp(struct x86_path *p, bool known, u64 value)
{
	p->fp_is = OTHER;
	p->fp_known = known;
	p->fp = value;
}

static void load_fp(struct x86_path *p, u64 addr)
{
	if (p->saved_at && addr == p->saved_at) {
		p->fp_is = p->saved_is;
		p->fp_known = false;
		return;
	}
	set_fp(p, false, 0);
	if (sframe_x86_is_old(p, addr)) {
		p->fp_is = LOADED;
		p->fp_at = addr;
	}
}

static void note_store(struct x86_path *p, u64 addr, bool of_fp)
{
	unsigned int i;

	if (of_fp && !p->saved_at) {
		p->stored = true;
		p->saved_at = addr;
		p->saved_is = p->fp_is;
		return;
	}
	for (i = 0; i < p->nr_stores; i++) {
		if (p->store[i] == addr)
			return;
	}
	if (p->nr_stores < X86_STORES_MAX)
		p->store[p->nr_stores++] = addr;
	else if (addr + 8 > p->stored_to)
		p->stored_to = addr + 8;
}

/**
 * sframe_x86_push() - something is pushed
 * @p: the path
 * @of_fp: FP is
 *
 * Return: %GO_ON.
 */
enum x86_step sframe_x86_push(struct x86_path *p, bool of_fp)
{
	p->sp -= 8;
	if (p->sp + 8 > p->new_to)
		p->new_to = p->sp + 8;
	if (of_fp) {
		p->stored = false;
		p->saved_at = p->sp;
		p->saved_is = p->fp_is;
	} else if (p->saved_at == p->sp) {
		p->saved_at = 0;
	}
	return GO_ON;
}

static enum x86_step pop(struct x86_path *p, unsigned int reg)
{
	if (reg == X86_SP)
		return GIVE_UP;
	if (reg == X86_FP)
		load_fp(p, p->sp);
	p->sp += 8;
	return GO_ON;
}

static enum x86_step set_sp(struct x86_path *p, bool known, u64 value)
{
	p->sp = value;
	return known ? GO_ON : GIVE_UP;
}

/* add, or, adc, sbb, and, sub, xor, cmp of an immediate operand and SP. */
static enum x86_step add_to_sp(struct x86_search *s, struct x86_path *p,
			       const struct x86_insn *in)
{
	s64 imm = in->op == 0x83 ? (s8)in->code[in->len - 1] : sframe_x86_imm32(in);

	if (!is_wide(in) || in->half)
		return GIVE_UP;
	switch (in->modrm >> 3 & 7) {
	case 0:
		p->sp += imm;
		return GO_ON;
	case 4:
		s->lv->by_stack = true;
		p->sp &= imm;
		return GO_ON;
	case 5:
		p->sp -= imm;
		return GO_ON;
	case 7:
		return GO_ON;
	}
	return GIVE_UP;
}

/* mov from memory to SP or FP. */
static enum x86_step load(struct x86_search *s, struct x86_path *p,
			  const struct x86_insn *in)
{
	bool known = is_wide(in) && !in->half;
	u64 addr, value = 0;

	known = known && address_of(s, p, in, &addr);
	if (reg_of(in) == X86_FP) {
		if (known)
			load_fp(p, addr);
		else
			set_fp(p, false, 0);
		return GO_ON;
	}
	s->lv->by_stack = true;
	known = known && sframe_x86_is_old(p, addr) &&
		!s->read(s->ctx, addr, &value, sizeof(value));
	return set_sp(p, known, value);
}

/* mov and lea, as far as SP and FP are concerned. */
static enum x86_step move(struct x86_search *s, struct x86_path *p,
			  const struct x86_insn *in)
{
	unsigned int to = in->op == 0x89 ? rm_of(in) : reg_of(in);
	unsigned int from = in->op == 0x89 ? reg_of(in) : rm_of(in);
	bool wide = is_wide(in) && !in->half;
	bool known = false;
	u64 value = 0;

	if (in->op == 0x89 && !is_direct(in)) {
		bool from_fp = s->lv->from_fp;

		if (address_of(s, p, in, &value))
			note_store(p, value, wide && from == X86_FP);
		s->lv->from_fp = from_fp;
		return GO_ON;
	}
	if (to != X86_SP && to != X86_FP)
		return GO_ON;
	/* Lisp lends FP to what it will call, which gives it back. */
	if (to == X86_FP && from == X86_SP && in->op == 0x8b && is_direct(in) &&
	    p->stored && p->saved_at == p->sp)
		return GIVE_UP;
	if (in->op == 0x8d) {
		known = address_of(s, p, in, &value);
	} else if (!is_direct(in)) {
		return load(s, p, in);
	} else if (from == X86_SP) {
		known = true;
		value = p->sp;
	} else if (from == X86_FP) {
		known = fp_of(s, p, &value);
	}
	if (to == X86_SP)
		return set_sp(p, known && wide, value);
	set_fp(p, known && wide, value);
	return GO_ON;
}

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

static const u8 writes_1[256] = {
#define ARITHMETIC(op)							\
	[(op) ... (op) + 1] = W_RM, [(op) + 2 ... (op) + 3] = W_REG
	ARITHMETIC(0x00), ARITHMETIC(0x08), ARITHMETIC(0x10), ARITHMETIC(0x18),
	ARITHMETIC(0x20), ARITHMETIC(0x28), ARITHMETIC(0x30),
#undef ARITHMETIC
	[0x38 ... 0x3b] = W_NONE, [0x80 ... 0x83] = W_GROUP, [0x84 ... 0x85] = W_NONE,
	[0x88] = W_RM, [0x8f] = W_RM, [0x91 ... 0x97] = W_OP, [0xb0 ... 0xbf] = W_OP,
	[0xc0 ... 0xc1] = W_RM, [0xc6 ... 0xc7] = W_RM, [0xd0 ... 0xd3] = W_RM,
	[0xd8 ... 0xdf] = W_NONE, [0xf6 ... 0xf7] = W_GROUP, [0xfe] = W_RM,
	[0xff] = W_GROUP,
};

static const u8 writes_2[256] = {
	[0x10 ... 0x1f] = W_NONE, [0x28 ... 0x2b] = W_NONE, [0x2c ... 0x2d] = W_REG,
	[0x2e ... 0x2f] = W_NONE, [0x40 ... 0x4f] = W_REG | W_VEX, [0x50] = W_REG,
	[0x51 ... 0x77] = W_NONE, [0x78 ... 0x79] = W_REG, [0x7a ... 0x7d] = W_NONE,
	[0x7e] = W_RM, [0x7f] = W_NONE, [0x90 ... 0x9f] = W_RM | W_VEX, [0xa3] = W_NONE,
	[0xae] = W_RM, [0xaf] = W_REG, [0xb6 ... 0xb8] = W_REG, [0xba] = W_RM,
	[0xbc ... 0xbf] = W_REG, [0xc2 ... 0xc4] = W_NONE, [0xc5] = W_REG,
	[0xc6] = W_NONE, [0xc7] = W_RM, [0xc8 ... 0xcf] = W_OP | W_VEX,
	[0xd0 ... 0xd6] = W_NONE, [0xd7] = W_REG, [0xd8 ... 0xff] = W_NONE,
};

/* Behind 0F 38 and 0F 3A: vectors, and a few others. */
static u8 writes_3(const struct x86_insn *in)
{
	if (in->map == 2)
		return in->op < 0xf0 ? 0 : W_REG | W_OTHER;
	if (in->map == 3)
		return in->op >= 0x14 && in->op <= 0x17 ? W_RM :
		       in->op == 0xf0 ? W_REG : 0;
	return W_BOTH;
}

/* W_GROUP: does this one write to it? */
static bool group_writes(const struct x86_insn *in)
{
	unsigned int group = in->modrm >> 3 & 7;

	if (in->op == 0xff)
		return group < 2;
	return in->op < 0x84 ? group != 7 : group == 2 || group == 3;
}

static u8 written(const struct x86_insn *in)
{
	u8 to;

	if (in->map > 1)
		return writes_3(in);
	to = in->map ? writes_2[in->op] : writes_1[in->op];
	if (to & W_GROUP)
		return group_writes(in) ? W_RM : W_NONE;
	if (to & W_VEX && in->vex)
		return in->op == 0x93 ? W_REG : in->op >= 0xc8 ? W_BOTH : W_NONE;
	return to ?: W_BOTH;
}

/* The registers that it may write to, one a bit. */
static u32 registers_written(const struct x86_insn *in)
{
	u8 to = written(in);
	u32 regs = 0;

	if (to & W_OP)
		return 1u << op_reg_of(in);
	if (to & W_NONE || !in->has_modrm)
		return 0;
	if (to & W_REG)
		regs |= 1u << reg_of(in);
	if (to & W_RM && is_direct(in))
		regs |= 1u << rm_of(in);
	if (to & W_OTHER && in->vex)
		regs |= 1u << in->other;
	return regs;
}

/**
 * sframe_x86_operate() - any instruction but those that jump, push or pop
 * @s: the search
 * @p: the path
 * @in: the instruction
 *
 * Return: %GO_ON, or %GIVE_UP if SP is not known behind it.
 */
enum x86_step sframe_x86_operate(struct x86_search *s, struct x86_path *p,
				 const struct x86_insn *in)
{
	u32 regs;

	if (!in->map && (in->op == 0x81 || in->op == 0x83) && is_direct(in) &&
	    rm_of(in) == X86_SP)
		return add_to_sp(s, p, in);
	if (!in->map && (in->op == 0x89 || in->op == 0x8b || in->op == 0x8d))
		return move(s, p, in);
	regs = registers_written(in);
	if (regs & 1u << X86_SP)
		return GIVE_UP;
	if (regs & 1u << X86_FP)
		set_fp(p, false, 0);
	return GO_ON;
}

/**
 * sframe_x86_push_or_pop() - an instruction that pushes or pops
 * @s: the search
 * @p: the path
 * @in: the instruction
 *
 * Return: %GO_ON, or %GIVE_UP if SP is not known behind it.
 */
enum x86_step sframe_x86_push_or_pop(struct x86_search *s, struct x86_path *p,
				     const struct x86_insn *in)
{
	unsigned int reg = op_reg_of(in);

	if (in->half)
		return GIVE_UP;
	switch (in->op) {
	case 0x50 ... 0x57:
		return sframe_x86_push(p, reg == X86_FP);
	case 0x58 ... 0x5f:
		return pop(p, reg);
	case 0x68: case 0x6a: case 0x9c: case 0xff:
		return sframe_x86_push(p, false);
	case 0x8f: case 0x9d:
		p->sp += 8;
		return in->op == 0x8f && is_direct(in) ? GIVE_UP : GO_ON;
	case 0xc9:				/* leave */
		if (!fp_of(s, p, &p->sp))
			return GIVE_UP;
		return pop(p, X86_FP);
	}
	return GIVE_UP;
}
