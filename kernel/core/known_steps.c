// SPDX-License-Identifier: GPL-2.0
/*
 * Steps that were made before. Where a frame has no row, its caller is found by what is on the
 * stack and in code (fallback.c), which may take some ten thousand instructions; and mostly the
 * callers of one sample are the next one's, too. So what a step has read is noted, with a
 * checksum, but for code that stays as it is: while all of it is as it was, so is the caller.
 *
 * A walk in place looks whether a step is known, and takes no notes of what it reads: these would
 * cut more of such walks than they help, and where one is cut, the task walks once more (a lesson).
 */
#include "answers_impl.h"
#include "cursor_impl.h"

/* Prices: of looking for a step; of keeping one; of noting a read. */
#define LOOK_COST	96
#define KEEP_COST	256
#define NOTE_COST	48
/* A step that costs fewer instructions is not worth keeping; or not so many times the check's. */
#define WORTH		1000
#define CHECK_WORTH	2
/* Associativity: a step can be at any of this many places. */
#define PLACES		4

/* In &sframe_step_from.state, above the reason why there is no row. */
#define KNOWN_SP	256
#define KNOWN_FP	512
#define IS_CALLED	1024
#define IS_RETURNED_TO	2048
#define HAS_CALLED_LISP	4096
#define IS_LAST		8192
#define IS_EXACT	16384
#define CALLED_EXACT	32768
#define CALLED_TOPMOST	65536

static_assert(SFRAME_NR_REASONS <= KNOWN_SP, "reasons and bits do not overlap");

/**
 * struct notes - notes of what a step reads
 * @cur: the walk, which has these as its surroundings meanwhile
 * @ops: its own
 * @ctx: and what is handed to them
 * @step: where it is noted, in the answers: the walk's until it reads the stack and has none
 * @lost: the step depends on more than is noted
 */
struct notes {
	struct sframe_cursor *cur;
	const struct sframe_cursor_ops *ops;
	void *ctx;
	struct sframe_known_step *step;
	bool lost;
};

/*
 * What @find and @find_kept say follows from the mappings, as the key does, and from their tables:
 * so nothing is kept if one of these is still to come.
 */
static enum sframe_reason find(void *ctx, u64 pc, struct sframe_rule *rule)
{
	struct notes *n = ctx;
	enum sframe_reason reason = n->ops->find(n->ctx, pc, rule);

	n->lost |= reason == SFRAME_NOT_YET;
	return reason;
}

static enum sframe_reason find_kept(void *ctx, u64 pc, unsigned int reg,
				    struct sframe_rule *rule)
{
	const struct notes *n = ctx;

	return n->ops->find_kept(n->ctx, pc, reg, rule);
}

/* Can no word be read at @addr? On the stack, a walk that may has it faulted in. */
static bool is_unread(struct sframe_cursor *cur, const struct sframe_cursor_ops *ops, void *ctx,
		      u64 addr)
{
	u64 word;

	if (!sframe_spend(cur, SFRAME_COST_CODE))
		return false;
	return sframe_is_near(addr, cur->sp) ? ops->read(ctx, addr, &word, sizeof(word)) :
					       ops->read_code(ctx, addr, &word, sizeof(word));
}

/* Of what could not be read, the first word or the last one cannot; else nothing is noted. */
static bool note_unread(struct notes *n, u64 addr, unsigned int len)
{
	struct sframe_known_step *k = n->step;
	u32 i;

	if (len > sizeof(u64) && !is_unread(n->cur, n->ops, n->ctx, addr)) {
		addr += len - sizeof(u64);
		if (!is_unread(n->cur, n->ops, n->ctx, addr))
			return false;
	}
	/* It may have paused for that. */
	if (!n->cur->answers)
		return false;
	for (i = 0; i < k->nr_unread; i++) {
		if (k->unread[i] == addr)
			return true;
	}
	if (k->nr_unread == SFRAME_UNREAD_MAX)
		return false;
	k->unread[k->nr_unread++] = addr;
	return true;
}

static bool note_ranges(struct sframe_code_ranges *ranges, u64 base, u64 addr, unsigned int len)
{
	return sframe_ranges_grow(ranges, base, addr, len) ||
	       sframe_ranges_add(ranges, base, addr, len);
}

/* @len bytes at @addr were read, or could not be. */
static int note(struct notes *n, u64 addr, unsigned int len, int error)
{
	struct sframe_cursor *cur = n->cur;

	sframe_cursor_charge(cur, NOTE_COST);
	/* The walk has paused for memory, and others may have the answers now. */
	n->lost |= !cur->answers;
	if (n->lost)
		return error;
	if (error)
		n->lost = !note_unread(n, addr, len);
	else if (sframe_is_near(addr, cur->sp))
		n->lost = !note_ranges(&n->step->stack, cur->sp, addr, len);
	else if (!n->ops->is_fixed(n->ctx, addr, len))
		n->lost = !note_ranges(&n->step->code, cur->pc, addr, len);
	return error;
}

