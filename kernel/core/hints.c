// SPDX-License-Identifier: GPL-2.0
/*
 * Hints: where to look first, and what held when it was looked at last. They are forgotten
 * at any time, and may be another place's: what they say is seen to be so, or saves time only.
 * And where code was searched in vain, so that this is not done again.
 */
#include "answers_impl.h"
#include "cursor_impl.h"

/* Price of looking for a hint; of asking what is mapped. */
#define LOOK_COST	64
#define FIND_COST	64
/* For so many walks it is remembered that a search was in vain: code may be made there later. */
#define VAIN_SHIFT	12

/**
 * sframe_answer_hint() - where to look first
 * @cur: the walk
 * @addr: address that the hint counts from
 * @what: HINT_*
 *
 * Context: as sframe_cursor_next(). Valid until the walk next reads the stack.
 * Return: a distance, which may be of another address, and is to be set to a better one; or NULL.
 */
u16 *sframe_answer_hint(struct sframe_cursor *cur, u64 addr, unsigned int what)
{
	u64 at;

	sframe_cursor_charge(cur, LOOK_COST);
	if (!sframe_answers_of(cur))
		return NULL;
	at = sframe_mix_sum(sframe_mix_sum(cur->answers->key, addr), what);
	return &cur->answers->hint[at % SFRAME_HINTS_MAX];
}

/* Where it is noted of @addr that something holds there, and what is there then. */
static u16 *find_note(struct sframe_cursor *cur, u64 addr, unsigned int what, u16 *tag)
{
	u16 *note = sframe_answer_hint(cur, addr, what);

	if (note)
		*tag = sframe_mix_sum(sframe_mix_sum(cur->answers->key, what), addr) >> 48 | 1;
	return note;
}

/**
 * sframe_answer_note() - note whether something holds
 * @cur: the walk
 * @addr: where; 0: of the program
 * @what: HINT_*
 * @holds: it does
 *
 * Context: as sframe_cursor_next().
 */
void sframe_answer_note(struct sframe_cursor *cur, u64 addr, unsigned int what, bool holds)
{
	u16 tag, *note = find_note(cur, addr, what, &tag);

	if (note)
		*note = holds ? tag : 0;
}

/**
 * sframe_answer_noted() - was it noted that something holds?
 * @cur: the walk
 * @addr: as for sframe_answer_note()
 * @what: HINT_*
 *
 * Context: as sframe_cursor_next().
 * Return: true if so, and once in 32,768 times of something else; false also if that was
 *	forgotten.
 */
bool sframe_answer_noted(struct sframe_cursor *cur, u64 addr, unsigned int what)
{
	u16 tag, *note = find_note(cur, addr, what, &tag);

	return note && *note == tag;
}

static u64 *vain_place(struct sframe_cursor *cur, u64 addr, unsigned int question, u64 *sum)
{
	sframe_cursor_charge(cur, LOOK_COST);
	if (!sframe_answers_of(cur))
		return NULL;
	*sum = sframe_mix_sum(sframe_mix_sum(cur->answers->key, question), addr);
	*sum = sframe_mix_sum(*sum, cur->answers->walk >> VAIN_SHIFT);
	return &cur->answers->vain[*sum % SFRAME_VAIN_MAX];
}

/**
 * sframe_search_leaves_code() - has a search come to where no code is, and so to its end?
 * @cur: the walk
 * @at: what could not be read; it may just not be in memory
 *
 * Context: as sframe_cursor_next().
 * Return: true if so.
 */
bool sframe_search_leaves_code(struct sframe_cursor *cur, u64 at)
{
	struct sframe_rule rule __uninitialized;

	sframe_cursor_charge(cur, FIND_COST);
	return !sframe_maybe_executable(cur->ops->find(cur->ctx, at, &rule));
}

/**
 * sframe_searched_in_vain() - was code searched before, from a block on, in vain?
 * @cur: the walk
 * @addr: the block
 * @question: what it was searched for
 *
 * It may be other code by now: so what this says may lose evidence, but is none.
 *
 * Context: as sframe_cursor_next().
 * Return: true if so; false also if that was forgotten.
 */
bool sframe_searched_in_vain(struct sframe_cursor *cur, u64 addr, unsigned int question)
{
	u64 sum, *vain = vain_place(cur, addr, question, &sum);

	return vain && *vain == sum;
}

/**
 * sframe_search_is_vain() - sframe_searched_in_vain(), asked of each block that a search passes
 * @cur: the walk
 * @at: it has found nothing behind that
 * @block: where the next block begins that was not asked about; changed
 * @question: what it searches for
 *
 * Context: as sframe_cursor_next().
 * Return: true if it will find nothing.
 */
bool sframe_search_is_vain(struct sframe_cursor *cur, u64 at, u64 *block, unsigned int question)
{
	u64 begin = *block;

	if (at > begin)
		return false;
	*block -= SFRAME_SEARCH_BLOCK;
	return sframe_searched_in_vain(cur, begin, question);
}

/**
 * sframe_search_was_vain() - note that code was searched, from a block on, in vain
 * @cur: the walk
 * @addr: the block
 * @question: what it was searched for
 *
 * Context: as sframe_cursor_next().
 */
void sframe_search_was_vain(struct sframe_cursor *cur, u64 addr, unsigned int question)
{
	u64 sum, *vain = vain_place(cur, addr, question, &sum);

	if (vain)
		*vain = sum;
}
