// SPDX-License-Identifier: GPL-2.0
/*
 * How a frame without a table is left takes some ten thousand instructions to find out, and deep
 * stacks get cut for it. But where that follows from the code alone it is the same each time at a
 * PC, wherever the frame is: so it is kept. The code around the PC stands for all of it, and is
 * compared. Where the PC just happens to be, it is kept of the next instruction that names SP or
 * FP, or may branch, for all PCs that lead straight there (x86-64).
 *
 * By the record at FP, in code made at run time that keeps frame pointers, as engines of
 * JavaScript do: it is the function's own, if the walk has left the frame by it, and the function
 * was followed from where it makes the record, or goes on with it: no word that speaks against it
 * is not enough, as FP might be data, and point to where an older call has left a record.
 *
 * By where code has put RA, as Mono's and HotSpot's does: if it was followed to the PC from the
 * function's beginning, which the call before RA names, or a mark. Then RA is as far from SP each
 * time that it follows a call of that function, or an interpreter has jumped to it. What it begins
 * with, which makes the frame, is compared, too.
 */
#include "answers_impl.h"
#include "call_mark.h"
#include "cursor_impl.h"
#include "sp_run.h"

/* So many bytes before the PC and from there on, in its page, and where the function begins. */
#define AROUND		48
#define BEGIN_LEN	96
#define PAGE		4096
#define CODE_WORDS	((2 * AROUND + BEGIN_LEN) / sizeof(u64))
/* Prices: to look for a way; to ask if the stack agrees; to keep one; to compare code; */
#define LOOK_COST	176
#define ASK_COST	752
#define KEEP_COST	128
#define COMPARE_COST	640
/* ... but if that was done before in this walk. */
#define COMPARED_COST	256
/* A way that was found with fewer instructions is not worth keeping. */
#define WORTH		2048
/* Associativity: a way can be at any of this many places. */
#define PLACES		4

/* &sframe_known_way.how: by the record at FP; FP was saved, or is lost; the callee returns. */
#define BY_RECORD	1
#define SAVES_FP	2
#define LOSES_FP	4
#define RETURNS		8
/* And what was known of the frame: its PC happens to be there; its SP is lost. */
#define ANYWHERE	16
#define SP_LOST		32
#define FRAME_STATE	(ANYWHERE | SP_LOST)
/* HotSpot's interpreter has jumped to the function; no call names it. */
#define JUMPED_TO	64
/* In the upper bits: from how many bytes before its place on it holds; or from anywhere. */
#define FROM_SHIFT	16
#define FROM_ANYWHERE	0xffffu
/* &sframe_known_way.target, if the call before a record's RA does not name its function. */
#define NOT_NAMED	1

static u32 frame_state(const struct sframe_cursor *cur)
{
	return (sframe_is_anywhere(cur) ? ANYWHERE : 0) | (cur->sp_known ? 0 : SP_LOST);
}

/* Where is the way of this frame to be kept? 0: nowhere. */
static u64 place_of_way(struct sframe_cursor *cur)
{
	struct straight_line line;

	if (!sframe_line_begin(cur, &line))
		return cur->pc;
	return sframe_line_next(cur, &line) ? line.at : 0;
}

/*
 * SBCL's callers make records, before they call; an interpreter that was returned to has another
 * SP; and HotSpot's chain leads on by itself (s390x): there something else tells of the frame.
 */
static bool may_be_known(const struct sframe_cursor *cur)
{
	return !(cur->lisp_depth && cur->lisp_depth == cur->depth) && !cur->java.sp &&
	       !sframe_resumed_how(cur, cur->pc);
}

/* More is known of HotSpot's code, by the marks behind its calls, of Lisp and of interpreters. */
static bool is_known_otherwise(struct sframe_cursor *cur)
{
	return sframe_read_call_mark(cur, cur->pc) || sframe_resumes(cur, cur->pc) ||
	       sframe_may_be_lisp(cur);
}

/* May FP be at a record of the function's own? */
static bool may_have_record(const struct sframe_cursor *cur)
{
	return cur->abi->fallback != SFRAME_FALLBACK_BACKCHAIN && cur->fp_known &&
	       cur->fp - cur->sp < SFRAME_STACK_MAX && cur->fp % SFRAME_RECORD_ALIGN == 0;
}

