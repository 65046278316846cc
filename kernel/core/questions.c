// SPDX-License-Identifier: GPL-2.0
/*
 * What code is asked in a step besides how its function is left (questions_leave.c): how it
 * is entered, begun, or whether it leads somewhere. Each question looks for a kept answer
 * first (answers.c), else follows the code. An answer is made of distances from SP, so it
 * holds wherever the function's frame is.
 */
#include <sframe/answers.h>

#include "answers_impl.h"
#include "cursor_impl.h"
#include "follow.h"
#include "questions.h"

/* For &sframe_abi.prologue: code alone, which need not be faulted in. */
static int read_code_following(void *cursor, u64 addr, void *buf, unsigned int len)
{
	return sframe_read_asked(cursor, addr, buf, len);
}

/**
 * sframe_code_enters() - ask whether code leads from a function's beginning to the PC,
 *	or recall it
 * @cur: the walk, SP known
 * @from: address of its first byte
 * @lv: as &sframe_abi.enter has it
 *
 * Context: as sframe_cursor_next().
 * Return: true if it leads there, with SP as it is.
 */
bool sframe_code_enters(struct sframe_cursor *cur, u64 from, struct sframe_leave *lv)
{
	struct sframe_asking asking = {
		.answer.from = from,
		.answer.to = cur->pc,
		.answer.asked = ENTERS | (lv->topmost ? TOPMOST : 0) |
				(lv->by_pointer ? BY_POINTER : 0),
		.answer.sp_to = lv->sp - cur->sp,
	};
	const struct sframe_answer *k = NULL;
	u64 slot = lv->sp;
	bool found;

	if (sframe_is_near(slot, cur->sp))
		k = sframe_answer_known(cur, &asking);
	if (k) {
		lv->fp_at = k->says & FP_SAVED ? slot + k->fp_at : 0;
		lv->fp_lost = k->says & FP_LOST;
		lv->by_fp = k->says & BY_FP;
		lv->fp = slot + k->fp;
		lv->cost = 0;
		return k->says & FOUND;
	}
	found = cur->abi->enter(lv, from, cur->pc, cur->sp, sframe_read_following, cur);
	if (!lv->lasts || lv->by_stack)
		asking.lasts = false;
	if (found) {
		asking.answer.says = FOUND | (lv->fp_lost ? FP_LOST : 0) |
				     (lv->fp_at ? FP_SAVED : 0) | (lv->by_fp ? BY_FP : 0);
		asking.answer.fp_at = lv->fp_at - slot;
		asking.answer.fp = lv->fp - slot;
		asking.lasts &= !lv->by_fp || sframe_is_near(lv->fp, slot);
	}
	sframe_answer_keep(cur, &asking, SFRAME_FOLLOW_COST * lv->cost);
	return found;
}

/**
 * sframe_code_begins() - ask what a function's prologue does, or recall it
 * @cur: the walk
 * @from: address of its first byte
 * @lv: as &sframe_abi.prologue has it
 *
 * Context: as sframe_cursor_next().
 * Return: true if RA was saved.
 */
bool sframe_code_begins(struct sframe_cursor *cur, u64 from, struct sframe_leave *lv)
{
	struct sframe_asking asking = {
		.answer.from = from,
		.answer.to = cur->pc,
		.answer.asked = BEGINS,
		.often = !cur->topmost,
	};
	const struct sframe_answer *k = sframe_answer_known(cur, &asking);
	u64 sp = lv->sp;

	if (k) {
		lv->sp = sp + k->sp;
		lv->ra_at = sp + k->ra_at;
		lv->fp_at = k->says & FP_SAVED ? sp + k->fp_at : 0;
		lv->fp_lost = k->says & FP_LOST;
		lv->ocaml = k->says & OCAML;
		lv->by_fp = k->says & BY_FP;
		lv->fp = sp + k->fp;
		lv->cost = 0;
		return k->says & FOUND;
	}
	if (cur->abi->prologue(lv, from, cur->pc, read_code_following, cur)) {
		asking.answer.says = FOUND | (lv->fp_lost ? FP_LOST : 0) |
				     (lv->fp_at ? FP_SAVED : 0) | (lv->ocaml ? OCAML : 0) |
				     (lv->by_fp ? BY_FP : 0);
		asking.answer.fp = lv->fp - sp;
		asking.answer.sp = lv->sp - sp;
		asking.answer.ra_at = lv->ra_at - sp;
		asking.answer.fp_at = lv->fp_at - sp;
		asking.lasts &= sframe_is_near(lv->sp, sp) && sframe_is_near(lv->ra_at, sp) &&
				(!lv->fp_at || sframe_is_near(lv->fp_at, sp)) &&
				(!lv->by_fp || sframe_is_near(lv->fp, sp));
	}
	asking.lasts &= lv->cost < lv->cost_max;
	sframe_answer_keep(cur, &asking, SFRAME_FOLLOW_COST * lv->cost);
	return asking.answer.says & FOUND;
}

