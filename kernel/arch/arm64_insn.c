// SPDX-License-Identifier: GPL-2.0
/*
 * AArch64: instructions, and what those other than branches do to SP, x29 and x30.
 */
#include "arm64.h"

#define REG_IP1		17
#define REG_LR		30
#define REG_SP		31

#define SUB_NOT_ADD	0x40000000u
#define MOV_IMM16	0xd2800000	/* mov x0, #... */
#define MOV_TO_LR	0xaa0003fe	/* mov x30, x0 and the like */

/* Instructions between one that puts a number into a register, and one that moves SP by it. */
#define CONSTANT_NEAR	12

/* Whatever @reg is loaded with, it is not known where that comes from. */
static void lose_reg(struct leave_path *p, unsigned int reg)
{
	a64_change_reg(p, reg);
	if (reg == REG_LR)
		p->link.ra.is = LEAVE_LOST;
	if (reg == A64_FP)
		leave_set_fp(p, false, 0);
}

/*
 * Exclusive, atomic and other accesses: what they name, but for the base. Of others than
 * x29 and x30 any may be written: there are some that load eight.
 */
static void lose_named(struct leave_path *p, u32 insn)
{
	lose_reg(p, insn & 31);
	lose_reg(p, insn >> 10 & 31);
	lose_reg(p, insn >> 16 & 31);
	p->link.changed = ~0u;
	p->link.copied = 0;
	p->link.loaded_from = 0;
}

/* x29 or x30 is stored to @at, 0 if that is not known. */
static enum leave_step store_reg(struct leave_path *p, unsigned int reg, u64 at)
{
	if (reg == REG_LR)
		return leave_save_ra(p, at);
	if (reg == A64_FP)
		leave_save(&p->fp, at);
	return GO_ON;
}

static void load_reg(struct sframe_leave *lv, struct leave_path *p, unsigned int reg, u64 at)
{
	if (reg == REG_LR)
		leave_load(&p->link.ra, at);
	else if (reg == A64_FP)
		leave_load_fp(lv, p, at);
	else
		a64_change_reg(p, reg);
}

/**
 * struct access - a load or store
 * @base: register that has the address
 * @offset: from it, bytes
 * @after: base is advanced by @offset, and that only after the access
 * @writeback: base is advanced
 * @asked: it is of FP or RA, so the address counts
 */
struct access {
	unsigned int base;
	s64 offset;
	bool after;
	bool writeback;
	bool asked;
};

static bool is_fp_or_lr(unsigned int reg)
{
	return reg == A64_FP || reg == REG_LR;
}

/* The address accessed, 0 if it is not known; moves the base. */
static u64 address_of(struct sframe_leave *lv, struct leave_path *p, const struct access *a)
{
	u64 base = 0, at;

	if (a->base == REG_SP && p->sp_known)
		base = p->sp;
	else if (a->base == A64_FP && (!a->asked || !leave_by_fp(lv, p, &base)))
		base = 0;
	at = base && !a->after ? base + a->offset : base;
	if (a->writeback && a->base == REG_SP)
		p->sp += a->offset;
	else if (a->writeback)
		lose_reg(p, a->base);
	return at;
}

static enum leave_step load_store_pair(struct sframe_leave *lv, struct leave_path *p, u32 insn)
{
	unsigned int opc = insn >> 30, first = insn & 31, second = insn >> 10 & 31;
	bool vector = insn >> 26 & 1, tags = opc == 1 && !vector;
	struct access a = {
		.base = insn >> 5 & 31,
		.offset = a64_field(insn, 15, 7) *
			  (vector ? 4 << opc : opc == 2 ? 8 : 4),
		.after = (insn >> 23 & 3) == 1,
		.writeback = insn >> 23 & 1,
		.asked = is_fp_or_lr(first) || is_fp_or_lr(second),
	};
	u64 at;

	if (tags && a.writeback)
		return GIVE_UP;
	at = address_of(lv, p, &a);
	if (vector)
		return GO_ON;
	if (insn >> 22 & 1) {
		load_reg(lv, p, first, opc == 2 ? at : 0);
		load_reg(lv, p, second, opc == 2 && at ? at + 8 : 0);
		return GO_ON;
	}
	if (store_reg(p, first, at) == GIVE_UP)
		return GIVE_UP;
	return store_reg(p, second, at ? at + 8 : 0);
}

