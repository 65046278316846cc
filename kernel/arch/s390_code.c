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
/* What one takes more than one of arm64 does, see sframe_leave.cost. */
#define INSN_COST	3
/* Instructions that are told apart. */
#define SEEN_MAX	4096
/* Bytes of code read at a time; aligned, so that no page is crossed. */
#define CHUNK		64

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
 * @read: reads code and stack
 * @ctx: handed to @read
 * @code: chunk of code read last
 * @code_at: its address, odd if there is none yet
 */
struct s390_search {
	struct s390_path path[PATHS_MAX];
	unsigned int first;
	unsigned int nr_paths;
	u32 path_max;
	u32 max;
	bool far;
	u64 seen[SEEN_MAX / 64];
	sframe_read_fn read;
	void *ctx;
	u8 code[CHUNK];
	u64 code_at;
};

static bool fetch_bytes(struct s390_search *s, u64 pc, u8 *to, unsigned int len)
{
	unsigned int i;

	for (i = 0; i < len; i++, pc++) {
		u64 at = pc & ~(u64)(CHUNK - 1);

		if (at != s->code_at) {
			s->code_at = 1;
			if (s->read(s->ctx, at, s->code, CHUNK))
				return false;
			s->code_at = at;
		}
		to[i] = s->code[pc - at];
	}
	return true;
}

static bool fetch(struct s390_search *s, u64 pc, struct s390_insn *insn)
{
	u64 at = pc - s->code_at;

	/* Mostly all that an instruction may have is there; both addresses are even. */
	if (!((pc | at) & 1) && at <= CHUNK - sizeof(insn->b)) {
		memcpy(insn->b, s->code + at, sizeof(insn->b));
		insn->len = sframe_s390_len(insn->b[0]);
		return true;
	}
	if (pc & 1 || !fetch_bytes(s, pc, insn->b, 2))
		return false;
	insn->len = sframe_s390_len(insn->b[0]);
	return fetch_bytes(s, pc + 2, insn->b + 2, insn->len - 2);
}

/*
 * Is the "br %r1" at @pc that of a PLT stub, or of a tail call of the same
 * kind? The address was loaded from the GOT just before.
 */
static bool is_stub(struct s390_search *s, u64 pc)
{
	static const u8 load_0[] = { 0xe3, 0x10, 0x10, 0x00, 0x00, 0x04 };
	static const u8 load_16[] = { 0xe3, 0x10, 0x10, 0x10, 0x00, 0x04 };
	u8 b[12];

	if (!fetch_bytes(s, pc - sizeof(b), b, sizeof(b)))
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

/* Perhaps the other way has to be taken. */
static void begin_path(struct s390_search *s, const struct s390_path *p, u64 pc)
{
	struct s390_path *new = &s->path[(s->first + s->nr_paths) % PATHS_MAX];
	u64 bit;

	if (s->nr_paths == PATHS_MAX || *seen_word(s, pc, &bit) & bit)
		return;
	*new = *p;
	new->pc = pc;
	s->nr_paths++;
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
static bool address(const struct s390_path *p, const struct s390_memory *m, u64 *addr)
{
	if (m->index)
		return false;
	if (m->base == 11 && p->fp_known)
		*addr = p->fp_value + m->off;
	else if (m->base == 15)
		*addr = p->sp + m->off;
	else
		return false;
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
	if (s->read(s->ctx, addr, &sp, sizeof(sp)) || sp != addr - SP_SLOT)
		return false;
	p->sp = sp;
	return true;
}

static enum s390_step store_regs(struct s390_path *p, const struct s390_memory *m)
{
	u64 addr;

	if (!address(p, m, &addr))
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

	if (!address(p, m, &addr)) {
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
static enum s390_step set_reg(struct s390_path *p, const struct s390_memory *m)
{
	bool known;
	u64 addr;

	known = address(p, m, &addr);
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
		return store_regs(p, &m);
	case S390_LOAD:
		return load_regs(s, p, &m);
	case S390_SET:
		return set_reg(p, &m);
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
		if (*seen & bit || !left || lv->cost + INSN_COST > lv->cost_max ||
		    lv->cost >= s->max ||
		    !fetch(s, p->pc, &insn))
			return false;
		*seen |= bit;
		p->pc += insn.len;
		lv->cost += INSN_COST;
		step = execute(s, p, &insn);
	}
	return step == ARRIVED && p->ra.origin != LOST &&
	       (s->far || p->fp.origin != LOST);
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
		.max = INSNS_MAX * INSN_COST,
		.far = lv->far,
		.read = read,
		.ctx = ctx,
		.code_at = 1,
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

	if (lv->far) {
		s.max = FAR_MAX * INSN_COST;
		s.path_max = FAR_MAX;
	}
	lv->cost = 0;
	while (!follow(&s, &p, lv)) {
		if (!s.nr_paths)
			return false;
		p = s.path[s.first];
		s.first = (s.first + 1) % PATHS_MAX;
		s.nr_paths--;
	}
	lv->sp = p.sp + FRAME_MIN;
	lv->sure = p.sure;
	lv->ra_at = p.ra.origin == LOADED ? p.ra.at : 0;
	lv->fp_at = p.fp.origin == LOADED ? p.fp.at : 0;
	lv->fp_lost = p.fp.origin == LOST || (p.fp.origin == KEPT && lv->fp_lost);
	return true;
}