static int read_noted(void *ctx, u64 addr, void *buf, unsigned int len)
{
	struct notes *n = ctx;

	return note(n, addr, len, n->ops->read(n->ctx, addr, buf, len));
}

static int read_code_noted(void *ctx, u64 addr, void *buf, unsigned int len)
{
	struct notes *n = ctx;

	return note(n, addr, len, n->ops->read_code(n->ctx, addr, buf, len));
}

/* Registers of the topmost frame are not compared. */
static int reg(void *ctx, unsigned int reg, u64 *val)
{
	struct notes *n = ctx;

	n->lost = true;
	return n->ops->reg(n->ctx, reg, val);
}

static struct sframe_answers *answers(void *ctx)
{
	const struct notes *n = ctx;

	return n->ops->answers(n->ctx);
}

static bool is_fixed(void *ctx, u64 addr, unsigned int len)
{
	const struct notes *n = ctx;

	return n->ops->is_fixed(n->ctx, addr, len);
}

static void home(void *ctx, u64 addr, struct sframe_home *home)
{
	const struct notes *n = ctx;

	if (n->ops->home)
		n->ops->home(n->ctx, addr, home);
	else
		*home = (struct sframe_home){ .start = addr, .end = addr + 1 };
}

static const struct sframe_cursor_ops noting = {
	.find = find,
	.find_kept = find_kept,
	.read = read_noted,
	.read_code = read_code_noted,
	.reg = reg,
	.answers = answers,
	.is_fixed = is_fixed,
	.home = home,
};

/* The walk has answers. */
static struct sframe_step_from step_from(const struct sframe_cursor *cur,
					 enum sframe_reason no_row)
{
	u32 depth = cur->depth;

	return (struct sframe_step_from){
		.key = cur->answers->key,
		.pc = cur->pc,
		.sp = cur->sp,
		.fp = cur->fp,
		.cfa = cur->cfa,
		.left = cur->left,
		.state = no_row | (cur->sp_known ? KNOWN_SP : 0) |
			 (cur->fp_known ? KNOWN_FP : 0) |
			 (cur->called_depth == depth ? IS_CALLED : 0) |
			 (cur->returned_depth == depth ? IS_RETURNED_TO : 0) |
			 (cur->lisp_depth == depth ? HAS_CALLED_LISP : 0) |
			 (cur->last_depth == depth ? IS_LAST : 0) |
			 (cur->exact_depth == depth ? IS_EXACT : 0) |
			 (cur->exact_depth + 1 == depth ? CALLED_EXACT : 0) |
			 (depth == 1 ? CALLED_TOPMOST : 0),
	};
}

static bool is_from(const struct sframe_known_step *k, const struct sframe_step_from *from)
{
	const struct sframe_step_from *f = &k->from;

	return f->pc == from->pc && f->sp == from->sp && f->fp == from->fp &&
	       f->cfa == from->cfa && f->left == from->left && f->state == from->state &&
	       f->key == from->key;
}

/* The places of steps from the frame that the walk is at; the first was filled last. */
static struct sframe_known_step *places(const struct sframe_cursor *cur)
{
	const struct sframe_answers *a = cur->answers;
	u64 hash = sframe_mix_sum(sframe_mix_sum(a->key, cur->pc), cur->sp);

	return &a->steps[(u32)hash % (SFRAME_STEPS_MAX / PLACES) * PLACES];
}

static struct sframe_known_step *find_step(const struct sframe_cursor *cur,
					   enum sframe_reason no_row)
{
	struct sframe_known_step *k = places(cur);
	struct sframe_step_from from;
	unsigned int i;

	for (i = 0; i < PLACES; i++, k++) {
		/* Mostly there is none, and the rest is not needed. */
		if (k->from.pc != cur->pc || k->from.sp != cur->sp)
			continue;
		from = step_from(cur, no_row);
		if (is_from(k, &from))
			return k;
	}
	return NULL;
}

/* Is it still so that all these cannot be read? */
static bool are_unread(struct sframe_cursor *cur, const struct sframe_known_step *k)
{
	u32 i;

	for (i = 0; i < k->nr_unread; i++) {
		if (!is_unread(cur, cur->ops, cur->ctx, k->unread[i]) || !cur->answers)
			return false;
	}
	return true;
}

/* Is all of it as it was? False also if the walk has lost its answers, and @ranges with them. */
static bool is_as_before(struct sframe_cursor *cur, const struct sframe_code_ranges *ranges,
			 u64 base)
{
	return sframe_ranges_same(cur, ranges, base) && cur->answers;
}

static bool step_as_before(struct sframe_cursor *cur, enum sframe_reason no_row,
			   struct sframe_frame *to)
{
	const struct sframe_known_step *k;

	sframe_cursor_charge(cur, LOOK_COST);
	k = find_step(cur, no_row);
	if (!k || !is_as_before(cur, &k->stack, cur->sp) ||
	    !is_as_before(cur, &k->code, cur->pc) || !are_unread(cur, k))
		return false;
	*to = k->to;
	if (k->resumes_at && !sframe_resumed_how(cur, k->resumes_at))
		sframe_note_resumed(cur, k->resumes_at, k->resumes_how);
	cur->recalled++;
	return true;
}

