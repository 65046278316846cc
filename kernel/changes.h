/* SPDX-License-Identifier: GPL-2.0 */
/* The log of where an mm's executable mappings may have changed since its map was made. */
#ifndef SFRAME_CHANGES_H
#define SFRAME_CHANGES_H

#include <linux/seqlock.h>
#include <linux/spinlock.h>
#include <linux/types.h>

/* Spans in a log, at most; with one more, two are merged. */
#define SFRAME_CHANGES_MAX	16
/* Spans that an update claims, at most, so that hooks find room for theirs. */
#define SFRAME_CLAIMED_MAX	8

/**
 * struct sframe_span - a range of addresses
 * @start: first address
 * @end: first address past the last
 */
struct sframe_span {
	u64 start;
	u64 end;
};

/**
 * struct sframe_spans - places where something changed
 * @nr: entries in @span
 * @span: in no particular order; they may overlap
 */
struct sframe_spans {
	unsigned int nr;
	struct sframe_span span[SFRAME_CHANGES_MAX];
};

/**
 * struct sframe_changes - the log of one mm
 * @lock: held by all writers; raw, as hooks take it under mmap_lock, and mm.c under its own
 *	lock. A leaf: nothing is taken under it
 * @seq: odd while something is written, so that readers in NMI need no lock
 * @changes: changes ever logged
 * @seen: the map knows the first this many changes
 * @ended: nobody logs any more, so no update is believed
 * @claimed: the running update will have seen the first this many changes
 * @nr_claimed: entries in @span that the running update has claimed: the first ones,
 *	which hooks leave alone
 * @nr: entries in @span
 * @span: the places; those that are claimed are sorted and apart from each other, and
 *	so are the others. There is room for one more than the log keeps
 *
 * The map is current if @seen equals @changes; then there is no span. @changes and @seen
 * are read without the lock as hints, @nr and @span also by readers of @seq.
 */
struct sframe_changes {
	raw_spinlock_t lock;
	seqcount_raw_spinlock_t seq;
	u64 changes;
	u64 seen;
	bool ended;
	u64 claimed;
	unsigned int nr_claimed;
	unsigned int nr;
	struct sframe_span span[SFRAME_CHANGES_MAX + 1];
};

void sframe_changes_init(struct sframe_changes *log,
			 const struct sframe_spans *spans);
unsigned int sframe_changes_add(struct sframe_changes *log, u64 start, u64 end);
void sframe_changes_end(struct sframe_changes *log);
void sframe_changes_read(const struct sframe_changes *log,
			 struct sframe_spans *spans);
void sframe_changes_claim(struct sframe_changes *log,
			  struct sframe_spans *spans);
void sframe_changes_settle(struct sframe_changes *log, bool done);
bool sframe_changes_pending(const struct sframe_changes *log);
u64 sframe_changes_count(const struct sframe_changes *log);
bool sframe_changes_seen(const struct sframe_changes *log, u64 count);

#endif /* SFRAME_CHANGES_H */
