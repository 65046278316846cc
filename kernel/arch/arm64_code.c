// SPDX-License-Identifier: GPL-2.0
/*
 * AArch64: how a function without a table will be left, read from its code.
 *
 * However control gets from a PC to a return, the frame is taken down in the
 * same way. So it is enough to find one path: along jumps, over calls, and at
 * first past conditional branches. It ends at a return, in a PLT stub, or where
 * a function begins (after a tail call, or if nothing of it was executed yet).
 */
#include <sframe/abi.h>

#include "arm64.h"

/* Instructions looked at, and where it may go far; paths that wait to be tried. */
#define INSNS_MAX	256
#define FAR_MAX		2048
#define PATHS_MAX	6
/* Instructions that are told apart. */
#define SEEN_MAX	4096
/* A stub's last instructions, from the one on that loads x17. */
#define STUB_MAX	3

#define RET		0xd65f03c0
#define RET_BY_X0	0xd65f0000
#define RETAA		0xd65f0bff
#define RETAB		0xd65f0fff
#define BR_X17		0xd61f0220
#define ADD_X16		0x91000210	/* add x16, x16, #... */
#define LDR_X17		0xf9400211	/* ldr x17, [x16, #...] */
#define PLT0_PUSH	0xa9bf7bf0	/* stp x16, x30, [sp, #-16]! */

/**
 * struct search - all paths
 * @path: those that wait, a ring
 * @first: the next to try, modulo its size
 * @nr_paths: how many wait
 * @max: instructions looked at, at most
 * @seen: where some path has been, by the low bits of the address
 * @code: what is followed
 * @fp: x29 at the PC
 * @loads_record: a path loads x29 and x30 from the record at @fp
 * @record_sure: and passes no call by
 * @by_fp: a path depends on @fp
 * @makes_record: a path makes one, and has nothing changed before in x29 and x30
 */
struct search {
	struct a64_path path[PATHS_MAX];
	unsigned int first;
	unsigned int nr_paths;
	u32 max;
	u64 seen[SEEN_MAX / 64];
	struct a64_code code;
	u64 fp;
	bool loads_record;
	bool record_sure;
	bool by_fp;
	bool makes_record;
};

/* An addition to x16, or a hint: autia1716, or a NOP where that would be 0. */
static bool in_stub(u32 insn)
{
	return (insn & 0xffc003ff) == ADD_X16 || sframe_arm64_is_hint(insn);
}

/*
 * Is the "br x17" at @pc that of a PLT stub? They load x17 from where x16
 * points. The first has put x30 on the stack.
 */
static bool is_stub(struct search *s, u64 pc)
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

static u64 *seen_word(struct search *s, u64 pc, u64 *bit)
{
	*bit = 1ull << pc / INSN_LEN % 64;
	return &s->seen[pc / INSN_LEN % SEEN_MAX / 64];
}

static bool was_there(struct search *s, u64 pc)
{
	u64 bit;

	return *seen_word(s, pc, &bit) & bit;
}

/* Where one more path can wait: in place of one that would lead to where others were since. */
static struct a64_path *room_for_path(struct search *s)
{
	unsigned int i;

	if (s->nr_paths < PATHS_MAX)
		return &s->path[(s->first + s->nr_paths++) % PATHS_MAX];
	for (i = 0; i < PATHS_MAX; i++)
		if (was_there(s, s->path[i].pc))
			return &s->path[i];
	return NULL;
}

/* Perhaps the other way has to be taken. */
static void begin_path(struct search *s, const struct a64_path *p, u64 pc)
{
	struct a64_path *new = was_there(s, pc) ? NULL : room_for_path(s);

	if (!new)
		return;
	*new = *p;
	new->pc = pc;
}

static enum a64_step jump(struct search *s, struct a64_path *p, u32 insn)
{
	u64 at = p->pc - INSN_LEN;

	if ((insn & 0xfc000000) == 0x14000000) {		/* B */
		p->pc = at + a64_field(insn, 0, 26) * INSN_LEN;
		p->landed = p->pc;
	} else if ((insn & 0x7e000000) == 0x36000000) {		/* TBZ, TBNZ */
		begin_path(s, p, at + a64_field(insn, 5, 14) * INSN_LEN);
	} else if ((insn & 0x7e000000) == 0x34000000 ||		/* CBZ, CBNZ */
		   (insn & 0xff000000) == 0x54000000) {		/* B.cond */
		begin_path(s, p, at + a64_field(insn, 5, 19) * INSN_LEN);
	} else if (insn == BR_X17 && is_stub(s, at)) {
		return ARRIVED;
	} else if ((insn & 0xfe000000) == 0xd6000000 ||		/* BR, ERET */
		   ((insn & 0xff000000) == 0xd4000000 &&	/* but not SVC */
		    (insn & 31) != 1)) {
		return GIVE_UP;
	}
	return GO_ON;
}

