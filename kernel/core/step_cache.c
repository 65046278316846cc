// SPDX-License-Identifier: GPL-2.0
/*
 * Frames that are left as they were left before. Each step that may be kept is noted
 * (step_note.c); whether it was worth it shows in the end.
 */
#include "step_cache_impl.h"

/* Instructions to look at a step again: at all, at each piece, at each byte. */
#define AGAIN_COST	192
#define PIECE_COST	64
#define BYTE_COST	2
/* To look whether there is one; to keep one in the end. */
#define LOOK_COST	64
#define KEEP_COST	192
/* A search may take one part in so many of what is left. */
#define SEARCH_SHARE	4

/* What is known of a frame, in struct sframe_step_from.how and struct sframe_step.what. */
#define SP_KNOWN	1
#define FP_KNOWN	2
#define RETURNS		4
#define LISP		8
#define FALLBACK	16
#define FIRST_CALLER	32
#define TOPMOST		64
#define FP_FAR		128
#define FP_KEPT		256
#define FP_ODD_SHIFT	9
#define NO_ROW_SHIFT	16

/*
 * Farther than that from SP, and from all that was read, FP is anything: what it is does
 * not matter, but for where it is not.
 */
#define FAR		65536

static struct sframe_step *place_of(struct sframe_step_cache *c,
				    const struct sframe_step_from *from)
{
	return &c->step[sframe_mix(from->pc, from->cfa) % SFRAME_STEPS_MAX];
}

/* Add what is now in a piece of memory to @hash. The walk may lose the cache meanwhile. */
static bool mix_piece(const struct sframe_cursor *cur, u64 *hash, u64 addr, u16 len)
{
	const struct sframe_step_cache *c = cur->steps;
	unsigned int part, left = sframe_piece_bytes(len);
	u64 words[PIECE_MAX / sizeof(u64)];

	for (; left; addr += part, left -= part) {
		part = left < PIECE_MAX ? left : PIECE_MAX;
		if (!sframe_left(cur) || cur->ops->read(cur->ctx, addr, words, part) ||
		    cur->steps != c)
			return false;
		if (len & LEN_WORDS)
			sframe_only_code(cur, words, part / sizeof(u64));
		*hash = sframe_mix_bytes(*hash, (const u8 *)words, part);
	}
	return true;
}

/* A register that cannot be had is as one that is 0. */
static u64 mix_reg(const struct sframe_cursor *cur, u64 hash, unsigned int reg)
{
	u64 val;

	if (cur->ops->reg(cur->ctx, reg, &val))
		val = 0;
	return sframe_mix(hash, val);
}

/* Is all that @s has read as it was? */
static bool reads_the_same(const struct sframe_cursor *cur, const struct sframe_step *s)
{
	unsigned int i;
	u64 hash = 0;

	for (i = 0; i < s->nr; i++) {
		if (s->len[i] == LEN_REG)
			hash = mix_reg(cur, hash, s->addr[i]);
		else if (!mix_piece(cur, &hash, s->addr[i], s->len[i]))
			return false;
	}
	return hash == s->hash;
}

/*
 * To where the frame has led before, if all is as it was then. Its buffer is not on the
 * stack while a step is made.
 */
static noinline bool step_again(struct sframe_cursor *cur, const struct sframe_step *s,
				const struct sframe_step_from *from, struct sframe_frame *to)
{
	if (memcmp(&s->from, from, sizeof(*from)) || !sframe_spend(cur, s->cost) ||
	    !reads_the_same(cur, s))
		return false;
	*to = (struct sframe_frame){
		.cfa = s->cfa,
		.sp = s->sp,
		.fp = s->what & FP_KEPT ? cur->fp : s->fp,
		.ra = s->ra,
		.sp_known = s->what & SP_KNOWN,
		.fp_known = s->what & FP_KNOWN,
		.returns = s->what & RETURNS,
		.lisp = s->what & LISP,
		.fallback = s->what & FALLBACK,
	};
	return true;
}

static bool is_near(u64 a, u64 b)
{
	return a - b < FAR || b - a < FAR;
}

/*
 * FP is far from SP. Was nothing read near it, that it could have led to? And if the caller
 * has the same, is that not what was saved? For that would not change.
 */
static bool does_without_fp(const struct sframe_cursor *cur, const struct sframe_step *s,
			    const struct sframe_frame *to)
{
	unsigned int i;

	for (i = 0; i < s->nr; i++)
		if (s->len[i] != LEN_REG && is_near(s->addr[i], cur->fp))
			return false;
	return is_near(to->cfa, cur->sp) && (to->fp != cur->fp || to->fp_same || !to->fp_known);
}

/*
 * Keep the step that was noted, if it was much dearer than to look at it again; but not if
 * it took so much of what was left that some search may have found no more to pay with.
 */
