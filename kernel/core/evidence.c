// SPDX-License-Identifier: GPL-2.0
/*
 * What code without a table shows of a word that looks like a return address: can the
 * running function return to there? Asked for each word that speaks against an RA, and for RAs
 * that nothing else supports (words.c, fallback.c, way_out.c).
 *
 * A direct call names the function that it calls. So a word left over on the stack, or
 * in the link register, can mostly be told from the running function's RA: it follows a
 * call of another function. And a function whose code makes a frame record before the
 * PC has its own record at FP.
 *
 * Code is followed up to the PC (follow.c) from where a record is made, or from the
 * beginning of a function that is called. If it leads to the PC, or around it, the PC
 * is in that function. If each way ends before the PC, it is not. Else nothing was
 * shown.
 */
#include "cursor_impl.h"
#include "follow.h"

/* A function usually makes its record within this many bytes of its beginning. */
#define PROLOGUE	64
/* Price of an instruction looked at. */
#define INSN_COST	144

/* Price of asking sframe_abi.leave once more; SFRAME_COST_STEP has room for the first time. */
#define LEAVE_AGAIN	512

/*
 * Functions compiled at run time are aligned to that, behind data, of which 4 bytes are
 * looked at.
 */
#define BEGINS_ALIGN	32
#define BEGINS_BEFORE	4
/* Bytes before the PC in which an instruction is looked for that marks a function's entry. */
#define ENTERED_BEFORE	64

/* Code is bare if no function with CFI lies within this distance, bytes; price of finding out. */
#define BARE_AROUND	65536
#define BARE_COST	256
/* And of finding a mapping. */
#define FIND_COST	64

/* How code leads from @from to the PC, LEADS_*; 0 also if that is too far. */
static u8 ways_to_pc(struct sframe_cursor *cur, u64 from)
{
	if (cur->pc - from > SFRAME_NEAR_MAX)
		return 0;
	return sframe_follow(cur, from, cur->pc, sframe_comes_to_pc(cur));
}

/* What FP can be at the PC if code leads there from @from, LEADS_FP_*; 0 if it does not. */
static u8 follow_to_pc(struct sframe_cursor *cur, u64 from)
{
	return ways_to_pc(cur, from) & LEADS_THERE;
}

/**
 * sframe_code_is_bare() - is nothing known of the code at the PC, nor of what is around it?
 * @cur: the walk
 * @no_row: why the frame cannot be left by a rule
 *
 * True of a whole file, or of a large part of one: with cgo, Go's code, which has no
 * CFI, is in one file with C's.
 *
 * Context: as sframe_cursor_next().
 * Return: true if so.
 */
bool sframe_code_is_bare(struct sframe_cursor *cur, enum sframe_reason no_row)
{
	static const s32 around[4] = { -BARE_AROUND, BARE_AROUND,
				       -BARE_AROUND / 8, BARE_AROUND / 8 };
	struct sframe_rule rule __uninitialized;
	unsigned int i;

	if (no_row != SFRAME_NO_FDE)
		return no_row == SFRAME_NO_TABLE;
	sframe_cursor_charge(cur, BARE_COST);
	for (i = 0; i < 4; i++) {
		if (cur->ops->find(cur->ctx, cur->pc + around[i], &rule) ||
		    !(rule.flags & SFRAME_RULE_NO_FDE))
			return false;
	}
	return true;
}

/* Does @code, from @from up to the PC, lead there with neither a call nor a record made? */
static bool leads_without_call(struct sframe_cursor *cur, const u8 *code, u64 from)
{
	struct sframe_insn insn;
	u64 at;

	for (at = from; at < cur->pc; at += insn.len) {
		sframe_cursor_charge(cur, INSN_COST);
		if (!cur->abi->insn(code + (at - from), at, &insn) ||
		    insn.flags & SFRAME_INSN_CALLS)
			return false;
	}
	return follow_to_pc(cur, from) == LEADS_FP_OTHER;
}

/*
 * Does an instruction that marks a function's entry, where RA is in its register, come
 * shortly before the PC, with no call, return or jump in between?
 */
