// SPDX-License-Identifier: GPL-2.0
/*
 * AArch64: how a function without a table will be left, read from its code.
 *
 * A path (kernel/core/leave.h) ends at a return, in a PLT stub, or where a function
 * begins (after a tail call, or if nothing of it was executed yet).
 */
#include <sframe/abi.h>

#include "arm64.h"

/* 300 to 500 instructions; and where it may go far, 2,400 to 3,900. */
#define NEAR_COST_MAX	1024
#define FAR_COST_MAX	8192
/* A stub's last instructions, from the one on that loads x17. */
#define STUB_MAX	3

#define RET		0xd65f03c0
#define RET_BY_X0	0xd65f0000
#define RETAA		0xd65f0bff
#define RETAB		0xd65f0fff
/* Jumps within a function, mostly. */
#define NEAR_JUMP	4096

#define CALL_X16	0xd63f0200
#define LOAD_FRAME	0xf940021d	/* ldr x29, [x16] */
#define LOAD_X17	0xf94003f1	/* ldr x17, [sp] */
#define BR_X0		0xd61f0000
#define BR_X16		0xd61f0200
#define BR_X17		0xd61f0220
#define ADD_X16		0x91000210	/* add x16, x16, #... */
#define LDR_X17		0xf9400211	/* ldr x17, [x16, #...] */
#define PLT0_PUSH	0xa9bf7bf0	/* stp x16, x30, [sp, #-16]! */
#define BR_X9		0xd61f0120
#define LDR_X9		0xf8695aa9	/* ldr x9, [x21, w9, uxtw #3] */
#define ADD_W9		0x11000109	/* add w9, w8, #... */
#define SP_TO_X19	0x910003f3	/* mov x19, sp */
#define PREFETCH	0xf9800000	/* prfm ..., [x0] */
#define PREFETCH_MASK	0xff800000
#define STORE_SP	0xf81f03b4	/* stur x20, [x29, #-16] */

/**
 * struct a64_search - all paths, and what those say together that give up
 * @all: the paths, first
 * @loads_record: one loads x29 and x30 from the record at x29
 * @record_sure: and passes no call by
 * @makes_record: one makes one, and has nothing changed before in x29 and x30
 * @interprets: one is an interpreter's
 * @fp_is_data: x29 is no address on the stack, as in RPython's code
 */
struct a64_search {
	struct leave_search all;
	bool loads_record;
	bool record_sure;
	bool makes_record;
	bool interprets;
	bool fp_is_data;
};

static inline struct a64_search *a64_search_of(struct leave_search *s)
{
	return (struct a64_search *)s;
}

/* An addition to x16, or a hint: autia1716, or a NOP where that would be 0. */
static bool in_stub(u32 insn)
{
	return (insn & 0xffc003ff) == ADD_X16 || sframe_arm64_is_hint(insn);
}

/*
 * Is the "br x17" at @pc that of a PLT stub? They load x17 from where x16
 * points. The first has put x30 on the stack.
 */
static bool is_stub(struct leave_search *s, u64 pc)
{
	unsigned int back;
	u32 insn;

	for (back = 1; back <= STUB_MAX; back++) {
		if (!sframe_arm64_fetch(&s->code, pc - back * INSN_LEN, &insn))
			return false;
		if ((insn & 0xffc003ff) == LDR_X17)
			return sframe_arm64_fetch(&s->code, pc - (back + 2) * INSN_LEN, &insn) &&
			       insn != PLT0_PUSH;
		if (!in_stub(insn))
			return false;
	}
	return false;
}

/* A branch to a guard of RPython's is taken: that is the shortest way out. */
static void follow_conditional(struct leave_search *s, struct leave_path *p, u64 target)
{
	if (a64_search_of(s)->fp_is_data && sframe_arm64_is_guard(s, target)) {
		s->lv->by_fp = true;
		leave_jump(s, p, target);
	} else {
		sframe_leave_begin_path(s, p, target);
	}
}

/* RPython's code may take off the stack what was put there before it was called. */
static enum leave_step follow_call(struct leave_search *s, struct leave_path *p, u32 insn)
{
	u64 to = 0;

	sframe_arm64_call(p);
	if (insn != CALL_X16 || !a64_search_of(s)->fp_is_data ||
	    !sframe_arm64_rpython_call(s, p->pc, &to)) {
		leave_call(p);
		return GO_ON;
	}
	s->lv->by_fp = true;
	if (to)
		leave_jump(s, p, to);
	else
		p->link.ra.is = LEAVE_LOST;
	return to || p->sp >= s->lv->sp ? GO_ON : GIVE_UP;
}

/*
 * Blocks of QEMU's jump to each other. The way out behind that is shorter; and wherever they are
 * left, SP is the same, whatever they have called.
 */