/* One register; @a is complete. */
static enum leave_step load_store_one(struct sframe_leave *lv, struct leave_path *p, u32 insn,
				      const struct access *a)
{
	unsigned int opc = insn >> 22 & 3;
	bool whole = insn >> 30 == 3;
	u64 at = address_of(lv, p, a);

	if (insn >> 26 & 1)
		return GO_ON;
	if (!opc)
		return store_reg(p, insn & 31, at);
	/* Prefetches name no register. */
	if (!whole || opc == 1)
		load_reg(lv, p, insn & 31, whole ? at : 0);
	return GO_ON;
}

static enum leave_step load_store(struct sframe_leave *lv, struct leave_path *p, u32 insn)
{
	struct access a = { .base = insn >> 5 & 31, .asked = is_fp_or_lr(insn & 31) };

	if ((insn & 0x3a000000) == 0x28000000)
		return load_store_pair(lv, p, insn);
	if ((insn & 0x3b000000) == 0x39000000) {
		a.offset = (u64)(insn >> 10 & 0xfff) << (insn >> 30);
		return load_store_one(lv, p, insn, &a);
	}
	if ((insn & 0x3b200000) == 0x38000000) {
		a.offset = a64_field(insn, 12, 9);
		a.writeback = insn >> 10 & 1;
		a.after = (insn >> 10 & 3) == 1;
		return load_store_one(lv, p, insn, &a);
	}
	/* Vectors and tags can move their base, too. */
	if ((insn & 0xbe800000) == 0x0c800000 || (insn & 0xff200400) == 0xd9200400) {
		if (a.base == REG_SP)
			return GIVE_UP;
		lose_reg(p, a.base);
	}
	if ((insn & 0x3f000000) == 0x18000000 || (insn & 0x3b200c00) == 0x38200800)
		lose_reg(p, insn & 31);		/* a literal; by a register's offset */
	else if (!(insn >> 26 & 1))
		lose_named(p, insn);
	return GO_ON;
}

/* ADD or SUB of an immediate, where x29 or SP is the result. */
static enum leave_step add_sub(struct sframe_leave *lv, struct leave_path *p, u32 insn)
{
	unsigned int to = insn & 31, from = insn >> 5 & 31;
	u64 imm = insn >> 10 & 0xfff, base;
	bool known = p->sp_known;

	if (from == REG_SP)
		base = p->sp;
	else if (from == A64_FP && leave_by_fp(lv, p, &base))
		known = true;
	else
		return GIVE_UP;
	if (insn >> 22 & 1)
		imm <<= 12;
	base += insn >> 30 & 1 ? -imm : imm;
	if (to == REG_SP) {
		p->sp = base;
		p->sp_known = known;
		return GO_ON;
	}
	if (from == REG_SP && p->fp.is == LEAVE_KEPT && p->link.ra.is == LEAVE_KEPT)
		p->link.makes_record = true;
	leave_set_fp(p, known, base);
	return GO_ON;
}

/* Arithmetic, with an immediate or with registers only. */
static enum leave_step follow_arithmetic(struct sframe_leave *lv, struct leave_path *p, u32 insn)
{
	unsigned int to = insn & 31;

	if ((insn & 0xbf800000) == 0x91000000 && (to == REG_SP || to == A64_FP))
		return add_sub(lv, p, insn);
	if ((insn & ~31u) == A64_MOV_FROM_LR && to < A64_FP) {
		a64_change_reg(p, to);
		if (p->link.ra.is == LEAVE_KEPT) {
			p->link.copied = to;
			p->link.loaded_from = 0;
		}
		return GO_ON;
	}
	if ((insn & ~(31u << 16)) == MOV_TO_LR) {
		sframe_arm64_return_by(p, insn >> 16 & 31);
		return GO_ON;
	}
	/* What the compiler makes of __builtin_eh_return(). */
	if ((insn & 0xffe0ffff) == ADD_SP_REG)
		return UNWINDS;
	/* ADD and SUB, of 32 bits, tags, an extended register; IRG; AND, ORR and EOR: to SP. */
	if (to == REG_SP &&
	    ((insn & 0x3f000000) == 0x11000000 || (insn & 0x3fe00000) == 0x0b200000 ||
	     (insn & 0xffe0fc00) == 0x9ac01000 ||
	     ((insn & 0x1f800000) == 0x12000000 && (insn >> 29 & 3) != 3)))
		return GIVE_UP;
	lose_reg(p, to);
	return GO_ON;
}

/**
 * sframe_arm64_load_x17() - X17 is loaded from where SP points to
 * @p: the path
 *
 * RPython's helpers return by it.
 */
void sframe_arm64_load_x17(struct leave_path *p)
{
	a64_change_reg(p, REG_IP1);
	if (p->sp_known && !p->link.copied) {
		p->link.copied = REG_IP1;
		p->link.loaded_from = p->sp;
	}
}

