// SPDX-License-Identifier: GPL-2.0
/*
 * Words of the stack, and of the link register, that look like return addresses.
 */
#include "cursor_impl.h"

/* Frames are not verified over more stack than this. */
#define SCAN_MAX	4096
/* Bytes of stack read at a time while verifying. */
#define SCAN_CHUNK	128
/* Prices: of a word looked at. */
#define WORD_COST	48
/* And of a byte in which a copy of the RA is looked for. */
#define COPY_COST	1
/* Stack is realigned to no more than this; AVX-512 wants 64. */
#define REALIGN_MAX	512

/* Do the bytes before @ra end with a call? @unreadable if they cannot be read. */
static bool follows_call(const struct sframe_cursor *cur, u64 ra, bool unreadable)
{
	u8 code[SFRAME_CALL_LEN_MAX], more[SFRAME_MADE_RA_LEN];
	const struct sframe_abi *abi = cur->abi;
	unsigned int len = abi->call_len;

	if (cur->ops->read_code(cur->ctx, ra - len, code, len))
		return unreadable;
	if (abi->after_call(code))
		return true;
	return abi->made_ra &&
	       !cur->ops->read_code(cur->ctx, ra - sizeof(more), more, sizeof(more)) &&
	       abi->made_ra(more);
}

/* Could code return to @word, as far as what is there tells? In doubt, yes. */
static noinline bool may_be_returned_to(struct sframe_cursor *cur, u64 word)
{
	const struct sframe_sigframe *frame;

	if (follows_call(cur, word, true) || sframe_resumes(cur, word))
		return true;
	sframe_cursor_charge(cur, cur->abi->made_ra ? 2 * SFRAME_COST_CODE :
						      SFRAME_COST_CODE);
	return sframe_sigreturn_at(cur, word, true, &frame) || frame;
}

/* Could there be code at @word? Mostly not. */
static __always_inline bool may_be_code(struct sframe_cursor *cur, u64 word)
{
	struct sframe_rule rule __uninitialized;

	return word &&
	       sframe_maybe_executable(cur->ops->find(cur->ctx, word - 1, &rule));
}

/*
 * If the function returned to @word, which lies at @at, who is there would have a RA of its
 * own where its rule says, or 0 where a stack ends; or that is code, but follows no call,
 * where somebody made it up. What older calls have left mostly finds none (x86-64).
 */
static bool word_has_no_caller(struct sframe_cursor *cur, u64 word, u64 at)
{
	u64 ra_at, ra;

	if (cur->abi->fallback != SFRAME_FALLBACK_FP_CFA || !at)
		return false;
	sframe_cursor_charge(cur, SFRAME_COST_CODE);
	return !sframe_ra_of_caller(cur, word, at + sizeof(u64), &ra_at) &&
	       sframe_read_word(cur, ra_at, &ra) && ra && !may_be_code(cur, ra);
}

/* Does a word that looks like an RA speak against the record? */
static bool word_speaks_against(struct sframe_cursor *cur, struct sframe_claim *claim,
				u64 word, u64 at, struct sframe_found_ra *found)
{
	switch (sframe_judge_word(cur, claim, word)) {
	case SFRAME_WORD_STALE:
		return false;
	case SFRAME_WORD_RA:
		if (!found || found->at)
			return true;
		*found = (struct sframe_found_ra){ .at = at, .ra = word };
		return false;
	default:
		/* Above the RA are those of the callers. */
		return (!found || !found->at) && !word_has_no_caller(cur, word, at) &&
		       !sframe_left_by_lisp(cur, word, at);
	}
}

/**
 * sframe_scan_words() - is there a word that can be where the running function returns?
 * @cur: the walk
 * @from: where to begin, aligned
 * @to: where to end, aligned
 * @claim: what else speaks for the RA that was found
 * @found: if not NULL, one such word is put there instead
 *
 * Context: as sframe_cursor_next().
 * Return: SFRAME_OK if not, else why nothing is sure.
 */
enum sframe_reason sframe_scan_words(struct sframe_cursor *cur, u64 from, u64 to,
				     struct sframe_claim *claim,
				     struct sframe_found_ra *found)
{
	u64 words[SCAN_CHUNK / sizeof(u64)] __uninitialized;
	unsigned int i, len;
	u64 word;

