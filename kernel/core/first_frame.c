// SPDX-License-Identifier: GPL-2.0
/*
 * Leave the first function that a program has called: where it begins, the code has
 * aligned SP, perhaps, and made a call. Nothing is above that, and who called returns no
 * more: so the RA is in the first word of the stack for as long as the program runs.
 * C libraries without CFI end in exit(), and no code says how they are left.
 */
#include "cursor_impl.h"

#define STACK_ALIGN	16
/* Frames of what calls main() take no more. */
#define FRAME_MAX	512
/* Price of a word looked at. */
#define WORD_COST	64

static bool follows_call(struct sframe_cursor *cur, u64 word)
{
	struct sframe_rule rule;

	sframe_cursor_charge(cur, WORD_COST);
	if (!word || !sframe_maybe_executable(cur->ops->find(cur->ctx, word - 1, &rule)))
		return false;
	sframe_cursor_charge(cur, SFRAME_COST_CODE);
	return sframe_is_return_address(cur, word);
}

/**
 * sframe_step_to_start() - leave a frame for where the program begins
 * @cur: the walk
 * @to: filled in
 *
 * If there is something between that looks like a RA, it may be one.
 *
 * Context: as sframe_cursor_next().
 * Return: true if that has called the function, as far as the stack tells (x86-64).
 */
bool sframe_step_to_start(struct sframe_cursor *cur, struct sframe_frame *to)
{
	u64 at, word, slot = (cur->start & ~(STACK_ALIGN - 1ull)) - sizeof(u64);

	if (cur->abi->ra_reg >= 0 || !cur->start || !cur->sp_known ||
	    cur->sp % sizeof(u64) || slot < cur->sp || slot - cur->sp > FRAME_MAX ||
	    slot + sizeof(u64) <= cur->cfa)
		return false;
	for (at = cur->sp; ; at += sizeof(u64)) {
		if (!sframe_left(cur) || !sframe_read_word(cur, at, &word))
			return false;
		if (follows_call(cur, word) != (at == slot))
			return false;
		if (at == slot)
			break;
	}
	*to = (struct sframe_frame){
		.cfa = slot + sizeof(u64),
		.sp = slot + sizeof(u64),
		.ra = word,
		.sp_known = true,
		.fallback = true,
	};
	return true;
}
