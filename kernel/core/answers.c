// SPDX-License-Identifier: GPL-2.0
/*
 * Keeps what code has said, see sframe/answers.h: finds an answer again, notes what is
 * read while a new one is sought, and keeps that if all of the code read will stay as
 * it is, or can be checked (code_ranges.c).
 */
#include <sframe/answers.h>

#include "answers_impl.h"
#include "cursor_impl.h"

/* Prices: of looking for an answer; of keeping one; of asking whether code is fixed. */
#define LOOK_COST	64
#define KEEP_COST	64
#define READ_COST	96
/*
 * And of an answer whose code was compared before in this walk: what a step takes by which it is
 * asked for is not all charged elsewhere, which counts where nothing is compared.
 */
#define COMPARED_COST	256
/* Asking whether code is fixed may spend 1 / READS_SHARE of the remaining budget. */
#define READS_SHARE	8
/* An answer that costs fewer instructions is not worth keeping; or one that is asked often. */
#define WORTH		1024
#define WORTH_OFTEN	128

/* Or, if it has to be checked, that does not cost so many times less. */
#define CHECK_WORTH	3

/* Associativity of the cache: an answer can be at any of this many places. */
#define PLACES		4

static u32 answer_hash(const struct sframe_answer *a)
{
	return sframe_mix_sum(sframe_mix_sum(sframe_mix_sum(a->key, a->from), a->to),
			      (u32)a->sp_to ^ a->asked);
}

/* The places in @all of the answer to what @a asks, of which the first was filled last. */
static struct sframe_answer *answer_places(struct sframe_answer *all,
					   const struct sframe_answer *a)
{
	static_assert(SFRAME_BRANCHES_MAX == SFRAME_ANSWERS_MAX, "hashed alike");
	return &all[answer_hash(a) % (SFRAME_ANSWERS_MAX / PLACES) * PLACES];
}

/* Likewise, for code that may change. */
static struct sframe_checked *checked_places(const struct sframe_cursor *cur,
					     const struct sframe_answer *a)
{
	return &cur->answers->checked[answer_hash(a) % (SFRAME_CHECKED_MAX / PLACES) * PLACES];
}

static bool answer_matches(const struct sframe_answer *k, const struct sframe_answer *a)
{
	return k->from == a->from && k->to == a->to && k->asked == a->asked &&
	       k->sp_to == a->sp_to && k->key == a->key &&
	       (!(k->says & SFRAME_ANSWER_BY_FP) || k->fp == a->fp);
}

/* The answer to what @a asks, if it is in @all. */
static const struct sframe_answer *find_answer(struct sframe_answer *all,
					       const struct sframe_answer *a)
{
	const struct sframe_answer *k = answer_places(all, a);
	unsigned int i;

	for (i = 0; i < PLACES; i++, k++) {
		if (answer_matches(k, a))
			return k;
	}
	return NULL;
}

/* The answer that was kept at home to what @a asks, if all code that it comes from is there. */
static const struct sframe_answer *find_at_home(struct sframe_cursor *cur,
						const struct sframe_answer *a,
						struct sframe_answer *all)
{
	struct sframe_answer at_home;
	const struct sframe_answer *k;

	if (!sframe_home_answer(cur, a, &at_home))
		return NULL;
	sframe_cursor_charge(cur, LOOK_COST);
	k = find_answer(all, &at_home);
	return k && sframe_home_reaches(cur, a->from, k->reach) ? k : NULL;
}

/* Put an answer first, in place of the oldest; at home, if all of its code is there. */
static void keep_fixed(struct sframe_cursor *cur, const struct sframe_asking *asking,
		       struct sframe_answer *all)
{
	const struct sframe_answer *a = &asking->answer;
	struct sframe_answer at_home, *places;

	/* It may be another one now than when it was asked. */
	cur->home = (struct sframe_home){};
	if (!asking->away && sframe_home_answer(cur, a, &at_home) &&
	    sframe_home_reaches(cur, a->from, a->reach))
		a = &at_home;
	places = answer_places(all, a);
	memmove(places + 1, places, (PLACES - 1) * sizeof(*places));
	*places = *a;
}

