// SPDX-License-Identifier: GPL-2.0
/*
 * Where functions begin in code that has gaps between them, filled with what stops (x86-64:
 * V8's builtins, and what is compiled at run time). Asked by way of questions.c.
 */
#include "answers_impl.h"
#include "cursor_impl.h"
#include "follow.h"
#include "questions.h"

/* A function begins behind a gap of so many bytes at least, at a multiple of that. */
#define GAP_MIN		2
#define GAP_ALIGN	16
/* So many places are looked at together, with the bytes of code around them. */
#define PLACES		5
#define CHUNK		(2 * SFRAME_CODE_AFTER + (PLACES - 1) * GAP_ALIGN)
/* The record is made first if that is done by an instruction within so many bytes. */
#define RECORD_AT	8
/* How far before the PC functions begin, at most. */
#define BEGIN_MAX	16384
/* Prices: of reading these; of an instruction; of following a byte of code. */
#define CHUNK_COST	384
#define INSN_COST	144
#define FOLLOW_BYTE	48
/* The search may spend 1 / SEARCH_SHARE of the remaining budget, as may following code. */
#define SEARCH_SHARE	8
#define FOLLOW_SHARE	2

/* What is right before a place where a function may begin. */
enum before {
	NO_GAP,
	A_GAP,
	DOUBTFUL,	/* perhaps a gap */
};

/*
 * Might a byte of the gap that ends at @at be part of an operand, as 0xcccccccd of divisions by
 * 5 and 10, or 0x3dcccccd, which is 0.1? @end: the code there, with %SFRAME_CODE_AFTER bytes
 * before and behind.
 */
static bool may_be_operand(struct sframe_cursor *cur, const u8 *end, u64 at)
{
	struct sframe_insn insn;
	int i;

	for (i = GAP_MIN + 1; i < SFRAME_CODE_AFTER; i++) {
		sframe_cursor_charge(cur, INSN_COST);
		if (cur->abi->insn(end - i, at - i, &insn) && insn.len >= i)
			return true;
	}
	return false;
}

/*
 * Does a call precede the gap, which may then be within a function, as that never returns? So is
 * none that fills most of what is looked at.
 */
static bool is_behind_call(const struct sframe_cursor *cur, const u8 *end, int gap)
{
	return gap + cur->abi->call_len <= SFRAME_CODE_BEFORE &&
	       cur->abi->after_call(end - gap - cur->abi->call_len);
}

/* @end: the code at @at, as for may_be_operand(). */
static enum before look_before(struct sframe_cursor *cur, const u8 *end, u64 at)
{
	int gap = 0;

	if (end[0] == cur->abi->gap_fill)
		return NO_GAP;
	while (gap < SFRAME_CODE_BEFORE && end[-gap - 1] == cur->abi->gap_fill)
		gap++;
	if (gap < GAP_MIN)
		return NO_GAP;
	return may_be_operand(cur, end, at) || is_behind_call(cur, end, gap) ? DOUBTFUL : A_GAP;
}

/**
 * sframe_find_begin() - find where the running function begins, if that is behind a gap
 * @cur: the walk
 * @begin: set to its address; 0 if there is no gap near, or the nearest is in doubt
 *
 * Context: as sframe_cursor_next().
 * Return: false if that is too costly to find out.
 */