static void follow_b(struct leave_search *s, struct leave_path *p, u64 target)
{
	u32 behind;

	if (sframe_arm64_fetch(&s->code, p->pc, &behind) && behind == BR_X16 &&
	    sframe_arm64_is_exit_of_block(s, p->pc + INSN_LEN)) {
		leave_jump(s, p, p->pc + INSN_LEN);
		return;
	}
	if (!p->sure && target - p->pc + NEAR_JUMP > 2 * NEAR_JUMP)
		p->sure = sframe_arm64_is_qemu_epilogue(s, target);
	leave_jump(s, p, target);
}

static enum leave_step follow_jump(struct leave_search *s, struct leave_path *p, u32 insn)
{
	u64 at = p->pc - INSN_LEN, target = sframe_arm64_jump_target(insn, at);

	if (sframe_arm64_is_b(insn))
		follow_b(s, p, target);
	else if (target)
		follow_conditional(s, p, target);
	else if (insn == BR_X17 && is_stub(s, at))
		return ARRIVED;
	else if (insn == BR_X0 && sframe_arm64_is_exit_of_block(s, p->pc))
		leave_jump(s, p, p->pc);
	else if (sframe_arm64_flags(insn) & SFRAME_INSN_STOPS)
		return GIVE_UP;
	return GO_ON;
}

/* Branches, exceptions and system instructions. */
static enum leave_step follow_branch(struct leave_search *s, struct leave_path *p, u32 insn)
{
	if (insn == RET || insn == RETAA || insn == RETAB || insn == ARM64_BTI_C)
		return ARRIVED;
	/* Assembly may sign RA later, but nobody jumps to such a place. */
	if ((insn == ARM64_PACIASP || insn == ARM64_PACIBSP) &&
	    s->landed == p->pc - INSN_LEN)
		return ARRIVED;
	if (sframe_arm64_is_call(insn))
		return follow_call(s, p, insn);
	if ((insn & ~(31u << 5)) == RET_BY_X0) {
		sframe_arm64_return_by(p, insn >> 5 & 31);
		return ARRIVED;
	}
	sframe_arm64_system(p, insn);
	return follow_jump(s, p, insn);
}

/*
 * HotSpot's interpreter goes on with the next bytecode, by its table; or will jump to a
 * function, and has stored the processor's SP, and then its own: where it does, its frame
 * ends at x29. @insn is at @at. Compilers do each of these alone, too.
 */
static bool is_interpreter(struct leave_search *s, u64 at, u32 insn)
{
	u32 last, before;

	if (insn != STORE_SP && insn != BR_X9)
		return false;
	if (s->lv->cost >= s->cost_max)
		return false;
	if (s->lv->cost >= s->lv->cost_max) {
		s->starved = true;
		return false;
	}
	if (!sframe_arm64_fetch(&s->code, at - INSN_LEN, &last))
		return false;
	if (insn == STORE_SP)
		return last == SP_TO_X19;
	return last == LDR_X9 && sframe_arm64_fetch(&s->code, at - 2 * INSN_LEN, &before) &&
	       (before & ~A64_IMM12) == ADD_W9;
}

/* RPython's code loads x29, which is data again, another one; or RA into x17. */
static void follow_load(struct leave_search *s, struct leave_path *p, u32 insn)
{
	s->lv->by_fp = true;
	if (insn == LOAD_FRAME)
		p->fp_known = false;
	else
		sframe_arm64_load_x17(p);
}

/*
 * Most of them: arithmetic, a load or a store, of what is neither SP, x29 nor x30. @insn is
 * followed, if it is one.
 */
static inline bool follow_plain(struct leave_path *p, u32 insn)
{
	unsigned int reg = insn & 31;

	if (reg >= A64_FP)
		return false;
	if ((insn & 0x3b000000) == 0x39000000 && (insn >> 5 & 31) < A64_FP) {
		/* Neither a vector nor a prefetch. */
		if (insn >> 22 & 3 && !(insn >> 26 & 1) && (insn & PREFETCH_MASK) != PREFETCH)
			a64_change_reg(p, reg);
		return true;
	}
	if (!sframe_arm64_is_arithmetic(insn) || (insn & ~31u) == A64_MOV_FROM_LR)
		return false;
	a64_change_reg(p, reg);
	return true;
}

static __always_inline enum leave_step follow_insn(struct leave_search *s, struct leave_path *p)
{
	u32 insn;

	leave_join_sure(s, p);
	if (!sframe_arm64_fetch(&s->code, p->pc, &insn))
		return GIVE_UP;
	p->pc += INSN_LEN;
	if (insn == ARM64_NOP || follow_plain(p, insn)) {
		s->lv->cost += A64_PLAIN_COST;
		return GO_ON;
	}
	s->lv->cost += A64_INSN_COST;
	if (p->fp.is == LEAVE_KEPT && is_interpreter(s, p->pc - INSN_LEN, insn)) {
		s->lv->interprets = true;
		return GIVE_UP;
	}
	if (sframe_arm64_is_branch(insn))
		return follow_branch(s, p, insn);
	if (a64_search_of(s)->fp_is_data && (insn == LOAD_FRAME || insn == LOAD_X17)) {
		follow_load(s, p, insn);
		return GO_ON;
	}
	if (sframe_arm64_moves_sp(s->lv, &s->code, p, p->pc - INSN_LEN, insn))
		return GO_ON;
	return sframe_arm64_execute(s->lv, p, insn);
}