/* Branches, exceptions and system instructions. */
static enum a64_step branch(struct search *s, struct a64_path *p, u32 insn)
{
	if (insn == RET || insn == RETAA || insn == RETAB || insn == ARM64_BTI_C)
		return ARRIVED;
	/* Assembly may sign RA later, but nobody jumps to such a place. */
	if ((insn == ARM64_PACIASP || insn == ARM64_PACIBSP) &&
	    p->landed == p->pc - INSN_LEN)
		return ARRIVED;
	if (sframe_arm64_is_call(insn)) {
		sframe_arm64_call(p);
		return GO_ON;
	}
	if ((insn & ~(31u << 5)) == RET_BY_X0) {
		sframe_arm64_return_by(p, insn >> 5 & 31);
		return ARRIVED;
	}
	sframe_arm64_system(p, insn);
	return jump(s, p, insn);
}

static enum a64_step execute(struct search *s, struct a64_path *p, u32 insn)
{
	if (sframe_arm64_is_branch(insn))
		return branch(s, p, insn);
	return sframe_arm64_execute(p, insn);
}

/*
 * A path that ends where it is not understood has already loaded both x29 and x30 from
 * where x29 points to: so the record there is the function's. It drops arguments, as many
 * as a register says, or jumps to another function that a register names.
 */
static void note_record(struct search *s, const struct a64_path *p)
{
	if (p->lr.origin != LOADED || p->fp.origin != LOADED)
		return;
	s->by_fp = true;
	if (p->fp.at != s->fp || p->lr.at != s->fp + 8)
		return;
	s->loads_record = true;
	s->record_sure |= p->sure;
}

/* %ARRIVED if this path leads out of the function. */
static enum a64_step follow(struct search *s, struct a64_path *p, struct sframe_leave *lv)
{
	enum a64_step step = GO_ON;
	u64 *seen, bit;
	u32 insn;

	while (step == GO_ON) {
		seen = seen_word(s, p->pc, &bit);
		if (*seen & bit || lv->cost >= lv->cost_max || lv->cost == s->max ||
		    !sframe_arm64_fetch(&s->code, p->pc, &insn))
			return GIVE_UP;
		*seen |= bit;
		p->pc += INSN_LEN;
		lv->cost++;
		step = execute(s, p, insn);
	}
	if (step == ARRIVED && (p->lr.origin == LOST || p->fp.origin == LOST))
		return GIVE_UP;
	if (!p->sp_known && step == ARRIVED)
		step = GIVE_UP;
	s->makes_record |= p->makes_record;
	s->by_fp |= p->by_fp;
	if (step == GIVE_UP)
		note_record(s, p);
	return step;
}

/*
 * No way out was found. But the record at FP may be known to be the function's; or that
 * it is about to make one: then RA is in x30, unless a call of its own has left that.
 */
static bool leave_by_record(const struct search *s, struct sframe_leave *lv)
{
	lv->sp_lost = true;
	lv->fp_at = 0;
	lv->ra_at = 0;
	lv->ra_before_calls = !s->loads_record;
	if (lv->ra_before_calls)
		return s->makes_record;
	lv->fp_at = s->fp;
	lv->ra_at = s->fp + 8;
	lv->sp = s->fp + 16;
	lv->sure = s->record_sure;
	return true;
}

/* Try the paths from @p on, one after the other. */
static bool leave_by_paths(struct search *s, struct a64_path *p, struct sframe_leave *lv)
{
	enum a64_step end;

	for (;;) {
		end = follow(s, p, lv);
		if (end == ARRIVED)
			break;
		if (end == UNWINDS)
			return false;
		if ((s->record_sure && !lv->want_sp) || !s->nr_paths)
			return leave_by_record(s, lv);
		*p = s->path[s->first];
		s->first = (s->first + 1) % PATHS_MAX;
		s->nr_paths--;
	}
	lv->sp = p->sp;
	lv->sp_lost = false;
	lv->sure = p->sure;
	lv->ra_at = p->lr.origin == LOADED ? p->lr.at : 0;
	lv->ra_reg = p->lr.origin == MOVED ? p->lr.at : 0;
	lv->fp_at = p->fp.origin == LOADED ? p->fp.at : 0;
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
	struct search s = {
		.max = INSNS_MAX,
		.code = { .read = read, .ctx = ctx, .at = A64_NO_CODE },
		.fp = lv->fp,
	};
	struct a64_path p = {
		.pc = pc,
		.sp = lv->sp,
		.fp.origin = KEPT,
		.lr.origin = lv->topmost ? KEPT : LOST,
		.fp_value = lv->fp,
		.kept_fp = lv->fp,
		.sp_known = !lv->sp_lost,
		.fp_known = true,
		.sure = true,
	};
	bool found;

	if (lv->far)
		s.max = FAR_MAX;
	lv->cost = 0;
	found = leave_by_paths(&s, &p, lv);
	lv->lasts = lv->cost < lv->cost_max;
	lv->by_fp = s.by_fp;
	lv->from_fp = s.by_fp;
	return found;
}