static bool was_entered_nearby(struct sframe_cursor *cur)
{
	u8 code[ENTERED_BEFORE + SFRAME_CODE_AFTER] = {};
	unsigned int at = ENTERED_BEFORE + cur->abi->insn_align;
	u64 begin = cur->pc - ENTERED_BEFORE;
	struct sframe_insn insn;

	sframe_cursor_charge(cur, SFRAME_COST_CODE);
	if (cur->ops->read_code(cur->ctx, begin, code, at))
		return false;
	while (at) {
		at -= cur->abi->insn_align;
		sframe_cursor_charge(cur, INSN_COST);
		if (!cur->abi->insn(code + at, begin + at, &insn))
			return false;
		if (insn.flags & SFRAME_INSN_ENTERED)
			return true;
		/* What is at the PC has not been executed. */
		if (at < ENTERED_BEFORE &&
		    insn.flags & (SFRAME_INSN_CALLS | SFRAME_INSN_STOPS))
			return false;
	}
	return false;
}

/**
 * sframe_has_just_begun() - has the topmost function just begun, and made no call?
 * @cur: the walk
 *
 * Functions of files that were built with branch protection mark where they are
 * entered. Functions compiled at run time begin behind data. Others are not recognized.
 *
 * Context: as sframe_cursor_next().
 * Return: true if its beginning leads to the PC without a call, and it has made no record
 *	yet (arm64).
 */
bool sframe_has_just_begun(struct sframe_cursor *cur)
{
	u8 code[BEGINS_BEFORE + 2 * BEGINS_ALIGN + SFRAME_CODE_AFTER] = {};
	u64 from = cur->pc & ~(u64)(BEGINS_ALIGN - 1);
	struct sframe_insn insn;
	unsigned int i;

	if (was_entered_nearby(cur))
		return true;
	for (i = 0; i < 2; i++, from -= BEGINS_ALIGN) {
		sframe_cursor_charge(cur, SFRAME_COST_CODE);
		if (cur->ops->read_code(cur->ctx, from - BEGINS_BEFORE, code,
					BEGINS_BEFORE + cur->pc - from))
			return false;
		if (cur->abi->insn(code, from - BEGINS_BEFORE, &insn) &&
		    insn.flags == (SFRAME_INSN_STOPS | SFRAME_INSN_FILLS))
			return leads_without_call(cur, code + BEGINS_BEFORE, from);
	}
	return false;
}

/*
 * Does the function reload its record at FP, which is known, before it returns, and no call on
 * the way might lead elsewhere (arm64)? SP need not be known.
 */
static bool code_loads_record(struct sframe_cursor *cur)
{
	const struct sframe_abi *abi = cur->abi;
	struct sframe_leave lv = {
		.sp = cur->sp,
		.fp = cur->fp,
		.cost_max = sframe_near_cost(cur, 4),
		.topmost = cur->topmost,
		.sp_lost = true,
	};
	bool found;

	if (abi->fallback != SFRAME_FALLBACK_FP)
		return false;
	found = sframe_code_leaves(cur, &lv);
	return sframe_spend(cur, LEAVE_AGAIN + SFRAME_FOLLOW_COST * lv.cost) && found && lv.sure &&
	       lv.fp_at == cur->fp && lv.ra_at == cur->fp + abi->ra_slot;
}

/*
 * Do all @ways to the PC make a record? Code leads on past calls, and from one that never returns
 * into what the compiler has put there: the next function, or a part of this one without a record.
 * So one has to come there past no call, or the code to go on with the record.
 */
static bool lead_with_record(struct sframe_cursor *cur, u8 ways)
{
	return (ways & LEADS_THERE) == LEADS_FP_RECORD &&
	       (ways & LEADS_CALLING_NOBODY || sframe_goes_on_with_record(cur));
}

