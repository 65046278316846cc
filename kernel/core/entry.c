// SPDX-License-Identifier: GPL-2.0
/*
 * Leave a frame that has no row by how its function came to the PC: follow its code
 * from the beginning, where RA's place is known, up to the PC, and keep account of SP.
 * Where the function begins, a direct call before the RA says, or an instruction that
 * marks it. Called by fallback.c.
 */
#include "answers_impl.h"
#include "cursor_impl.h"
#include "follow.h"
#include "questions.h"

/* Bytes above SP in which the RA is looked for; bytes read at a time. */
#define ENTRY_MAX	4096
#define CHUNK		64
/* Bytes before the PC in which the mark of a function's beginning is looked for. */
#define MARK_MAX	16384
/* The search for a mark may spend 1 / MARK_SHARE of the remaining budget. */
#define MARK_SHARE	4
/* Prices: of a word; of a chunk of code. */
#define WORD_COST	64
#define CODE_COST	320
/* The psABI's alignment of SP at calls; only code written by hand may not keep to it. */
#define CALL_ALIGN	16

static bool function_enters(struct sframe_cursor *cur, u64 target, u64 slot, bool by_pointer,
			    u32 share, struct sframe_leave *lv)
{
	bool found;

	if (!cur->abi->enter || !target || target >= cur->pc ||
	    cur->pc - target > SFRAME_FUNCTION_MAX)
		return false;
	*lv = (struct sframe_leave){
		.sp = slot,
		.cost_max = sframe_budget_left(cur) / share / SFRAME_FOLLOW_COST,
		.topmost = cur->topmost,
		.by_pointer = by_pointer,
	};
	found = sframe_code_enters(cur, target, lv);
	/*
	 * Where SP is aligned, any word of the same block would do. And if FP is at a record, but
	 * not as far from SP as that would be, SP was lowered in a loop since: it is an older
	 * callee's word.
	 */
	return sframe_spend(cur, SFRAME_FOLLOW_COST * lv->cost) && found && !lv->by_stack &&
	       (!lv->by_fp || !cur->fp_known || lv->fp == cur->fp);
}

/**
 * sframe_entered_at() - does code lead from a function's beginning to the PC, with SP
 *	as it is there?
 * @cur: the walk
 * @target: address of the function's first byte
 * @slot: SP at that place: it pointed to the RA
 * @share: 1 / @share of the remaining budget may be spent
 * @lv: filled in, as &sframe_abi.enter says
 *
 * Context: as sframe_cursor_next().
 * Return: true if so.
 */
bool sframe_entered_at(struct sframe_cursor *cur, u64 target, u64 slot, u32 share,
		       struct sframe_leave *lv)
{
	return function_enters(cur, target, slot, false, share, lv);
}

/* Does a function begin with @code, as far as is known of the one at the PC? */
static bool begins_with(const struct sframe_cursor *cur, const u8 *code)
{
	const struct sframe_abi *abi = cur->abi;

	return sframe_is_mark(abi, code) ||
	       (abi->ocaml_frame && sframe_row_is_refused(cur) && abi->ocaml_frame(code));
}

/**
 * sframe_find_mark() - find the last mark of a function's beginning before the PC
 * @cur: the walk
 * @mark: set to its address; 0 if there is none near
 *
 * Context: as sframe_cursor_next().
 * Return: false if that is too costly to find out.
 */
