// SPDX-License-Identifier: GPL-2.0
/*
 * The log of an mm: where its map may be wrong. Hooks (track.c) add to it in the middle
 * of a change; an update (update.c) claims what is in it, looks at the mappings there,
 * makes a map that knows them, and takes what it claimed out of the log. Until then
 * walks serve nothing of these addresses from the map.
 *
 * The log has a fixed size, so that a hook never allocates. When it is full, spans grow
 * to cover what lies between them: to have too much in it is never wrong.
 */
#include <linux/limits.h>
#include <linux/minmax.h>
#include <linux/string.h>

#include "changes.h"

/* Attempts to read a log that is being written; after that, everything counts as changed. */
#define READ_ATTEMPTS	3

static const struct sframe_span everything = { .start = 0, .end = U64_MAX };

/*
 * Add a span to @nr spans that are sorted and apart from each other; it is merged with
 * those that it overlaps or touches. Returns how many there are then.
 */
static unsigned int spans_add(struct sframe_span *span, unsigned int nr,
			      struct sframe_span add)
{
	unsigned int first, next;

	for (first = 0; first < nr && span[first].end < add.start; first++)
		;
	for (next = first; next < nr && span[next].start <= add.end; next++) {
		add.start = min(add.start, span[next].start);
		add.end = max(add.end, span[next].end);
	}
	memmove(&span[first + 1], &span[next], (nr - next) * sizeof(*span));
	span[first] = add;
	return first + 1 + nr - next;
}

/* Merge the nearest neighbours until there are at most @max spans. */
static unsigned int spans_shrink(struct sframe_span *span, unsigned int nr,
				 unsigned int max)
{
	unsigned int i, best;

	for (; nr > max; nr--) {
		for (i = 1, best = 1; i < nr; i++)
			if (span[i].start - span[i - 1].end <
			    span[best].start - span[best - 1].end)
				best = i;
		span[best - 1].end = span[best].end;
		memmove(&span[best], &span[best + 1],
			(nr - best - 1) * sizeof(*span));
	}
	return nr;
}

/*
 * Is all of @add in one span already? Allocators map and unmap the same addresses again and again.
 */
static bool spans_cover(const struct sframe_span *span, unsigned int nr,
			const struct sframe_span *add)
{
	unsigned int i;

	for (i = 0; i < nr; i++)
		if (span[i].start <= add->start && span[i].end >= add->end)
			return true;
	return false;
}

/* Add a span to those that no update has claimed. */
static void log_add_span(struct sframe_changes *log, struct sframe_span add)
{
	struct sframe_span *span = &log->span[log->nr_claimed];
	unsigned int nr = log->nr - log->nr_claimed;

	if (spans_cover(span, nr, &add))
		return;
	nr = spans_add(span, nr, add);
	nr = spans_shrink(span, nr, SFRAME_CHANGES_MAX - log->nr_claimed);
	WRITE_ONCE(log->nr, log->nr_claimed + nr);
}

/**
 * sframe_changes_init() - initialize a log
 * @log: the log; nobody sees it yet
 * @spans: addresses where the map is wrong from the beginning; NULL: everywhere
 *
 * Context: any.
 */
void sframe_changes_init(struct sframe_changes *log,
			 const struct sframe_spans *spans)
{
	unsigned int i;

	memset(log, 0, sizeof(*log));
	raw_spin_lock_init(&log->lock);
	seqcount_raw_spinlock_init(&log->seq, &log->lock);
	if (!spans)
		log_add_span(log, everything);
	for (i = 0; spans && i < spans->nr; i++)
		log_add_span(log, spans->span[i]);
	log->changes = !!log->nr;
}

/**
 * sframe_changes_add() - log that executable mappings change at some addresses
 * @log: the log
 * @start: first address
 * @end: first address past the last
 *
 * Context: any but hard interrupts and NMI; mmap_lock may be held.
 * Return: spans in the log now.
 */
unsigned int sframe_changes_add(struct sframe_changes *log, u64 start, u64 end)
{
	struct sframe_span add = { .start = start, .end = end };
	unsigned int nr;

	raw_spin_lock(&log->lock);
	write_seqcount_begin(&log->seq);
	log_add_span(log, add);
	WRITE_ONCE(log->changes, log->changes + 1);
	nr = log->nr;
	write_seqcount_end(&log->seq);
	raw_spin_unlock(&log->lock);
	return nr;
}

/**
 * sframe_changes_end() - from now on changes are logged elsewhere, or nowhere
 * @log: the log
 *
 * Everything counts as changed, whatever updates find out, for those who still hold the log.
 *
 * Context: any but hard interrupts and NMI; raw spinlocks may be held.
 */