/*
 * Find out whether the running function has made the record at FP, and where it begins
 * at the earliest (@claim->start). It certainly has if the call before RA is of a
 * function that leads to the PC, and makes a record; or of one that jumps to code made
 * at run time; or if a gap says where it begins, and it is made there. Where SP is known,
 * its code was asked before whether it reloads RA from the record. Quickest is to see that SP is
 * level with the record. That is only asked of code made at run time: functions in files can mostly
 * be followed to where they are left, which tells more of the caller.
 */
static void check_own_record(struct sframe_cursor *cur, struct sframe_claim *claim)
{
	u64 at = 0, sp;
	u8 ways = 0;

	if ((!cur->sp_known && code_loads_record(cur)) ||
	    (claim->bare && !sframe_is_fixed(cur, cur->pc) &&
	     sframe_is_level_with_record(cur, claim->target))) {
		claim->loaded = true;
		claim->holds = true;
		return;
	}
	if (claim->bare && sframe_record_is_of_called(cur, claim->ra, &sp))
		at = cur->pc;
	else if (claim->target)
		ways = ways_to_pc(cur, claim->target);
	claim->start = at ?: claim->target;
	claim->certain = at || lead_with_record(cur, ways);
	claim->holds = claim->certain;
	if (at || ways & LEADS_THERE || (claim->bare && sframe_leaves_fp_alone(cur)))
		return;
	at = sframe_code_record(cur);
	claim->start = at - PROLOGUE;
	claim->holds = at && lead_with_record(cur, ways_to_pc(cur, at));
	if (claim->holds)
		return;
	claim->start = sframe_record_made_at_begin(cur);
	claim->certain = claim->start;
	claim->holds = claim->certain;
}

/*
 * Can the running function not be the one at @target? It cannot if that lies behind the
 * PC, or each way from there ends before the PC.
 */
static bool target_is_other_function(struct sframe_cursor *cur, u64 target)
{
	return target > cur->pc ||
	       sframe_follow(cur, target, cur->pc, sframe_comes_to_pc(cur)) == LEADS_NOWHERE;
}

/**
 * sframe_claim_holds() - is a RA shown to be the running function's own?
 * @cur: the walk
 * @claim: what is known of it; the rest is found out here
 *
 * If code said where the RA lies, it is enough that it follows a call of a function
 * which leads to the PC, or around it.
 *
 * Context: as sframe_cursor_next().
 * Return: true if so.
 */
bool sframe_claim_holds(struct sframe_cursor *cur, struct sframe_claim *claim)
{
	struct sframe_leave lv __uninitialized;

	if (claim->asked || !cur->abi->makes_record)
		return claim->holds;
	claim->asked = true;
	sframe_claim_target(cur, claim);
	if (!claim->by_code) {
		check_own_record(cur, claim);
	} else if (claim->target) {
		claim->start = claim->target;
		claim->certain = sframe_entered_at(cur, claim->target, claim->ra_at, 1, &lv);
		claim->holds = claim->certain ||
			       sframe_follow(cur, claim->target, cur->pc,
					     sframe_comes_to_pc(cur)) &
			       (LEADS_THERE | LEADS_AROUND);
		claim->before = cur->pc - claim->target < SFRAME_FUNCTION_MAX;
	} else {
		claim->certain = sframe_entered_by_pointer(cur, claim->ra_at, &lv);
		claim->holds = claim->certain;
	}
	return claim->holds;
}

/* Is @word in the running function, and so left over from a call that this has made? */
static bool word_is_in_function(struct sframe_cursor *cur, u64 word)
{
	if (word < cur->pc)
		return follow_to_pc(cur, word);
	if (word - cur->pc > SFRAME_NEAR_MAX)
		return false;
	return sframe_follow(cur, cur->pc, word, 0) & LEADS_THERE;
}

/*
 * Is there code without a table at @target? Or without a row, if that is so of the PC, too: then
 * both may be in the same file. @in_doubt: the answer where something was mapped just now.
 */