/**
 * sframe_arm64_call() - what a call does to registers
 * @p: the path
 *
 * X17 is for whoever is between caller and called. Assembly may keep RA in others over a call.
 */
void sframe_arm64_call(struct leave_path *p)
{
	if (p->link.loaded_from)
		a64_change_reg(p, REG_IP1);
}

/**
 * sframe_arm64_return_by() - RA is what another register holds
 * @p: the path
 * @reg: which
 *
 * Assembly that calls assembly knows which ones that leaves alone.
 */
void sframe_arm64_return_by(struct leave_path *p, unsigned int reg)
{
	/* X0 is for results; X16 and X17 are for whoever is between caller and called. */
	bool none = !reg || reg == 16 || reg == 17 || reg >= A64_FP;

	if (reg && reg == p->link.copied && p->link.loaded_from)
		leave_load(&p->link.ra, p->link.loaded_from);
	else if (reg && reg == p->link.copied)
		p->link.ra.is = LEAVE_KEPT;
	else if (none || p->link.changed >> reg & 1)
		p->link.ra.is = LEAVE_LOST;
	else
		p->link.ra.is = LEAVE_MOVED(reg);
}

/**
 * sframe_arm64_system() - follow a system instruction
 * @p: the path
 * @insn: the instruction
 */
void sframe_arm64_system(struct leave_path *p, u32 insn)
{
	/* MRS and the like; those of 128 bits write two. */
	if ((insn & 0xff200000) == 0xd5200000) {
		lose_reg(p, insn & 31);
		a64_change_reg(p, (insn & 31) | 1);
	}
}

/**
 * sframe_arm64_execute() - follow an instruction that is no branch
 * @lv: what is asked for
 * @p: the path
 * @insn: the instruction
 *
 * Return: %GO_ON, %GIVE_UP or %UNWINDS.
 */
enum leave_step sframe_arm64_execute(struct sframe_leave *lv, struct leave_path *p, u32 insn)
{
	if ((insn & 0x0a000000) == 0x08000000)
		return load_store(lv, p, insn);
	if (sframe_arm64_is_arithmetic(insn))
		return follow_arithmetic(lv, p, insn);
	if (sframe_arm64_writes_gpr(insn))
		lose_reg(p, insn & 31);
	if ((insn & 0x0e000000) == 0x0e000000)
		return GO_ON;
	/* SVE: only ADDVL, ADDPL and SME's of that kind can move SP. The rest is no instruction. */
	return (insn & 0x1e000000) == 0x04000000 &&
	       (insn & 0xff20f000) != 0x04205000 ? GO_ON : GIVE_UP;
}

/*
 * What is put into @reg before @at, if that is one number, and nothing branches in between. Like
 * all code it is paid for: whoever writes some could have it read for each instruction.
 */
static bool constant_in(struct sframe_leave *lv, struct leave_code *code, u64 at,
			unsigned int reg, u64 *value)
{
	u8 before[CONSTANT_NEAR * INSN_LEN];
	unsigned int i = CONSTANT_NEAR;
	u32 insn;

	lv->cost += CONSTANT_NEAR / 4;
	if (code->read(code->ctx, at - sizeof(before), before, sizeof(before)))
		return false;
	while (i--) {
		insn = sframe_arm64_insn(before + i * INSN_LEN);
		if (sframe_arm64_is_branch(insn))
			return false;
		/* MOV of 16 bits. Of what else names the register, some would write to it. */
		if ((insn & 0xffe0001f) == (MOV_IMM16 | reg)) {
			*value = insn >> 5 & 0xffff;
			return true;
		}
		if ((insn & 31) == reg || (insn >> 10 & 31) == reg)
			return false;
	}
	return false;
}

/**
 * sframe_arm64_moves_sp() - is SP moved by a number that was put into a register for that?
 * @lv: what is asked for; its cost is counted
 * @code: reads code
 * @p: the path; if so, SP is moved
 * @at: address of the instruction
 * @insn: the instruction
 *
 * Compilers do so to make, and to take down, frames of more than 4 KiB.
 *
 * Return: true if so.
 */
bool sframe_arm64_moves_sp(struct sframe_leave *lv, struct leave_code *code,
			   struct leave_path *p, u64 at, u32 insn)
{
	u64 value;

	if (!p->sp_known || (insn & ~(SUB_NOT_ADD | 31u << 16)) != ADD_SP_REG ||
	    !constant_in(lv, code, at, insn >> 16 & 31, &value))
		return false;
	p->sp += insn & SUB_NOT_ADD ? -value : value;
	return true;
}
