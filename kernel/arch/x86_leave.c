// SPDX-License-Identifier: GPL-2.0
/*
 * x86-64: how a function without a table, and without a frame record, will be left,
 * read from its code. Such are those that were written by hand (nasm), and what some
 * compilers make at run time.
 *
 * However control gets from a PC to a return, the stack is taken down in the same
 * way. So it is enough to find one path: along jumps, over calls, and at first past
 * conditional branches. What a path does not know, it gives up.
 */
#include "x86_leave.h"

/* Instructions looked at. */
#define COST_MAX	(2000 * INSN_COST)
/* What one takes more than one of arm64 does, see sframe_leave.cost. */
#define INSN_COST	5
/* Of what is left, a function that is called may take so much. */
#define CALLED_SHARE	4
/* Functions are aligned to that, unless they are compiled to be small. */
#define FUNCTION_ALIGN	16
/* And SP, at calls. */
#define CALL_ALIGN	16

/* Is this in the first of the linker's stubs, behind a push of a word at a fixed place? */
static bool is_first_stub(const struct x86_search *s, u64 at)
{
	u8 code[2];

	return !s->read(s->ctx, at - 6, code, sizeof(code)) && code[0] == 0xff &&
	       code[1] == 0x35;
}

/*
 * To where a word says that lies at a fixed place: to another function, as what
 * chooses among places in one has a table of them. Where the stack is as it was
 * found, this is a stub of the linker's.
 */
static enum x86_step jump_through_slot(const struct x86_search *s, struct x86_path *p,
				       const struct x86_insn *in)
{
	if (p->sp != s->sp)
		p->sure = false;
	else if (is_first_stub(s, p->pc - in->len))
		return GIVE_UP;
	return ARRIVED;
}

/* Is all of a function, of which this is the PC, a jump to where a register says? */
static bool is_jump_alone(const struct x86_search *s, const struct x86_path *p,
			  const struct x86_insn *in)
{
	u64 begin = p->pc - in->len - X86_ENDBR64_LEN;
	u8 code[X86_ENDBR64_LEN];

	return in->len == 2 && s->pc - begin <= X86_ENDBR64_LEN &&
	       !s->read(s->ctx, begin, code, sizeof(code)) &&
	       sframe_x86_is_endbr64(code);
}

static enum x86_step call_or_jump(struct x86_search *s, struct x86_path *p,
				  const struct x86_insn *in)
{
	unsigned int group = in->modrm >> 3 & 7;
	u64 target;
	struct sframe_insn insn;

	if (in->op == 0xff && group == 6)
		return sframe_x86_push_or_pop(s, p, in);
	if (in->op == 0xff && group == 4 && (in->modrm & 0xc7) == 5)
		return jump_through_slot(s, p, in);
	if (in->op == 0xff && group == 4 && in->modrm >= 0xc0)
		return is_jump_alone(s, p, in) ? ARRIVED : GIVE_UP;
	if (in->op == 0xff && group < 2)
		return sframe_x86_operate(s, p, in);
	/* Of what follows: that is how code learns where it is. */
	if (in->op == 0xe8 && sframe_x86_imm32(in) == 0)
		return sframe_x86_push(p, false);
	if (in->op == 0xe8 || (in->op == 0xff && group == 2)) {
		p->sure = false;
		return GO_ON;
	}
	if (in->op == 0xff || !sframe_x86_insn(in->code, p->pc - in->len, &insn))
		return GIVE_UP;
	target = insn.target;
	if (in->op == 0xe9 || in->op == 0xeb)
		p->pc = target;
	else
		sframe_x86_begin_path(s, p, target);
	return GO_ON;
}

/* What is to be done with an instruction. */
enum x86_kind {
	OPERATES,	/* whatever it writes to */
	PUSHES_OR_POPS,
	CALLS_OR_JUMPS,
	RETURNS,
	ENDS,		/* code does not go on behind it, or nobody knows how */
	ASKS_KERNEL,	/* exit_group()? */
};

static const u8 kinds_1[256] = {
	[0x50 ... 0x5f] = PUSHES_OR_POPS, [0x68] = PUSHES_OR_POPS, [0x6a] = PUSHES_OR_POPS,
	[0x70 ... 0x7f] = CALLS_OR_JUMPS, [0x8f] = PUSHES_OR_POPS,
	[0x9c ... 0x9d] = PUSHES_OR_POPS, [0xc2 ... 0xc3] = RETURNS, [0xc8] = ENDS,
	[0xc9] = PUSHES_OR_POPS, [0xca ... 0xcd] = ENDS, [0xcf] = ENDS,
	[0xe0 ... 0xe3] = CALLS_OR_JUMPS, [0xe8 ... 0xe9] = CALLS_OR_JUMPS,
	[0xeb] = CALLS_OR_JUMPS, [0xf4] = ENDS, [0xff] = CALLS_OR_JUMPS,
};

