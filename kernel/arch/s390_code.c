// SPDX-License-Identifier: GPL-2.0
/*
 * s390x: how a function without a table will be left, read from its code.
 *
 * However control gets from a PC to a return, the frame is taken down in the
 * same way. So it is enough to find one path: along jumps, over calls, and at
 * first past conditional branches. It ends at a return or in a PLT stub.
 */
#include <sframe/abi.h>

#include "s390.h"

/*
 * Instructions looked at on one path, on all paths, and on these where it may go far;
 * paths that wait to be tried.
 */
#define PATH_INSNS_MAX	64
#define INSNS_MAX	192
#define FAR_MAX		2048
#define PATHS_MAX	4
/* Instructions that are told apart. */
#define SEEN_MAX	4096

#define FRAME_MIN	160	/* a CFA is this far above the caller's SP */
#define SP_SLOT		120	/* where r15 is saved, from the caller's SP up */

enum s390_step { GO_ON, GIVE_UP, ARRIVED };

/**
 * struct s390_search - all paths
 * @path: those that wait, a ring
 * @first: the next to try, modulo its size
 * @nr_paths: how many wait
 * @path_max: instructions looked at on one of them, at most
 * @max: cost of all of them, at most
 * @far: FP may get lost: functions that only assembly calls use it for anything
 * @seen: where some path has been, by the low bits of the address
 * @by_fp: r11 at the PC says where something is
 * @by_stack: somewhere no SP was saved
 * @code: what is followed; the stack is read likewise
 */
struct s390_search {
	struct s390_path path[PATHS_MAX];
	unsigned int first;
	unsigned int nr_paths;
	u32 path_max;
	u32 max;
	bool far;
	u64 seen[SEEN_MAX / 64];
	bool by_fp;
	bool by_stack;
	struct s390_code code;
};

/*
 * Is the "br %r1" at @pc that of a PLT stub, or of a tail call of the same
 * kind? The address was loaded from the GOT just before.
 */
static bool is_stub(struct s390_search *s, u64 pc)
{
	static const u8 load_0[] = { 0xe3, 0x10, 0x10, 0x00, 0x00, 0x04 };
	static const u8 load_16[] = { 0xe3, 0x10, 0x10, 0x10, 0x00, 0x04 };
	u8 b[12];

	if (!sframe_s390_fetch_bytes(&s->code, pc - sizeof(b), b, sizeof(b)))
		return false;
	if (!memcmp(b + 6, load_0, sizeof(load_0)))
		return b[0] == 0xc0 && b[1] == 0x10;	/* larl %r1 */
	return !memcmp(b + 6, load_16, sizeof(load_16)) && b[0] == 0xd2;
}

static u64 *seen_word(struct s390_search *s, u64 pc, u64 *bit)
{
	*bit = 1ull << pc / 2 % 64;
	return &s->seen[pc / 2 % SEEN_MAX / 64];
}

static bool was_there(struct s390_search *s, u64 pc)
{
	u64 bit;

	return *seen_word(s, pc, &bit) & bit;
}

/* Where one more path can wait: in place of one that would lead to where others were since. */
static struct s390_path *room_for_path(struct s390_search *s)
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
static void begin_path(struct s390_search *s, const struct s390_path *p, u64 pc)
{
	struct s390_path *new = was_there(s, pc) ? NULL : room_for_path(s);

	if (!new)
		return;
	*new = *p;
	new->pc = pc;
}

static void lose(struct s390_path *p, u32 regs)
{
	if (regs & s390_one(14))
		p->ra.origin = LOST;
	if (regs & s390_one(11)) {
		p->fp.origin = LOST;
		p->fp_known = false;
	}
}

static void call(struct s390_path *p)
{
	lose(p, s390_one(14));
	p->sure = false;
}

static enum s390_step jump_to(struct s390_search *s, struct s390_path *p, u64 to, bool always)
{
	if (always)
		p->pc = to;
	else
		begin_path(s, p, to);
	return GO_ON;
}

static enum s390_step branch(struct s390_search *s, struct s390_path *p,
			     const struct s390_branch *br)
{
	u64 at = p->pc - br->len;

	switch (br->kind) {
	case S390_CALL:
		call(p);
		return GO_ON;
	case S390_JUMP:
		return jump_to(s, p, at + br->off, true);
	case S390_MAYBE:
		return jump_to(s, p, at + br->off, false);
	case S390_TO_REG:
		if (br->reg == 14)
			return ARRIVED;
		return br->reg == 1 && is_stub(s, at) ? ARRIVED : GIVE_UP;
	default:
		return GIVE_UP;
	}
}

/* Base and displacement; only addresses in the frame are of interest. */
static bool address(struct s390_search *s, const struct s390_path *p,
		    const struct s390_memory *m, u64 *addr)
{
	if (m->index)
		return false;
	if (m->base == 11 && p->fp_known) {
		s->by_fp = true;
		*addr = p->fp_value + m->off;
	} else if (m->base == 15) {
		*addr = p->sp + m->off;
	} else {
		return false;
	}
	return true;
}

static void store(struct s390_value *v, u64 addr)
{
	v->saved = addr;
	v->saved_at = v->at;
	v->saved_origin = v->origin;
}

static void load(struct s390_value *v, u64 addr)
{
	if (v->saved == addr) {
		v->at = v->saved_at;
		v->origin = v->saved_origin;
	} else {
		v->at = addr;
		v->origin = LOADED;
	}
}

