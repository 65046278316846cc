// SPDX-License-Identifier: GPL-2.0
/*
 * Words of the stack, and of the link register, that look like return addresses. A
 * function without a row returns to one of them; so an RA that was found otherwise
 * (fallback.c) is verified by looking whether another word might be it.
 */
#include "cursor_impl.h"

/* An RA is verified only if it lies at most this many bytes above SP. */
#define SCAN_MAX	4096
/* Bytes of stack read at a time while verifying. */
#define SCAN_CHUNK	128
/* Price of each word that is looked at. */
#define WORD_COST	48
/* Price of each byte that is searched for a copy of the RA. */
#define COPY_COST	1
/* No stack is realigned to more than this; AVX-512 wants 64. */
#define REALIGN_MAX	512

/*
 * Is the call before @ra one that does not return there? Only code without rules jumps so;
 * elsewhere the next function may begin at @ra.
 */
static bool call_is_jump(const struct sframe_cursor *cur, u64 ra, bool has_rule)
{
	u8 code[SFRAME_CALL_IS_JUMP_LEN];

	return cur->abi->call_is_jump && !has_rule &&
	       !cur->ops->read_code(cur->ctx, ra, code, sizeof(code)) &&
	       cur->abi->call_is_jump(code);
}

/*
 * Is there a call right before @ra, or code that makes an RA (made_ra)? @unreadable if
 * the code cannot be read.
 */
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

/*
 * Could code return to @word: after a call, to an interpreter, or to a signal
 * trampoline? In doubt, yes.
 */
static noinline bool may_be_returned_to(struct sframe_cursor *cur, u64 word)
{
	const struct sframe_sigframe *frame;

	if (follows_call(cur, word, true) || sframe_resumes(cur, word))
		return true;
	sframe_cursor_charge(cur, cur->abi->made_ra ? 2 * SFRAME_COST_CODE :
						      SFRAME_COST_CODE);
	return sframe_sigreturn_at(cur, word, true, &frame) || frame;
}

/* Could @word be a return address, as there is code before it? For most words it cannot. */
static __always_inline bool may_be_code(struct sframe_cursor *cur, u64 word)
{
	struct sframe_rule rule __uninitialized;

	return word &&
	       sframe_maybe_executable(cur->ops->find(cur->ctx, word - 1, &rule));
}

/*
 * x86-64: can @word, at @at, be ruled out as the RA? If the function returned there,
 * the rule of the code at @word would say where that code's own RA is. If that is
 * neither 0, as where a stack ends, nor an address of code, @word was left over from an
 * older call. An address of code that follows no call rules nothing out: somebody may
 * have stored it on purpose.
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
	if (!claim->by_code && !follows_call(cur, word, true) && sframe_resume_is_stale(cur, word))
		return false;
	switch (sframe_judge_word(cur, claim, word)) {
	case SFRAME_WORD_STALE:
		return false;
	case SFRAME_WORD_RA:
		if (!found || found->at)
			return true;
		*found = (struct sframe_found_ra){ .at = at, .ra = word };
		return false;
	default:
		/* Above the function's own RA lie those of its callers. */
		return (!found || !found->at) && !word_has_no_caller(cur, word, at) &&
		       !sframe_left_by_lisp(cur, word, at);
	}
}

/**
 * sframe_scan_words() - might another word be the running function's RA?
 * @cur: the walk
 * @from: address to begin at, aligned to a word
 * @to: address to end at, aligned to a word: where the RA lies that was found
 * @claim: what speaks for that RA
 * @found: if not NULL, a word that is shown to be the RA is stored there, and is no
 *	failure
 *
 * Context: as sframe_cursor_next().
 * Return: SFRAME_OK if none might be; SFRAME_FP_HIDDEN_RA if one might, or
 *	SFRAME_FP_TOO_FAR, SFRAME_FP_TOO_COSTLY or SFRAME_UNREADABLE if the stack was
 *	not looked at
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
 * sframe_is_return_address() - does an address follow a call, in executable memory?
 * @cur: the walk
 * @ra: an address, without a PAC
 *
 * Context: as sframe_cursor_next().
 * Return: true if so; false if the code cannot be read.
 */
bool sframe_is_return_address(const struct sframe_cursor *cur, u64 ra)
{
	enum sframe_reason no_table;
	struct sframe_rule rule;

	if (!ra)
		return false;
	no_table = cur->ops->find(cur->ctx, ra - 1, &rule);
	return sframe_executable(no_table) && follows_call(cur, ra, false) &&
	       !call_is_jump(cur, ra, !no_table && !(rule.flags & SFRAME_RULE_NO_FDE));
}

/**
 * sframe_may_be_ra() - could code return to a word?
 * @cur: the walk
 * @word: the word
 *
 * Context: as sframe_cursor_next().
 * Return: true if it could, as far as mappings and code tell; in doubt, true.
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
 * sframe_other_in_register() - does the link register (or that of an interpreter's)
 *	look like another RA?
 * @cur: the walk; only the topmost frame's registers are known
 * @ra: the RA that was found
 * @claim: what speaks for that RA
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
	if (!cur->topmost || cur->abi->ra_reg < 0 || word == ra || !may_be_code(cur, word))
		return false;
	/* In setcontext(), FP may be that of who goes on, behind what x30 says. */
	if (sframe_goes_on_at(cur, word))
		return true;
	return may_be_returned_to(cur, word) &&
	       word_speaks_against(cur, claim, word, 0, NULL);
}

/**
 * sframe_ra_is_copy() - is a RA the copy of one farther up?
 * @cur: the walk
 * @slot: address that it lies at
 * @ra: the RA
 *
 * A function that realigns its stack (gcc: DRAP) pushes a copy of its RA, and
 * then its record below that: where the record ends is not the caller's SP.
 *
 * Such a function saves one register at most, by which it finds its arguments, then
 * clears low bits of SP, and pushes the copy at once. So the end of the copy is aligned
 * as was asked for, and RA lies above it by less than that and a word.
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
