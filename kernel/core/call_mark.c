// SPDX-License-Identifier: GPL-2.0
/*
 * Callers that HotSpot has compiled (OpenJDK 21 and later): behind each call of theirs is
 * an instruction that does nothing, but says how far before it lies what holds the
 * function. There is where its frame is made, once, and as large as it stays.
 *
 * That is exact, and quickly found, for loops that never end as well, which no code says
 * how to leave.
 */
#include "cursor_impl.h"

/* Functions are entered at multiples of that, behind what is said of them. */
#define ENTRY_ALIGN	16
#define BEFORE_ENTRY	8192
/* Calls are made with SP aligned to that. */
#define CALL_ALIGN	16
/* All registers, with those of vectors, are saved in less. */
#define COPY_BELOW	1024
/* Prices: of looking for a mark; of so much that is read at a time. */
#define MARK_COST	64
#define CHUNK		64
#define CHUNK_COST	128

/* The frame of what is held between @from and the PC, in bytes below its RA; or 0. */
static u64 find_frame_size(struct sframe_cursor *cur, u64 from)
{
	u8 code[CHUNK + SFRAME_FRAME_MADE_LEN];
	unsigned int i;
	u64 at, size;

	for (at = from & ~(ENTRY_ALIGN - 1ull);
	     at < cur->pc && at - from < BEFORE_ENTRY; at += CHUNK) {
		if (!sframe_spend(cur, CHUNK_COST) ||
		    cur->ops->read_code(cur->ctx, at, code, sizeof(code)))
			return 0;
		for (i = 0; i < CHUNK && at + i < cur->pc; i += ENTRY_ALIGN) {
			size = cur->abi->frame_made(code + i);
			if (size)
				return size;
		}
	}
	return 0;
}

/* Leave the frame with SP at @sp, which has its RA so many bytes above. */
static bool leave_marked_frame(struct sframe_cursor *cur, u64 sp, u64 size, struct sframe_frame *to)
{
	u64 ra_at;

	if (sp % CALL_ALIGN || !sframe_add(sp, size, &ra_at))
		return false;
	*to = (struct sframe_frame){
		.cfa = ra_at + sizeof(u64),
		.sp = ra_at + sizeof(u64),
		.sp_known = true,
		.fp_known = true,
		.fallback = true,
	};
	if (to->cfa <= cur->cfa || !sframe_read_word(cur, ra_at, &to->ra) ||
	    !sframe_read_word(cur, ra_at - sizeof(u64), &to->fp))
		return false;
	return sframe_resume_at(cur, ra_at, to) ||
	       sframe_is_return_address(cur, to->ra & cur->ra_bits);
}

/*
 * What saves all registers has the RA in one of them, too: then what led here took that
 * for the RA. Where it really was, SP was right above; 0: nowhere. Not if there is code's
 * address for a RA, though no call's: so it is where HotSpot has put another one, and what
 * else returns here is the same function farther out.
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
 * sframe_step_by_call_mark() - leave a frame of which the code behind a call tells
 * @cur: the walk, in a frame without a table
 * @to: filled in
 *
 * Context: as sframe_cursor_next().
 * Return: true if it tells, and what is on the stack is a RA.
 */
bool sframe_step_by_call_mark(struct sframe_cursor *cur, struct sframe_frame *to)
{
	const struct sframe_abi *abi = cur->abi;
	u8 mark[SFRAME_CALL_MARK_LEN];
	u64 back, size, sp;

	if (cur->topmost || !abi->call_mark || !cur->sp_known || cur->sp % sizeof(u64))
		return false;
	sframe_cursor_charge(cur, MARK_COST);
	if (cur->ops->read_code(cur->ctx, cur->pc, mark, sizeof(mark)))
		return false;
	back = abi->call_mark(mark);
	size = back && back < cur->pc ? find_frame_size(cur, cur->pc - back) : 0;
	if (!size || size % sizeof(u64))
		return false;
	if (leave_marked_frame(cur, cur->sp, size, to))
		return true;
	sp = find_sp_above_ra_copy(cur, size);
	return sp && leave_marked_frame(cur, sp, size, to);
}
