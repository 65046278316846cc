// SPDX-License-Identifier: GPL-2.0
/*
 * What code says of a word that looks like a return address: can the function
 * that is running return to there?
 *
 * A call says which function it calls. So a word left over on the stack, or in
 * the link register, can mostly be told from the return address of the function
 * that is running: it follows a call of another one. And a function whose code
 * made a frame record before the PC has its own record at FP.
 *
 * Where a function begins is not known here, as there is no table. What is looked
 * for, in the code before the PC, is how compilers end one: a return, and padding
 * up to where the next one is aligned.
 */
#include "cursor_impl.h"

/* Code before the PC that is looked at; at a time; its price in words. */
#define WINDOW		2048
#define CHUNK		64
#define CHUNK_COST	4
/* Most functions are no longer than that. */
#define FUNCTION_MAX	65536
/* Bytes before and after an address that the ABI's functions look at. */
#define BEFORE		SFRAME_ENDS_BEFORE
#define AFTER		8

/* Bytes of the instruction that makes a record, at most. */
#define RECORD_LEN	4
/* Jumps ahead whose targets are remembered. */
#define NR_JUMPS	32

/* What a piece of code has in it. */
struct code_seen {
	u64 start;	/* where the last function in it begins, or the piece */
	bool end;	/* another function ends in it */
	bool record;	/* the last function makes a frame record in it */
	u64 jump[NR_JUMPS];	/* where its jumps go, the last ones */
	u32 nr_jumps;
};

static bool is_jumped_to(const struct code_seen *seen, u64 at)
{
	unsigned int i;

	for (i = 0; i < NR_JUMPS; i++) {
		if (seen->jump[i] == at)
			return true;
	}
	return false;
}

static void begin_function(struct code_seen *seen, u64 at, u64 from)
{
	seen->start = at;
	seen->end = at != from;
	seen->record = false;
}

/* Look at what is at @at, at @code; @left: bytes up to the PC. */
static void look_at(const struct sframe_abi *abi, struct code_seen *seen,
		    const u8 *code, u64 at, u64 left)
{
	u64 to;

	/* Code behind a return is aligned, too, where it is jumped to. */
	if (at > seen->start && abi->ends_function(code, at) &&
	    !is_jumped_to(seen, at))
		begin_function(seen, at, 0);
	if (left < RECORD_LEN)
		return;
	if (abi->makes_record(code, at))
		seen->record = true;
	to = abi->jump_target(code, at);
	if (to > at && to - at <= WINDOW)
		seen->jump[seen->nr_jumps++ % NR_JUMPS] = to;
}

/*
 * Look at the code from @from up to @to. False: too costly, or the end of it is
 * unreadable; where the beginning is, functions begin behind.
 */
static bool look_at_code(struct sframe_cursor *cur, u64 from, u64 to,
			 struct code_seen *seen)
{
	u8 code[BEFORE + CHUNK + AFTER];
	u64 at, i;

	memset(seen, 0, sizeof(*seen));
	begin_function(seen, from, from);
	for (at = from; at < to; at += CHUNK) {
		if (!sframe_spend(cur, CHUNK_COST))
			return false;
		if (cur->ops->read_code(cur->ctx, at - BEFORE, code, sizeof(code))) {
			begin_function(seen, at + CHUNK, from);
			continue;
		}
		for (i = 0; i < CHUNK && at + i < to; i++)
			look_at(cur->abi, seen, code + BEFORE + i, at + i,
				to - at - i);
	}
	return seen->start <= to;
}

/* Is @pc in the function that begins at @start, as far as code tells? */
static bool in_function(struct sframe_cursor *cur, u64 start, u64 pc)
{
	struct code_seen seen;

	return start <= pc && pc - start <= WINDOW &&
	       look_at_code(cur, start, pc, &seen) && !seen.end;
}

/**
 * sframe_call_target() - the function that is called before a return address
 * @cur: the walk
 * @ra: the address
 *
 * Return: its address, 0 if the call does not say.
 */
u64 sframe_call_target(const struct sframe_cursor *cur, u64 ra)
{
	u8 code[SFRAME_CALL_LEN_MAX];
	unsigned int len = cur->abi->call_len;

	if (cur->ops->read_code(cur->ctx, ra - len, code, len))
		return 0;
	return cur->abi->call_target(code, ra);
}

