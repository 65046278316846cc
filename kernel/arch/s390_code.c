// SPDX-License-Identifier: GPL-2.0
/*
 * s390x: how a function without a table will be left, read from its code.
 *
 * A path (kernel/core/leave.h) ends at a return or in a PLT stub.
 */
#include <sframe/abi.h>

#include "s390.h"

/* Some 192 instructions, and where it may go far, 2,048. */
#define NEAR_COST_MAX	704
#define FAR_COST_MAX	7168

/* Bytes of a branch as far as anywhere; and of some others. */
#define LONG_BRANCH	6

#define FRAME_MIN	160	/* a CFA is this far above the caller's SP */
#define SP_SLOT		120	/* where r15 is saved, from the caller's SP up */
#define RPYTHON_MORE	64	/* so much below that in RPython's frames */

/**
 * struct s390_search - all paths
 * @all: the paths, first
 * @rpython: it is code of RPython's
 */
struct s390_search {
	struct leave_search all;
	bool rpython;
};

static inline struct s390_search *s390_search_of(struct leave_search *s)
{
	return (struct s390_search *)s;
}

/*
 * Is the "br %r1" at @pc that of a PLT stub, or of a tail call of the same
 * kind? The address was loaded from the GOT just before.
 */
static bool is_stub(const struct leave_search *s, u64 pc)
{
	static const u8 load_0[] = { 0xe3, 0x10, 0x10, 0x00, 0x00, 0x04 };
	static const u8 load_16[] = { 0xe3, 0x10, 0x10, 0x10, 0x00, 0x04 };
	u8 b[12];

	if (!leave_read(s, pc - sizeof(b), b, sizeof(b)))
		return false;
	if (!memcmp(b + 6, load_0, sizeof(load_0)))
		return b[0] == 0xc0 && b[1] == 0x10;	/* larl %r1 */
	return !memcmp(b + 6, load_16, sizeof(load_16)) && b[0] == 0xd2;
}

static void lose_regs(struct leave_path *p, u32 regs)
{
	if (regs & s390_one(14))
		p->link.ra.is = LEAVE_LOST;
	if (regs & s390_one(11))
		leave_set_fp(p, false, 0);
}

/* RPython's code may take off the stack what was put there before it was called. */
static enum leave_step follow_call(struct leave_search *s, struct leave_path *p)
{
	if (!s->lv->far || !p->sure || !sframe_s390_is_sure_call(s, p->pc)) {
		leave_call(p);
		return GO_ON;
	}
	s390_search_of(s)->rpython = true;
	p->link.ra.is = LEAVE_LOST;
	return p->sp >= s->lv->sp ? GO_ON : GIVE_UP;
}

/*
 * Blocks of QEMU's jump to each other. The way out behind that is shorter; and wherever they are
 * left, SP is the same, whatever they have called.
 */
static void follow_jump(struct leave_search *s, struct leave_path *p,
			const struct s390_branch *br)
{
	u64 target = p->pc - br->len + br->off;
	bool may_be_qemu = s->lv->far && br->len == LONG_BRANCH;

	if (may_be_qemu && sframe_s390_is_exit_of_block(s, p->pc)) {
		leave_jump(s, p, p->pc);
		return;
	}
	if (may_be_qemu && !p->sure)
		p->sure = sframe_s390_is_qemu_epilogue(s, target);
	leave_jump(s, p, target);
}

/* A branch to a guard of RPython's is taken: that is the shortest way out. */
static void follow_conditional(struct leave_search *s, struct leave_path *p,
			       const struct s390_branch *br)
{
	u64 target = p->pc - br->len + br->off;

	if (s->lv->far && br->len == LONG_BRANCH && sframe_s390_is_guard(s, target)) {
		s390_search_of(s)->rpython = true;
		leave_jump(s, p, target);
	} else {
		sframe_leave_begin_path(s, p, target);
	}
}

/* To where a register says: a return, unless r14 was just set to something else. */
static enum leave_step follow_register(struct leave_search *s, struct leave_path *p,
				       unsigned int reg, u64 at)
{
	u64 target;

	if (reg == 14 && p->link.ra.is != LEAVE_LOST)
		return ARRIVED;
	if (reg == 14) {
		target = sframe_s390_constant_in_r14(s, at);
		if (!target)
			return GIVE_UP;
		leave_jump(s, p, target);
		return GO_ON;
	}
	if (reg == 2 && sframe_s390_is_exit_of_block(s, p->pc)) {
		leave_jump(s, p, p->pc);
		return GO_ON;
	}
	return reg == 1 && is_stub(s, at) ? ARRIVED : GIVE_UP;
}

