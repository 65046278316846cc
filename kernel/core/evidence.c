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
 * Where functions begin and end is not known here, as there is no table. So code
 * is followed, instruction by instruction, from where a record is made, or from
 * where a function begins as a call of it says, up to the PC. What lies behind a
 * return, a jump or a trap counts only if it was jumped to from there; behind a
 * call there may be another function, too, if that never returns. Where nothing
 * leads to the PC, nothing was shown.
 */
#include "cursor_impl.h"

/* Code before the PC that is looked at; at a time. */
#define WINDOW		2048
#define CHUNK		64
/* A function is followed from its beginning, where a call says it is, as far. */
#define WINDOW_FAR	8192
/*
 * Prices: of reading a chunk; of searching it; of an instruction looked at; of
 * remembering where a jump goes, and of what leads to where one went; of looking
 * whether a function is a stub.
 */
#define READ_COST	384
#define SEARCH_COST	1024
#define INSN_COST	128
#define JUMP_COST	128
#define STUB_COST	256
/* A function makes its record no further behind its beginning, mostly. */
#define PROLOGUE	64
/* Functions are aligned to that, unless they are compiled to be small. */
#define FUNCTION_ALIGN	16
/* The most that functions have behind their beginning. */
#define FUNCTION_MAX	65536
/* Jumps ahead whose targets are remembered. */
#define NR_JUMPS	32

/* So far around code must be no function with CFI for it to be bare. */
#define BARE_AROUND	65536
#define BARE_COST	256

/* What FP can be, on the ways to an instruction; none: nothing leads there. */
#define FP_OTHER	1	/* not at a record of this function */
#define FP_RECORD	2	/* at its record */
#define FP_KNOWN	(FP_OTHER | FP_RECORD)
/* Nothing leads there, but one may jump around it: it is in the same function. */
#define AROUND		4
/* Nothing leads there: each way ends before. */
#define ENDS		8

/* Code, and what led to the instruction at @at. */
struct follow {
	struct sframe_cursor *cur;
	u64 base;		/* of what is in @code */
	u64 at;
	u64 from;
	u64 to;
	u64 jump[NR_JUMPS];	/* targets ahead */
	u8 jump_fp[NR_JUMPS];	/* FP where these jumps are */
	u64 next;		/* the nearest of the targets */
	u64 gap;		/* behind it some was not followed */
	u8 fp;
	bool called;		/* what was before it is a call */
	bool filled;		/* then a gap was filled */
	bool around;		/* a branch leads past @to */
	bool lost;		/* where it leads is not all known */
	bool exact;		/* code runs at the end, it is not returned to */
	u8 code[SFRAME_CODE_BEFORE + CHUNK + SFRAME_CODE_AFTER];
};

static bool read_chunk(struct follow *f, u64 base, u32 cost)
{
	f->base = base;
	return sframe_spend(f->cur, cost) &&
	       !f->cur->ops->read_code(f->cur->ctx, base - SFRAME_CODE_BEFORE,
				       f->code, sizeof(f->code));
}

/* A jump to @to: in place of one whose target is behind. */
static void add_jump(struct follow *f, u64 to)
{
	unsigned int i;

	sframe_cursor_charge(f->cur, JUMP_COST);
	for (i = 0; i < NR_JUMPS; i++) {
		if (f->jump[i] > f->at)
			continue;
		f->jump[i] = to;
		f->jump_fp[i] = f->fp;
		if (to < f->next)
			f->next = to;
		return;
	}
	f->lost = true;
}

/* Jumps that lead here; and which target is the nearest now. */
static void take_jumps(struct follow *f)
{
	unsigned int i;

	if (f->at < f->next)
		return;
	sframe_cursor_charge(f->cur, JUMP_COST);
	f->next = ~0ull;
	for (i = 0; i < NR_JUMPS; i++) {
		if (f->jump[i] == f->at)
			f->fp |= f->jump_fp[i];
		else if (f->jump[i] > f->at && f->jump[i] < f->next)
			f->next = f->jump[i];
	}
}

/*
 * Is there another function behind a call? Gaps are filled before loops, too, but
 * then somebody jumps over them, or else the walk ends: a frame is missing. The
 * topmost function may begin with anything; one that calls others moves SP first.
 */
static bool may_begin(const struct follow *f, const struct sframe_insn *insn)
{
	if (!f->called)
		return false;
	if (insn->flags & SFRAME_INSN_BEGINS)
		return true;
	return f->at % FUNCTION_ALIGN == 0 && (f->filled || f->cur->topmost);
}

/* What leads to the instruction? */
static void arrive(struct follow *f, const struct sframe_insn *insn)
{
	if (may_begin(f, insn)) {
		f->lost |= f->fp;
		f->fp = 0;
	}
	take_jumps(f);
}

