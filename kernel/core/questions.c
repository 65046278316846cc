// SPDX-License-Identifier: GPL-2.0
/*
 * What code is asked in a step: how its function is left, entered, begun, or whether it
 * leads somewhere. Each question looks for a kept answer first (answers.c), else
 * follows the code. An answer is made of distances from SP, so it holds wherever the
 * function's frame is.
 */
#include <sframe/answers.h>

#include "answers_impl.h"
#include "cursor_impl.h"
#include "follow.h"

/* sframe_answer.asked: the question; the bits below, and two FOLLOW_*, say what was known. */
enum question { LEAVES = 1, ENTERS, FOLLOWS, MARKS, BEGINS, GAPS, RECORDS, ENDS };

#define TOPMOST		16
#define RETURNED	32
#define BY_POINTER	128
#define IS_FAR		256
#define WANTS_SP	512
#define SP_UNKNOWN	1024
#define FP_UNKNOWN	2048
#define BY_MARK		8192
#define ROW_REFUSED	16384

/* sframe_answer.says: bits above LEADS_*, besides SFRAME_ANSWER_BY_FP. */
#define FOUND		256
#define SURE		1024
#define RETURNS		2048
#define FP_LOST		4096
#define FP_SAVED	8192
#define RA_SAVED	16384
#define SP_LOST		32768
#define RA_UNTIL_CALL	65536
#define SP_SAVED	131072
#define INTERPRETS	262144
/* sframe_answer.ra_at: from the PC to the mark. */
#define MARKED		524288
#define OCAML	1048576
/* The upper bits are &sframe_leave.ra_reg. */
#define RA_REG_SHIFT	24

/*
 * An FP farther than that from SP is no address on the stack near the frame, nor is what is
 * less than SFRAME_NEAR from there: ...
 */
#define FP_FAR		(2 * SFRAME_NEAR)
/* ... so one distance stands for all that are below, one for all above. */
#define FAR_BELOW	(-FP_FAR - 1)
#define FAR_ABOVE	FP_FAR

static bool is_near_sp(const struct sframe_cursor *cur, u64 addr)
{
	return sframe_is_near(addr, cur->sp);
}

static bool fp_is_near(const struct sframe_cursor *cur)
{
	return cur->fp - cur->sp + FP_FAR < 2 * FP_FAR;
}

static s32 fp_distance(const struct sframe_cursor *cur)
{
	if (fp_is_near(cur))
		return cur->fp - cur->sp;
	return cur->fp < cur->sp ? FAR_BELOW : FAR_ABOVE;
}

/*
 * &sframe_abi.leave may load SP from where it was saved: that is not noted, as whether
 * it is still there is asked each time an answer is used (sframe_sp_was_saved()).
 */
static int read_leaving(void *cursor, u64 addr, void *buf, unsigned int len)
{
	const struct sframe_cursor *cur = cursor;

	if (cur->abi->sp_slot && len == sizeof(u64) && is_near_sp(cur, addr))
		return cur->ops->read(cur->ctx, addr, buf, len);
	return sframe_read_following(cursor, addr, buf, len);
}

/* For &sframe_abi.prologue: code alone, which need not be faulted in. */
static int read_code_following(void *cursor, u64 addr, void *buf, unsigned int len)
{
	return sframe_read_asked(cursor, addr, buf, len);
}

static void decode_leave_answer(const struct sframe_cursor *cur, const struct sframe_answer *k,
				struct sframe_leave *lv)
{
	lv->sp = cur->sp + k->sp;
	lv->ra_at = k->says & RA_SAVED ? cur->sp + k->ra_at : 0;
	lv->fp_at = k->says & FP_SAVED ? cur->sp + k->fp_at : 0;
	lv->mark = k->says & MARKED ? cur->pc + k->ra_at : 0;
	lv->ra_reg = k->says >> RA_REG_SHIFT;
	lv->sure = k->says & SURE;
	lv->returns = k->says & RETURNS;
	lv->sp_lost = k->says & SP_LOST;
	lv->fp_lost = k->says & FP_LOST;
	lv->ra_before_calls = k->says & RA_UNTIL_CALL;
	lv->interprets = k->says & INTERPRETS;
}

/* Put the result into @a. False if it holds here only, and is not to be kept. */
static bool encode_leave_answer(const struct sframe_cursor *cur, struct sframe_answer *a,
				const struct sframe_leave *lv, bool found)
{
	if (!lv->lasts || lv->by_stack || (lv->from_fp && !fp_is_near(cur)))
		return false;
	a->says = lv->by_fp ? SFRAME_ANSWER_BY_FP : 0;
	if (!found)
		return true;
	a->says |= FOUND | (lv->sure ? SURE : 0) | (lv->returns ? RETURNS : 0) |
		   (lv->fp_lost ? FP_LOST : 0) | (lv->fp_at ? FP_SAVED : 0) |
		   (lv->sp_lost ? SP_LOST : 0) | (lv->ra_at ? RA_SAVED : 0) |
		   (lv->ra_before_calls ? RA_UNTIL_CALL : 0) | (lv->sp_saved ? SP_SAVED : 0) |
		   (lv->interprets ? INTERPRETS : 0) |
		   (u32)lv->ra_reg << RA_REG_SHIFT;
	a->sp = lv->sp - cur->sp;
	a->ra_at = lv->ra_at - cur->sp;
	a->fp_at = lv->fp_at - cur->sp;
	if (lv->mark) {
		a->says |= MARKED;
		a->ra_at = lv->mark - cur->pc;
		if (cur->pc + a->ra_at != lv->mark)
			return false;
	}
	return is_near_sp(cur, lv->sp) && (!lv->fp_at || is_near_sp(cur, lv->fp_at)) &&
	       (!lv->ra_at || is_near_sp(cur, lv->ra_at));
}