void sframe_changes_end(struct sframe_changes *log)
{
	raw_spin_lock(&log->lock);
	write_seqcount_begin(&log->seq);
	log->ended = true;
	log_add_span(log, everything);
	WRITE_ONCE(log->changes, log->changes + 1);
	write_seqcount_end(&log->seq);
	raw_spin_unlock(&log->lock);
}

static bool log_try_read(const struct sframe_changes *log,
			 struct sframe_spans *spans)
{
	unsigned int seq = raw_read_seqcount(&log->seq);
	unsigned int i, nr = READ_ONCE(log->nr);

	/* Odd: a write is in progress, perhaps interrupted by us, so waiting is of no use. */
	if (seq & 1 || nr > SFRAME_CHANGES_MAX)
		return false;
	for (i = 0; i < nr; i++)
		spans->span[i] = log->span[i];
	spans->nr = nr;
	return !read_seqcount_retry(&log->seq, seq);
}

/**
 * sframe_changes_read() - find out where a map may be wrong that is read afterwards
 * @log: the log
 * @spans: set to that
 *
 * The map must be read after the log: see sframe_changes_settle().
 *
 * Context: any, NMI included.
 */
void sframe_changes_read(const struct sframe_changes *log,
			 struct sframe_spans *spans)
{
	unsigned int i;

	for (i = 0; i < READ_ATTEMPTS; i++)
		if (log_try_read(log, spans))
			return;
	spans->nr = 1;
	spans->span[0] = everything;
}

/**
 * sframe_changes_claim() - begin an update
 * @log: the log
 * @spans: set to what the update has to look at: sorted, and apart from each other
 *
 * What is logged from now on is for the next update, even at the same addresses. Must
 * be followed by sframe_changes_settle().
 *
 * Context: one update at a time; before it looks at any mapping.
 */
void sframe_changes_claim(struct sframe_changes *log, struct sframe_spans *spans)
{
	raw_spin_lock(&log->lock);
	write_seqcount_begin(&log->seq);
	WRITE_ONCE(log->nr, spans_shrink(log->span, log->nr, SFRAME_CLAIMED_MAX));
	log->nr_claimed = log->nr;
	log->claimed = log->changes;
	write_seqcount_end(&log->seq);
	spans->nr = log->nr;
	memcpy(spans->span, log->span, log->nr * sizeof(*log->span));
	raw_spin_unlock(&log->lock);
}

/**
 * sframe_changes_settle() - end an update
 * @log: the log
 * @done: true: a map that knows what was claimed is published; false: what was claimed
 *	is logged again, as it is after sframe_changes_end()
 *
 * Readers read the log first and then the map: whoever misses a span that was taken out
 * here finds the map for which it was. The barriers are those of the sequence counter:
 * smp_wmb() in write_seqcount_begin(), after the map was published, pairs with
 * smp_rmb() in read_seqcount_retry(), before the map is read.
 *
 * Context: the update that called sframe_changes_claim().
 */
void sframe_changes_settle(struct sframe_changes *log, bool done)
{
	struct sframe_span claimed[SFRAME_CLAIMED_MAX] __uninitialized;
	unsigned int i, nr;

	raw_spin_lock(&log->lock);
	write_seqcount_begin(&log->seq);
	nr = log->nr_claimed;
	done = done && !log->ended;
	if (done)
		WRITE_ONCE(log->seen, log->claimed);
	else
		memcpy(claimed, log->span, nr * sizeof(*claimed));
	log->nr_claimed = 0;
	WRITE_ONCE(log->nr, log->nr - nr);
	if (log->nr)
		memmove(log->span, &log->span[nr], log->nr * sizeof(*log->span));
	for (i = 0; !done && i < nr; i++)
		log_add_span(log, claimed[i]);
	write_seqcount_end(&log->seq);
	raw_spin_unlock(&log->lock);
}

/**
 * sframe_changes_pending() - are there changes that the map does not know?
 * @log: the log
 *
 * Context: any, NMI included.
 * Return: true if there are; only a hint if more are being logged.
 */
bool sframe_changes_pending(const struct sframe_changes *log)
{
	return READ_ONCE(log->seen) != READ_ONCE(log->changes);
}

/**
 * sframe_changes_count() - how many changes were ever logged?
 * @log: the log
 *
 * Context: any, NMI included.
 * Return: a number for sframe_changes_seen().
 */
u64 sframe_changes_count(const struct sframe_changes *log)
{
	return READ_ONCE(log->changes);
}

/**
 * sframe_changes_seen() - does the map know the first @count changes?
 * @log: the log
 * @count: from sframe_changes_count()
 *
 * Context: any, NMI included.
 * Return: true if so.
 */
bool sframe_changes_seen(const struct sframe_changes *log, u64 count)
{
	return READ_ONCE(log->seen) >= count;
}