/* Read the record: does it lead to a caller, and from there on upwards? */
static bool read_record(struct sframe_cursor *cur, struct sframe_frame *to, u64 *slot)
{
	return sframe_spend(cur, ASK_COST) && !sframe_record_read(cur, cur->fp, to, slot) &&
	       to->fp > cur->fp && to->fp - cur->fp < SFRAME_STACK_MAX &&
	       sframe_is_return_address(cur, to->ra & cur->ra_bits);
}

/*
 * What is called before @ra, from @pc on: a stub has not the function's beginning. NOT_NAMED if
 * the call does not say. False if it is too far.
 */
static bool called_before(struct sframe_cursor *cur, u64 ra, u64 pc, s32 *target)
{
	u64 at = sframe_call_names(cur, ra);

	*target = at ? at - pc : NOT_NAMED;
	return !at || (*target != NOT_NAMED && pc + *target == at);
}

static bool is_called_before(struct sframe_cursor *cur, u64 ra, const struct sframe_known_way *way)
{
	s32 now;

	return called_before(cur, ra, way->pc, &now) && now == way->target;
}

/* Has an interpreter jumped to the function, whose RA is at @slot? Then @to is changed for that. */
static bool is_jumped_to(struct sframe_cursor *cur, u64 slot, struct sframe_frame *to)
{
	return sframe_resume_at(cur, slot, to) && sframe_resume_is_next(slot, to->sp);
}

/* The checksum of the code that @way stands for. */
static bool sum_code(struct sframe_cursor *cur, const struct sframe_known_way *way, u32 *sum)
{
	u32 before = way->pc % PAGE, after = PAGE - before, i;
	u64 code[CODE_WORDS] = {}, all = 0;

	before = before < AROUND ? before : AROUND;
	after = after < AROUND ? after : AROUND;
	if (!sframe_spend(cur, COMPARE_COST) ||
	    cur->ops->read_code(cur->ctx, way->pc - before, code, before + after) ||
	    (!(way->how & BY_RECORD) &&
	     cur->ops->read_code(cur->ctx, way->pc + way->target, (u8 *)code + 2 * AROUND,
				 BEGIN_LEN)))
		return false;
	for (i = 0; i < CODE_WORDS; i++)
		all = sframe_mix_sum(all, code[i]);
	*sum = all;
	return true;
}

static bool keeps_ways(struct sframe_cursor *cur)
{
	return sframe_answers_of(cur) && cur->answers->ways;
}

/* The places of ways from @pc, the last one kept first; NULL if none are kept. */
static struct sframe_known_way *places(struct sframe_cursor *cur, u64 pc)
{
	u32 at;

	if (!keeps_ways(cur))
		return NULL;
	at = sframe_mix_sum(sframe_mix_sum(0, cur->answers->key), pc);
	return &cur->answers->ways[at % (SFRAME_WAYS_MAX / PLACES) * PLACES];
}

/*
 * Is @k a way for this frame, and the code as it was? By the record, SP has to be as far from it:
 * code that one function jumps to, and so runs in its frame, may be called by another one; then its
 * RA takes a word more.
 */
static bool is_for(struct sframe_cursor *cur, struct sframe_known_way *k, u64 pc, u32 state)
{
	u64 walk = cur->answers->walk;
	u32 sum;

	if (k->pc != pc || k->key != cur->answers->key || (k->how & FRAME_STATE) != state)
		return false;
	/* A jump may lead to the next function, and behind one that is always made it may begin. */
	if (pc != cur->pc && !(k->how & BY_RECORD) && k->target > (s64)(cur->pc - pc))
		return false;
	if (k->how >> FROM_SHIFT != FROM_ANYWHERE && pc - cur->pc > k->how >> FROM_SHIFT)
		return false;
	if (k->how & BY_RECORD &&
	    (!may_have_record(cur) || (cur->sp_known && k->sp != (s32)(cur->fp - cur->sp))))
		return false;
	if (k->walk == walk) {
		sframe_cursor_charge(cur, COMPARED_COST);
		return true;
	}
	if (!sum_code(cur, k, &sum) || sum != k->sum)
		return false;
	k->walk = walk;
	return true;
}

static bool leave_by_record(struct sframe_cursor *cur, const struct sframe_known_way *way,
			    struct sframe_frame *to)
{
	u64 slot;