/**
 * sframe_code_leaves() - ask code how its function is left, or recall what it said
 * @cur: the walk
 * @lv: as &sframe_abi.leave has it
 *
 * Context: as sframe_cursor_next().
 * Return: was a way out found?
 */
bool sframe_code_leaves(struct sframe_cursor *cur, struct sframe_leave *lv)
{
	struct sframe_asking asking = {
		.answer.from = cur->pc,
		.answer.asked = LEAVES | (lv->topmost ? TOPMOST : 0) |
				(lv->returned ? RETURNED : 0) |
				(lv->far ? IS_FAR : 0) | (lv->by_mark ? BY_MARK : 0) |
				(lv->want_sp ? WANTS_SP : 0) | (lv->sp_lost ? SP_UNKNOWN : 0) |
				(lv->fp_lost ? FP_UNKNOWN : 0),
		.answer.fp = fp_distance(cur),
	};
	const struct sframe_answer *k = NULL;
	struct sframe_answer known;
	bool found;

	/* What is not far may be as cheap to find out again. */
	if (cur->abi->leave_lasts && (lv->far || cur->abi->near_costs))
		k = sframe_answer_known(cur, &asking);
	/* The walk may lose the CPU's answers when it asks whether SP was saved. */
	if (k) {
		known = *k;
		k = &known;
	}
	if (k && (!(k->says & SP_SAVED) ||
		  sframe_sp_was_saved(cur, cur->sp + k->sp + cur->abi->sp_bias))) {
		lv->cost = 0;
		if (k->says & FOUND)
			decode_leave_answer(cur, k, lv);
		return k->says & FOUND;
	}
	found = cur->abi->leave(lv, cur->pc, read_leaving, cur);
	if (!encode_leave_answer(cur, &asking.answer, lv, found))
		asking.lasts = false;
	sframe_answer_keep(cur, &asking, SFRAME_FOLLOW_COST * lv->cost);
	return found;
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

	if (is_near_sp(cur, slot))
		k = sframe_answer_known(cur, &asking);
	if (k) {
		lv->fp_at = k->says & FP_SAVED ? slot + k->fp_at : 0;
		lv->fp_lost = k->says & FP_LOST;
		lv->cost = 0;
		return k->says & FOUND;
	}
	found = cur->abi->enter(lv, from, cur->pc, cur->sp, sframe_read_following, cur);
	if (!lv->lasts || lv->by_stack)
		asking.lasts = false;
	if (found) {
		asking.answer.says = FOUND | (lv->fp_lost ? FP_LOST : 0) |
				     (lv->fp_at ? FP_SAVED : 0);
		asking.answer.fp_at = lv->fp_at - slot;
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
	};
	const struct sframe_answer *k = sframe_answer_known(cur, &asking);
	u64 sp = lv->sp;

	if (k) {
		lv->sp = sp + k->sp;
		lv->ra_at = sp + k->ra_at;
		lv->fp_at = k->says & FP_SAVED ? sp + k->fp_at : 0;
		lv->fp_lost = k->says & FP_LOST;
		lv->ocaml = k->says & OCAML;
		lv->cost = 0;
		return k->says & FOUND;
	}
	if (cur->abi->prologue(lv, from, cur->pc, read_code_following, cur)) {
		asking.answer.says = FOUND | (lv->fp_lost ? FP_LOST : 0) |
				     (lv->fp_at ? FP_SAVED : 0) | (lv->ocaml ? OCAML : 0);
		asking.answer.sp = lv->sp - sp;
		asking.answer.ra_at = lv->ra_at - sp;
		asking.answer.fp_at = lv->fp_at - sp;
		asking.lasts &= sframe_is_near(lv->sp, sp) && sframe_is_near(lv->ra_at, sp) &&
				(!lv->fp_at || sframe_is_near(lv->fp_at, sp));
	}
	asking.lasts &= lv->cost < lv->cost_max;
	sframe_answer_keep(cur, &asking, SFRAME_FOLLOW_COST * lv->cost);
	return asking.answer.says & FOUND;
}

/* An address, the PC or before it, as @find finds it, or as it was found; 0: none. */
static u64 code_place(struct sframe_cursor *cur, u32 question,
		      bool (*find)(struct sframe_cursor *cur, u64 *place))
{
	struct sframe_asking asking = { .answer.from = cur->pc, .answer.asked = question };
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
	return code_place(cur, MARKS | (sframe_row_is_refused(cur) ? ROW_REFUSED : 0),
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
	return cur->abi->gap_fill ? code_place(cur, GAPS, sframe_find_begin) : 0;
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
	return code_place(cur, RECORDS, sframe_find_record);
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
	struct sframe_asking asking = {
		.answer = { .from = target, .to = to, .asked = ENDS },
	};
	const struct sframe_answer *k = sframe_answer_known(cur, &asking);
	u32 budget = cur->budget;
	bool ends;

	if (k)
		return k->says & FOUND;
	if (!sframe_find_ends(cur, target, to, &ends))
		asking.lasts = false;
	asking.answer.says = ends ? FOUND : 0;
	sframe_answer_keep(cur, &asking, budget - cur->budget);
	return ends;
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