static const struct sframe_answer *find_checked(struct sframe_cursor *cur,
						const struct sframe_answer *a)
{
	struct sframe_checked *k;
	unsigned int i;
	bool same;

	if (!cur->answers->checked)
		return NULL;
	/* There may be several, from code that was another one each time. */
	for (i = 0, k = checked_places(cur, a); i < PLACES; i++, k++) {
		if (!answer_matches(&k->answer, a))
			continue;
		if (k->walk == cur->answers->walk) {
			sframe_cursor_charge(cur, COMPARED_COST);
			return &k->answer;
		}
		same = sframe_ranges_same(cur, &k->code, a->from);
		if (!cur->answers)
			return NULL;
		if (same) {
			k->walk = cur->answers->walk;
			return &k->answer;
		}
	}
	return NULL;
}

/**
 * sframe_answers_of() - the answers that a walk may use
 * @cur: the walk
 *
 * Context: as sframe_cursor_next(). Valid until the walk next reads the stack.
 * Return: the answers; or NULL.
 */
struct sframe_answers *sframe_answers_of(struct sframe_cursor *cur)
{
	if (!cur->answers && cur->ops->answers) {
		cur->answers = cur->ops->answers(cur->ctx);
		if (cur->answers)
			cur->answers->walk++;
		/* What is mapped may be something else now. */
		cur->home = (struct sframe_home){};
	}
	return cur->answers;
}

/**
 * sframe_answer_known() - is the answer known?
 * @cur: the walk
 * @asking: what is asked; the key is filled in
 *
 * If the walk pauses for memory meanwhile, it loses the CPU's answers, and this one.
 *
 * Context: as sframe_cursor_next().
 * Return: the answer; or NULL: then, until sframe_answer_keep(), what is read counts as
 *	read for it.
 */
const struct sframe_answer *sframe_answer_known(struct sframe_cursor *cur,
						struct sframe_asking *asking)
{
	struct sframe_answer *a = &asking->answer;
	const struct sframe_answer *k;

	if (!sframe_answers_of(cur))
		return NULL;
	a->key = cur->answers->key;
	sframe_cursor_charge(cur, LOOK_COST);
	k = find_at_home(cur, a, cur->answers->answer) ?:
	    find_answer(cur->answers->answer, a) ?: find_checked(cur, a);
	if (k) {
		cur->recalled++;
		return k;
	}
	asking->lasts = true;
	cur->asking = asking;
	return NULL;
}

/**
 * sframe_branch_known() - is it known how a function is left from a branch on?
 * @cur: the walk
 * @asked: what is asked, but for the key; another answer may be sought meanwhile
 *
 * Context: as sframe_cursor_next().
 * Return: the answer, or NULL.
 */
const struct sframe_answer *sframe_branch_known(struct sframe_cursor *cur,
						const struct sframe_answer *asked)
{
	struct sframe_asking *asking = cur->asking;
	struct sframe_answer a = *asked;
	const struct sframe_answer *k = NULL;

	if (!cur->answers || !cur->answers->branches || !asking)
		return NULL;
	if (!asking->away)
		k = find_at_home(cur, asked, cur->answers->branches);
	if (k) {
		sframe_home_reads_as(asking, asked->from, k->reach);
	} else {
		a.key = cur->answers->key;
		sframe_cursor_charge(cur, LOOK_COST);
		k = find_answer(cur->answers->branches, &a);
		asking->away |= !!k;
	}
	cur->recalled += !!k;
	return k;
}

/**
 * sframe_branch_keep() - keep how a function is left from a branch on
 * @cur: the walk
 * @asking: what was asked where the branch was come by; sframe_answer_stays() was true of it
 * @branch: address of the branch
 * @asked: the question
 *
 * Context: as sframe_cursor_next().
 */
void sframe_branch_keep(struct sframe_cursor *cur, const struct sframe_asking *asking, u64 branch,
			u32 asked)
{
	struct sframe_asking at_branch = { .answer = asking->answer, .away = asking->away };

	if (!cur->answers->branches)
		return;
	at_branch.answer.from = branch;
	at_branch.answer.asked = asked;
	sframe_home_reads_as(&at_branch, asking->answer.from, asking->answer.reach);
	keep_fixed(cur, &at_branch, cur->answers->branches);
}

