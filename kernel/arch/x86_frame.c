// SPDX-License-Identifier: GPL-2.0
/*
 * x86-64: what instructions do to SP, to FP, and to the words of the stack in which FP
 * is saved, while code is followed to where its function is left.
 */
#include "x86_leave.h"

static bool is_wide(const struct x86_insn *in)
{
	return in->rex & 8;
}

/* The operand's address, if it is found by SP or FP alone. */
static bool address_of(struct leave_search *s, const struct leave_path *p,
		       const struct x86_insn *in, u64 *addr)
{
	unsigned int rm = in->modrm & 7;

	if (sframe_x86_is_direct(in) || in->moved || in->high & 3)
		return false;
	if (rm == 4 && in->sib == 0x24)
		*addr = p->sp;
	else if (rm != X86_FP || in->modrm < 0x40 || !leave_by_fp(s->lv, p, addr))
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
bool sframe_x86_is_old(const struct leave_path *p, u64 addr)
{
	const struct leave_stores *stores = &p->stores;
	unsigned int i;

	if (addr < stores->new_to || (addr + 8 > stores->from && addr < stores->to) ||
	    (p->fp.saved && addr == p->fp.saved))
		return false;
	for (i = 0; i < p->nr_stores; i++) {
		if (addr - stores->at[i] + 7 < 15)
			return false;
	}
	return true;
}

/* A word that the path has written itself, and not with FP, says nothing of the caller's. */
static void load_fp(struct leave_search *s, struct leave_path *p, u64 addr)
{
	if (addr == p->fp.saved || sframe_x86_is_old(p, addr))
		leave_load_fp(s->lv, p, addr);
	else
		leave_set_fp(p, false, 0);
}

static void note_store(struct leave_path *p, u64 addr, bool of_fp)
{
	struct leave_stores *stores = &p->stores;
	unsigned int i;

	if (addr == p->fp.saved)
		p->fp.saved = 0;
	if (of_fp && !p->fp.saved) {
		p->fp_stored = true;
		leave_save(&p->fp, addr);
		return;
	}
	for (i = 0; i < p->nr_stores; i++) {
		if (stores->at[i] == addr)
			return;
	}
	if (p->nr_stores < LEAVE_STORES_MAX) {
		stores->at[p->nr_stores++] = addr;
		return;
	}
	if (!stores->to || addr < stores->from)
		stores->from = addr;
	if (addr + 8 > stores->to)
		stores->to = addr + 8;
}

/**
 * sframe_x86_push() - something is pushed
 * @p: the path
 * @of_fp: FP is
 *
 * Return: %GO_ON.
 */
enum leave_step sframe_x86_push(struct leave_path *p, bool of_fp)
{
	p->sp -= 8;
	if (p->sp + 8 > p->stores.new_to)
		p->stores.new_to = p->sp + 8;
	if (of_fp)
		leave_save(&p->fp, p->sp);
	else if (p->fp.saved == p->sp)
		p->fp.saved = 0;
	if (p->fp.saved == p->sp)
		p->fp_stored = false;
	return GO_ON;
}

static enum leave_step pop_reg(struct leave_search *s, struct leave_path *p, unsigned int reg)
{
	if (reg == X86_SP)
		return GIVE_UP;
	if (reg == X86_FP)
		load_fp(s, p, p->sp);
	p->sp += 8;
	return GO_ON;
}

static enum leave_step set_sp(struct leave_path *p, bool known, u64 value)
{
	p->sp = value;
	return known ? GO_ON : GIVE_UP;
}

/* add, or, adc, sbb, and, sub, xor, cmp of an immediate operand and SP. */
static enum leave_step add_to_sp(struct leave_search *s, struct leave_path *p,
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
static enum leave_step load_reg(struct leave_search *s, struct leave_path *p,
				const struct x86_insn *in)
{
	bool known = is_wide(in) && !in->half;
	u64 addr, value = 0;

	known = known && address_of(s, p, in, &addr);
	if (sframe_x86_reg(in) == X86_FP) {
		if (known)
			load_fp(s, p, addr);
		else
			leave_set_fp(p, false, 0);
		return GO_ON;
	}
	s->lv->by_stack = true;
	known = known && sframe_x86_is_old(p, addr) &&
		leave_read(s, addr, &value, sizeof(value));
	return set_sp(p, known, value);
}

/* mov and lea, as far as SP and FP are concerned. */
static enum leave_step move_reg(struct leave_search *s, struct leave_path *p,
				const struct x86_insn *in)
{
	unsigned int to = in->op == 0x89 ? sframe_x86_rm(in) : sframe_x86_reg(in);
	unsigned int from = in->op == 0x89 ? sframe_x86_reg(in) : sframe_x86_rm(in);
	bool wide = is_wide(in) && !in->half;
	bool known = false;
	u64 value = 0;

	if (in->op == 0x89 && !sframe_x86_is_direct(in)) {
		bool from_fp = s->lv->from_fp;

		if (address_of(s, p, in, &value))
			note_store(p, value, wide && from == X86_FP);
		/* From a far FP, it may be where values are only if it is as far from that. */
		if (in->disp > -SFRAME_NEAR && in->disp < SFRAME_NEAR)
			s->lv->from_fp = from_fp;
		return GO_ON;
	}
	if (to != X86_SP && to != X86_FP)
		return GO_ON;
	/* Lisp lends FP to what it will call, which gives it back. */
	if (to == X86_FP && from == X86_SP && in->op == 0x8b && sframe_x86_is_direct(in) &&
	    p->fp_stored && p->fp.saved == p->sp)
		return GIVE_UP;
	if (in->op == 0x8d) {
		known = address_of(s, p, in, &value);
	} else if (!sframe_x86_is_direct(in)) {
		return load_reg(s, p, in);
	} else if (from == X86_SP) {
		known = true;
		value = p->sp;
	} else if (from == X86_FP) {
		known = leave_by_fp(s->lv, p, &value);
	}
	if (to == X86_SP)
		return set_sp(p, known && wide, value);
	leave_set_fp(p, known && wide, value);
	return GO_ON;
}

/**
 * sframe_x86_operate() - any instruction but those that jump, push or pop
 * @s: the search
 * @p: the path
 * @in: the instruction
 *
 * Return: %GO_ON, or %GIVE_UP if SP is not known behind it.
 */
enum leave_step sframe_x86_operate(struct leave_search *s, struct leave_path *p,
				   const struct x86_insn *in)
{
	u32 regs;

	if (!in->map && (in->op == 0x81 || in->op == 0x83) && sframe_x86_is_direct(in) &&
	    sframe_x86_rm(in) == X86_SP)
		return add_to_sp(s, p, in);
	if (!in->map && (in->op == 0x89 || in->op == 0x8b || in->op == 0x8d))
		return move_reg(s, p, in);
	regs = sframe_x86_written(in);
	if (regs & 1u << X86_SP)
		return GIVE_UP;
	if (regs & 1u << X86_FP)
		leave_set_fp(p, false, 0);
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
enum leave_step sframe_x86_push_or_pop(struct leave_search *s, struct leave_path *p,
				       const struct x86_insn *in)
{
	unsigned int reg = sframe_x86_op_reg(in);

	if (in->half)
		return GIVE_UP;
	switch (in->op) {
	case 0x50 ... 0x57:
		return sframe_x86_push(p, reg == X86_FP);
	case 0x58 ... 0x5f:
		return pop_reg(s, p, reg);
	case 0x68: case 0x6a: case 0x9c: case 0xff:
		return sframe_x86_push(p, false);
	case 0x8f: case 0x9d:
		p->sp += 8;
		return in->op == 0x8f && sframe_x86_is_direct(in) ? GIVE_UP : GO_ON;
	case 0xc9:				/* leave */
		if (!leave_by_fp(s->lv, p, &p->sp))
			return GIVE_UP;
		return pop_reg(s, p, X86_FP);
	}
	return GIVE_UP;
}

/* Is this in the first of the linker's stubs, behind a push of a word at a fixed place? */
static bool is_first_stub(const struct leave_search *s, u64 at)
{
	u8 code[2];

	return leave_read(s, at - 6, code, sizeof(code)) && code[0] == 0xff &&
	       code[1] == 0x35;
}

/*
 * To where a word says that lies at a fixed place: to another function, as what
 * chooses among places in one has a table of them. Where the stack is as it was
 * found, this is a stub of the linker's.
 */
static enum leave_step jump_through_slot(const struct leave_search *s, struct leave_path *p,
					 const struct x86_insn *in)
{
	if (p->sp != s->lv->sp)
		p->sure = false;
	else if (is_first_stub(s, p->pc - in->len))
		return GIVE_UP;
	return ARRIVED;
}

/* Is all of a function, of which this is the PC, a jump to where a register says? */
static bool is_jump_alone(const struct leave_search *s, const struct leave_path *p,
			  const struct x86_insn *in)
{
	u64 begin = p->pc - in->len - X86_ENDBR64_LEN;
	u8 code[X86_ENDBR64_LEN];

	return in->len == 2 && s->pc - begin <= X86_ENDBR64_LEN &&
	       leave_read(s, begin, code, sizeof(code)) &&
	       sframe_x86_is_endbr64(code);
}

/* Of a gap, with some instructions in it. */
#define GAP_COST	(4 * X86_INSN_COST)

/*
 * The same of one that does not begin with ENDBR64, as musl's, which is between gaps. So may be
 * the place of an interpreter from which it goes on. But that has called others, for which SP is
 * aligned; where a function begins it is not, and is at the RA: a call by a pointer is before
 * that, or one of this function.
 */
static bool is_jump_in_gap(struct leave_search *s, const struct leave_path *p,
			   const struct x86_insn *in)
{
	u8 code[1 + FUNCTION_ALIGN + X86_INSN_MAX], call[X86_CALL_LEN];
	u64 at = p->pc - in->len, ra, target;
	unsigned int next = 1 + in->len;
	struct x86_insn fill;

	if (!s->lv->topmost || at != s->pc || at % FUNCTION_ALIGN ||
	    p->sp % CALL_ALIGN != sizeof(u64) ||
	    !sframe_leave_read_aside(s, at - 1, code, sizeof(code), GAP_COST))
		return false;
	/* RET, INT3 and how instructions end that fill gaps. */
	if (code[0] != 0xc3 && code[0] != 0xcc && code[0] != 0x90 && code[0])
		return false;
	for (; next < 1 + FUNCTION_ALIGN; next += fill.len) {
		if (!sframe_x86_decode(code + next, &fill) ||
		    !(sframe_x86_flags(&fill) & SFRAME_INSN_FILLS))
			return false;
	}
	s->lv->by_stack = true;
	if (!sframe_leave_read_aside(s, p->sp, &ra, sizeof(ra), X86_INSN_COST) ||
	    !sframe_leave_read_aside(s, ra - sizeof(call), call, sizeof(call), X86_INSN_COST))
		return false;
	target = sframe_x86_call_target(call, ra);
	return !target || target == at;
}

/**
 * sframe_x86_jump_away() - a jump to where memory or a register says
 * @s: the search
 * @p: the path
 * @in: the instruction
 *
 * Return: %ARRIVED, if another function is there, or %GIVE_UP.
 */
enum leave_step sframe_x86_jump_away(struct leave_search *s, struct leave_path *p,
				     const struct x86_insn *in)
{
	if ((in->modrm & 0xc7) == 5)
		return jump_through_slot(s, p, in);
	return in->modrm >= 0xc0 && (is_jump_alone(s, p, in) || is_jump_in_gap(s, p, in)) ?
	       ARRIVED : GIVE_UP;
}
