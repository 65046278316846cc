// SPDX-License-Identifier: GPL-2.0
/*
 * Leave a frame that has no row by how its function came to be there: from where a call
 * says that it begins, what it does to SP up to the PC says where that call's RA is. It
 * is the RA if it is there.
 */
#include "cursor_impl.h"
#include "follow.h"

/* RAs are looked for in so much stack, and read so much at a time. */
#define ENTRY_MAX	4096
#define CHUNK		64
/* Bytes before the PC in which the function's beginning is looked for. */
#define MARK_MAX	16384
/* What is done before RA is saved takes less. */
#define MARK_AHEAD	1024
/* Of what is left, that may take so much. */
#define MARK_SHARE	4
/* Where SP is at first, while nobody knows; and frames are no larger. */
#define BEGINNING	0x100000000ull
#define FRAME_MAX	65536
/* Prices: of a word; of a chunk of code. */
#define WORD_COST	64
#define CODE_COST	320
/* At a call, SP is a multiple of this, in all but what is written by hand. */
#define CALL_ALIGN	16

static bool function_enters(struct sframe_cursor *cur, u64 target, u64 slot, bool by_pointer,
			    struct sframe_leave *lv)
{
	bool found;

	if (!cur->abi->enter || !target || target >= cur->pc ||
	    cur->pc - target > SFRAME_FUNCTION_MAX)
		return false;
	*lv = (struct sframe_leave){
		.sp = slot,
		.cost_max = sframe_budget_left(cur) / SFRAME_FOLLOW_COST,
		.topmost = cur->topmost,
		.by_pointer = by_pointer,
	};
	found = sframe_code_enters(cur, target, lv);
	return sframe_spend(cur, SFRAME_FOLLOW_COST * lv->cost) && found;
}

/**
 * sframe_entered_at() - does a function lead to the PC, with SP as it is there?
 * @cur: the walk
 * @target: where the function begins
 * @slot: what SP was there: it pointed to the RA
 * @lv: filled in, as &sframe_abi.enter says
 *
 * Context: as sframe_cursor_next().
 * Return: true if so.
 */
bool sframe_entered_at(struct sframe_cursor *cur, u64 target, u64 slot,
		       struct sframe_leave *lv)
{
	return function_enters(cur, target, slot, false, lv);
}

/**
 * sframe_find_mark() - the last place before the PC where functions called by a pointer begin
 * @cur: the walk
 * @mark: its address; 0 if there is none near
 *
 * Context: as sframe_cursor_next().
 * Return: false if that is too costly to find out.
 */
bool sframe_find_mark(struct sframe_cursor *cur, u64 *mark)
{
	u8 code[CHUNK + SFRAME_ENTER_MARK_LEN - 1];
	u32 left = sframe_budget_left(cur) - sframe_budget_left(cur) / MARK_SHARE;
	u64 at = cur->pc - CHUNK;
	unsigned int i;

	*mark = 0;
	for (; cur->pc - at <= MARK_MAX; at -= CHUNK) {
		sframe_cursor_charge(cur, CODE_COST);
		if (sframe_budget_left(cur) < left ||
		    sframe_read_asked(cur, at, code, sizeof(code)))
			return false;
		for (i = CHUNK; i--;) {
			if (code[i] != cur->abi->mark || (at + i) % cur->abi->insn_align ||
			    !cur->abi->is_mark(code + i))
				continue;
			*mark = at + i;
			return true;
		}
	}
	return true;
}

/**
 * sframe_entered_by_pointer() - was the running function called by a pointer?
 * @cur: the walk
 * @slot: where its RA may be, which does not say what was called
 * @lv: filled in, as &sframe_abi.enter says
 *
 * It was if from the last mark on, code leads to the PC with that RA there.
 *
 * There are marks inside of functions, too, and functions without one that lie behind
 * another with one, which calls what never returns. But SP is aligned at all calls: so if
 * it would have been at each on the way, and before the one that has left the RA, the way
 * is that of one function, from its beginning. That says nothing of functions that align SP
 * themselves.
 *
 * Context: as sframe_cursor_next().
 * Return: true if so.
 */
