// SPDX-License-Identifier: GPL-2.0
/*
 * Leave what a program, or a thread, has called when it began, where no code shows a way out:
 * musl's _start ends by calling exit(), and so does main() of many programs. fallback.c asks
 * first whether a thread ends here, and last for the rest.
 *
 * _start has aligned SP, perhaps, pushed a word or two, and made a call. Nothing is
 * above that, so the stack ends there; below it are functions of the C library. If
 * tables lead from the first word that looks like an RA just to there, over words that
 * are RAs, that word is the RA.
 *
 * The first function of a thread of musl's never returns, but calls what ends the thread. It
 * has saved a register or two, and was called where code would go on to end the thread, too.
 */
#include "cursor_impl.h"
#include "follow.h"

#define STACK_ALIGN	16
/* Bytes of stack from SP to its end, at most. */
#define FRAME_MAX	512
/* And frames. */
#define LINKS_MAX	8
/* Bytes of the frame of a thread's first function. */
#define THREAD_FRAME_MAX 64

/* May the call before @ra be of the function that returns to @below? */
static bool may_have_called(struct sframe_cursor *cur, u64 ra, u64 below)
{
	u64 target;

	sframe_cursor_charge(cur, 2 * SFRAME_COST_CODE);
	if (!sframe_is_return_address(cur, ra))
		return false;
	target = sframe_call_target(cur, ra);
	return !target || below - target < SFRAME_FUNCTION_MAX;
}

/* Is the call before @ra the one that _start makes? */
static bool is_first_call(struct sframe_cursor *cur, u64 ra)
{
	u8 code[SFRAME_FIRST_CALL_LEN];

	sframe_cursor_charge(cur, SFRAME_COST_CODE);
	return !cur->ops->read_code(cur->ctx, ra - sizeof(code), code, sizeof(code)) &&
	       cur->abi->first_call(code);
}

/* If @ra, at @at, is an RA: do tables lead from there to the end of the stack, at @last? */
static bool leads_to_start(struct sframe_cursor *cur, u64 at, u64 ra, u64 last)
{
	enum sframe_reason why;
	u64 next, caller;
	unsigned int i;

	for (i = 0; i < LINKS_MAX; i++) {
		why = sframe_ra_of_caller(cur, ra, at + sizeof(u64), &next);
		/*
		 * _start has no caller, as a table says; or its call left the stack's
		 * first word.
		 */
		if (why)
			return why == SFRAME_OUTERMOST ||
			       (at == last && is_first_call(cur, ra));
		if (next <= at || next > last || !sframe_read_word(cur, next, &caller) ||
		    !may_have_called(cur, caller, ra))
			return false;
		at = next;
		ra = caller;
	}
	return false;
}

/* The first word from SP up to @last that looks like a RA leaves the frame: @to, and its place. */
static bool find_first_ra(struct sframe_cursor *cur, u64 last, struct sframe_frame *to, u64 *at)
{
	u64 ra;

	for (*at = cur->sp; ; *at += sizeof(u64)) {
		if (*at > last || !sframe_budget_left(cur) || !sframe_read_word(cur, *at, &ra))
			return false;
		if (sframe_may_be_ra(cur, ra))
			break;
	}
	*to = sframe_frame_above(*at, ra);
	return to->cfa > cur->cfa && sframe_is_return_address(cur, ra);
}

/**
 * sframe_ends_thread() - does code end the thread, so that nobody is returned to?
 * @cur: the walk
 * @ra: a return address
 *
 * On arm64, a thread of musl's has FP as who has made it had it: its stack would go on there.
 *
 * Context: as sframe_cursor_next().
 * Return: true if so.
 */
bool sframe_ends_thread(struct sframe_cursor *cur, u64 ra)
{
	u8 code[SFRAME_EXIT_LEN];

	sframe_cursor_charge(cur, SFRAME_COST_CODE);
	return !cur->ops->read_code(cur->ctx, ra, code, sizeof(code)) &&
	       cur->abi->ends_thread(code);
}

/**
 * sframe_step_to_thread_start() - leave the first function of a thread
 * @cur: the walk
 * @to: filled in
 *
 * Context: as sframe_cursor_next().
 * Return: true if code ends the thread at the first word that looks like a RA (x86-64).
 */
bool sframe_step_to_thread_start(struct sframe_cursor *cur, struct sframe_frame *to)
{
	u64 at;

	if (cur->abi->ra_reg >= 0 || !cur->sp_known || cur->sp % sizeof(u64) ||
	    !find_first_ra(cur, cur->sp + THREAD_FRAME_MAX - sizeof(u64), to, &at))
		return false;
	to->last = sframe_ends_thread(cur, to->ra);
	return to->last;
}

/**
 * sframe_step_to_start() - leave a frame near the end of the stack, for what leads to _start
 * @cur: the walk
 * @to: filled in
 *
 * Context: as sframe_cursor_next().
 * Return: true if the first word that looks like a RA leads to where the stack ends
 *	(x86-64).
 */
bool sframe_step_to_start(struct sframe_cursor *cur, struct sframe_frame *to)
{
	u64 at, last = (cur->start & ~(STACK_ALIGN - 1ull)) - sizeof(u64);

	if (!cur->abi->first_call || !cur->start || !cur->sp_known ||
	    cur->sp % sizeof(u64) || last < cur->sp || last - cur->sp > FRAME_MAX)
		return false;
	return find_first_ra(cur, last, to, &at) && leads_to_start(cur, at, to->ra, last);
}