/* Does code from the target of the call on make a record at once? */
static bool begins_with_record(struct sframe_cursor *cur, u64 target)
{
	u64 end = target + CHUNK < cur->pc ? target + CHUNK : cur->pc;
	struct code_seen head;

	return look_at_code(cur, target, end, &head) && head.record;
}

/*
 * Has the running function made the record at FP? If so, it begins at
 * @claim->start at the earliest. If not, and all of its code up to the PC was
 * seen, it certainly has not.
 *
 * Returns are followed by aligned code in the middle of functions, too. If the
 * call before RA is of a function before the PC that makes a record, and nothing
 * is known of the file, then what follows such a place is taken for a part of
 * it, unless the frame is the topmost: functions that call others make records
 * in a file that has such functions at all.
 */
static void ask_for_record(struct sframe_cursor *cur, struct sframe_claim *claim)
{
	u64 pc = cur->pc, from = pc - WINDOW, target = claim->target;
	struct code_seen seen;
	bool ours = target && target <= pc;

	if (ours && target > from)
		from = target;
	if (!look_at_code(cur, from, pc, &seen))
		return;
	claim->start = ours ? target : pc - FUNCTION_MAX;
	if (seen.end && seen.record)
		claim->start = seen.start;
	if (seen.record)
		claim->holds = ours || seen.end || !target;
	else if (ours && (!seen.end || (claim->bare && !cur->topmost)))
		claim->holds = begins_with_record(cur, target);
	claim->certain = claim->holds && ours && !seen.end && target >= from;
	claim->refuted = !claim->holds && !seen.record &&
			 (seen.end || (target && !ours));
}

/**
 * sframe_claim_holds() - is a record shown to be the running function's own?
 * @cur: the walk
 * @claim: what is known of it; the rest is found out here
 *
 * A call of this very function before the RA is enough if it is code that says
 * where the RA lies.
 *
 * Context: as sframe_cursor_next().
 * Return: true if so.
 */
bool sframe_claim_holds(struct sframe_cursor *cur, struct sframe_claim *claim)
{
	if (claim->asked || !cur->abi->ends_function)
		return claim->holds;
	claim->asked = true;
	claim->target = sframe_call_target(cur, claim->ra);
	if (!claim->by_code) {
		ask_for_record(cur, claim);
	} else if (claim->target) {
		claim->start = claim->target;
		claim->holds = in_function(cur, claim->target, cur->pc);
	}
	return claim->holds;
}

/* Is @word in the function that is running: left over from a call it made? */
static bool in_same_function(struct sframe_cursor *cur, u64 word)
{
	return word < cur->pc ? in_function(cur, word, cur->pc) :
				in_function(cur, cur->pc, word);
}

/**
 * sframe_judge_word() - can the running function return to there?
 * @cur: the walk, in a frame without a row
 * @claim: what speaks for its frame record
 * @word: an address behind a call
 *
 * If the record is shown to be the function's own, a word that follows a call of
 * another function is left over, and so is one that follows an indirect call. But
 * not in the topmost frame, unless it is certain where its function begins, or
 * the call was made by it: behind it there may be a function that makes no record.
 *
 * Context: as sframe_cursor_next().
 * Return: what the word is.
 */
enum sframe_word sframe_judge_word(struct sframe_cursor *cur,
				   struct sframe_claim *claim, u64 word)
{
	u64 target;

	if (!cur->abi->ends_function)
		return SFRAME_WORD_DOUBTFUL;
	target = sframe_call_target(cur, word);
	if (cur->topmost && target == cur->pc && !claim->by_code)
		return SFRAME_WORD_RA;
	if (sframe_claim_holds(cur, claim)) {
		if (target >= claim->start && target <= cur->pc)
			return SFRAME_WORD_DOUBTFUL;
		if (target || !cur->topmost || claim->certain ||
		    in_same_function(cur, word))
			return SFRAME_WORD_STALE;
		return SFRAME_WORD_DOUBTFUL;
	}
	if (claim->refuted && !claim->by_code && target &&
	    in_function(cur, target, cur->pc))
		return SFRAME_WORD_RA;
	return SFRAME_WORD_DOUBTFUL;
}
