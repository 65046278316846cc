// SPDX-License-Identifier: GPL-2.0
/*
 * Hints: where to look first, and what held when it was looked at last. They are forgotten
 * at any time, and may be another place's: what they say is seen to be so, or saves time only.
 */
#include "answers_impl.h"
#include "cursor_impl.h"

/* Price of looking for a hint. */
#define LOOK_COST	64

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
