// SPDX-License-Identifier: GPL-2.0
/*
 * Leave a frame that has no row by how its function begins, where that is marked: the prologue says
 * where RA and the caller's SP are (arm64, s390x). Called by fallback.c.
 */
#include "cursor_impl.h"
#include "follow.h"

/* Bytes from a function's beginning to the mark, where it saves RA, at most. */
#define MARK_AHEAD	1024
/*
 * SP at the function's beginning while its code is followed, as the real one is not
 * known yet; and the most that frames take.
 */
#define BEGINNING	0x100000000ull
#define FRAME_MAX	65536
/* Price of a word. */
#define WORD_COST	64
/* Handlers of exceptions that one function may have pushed, in OCaml; and words of each. */
#define HANDLERS_MAX	16
#define HANDLER_WORDS	2

/*
 * Does the function at @target get to @mark, with nothing but what may come before RA
 * is saved, or by a jump, as it has ended?
 */
static bool leads_to_mark(struct sframe_cursor *cur, u64 target, u64 mark)
{
	return target == mark ||
	       (target < mark && mark - target < MARK_AHEAD &&
		sframe_follow(cur, target, mark, FOLLOW_RUNS) & LEADS_THERE) ||
	       sframe_code_jumps(cur, target, mark);
}

/*
 * Does code lead to the PC from @from on, or else from @mark on with no call made? Or, where it is
 * @called by its name, around the PC: then what leads there comes from behind.
 */
static bool comes_from_mark(struct sframe_cursor *cur, u64 mark, u64 from, u32 how, bool called)
{
	return sframe_follow(cur, from, cur->pc, how) &
	       (called ? LEADS_THERE | LEADS_AROUND : LEADS_THERE) ||
	       (from != mark && sframe_follow(cur, mark, cur->pc, how) & LEADS_CALLING_NOBODY);
}

/*
 * The topmost function: has the one that begins at @mark made the last call of all,
 * which has returned to @last, as the link register says?
 */
static bool has_called_last(struct sframe_cursor *cur, u64 mark, u64 last)
{
	u64 target = sframe_call_target(cur, last);

	/*
	 * The last call was of the running function itself, or was not made by the one
	 * at @mark.
	 */
	if ((target > mark && target <= cur->pc) ||
	    !(sframe_follow(cur, mark, last, 0) & LEADS_THERE))
		return false;
	/* Since then it has made no call, so no other function can begin in between. */
	if (last <= cur->pc)
		return comes_from_mark(cur, mark, last, FOLLOW_RUNS, false);
	/* @last is behind the PC: the function has jumped back, and both belong to it. */
	return comes_from_mark(cur, mark, mark, 0, false);
}

/*
 * Is the running function the one that begins at @mark, and @ra its RA? If it is the
 * topmost, the link register has to say so: it has returned from the last call of all
 * to that function, or holds @ra, as nobody was called since. A function that makes no
 * calls has no mark.
 *
 * Where functions save SP with RA (s390x), the register may be used for something else
 * in between, but not while it is the only place of RA: then code must lead to the PC
 * without any call. @called: the call before @ra names the function.
 */
static bool function_is_from_mark(struct sframe_cursor *cur, u64 mark, u64 ra, bool called)
{
	u64 last = cur->ra & cur->ra_bits;
	u32 how = sframe_comes_to_pc(cur);

	if (cur->topmost && last != (ra & cur->ra_bits)) {
		if (!sframe_spend(cur, SFRAME_COST_CODE))
			return false;
		if (sframe_is_return_address(cur, last))
			return has_called_last(cur, mark, last);
		if (!cur->abi->sp_slot)
			return false;
		return sframe_follow(cur, mark, cur->pc, how) & LEADS_CALLING_NOBODY;
	}
	return comes_from_mark(cur, mark, mark, how, called && !cur->topmost);
}

/* Is the running function the one that begins at @mark, and can it be called before @ra? */
static bool is_called_from(struct sframe_cursor *cur, u64 mark, u64 ra)
{
	u64 target;

	sframe_cursor_charge(cur, SFRAME_COST_CODE);
	target = sframe_call_target(cur, ra & cur->ra_bits);
	return (!target || leads_to_mark(cur, target, mark)) &&
	       function_is_from_mark(cur, mark, ra, target);
}

/**
 * sframe_sp_was_saved() - is the caller's SP in its slot, where functions save it?
 * @cur: the walk
 * @sp: the caller's SP
 *
 * Context: as sframe_cursor_next().
 * Return: true if it is, or if functions of this ABI do not save it.
 */
bool sframe_sp_was_saved(struct sframe_cursor *cur, u64 sp)
{
	u64 saved;

	return !cur->abi->sp_slot ||
	       (sframe_read_word(cur, sp + cur->abi->sp_slot, &saved) && saved == sp);
}

