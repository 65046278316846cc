// SPDX-License-Identifier: GPL-2.0
/*
 * The topmost function, if HotSpot has compiled it (x86-64, OpenJDK 21 and later), has made no
 * call that a mark tells of (call_mark.c). But those that it may make yet have one, too, and
 * any of them says where the function begins, which makes its frame there. Where SP is
 * in that now, the code from the PC on says (sp_run.c). Called by fallback.c.
 */
#include <sframe/answers.h>

#include "answers_impl.h"
#include "call_mark.h"
#include "cursor_impl.h"
#include "questions.h"
#include "sp_run.h"

/* Calls that HotSpot may patch are aligned so that this is what they return to. */
#define MARK_ALIGN	4
/* A mark is looked for that far behind the PC, */
#define AHEAD_MAX	8192
/* ... for a part of what is left, which is larger where some were found. */
#define AHEAD_SHARE		8
#define AHEAD_SHARE_FOUND	3
/* Bytes that are read at a time then, and what that costs. */
#define AHEAD_CHUNK	96
#define AHEAD_COST	(SFRAME_COST_CODE + 128)
/* A mark that was found is a hint for PCs in so many bytes; this, that none was. */
#define AHEAD_BLOCK	256
#define NONE_FOUND	1
/* Words that may be pushed for a while, and some of the caller's. */
#define ABOVE_WORDS	16
/* Bytes that are pushed, at most. */
#define PUSHED_MAX	64

/*
 * Where the next call behind the PC returns to that has a mark; 0: none near. Where none was ever
 * found in the program, that is not searched for again in the same block.
 */
static u64 search_mark_ahead(struct sframe_cursor *cur, u32 share)
{
	const u64 block = cur->pc & ~(SFRAME_SEARCH_BLOCK - 1ull);
	u32 left = sframe_budget_left(cur) / share / AHEAD_COST;
	u64 at = cur->pc & ~(MARK_ALIGN - 1ull);
	const u32 looks = AHEAD_CHUNK - SFRAME_CALL_MARK_LEN;
	u8 code[AHEAD_CHUNK];
	u32 off;

	if (!sframe_answer_noted(cur, 0, HINT_FOUND) &&
	    sframe_searched_in_vain(cur, block, MARKS_AHEAD))
		return 0;
	for (; left && at - cur->pc + MARK_ALIGN < AHEAD_MAX; left--, at += looks) {
		if (!sframe_spend(cur, AHEAD_COST) ||
		    cur->ops->read_code(cur->ctx, at, code, sizeof(code)))
			return 0;
		off = cur->abi->find_call_mark(code, looks);
		if (off < looks)
			return at + off;
	}
	if (left)
		sframe_search_was_vain(cur, block, MARKS_AHEAD);
	return 0;
}

static u64 ahead_block(const struct sframe_cursor *cur)
{
	return cur->pc & ~(AHEAD_BLOCK - 1ull);
}

/**
 * sframe_mark_is_likely() - may a mark ahead be found sooner than anything else?
 * @cur: the walk
 *
 * Context: as sframe_cursor_next().
 * Return: true if some were found in this program, and not none from here on.
 */
bool sframe_mark_is_likely(struct sframe_cursor *cur)
{
	const u16 *hint;

	if (!cur->topmost || !cur->abi->find_call_mark || !sframe_answer_noted(cur, 0, HINT_FOUND))
		return false;
	hint = sframe_answer_hint(cur, ahead_block(cur), HINT_MARK);
	return hint && *hint != NONE_FOUND;
}

/**
 * sframe_begin_by_known_mark() - where does the memory begin that holds the topmost function?
 * @cur: the walk
 *
 * The call behind the PC says so which was found from near here the last time: whichever it is, if
 * that begins before the PC, the PC is in there, too.
 *
 * Context: as sframe_cursor_next().
 * Return: the address; 0: none was found.
 */
