// SPDX-License-Identifier: GPL-2.0
/*
 * Leave code that has no frame at the PC, so that SP is as the code was entered with it.
 * Called by fallback.c (x86-64).
 *
 * Where a function has not made its frame yet, or never makes one, RA is at SP. Where it
 * begins, a gap before it says (gap.c).
 *
 * Code made at run time for Chez Scheme or Guile never makes a frame: its stack is
 * elsewhere, it jumps where others call, and leaves SP where C's call of it has put it, or
 * the few instructions that the call led to. So C's stack goes on at the RA of that call.
 * The code shows itself: FP is not on the stack, and from the PC on it leads to a jump by a
 * pointer with SP left alone. Above SP are at most a few registers of C's, then the RA: it
 * follows a call that may be of anything, in a function that has a table; and that leads to
 * another call, which is of this function.
 */
#include "cursor_impl.h"
#include "follow.h"
#include "leave.h"
#include "sp_run.h"

/* Words between SP and the RA, at most. */
#define SAVED_MAX	8
/*
 * Instructions from the PC up to a jump by a pointer, for 1 / RUN_SHARE of the budget, but some
 * at least; from a function's beginning.
 */
#define RUN_MAX		256
#define RUN_MIN		64
#define RUN_SHARE	8
#define THUNK_MAX	4
/* Price of an instruction, about. */
#define INSN_COST	192
/* Of the budget, the part that following a function from its beginning may take. */
#define ENTER_SHARE	4

/*
 * Does code lead from where the topmost function begins to the PC with SP as it is? Not if SP
 * was aligned on the way: then where it was is not known. One that makes its record first has
 * that, or is about to return, which is seen at once.
 */
static bool has_no_frame_yet(struct sframe_cursor *cur, struct sframe_leave *lv)
{
	u64 begin = sframe_begin_behind_gap(cur);

	if (begin && begin == cur->pc) {
		*lv = (struct sframe_leave){ };
		return true;
	}
	return begin && !sframe_makes_record_first(cur, begin) &&
	       sframe_entered_at(cur, begin, cur->sp, ENTER_SHARE, lv);
}

/* How code goes on. */
enum run_end {
	RUN_HANDS_SP_ON,	/* to a jump by a pointer, with SP left alone */
	RUN_GOES_ON,		/* farther than was looked; SP is left alone so far */
	RUN_MOVES_SP,		/* or ends, or cannot be read */
};

/*
 * How does code go on from @at, in @most instructions? @leave_loops: conditional jumps are
 * taken, if forward; else none is.
 */
static enum run_end run_code(struct sframe_cursor *cur, u64 at, unsigned int most,
			     bool leave_loops)
{
	struct leave_code code = { .read = cur->ops->read_code, .ctx = cur->ctx };
	struct sframe_sp_step step;
	const struct sframe_insn *insn = &step.insn;

	while (most--) {
		if (!sframe_run_step(cur, &code, at, &step) || step.sp == SFRAME_SP_MOVED)
			return RUN_MOVES_SP;
		if (step.sp == SFRAME_SP_HANDED_ON)
			return RUN_HANDS_SP_ON;
		at += insn->len;
		if (insn->flags & SFRAME_INSN_STOPS) {
			if (!(insn->flags & SFRAME_INSN_JUMPS))
				return RUN_MOVES_SP;
			at = insn->target;
		} else if (leave_loops && insn->flags & SFRAME_INSN_JUMPS && insn->target > at) {
			at = insn->target;
		}
	}
	return RUN_GOES_ON;
}

/* Code that has made a frame may have a jump by a pointer (of a switch), but moves SP, too. */
static bool hands_sp_on(struct sframe_cursor *cur, u64 from)
{
	u32 most = sframe_budget_left(cur) / RUN_SHARE / INSN_COST;
	enum run_end straight, taken;

	most = most < RUN_MIN ? RUN_MIN : most < RUN_MAX ? most : RUN_MAX;
	straight = run_code(cur, from, most, false);
	if (straight == RUN_MOVES_SP)
		return false;
	taken = run_code(cur, from, most, true);
	return taken != RUN_MOVES_SP &&
	       (straight == RUN_HANDS_SP_ON || taken == RUN_HANDS_SP_ON);
}

