/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A trail: the frames of the last walks on a CPU. Mostly one sample's callers are the
 * next one's, too, on the same stack. Where a walk comes to a frame that is in the
 * trail, it compares the words on the stack by which that one was left, and looks up
 * nothing: if they are the same, so is the caller. Inlined into kernel/walk.c.
 */
#ifndef SFRAME_TRAIL_H
#define SFRAME_TRAIL_H

#include <sframe/cursor.h>

/* Entries of a trail. One stands for both ends of the list. */
#define SFRAME_TRAIL_MAX	512

/**
 * struct sframe_trail_frame - a frame that a walk came to
 * @pc: its PC, a return address
 * @cfa: CFA of its callee; the frame's own SP follows from that
 * @fp: its frame pointer
 * @rule: rule for @pc, as found last; if @direct, that of a row, or of a gap where frame
 *	pointers are kept
 * @next: the next entry, mostly with a higher @cfa: bytes from the first entry
 * @direct: @next is the caller, found by @rule, from words on the stack that it names:
 *	RA, and FP if that was saved
 *
 * Who the caller is then depends on nothing but @pc, @cfa, @fp, those words, and the
 * tables. (Where a file keeps frame pointers, it depends on its code, too, which stays; and
 * that its SP is known on the words above RA, as they were then.)
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
 * @key: stands for the mappings and tables by which they were found
 * @used: entries in @frame
 * @frame: [0] is both the head and the end of the list
 *
 * One walk at a time may use it.
 */
struct sframe_trail {
	u64 key;
	u16 used;
	struct sframe_trail_frame frame[SFRAME_TRAIL_MAX];
};

/**
 * struct sframe_trail_place - where a walk is in its trail
 * @prev: last frame that it has come to, or the list's head
 * @ahead: first frame of earlier walks that it has not passed, or the list's end
 * @here: the walk is at @prev
 */
struct sframe_trail_place {
	struct sframe_trail_frame *prev;
	struct sframe_trail_frame *ahead;
	bool here;
};

/**
 * struct sframe_peek_ops - read some words of the stack in one go
 * @begin: open user memory, if possible; only @word is called until @end
 * @word: read one word, if that works at once: 0, else -errno
 * @end: close it
 *
 * A constant whose address nobody keeps, so that all three are inlined.
 */
struct sframe_peek_ops {
	bool (*begin)(void *ctx);
	int (*word)(void *ctx, u64 addr, u64 *word);
	void (*end)(void *ctx);
};

/**
 * sframe_trail_begin() - begin a walk with a trail
 * @t: the trail as the last walk has left it, or zeroed
 * @key: another number as soon as anything is mapped differently, or has other rows;
 *	not 0
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

/* The place before the first step. */
static __always_inline struct sframe_trail_place
sframe_trail_place(struct sframe_trail *t)
{
	return (struct sframe_trail_place){
		.prev = t->frame,
		.ahead = sframe_trail_next(t, t->frame),
	};
}

/* Has @f the same caller as before: are the words on the stack the same? */
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

/* Go from a frame in the trail to the last one whose callees all are as they were. */
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
	cur->called_depth = sframe_rule_keeps_fp(&below->rule) ? depth : 0;
	if (!f->direct) {
		/* There was no row: there may be by now. */
		sframe_cursor_find_with(cur, ops, f->pc - 1);
		f->rule = cur->rule;
	}
	return pcs;
}

/*
 * Can the frame be kept: is all known of it, its PC a return address, and SP where the
 * CFA says? It is not where RA lay above the CFA, or an interpreter jumped.
 */
static inline bool sframe_trail_takes(const struct sframe_cursor *cur)
{
	return !cur->topmost && cur->exact_depth != cur->depth &&
	       cur->sp_known && cur->fp_known && cur->sp == cur->cfa + cur->sp_bias;
}

/*
 * Keep a frame that was just found. At most one other one in the trail has its CFA;
 * that is dropped. If there is no room, the trail stays as it was, but for frames that
 * this walk has passed.
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

/* A frame was just found: go on to the last caller that is as it was. */
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
 * sframe_trail_next_with() - sframe_cursor_next_with(), and then as far as the trail leads
 * @t: the trail, or NULL. @ops may take it away during the step
 * @p: the walk's place in it
 * @cur: the walk
 * @ops: as of sframe_cursor_next_with()
 * @peek: a constant, likewise
 * @pcs: where the next PC goes; advanced. There is room for all frames that the walk
 *	may have
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

/**
 * sframe_trail_paid() - was a trail worth its upkeep?
 * @cur: a walk that had one
 *
 * A known frame saves twice what keeping a frame costs.
 *
 * Context: any.
 * Return: true if so.
 */
static inline bool sframe_trail_paid(const struct sframe_cursor *cur)
{
	return cur->depth < 4 || 4 * cur->known >= cur->depth;
}

#endif /* SFRAME_TRAIL_H */