/* Keep the step that was noted, if it is worth that. @paid: what it has cost. */
static void keep_step(struct sframe_cursor *cur, enum sframe_reason no_row,
		      const struct sframe_frame *to, u32 paid)
{
	struct sframe_known_step *k = &cur->answers->noted, *old;
	u32 price = sframe_ranges_price(&k->stack) + sframe_ranges_price(&k->code);
	bool worth = paid >= WORTH && paid >= CHECK_WORTH * price;

	sframe_cursor_charge(cur, KEEP_COST);
	sframe_answer_note(cur, cur->pc, HINT_CHEAP, !worth);
	if (!worth || !sframe_ranges_sum(cur, &k->stack, cur->sp) || !cur->answers ||
	    !sframe_ranges_sum(cur, &k->code, cur->pc) || !cur->answers)
		return;
	k->from = step_from(cur, no_row);
	k->to = *to;
	k->resumes_at = sframe_resumed_last(cur, &k->resumes_how);
	old = find_step(cur, no_row);
	if (!old) {
		old = places(cur);
		memmove(old + 1, old, (PLACES - 1) * sizeof(*old));
	}
	*old = *k;
}

/*
 * May the walk take notes for the step that it makes now? It may have paused since it had answers,
 * to see what cannot be read; then it has asked for them again here, and need not have got them.
 */
static bool takes_notes(struct sframe_cursor *cur)
{
	return sframe_budget_left(cur) > SFRAME_BUDGET_INPLACE &&
	       !sframe_answer_noted(cur, cur->pc, HINT_CHEAP) && cur->answers;
}

/* Was it seen how the function is left, wherever its frame is? That is quicker to know. */
static bool step_as_seen(struct sframe_cursor *cur, enum sframe_reason no_row,
			 struct sframe_frame *to)
{
	return no_row == SFRAME_NO_TABLE && (!cur->depth || cur->last_depth != cur->depth) &&
	       sframe_step_by_known_way(cur, to);
}

/*
 * Where an interpreter is returned to is found anew, so that its code is noted, too; and a signal
 * frame is cheap to leave, but such steps have to be counted.
 */
static noinline enum sframe_reason
step_with_notes(struct sframe_cursor *cur, enum sframe_reason no_row, struct sframe_frame *to)
{
	struct sframe_resumed resumed = cur->resumed;
	struct notes n = { .cur = cur, .ops = cur->ops, .ctx = cur->ctx,
			   .step = &cur->answers->noted };
	u32 budget = cur->budget, recalled;
	enum sframe_reason reason;
	struct sframe_frame unused;
	enum sframe_resume how;
	bool seen;
	u64 at;

	n.step->stack.nr = 0;
	n.step->code.nr = 0;
	n.step->nr_unread = 0;
	/* What answers come from is noted, too. */
	cur->answers->walk++;
	cur->resumed.nr = 0;
	cur->ops = &noting;
	cur->ctx = &n;
	reason = sframe_step_anew(cur, no_row, to);
	recalled = cur->recalled;
	seen = !reason && step_as_seen(cur, no_row, &unused);
	cur->recalled = recalled;
	cur->ops = n.ops;
	cur->ctx = n.ctx;
	if (!reason && !n.lost && cur->answers && !cur->java.sp && !to->saved.frame &&
	    !seen)
		keep_step(cur, no_row, to, budget - cur->budget);
	at = sframe_resumed_last(cur, &how);
	cur->resumed = resumed;
	if (at && !sframe_resumed_how(cur, at))
		sframe_note_resumed(cur, at, how);
	return reason;
}

/**
 * sframe_step_without_row() - leave a frame that has no row, or whose row is of no use
 * @cur: the walk
 * @no_row: why there is no row
 * @to: filled in
 *
 * If an earlier step from there has found the caller, and what that has read is the same now, it
 * is the caller now, too. Not so in a topmost frame, whose registers and code change; nor where
 * HotSpot's chain (s390x), a link register or an interpreter's code tells, which is quicker.
 *
 * Context: as sframe_cursor_next().
 * Return: SFRAME_OK, or why the walk ends.
 */
enum sframe_reason sframe_step_without_row(struct sframe_cursor *cur, enum sframe_reason no_row,
					   struct sframe_frame *to)
{
	if (step_as_seen(cur, no_row, to))
		return SFRAME_OK;
	if (cur->topmost || cur->java.sp || cur->lr_depth == cur->depth ||
	    sframe_resumed_how(cur, cur->pc) || !sframe_answers_of(cur) || !cur->answers->steps)
		return sframe_step_anew(cur, no_row, to);
	if (step_as_before(cur, no_row, to))
		return SFRAME_OK;
	return takes_notes(cur) ? step_with_notes(cur, no_row, to) :
				  sframe_step_anew(cur, no_row, to);
}