/*
 * A path that ends where it is not understood has already loaded both x29 and x30 from
 * where x29 points to: so the record there is the function's. It drops arguments, as many
 * as a register says, or jumps to another function that a register names. Or it is an
 * interpreter's, which goes on in the same frame, with x29 at its record all the while.
 */
static void note_record(struct a64_search *s, const struct leave_path *p)
{
	struct sframe_leave *lv = s->all.lv;

	if (lv->interprets) {
		lv->interprets = false;
		lv->by_fp = true;
		s->interprets = true;
		s->loads_record = true;
		s->record_sure |= p->sure;
		return;
	}
	if (!leave_loaded_from(&p->link.ra) || !leave_loaded_from(&p->fp))
		return;
	lv->by_fp = true;
	lv->from_fp |= !sframe_is_near(p->fp.is, lv->sp);
	if (p->fp.is != lv->fp || p->link.ra.is != lv->fp + 8)
		return;
	s->loads_record = true;
	s->record_sure |= p->sure;
}

/* %ARRIVED if this path leads out of the function. */
static enum leave_step follow_path(struct a64_search *s, struct leave_path *p)
{
	enum leave_step step = leave_follow(&s->all, p, A64_INSN_COST, follow_insn);

	if (step == ARRIVED && (p->link.ra.is == LEAVE_LOST || p->fp.is == LEAVE_LOST))
		return GIVE_UP;
	if (!p->sp_known && step == ARRIVED)
		step = GIVE_UP;
	s->makes_record |= p->link.makes_record;
	if (step == GIVE_UP)
		note_record(s, p);
	return step;
}

/*
 * No way out was found. But the record at FP may be known to be the function's; or that
 * it is about to make one: then RA is in x30, unless a call of its own has left that.
 */
static bool leave_by_record(const struct a64_search *s, struct sframe_leave *lv)
{
	lv->sp_lost = true;
	lv->fp_at = 0;
	lv->ra_at = 0;
	lv->ra_before_calls = !s->loads_record;
	if (lv->ra_before_calls)
		return s->makes_record;
	lv->fp_at = lv->fp;
	lv->ra_at = lv->fp + 8;
	lv->sp = lv->fp + 16;
	lv->sure = s->record_sure;
	lv->interprets = s->interprets;
	return true;
}

/* Try the paths from @p on, one after the other. */
static bool leave_by_paths(struct a64_search *s, struct leave_path *p, struct sframe_leave *lv)
{
	enum leave_step end;

	for (;;) {
		end = follow_path(s, p);
		if (end == ARRIVED)
			break;
		if (end == UNWINDS)
			return false;
		if ((s->record_sure && !lv->want_sp) || !sframe_leave_next_path(&s->all, p))
			return leave_by_record(s, lv);
	}
	leave_say(lv, p);
	leave_say_ra(lv, &p->link.ra);
	lv->sp_lost = false;
	return true;
}

/**
 * sframe_arm64_leave() - &sframe_abi.leave
 * @lv: see &struct sframe_leave
 * @pc: the PC
 * @read: reads code
 * @ctx: handed to @read
 *
 * Context: any that @read allows, NMI included.
 * Return: was a way out found?
 */
bool sframe_arm64_leave(struct sframe_leave *lv, u64 pc, sframe_read_fn read,
			void *ctx)
{
	struct a64_search s = {
		.all = {
			.code = { .read = read, .ctx = ctx, .cost = &lv->cost },
			.pc = pc,
			.lv = lv,
			.behind_max = LEAVE_BEHIND_MAX,
			.cost_max = lv->far ? FAR_COST_MAX : NEAR_COST_MAX,
		},
		.fp_is_data = !sframe_is_near(lv->fp, lv->sp),
	};
	struct leave_path p = {
		.pc = pc,
		.sp = lv->sp,
		.fp.is = LEAVE_KEPT,
		.link.ra.is = lv->topmost ? LEAVE_KEPT : LEAVE_LOST,
		.fp_value = lv->fp,
		.sp_known = !lv->sp_lost,
		.fp_known = true,
		.sure = true,
	};
	bool found;

	lv->cost = 0;
	found = leave_by_paths(&s, &p, lv);
	lv->lasts = leave_lasts(&s.all);
	return found;
}
