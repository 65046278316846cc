// SPDX-License-Identifier: GPL-2.0
/*
 * Where code leads, an instruction after the other.
 *
 * Where functions begin and end is not known here, as there is no table. What lies
 * behind a return, a jump or a trap counts only if it was jumped to from there; behind
 * a call there may be another function, too, if that never returns.
 */
#include "cursor_impl.h"
#include "follow.h"

/* Bytes of code that are read at once. */
#define CHUNK		64
/*
 * Prices: of reading a chunk; of searching it; of an instruction looked at; of
 * remembering where a jump goes, and of what leads to where one went.
 */
#define READ_COST	384
#define SEARCH_COST	1024
#define INSN_COST	144
#define JUMP_COST	144
/* Functions are aligned to that, unless they are compiled to be small. */
#define FUNCTION_ALIGN	16
/* Jumps ahead whose targets are remembered. */
#define NR_JUMPS	32
/* A loop's condition lies at most so many bytes behind a place in the loop. */
#define LOOP_MAX	512

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
	u8 arms_fp;		/* FP where arms of switches were jumped to */
	bool called;		/* what was before it is a call */
	bool filled;		/* then a gap was filled */
	u32 last;		/* SFRAME_INSN_*: or did that */
	u64 back;		/* from behind @to, it is jumped back to there */
	u8 back_fp;		/* FP where that jump is */
	bool around;		/* a branch leads past @to */
	bool lost;		/* where it leads is not all known */
	u32 how;		/* FOLLOW_* */
	u8 code[SFRAME_CODE_BEFORE + CHUNK + SFRAME_CODE_AFTER];
};

