// SPDX-License-Identifier: GPL-2.0
/*
 * Which function was called before a return address, as far as the call says that: a direct
 * one does; so does one by a register, into which the address is put right before.
 */
#include "answers_impl.h"
#include "cursor_impl.h"
#include "leave.h"
#include "sp_run.h"

/*
 * Prices: of looking whether a function is a linker's stub; of an instruction looked at, and for
 * each way of comparing where it begins.
 */
#define STUB_COST	256
#define INSN_COST	144
#define WAY_COST	4
/* A stub is that long, bytes. */
#define STUB_SIZE	16
/* A function that only jumps to another one has at most this many instructions before that. */
#define STUB_INSNS	6
/*
 * A function is looked at as a whole only if it has no more instructions and jumps, and that
 * takes no more than 1 / WAYS_SHARE of the budget.
 */
#define WAYS_INSNS	512
#define WAYS_MAX	48
#define WAYS_SHARE	8

/*
 * Where a call of @target really went, if that is a stub of the linker's: to the
 * address in the stub's slot. Functions are bound once, so that is still the same. But if the
 * topmost PC is in that stub, it is the stub that runs: as RA lies where it was put, it may as
 * well begin there.
 */
static u64 resolve_stub_target(struct sframe_cursor *cur, u64 target)
{
	const struct sframe_abi *abi = cur->abi;
	u8 code[SFRAME_STUB_LEN];
	u64 slot, to;

	if (!abi->stub_slot || !target)
		return target;
	sframe_cursor_charge(cur, STUB_COST);
	if (cur->ops->read_code(cur->ctx, target, code, sizeof(code)))
		return target;
	slot = abi->stub_slot(code, target);
	if (slot && cur->topmost && cur->pc - target < STUB_SIZE)
		return cur->pc;
	if (!slot || !sframe_read_word(cur, slot, &to))
		return target;
	return to;
}

/*
 * A function behind the PC may do no more than jump to another one before it: then that
 * is what was called, and where it lies tells whether it can hold the PC.
 */
static u64 resolve_jump_target(struct sframe_cursor *cur, u64 target)
{
	u8 code[STUB_INSNS * SFRAME_CODE_AFTER];
	unsigned int i, at = 0;
	struct sframe_insn insn;

	if (target <= cur->pc ||
	    cur->ops->read_code(cur->ctx, target, code, sizeof(code)))
		return target;
	for (i = 0; i < STUB_INSNS; i++, at += insn.len) {
		sframe_cursor_charge(cur, INSN_COST);
		if (!cur->abi->insn(code + at, target + at, &insn))
			return target;
		if (insn.flags == (SFRAME_INSN_STOPS | SFRAME_INSN_JUMPS))
			return insn.target < target ? insn.target : target;
		if (insn.flags & ~(SFRAME_INSN_BEGINS | SFRAME_INSN_FILLS))
			return target;
	}
	return target;
}

/**
 * sframe_call_names() - the address that is called before a return address
 * @cur: the walk
 * @ra: the return address
 *
 * Context: as sframe_cursor_next().
 * Return: the address, which may be a stub's; 0 if the call does not say.
 */
u64 sframe_call_names(struct sframe_cursor *cur, u64 ra)
{
	u8 code[SFRAME_CALL_LEN_MAX], far[SFRAME_FAR_CALL_LEN];
	const struct sframe_abi *abi = cur->abi;
	unsigned int len = abi->call_len;
	u64 target;

	if (cur->ops->read_code(cur->ctx, ra - len, code, len))
		return 0;
	target = abi->call_target(code, ra);
	if (!target && abi->calls_register && abi->calls_register(code)) {
		sframe_cursor_charge(cur, SFRAME_COST_CODE);
		if (!cur->ops->read_code(cur->ctx, ra - sizeof(far), far, sizeof(far)))
			target = abi->far_call_target(far);
	}
	return target;
}

/**
 * sframe_call_target() - the function that is called before a return address
 * @cur: the walk
 * @ra: the return address
 *
 * Context: as sframe_cursor_next().
 * Return: its address, or that of what a stub or it jumps to; the PC if that is in the stub;
 *	0 if the call does not say.
 */
u64 sframe_call_target(struct sframe_cursor *cur, u64 ra)
{
	u64 target = sframe_call_names(cur, ra);

	return resolve_jump_target(cur, resolve_stub_target(cur, target));
}

