/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the walk before has found. One sample's callers are mostly the next one's, too,
 * on the same stack. Where a walk comes to a frame that the one before came to, it
 * compares the words by which that was left, and looks up nothing: if they are the
 * same, the caller is.
 */
#ifndef SFRAME_TRAIL_H
#define SFRAME_TRAIL_H

#include <sframe/cursor.h>

/* One entry of a trail is its ends. */
#define SFRAME_TRAIL_MAX	512

/**
 * struct sframe_trail_frame - a frame that a walk came to
 * @pc: its PC, a return address
 * @cfa: of the frame below it; its SP is where that says
 * @fp: its frame pointer
 * @rule: for @pc, as it was found last; if @direct, it was a row's
 * @next: the entry behind it, with a higher @cfa mostly: bytes from the first one
 * @direct: that is its caller, and what told so was @rule, and the words that it says
 *	are on the stack: RA, and FP if it was saved
 *
 * Who the caller is depends on nothing but @pc, @cfa, @fp, those words, and the tables.
 */
struct sframe_trail_frame {
	u64 pc;
	u64 cfa;
	u64 fp;
	struct sframe_rule rule;
	u32 next;
	bool direct;
};

/**
 * struct sframe_trail - the frames of the last walk, and of some before it
 * @key: of the mappings and tables by which they were found
 * @used: entries of @frame that are used
 * @frame: [0] begins and ends the list that they are
 *
 * One walk at a time may use it.
 */
struct sframe_trail {
	u64 key;
	u16 used;
	struct sframe_trail_frame frame[SFRAME_TRAIL_MAX];
};

/**
 * struct sframe_trail_place - where a walk is in a trail
 * @prev: the last frame that it has come to, or the list's head
 * @ahead: the first one of older walks that it has not passed, or the list's end
 * @here: it is at @prev
 */
struct sframe_trail_place {
	struct sframe_trail_frame *prev;
	struct sframe_trail_frame *ahead;
	bool here;
};

/**
 * struct sframe_peek_ops - how many words of the stack are read in one go
 * @begin: they are going to be, if that can be: until @end nothing but @word is called
 * @word: one of them, if it can be had at once: 0, else -errno
 * @end: these were all
 *
 * A constant, of which nobody keeps the address: so all three are inlined.
 */
struct sframe_peek_ops {
	bool (*begin)(void *ctx);
	int (*word)(void *ctx, u64 addr, u64 *word);
	void (*end)(void *ctx);
};

/**
 * sframe_trail_begin() - a walk begins
 * @t: what the one before has left, or zeroes
 * @key: not 0. Anything else as long as nothing that is mapped, and no row that was
 *	found there, is another one
 *
 * Context: any, NMI included.
 */
static inline void sframe_trail_begin(struct sframe_trail *t, u64 key)
{
	if (t->key == key && t->used < SFRAME_TRAIL_MAX)
		return;
	t->key = key;
	t->frame[0] = (struct sframe_trail_frame){ .cfa = ~0ull };
	t->used = 1;
}

static __always_inline struct sframe_trail_frame *
sframe_trail_next(struct sframe_trail *t, const struct sframe_trail_frame *f)
{
	return (void *)t->frame + f->next;
}

static __always_inline void
sframe_trail_link(struct sframe_trail *t, struct sframe_trail_frame *f,
		  const struct sframe_trail_frame *next, bool direct)
{
	f->next = (const void *)next - (void *)t->frame;
	f->direct = direct;
}

/* Before the first step. */
static __always_inline struct sframe_trail_place
sframe_trail_place(struct sframe_trail *t)
{
	return (struct sframe_trail_place){
		.prev = t->frame,
		.ahead = sframe_trail_next(t, t->frame),
	};
}

/* Has @f the caller that it had? */
static __always_inline bool
sframe_trail_same_with(const struct sframe_cursor *cur,
		       const struct sframe_peek_ops *peek,
		       const struct sframe_trail_frame *f,
		       const struct sframe_trail_frame *caller)
{
	u64 word;

	if (peek->word(cur->ctx, caller->cfa + f->rule.ra_off, &word) ||
	    (word & cur->ra_bits) != caller->pc)
		return false;
	return f->rule.fp == SFRAME_LOC_SAME ||
	       (!peek->word(cur->ctx, caller->cfa + f->rule.fp_off, &word) &&
		word == caller->fp);
}