bool sframe_entered_by_pointer(struct sframe_cursor *cur, u64 slot, struct sframe_leave *lv)
{
	if (!cur->abi->enter || slot == cur->sp || (slot + sizeof(u64)) % CALL_ALIGN ||
	    (!cur->topmost && cur->sp % CALL_ALIGN))
		return false;
	return function_enters(cur, sframe_code_mark(cur), slot, true, lv) && !lv->by_stack;
}

/* Is @ra, at @slot, what a call has left of the function that is running? */
static bool is_own_ra(struct sframe_cursor *cur, u64 slot, u64 ra,
		      struct sframe_leave *lv)
{
	struct sframe_rule rule __uninitialized;
	u64 target;

	/* What is no code costs little, and what is, before anybody looks at it. */
	if (!sframe_spend(cur, WORD_COST) || !ra ||
	    !sframe_executable(cur->ops->find(cur->ctx, ra - 1, &rule)) ||
	    !sframe_spend(cur, 2 * SFRAME_COST_CODE))
		return false;
	if (!sframe_is_return_address(cur, ra))
		return false;
	target = sframe_call_target(cur, ra);
	if (target)
		return sframe_entered_at(cur, target, slot, lv);
	return !cur->topmost && sframe_entered_by_pointer(cur, slot, lv);
}

/**
 * sframe_step_by_entry() - leave a frame as it was entered
 * @cur: the walk
 * @to: filled in
 *
 * Context: as sframe_cursor_next().
 * Return: true if the RA was found.
 */
bool sframe_step_by_entry(struct sframe_cursor *cur, struct sframe_frame *to)
{
	u64 words[CHUNK / sizeof(u64)] __uninitialized;
	struct sframe_leave lv __uninitialized;
	u64 at, most = ENTRY_MAX;
	unsigned int i;

	/* What exec has put there, nobody has called. */
	if (cur->start - cur->sp < most)
		most = cur->start - cur->sp;
	if (!cur->abi->enter || !cur->sp_known || cur->sp % sizeof(u64) ||
	    cur->cfa > cur->sp + sizeof(u64) - 1)
		return false;
	for (at = cur->sp; at - cur->sp < most; at += CHUNK) {
		if (cur->ops->read(cur->ctx, at, words, CHUNK))
			return false;
		for (i = 0; i < CHUNK / sizeof(u64); i++) {
			if (is_own_ra(cur, at + 8 * i, words[i], &lv))
				break;
		}
		if (i < CHUNK / sizeof(u64))
			break;
		if (!sframe_budget_left(cur))
			return false;
	}
	if (at - cur->sp >= most)
		return false;
	at += 8 * i;
	*to = (struct sframe_frame){
		.cfa = at + sizeof(u64),
		.sp = at + sizeof(u64),
		.fp = cur->fp,
		.ra = words[i],
		.sp_known = true,
		.fp_known = cur->fp_known && !lv.fp_lost,
		.fallback = true,
	};
	if (!lv.fp_at)
		return true;
	to->fp_known = sframe_read_word(cur, lv.fp_at, &to->fp);
	return true;
}

/* Does the function at @target sign RA at @mark, if it has to be saved? */
static bool leads_to_mark(struct sframe_cursor *cur, u64 target, u64 mark)
{
	return target == mark ||
	       (target < mark && mark - target < MARK_AHEAD &&
		sframe_follow(cur, target, mark, FOLLOW_RUNS) & LEADS_THERE);
}

/* Does code lead to the PC from where @mark says that a function begins, or from @from on? */
static bool comes_from_mark(struct sframe_cursor *cur, u64 mark, u64 from, u32 how)
{
	return sframe_follow(cur, from, cur->pc, how) & LEADS_THERE ||
	       (from != mark &&
		sframe_follow(cur, mark, cur->pc, how | FOLLOW_CALLS_NOBODY) & LEADS_THERE);
}