bool sframe_find_mark(struct sframe_cursor *cur, u64 *mark)
{
	u8 code[CHUNK + SFRAME_ENTER_MARK_LEN - 1];
	u32 left = sframe_budget_left(cur) - sframe_budget_left(cur) / MARK_SHARE;
	const u64 start = cur->pc & ~(u64)(SFRAME_SEARCH_BLOCK - 1);
	const u32 marks = MARKS | (sframe_row_is_refused(cur) ? ROW_REFUSED : 0);
	u64 at = cur->pc - CHUNK, block = start;
	unsigned int i, len = CHUNK;
	bool vain = false;

	*mark = 0;
	/* What is at the PC is no part of a mark before it, and may be behind the mapping. */
	memset(code + CHUNK, 0, sizeof(code) - CHUNK);
	for (; cur->pc - at <= MARK_MAX && !vain; at -= CHUNK, len = sizeof(code)) {
		sframe_cursor_charge(cur, CODE_COST);
		if (sframe_budget_left(cur) < left)
			return false;
		if (sframe_read_asked(cur, at, code, len)) {
			if (!sframe_search_leaves_code(cur, at))
				return false;
			break;
		}
		for (i = CHUNK; i--;) {
			if ((at + i) % cur->abi->insn_align || !begins_with(cur, code + i))
				continue;
			*mark = at + i;
			return true;
		}
		vain = sframe_search_is_vain(cur, at, &block, marks);
	}
	sframe_search_was_vain(cur, start, marks);
	return !vain;
}

/**
 * sframe_entered_by_pointer() - was the running function called by a pointer?
 * @cur: the walk
 * @slot: address of a word that may be its RA, left by a call that does not say of what
 * @lv: filled in, as &sframe_abi.enter says
 *
 * It was if code leads from the last mark to the PC with that word right where RA would
 * be.
 *
 * There are marks inside of functions, too; and a function without a mark may lie
 * behind one that has one, and ends by calling what never returns. But compilers align
 * SP at calls: so if SP is aligned at each call on the way, at the PC, and before the
 * call that left the RA, the way is that of one function, from its beginning. Functions
 * that align SP by themselves prove nothing.
 *
 * Context: as sframe_cursor_next().
 * Return: true if so.
 */
bool sframe_entered_by_pointer(struct sframe_cursor *cur, u64 slot, struct sframe_leave *lv)
{
	if (!cur->abi->enter || slot == cur->sp || (slot + sizeof(u64)) % CALL_ALIGN ||
	    (!cur->topmost && cur->sp % CALL_ALIGN))
		return false;
	return function_enters(cur, sframe_code_mark(cur), slot, true, 1, lv);
}

/*
 * Is @ra, at @slot, the running function's RA: does the function that is called before
 * it lead to the PC with SP as it is?
 */
static bool is_own_ra(struct sframe_cursor *cur, u64 slot, u64 ra,
		      struct sframe_leave *lv)
{
	struct sframe_rule rule __uninitialized;
	u64 target;

	/* Charge before looking: little for a word that is no code, more for one that is. */
	if (!sframe_spend(cur, WORD_COST) || !ra ||
	    !sframe_executable(cur->ops->find(cur->ctx, ra - 1, &rule)) ||
	    !sframe_spend(cur, 2 * SFRAME_COST_CODE))
		return false;
	if (!sframe_is_return_address(cur, ra))
		return false;
	target = sframe_call_target(cur, ra);
	if (target)
		return sframe_entered_at(cur, target, slot, 1, lv);
	return !cur->topmost && sframe_entered_by_pointer(cur, slot, lv);
}

/**
 * sframe_frame_fp_entered() - find the FP of a caller whose call is known
 * @cur: the walk
 * @lv: what sframe_entered_at() filled in for that call
 * @to: FP is filled in, and whether it is known
 *
 * Context: as sframe_cursor_next().
 */
void sframe_frame_fp_entered(struct sframe_cursor *cur, const struct sframe_leave *lv,
			     struct sframe_frame *to)
{
	to->fp = cur->fp;
	to->fp_known = cur->fp_known && !lv->fp_lost;
	if (lv->fp_at)
		to->fp_known = sframe_read_word(cur, lv->fp_at, &to->fp);
}

/**
 * sframe_step_by_entry() - leave a frame by how its function was entered
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

	/* Above where exec has put the stack there are no RAs. */
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
	*to = sframe_frame_above(at, words[i]);
	sframe_frame_fp_entered(cur, &lv, to);
	return true;
}
