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
#include "cursor_impl.h"
#include "follow.h"
#include "leave.h"

/* Entry points are aligned to this, and lie at most this far behind the code's beginning. */
#define ENTRY_ALIGN	16
#define BEFORE_ENTRY	8192
/* Calls that HotSpot may patch are aligned so that this is what they return to. */
#define MARK_ALIGN	4
/* SP is aligned to that at calls. */
#define CALL_ALIGN	16
/* A stub saves all registers, those of vectors included, in fewer bytes. */
#define COPY_BELOW	1024
/* A mark is looked for that far behind the PC, for a part of what is left. */
#define AHEAD_MAX	8192
#define AHEAD_SHARE	8
/* Bytes that are read at a time then, and what that costs. */
#define AHEAD_CHUNK	96
#define AHEAD_COST	(SFRAME_COST_CODE + 128)
/* A part of a function that moves SP for a while has no more instructions; a price of one. */
#define APART_MAX	96
#define INSN_COST	128
/* Prices: of looking for a mark; of a chunk that is read. */
#define MARK_COST	64
#define CHUNK		64
#define CHUNK_COST	SFRAME_COST_CODE

/* How far before @ra the memory begins that holds the function which has called; 0: no mark. */
static u64 read_call_mark(struct sframe_cursor *cur, u64 ra)
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
 * sframe_has_call_mark() - has a function called that HotSpot has compiled?
 * @cur: the walk
 * @ra: where it is returned to, without a PAC
 *
 * Context: as sframe_cursor_next().
 * Return: true if a mark is there.
 */
bool sframe_has_call_mark(struct sframe_cursor *cur, u64 ra)
{
	return read_call_mark(cur, ra);
}

/* The size of the frame that is made in the chunk at @at, before @to, or 0. False: unreadable. */
static bool read_frame_size(struct sframe_cursor *cur, u64 at, u64 to, u64 *size)
{
	u8 code[CHUNK + SFRAME_FRAME_MADE_LEN];
	unsigned int i;

	*size = 0;
	if (!sframe_spend(cur, CHUNK_COST) ||
	    cur->ops->read_code(cur->ctx, at, code, sizeof(code)))
		return false;
	for (i = 0; !*size && i < CHUNK && at + i < to; i += ENTRY_ALIGN)
		*size = cur->abi->frame_made(code + i);
	return true;
}

/*
 * How far below its RA the first function has SP whose code is between @from and @to; 0:
 * not found. What comes before the function is about as long as the last time; in its code,
 * another frame of it has the same size.
 */
static u64 find_frame_size(struct sframe_cursor *cur, u64 from, u64 to)
{
	u64 at, size;

	from &= ~(ENTRY_ALIGN - 1ull);
	at = from + cur->frame_made_at;
	if (cur->frame_made_at && at < to && read_frame_size(cur, at, to, &size) && size)
		return size;
	for (at = from; at < to && at - from < BEFORE_ENTRY; at += CHUNK) {
		if (!read_frame_size(cur, at, to, &size))
			return 0;
		if (size) {
			cur->frame_made_at = at - from;
			return size;
		}
	}
	return 0;
}

/*
 * Leave a frame with SP at @sp, and the RA @size bytes above. If FP is to be put at @fp_at yet,
 * it is still in its register.
 */
static bool leave_marked_frame(struct sframe_cursor *cur, u64 sp, u64 size, u64 fp_at,
			       struct sframe_frame *to)
{
	u64 ra_at;

