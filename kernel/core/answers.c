// SPDX-License-Identifier: GPL-2.0
/*
 * Code is asked once, as long as it stays the same: see sframe/answers.h.
 */
#include <sframe/answers.h>

#include "answers_impl.h"
#include "cursor_impl.h"

/* Prices: of looking for an answer; of keeping one; of asking whether code is fixed. */
#define LOOK_COST	64
#define KEEP_COST	64
#define READ_COST	96
/* Of what is left, asking whether code is fixed may take so much. */
#define READS_SHARE	8
/* An answer that takes fewer is as soon found out again. */
#define WORTH		1024

/* An answer is at one of so many places. */
#define PLACES		4

static u64 mix_hash(u64 hash, u64 word)
{
	hash = (hash ^ word) * 0x9e3779b97f4a7c15ull;
	return hash << 32 | hash >> 32;
}

/* The answer to what @a asks is at one of these, the last one first. */
static struct sframe_answer *answer_places(const struct sframe_cursor *cur,
					   const struct sframe_answer *a)
{
	u64 hash = mix_hash(mix_hash(mix_hash(a->key, a->from), a->to), (u32)a->sp_to ^ a->asked);

	return &cur->answers->answer[hash % (SFRAME_ANSWERS_MAX / PLACES) * PLACES];
}

static bool answer_matches(const struct sframe_answer *k, const struct sframe_answer *a)
{
	return k->from == a->from && k->to == a->to && k->asked == a->asked &&
	       k->sp_to == a->sp_to && k->key == a->key &&
	       (!(k->says & SFRAME_ANSWER_BY_FP) || k->fp == a->fp);
}

/**
 * sframe_answer_known() - is the answer known?
 * @cur: the walk
 * @asking: what is asked
 *
 * A walk that waits for memory meanwhile loses the answers.
 *
 * Context: as sframe_cursor_next().
 * Return: the answer, or NULL: then from here on, what is read is for that.
 */
const struct sframe_answer *sframe_answer_known(struct sframe_cursor *cur,
						struct sframe_asking *asking)
{
	struct sframe_answer *a = &asking->answer;
	const struct sframe_answer *k;
	unsigned int i;

	if (!cur->answers && cur->ops->answers)
		cur->answers = cur->ops->answers(cur->ctx);
	if (!cur->answers)
		return NULL;
	a->key = cur->answers->key;
	sframe_cursor_charge(cur, LOOK_COST);
	for (i = 0, k = answer_places(cur, a); i < PLACES; i++, k++) {
		if (answer_matches(k, a)) {
			cur->recalled++;
			return k;
		}
	}
	asking->lasts = true;
	cur->asking = asking;
	return NULL;
}

/**
 * sframe_answer_keep() - it has been asked; keep the answer, if it is one to be kept
 * @cur: the walk
 * @asking: what was asked, and the answer
 * @paid: what that has cost
 *
 * Context: as sframe_cursor_next().
 */
void sframe_answer_keep(struct sframe_cursor *cur, const struct sframe_asking *asking, u32 paid)
{
	const struct sframe_answer *a = &asking->answer;
	struct sframe_answer *place;

	if (!cur->asking)
		return;
	cur->asking = NULL;
	sframe_cursor_charge(cur, KEEP_COST + READ_COST * asking->reads);
	if (!asking->lasts || paid < WORTH || !sframe_budget_left(cur) ||
	    !cur->answers || cur->answers->key != a->key)
		return;
	place = answer_places(cur, a);
	memmove(place + 1, place, (PLACES - 1) * sizeof(*place));
	*place = *a;
}

/* Something is read for an answer, if one is asked for. */
static int note_asked_read(const struct sframe_cursor *cur, u64 addr, unsigned int len, int error)
{
	struct sframe_asking *asking = cur->asking;

	if (asking && asking->lasts) {
		asking->reads++;
		asking->lasts = !error &&
				asking->reads * READ_COST < sframe_budget_left(cur) / READS_SHARE &&
				cur->ops->is_fixed(cur->ctx, addr, len);
	}
	return error;
}

/**
 * sframe_read_asked() - read code that is asked
 * @cur: the walk
 * @addr: where
 * @buf: where to
 * @len: bytes
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
 * sframe_read_following() - the same for those that know no walks
 * @cursor: the walk
 * @addr: where; it may also be on the stack
 * @buf: where to
 * @len: bytes
 *
 * Context: as sframe_cursor_next().
 * Return: 0 or -errno.
 */
int sframe_read_following(void *cursor, u64 addr, void *buf, unsigned int len)
{
	const struct sframe_cursor *cur = cursor;

	return note_asked_read(cur, addr, len, cur->ops->read(cur->ctx, addr, buf, len));
}