u64 sframe_begin_by_known_mark(struct sframe_cursor *cur)
{
	u64 block = ahead_block(cur), ra, back;
	const u16 *hint;

	if (!cur->topmost || !cur->abi->find_call_mark)
		return 0;
	hint = sframe_answer_hint(cur, block, HINT_MARK);
	ra = hint ? block + *hint : 0;
	back = ra > cur->pc ? sframe_read_call_mark(cur, ra) : 0;
	return back && ra - back < cur->pc ? ra - back : 0;
}

/* The same, but the call is looked for if none is known; then @cur->pc may be in there. */
static u64 find_begin_by_mark_ahead(struct sframe_cursor *cur)
{
	u64 block = ahead_block(cur), begin = sframe_begin_by_known_mark(cur), ra, back;
	u16 *hint = sframe_answer_hint(cur, block, HINT_MARK);

	if (begin)
		return begin;
	ra = search_mark_ahead(cur, sframe_mark_is_likely(cur) ? AHEAD_SHARE_FOUND : AHEAD_SHARE);
	if (hint)
		*hint = ra ? ra - block : NONE_FOUND;
	if (ra)
		sframe_answer_note(cur, 0, HINT_FOUND, true);
	back = ra ? sframe_read_call_mark(cur, ra) : 0;
	return back ? ra - back : 0;
}

/*
 * Did the caller @to call, or an interpreter jump to, the function that is called between @from
 * and @made, where it has made a frame of @size bytes?
 */
static bool has_called_function(struct sframe_cursor *cur, const struct sframe_frame *to,
				u64 from, u64 made, u64 size)
{
	u64 ra = to->ra & cur->ra_bits, target = sframe_call_target(cur, ra), found;

	if (!target)
		return sframe_resumes(cur, ra) &&
		       sframe_resume_is_next(to->cfa - sizeof(u64), to->sp);
	if (target < from || target >= made)
		return false;
	target &= ~(MARKED_ENTRY_ALIGN - 1ull);
	return sframe_read_frame_size(cur, target, made, &found) && found == size;
}

/*
 * Where has the function SP, with RA @size bytes above? Parts of functions that are apart from
 * the rest make room for registers, and where RA would be may be an older call's: but SP is moved
 * back before the code stops. Or the frame is taken down, up to the return.
 */
static bool find_sp_by_run(const struct sframe_cursor *cur, const struct sp_run *run, u64 size,
			   u64 *sp)
{
	*sp = run->sp;
	if (run->returns)
		*sp -= size + sizeof(u64);
	else if (*sp - cur->sp >= size ||
		 (!run->ends && *sp - cur->sp > cur->sp % MARKED_SP_ALIGN))
		return false;
	return *sp >= cur->sp;
}

/*
 * Where a RA of the function is farther up as it has called itself; 0: it has not. If that is no
 * farther than words are pushed, it may be another.
 */
static u64 recursive_ra_at(struct sframe_cursor *cur, const struct sframe_frame *to, u64 from,
			   u64 size)
{
	u64 ra = to->ra & cur->ra_bits, back;

	if (size <= PUSHED_MAX)
		return 0;
	back = sframe_read_call_mark(cur, ra);
	return back && ra - back == from ? to->cfa + size : 0;
}

/*
 * Is there, shortly above the RA of @to, another one of what is called between @from and @made?
 * @but: but there
 */
static bool has_other_ra(struct sframe_cursor *cur, const struct sframe_frame *to, u64 from,
			 u64 made, u64 but)
{
	u64 words[ABOVE_WORDS], word, target;
	unsigned int i;

	if (cur->ops->read(cur->ctx, to->cfa, words, sizeof(words)))
		return true;
	for (i = 0; i < ABOVE_WORDS; i++) {
		word = words[i] & cur->ra_bits;
		if (to->cfa + i * sizeof(u64) == but || !sframe_may_be_ra(cur, word))
			continue;
		target = sframe_call_target(cur, word);
		if (!target ? sframe_resumes(cur, word) : target >= from && target < made)
			return true;
	}
	return false;
}