static enum leave_step follow_branch(struct leave_search *s, struct leave_path *p,
				     const struct s390_branch *br)
{
	u64 at = p->pc - br->len;

	switch (br->kind) {
	case S390_CALL:
		return follow_call(s, p);
	case S390_JUMP:
		follow_jump(s, p, br);
		return GO_ON;
	case S390_MAYBE:
		follow_conditional(s, p, br);
		return GO_ON;
	case S390_TO_REG:
		return follow_register(s, p, br->reg, at);
	default:
		return GIVE_UP;
	}
}

/* Base and displacement: only addresses in the frame are of interest, 0 for others. */
static u64 address_of(struct sframe_leave *lv, const struct leave_path *p,
		      const struct s390_memory *m)
{
	u64 base = p->sp;

	if (m->index || (m->base != 15 && m->base != 11) ||
	    (m->base == 11 && !leave_by_fp(lv, p, &base)))
		return 0;
	return base + m->off;
}

/* Where a GPR is of those that are at @addr; 0 if that is not known. */
static u64 place_of(const struct s390_memory *m, u64 addr, unsigned int reg)
{
	return addr ? addr + 8 * ((reg - m->first) & 15) : 0;
}

static void set_sp(struct leave_path *p, u64 sp)
{
	p->link.sp_moved |= sp != p->sp;
	p->sp = sp;
}

/* Can r15, which is saved at @addr, be @sp? */
static bool is_saved_sp(struct leave_search *s, u64 addr, u64 sp)
{
	if (s390_search_of(s)->rpython)
		return sp == addr - SP_SLOT + RPYTHON_MORE;
	return sp == addr - SP_SLOT;
}

/* r15 comes from the caller's own save area, so it says where that is. */
static bool load_sp(struct leave_search *s, struct leave_path *p, u64 addr)
{
	u64 sp;

	if (!addr)
		return false;
	if (p->link.sp_saved_at == addr) {
		set_sp(p, p->link.sp_saved);
		return true;
	}
	if (!leave_read(s, addr, &sp, sizeof(sp)) || !is_saved_sp(s, addr, sp)) {
		s->lv->by_stack = true;
		return false;
	}
	/* All frames of RPython's are made in the same way, so it need not be asked again. */
	if (s390_search_of(s)->rpython) {
		set_sp(p, sp);
		return true;
	}
	/* Which of several slots is right may be another one in another frame. */
	s->lv->by_stack |= s->lv->sp_saved;
	s->lv->sp_saved = true;
	p->sp = sp;
	p->link.sp_was_saved = true;
	p->link.sp_moved = false;
	return true;
}

/*
 * Is RA saved where another function begins? That lies behind a call of one that never
 * returns, or behind what fills the gap, which no jump leads to. There are instructions
 * in front of gaps that only EXRL executes.
 */
static bool another_begins(const struct leave_search *s, const struct leave_path *p, u64 at)
{
	u8 gap[2];

	return p->link.ra.is == LEAVE_LOST ||
	       (s->block != at && leave_read(s, at - sizeof(gap), gap, sizeof(gap)) &&
		gap[0] == 0x07 && gap[1] == 0x07);
}

static enum leave_step store_regs(struct leave_search *s, struct leave_path *p,
				  const struct s390_memory *m)
{
	u64 addr = address_of(s->lv, p, m);

	/* Alone, r14 may be data. */
	if (m->regs & s390_one(15) && m->regs & s390_one(14) &&
	    another_begins(s, p, p->pc - S390_INSN_MAX))
		return GIVE_UP;
	if (m->regs & s390_one(14))
		leave_save(&p->link.ra, place_of(m, addr, 14));
	if (m->regs & s390_one(11))
		leave_save(&p->fp, place_of(m, addr, 11));
	if (m->regs & s390_one(15) && addr) {
		p->link.sp_saved_at = place_of(m, addr, 15);
		p->link.sp_saved = p->sp;
	}
	return GO_ON;
}

static enum leave_step load_regs(struct leave_search *s, struct leave_path *p,
				 const struct s390_memory *m)
{
	u64 addr = address_of(s->lv, p, m);

	if (m->regs & s390_one(11))
		leave_load_fp(s->lv, p, place_of(m, addr, 11));
	if (m->regs & s390_one(14))
		leave_load(&p->link.ra, place_of(m, addr, 14));
	if (m->regs & s390_one(15) && !load_sp(s, p, place_of(m, addr, 15)))
		return GIVE_UP;
	return GO_ON;
}