	if (to > from && to - from > SCAN_MAX)
		return SFRAME_FP_TOO_FAR;
	for (; from < to; from += len) {
		len = to - from < SCAN_CHUNK ? to - from : SCAN_CHUNK;
		if (cur->ops->read(cur->ctx, from, words, len))
			return SFRAME_UNREADABLE;
		for (i = 0; i < len / sizeof(u64); i++) {
			word = words[i] & cur->ra_bits;
			if (!may_be_code(cur, word))
				continue;
			if (!sframe_spend(cur, SFRAME_COST_CODE))
				return SFRAME_FP_TOO_COSTLY;
			if (may_be_returned_to(cur, word) &&
			    word_speaks_against(cur, claim, word, from + 8 * i, found))
				return SFRAME_FP_HIDDEN_RA;
		}
		if (!sframe_spend(cur, WORD_COST / sizeof(u64) * len))
			return SFRAME_FP_TOO_COSTLY;
	}
	return SFRAME_OK;
}

/**
 * sframe_is_return_address() - does code there follow a call?
 * @cur: the walk
 * @ra: an address, without a PAC
 *
 * Context: as sframe_cursor_next().
 * Return: that; false if the code cannot be read.
 */
bool sframe_is_return_address(const struct sframe_cursor *cur, u64 ra)
{
	struct sframe_rule rule;

	return ra &&
	       sframe_executable(cur->ops->find(cur->ctx, ra - 1, &rule)) &&
	       follows_call(cur, ra, false);
}

/**
 * sframe_may_be_ra() - could code return to a word?
 * @cur: the walk
 * @word: the word
 *
 * Context: as sframe_cursor_next().
 * Return: as far as what is there tells; in doubt, true.
 */
bool sframe_may_be_ra(struct sframe_cursor *cur, u64 word)
{
	sframe_cursor_charge(cur, WORD_COST);
	if (!may_be_code(cur, word))
		return false;
	sframe_cursor_charge(cur, SFRAME_COST_CODE);
	return may_be_returned_to(cur, word);
}

/**
 * sframe_other_in_register() - does a register look like another RA?
 * @cur: the walk; only the topmost frame's registers are known
 * @ra: the RA that was found
 * @claim: what else speaks for it
 *
 * Context: as sframe_cursor_next().
 * Return: true if so.
 */
bool sframe_other_in_register(struct sframe_cursor *cur, u64 ra,
			      struct sframe_claim *claim)
{
	u64 word = cur->ra & cur->ra_bits;

	if (sframe_resume_in_register(cur))
		return true;
	return cur->topmost && cur->abi->ra_reg >= 0 && word != ra &&
	       may_be_code(cur, word) && may_be_returned_to(cur, word) &&
	       word_speaks_against(cur, claim, word, 0, NULL);
}

/**
 * sframe_ra_is_copy() - is a RA the copy of one further up?
 * @cur: the walk
 * @slot: where it lies
 * @ra: what it is
 *
 * A function that realigns its stack (gcc: DRAP) pushes a copy of its RA, and
 * then its record below that: where the record ends is not the caller's SP.
 *
 * Such a function saves one register at most, the one for its arguments, then
 * clears low bits of SP, and pushes the copy at once. So the end of the copy has
 * the alignment that was asked for, and by less than that, and a word, the RA lies
 * above it.
 *
 * Context: as sframe_cursor_next().
 * Return: true if so (x86-64).
 */
bool sframe_ra_is_copy(struct sframe_cursor *cur, u64 slot, u64 ra)
{
	u64 words[SCAN_CHUNK / sizeof(u64)] __uninitialized;
	u64 at = slot + sizeof(u64), left;
	unsigned int i, len;

	if (cur->abi->fallback != SFRAME_FALLBACK_FP_CFA)
		return false;
	left = at & -at;
	left = (left < REALIGN_MAX ? left : REALIGN_MAX) + sizeof(u64);
	for (; left; at += len, left -= len) {
		len = left < SCAN_CHUNK ? left : SCAN_CHUNK;
		if (cur->ops->read(cur->ctx, at, words, len))
			return false;
		sframe_cursor_charge(cur, COPY_COST * len);
		for (i = 0; i < len / sizeof(u64); i++) {
			if (words[i] == ra)
				return true;
		}
	}
	return false;
}