/*
 * Code that comes to no return, and leaves SP alone, may go round in a loop, with words pushed that
 * are popped behind it (C2's search for a string). Then the RA is farther up. If there is another
 * one, out of the loop SP has to be the same.
 */
static bool is_sp_doubtful(struct sframe_cursor *cur, const struct sp_run *run,
			   const struct sframe_frame *to, u64 from, u64 made)
{
	u64 size = to->cfa - sizeof(u64) - cur->sp, sp;
	struct sp_run out;

	if (run->returns || run->sp != cur->sp ||
	    !has_other_ra(cur, to, from, made, recursive_ra_at(cur, to, from, size)))
		return false;
	return !sframe_run_on(cur, true, &out) || !find_sp_by_run(cur, &out, size, &sp) ||
	       sp != cur->sp;
}

/* The frame was left: @begin, before the function, tells its size, and whose memory that is. */
static void note_marked_way(struct sframe_cursor *cur, const struct sframe_frame *to, u64 begin,
			    u32 paid)
{
	const struct sframe_leave lv = {
		.sp = to->cfa,
		.ra_at = to->cfa - sizeof(u64),
		.fp_at = to->cfa - 2 * sizeof(u64),
		.lasts = true,
	};

	sframe_note_certain_way(cur, &lv, to, begin, false, paid);
}

/**
 * sframe_step_by_mark_ahead() - leave the topmost frame by the next mark behind the PC
 * @cur: the walk, in a frame without a table
 * @to: filled in
 *
 * If what the mark is in begins before the PC, the PC is in the same function. It has the frame
 * that its beginning makes, if by that a RA is found of a call of this very function, or of an
 * interpreter that has jumped with SP right above.
 *
 * Context: as sframe_cursor_next().
 * Return: true if so.
 */
bool sframe_step_by_mark_ahead(struct sframe_cursor *cur, struct sframe_frame *to)
{
	u64 begin, size, sp, made = cur->pc - SFRAME_FRAME_MADE_LEN;
	u32 budget = cur->budget;
	struct sp_run run;

	if (!cur->topmost || !cur->abi->find_call_mark || !cur->sp_known)
		return false;
	begin = find_begin_by_mark_ahead(cur);
	if (!begin || begin >= made)
		return false;
	size = sframe_find_frame_size(cur, begin, made);
	if (!size || size % sizeof(u64) || !sframe_run_on(cur, false, &run) ||
	    !find_sp_by_run(cur, &run, size, &sp) ||
	    !sframe_leave_marked_frame(cur, sp, size, 0, to) ||
	    !has_called_function(cur, to, begin, made, size) ||
	    is_sp_doubtful(cur, &run, to, begin, made))
		return false;
	note_marked_way(cur, to, begin, budget - cur->budget);
	return true;
}

/**
 * sframe_step_by_next_call_mark() - leave the topmost frame by the mark behind the next call
 * @cur: the walk
 * @lv: that mark, and SP there, as code was followed to it
 * @to: filled in
 *
 * Context: as sframe_cursor_next().
 * Return: true if a RA is where the mark says.
 */
bool sframe_step_by_next_call_mark(struct sframe_cursor *cur, const struct sframe_leave *lv,
				   struct sframe_frame *to)
{
	u64 back = sframe_read_call_mark(cur, lv->mark), size, fp_at;

	size = back ? sframe_find_frame_size(cur, lv->mark - back, lv->mark) : 0;
	if (!size || size % sizeof(u64) ||
	    !sframe_leave_marked_frame(cur, lv->sp, size, lv->fp_at, to))
		return false;
	fp_at = to->cfa - 2 * sizeof(u64);
	return lv->fp_at == fp_at || fp_at >= cur->sp;
}
