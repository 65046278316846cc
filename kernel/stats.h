/* SPDX-License-Identifier: GPL-2.0 */
/* Counters of walks, events, and reasons for refusing files. */
#ifndef SFRAME_STATS_H
#define SFRAME_STATS_H

#include <linux/atomic.h>
#include <linux/percpu.h>

#include <sframe/cursor.h>
#include <sframe/reason.h>

#include "walk.h"

struct seq_file;

enum sframe_event {
	SFRAME_EV_SCAN,			/* mms scanned */
	SFRAME_EV_SCAN_FAILED,		/* those that failed, as for want of memory */
	SFRAME_EV_PENDING,		/* scans queued as task work */
	SFRAME_EV_PENDING_FULL,		/* no slot free for one */
	SFRAME_EV_BUILD,		/* jobs that workers ran */
	SFRAME_EV_EVICTED,		/* tables dropped from the cache */
	SFRAME_EV_DEFER,		/* walks queued by our own deferral */
	SFRAME_EV_DEFER_FULL,		/* no slot free for one: done in place */
	SFRAME_EV_DEFER_EXIT,		/* walks done early, as the task exits */
	SFRAME_EV_RECORDS,		/* deferred records written */
	SFRAME_EV_RECORDS_LOST,		/* no room in perf's buffer for one */
	SFRAME_EV_LEARNING_NS,		/* nanoseconds spent on lessons, see lesson.c */
	SFRAME_NR_EVENTS,
};

/**
 * struct sframe_stats - counters of one CPU
 * @whole: walks that reached the outermost frame
 * @end: walks that did not, by reason
 * @walks: walks
 * @frames: frames emitted
 * @known: of these, taken from a trail
 * @fallbacks: of these, found without a row
 * @recalled: kept answers of code that were used for these
 * @event: by enum sframe_event
 */
struct sframe_stats {
	unsigned long whole[SFRAME_NR_WAYS];
	unsigned long end[SFRAME_NR_WAYS][SFRAME_NR_REASONS];
	unsigned long walks[SFRAME_NR_WAYS];
	unsigned long frames[SFRAME_NR_WAYS];
	unsigned long known[SFRAME_NR_WAYS];
	unsigned long fallbacks[SFRAME_NR_WAYS];
	unsigned long recalled[SFRAME_NR_WAYS];
	unsigned long event[SFRAME_NR_EVENTS];
};

DECLARE_PER_CPU(struct sframe_stats, sframe_stats);
/* Reasons for which files were refused, or parts of tables skipped; rare, so not per CPU. */
extern atomic_long_t sframe_refused[SFRAME_NR_REASONS];

/* Count that a file was refused, or a part of its table skipped. */
static inline void sframe_refuse(enum sframe_reason reason)
{
	atomic_long_inc(&sframe_refused[reason]);
}

#define sframe_count(ev)	sframe_count_by(ev, 1)
#define sframe_count_by(ev, n)	this_cpu_add(sframe_stats.event[ev], n)

/* Count a walk that ended for @end; SFRAME_OK if it was whole. */
static inline void sframe_count_walk(enum sframe_way way, const struct sframe_cursor *cur,
				     enum sframe_reason end)
{
	this_cpu_inc(sframe_stats.walks[way]);
	if (end)
		this_cpu_inc(sframe_stats.end[way][end]);
	else
		this_cpu_inc(sframe_stats.whole[way]);
	this_cpu_add(sframe_stats.frames[way], cur->depth + 1);
	this_cpu_add(sframe_stats.known[way], cur->known);
	this_cpu_add(sframe_stats.fallbacks[way], cur->fallbacks);
	this_cpu_add(sframe_stats.recalled[way], cur->recalled);
}

int sframe_stats_show(struct seq_file *m, void *unused);
int sframe_stats_init(void);
void sframe_stats_exit(void);

#endif /* SFRAME_STATS_H */