/* What does the instruction, at @code, lead to? */
static void execute(struct follow *f, const struct sframe_insn *insn,
		    const u8 *code)
{
	bool fills = insn->flags & SFRAME_INSN_FILLS;
	u32 looks = 0;

	if (f->cur->abi->makes_record(code, f->at, &looks))
		f->fp = FP_RECORD;
	else if (insn->flags & SFRAME_INSN_RESTORES)
		f->fp = FP_OTHER;
	if (f->fp && insn->flags & SFRAME_INSN_JUMPS && insn->target > f->at)
		add_jump(f, insn->target);
	f->lost |= insn->flags & SFRAME_INSN_ANYWHERE;
	f->lost |= insn->flags & SFRAME_INSN_JUMPS && insn->target <= f->at &&
		   (insn->target < f->from || insn->target >= f->gap);
	/* A jump that is always made may be to another function. */
	if (insn->flags & SFRAME_INSN_JUMPS && !(insn->flags & SFRAME_INSN_STOPS) &&
	    insn->target > f->to && insn->target - f->to < FUNCTION_MAX)
		f->around = true;
	if (insn->flags & SFRAME_INSN_STOPS)
		f->fp = 0;
	sframe_cursor_charge(f->cur, INSN_COST * looks);
	f->filled = f->called && fills;
	f->called = insn->flags & SFRAME_INSN_CALLS || f->filled;
}

/* To the next instruction that may be reached, in what is not. */
static void skip(struct follow *f, const struct sframe_insn *insn)
{
	f->called = false;
	f->filled = false;
	if (f->at < f->gap)
		f->gap = f->at;
	f->at += insn->len;
	if (f->at > f->next)
		f->at = f->next;
}

/*
 * One instruction; false when @f->to is reached, and &follow.fp is known there, or
 * when it is too costly: then nothing is known to lead there.
 */
static bool follow_one(struct follow *f)
{
	const u8 *code = f->code + SFRAME_CODE_BEFORE + (f->at - f->base);
	struct sframe_insn insn;
	bool known = f->cur->abi->insn(code, f->at, &insn);

	if (!sframe_spend(f->cur, INSN_COST)) {
		f->lost = true;
		f->fp = 0;
		return false;
	}
	if (!known)
		insn = (struct sframe_insn){ .len = 1 };
	arrive(f, &insn);
	if (f->at == f->to)
		return false;
	if (!known) {
		f->lost |= f->fp;
		f->fp = 0;
	}
	if (!f->fp) {
		skip(f, &insn);
		return true;
	}
	/* What is returned to belongs to the function that made the call. */
	if (!f->exact && f->at + insn.len == f->to &&
	    insn.flags & SFRAME_INSN_CALLS)
		return false;
	execute(f, &insn, code);
	f->at += insn.len;
	return true;
}

/*
 * Follow code @from, where FP is @fp, up to @to, where it is returned to unless
 * @exact. FP_* that it can be there; or AROUND, or ENDS; 0: not known, or it is too
 * costly, or unreadable.
 */
static u8 follow(struct sframe_cursor *cur, u64 from, u64 to, u8 fp, bool exact)
{
	struct follow f = {
		.cur = cur,
		.at = from,
		.from = from,
		.to = to,
		.next = ~0ull,
		.gap = ~0ull,
		.fp = fp,
		.exact = exact,
	};

	if (from > to || to - from > WINDOW_FAR || !read_chunk(&f, from, READ_COST))
		return 0;
	while (follow_one(&f)) {
		/* Too far, or nothing leads on. */
		if (f.at > to || (!f.fp && f.next == ~0ull))
			break;
		if (f.at - f.base >= CHUNK && !read_chunk(&f, f.at, READ_COST))
			return 0;
	}
	if (f.fp && f.at <= to)
		return f.fp;
	if (f.around)
		return AROUND;
	return f.at <= to && f.next == ~0ull && !f.lost ? ENDS : 0;
}

static u8 follow_to_pc(struct sframe_cursor *cur, u64 from)
{
	if (cur->pc - from > WINDOW)
		return 0;
	return follow(cur, from, cur->pc, FP_OTHER, cur->topmost) & FP_KNOWN;
}

/* The last place before the PC where a record is made; 0 if there is none. */
static u64 find_record(struct sframe_cursor *cur)
{
	struct follow f = { .cur = cur };
	const struct sframe_abi *abi = cur->abi;
	u64 base = cur->pc;
	const u8 *code;
	u32 looks = 0;
	int i;

	do {
		base -= CHUNK;
		if (!read_chunk(&f, base, SEARCH_COST))
			return 0;
		for (i = CHUNK - 1; i >= 0; i--) {
			code = f.code + SFRAME_CODE_BEFORE + i;
			if (likely((code[abi->record_mark_at] &
				    abi->record_mark_mask) != abi->record_mark))
				continue;
			looks++;
			if (abi->makes_record(code, base + i, &looks))
				return base + i;
		}
		sframe_cursor_charge(cur, INSN_COST * looks);
		looks = 0;
	} while (cur->pc - base < WINDOW);
	return 0;
}