	if (sp % CALL_ALIGN || !sframe_add(sp, size, &ra_at))
		return false;
	*to = (struct sframe_frame){
		.cfa = ra_at + sizeof(u64),
		.sp = ra_at + sizeof(u64),
		.sp_known = true,
		.fp = cur->fp,
		.fp_known = cur->fp_known,
		.fallback = true,
	};
	if (to->cfa <= cur->cfa || !sframe_read_word(cur, ra_at, &to->ra))
		return false;
	if (fp_at != ra_at - sizeof(u64)) {
		to->fp_known = true;
		if (!sframe_read_word(cur, ra_at - sizeof(u64), &to->fp))
			return false;
	}
	return sframe_resume_at(cur, ra_at, to) ||
	       sframe_is_return_address(cur, to->ra & cur->ra_bits);
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
	back = read_call_mark(cur, cur->pc);
	size = back ? find_frame_size(cur, cur->pc - back, cur->pc) : 0;
	if (!size || size % sizeof(u64))
		return false;
	if (leave_marked_frame(cur, cur->sp, size, 0, to))
		return true;
	sp = find_sp_above_ra_copy(cur, size);
	return sp && leave_marked_frame(cur, sp, size, 0, to);
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
	back = read_call_mark(cur, last);
	begin = last - back;
	made = cur->pc - SFRAME_FRAME_MADE_LEN;
	if (!back || begin >= made || made - begin >= BEFORE_ENTRY)
		return false;
	size = find_frame_size(cur, begin, made);
	if (!size || size % sizeof(u64))
		return false;
	/* Behind the call may be what was called: the same function only if code leads there. */
	if (last < cur->pc && (cur->pc - last > SFRAME_NEAR_MAX ||
			       !(sframe_follow(cur, last, cur->pc, FOLLOW_RUNS) & LEADS_THERE)))
		return false;
	return leave_marked_frame(cur, cur->sp, size, 0, to);
}

/* Where the next call behind the PC returns to that has a mark; 0: none near. */
static u64 find_mark_ahead(struct sframe_cursor *cur)
{
	u32 left = sframe_budget_left(cur) / AHEAD_SHARE / AHEAD_COST;
	u64 at = cur->pc & ~(MARK_ALIGN - 1ull);
	const u32 looks = AHEAD_CHUNK - SFRAME_CALL_MARK_LEN;
	u8 code[AHEAD_CHUNK];
	u32 off;

	for (; left && at - cur->pc + MARK_ALIGN < AHEAD_MAX; left--, at += looks) {
		if (!sframe_spend(cur, AHEAD_COST) ||
		    cur->ops->read_code(cur->ctx, at, code, sizeof(code)))
			return 0;
		off = cur->abi->find_call_mark(code, looks);
		if (off < looks)
			return at + off;
	}
	return 0;
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
	return target >= from && target < made &&
	       read_frame_size(cur, target & ~(ENTRY_ALIGN - 1ull), made, &found) && found == size;
}

/*
 * May SP be elsewhere for a while? Parts of functions that are apart from the rest make room for
 * registers, and what is there may be an older call's: then SP is moved back before the code stops.
 */
static bool moves_sp(struct sframe_cursor *cur)
{
	struct leave_code code = { .read = cur->ops->read_code, .ctx = cur->ctx };
	unsigned int i, len;
	struct sframe_insn insn;
	u64 at = cur->pc;
	const u8 *bytes;

	for (i = 0; i < APART_MAX; i++, at += insn.len) {
		if (!sframe_spend(cur, INSN_COST))
			return true;
		bytes = leave_code_at(&code, at, LEAVE_INSN_MAX, &len);
		if (!bytes || cur->abi->sp_after(bytes) == SFRAME_SP_MOVED ||
		    !cur->abi->insn(bytes, at, &insn) || insn.len > len)
			return true;
		if (insn.flags & SFRAME_INSN_STOPS)
			break;
	}
	return false;
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
	u64 ra, back, size, begin, made = cur->pc - SFRAME_FRAME_MADE_LEN;

	if (!cur->topmost || !cur->abi->find_call_mark || !cur->sp_known)
		return false;
	ra = find_mark_ahead(cur);
	back = ra ? read_call_mark(cur, ra) : 0;
	begin = ra - back;
	if (!back || begin >= made)
		return false;
	size = find_frame_size(cur, begin, made);
	return size && size % sizeof(u64) == 0 && leave_marked_frame(cur, cur->sp, size, 0, to) &&
	       has_called_function(cur, to, begin, made, size) && !moves_sp(cur);
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
	u64 back = read_call_mark(cur, lv->mark), size, fp_at;

	size = back ? find_frame_size(cur, lv->mark - back, lv->mark) : 0;
	if (!size || size % sizeof(u64) || !leave_marked_frame(cur, lv->sp, size, lv->fp_at, to))
		return false;
	fp_at = to->cfa - 2 * sizeof(u64);
	return lv->fp_at == fp_at || fp_at >= cur->sp;
}
