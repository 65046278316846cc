// SPDX-License-Identifier: GPL-2.0
/*
 * x86-64: how a function without a table, and without a frame record, will be left,
 * read from its code. Such are those that were written by hand (nasm), and what some
 * compilers make at run time.
 *
 * A path (kernel/core/leave.h) ends at a return, or at a jump to another function.
 */
#include "x86_leave.h"

/* Of what is left, a function that is called may take so much. */
#define CALLED_SHARE	4

/* All that code is followed for here is one of these. */
static inline struct x86_search *x86_search_of(struct leave_search *s)
{
	return (struct x86_search *)s;
}

/* Has HotSpot compiled the call that returns to where the path is, and is that asked for? */
static bool is_marked_call(struct leave_search *s, const struct leave_path *p)
{
	unsigned int len;
	const u8 *code;

	if (!s->lv->by_mark)
		return false;
	code = leave_code_at(&s->code, p->pc, X86_INSN_MAX, &len);
	if (!code || len < SFRAME_CALL_MARK_LEN || !sframe_x86_call_mark(code))
		return false;
	s->lv->mark = p->pc;
	return true;
}

/* jmp *: in code made at run time that may be known, else it is to another function. */
static enum leave_step jump_by_pointer(struct leave_search *s, struct leave_path *p,
				       const struct x86_insn *in)
{
	u64 target = sframe_x86_jump_target(x86_search_of(s), p->pc, in);

	if (!target)
		return sframe_x86_drop_default(x86_search_of(s), sframe_x86_jump_away(s, p, in));
	leave_jump(s, p, target);
	return GO_ON;
}