static bool target_is_bare(struct sframe_cursor *cur, u64 target, bool in_doubt)
{
	struct sframe_rule rule __uninitialized;
	enum sframe_reason no_table;

	sframe_cursor_charge(cur, FIND_COST);
	no_table = cur->ops->find(cur->ctx, target, &rule);
	if (no_table == SFRAME_CHANGED)
		return in_doubt;
	return no_table == SFRAME_NO_TABLE ||
	       (!no_table && rule.flags & SFRAME_RULE_NO_FDE && cur->pending != SFRAME_NO_TABLE);
}

/*
 * Does a word follow a call of a function that ends itself, whatever way it takes, with no way to
 * the PC or to whoever a pointer says? Then it is not where the running function returns to. What
 * has no table is asked only if code said where the RA lies, but not which function was called
 * before that. If the RA that was found follows a call of such a function with a table, too, it is
 * another's, and nothing is said.
 */
static bool is_called_by_other_name(struct sframe_cursor *cur, struct sframe_claim *claim,
				    u64 target)
{
	u64 own, to;

	if (!claim->bare || !target)
		return false;
	own = sframe_claim_target(cur, claim);
	if (target_is_bare(cur, target, true))
		return claim->by_code && !own && sframe_code_ends(cur, target, cur->pc);
	/* From one file, code leads to another one only by a pointer; but in a gap it is in one. */
	to = cur->pending == SFRAME_NO_TABLE ? 0 : cur->pc;
	return sframe_code_ends(cur, target, to) &&
	       (!own || target_is_bare(cur, own, false) || !sframe_code_ends(cur, own, to));
}

/**
 * sframe_judge_word() - can a word that follows a call be the running function's RA?
 * @cur: the walk, in a frame without a row
 * @claim: what speaks for the RA that was found
 * @word: an address behind a call
 *
 * If the function reloads its RA from the record, no other word is it. If the record is
 * shown to be the function's own, a word that follows a call of another function is
 * stale, and so is one that follows an indirect call; in the topmost frame only if it
 * is certain where the function begins, or if the word is in that function.
 *
 * If the record is not shown to be its own, a word that follows a call of a function
 * which leads to the PC, and makes no record on the way, is the RA; unless the one that was
 * found follows a call of that, too. Where code says
 * what the RA is, and that may be so (@before), a word that follows a call of what
 * begins behind the PC, or ends before it, is stale. If it may also be otherwise, one is
 * that follows a call of a function which ends elsewhere.
 *
 * Context: as sframe_cursor_next().
 * Return: what the word is.
 */
enum sframe_word sframe_judge_word(struct sframe_cursor *cur,
				   struct sframe_claim *claim, u64 word)
{
	u64 target;

	if (!cur->abi->makes_record)
		return SFRAME_WORD_DOUBTFUL;
	sframe_cursor_charge(cur, SFRAME_COST_CODE);
	target = sframe_call_target(cur, word);
	if (cur->topmost && target == cur->pc && !claim->by_code)
		return SFRAME_WORD_RA;
	/* That takes some hundred instructions, and to ask about the record ten thousand. */
	if (!claim->by_code && !(claim->asked && claim->holds) &&
	    is_called_by_other_name(cur, claim, target))
		return SFRAME_WORD_STALE;
	if (sframe_claim_holds(cur, claim)) {
		if (claim->loaded)
			return SFRAME_WORD_STALE;
		if (target >= claim->start && target <= cur->pc)
			return claim->by_code && target_is_other_function(cur, target) ?
			       SFRAME_WORD_STALE : SFRAME_WORD_DOUBTFUL;
		if (target || !cur->topmost || claim->certain ||
		    word_is_in_function(cur, word))
			return SFRAME_WORD_STALE;
		return SFRAME_WORD_DOUBTFUL;
	}
	if (claim->by_code && ((claim->before && target && target_is_other_function(cur, target)) ||
			       is_called_by_other_name(cur, claim, target)))
		return SFRAME_WORD_STALE;
	if (claim->bare && target && target != claim->target &&
	    follow_to_pc(cur, target) == LEADS_FP_OTHER)
		return SFRAME_WORD_RA;
	return SFRAME_WORD_DOUBTFUL;
}