static const u8 kinds_2[256] = {
	[0x05] = ASKS_KERNEL, [0x0b] = ENDS, [0x80 ... 0x8f] = CALLS_OR_JUMPS,
	[0xa0 ... 0xa1] = ENDS, [0xa8 ... 0xa9] = ENDS, [0xb9] = ENDS, [0xff] = ENDS,
};

static enum x86_kind kind_of(const struct x86_insn *in)
{
	if (!in->map)
		return kinds_1[in->op];
	return in->map == 1 && !in->vex ? kinds_2[in->op] : OPERATES;
}

static noinline enum x86_step execute_other(struct x86_search *s, struct x86_path *p,
					    const struct x86_insn *in, enum x86_kind kind)
{
	switch (kind) {
	case PUSHES_OR_POPS:
		return sframe_x86_push_or_pop(s, p, in);
	case CALLS_OR_JUMPS:
		return call_or_jump(s, p, in);
	case RETURNS:
		p->returns = true;
		return ARRIVED;
	case ASKS_KERNEL:
		p->sure = false;
		return GO_ON;
	default:
		return GIVE_UP;
	}
}

static inline enum x86_step execute(struct x86_search *s, struct x86_path *p,
				    const struct x86_insn *in)
{
	enum x86_kind kind = kind_of(in);

	if (kind == OPERATES)
		return sframe_x86_operate(s, p, in);
	return execute_other(s, p, in, kind);
}

static inline bool fetch_insn(struct x86_search *s, u64 pc, struct x86_insn *in)
{
	u64 off = pc - s->code_at;

	if (off >= s->code_whole) {
		if (!sframe_x86_fetch_more(s, pc))
			return false;
		off = 0;
	}
	return sframe_x86_decode(s->code + off, in) && in->len <= s->code_len - off;
}

/*
 * Does the function at @at return? It does if it comes to a return where it takes no
 * branch and calls nothing, with SP where it was; in doubt, no.
 */
static bool callee_returns(struct x86_search *s, u64 at)
{
	struct sframe_leave *lv = s->lv;
	u32 all = lv->cost_max < COST_MAX ? lv->cost_max : COST_MAX;
	u32 most = lv->cost + (all > lv->cost ? all - lv->cost : 0) / CALLED_SHARE;
	struct x86_path p = { .pc = at, .sp = s->sp, .new_to = s->sp };
	enum x86_step step = GO_ON;
	struct x86_insn in;
	u8 flags;

	while (at && step == GO_ON) {
		if (lv->cost + INSN_COST > most) {
			s->starved = true;
			return false;
		}
		if (!fetch_insn(s, p.pc, &in))
			return false;
		lv->cost += INSN_COST;
		flags = sframe_x86_flags(&in);
		if (flags & (SFRAME_INSN_CALLS | SFRAME_INSN_ANYWHERE))
			return false;
		p.pc += in.len;
		/* Branches are not taken, so nothing is put on the list of paths. */
		if (!(flags & SFRAME_INSN_JUMPS) || flags & SFRAME_INSN_STOPS)
			step = execute(s, &p, &in);
	}
	return step == ARRIVED && p.returns && p.sp == s->sp && sframe_x86_is_old(&p, p.sp);
}

/* And what is called before @ra, as far as the call says what that is? */
static bool is_returned_to(struct x86_search *s, u64 ra)
{
	u8 call[X86_CALL_LEN];

	return !s->read(s->ctx, ra - sizeof(call), call, sizeof(call)) &&
	       callee_returns(s, sframe_x86_call_target(call, ra));
}

/* Does it call a function, or the kernel? That may never return. */
static bool is_call(const struct x86_insn *in)
{
	if (in->map)
		return in->map == 1 && !in->vex && in->op == 0x05;
	return in->op == 0xe8 || (in->op == 0xff && (in->modrm & 0x38) == 0x10);
}

/*
 * A call may never return: does another function begin behind it, or behind the gap that
 * is @filled there? On the way out, only ENDBR64 says so. On the way in, whatever may be
 * a beginning counts: what calls others moves SP first, the topmost begins with anything.
 */
static bool another_begins(const struct x86_search *s, const struct x86_path *p,
			   const struct x86_insn *in, u8 flags, bool filled)
{
	if (!s->to)
		return sframe_x86_is_endbr64(in->code);
	return flags & SFRAME_INSN_BEGINS || sframe_x86_other_sp(s, p) ||
	       (p->pc % FUNCTION_ALIGN == 0 && (filled || s->lv->topmost));
}

/* %ARRIVED if this path leads out of the function, or to where it is to. */
static enum x86_step follow(struct x86_search *s, struct x86_path *p)
{
	struct sframe_leave *lv = s->lv;
	/* Who is called first has returned, or will, if that is sure. */
	bool called = !s->to && p->pc == s->pc && !lv->topmost && !p->sure;
	bool filled = false, jumped = true, was_sure;
	enum x86_step step = GO_ON;
	struct x86_insn in;
	u64 next;
	u8 flags;