/*
 * Is the topmost function the one from @mark on, and has made the last call of all, which
 * has returned to @last?
 */
static bool has_called_last(struct sframe_cursor *cur, u64 mark, u64 last)
{
	u64 target = sframe_call_target(cur, last);

	/* It is what was called, or there is more than one. */
	if ((target > mark && target <= cur->pc) ||
	    !(sframe_follow(cur, mark, last, 0) & LEADS_THERE))
		return false;
	/* From there on, no call was made behind which another may begin. */
	if (last <= cur->pc)
		return comes_from_mark(cur, mark, last, FOLLOW_RUNS);
	/* It was jumped back from there: so nobody begins in between. */
	return comes_from_mark(cur, mark, mark, 0);
}

/*
 * Is the running function the one from @mark on, which @ra says who has called? Where it is
 * the topmost, the link register says who made the last call of all: it, which that has
 * returned to, or nobody since it was called itself. One that makes none is not it.
 *
 * Where SP was saved, too, that register may be used for anything else meanwhile, but not
 * by whom it is the only place of RA: then nothing was called on the way.
 */
static bool function_is_from_mark(struct sframe_cursor *cur, u64 mark, u64 ra)
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
		how |= FOLLOW_CALLS_NOBODY;
	}
	return comes_from_mark(cur, mark, mark, how);
}

/**
 * sframe_sp_was_saved() - where functions save the caller's SP, has one?
 * @cur: the walk
 * @sp: the caller's SP
 *
 * Context: as sframe_cursor_next().
 * Return: true if it is there, or they do not.
 */
bool sframe_sp_was_saved(struct sframe_cursor *cur, u64 sp)
{
	u64 saved;

	return !cur->abi->sp_slot ||
	       (sframe_read_word(cur, sp + cur->abi->sp_slot, &saved) && saved == sp);
}

/**
 * sframe_step_by_prologue() - leave a frame by how its function has begun
 * @cur: the walk
 * @to: filled in
 *
 * On arm64, functions that save RA sign it first (PACIASP), if that was compiled in, and
 * make all of their frame there: so that is where it begins, and tells where RA is. On
 * s390x they save it, and SP, with one instruction.
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
	u64 mark, ra, target, size, cfa, up;
	bool found;

	if (!cur->abi->prologue || !cur->sp_known)
		return false;
	mark = sframe_code_mark(cur);
	if (!mark)
		return false;
	found = sframe_code_begins(cur, mark, &lv);
	if (!sframe_spend(cur, SFRAME_FOLLOW_COST * lv.cost + 2 * SFRAME_COST_CODE) || !found)
		return false;
	up = cur->sp - lv.sp;
	size = BEGINNING - lv.sp;
	cfa = cur->sp + size - cur->abi->sp_bias;
	if (!size || size > FRAME_MAX || cfa <= cur->cfa || lv.ra_at + up >= cfa ||
	    lv.ra_at < lv.sp || !sframe_sp_was_saved(cur, cur->sp + size) ||
	    !sframe_read_word(cur, lv.ra_at + up, &ra) ||
	    !sframe_is_return_address(cur, ra & cur->ra_bits))
		return false;
	target = sframe_call_target(cur, ra & cur->ra_bits);
	if ((target && !leads_to_mark(cur, target, mark)) || !function_is_from_mark(cur, mark, ra))
		return false;
	*to = (struct sframe_frame){
		.cfa = cfa,
		.sp = cur->sp + size,
		.fp = cur->fp,
		.ra = ra,
		.sp_known = true,
		.fp_known = cur->fp_known && !lv.fp_lost,
		.fallback = true,
	};
	if (lv.fp_at)
		to->fp_known = sframe_read_word(cur, lv.fp_at + up, &to->fp);
	return true;
}