/*
 * OCaml: SP without the handlers that the function from @begin on has pushed. Each is where SP
 * is, or was before the next one: the SP of an outer one, and code of the function that nothing
 * but an exception leads to, so that no call is before it.
 */
static u64 sp_past_handlers(struct sframe_cursor *cur, u64 begin)
{
	u64 sp = cur->sp, handler[HANDLER_WORDS];
	unsigned int i;

	for (i = 0; i < HANDLERS_MAX; i++, sp += sizeof(handler)) {
		if (!sframe_spend(cur, HANDLER_WORDS * WORD_COST) ||
		    cur->ops->read(cur->ctx, sp, handler, sizeof(handler)) ||
		    handler[0] <= sp || handler[0] % sizeof(u64) ||
		    handler[1] - begin > SFRAME_FUNCTION_MAX ||
		    !sframe_spend(cur, SFRAME_COST_CODE) ||
		    sframe_is_return_address(cur, handler[1]))
			break;
	}
	return sp;
}

/* If the prologue, which @lv tells of, has left SP at @sp: are @ra and the caller's SP there? */
static bool frame_is_at(struct sframe_cursor *cur, const struct sframe_leave *lv, u64 sp, u64 *ra)
{
	u64 up = sp - lv->sp;

	return sframe_spend(cur, SFRAME_COST_CODE) &&
	       (lv->ocaml || sframe_sp_was_saved(cur, BEGINNING + up)) &&
	       sframe_read_word(cur, lv->ra_at + up, ra) &&
	       sframe_is_return_address(cur, *ra & cur->ra_bits);
}

/*
 * SP as the prologue has left it, which @lv tells of. Functions that take room for arrays later, in
 * a loop perhaps that comes back to the PC, keep a copy in FP. But that may be moved, too: so where
 * they differ, SP is believed to have been moved if no frame is where it would be else. Where FP is
 * not known, a backchain has to lead to the caller's SP.
 */
static bool find_sp_behind_prologue(struct sframe_cursor *cur, u64 mark,
				    const struct sframe_leave *lv, u64 *sp)
{
	u64 up, ra;

	*sp = lv->ocaml ? sp_past_handlers(cur, mark) : cur->sp;
	if (!lv->by_fp)
		return true;
	if (!cur->fp_known)
		return sframe_read_word(cur, *sp, &up) && up - *sp == BEGINNING - lv->sp;
	*sp = cur->fp - lv->fp + lv->sp;
	if (*sp == cur->sp)
		return true;
	return *sp > cur->sp && *sp - cur->sp <= FRAME_MAX && !frame_is_at(cur, lv, cur->sp, &ra);
}

/**
 * sframe_step_by_prologue() - leave a frame by the prologue of its function
 * @cur: the walk
 * @to: filled in
 *
 * On arm64, functions that save RA sign it first (PACIASP), if that was compiled in,
 * and then make all of their frame: so that is where they begin, and what follows tells
 * where RA is. On s390x one instruction saves RA and SP (STMG); and OCaml's functions
 * begin by making their frame, if they call anybody: so where one has made a call, the
 * last frame made before the PC is its own. That is not asked of the call before RA: tail
 * calls are usual there.
 *
 * Context: as sframe_cursor_next().
 * Return: true if the RA was found.
 */
bool sframe_step_by_prologue(struct sframe_cursor *cur, struct sframe_frame *to)
{
	struct sframe_leave lv = {
		.sp = BEGINNING,
		.cost_max = sframe_budget_left(cur) / SFRAME_FOLLOW_COST,
	};
	u64 mark, ra, size, cfa, up, sp;
	bool found;

	if (!cur->abi->prologue || !cur->sp_known)
		return false;
	mark = sframe_code_mark(cur);
	if (!mark)
		return false;
	found = sframe_code_begins(cur, mark, &lv);
	if (!sframe_spend(cur, SFRAME_FOLLOW_COST * lv.cost) || !found ||
	    !find_sp_behind_prologue(cur, mark, &lv, &sp))
		return false;
	up = sp - lv.sp;
	size = BEGINNING - lv.sp;
	cfa = sp + size - cur->abi->sp_bias;
	if (!size || size > FRAME_MAX || cfa <= cur->cfa || lv.ra_at + up >= cfa ||
	    lv.ra_at < lv.sp || !frame_is_at(cur, &lv, sp, &ra))
		return false;
	if (!(lv.ocaml && !cur->topmost) && !is_called_from(cur, mark, ra))
		return false;
	*to = sframe_frame_at(cfa, sp + size, ra);
	to->fp = cur->fp;
	to->fp_known = cur->fp_known && !lv.fp_lost;
	if (lv.fp_at)
		to->fp_known = sframe_read_word(cur, lv.fp_at + up, &to->fp);
	return true;
}