	while (step == GO_ON) {
		if (s->to && p->pc == s->to &&
		    !(called && lv->topmost && p->pc % FUNCTION_ALIGN == 0))
			return p->sp == s->to_sp ? ARRIVED : GIVE_UP;
		if (lv->cost + INSN_COST > lv->cost_max) {
			s->starved = true;
			return GIVE_UP;
		}
		if (sframe_x86_seen(s, p->pc) || lv->cost >= COST_MAX ||
		    (jumped && !sframe_x86_remember(s, p->pc)) ||
		    !fetch_insn(s, p->pc, &in))
			return GIVE_UP;
		if (!p->sure && !s->to && sframe_x86_may_wait(s, p->pc))
			sframe_x86_join(s, p);
		flags = called ? sframe_x86_flags(&in) : 0;
		if (called && another_begins(s, p, &in, flags, filled))
			return GIVE_UP;
		filled = flags & SFRAME_INSN_FILLS;
		called = filled || is_call(&in);
		if (lv->by_pointer && called && !filled && !in.map && p->sp % CALL_ALIGN)
			return GIVE_UP;
		was_sure = p->sure;
		p->pc += in.len;
		next = p->pc;
		lv->cost += INSN_COST;
		step = execute(s, p, &in);
		jumped = p->pc != next;
		if (was_sure && !p->sure && !in.map && in.op == 0xe8)
			p->sure = callee_returns(s, next + sframe_x86_imm32(&in));
	}
	/* At address 0 there is no stack, and a place of 0 means another thing. */
	if (s->to || !p->sp || !sframe_x86_is_old(p, p->sp))
		return GIVE_UP;
	return step;
}

static bool search(struct x86_search *s, struct x86_path *p)
{
	struct sframe_leave *lv = s->lv;
	enum x86_step end;

	end = follow(s, p);
	while (end != ARRIVED && s->nr_paths) {
		s->nr_paths--;
		*p = s->state[s->path[s->nr_paths].state];
		p->pc = s->pc + s->path[s->nr_paths].at;
		end = follow(s, p);
	}
	lv->lasts = !s->starved || lv->cost_max >= COST_MAX;
	return end == ARRIVED;
}

/**
 * sframe_x86_follow() - &sframe_abi.leave, for a function of any kind
 * @lv: see &struct sframe_leave
 * @pc: the PC
 * @read: reads code and stack
 * @ctx: handed to @read
 *
 * Context: any that @read allows, NMI included.
 * Return: was a way out found?
 */
bool sframe_x86_follow(struct sframe_leave *lv, u64 pc, sframe_read_fn read,
		       void *ctx)
{
	struct x86_search s = {
		.pc = pc,
		.sp = lv->sp,
		.lv = lv,
		.read = read,
		.ctx = ctx,
	};
	struct x86_path p = {
		.pc = pc,
		.sp = lv->sp,
		.fp = lv->fp,
		.new_to = lv->sp,
		.fp_known = true,
	};

	lv->cost = 0;
	/* Else there was a call just before the PC. */
	p.sure = lv->topmost || lv->returned || is_returned_to(&s, pc);

	if (!search(&s, &p))
		return false;
	lv->ra_at = p.sp;
	lv->sp = p.sp + 8;
	lv->fp_at = p.fp_is == LOADED ? p.fp_at : 0;
	lv->fp_lost = p.fp_is == OTHER;
	lv->sure = p.sure;
	lv->returns = p.sure && p.returns;
	return true;
}

/**
 * sframe_x86_enter() - &sframe_abi.enter
 * @lv: SP where the function begins, and what it may cost; what was FP there is found
 * @from: where the function begins
 * @pc: a PC in it
 * @sp: SP there
 * @read: reads code and stack
 * @ctx: handed to @read
 *
 * Functions that end in a call of one that never returns have no way out to follow. But
 * however control got to the PC, the stack was built in the same way.
 *
 * Context: any that @read allows, NMI included.
 * Return: does the function lead to @pc with @sp?
 */
bool sframe_x86_enter(struct sframe_leave *lv, u64 from, u64 pc, u64 sp,
		      sframe_read_fn read, void *ctx)
{
	struct x86_search s = {
		.pc = from,
		.sp = lv->sp,
		.to = pc,
		.to_sp = sp,
		.lv = lv,
		.read = read,
		.ctx = ctx,
	};
	struct x86_path p = {
		.pc = from,
		.sp = lv->sp,
		.new_to = lv->sp,
	};

	lv->cost = 0;
	if (!search(&s, &p))
		return false;
	lv->fp_at = 0;
	if (p.fp_is != KEPT && p.saved_is == KEPT)
		lv->fp_at = p.saved_at;
	lv->fp_lost = p.fp_is != KEPT && !lv->fp_at;
	return true;
}