bool sframe_find_begin(struct sframe_cursor *cur, u64 *begin)
{
	u32 left = sframe_budget_left(cur) - sframe_budget_left(cur) / SEARCH_SHARE;
	u64 at = cur->pc & ~(u64)(GAP_ALIGN - 1), first;
	const u64 start = cur->pc & ~(u64)(SFRAME_SEARCH_BLOCK - 1);
	bool vain = false;
	u64 block = start;
	enum before before;
	u8 code[CHUNK];
	int i;

	*begin = 0;
	for (; cur->pc - at < BEGIN_MAX && !vain; at -= PLACES * GAP_ALIGN) {
		first = at - (PLACES - 1) * GAP_ALIGN;
		sframe_cursor_charge(cur, CHUNK_COST);
		if (sframe_budget_left(cur) < left)
			return false;
		if (sframe_read_asked(cur, first - SFRAME_CODE_AFTER, code, sizeof(code))) {
			if (!sframe_search_leaves_code(cur, first - SFRAME_CODE_AFTER))
				return false;
			break;
		}
		for (i = (PLACES - 1) * GAP_ALIGN; i >= 0; i -= GAP_ALIGN) {
			before = look_before(cur, code + SFRAME_CODE_AFTER + i, first + i);
			if (before == A_GAP)
				*begin = first + i;
			if (before != NO_GAP)
				return true;
		}
		vain = sframe_search_is_vain(cur, first - 1, &block, GAPS);
	}
	sframe_search_was_vain(cur, start, GAPS);
	return !vain;
}

/**
 * sframe_begin_behind_gap() - where may the running function begin, which has no row?
 * @cur: the walk
 *
 * A function with a row is another one, though its beginning is the last behind a gap.
 *
 * Context: as sframe_cursor_next().
 * Return: the address behind the last gap up to the PC, if no row is known there; else 0.
 *	Whether code leads from there to the PC is not asked.
 */
u64 sframe_begin_behind_gap(struct sframe_cursor *cur)
{
	u64 begin = sframe_code_begin(cur);
	struct sframe_rule rule __uninitialized;
	enum sframe_reason found;

	if (!begin)
		return 0;
	sframe_cursor_charge(cur, SFRAME_COST_CODE);
	found = cur->ops->find(cur->ctx, begin, &rule);
	return found == SFRAME_NO_TABLE || (!found && rule.flags & SFRAME_RULE_NO_FDE) ? begin : 0;
}

/**
 * sframe_makes_record_first() - does the function that begins at @begin make its record there?
 * @cur: the walk
 * @begin: the address, before the PC
 *
 * Context: as sframe_cursor_next().
 * Return: true if one of its first instructions, which is before the PC, does.
 */
bool sframe_makes_record_first(struct sframe_cursor *cur, u64 begin)
{
	u8 code[SFRAME_CODE_BEFORE + RECORD_AT + SFRAME_CODE_AFTER];
	u32 i, looks = 0;
	bool made = false;

	if (!sframe_spend(cur, CHUNK_COST) ||
	    cur->ops->read_code(cur->ctx, begin - SFRAME_CODE_BEFORE, code, sizeof(code)))
		return false;
	for (i = 0; i < RECORD_AT && begin + i < cur->pc && !made; i++)
		made = cur->abi->makes_record(code + SFRAME_CODE_BEFORE + i, begin + i, &looks);
	sframe_cursor_charge(cur, INSN_COST * looks);
	return made;
}

/* Does code lead from @begin to the PC, or around it? Not followed if that takes too much. */
static bool leads_to_pc(struct sframe_cursor *cur, u64 begin)
{
	u8 leads = sframe_followed(cur, begin, cur->pc, 0);

	if (!leads && (cur->pc - begin) * FOLLOW_BYTE < sframe_budget_left(cur) / FOLLOW_SHARE)
		leads = sframe_follow(cur, begin, cur->pc, 0);
	return leads & (LEADS_THERE | LEADS_AROUND);
}

/**
 * sframe_record_made_at_begin() - has the running function made its record where it begins?
 * @cur: the walk
 *
 * Then FP is at that, as compiled code that has given it back calls nobody; only the topmost
 * function may be about to return.
 *
 * Context: as sframe_cursor_next().
 * Return: where it begins, if so; else 0.
 */
u64 sframe_record_made_at_begin(struct sframe_cursor *cur)
{
	u64 begin = cur->topmost ? 0 : sframe_begin_behind_gap(cur);

	if (!begin || !sframe_makes_record_first(cur, begin) || !leads_to_pc(cur, begin))
		return 0;
	return begin;
}