/**
 * struct ways - all ways that lead from a function's beginning
 * @cur: the walk
 * @code: what is read
 * @to: none may come there
 * @at: where they begin: the beginning, and what is jumped to
 * @nr: how many of these there are
 * @looks: instructions that may still be looked at
 * @returns: one has come to a return
 */
struct ways {
	struct sframe_cursor *cur;
	struct leave_code code;
	u64 to;
	u64 at[WAYS_MAX];
	unsigned int nr;
	unsigned int looks;
	bool returns;
};

static bool way_is_known(const struct ways *w, u64 at)
{
	unsigned int i;

	for (i = 0; i < w->nr; i++) {
		if (w->at[i] == at)
			return true;
	}
	return false;
}

static bool add_way(struct ways *w, u64 at)
{
	if (way_is_known(w, at))
		return true;
	if (w->nr == WAYS_MAX)
		return false;
	w->at[w->nr++] = at;
	return true;
}

static bool read_way(struct ways *w, u64 at, struct sframe_sp_step *step)
{
	if (!w->looks)
		return false;
	w->looks--;
	sframe_cursor_charge(w->cur, WAY_COST * w->nr);
	return sframe_run_step(w->cur, &w->code, at, step);
}

/* x86-64: traps end a way, too; a debugger's breakpoint may be one. */
static bool is_return(const struct sframe_abi *abi, const struct sframe_sp_step *step)
{
	return !(step->insn.flags & SFRAME_INSN_JUMPS) &&
	       (!abi->sp_step || step->sp == SFRAME_SP_MOVED);
}

/* Does one of them end, or come to where another has begun? */
static bool way_ends(struct ways *w, u64 at)
{
	struct sframe_sp_step step;
	const struct sframe_insn *insn = &step.insn;
	u64 begin = at, to;

	do {
		if (!read_way(w, at, &step) || at == w->to)
			return false;
		if (insn->flags & SFRAME_INSN_ANYWHERE) {
			/* Unless that is all of a stub, it is a variable that says where to. */
			to = resolve_stub_target(w->cur, begin);
			return to != begin && add_way(w, to);
		}
		if (insn->flags & SFRAME_INSN_CHOOSES || step.sp == SFRAME_SP_HANDED_ON ||
		    (insn->flags & SFRAME_INSN_JUMPS && !add_way(w, insn->target)))
			return false;
		if (insn->flags & SFRAME_INSN_STOPS) {
			w->returns |= is_return(w->cur->abi, &step);
			return true;
		}
		at += insn->len;
	} while (!way_is_known(w, at));
	return true;
}

/**
 * sframe_find_ends() - is it seen where a function ends, whatever way it takes?
 * @cur: the walk
 * @target: where it begins
 * @to: a place that no way may come to, or 0
 * @ends: set to whether all ways come to a return, none of them by way of @to, nor to a jump
 *	to where a pointer says
 *
 * What it jumps to is part of it, also by a slot of the linker's. A way past a call goes on,
 * even if that never returns.
 *
 * Context: as sframe_cursor_next().
 * Return: false if that is too costly to find out: then @ends is false, too.
 */
bool sframe_find_ends(struct sframe_cursor *cur, u64 target, u64 to, bool *ends)
{
	u32 most = sframe_budget_left(cur) / WAYS_SHARE / INSN_COST;
	struct ways w = {
		.cur = cur,
		.code = { .read = sframe_read_following, .ctx = cur },
		.to = to,
		.looks = most < WAYS_INSNS ? most : WAYS_INSNS,
	};
	unsigned int i;

	*ends = false;
	add_way(&w, target);
	for (i = 0; i < w.nr; i++) {
		if (!way_ends(&w, w.at[i]))
			return most >= WAYS_INSNS;
	}
	*ends = w.returns;
	return true;
}

/**
 * sframe_claim_target() - which function is the call before a RA of?
 * @cur: the walk
 * @claim: what is known of the RA; it is kept there
 *
 * Context: as sframe_cursor_next().
 * Return: its address; 0 if the call does not say.
 */
u64 sframe_claim_target(struct sframe_cursor *cur, struct sframe_claim *claim)
{
	if (!claim->named)
		claim->target = sframe_call_target(cur, claim->ra);
	claim->named = true;
	return claim->target;
}