/* r15 comes from the caller's own save area, so it says where that is. */
static bool load_sp(struct s390_search *s, struct s390_path *p, u64 addr)
{
	u64 sp;

	if (p->sp_saved_at == addr) {
		p->sp = p->sp_saved;
		return true;
	}
	if (s->code.read(s->code.ctx, addr, &sp, sizeof(sp)) || sp != addr - SP_SLOT) {
		s->by_stack = true;
		return false;
	}
	p->sp = sp;
	p->sp_was_saved = sp;
	return true;
}

static enum s390_step store_regs(struct s390_search *s, struct s390_path *p,
				 const struct s390_memory *m)
{
	u64 addr;

	if (!address(s, p, m, &addr))
		return GO_ON;
	if (m->regs & s390_one(11))
		store(&p->fp, addr + 8 * ((11 - m->first) & 15));
	if (m->regs & s390_one(14))
		store(&p->ra, addr + 8 * ((14 - m->first) & 15));
	if (m->regs & s390_one(15)) {
		p->sp_saved_at = addr + 8 * ((15 - m->first) & 15);
		p->sp_saved = p->sp;
	}
	return GO_ON;
}

static enum s390_step load_regs(struct s390_search *s, struct s390_path *p,
				const struct s390_memory *m)
{
	u64 addr;

	if (!address(s, p, m, &addr)) {
		lose(p, m->regs);
		return m->regs & s390_one(15) ? GIVE_UP : GO_ON;
	}
	if (m->regs & s390_one(11)) {
		load(&p->fp, addr + 8 * ((11 - m->first) & 15));
		p->fp_known = false;
	}
	if (m->regs & s390_one(14))
		load(&p->ra, addr + 8 * ((14 - m->first) & 15));
	if (m->regs & s390_one(15) &&
	    !load_sp(s, p, addr + 8 * ((15 - m->first) & 15)))
		return GIVE_UP;
	return GO_ON;
}

/* r11 or r15 becomes an address in the frame. */
static enum s390_step set_reg(struct s390_search *s, struct s390_path *p,
			      const struct s390_memory *m)
{
	bool known;
	u64 addr;

	known = address(s, p, m, &addr);
	if (m->first == 15) {
		if (!known)
			return GIVE_UP;
		p->sp = addr;
		return GO_ON;
	}
	lose(p, s390_one(m->first));
	if (m->first == 11 && known) {
		p->fp_value = addr;
		p->fp_known = true;
	}
	return GO_ON;
}

static enum s390_step execute(struct s390_search *s, struct s390_path *p,
			      const struct s390_insn *insn)
{
	struct s390_branch br;
	struct s390_memory m;
	u32 regs;

	if (sframe_s390_branch(insn, &br)) {
		lose(p, br.regs);
		return br.regs & s390_one(15) ? GIVE_UP : branch(s, p, &br);
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
	lose(p, regs);
	return regs & s390_one(15) ? GIVE_UP : GO_ON;
}

/* Does this path lead out of the function? */
static bool follow(struct s390_search *s, struct s390_path *p,
		   struct sframe_leave *lv)
{
	enum s390_step step = GO_ON;
	struct s390_insn insn;
	u32 left = s->path_max;
	u64 *seen, bit;

	for (; step == GO_ON; left--) {
		seen = seen_word(s, p->pc, &bit);
		if (*seen & bit || !left || lv->cost + S390_INSN_COST > lv->cost_max ||
		    lv->cost >= s->max ||
		    !sframe_s390_fetch(&s->code, p->pc, &insn))
			return false;
		*seen |= bit;
		p->pc += insn.len;
		lv->cost += S390_INSN_COST;
		step = execute(s, p, &insn);
	}
	return step == ARRIVED && p->ra.origin != LOST &&
	       (s->far || p->fp.origin != LOST);
}

/* Try the paths from @p on, one after the other. */
static bool leave_by_paths(struct s390_search *s, struct s390_path *p, struct sframe_leave *lv)
{
	lv->cost = 0;
	while (!follow(s, p, lv)) {
		if (!s->nr_paths)
			return false;
		*p = s->path[s->first];
		s->first = (s->first + 1) % PATHS_MAX;
		s->nr_paths--;
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
		.path_max = PATH_INSNS_MAX,
		.max = INSNS_MAX * S390_INSN_COST,
		.far = lv->far,
		.code = { .read = read, .ctx = ctx, .at = S390_NO_CODE },
	};
	struct s390_path p = {
		.pc = pc,
		.sp = lv->sp,
		.fp.origin = KEPT,
		.ra.origin = lv->topmost ? KEPT : LOST,
		.fp_value = lv->fp,
		.fp_known = !lv->fp_lost,
		/* Else there was a call just before the PC. */
		.sure = lv->topmost || !lv->far,
	};

	bool found;

	if (lv->far) {
		s.max = FAR_MAX * S390_INSN_COST;
		s.path_max = FAR_MAX;
	}
	found = leave_by_paths(&s, &p, lv);
	lv->lasts = lv->cost + S390_INSN_COST <= lv->cost_max;
	lv->by_fp = s.by_fp;
	lv->from_fp = s.by_fp;
	lv->by_stack = found ? p.sp_was_saved && p.sp != p.sp_was_saved : s.by_stack;
	if (!found)
		return false;
	lv->sp_saved = p.sp_was_saved;
	lv->sp = p.sp + FRAME_MIN;
	lv->sure = p.sure;
	lv->ra_at = p.ra.origin == LOADED ? p.ra.at : 0;
	lv->fp_at = p.fp.origin == LOADED ? p.fp.at : 0;
	lv->fp_lost = p.fp.origin == LOST || (p.fp.origin == KEPT && lv->fp_lost);
	return true;
}