/* From a frame that is in @t to the last one that is as it was. */
static __always_inline u64 *
sframe_trail_follow_with(struct sframe_trail *t, struct sframe_trail_place *p,
			 struct sframe_cursor *cur,
			 const struct sframe_cursor_ops *ops,
			 const struct sframe_peek_ops *peek, u64 *pcs)
{
	struct sframe_trail_frame *f = p->prev, *below = NULL, *caller;
	u32 depth = cur->depth;

	if (!peek->begin(cur->ctx))
		return pcs;
	for (; f->direct && depth < cur->limit; depth++) {
		caller = sframe_trail_next(t, f);
		if (!sframe_trail_same_with(cur, peek, f, caller))
			break;
		*pcs++ = caller->pc;
		below = f;
		f = caller;
	}
	peek->end(cur->ctx);
	if (!below)
		return pcs;
	p->prev = f;
	p->ahead = sframe_trail_next(t, f);
	cur->known += depth - cur->depth;
	cur->depth = depth;
	cur->left = below->pc;
	cur->pc = f->pc;
	cur->cfa = f->cfa;
	cur->sp = f->cfa + cur->sp_bias;
	cur->fp = f->fp;
	cur->rule = f->rule;
	cur->pending = SFRAME_OK;
	if (!f->direct) {
		/* There may be a table now. */
		sframe_cursor_find_with(cur, ops, f->pc - 1);
		f->rule = cur->rule;
	}
	return pcs;
}

/*
 * Is what is known of the frame all that could be, and its PC no exact one? And SP is
 * where the CFA says, which it is not where RA lay above that, or a function was jumped to.
 */
static inline bool sframe_trail_takes(const struct sframe_cursor *cur)
{
	return !cur->topmost && cur->exact_depth != cur->depth &&
	       cur->sp_known && cur->fp_known && cur->sp == cur->cfa + cur->sp_bias;
}

/*
 * At a frame that was just found: in the trail is another one at most with that CFA.
 * Where there is no room, the trail is as it was, but for what this walk has passed.
 */
static __always_inline bool
sframe_trail_add(struct sframe_trail *t, struct sframe_trail_place *p,
		 const struct sframe_cursor *cur, struct sframe_trail_frame **f)
{
	if (p->ahead->cfa == cur->cfa)
		p->ahead = sframe_trail_next(t, p->ahead);
	if (t->used == SFRAME_TRAIL_MAX)
		return false;
	*f = t->frame + t->used++;
	(*f)->pc = cur->pc;
	(*f)->cfa = cur->cfa;
	(*f)->fp = cur->fp;
	(*f)->rule = cur->rule;
	sframe_trail_link(t, *f, p->ahead, false);
	return true;
}

/* At a frame that was just found: to the last caller that is as it was. */
static __always_inline u64 *
sframe_trail_arrive_with(struct sframe_trail *t, struct sframe_trail_place *p,
			 struct sframe_cursor *cur,
			 const struct sframe_cursor_ops *ops,
			 const struct sframe_peek_ops *peek, bool fast, u64 *pcs)
{
	struct sframe_trail_frame *f;
	bool direct = p->here && fast;

	if (!fast && !sframe_trail_takes(cur)) {
		p->here = false;
		return pcs;
	}
	while (p->ahead->cfa < cur->cfa)
		p->ahead = sframe_trail_next(t, p->ahead);
	f = p->ahead;
	if (f->cfa == cur->cfa && f->pc == cur->pc && f->fp == cur->fp) {
		sframe_trail_link(t, p->prev, f, direct);
		p->ahead = sframe_trail_next(t, f);
		p->prev = f;
		p->here = true;
		if (!f->direct)
			f->rule = cur->rule;
		return sframe_trail_follow_with(t, p, cur, ops, peek, pcs);
	}
	p->here = sframe_trail_add(t, p, cur, &f);
	if (p->here) {
		sframe_trail_link(t, p->prev, f, direct);
		p->prev = f;
	}
	return pcs;
}

/**
 * sframe_trail_next_with() - sframe_cursor_next_with(), and as far as a trail leads
 * @t: the trail, or NULL. @ops may take it away in the step
 * @p: where the walk is in it
 * @cur: the walk
 * @ops: as sframe_cursor_next_with()'s
 * @peek: a constant, likewise
 * @pcs: where the next PC goes; advanced. There is room for as many as the walk may have
 *	frames
 *
 * Context: any that @ops allow, NMI included. A frame of the trail takes two reads.
 * Return: as sframe_cursor_next(); the frames before the last one are as it had found
 *	them.
 */
static __always_inline enum sframe_reason
sframe_trail_next_with(struct sframe_trail **t, struct sframe_trail_place *p,
		       struct sframe_cursor *cur,
		       const struct sframe_cursor_ops *ops,
		       const struct sframe_peek_ops *peek, u64 **pcs)
{
	u32 slow = cur->slow;
	enum sframe_reason reason = sframe_cursor_next_with(cur, ops);

	if (reason)
		return reason;
	*(*pcs)++ = cur->pc;
	if (*t)
		*pcs = sframe_trail_arrive_with(*t, p, cur, ops, peek,
						slow == cur->slow, *pcs);
	return SFRAME_OK;
}

#endif /* SFRAME_TRAIL_H */
