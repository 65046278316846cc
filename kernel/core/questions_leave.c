// SPDX-License-Identifier: GPL-2.0
/*
 * Asks code how its function is left, as questions.c asks the rest: looks for a kept answer
 * first, also at branches that it comes to, else follows the code.
 */
#include <sframe/answers.h>

#include "answers_impl.h"
#include "cursor_impl.h"
#include "follow.h"
#include "questions.h"

/*
 * An FP farther than that from SP is no address on the stack near the frame, nor is what is
 * less than SFRAME_NEAR from there: ...
 */
#define FP_FAR		(2 * SFRAME_NEAR)
/* ... so one distance stands for all that are below, one for all above. */
#define FAR_BELOW	(-FP_FAR - 1)
#define FAR_ABOVE	FP_FAR
/* What leads to a branch is not kept if it costs less, instructions. */
#define NEAR_BRANCH	2048

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

	if (cur->abi->sp_slot && len == sizeof(u64) && sframe_is_near(addr, cur->sp))
		return cur->ops->read(cur->ctx, addr, buf, len);
	return sframe_read_following(cursor, addr, buf, len);
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
	lv->by_fp = k->says & SFRAME_ANSWER_BY_FP;
	lv->sp_saved = k->says & SP_SAVED;
	lv->lasts = true;
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
	return sframe_is_near(lv->sp, cur->sp) &&
	       (!lv->fp_at || sframe_is_near(lv->fp_at, cur->sp)) &&
	       (!lv->ra_at || sframe_is_near(lv->ra_at, cur->sp));
}

/* What is asked of code from @from on; @lv is not filled in yet. */
static struct sframe_answer asked_to_leave(const struct sframe_cursor *cur, enum question question,
					   u64 from, const struct sframe_leave *lv)
{
	return (struct sframe_answer){
		.from = from,
		.asked = question | (lv->far ? IS_FAR : 0) | (lv->by_mark ? BY_MARK : 0) |
			 (lv->want_sp ? WANTS_SP : 0) | (lv->sp_lost ? SP_UNKNOWN : 0) |
			 (lv->fp_lost ? FP_UNKNOWN : 0),
		.fp = fp_distance(cur),
	};
}

/* &sframe_leave.recall: nothing is read, so the answer that is sought lasts as before. */
static bool recall_branch(void *cursor, u64 pc, const struct sframe_leave *lv,
			  struct sframe_leave *known)
{
	const struct sframe_cursor *cur = cursor;
	const struct sframe_answer asked = asked_to_leave(cur, BRANCHES, pc, lv);
	const struct sframe_answer *k = sframe_branch_known(cursor, &asked);

	if (!k)
		return false;
	decode_leave_answer(cur, k, known);
	return true;
}

/*
 * Keep the answer also for the first branch on the way, if it comes from code that stays as it
 * is: others come by there, too. If that is near, the PC needs none, as it is quickly found so.
 */
static void keep_leave_answer(struct sframe_cursor *cur, struct sframe_asking *asking,
			      const struct sframe_leave *lv, u32 asked_at_branch)
{
	const u32 paid = SFRAME_FOLLOW_COST * lv->cost;
	bool branch = asking->answer.says & FOUND && lv->branch, stays;

	if (branch && SFRAME_FOLLOW_COST * lv->branch_cost < NEAR_BRANCH)
		stays = sframe_answer_stays(cur, asking, paid);
	else
		stays = sframe_answer_keep(cur, asking, paid);
	if (branch && stays && !lv->branch_known)
		sframe_branch_keep(cur, asking, lv->branch, asked_at_branch);
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
	struct sframe_asking asking = { .answer = asked_to_leave(cur, LEAVES, cur->pc, lv) };
	const u32 asked_at_branch = asking.answer.asked ^ LEAVES ^ BRANCHES;
	/* Near, what was not found for want of more is known for no more than that. */
	const u32 limit = lv->far || !cur->abi->near_costs ? 0 : lv->cost_max << COST_MAX_SHIFT;
	const struct sframe_answer *k = NULL;
	struct sframe_answer known;
	bool found;

	asking.answer.asked |= (lv->topmost ? TOPMOST : 0) | (lv->returned ? RETURNED : 0);
	lv->recall = lv->far ? recall_branch : NULL;
	/* What is not far may be as cheap to find out again. */
	if (lv->far || cur->abi->near_costs)
		k = sframe_answer_known(cur, &asking);
	if (!k && limit) {
		asking.answer.asked |= limit;
		k = sframe_answer_known(cur, &asking);
	}
	if (k)
		cur->asking = NULL;
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
	if (limit && lv->lasts)
		asking.answer.asked &= ~limit;
	lv->lasts |= limit != 0;
	if (!encode_leave_answer(cur, &asking.answer, lv, found))
		asking.lasts = false;
	keep_leave_answer(cur, &asking, lv, asked_at_branch);
	return found;
}