static void keep(const struct sframe_cursor *cur, const struct sframe_frame *to, u32 paid)
{
	struct sframe_step_cache *c = cur->steps;
	struct sframe_step *s = &c->now;
	unsigned int i;

	/* That of a signal trampoline is not dear, and there is more to it. */
	if (s->nr > SFRAME_STEP_PIECES || to->exact || to->lower)
		return;
	if (paid > sframe_left(cur) / SEARCH_SHARE)
		return;
	if (s->from.how & FP_FAR && !does_without_fp(cur, s, to))
		return;
	s->cost = AGAIN_COST + PIECE_COST * s->nr;
	for (i = 0; i < s->nr; i++) {
		s->cost += BYTE_COST * sframe_piece_bytes(s->len[i]);
		if (s->len[i] & LEN_WORDS)
			s->cost += SFRAME_FIND_COST / sizeof(u64) * sframe_piece_bytes(s->len[i]);
	}
	if (paid < c->worth * s->cost)
		return;
	s->cfa = to->cfa;
	s->sp = to->sp;
	s->fp = to->fp;
	s->ra = to->ra;
	s->what = (to->sp_known ? SP_KNOWN : 0) | (to->fp_known ? FP_KNOWN : 0) |
		  (to->returns ? RETURNS : 0) | (to->lisp ? LISP : 0) |
		  (to->fallback ? FALLBACK : 0) |
		  (s->from.how & FP_FAR && to->fp_same ? FP_KEPT : 0);
	*place_of(c, &s->from) = *s;
}

/* Of what was interrupted, there is more that could tell where it leads. */
static bool may_be_known(const struct sframe_cursor *cur)
{
	return !cur->depth ||
	       (!cur->topmost && cur->exact_depth != cur->depth &&
		cur->lr_depth != cur->depth);
}

/* FP, or if it is far from the stack, on which side; 0 says more. */
static u64 which_fp(const struct sframe_cursor *cur)
{
	if (!cur->fp_known)
		return 0;
	if (!cur->fp || is_near(cur->fp, cur->sp))
		return cur->fp;
	return cur->fp < cur->sp ? 1 : 2;
}

static struct sframe_step_from from_here(const struct sframe_cursor *cur,
					 enum sframe_reason no_row)
{
	return (struct sframe_step_from){
		.key = cur->steps->key,
		.pc = cur->pc,
		.cfa = cur->cfa,
		.sp = cur->sp,
		.fp = which_fp(cur),
		.ra = cur->topmost ? cur->ra : 0,
		.how = no_row << NO_ROW_SHIFT | (cur->sp_known ? SP_KNOWN : 0) |
		       (cur->fp_known ? FP_KNOWN : 0) |
		       (cur->returned_depth == cur->depth ? RETURNS : 0) |
		       (cur->lisp_depth == cur->depth ? LISP : 0) |
		       (cur->depth == 1 ? FIRST_CALLER : 0) |
		       (cur->topmost ? TOPMOST : 0) |
		       (cur->fp_known && which_fp(cur) != cur->fp ?
			FP_FAR | (cur->fp & 7) << FP_ODD_SHIFT : 0),
	};
}

/**
 * sframe_step_cached() - sframe_step_by_record(), or what it has found before
 * @cur: the walk
 * @no_row: why there is no rule that can be used
 * @to: the caller
 *
 * Context: as sframe_cursor_next().
 * Return: as sframe_step_by_record().
 */
enum sframe_reason sframe_step_cached(struct sframe_cursor *cur, enum sframe_reason no_row,
				      struct sframe_frame *to)
{
	struct sframe_step_from from;
	enum sframe_reason reason;
	u32 budget;

	if (!cur->steps && cur->ops->steps)
		cur->steps = cur->ops->steps(cur->ctx);
	if (!cur->steps || !may_be_known(cur))
		return sframe_step_by_record(cur, no_row, to);
	sframe_cursor_charge(cur, LOOK_COST);
	from = from_here(cur, no_row);
	if (step_again(cur, place_of(cur->steps, &from), &from, to)) {
		cur->recalled++;
		return SFRAME_OK;
	}
	/* The walk may lose it where it waits for memory. */
	if (!cur->steps || !cur->steps->keeps)
		return sframe_step_by_record(cur, no_row, to);
	sframe_cursor_charge(cur, KEEP_COST);
	budget = cur->budget;
	cur->noted = &cur->steps->now;
	cur->noted->from = from;
	cur->noted->hash = 0;
	cur->noted->paid = 0;
	cur->noted->nr = 0;
	reason = sframe_step_by_record(cur, no_row, to);
	if (cur->noted) {
		if (!reason)
			keep(cur, to, budget - cur->budget);
		sframe_cursor_charge(cur, cur->noted->paid);
	}
	cur->noted = NULL;
	return reason;
}