	if (!read_record(cur, to, &slot) || !is_called_before(cur, to->ra & cur->ra_bits, way))
		return false;
	if (sframe_ra_is_copy(cur, slot, to->ra))
		to->sp_known = false;
	sframe_find_caller_sp(cur, to);
	return true;
}

static bool leave_by_code(struct sframe_cursor *cur, const struct sframe_known_way *way,
			  struct sframe_frame *to)
{
	*to = (struct sframe_frame){
		.cfa = cur->sp + way->sp,
		.sp = cur->sp + way->sp + cur->abi->sp_bias,
		.fp = cur->fp,
		.sp_known = true,
		.fp_known = way->how & SAVES_FP || (cur->fp_known && !(way->how & LOSES_FP)),
		.returns = way->how & RETURNS,
		.fallback = true,
	};
	if (!sframe_spend(cur, ASK_COST) || to->cfa <= cur->cfa ||
	    to->cfa % cur->abi->cfa_align ||
	    !sframe_read_word(cur, cur->sp + way->ra_at, &to->ra) ||
	    (way->how & SAVES_FP && !sframe_read_word(cur, cur->sp + way->fp_at, &to->fp)))
		return false;
	if (way->how & JUMPED_TO)
		return is_jumped_to(cur, cur->sp + way->ra_at, to);
	return sframe_is_return_address(cur, to->ra & cur->ra_bits) &&
	       is_called_before(cur, to->ra & cur->ra_bits, way);
}

/* Leave the frame as those whose ways are kept of @pc. */
static bool step_as_from(struct sframe_cursor *cur, u64 pc, struct sframe_frame *to)
{
	const u32 state = frame_state(cur);
	struct sframe_known_way *k = places(cur, pc), way;
	struct sframe_answers *answers = cur->answers;
	unsigned int i;

	if (!k)
		return false;
	sframe_cursor_charge(cur, LOOK_COST);
	/* The walk may lose the CPU's answers when it reads the stack. */
	for (i = 0; i < PLACES && cur->answers == answers; i++) {
		if (!is_for(cur, &k[i], pc, state))
			continue;
		/* An interpreter that is just returned to has another SP a few bytes on. */
		if (pc != cur->pc && sframe_resumes(cur, cur->pc))
			return false;
		way = k[i];
		if (way.how & BY_RECORD ? leave_by_record(cur, &way, to) :
					  leave_by_code(cur, &way, to)) {
			cur->recalled++;
			return true;
		}
	}
	return false;
}

/**
 * sframe_step_by_known_way() - leave a frame as another one was left that code leads from to the
 *	same place, for certain
 * @cur: the walk, in code without a table
 * @to: filled in
 *
 * Context: as sframe_cursor_next().
 * Return: true if one was.
 */
bool sframe_step_by_known_way(struct sframe_cursor *cur, struct sframe_frame *to)
{
	struct straight_line line;

	if (!may_be_known(cur) || !keeps_ways(cur))
		return false;
	if (!sframe_line_begin(cur, &line))
		return step_as_from(cur, cur->pc, to);
	while (sframe_line_next(cur, &line)) {
		if (step_as_from(cur, line.at, to))
			return true;
		if (!sframe_line_jump(&line))
			return false;
	}
	return false;
}

static bool is_same(const struct sframe_known_way *a, const struct sframe_known_way *b)
{
	return a->key == b->key && a->pc == b->pc && a->target == b->target && a->sp == b->sp &&
	       a->ra_at == b->ra_at && a->fp_at == b->fp_at && a->how == b->how &&
	       a->sum == b->sum;
}

/* Put @way first, in place of the oldest. */
static void keep_way(struct sframe_cursor *cur, struct sframe_known_way *way)
{
	struct sframe_known_way *k;
	unsigned int i;

	if (!way->pc || is_known_otherwise(cur) || !sum_code(cur, way, &way->sum))
		return;
	sframe_cursor_charge(cur, KEEP_COST);
	/* The walk may have lost the CPU's answers. */
	k = places(cur, way->pc);
	if (!k)
		return;
	way->key = cur->answers->key;
	way->walk = cur->answers->walk;
	for (i = 0; i < PLACES - 1 && !is_same(&k[i], way); i++)
		;
	memmove(k + 1, k, i * sizeof(*k));
	*k = *way;
}