/**
 * sframe_code_is_bare() - is nothing known of the code, nor of what is around it?
 * @cur: the walk
 * @no_row: why its frame cannot be left by a rule
 *
 * Of a file, or of a large part of one: with cgo, Go's code, which has no CFI, is
 * in one file with C's.
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

/*
 * What the code at @target jumps to if it is a stub of the linker's, else @target.
 * The stub's word is what it was when it was called: functions are bound once.
 */
static u64 through_stub(struct sframe_cursor *cur, u64 target)
{
	const struct sframe_abi *abi = cur->abi;
	u8 code[SFRAME_STUB_LEN];
	u64 slot, to;

	if (!abi->stub_slot || !target)
		return target;
	sframe_cursor_charge(cur, STUB_COST);
	if (cur->ops->read_code(cur->ctx, target, code, sizeof(code)))
		return target;
	slot = abi->stub_slot(code, target);
	if (!slot || !sframe_read_word(cur, slot, &to))
		return target;
	return to;
}

/* The function that is called before @ra; 0 if the call does not say. */
static u64 call_target(struct sframe_cursor *cur, u64 ra)
{
	u8 code[SFRAME_CALL_LEN_MAX];
	unsigned int len = cur->abi->call_len;

	if (cur->ops->read_code(cur->ctx, ra - len, code, len))
		return 0;
	return through_stub(cur, cur->abi->call_target(code, ra));
}

/*
 * Has the running function made the record at FP? It begins at @claim->start at
 * the earliest. If the call before RA is of a function that leads to the PC, it is
 * certainly that one.
 */
static void ask_for_record(struct sframe_cursor *cur, struct sframe_claim *claim)
{
	u8 fp = claim->target ? follow_to_pc(cur, claim->target) : 0;
	u64 at;

	claim->start = claim->target;
	claim->certain = fp == FP_RECORD;
	claim->holds = claim->certain;
	if (fp)
		return;
	at = find_record(cur);
	claim->start = at - PROLOGUE;
	claim->holds = at && follow_to_pc(cur, at) == FP_RECORD;
}

/* Is the function at @target not the one that is running? */
static bool is_other_function(struct sframe_cursor *cur, u64 target)
{
	return target > cur->pc ||
	       follow(cur, target, cur->pc, FP_OTHER, cur->topmost) == ENDS;
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
	if (claim->asked || !cur->abi->insn)
		return claim->holds;
	claim->asked = true;
	claim->target = call_target(cur, claim->ra);
	if (!claim->by_code) {
		ask_for_record(cur, claim);
	} else if (claim->target) {
		claim->start = claim->target;
		claim->holds = follow(cur, claim->target, cur->pc, FP_OTHER,
				      cur->topmost) & (FP_KNOWN | AROUND);
		claim->before = cur->abi->leaves_far &&
				cur->pc - claim->target < FUNCTION_MAX;
	}
	return claim->holds;
}

/* Is @word in the function that is running: left over from a call it made? */
static bool in_same_function(struct sframe_cursor *cur, u64 word)
{
	if (word < cur->pc)
		return follow_to_pc(cur, word);
	if (word - cur->pc > WINDOW)
		return false;
	return follow(cur, cur->pc, word, FP_OTHER, false) & FP_KNOWN;
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
 * the call was made by it.
 *
 * If it is not, and @word follows a call of a function that leads to the PC, and
 * makes no record on the way, that is where it returns to. Where code says what the
 * RA is, and that may be so, a word that follows a call of what begins behind the PC,
 * or ends before it, is left over.
 *
 * Context: as sframe_cursor_next().
 * Return: what the word is.
 */
enum sframe_word sframe_judge_word(struct sframe_cursor *cur,
				   struct sframe_claim *claim, u64 word)
{
	u64 target;

	if (!cur->abi->insn)
		return SFRAME_WORD_DOUBTFUL;
	sframe_cursor_charge(cur, SFRAME_COST_CODE);
	target = call_target(cur, word);
	if (cur->topmost && target == cur->pc && !claim->by_code)
		return SFRAME_WORD_RA;
	if (sframe_claim_holds(cur, claim)) {
		if (target >= claim->start && target <= cur->pc)
			return claim->by_code && is_other_function(cur, target) ?
			       SFRAME_WORD_STALE : SFRAME_WORD_DOUBTFUL;
		if (target || !cur->topmost || claim->certain ||
		    in_same_function(cur, word))
			return SFRAME_WORD_STALE;
		return SFRAME_WORD_DOUBTFUL;
	}
	if (claim->before && target && is_other_function(cur, target))
		return SFRAME_WORD_STALE;
	if (claim->bare && target &&
	    follow_to_pc(cur, target) == FP_OTHER)
		return SFRAME_WORD_RA;
	return SFRAME_WORD_DOUBTFUL;
}