/* Keep an answer of code that may change. */
static void keep_checked(struct sframe_cursor *cur, struct sframe_asking *asking, u32 paid)
{
	const struct sframe_answer *a = &asking->answer;
	struct sframe_checked *place;

	if (!cur->answers->checked || sframe_ranges_price(&asking->code) * CHECK_WORTH > paid ||
	    !sframe_ranges_sum(cur, &asking->code, a->from) ||
	    !cur->answers || cur->answers->key != a->key)
		return;
	place = checked_places(cur, a);
	memmove(place + 1, place, (PLACES - 1) * sizeof(*place));
	place->answer = *a;
	place->walk = cur->answers->walk;
	place->code = asking->code;
}

/**
 * sframe_answer_stays() - is an answer worth keeping, and will it stay true?
 * @cur: the walk, which does not seek it any more
 * @asking: what was asked, the answer, and whether it lasts
 * @paid: what finding it has cost, instructions
 *
 * One that comes from code which may change is kept here.
 *
 * Context: as sframe_cursor_next().
 * Return: true if so, as it comes from code that stays as it is.
 */
bool sframe_answer_stays(struct sframe_cursor *cur, struct sframe_asking *asking, u32 paid)
{
	if (!cur->asking)
		return false;
	cur->asking = NULL;
	sframe_cursor_charge(cur, KEEP_COST + READ_COST * asking->reads);
	if (!asking->lasts || paid < (asking->often ? WORTH_OFTEN : WORTH) ||
	    !sframe_budget_left(cur) || !cur->answers || cur->answers->key != asking->answer.key)
		return false;
	if (asking->code.nr)
		keep_checked(cur, asking, paid);
	return !asking->code.nr;
}

/**
 * sframe_answer_keep() - keep an answer that was just found, if it will stay true
 * @cur: the walk
 * @asking: as for sframe_answer_stays()
 * @paid: likewise
 *
 * Context: as sframe_cursor_next().
 * Return: as sframe_answer_stays().
 */
bool sframe_answer_keep(struct sframe_cursor *cur, struct sframe_asking *asking, u32 paid)
{
	if (!sframe_answer_stays(cur, asking, paid))
		return false;
	keep_fixed(cur, asking, cur->answers->answer);
	return true;
}

/*
 * Note that something is read for the answer that is sought, if one is: is that code fixed, or
 * to be checked? The answer holds wherever the frame is, so the stack cannot be a part of it.
 */
static int note_asked_read(const struct sframe_cursor *cur, u64 addr, unsigned int len, int error)
{
	struct sframe_asking *asking = cur->asking;
	bool stack = sframe_is_near(addr, cur->sp);

	if (!asking || !asking->lasts || (!error && sframe_home_reads(cur, addr, len)) ||
	    (!error && !stack &&
	     sframe_ranges_grow(&asking->code, asking->answer.from, addr, len)))
		return error;
	asking->reads++;
	asking->lasts = !error &&
			asking->reads * READ_COST < sframe_budget_left(cur) / READS_SHARE &&
			(cur->ops->is_fixed(cur->ctx, addr, len) ||
			 (!stack &&
			  sframe_ranges_add(&asking->code, asking->answer.from, addr, len)));
	return error;
}

/**
 * sframe_read_asked() - read code that is asked for an answer
 * @cur: the walk
 * @addr: where
 * @buf: the bytes
 * @len: how many
 *
 * Context: as sframe_cursor_next().
 * Return: 0 or -errno.
 */
int sframe_read_asked(const struct sframe_cursor *cur, u64 addr, void *buf,
		      unsigned int len)
{
	return note_asked_read(cur, addr, len, cur->ops->read_code(cur->ctx, addr, buf, len));
}

/**
 * sframe_read_following() - sframe_read_asked(), for &sframe_abi.leave and &sframe_abi.enter
 * @cursor: the walk
 * @addr: where; it may also be on the stack: then the answer is not kept
 * @buf: the bytes
 * @len: how many
 *
 * Context: as sframe_cursor_next().
 * Return: 0 or -errno.
 */
int sframe_read_following(void *cursor, u64 addr, void *buf, unsigned int len)
{
	const struct sframe_cursor *cur = cursor;

	return note_asked_read(cur, addr, len, cur->ops->read(cur->ctx, addr, buf, len));
}