static enum leave_step call_or_jump(struct leave_search *s, struct leave_path *p,
				    const struct x86_insn *in)
{
	unsigned int group = in->modrm >> 3 & 7;
	u64 target;
	struct sframe_insn insn;

	if (in->op == 0xff && group == 6)
		return sframe_x86_push_or_pop(s, p, in);
	if (in->op == 0xff && group == 4)
		return jump_by_pointer(s, p, in);
	if (in->op == 0xff && group < 2)
		return sframe_x86_operate(s, p, in);
	/* Of what follows: that is how code learns where it is. */
	if (in->op == 0xe8 && sframe_x86_imm32(in) == 0)
		return sframe_x86_push(p, false);
	if (in->op == 0xe8 || (in->op == 0xff && group == 2)) {
		p->sure = false;
		return is_marked_call(s, p) ? ARRIVED : GO_ON;
	}
	if (in->op == 0xff || !sframe_x86_insn(in->code, p->pc - in->len, &insn))
		return GIVE_UP;
	target = insn.target;
	if (in->op == 0xe9 || in->op == 0xeb) {
		leave_jump(s, p, target);
	} else if (x86_search_of(s)->rpython && sframe_x86_is_guard(s, target)) {
		sframe_leave_begin_path(s, p, p->pc);
		leave_jump(s, p, target);
	} else {
		if (sframe_x86_is_known(x86_search_of(s), p, p->pc - in->len))
			return ARRIVED;
		sframe_leave_begin_path(s, p, target);
		sframe_x86_note_default(x86_search_of(s), p, in, target);
	}
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

static noinline enum leave_step execute_other(struct leave_search *s, struct leave_path *p,
					      const struct x86_insn *in, enum x86_kind kind)
{
	switch (kind) {
	case PUSHES_OR_POPS:
		return sframe_x86_push_or_pop(s, p, in);
	case CALLS_OR_JUMPS:
		return call_or_jump(s, p, in);
	case RETURNS:
		p->returns = true;
		/* ret $imm16: what its caller has pushed is gone, too. */
		x86_search_of(s)->popped = in->op == 0xc2 ?
			in->code[in->len - 2] | in->code[in->len - 1] << 8 : 0;
		return ARRIVED;
	case ASKS_KERNEL:
		p->sure = false;
		return GO_ON;
	default:
		return GIVE_UP;
	}
}

static inline enum leave_step execute_insn(struct leave_search *s, struct leave_path *p,
					   const struct x86_insn *in)
{
	enum x86_kind kind = kind_of(in);

	if (kind == OPERATES) {
		if (!p->sure && sframe_x86_is_add_to_sp(in))
			p->sure = sframe_x86_is_qemu_epilogue(s, p->pc - in->len);
		return sframe_x86_operate(s, p, in);
	}
	return execute_other(s, p, in, kind);
}

static inline bool fetch_insn(struct leave_search *s, u64 pc, struct x86_insn *in)
{
	unsigned int len;
	const u8 *code = leave_code_at(&s->code, pc, X86_INSN_MAX, &len);

	return code && sframe_x86_decode(code, in) && in->len <= len;
}

/*
 * Does the function at @at return? It does if it comes to a return where it takes no
 * branch and calls nothing, with SP where it was; in doubt, no. @popped: what it takes off the
 * stack above its RA, bytes.
 */
static bool callee_returns(struct x86_search *search, u64 at, u16 *popped)
{
	struct leave_search *s = &search->all;
	struct sframe_leave *lv = s->lv;
	u32 all = lv->cost_max < X86_COST_MAX ? lv->cost_max : X86_COST_MAX;
	u32 most = lv->cost + (all > lv->cost ? all - lv->cost : 0) / CALLED_SHARE;
	struct leave_path p = { .pc = at, .sp = lv->sp, .stores.new_to = lv->sp };
	enum leave_step step = GO_ON;
	struct x86_insn in;
	u8 flags;

	while (at && step == GO_ON) {
		if (lv->cost + X86_INSN_COST > most) {
			s->starved = true;
			return false;
		}
		if (!fetch_insn(s, p.pc, &in))
			return false;
		lv->cost += X86_INSN_COST;
		flags = sframe_x86_flags(&in);
		if (flags & (SFRAME_INSN_CALLS | SFRAME_INSN_ANYWHERE))
			return false;
		p.pc += in.len;
		/* Branches are not taken, so nothing is put on the list of paths. */
		if (!(flags & SFRAME_INSN_JUMPS) || flags & SFRAME_INSN_STOPS)
			step = execute_insn(s, &p, &in);
	}
	*popped = search->popped;
	search->popped = 0;
	return step == ARRIVED && p.returns && p.sp == lv->sp && sframe_x86_is_old(&p, p.sp);
}

/* And what is called before @ra, as far as the call says what that is? */
static bool is_returned_to(struct x86_search *s, u64 ra)
{
	u8 call[X86_CALL_LEN];
	u16 popped;

	return leave_read(&s->all, ra - sizeof(call), call, sizeof(call)) &&
	       callee_returns(s, sframe_x86_call_target(call, ra), &popped);
}

/*
 * A path goes on behind a call, that returns to @next: is that as sure as it was before? Code of
 * RPython's calls nothing that does not return; but what that may take off the stack is known
 * only if it has been read, or if there is nothing.
 */
static enum leave_step pass_call(struct x86_search *s, struct leave_path *p, u64 next, u64 called)
{
	bool sure = sframe_x86_is_sure_call(&s->all, next);
	u16 popped;

	s->rpython |= sure;
	if (sure && p->sp >= s->all.lv->sp) {
		p->sure = true;
	} else if (called && callee_returns(s, called, &popped)) {
		p->sp += popped;
		p->sure = true;
	} else if (sure) {
		return GIVE_UP;
	}
	return GO_ON;
}

/* Does it call a function, or the kernel? That may never return. */
static bool is_call(const struct x86_insn *in)
{
	if (in->map)
		return in->map == 1 && !in->vex && in->op == 0x05;
	return in->op == 0xe8 || (in->op == 0xff && (in->modrm & 0x38) == 0x10);
}

/* add %al, (%rax), of zeroes: with them Mono fills what is left behind a function. */
static bool is_zeroes(const u8 *code)
{
	return !code[0] && !code[1];
}

/*
 * A call may never return: does another function begin behind it, or behind the gap there?
 * On the way out, only ENDBR64 says so, or zeroes. On the way in, whatever may be a
 * beginning counts: what calls others moves SP first, the topmost begins with anything.
 */
static bool another_begins(const struct x86_search *s, const struct leave_path *p,
			   const struct x86_insn *in, u8 flags)
{
	if (!s->to)
		return sframe_x86_is_endbr64(in->code) || is_zeroes(in->code);
	return flags & SFRAME_INSN_BEGINS || sframe_leave_other_sp(&s->all, p) ||
	       (p->pc % FUNCTION_ALIGN == 0 && (s->filled || s->all.lv->topmost));
}

/* Is this as far as a path is to lead, and as it should be? */
static enum leave_step come_to(const struct x86_search *s, const struct leave_path *p)
{
	if (p->pc != s->to)
		return GO_ON;
	if (s->called && s->all.lv->topmost && p->pc % FUNCTION_ALIGN == 0)
		return GIVE_UP;
	return p->sp == s->to_sp ? ARRIVED : GIVE_UP;
}

static __always_inline enum leave_step follow_insn(struct leave_search *all,
						   struct leave_path *p)
{
	struct x86_search *s = x86_search_of(all);
	struct sframe_leave *lv = all->lv;
	bool was_sure = p->sure;
	enum leave_step step;
	struct x86_insn in;
	u64 next, called = 0;
	u8 flags;

	if (!fetch_insn(all, p->pc, &in))
		return GIVE_UP;
	if (!was_sure && !s->to) {
		leave_join_sure(all, p);
		/* What the other path has put there is not known. */
		if (p->sure)
			s->constant_reg = 0;
	}
	flags = s->called ? sframe_x86_flags(&in) : 0;
	if (s->called && another_begins(s, p, &in, flags))
		return GIVE_UP;
	s->filled = flags & SFRAME_INSN_FILLS;
	s->called = s->filled || is_call(&in);
	if (lv->by_pointer && s->called && !s->filled && !in.map && p->sp % CALL_ALIGN)
		return GIVE_UP;
	was_sure = p->sure;
	next = p->pc + in.len;
	p->pc = next;
	lv->cost += X86_INSN_COST;
	/* What is behind the call may be read where the call was. */
	if (!in.map && in.op == 0xe8)
		called = next + sframe_x86_imm32(&in);
	else if (!in.map && in.op == 0xff)
		called = sframe_x86_constant_in(s, &in);
	if (s->constant_reg || (in.op & 0xf8) == 0xb8)
		sframe_x86_follow_constant(s, &in);
	step = execute_insn(all, p, &in);
	if (step == GO_ON && was_sure && !p->sure && !in.map)
		step = pass_call(s, p, next, called);
	if (s->to)
		return step == GO_ON ? come_to(s, p) : GIVE_UP;
	return step;
}

/* %ARRIVED if this path leads out of the function, or to where it is to. */
static enum leave_step follow_path(struct x86_search *s, struct leave_path *p)
{
	enum leave_step step;

	/* Who is called first has returned, or will, if that is sure. */
	s->called = !s->to && p->pc == s->all.pc && !s->all.lv->topmost && !p->sure;
	s->filled = false;
	s->constant_reg = 0;
	s->far_default = 0;
	s->popped = 0;
	step = s->to ? come_to(s, p) : GO_ON;
	if (step == GO_ON)
		step = leave_follow(&s->all, p, X86_INSN_COST, follow_insn);
	/* At address 0 there is no stack, and a place of 0 means another thing. */
	if (!s->to && !s->all.lv->mark && (!p->sp || !sframe_x86_is_old(p, p->sp)))
		return GIVE_UP;
	return step;
}

/**
 * sframe_x86_search_paths() - follow paths until one leads to where it is to
 * @s: the search
 * @p: the first path; then the one that does
 *
 * Return: does one?
 */
bool sframe_x86_search_paths(struct x86_search *s, struct leave_path *p)
{
	enum leave_step end;

	do {
		end = follow_path(s, p);
	} while (end != ARRIVED && sframe_leave_next_path(&s->all, p));
	s->all.lv->lasts = leave_lasts(&s->all);
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
		.all = {
			.code = { .read = read, .ctx = ctx, .cost = &lv->cost },
			.pc = pc,
			.lv = lv,
			.cost_max = X86_COST_MAX,
		},
	};
	struct leave_path p = {
		.pc = pc,
		.sp = lv->sp,
		.fp.is = LEAVE_KEPT,
		.stores.new_to = lv->sp,
		.fp_value = lv->fp,
		.fp_known = !lv->fp_lost,
	};

	lv->cost = 0;
	lv->mark = 0;
	lv->branch = 0;
	/* Else there was a call just before the PC. */
	s.rpython = !lv->topmost && sframe_x86_is_sure_call(&s.all, pc);
	p.sure = lv->topmost || lv->returned || s.rpython || is_returned_to(&s, pc);
	if (!sframe_x86_search_paths(&s, &p))
		return false;
	leave_say(lv, &p);
	if (lv->mark) {
		lv->branch = 0;
		lv->fp_at = p.fp.was == LEAVE_KEPT ? p.fp.saved : 0;
		return true;
	}
	lv->ra_at = p.sp;
	lv->sp = p.sp + 8 + s.popped;
	lv->returns = p.sure && p.returns;
	sframe_x86_check_branch(&s);
	return true;
}