/* An address, the PC or before it, as @find finds it, or as it was found; 0: none. */
static u64 code_place(struct sframe_cursor *cur, u32 question, bool often,
		      bool (*find)(struct sframe_cursor *cur, u64 *place))
{
	struct sframe_asking asking = {
		.answer = { .from = cur->pc, .asked = question },
		.often = often,
	};
	const struct sframe_answer *k = sframe_answer_known(cur, &asking);
	u32 budget = cur->budget;
	u64 place;

	if (k)
		return k->says & FOUND ? cur->pc + k->sp : 0;
	if (!find(cur, &place))
		asking.lasts = false;
	asking.answer.says = place ? FOUND : 0;
	asking.answer.sp = place - cur->pc;
	sframe_answer_keep(cur, &asking, budget - cur->budget);
	return place;
}

/**
 * sframe_code_mark() - sframe_find_mark(), or recall what that has found
 * @cur: the walk
 *
 * Context: as sframe_cursor_next().
 * Return: the mark's address; 0 if there is none near, or it is too costly to find.
 */
u64 sframe_code_mark(struct sframe_cursor *cur)
{
	bool refused = sframe_row_is_refused(cur);

	/* OCaml on s390x: nothing else says anything of its frames. */
	return code_place(cur, MARKS | (refused ? ROW_REFUSED : 0), refused && !cur->topmost,
			  sframe_find_mark);
}

/**
 * sframe_code_begin() - sframe_find_begin(), or recall what that has found
 * @cur: the walk
 *
 * Context: as sframe_cursor_next().
 * Return: where the running function begins; 0 if there is no gap near, or it is too
 *	costly to find.
 */
u64 sframe_code_begin(struct sframe_cursor *cur)
{
	return cur->abi->gap_fill ? code_place(cur, GAPS, false, sframe_find_begin) : 0;
}

/**
 * sframe_code_record() - sframe_find_record(), or recall what that has found
 * @cur: the walk
 *
 * Context: as sframe_cursor_next().
 * Return: where a record is made; 0 if that is nowhere near, or too costly to find.
 */
u64 sframe_code_record(struct sframe_cursor *cur)
{
	return code_place(cur, RECORDS, false, sframe_find_record);
}

/* Is it so of the function at @from, as @find finds it, or as it was found? */
static bool code_says(struct sframe_cursor *cur, enum question question, u64 from, u64 to,
		      bool (*find)(struct sframe_cursor *cur, u64 from, u64 to, bool *so))
{
	struct sframe_asking asking = {
		.answer = { .from = from, .to = to, .asked = question },
	};
	const struct sframe_answer *k = sframe_answer_known(cur, &asking);
	u32 budget = cur->budget;
	bool so;

	if (k)
		return k->says & FOUND;
	if (!find(cur, from, to, &so))
		asking.lasts = false;
	asking.answer.says = so ? FOUND : 0;
	sframe_answer_keep(cur, &asking, budget - cur->budget);
	return so;
}

/**
 * sframe_code_ends() - sframe_find_ends(), or recall what that has found
 * @cur: the walk
 * @target: where a function begins
 * @to: a place that it may not come to, or 0
 *
 * Context: as sframe_cursor_next().
 * Return: true if it ends, whatever way it takes; false also if that is too costly to find.
 */
bool sframe_code_ends(struct sframe_cursor *cur, u64 target, u64 to)
{
	return code_says(cur, ENDS, target, to, sframe_find_ends);
}

/**
 * sframe_code_jumps() - sframe_find_tail_jump(), or recall what that has found
 * @cur: the walk
 * @target: where a function begins
 * @to: where another one does
 *
 * Context: as sframe_cursor_next().
 * Return: true if it ends by a jump to there; false also if that is too costly to find.
 */
bool sframe_code_jumps(struct sframe_cursor *cur, u64 target, u64 to)
{
	return code_says(cur, JUMPS, target, to, sframe_find_tail_jump);
}

static struct sframe_answer asked_to_follow(const struct sframe_cursor *cur, u64 from, u64 to,
					    u32 how)
{
	return (struct sframe_answer){
		.from = from,
		.to = to,
		.asked = FOLLOWS | (cur->topmost ? TOPMOST : 0) | how,
	};
}

/**
 * sframe_followed() - recall where code leads
 * @cur: the walk
 * @from: as for sframe_follow()
 * @to: likewise
 * @how: likewise
 *
 * Context: as sframe_cursor_next().
 * Return: as sframe_follow(); 0 also if that is not known.
 */
u8 sframe_followed(struct sframe_cursor *cur, u64 from, u64 to, u32 how)
{
	struct sframe_asking asking = { .answer = asked_to_follow(cur, from, to, how) };
	const struct sframe_answer *k = sframe_answer_known(cur, &asking);

	cur->asking = NULL;
	return k ? k->says : 0;
}

/**
 * sframe_follow() - ask where code leads, or recall it
 * @cur: the walk
 * @from: address to follow it from; FP is not at a record there
 * @to: address to follow it to
 * @how: how it comes to @to, FOLLOW_*
 *
 * Context: as sframe_cursor_next().
 * Return: LEADS_*; 0: not known, too costly, or unreadable.
 */
u8 sframe_follow(struct sframe_cursor *cur, u64 from, u64 to, u32 how)
{
	struct sframe_asking asking = { .answer = asked_to_follow(cur, from, to, how) };
	const struct sframe_answer *k = sframe_answer_known(cur, &asking);
	u32 budget = cur->budget;

	if (k)
		return k->says;
	asking.answer.says = sframe_follow_now(cur, from, to, how);
	sframe_answer_keep(cur, &asking, budget - cur->budget);
	return asking.answer.says;
}
