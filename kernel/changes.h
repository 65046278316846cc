/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Where an mm's executable mappings may have changed since its map was made.
 */
#ifndef SFRAME_CHANGES_H
#define SFRAME_CHANGES_H

#include <linux/seqlock.h>
#include <linux/spinlock.h>
#include <linux/types.h>

/* Spans in a log, at most: one more makes two of them grow together. */
#define SFRAME_CHANGES_MAX	16
/* Of these, so many at most are claimed, so that hooks find room for theirs. */
#define SFRAME_CLAIMED_MAX	8

/**
 * struct sframe_span - addresses
 * @start: the first one
 * @end: the first one past them
 */
struct sframe_span {
	u64 start;
	u64 end;
};

/**
 * struct sframe_spans - where something changed
 * @nr: entries in @span
 * @span: in no order that means anything; they may overlap
 */
struct sframe_spans {
	unsigned int nr;
	struct sframe_span span[SFRAME_CHANGES_MAX];
};

/**
 * struct sframe_changes - the log of one mm
 * @lock: taken by hooks under mmap_lock, so raw; all that writes holds it. A
 *	leaf: nothing is called under it
 * @seq: odd while something is written, so that readers in NMI need no lock
 * @changes: changes ever logged
 * @seen: of these, the map knows so many
 * @claimed: of these, the update that runs will have seen so many
 * @nr_claimed: entries in @span that the update that runs has claimed, the
 *	first ones; no hook touches them
 * @nr: entries in @span
 * @span: where; those of hooks are sorted and apart from each other, and so are
 *	those claimed. One more than are ever left in it
 *
 * The map is current if @seen is @changes; then there is no span. @changes and
 * @nr are read without the lock as hints.
 */
struct sframe_changes {
	raw_spinlock_t lock;
	seqcount_raw_spinlock_t seq;
	u64 changes;
	u64 seen;
	u64 claimed;
	unsigned int nr_claimed;
	unsigned int nr;
	struct sframe_span span[SFRAME_CHANGES_MAX + 1];
};

void sframe_changes_init(struct sframe_changes *log,
			 const struct sframe_spans *spans);
unsigned int sframe_changes_add(struct sframe_changes *log, u64 start, u64 end);
void sframe_changes_read(const struct sframe_changes *log,
			 struct sframe_spans *spans);
void sframe_changes_claim(struct sframe_changes *log,
			  struct sframe_spans *spans);
void sframe_changes_settle(struct sframe_changes *log, bool done);
bool sframe_changes_pending(const struct sframe_changes *log);
u64 sframe_changes_count(const struct sframe_changes *log);
bool sframe_changes_seen(const struct sframe_changes *log, u64 count);

#endif /* SFRAME_CHANGES_H */