static bool read_chunk(struct follow *f, u64 base, u32 cost)
{
	f->base = base;
	return sframe_spend(f->cur, cost) &&
	       !sframe_read_asked(f->cur, base - SFRAME_CODE_BEFORE,
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
 * topmost function may begin with anything; one that calls others moves SP first,
 * and what is returned to has called one.
 */
static bool may_begin(const struct follow *f, const struct sframe_insn *insn)
{
	if (!f->called)
		return false;
	if (insn->flags & SFRAME_INSN_BEGINS)
		return true;
	return f->at % FUNCTION_ALIGN == 0 &&
	       (f->filled || (f->cur->topmost && f->how & FOLLOW_RUNS));
}

/* Is the instruction an arm of a switch that was jumped to? */
static void take_arms(struct follow *f, const struct sframe_insn *insn)
{
	if (insn->flags & SFRAME_INSN_ARM ||
	    (f->last & SFRAME_INSN_STOPS && !f->cur->abi->arms_marked &&
	     !(insn->flags & SFRAME_INSN_ENTERED)))
		f->fp |= f->arms_fp;
	/* Those that follow are another function's. */
	if (!f->fp && insn->flags & SFRAME_INSN_ENTERED)
		f->arms_fp = 0;
}

/* What leads to the instruction? */
static void arrive_at_insn(struct follow *f, const struct sframe_insn *insn)
{
	if (may_begin(f, insn)) {
		f->lost |= f->fp;
		f->fp = 0;
	}
	take_jumps(f);
	if (f->arms_fp)
		take_arms(f, insn);
}

/* What may a jump lead to? */
static void follow_jump(struct follow *f, const struct sframe_insn *insn)
{
	u64 target = insn->target;

	if (target <= f->at) {
		if (f->at > f->to && target > f->from && target <= f->to && !f->back) {
			f->back = target;
			f->back_fp = f->fp;
		}
		f->lost |= target < f->from || target >= f->gap;
		return;
	}
	if (!(f->last & SFRAME_INSN_LEAVES))
		add_jump(f, target);
	/* A jump that is always made may be to another function. */
	if (!(insn->flags & SFRAME_INSN_STOPS) &&
	    target > f->to && target - f->to < SFRAME_FUNCTION_MAX)
		f->around = true;
}

/* What does the instruction, at @code, lead to? */
static void follow_insn(struct follow *f, const struct sframe_insn *insn,
			const u8 *code)
{
	bool fills = insn->flags & SFRAME_INSN_FILLS;
	const struct sframe_abi *abi = f->cur->abi;
	u32 looks = 0;

	if (abi->makes_record && abi->makes_record(code, f->at, &looks))
		f->fp = LEADS_FP_RECORD | (f->fp & LEADS_CALLING_NOBODY);
	else if (insn->flags & SFRAME_INSN_RESTORES)
		f->fp = LEADS_FP_OTHER | (f->fp & LEADS_CALLING_NOBODY);
	if (insn->flags & SFRAME_INSN_JUMPS)
		follow_jump(f, insn);
	if (insn->flags & SFRAME_INSN_CHOOSES && !(f->last & SFRAME_INSN_LEAVES))
		f->arms_fp |= f->fp & ~LEADS_CALLING_NOBODY;
	f->lost |= insn->flags & SFRAME_INSN_ANYWHERE;
	f->last = insn->flags;
	if (insn->flags & SFRAME_INSN_CALLS)
		f->fp &= ~LEADS_CALLING_NOBODY;
	if (insn->flags & SFRAME_INSN_STOPS)
		f->fp = 0;
	sframe_cursor_charge(f->cur, INSN_COST * looks);
	f->filled = f->called && fills;
	f->called = insn->flags & SFRAME_INSN_CALLS || f->filled;
}

/* To the next instruction that may be reached, in what is not. */
static void skip_to_target(struct follow *f, const struct sframe_insn *insn)
{
	f->called = false;
	f->filled = false;
	f->last = insn->flags & (SFRAME_INSN_STOPS | SFRAME_INSN_FILLS) ? SFRAME_INSN_STOPS : 0;
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
	arrive_at_insn(f, &insn);
	if (f->at == f->to)
		return false;
	if (!known) {
		f->lost |= f->fp;
		f->fp = 0;
	}
	if (!f->fp) {
		skip_to_target(f, &insn);
		return true;
	}
	/* What is returned to belongs to the function that made the call. */
	if (!(f->how & FOLLOW_RUNS) && f->at + insn.len == f->to &&
	    insn.flags & SFRAME_INSN_CALLS)
		return false;
	follow_insn(f, &insn, code);
	f->at += insn.len;
	return true;
}

/* On, up to @end; false if the code cannot be read. */
static bool follow_up_to(struct follow *f, u64 end)
{
	if (!read_chunk(f, f->at, READ_COST))
		return false;
	while (follow_one(f)) {
		/* Too far, or nothing leads on. */
		if (f->at > end || f->back || (!(f->fp | f->arms_fp) && f->next == ~0ull))
			break;
		if (f->at - f->base >= CHUNK && !read_chunk(f, f->at, READ_COST))
			return false;
	}
	return true;
}

/*
 * Some compilers put a loop's condition behind its body, and begin with a jump to there: so
 * nothing leads into the body but a jump back from what is behind @f->to.
 */
static u8 follow_loop(struct follow *f)
{
	if (f->fp || f->next <= f->to || f->next - f->to > LOOP_MAX)
		return 0;
	f->at = f->next;
	if (!follow_up_to(f, f->to + LOOP_MAX) || !f->back)
		return 0;
	*f = (struct follow){
		.cur = f->cur,
		.at = f->back,
		.from = f->from,
		.to = f->to,
		.next = ~0ull,
		.gap = ~0ull,
		.fp = f->back_fp,
		.how = f->how,
	};
	return follow_up_to(f, f->to) && f->at <= f->to ? f->fp : 0;
}

/**
 * sframe_follow_now() - sframe_follow(), and nobody knows the answer
 * @cur: the walk
 * @from: where; FP is not at a record there
 * @to: up to there
 * @how: does it come there, FOLLOW_*
 *
 * Context: as sframe_cursor_next().
 * Return: LEADS_*; 0: not known, or it is too costly, or unreadable.
 */
u8 sframe_follow_now(struct sframe_cursor *cur, u64 from, u64 to, u32 how)
{
	struct follow f = {
		.cur = cur,
		.at = from,
		.from = from,
		.to = to,
		.next = ~0ull,
		.gap = ~0ull,
		.fp = LEADS_FP_OTHER | LEADS_CALLING_NOBODY,
		.how = how,
	};

	if (from > to || to - from > SFRAME_FOLLOW_MAX || !follow_up_to(&f, to))
		return 0;
	if (f.fp && f.at <= to)
		return f.fp;
	if (f.around)
		return LEADS_AROUND;
	if (f.at <= to && f.next == ~0ull && !f.lost)
		return LEADS_NOWHERE;
	return follow_loop(&f);
}

/**
 * sframe_find_record() - find the last place before the PC where a record is made
 * @cur: the walk
 * @place: set to its address; 0: there is none
 *
 * Context: as sframe_cursor_next().
 * Return: false if that is too costly to find out.
 */
bool sframe_find_record(struct sframe_cursor *cur, u64 *place)
{
	struct follow f = { .cur = cur };
	const struct sframe_abi *abi = cur->abi;
	u64 base = cur->pc;
	const u8 *code;
	u32 looks = 0;
	int i;

	*place = 0;
	do {
		base -= CHUNK;
		if (!read_chunk(&f, base, SEARCH_COST))
			return false;
		for (i = CHUNK - 1; i >= 0; i--) {
			code = f.code + SFRAME_CODE_BEFORE + i;
			if (likely((code[abi->record_mark_at] &
				    abi->record_mark_mask) != abi->record_mark))
				continue;
			looks++;
			if (abi->makes_record(code, base + i, &looks)) {
				*place = base + i;
				return true;
			}
		}
		sframe_cursor_charge(cur, INSN_COST * looks);
		looks = 0;
	} while (cur->pc - base < SFRAME_NEAR_MAX);
	return true;
}