/* Does @ra follow a call by a pointer, or of a function that does no more than jump by one? */
static bool follows_call_of_anything(struct sframe_cursor *cur, u64 ra)
{
	u64 target;

	sframe_cursor_charge(cur, 2 * SFRAME_COST_CODE);
	if (!sframe_is_return_address(cur, ra))
		return false;
	target = sframe_call_target(cur, ra);
	return !target || run_code(cur, target, THUNK_MAX, false) == RUN_HANDS_SP_ON;
}

/*
 * @ra, right below @sp: does its function's table lead to another RA, that follows a call of
 * the function? A word left over by an older call has another's there, mostly.
 */
static bool is_called_by_name(struct sframe_cursor *cur, u64 ra, u64 sp)
{
	u64 at, caller, target;

	sframe_cursor_charge(cur, 2 * SFRAME_COST_CODE);
	if (sframe_ra_of_caller(cur, ra, sp, &at) || at < sp ||
	    !sframe_read_word(cur, at, &caller) || !sframe_is_return_address(cur, caller))
		return false;
	target = sframe_call_target(cur, caller);
	return target && target < ra && ra - target < SFRAME_FUNCTION_MAX;
}

/* Is @ra, right below @sp, that of the call of C's that entered code without a frame? */
static bool is_entering_call(struct sframe_cursor *cur, u64 ra, u64 sp)
{
	return follows_call_of_anything(cur, ra) && is_called_by_name(cur, ra, sp) &&
	       hands_sp_on(cur, cur->pc);
}

/*
 * Was @ra, which is not at SP, left over by a call that such code has made? Code without a frame
 * has nothing between SP and its RA; so it was if it leads to code that has none.
 */
static bool is_left_over(struct sframe_cursor *cur, u64 ra)
{
	struct sframe_rule rule __uninitialized;

	sframe_cursor_charge(cur, SFRAME_COST_CODE);
	return cur->ops->find(cur->ctx, ra - 1, &rule) == SFRAME_NO_TABLE &&
	       hands_sp_on(cur, ra);
}

/* There is no frame at the PC, whoever has called. */
static void note_frameless_way(struct sframe_cursor *cur, const struct sframe_frame *to, u32 paid)
{
	const struct sframe_leave lv = {
		.sp = to->cfa,
		.ra_at = to->cfa - sizeof(u64),
		.fp_lost = !to->fp_known,
		.lasts = true,
	};

	sframe_note_certain_way(cur, &lv, to, 0, true, paid);
}

/**
 * sframe_step_without_frame() - leave code that has no frame, or not yet
 * @cur: the walk, in a frame without a row
 * @bare: nor has its file a table
 * @to: filled in
 *
 * Context: as sframe_cursor_next().
 * Return: true if it has none, and the RA was found.
 */
bool sframe_step_without_frame(struct sframe_cursor *cur, bool bare, struct sframe_frame *to)
{
	struct sframe_leave lv __uninitialized;
	u64 at = cur->sp, ra, words = 0;
	u32 budget = cur->budget;

	if (!cur->abi->sp_step || !cur->sp_known || at % sizeof(u64))
		return false;
	/* If FP is on the stack, it may be at a record. */
	if (bare && !sframe_fp_is_on_stack(cur))
		words = SAVED_MAX;
	else if (!cur->topmost)
		return false;
	for (;; at += sizeof(u64)) {
		if (at - cur->sp > words * sizeof(u64) || !sframe_read_word(cur, at, &ra))
			return false;
		if (sframe_may_be_ra(cur, ra) && (at == cur->sp || !is_left_over(cur, ra)))
			break;
	}
	*to = sframe_frame_above(at, ra);
	if (to->cfa <= cur->cfa)
		return false;
	if (at == cur->sp && cur->topmost && sframe_is_return_address(cur, ra) &&
	    has_no_frame_yet(cur, &lv)) {
		to->fp = cur->fp;
		to->fp_known = cur->fp_known && !lv.fp_lost && !lv.fp_at;
		if (bare)
			note_frameless_way(cur, to, budget - cur->budget);
		return true;
	}
	return words && is_entering_call(cur, ra, to->sp);
}
