// SPDX-License-Identifier: GPL-2.0
/*
 * Callers that HotSpot has compiled (OpenJDK 21 and later): behind each call is an
 * instruction without effect that says how far before it the memory begins which holds
 * the function. From there on the function's entry is looked for, which makes the
 * frame, once and as large as it stays.
 *
 * That is exact, quickly found, and works in loops that never end, which no code says
 * how to leave. Called by fallback.c.
 */
#include <sframe/answers.h>

#include "answers_impl.h"
#include "call_mark.h"
#include "cursor_impl.h"
#include "follow.h"
#include "sp_run.h"

/* Entry points lie at most this far behind the code's beginning. */
#define BEFORE_ENTRY	8192
/* A stub saves all registers, those of vectors included, in fewer bytes. */
#define COPY_BELOW	1024
/* Prices: of looking for a mark; of what is read to leave a frame; of a chunk that is read. */
#define MARK_COST	64
#define LEAVE_COST	520
#define CHUNK		64
#define CHUNK_COST	SFRAME_COST_CODE

/**
 * sframe_read_call_mark() - read what is behind a call
 * @cur: the walk
 * @ra: where the call returns to
 *
 * Context: as sframe_cursor_next().
 * Return: how far before @ra the memory begins that holds the function which has called; 0: no
 *	mark.
 */
u64 sframe_read_call_mark(struct sframe_cursor *cur, u64 ra)
{
	u8 mark[SFRAME_CALL_MARK_LEN];
	u64 back;

	if (!cur->abi->call_mark)
		return 0;
	sframe_cursor_charge(cur, MARK_COST);
	if (cur->ops->read_code(cur->ctx, ra, mark, sizeof(mark)))
		return 0;
	back = cur->abi->call_mark(mark);
	return back < ra ? back : 0;
}

/**
 * sframe_read_frame_size() - look for where a frame is made
 * @cur: the walk
 * @at: where, within the next bytes
 * @to: but before that
 * @size: filled in: its size, or 0
 *
 * Context: as sframe_cursor_next().
 * Return: false if the code cannot be read.
 */
bool sframe_read_frame_size(struct sframe_cursor *cur, u64 at, u64 to, u64 *size)
{
	u8 code[CHUNK + SFRAME_FRAME_MADE_LEN];
	unsigned int i;

	*size = 0;
	if (!sframe_spend(cur, CHUNK_COST) ||
	    cur->ops->read_code(cur->ctx, at, code, sizeof(code)))
		return false;
	for (i = 0; !*size && i < CHUNK && at + i < to; i += MARKED_ENTRY_ALIGN)
		*size = cur->abi->frame_made(code + i);
	return true;
}

/**
 * sframe_find_frame_size() - how far below its RA has a function SP?
 * @cur: the walk
 * @from: it is the first one from there on
 * @to: and has made its frame before that
 *
 * It is mostly where it was the last time; in the code of a function that is there now, another
 * frame of it has the same size.
 *
 * Context: as sframe_cursor_next().
 * Return: bytes; 0: not found.
 */
u64 sframe_find_frame_size(struct sframe_cursor *cur, u64 from, u64 to)
{
	u16 *hint = sframe_answer_hint(cur, from, HINT_FRAME);
	u64 at, size;

	from &= ~(MARKED_ENTRY_ALIGN - 1ull);
	at = hint && *hint % MARKED_ENTRY_ALIGN == 0 ? from + *hint : from;
	if (at != from && at < to && sframe_read_frame_size(cur, at, to, &size) && size)
		return size;
	for (at = from; at < to && at - from < BEFORE_ENTRY; at += CHUNK) {
		if (!sframe_read_frame_size(cur, at, to, &size))
			return 0;
		if (!size)
			continue;
		if (hint)
			*hint = at - from;
		return size;
	}
	return 0;
}

/**
 * sframe_leave_marked_frame() - leave a frame of known size
 * @cur: the walk
 * @sp: the function's SP
 * @size: RA is so many bytes above
 * @fp_at: if FP is to be put there yet, beside RA, it is still in its register
 * @to: filled in
 *
 * Context: as sframe_cursor_next().
 * Return: true if there is a RA.
 */
bool sframe_leave_marked_frame(struct sframe_cursor *cur, u64 sp, u64 size, u64 fp_at,
			       struct sframe_frame *to)
{
	u64 ra_at, ra;