/* r11 or r15 becomes an address in the frame. */
static enum leave_step set_reg(struct leave_search *s, struct leave_path *p,
			       const struct s390_memory *m)
{
	u64 addr = address_of(s->lv, p, m);

	lose_regs(p, m->regs);
	if (m->first == 11)
		leave_set_fp(p, addr, addr);
	if (m->first == 15)
		set_sp(p, addr);
	return m->first == 15 && !addr ? GIVE_UP : GO_ON;
}

static enum leave_step execute_insn(struct leave_search *s, struct leave_path *p,
				    const struct s390_insn *insn)
{
	struct s390_branch br;
	struct s390_memory m;
	u32 regs;

	if (sframe_s390_branch(insn, &br)) {
		lose_regs(p, br.regs);
		return br.regs & s390_one(15) ? GIVE_UP : follow_branch(s, p, &br);
	}
	switch (sframe_s390_memory(insn, &m)) {
	case S390_STORE:
		return store_regs(s, p, &m);
	case S390_LOAD:
		return load_regs(s, p, &m);
	case S390_SET:
		return set_reg(s, p, &m);
	default:
		break;
	}
	regs = sframe_s390_written(insn);
	lose_regs(p, regs);
	return regs & s390_one(15) ? GIVE_UP : GO_ON;
}

static __always_inline enum leave_step follow_insn(struct leave_search *s, struct leave_path *p)
{
	struct s390_insn insn;

	leave_join_sure(s, p);
	if (!sframe_s390_fetch(&s->code, p->pc, &insn))
		return GIVE_UP;
	p->pc += insn.len;
	s->lv->cost += S390_INSN_COST;
	return execute_insn(s, p, &insn);
}

/*
 * Does this path lead out of the function? Far, FP may get lost: functions that only
 * assembly calls use it for anything.
 */
static bool leads_out(struct leave_search *s, struct leave_path *p)
{
	return leave_follow(s, p, S390_INSN_COST, follow_insn) == ARRIVED &&
	       p->link.ra.is != LEAVE_LOST && (s->lv->far || p->fp.is != LEAVE_LOST);
}

/* Try the paths from @p on, one after the other. */
static bool leave_by_paths(struct leave_search *s, struct leave_path *p)
{
	while (!leads_out(s, p)) {
		if (!sframe_leave_next_path(s, p))
			return false;
	}
	return true;
}

/**
 * sframe_s390_leave() - &sframe_abi.leave
 * @lv: see &struct sframe_leave
 * @pc: the PC
 * @read: reads code and stack
 * @ctx: handed to @read
 *
 * Context: any that @read allows, NMI included.
 * Return: was a way out found?
 */
bool sframe_s390_leave(struct sframe_leave *lv, u64 pc, sframe_read_fn read,
		       void *ctx)
{
	struct s390_search s = {
		.all = {
			.code = { .read = read, .ctx = ctx, .cost = &lv->cost },
			.pc = pc,
			.lv = lv,
			.behind_max = LEAVE_BEHIND_MAX,
			.cost_max = lv->far ? FAR_COST_MAX : NEAR_COST_MAX,
		},
	};
	struct leave_path p = {
		.pc = pc,
		.sp = lv->sp,
		.fp.is = LEAVE_KEPT,
		.link.ra.is = lv->topmost ? LEAVE_KEPT : LEAVE_LOST,
		.fp_value = lv->fp,
		.sp_known = true,
		.fp_known = !lv->fp_lost,
	};
	bool found;

	lv->cost = 0;
	/* Else there was a call just before the PC. */
	s.rpython = lv->far && !lv->topmost && sframe_s390_is_sure_call(&s.all, pc);
	p.sure = lv->topmost || !lv->far || s.rpython;
	found = leave_by_paths(&s.all, &p);
	lv->lasts = leave_lasts(&s.all);
	/* A path that led nowhere may have asked for a slot. */
	lv->by_stack |= lv->sp_saved && (!found || !p.link.sp_was_saved || p.link.sp_moved);
	if (!found)
		return false;
	leave_say(lv, &p);
	leave_say_ra(lv, &p.link.ra);
	lv->sp += FRAME_MIN;
	lv->sp_saved = p.link.sp_was_saved;
	return true;
}