/**
 * sframe_note_own_record() - a frame was left by the record at FP, which was seen to be its own
 * @cur: the walk, in code made at run time
 * @paid: what it took to see that, instructions
 *
 * Context: as sframe_cursor_next().
 */
void sframe_note_own_record(struct sframe_cursor *cur, u32 paid)
{
	struct sframe_known_way way = {
		.sp = cur->sp_known ? cur->fp - cur->sp : 0,
		.how = BY_RECORD | frame_state(cur) | FROM_ANYWHERE << FROM_SHIFT,
	};
	struct sframe_frame to;
	u64 slot;

	/* x86-64: where SP is lost, nothing tells who was jumped to from who was called. */
	if (paid < WORTH || !may_be_known(cur) || !keeps_ways(cur) || !may_have_record(cur) ||
	    (!cur->sp_known && cur->abi->sp_step) || !read_record(cur, &to, &slot))
		return;
	way.pc = place_of_way(cur);
	if (called_before(cur, to.ra & cur->ra_bits, way.pc, &way.target))
		keep_way(cur, &way);
}

/* Does the call before RA name the function, which may begin at @begin, or is it jumped to? */
static bool is_caller_certain(struct sframe_cursor *cur, const struct sframe_leave *lv,
			      const struct sframe_frame *to, u64 begin,
			      struct sframe_known_way *way)
{
	struct sframe_frame again = *to;
	u64 ra = to->ra & cur->ra_bits;

	if (called_before(cur, ra, way->pc, &way->target) && way->target != NOT_NAMED)
		return sframe_call_target(cur, ra) == way->pc + way->target;
	way->how |= JUMPED_TO;
	way->target = begin - way->pc;
	return begin && sframe_is_near(begin, way->pc) && is_jumped_to(cur, lv->ra_at, &again);
}

static void note_way_by_code(struct sframe_cursor *cur, const struct sframe_leave *lv,
			     const struct sframe_frame *to, u64 begin, bool entered)
{
	struct sframe_known_way way = {
		.pc = place_of_way(cur),
		.sp = lv->sp - cur->sp,
		.ra_at = lv->ra_at - cur->sp,
		.fp_at = lv->fp_at ? lv->fp_at - cur->sp : 0,
		.how = (lv->fp_at ? SAVES_FP : 0) | (lv->fp_lost ? LOSES_FP : 0) |
		       (lv->returns ? RETURNS : 0) | frame_state(cur),
	};

	if (!way.pc)
		return;
	/* What has led to the PC says nothing of others that lead to the same place. */
	way.how |= (entered ? (u32)(way.pc - cur->pc) : FROM_ANYWHERE) << FROM_SHIFT;
	if (is_caller_certain(cur, lv, to, begin, &way))
		keep_way(cur, &way);
}

/**
 * sframe_note_certain_way() - a frame was left by its code, for certain
 * @cur: the walk, in code without a table
 * @lv: how: the function that is called before RA leads to the PC with SP as it is; or an
 *	interpreter has jumped to it
 * @to: the caller
 * @begin: where the function begins, at least as far as HotSpot's marks tell; 0: only the call
 *	before RA tells
 * @entered: code was followed from there to the PC, and so it is known what FP is
 * @paid: what it took to find that, instructions
 *
 * Context: as sframe_cursor_next().
 */
void sframe_note_certain_way(struct sframe_cursor *cur, const struct sframe_leave *lv,
			     const struct sframe_frame *to, u64 begin, bool entered, u32 paid)
{
	/* Nothing but code may have a part in it. And FP that was lost before is not elsewhere. */
	if (paid < WORTH || !lv->lasts || lv->by_stack || lv->from_fp || lv->by_fp ||
	    lv->sp_saved || lv->interprets || lv->ra_before_calls || lv->ra_reg ||
	    (!cur->fp_known && !lv->fp_at))
		return;
	sframe_cursor_charge(cur, 2 * SFRAME_COST_CODE);
	if (may_be_known(cur) && keeps_ways(cur) && cur->sp_known && to->sp_known &&
	    sframe_is_near(lv->ra_at, cur->sp) && sframe_is_near(lv->sp, cur->sp) &&
	    (!lv->fp_at || sframe_is_near(lv->fp_at, cur->sp)))
		note_way_by_code(cur, lv, to, begin, entered);
}