	sframe_cursor_charge(cur, LEAVE_COST);
	if (sp % MARKED_SP_ALIGN || !sframe_add(sp, size, &ra_at) ||
	    !sframe_read_word(cur, ra_at, &ra))
		return false;
	*to = sframe_frame_above(ra_at, ra);
	to->fp = cur->fp;
	to->fp_known = cur->fp_known;
	if (to->cfa <= cur->cfa)
		return false;
	if (fp_at != ra_at - sizeof(u64)) {
		to->fp_known = true;
		if (!sframe_read_word(cur, ra_at - sizeof(u64), &to->fp))
			return false;
	}
	/* Behind a call nobody is resumed. */
	return sframe_is_return_address(cur, to->ra & cur->ra_bits) ||
	       sframe_resume_at(cur, ra_at, to);
}

/*
 * If there is no RA @size bytes above SP, the step that led here may have been wrong: a
 * stub that saves all registers has its RA among them, too, and the copy was taken for
 * it. Then SP was right above the other one: find that, else return 0. Not if there is
 * an address of code that follows no call: there HotSpot has put another RA, and
 * whatever else returns to here is the same function farther out.
 */
static u64 find_sp_above_ra_copy(struct sframe_cursor *cur, u64 size)
{
	u64 words[CHUNK / sizeof(u64)];
	struct sframe_rule rule;
	unsigned int i;
	u64 at;

	if (!sframe_read_word(cur, cur->sp + size, &at) ||
	    sframe_executable(cur->ops->find(cur->ctx, at, &rule)))
		return 0;
	for (at = cur->sp; at - cur->sp < COPY_BELOW; at += CHUNK) {
		if (!sframe_spend(cur, CHUNK_COST) ||
		    cur->ops->read(cur->ctx, at, words, CHUNK))
			return 0;
		for (i = 0; i < CHUNK / sizeof(u64); i++)
			if ((words[i] & cur->ra_bits) == cur->pc)
				return at + (i + 1) * sizeof(u64);
	}
	return 0;
}

/**
 * sframe_step_by_call_mark() - leave the frame of a function that HotSpot has compiled,
 *	by the mark behind its call
 * @cur: the walk, in a frame without a table
 * @to: filled in
 *
 * Context: as sframe_cursor_next().
 * Return: true if there is a mark, and a RA where it says.
 */
bool sframe_step_by_call_mark(struct sframe_cursor *cur, struct sframe_frame *to)
{
	u64 back, size, sp;

	if (cur->topmost || !cur->sp_known || cur->sp % sizeof(u64))
		return false;
	back = sframe_read_call_mark(cur, cur->pc);
	size = back ? sframe_find_frame_size(cur, cur->pc - back, cur->pc) : 0;
	if (!size || size % sizeof(u64))
		return false;
	if (sframe_leave_marked_frame(cur, cur->sp, size, 0, to))
		return true;
	sp = find_sp_above_ra_copy(cur, size);
	return sp && sframe_leave_marked_frame(cur, sp, size, 0, to);
}

/**
 * sframe_step_by_last_call_mark() - leave the topmost frame by the mark behind the last call
 * @cur: the walk, in a frame without a table
 * @to: filled in
 *
 * The link register says where the last call has returned to. The mark there says where the
 * function begins that has made it: if the PC is in that one, and behind where its frame is
 * made, that is the frame. It is still, if no way out was found nearby.
 *
 * Context: as sframe_cursor_next().
 * Return: true if so, and a RA is where the mark says (arm64).
 */
bool sframe_step_by_last_call_mark(struct sframe_cursor *cur, struct sframe_frame *to)
{
	u64 back, size, begin, made, last = cur->ra & cur->ra_bits;

	if (!cur->topmost || cur->abi->ra_reg < 0 || !cur->sp_known)
		return false;
	back = sframe_read_call_mark(cur, last);
	begin = last - back;
	made = cur->pc - SFRAME_FRAME_MADE_LEN;
	if (!back || begin >= made || made - begin >= BEFORE_ENTRY)
		return false;
	size = sframe_find_frame_size(cur, begin, made);
	if (!size || size % sizeof(u64))
		return false;
	/* Behind the call may be what was called: the same function only if code leads there. */
	if (last < cur->pc && (cur->pc - last > SFRAME_NEAR_MAX ||
			       !(sframe_follow(cur, last, cur->pc, FOLLOW_RUNS) & LEADS_THERE)))
		return false;
	return sframe_leave_marked_frame(cur, cur->sp, size, 0, to);
}
