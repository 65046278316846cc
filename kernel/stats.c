// SPDX-License-Identifier: GPL-2.0
/*
 * Counters, summed over CPUs when somebody reads debugfs' sframe/counters:
 * one "name value" line each, no line for what never happened but is rare.
 */
#include <linux/debugfs.h>
#include <linux/module.h>
#include <linux/percpu.h>
#include <linux/seq_file.h>

#include "internal.h"

DEFINE_PER_CPU(struct sframe_stats, sframe_stats);
atomic_long_t sframe_refused[SFRAME_NR_REASONS];

static struct dentry *dir;

static const char *const way_names[SFRAME_NR_WAYS] = {
	[SFRAME_WAY_INPLACE] = "inplace",
	[SFRAME_WAY_DEFERRED] = "deferred",
};

static const char *const event_names[SFRAME_NR_EVENTS] = {
	[SFRAME_EV_SCAN] = "scans",
	[SFRAME_EV_SCAN_FAILED] = "scans_failed",
	[SFRAME_EV_PENDING] = "scans_queued",
	[SFRAME_EV_PENDING_FULL] = "scans_not_queued",
	[SFRAME_EV_EVICTED] = "tables_evicted",
	[SFRAME_EV_DEFER] = "walks_queued",
	[SFRAME_EV_DEFER_FULL] = "walks_not_queued",
	[SFRAME_EV_DEFER_EXIT] = "walks_at_exit",
	[SFRAME_EV_RECORDS] = "records",
	[SFRAME_EV_RECORDS_LOST] = "records_lost",
};

#define SUM(field)						\
({								\
	unsigned long sum_ = 0;					\
	int cpu_;						\
								\
	for_each_possible_cpu(cpu_)				\
		sum_ += per_cpu(sframe_stats, cpu_).field;	\
	sum_;							\
})

static void show_way(struct seq_file *m, enum sframe_way way)
{
	const char *name = way_names[way];
	enum sframe_reason r;
	unsigned long n;

	seq_printf(m, "%s_walks %lu\n", name, SUM(walks[way]));
	seq_printf(m, "%s_frames %lu\n", name, SUM(frames[way]));
	seq_printf(m, "%s_fallbacks %lu\n", name, SUM(fallbacks[way]));
	for (r = SFRAME_OK + 1; r < SFRAME_NR_REASONS; r++) {
		n = SUM(end[way][r]);
		if (n)
			seq_printf(m, "%s_end_%s %lu\n", name,
				   sframe_reason_name(r), n);
	}
}

/* All of them, as debugfs shows them. */
void sframe_stats_show(struct seq_file *m)
{
	enum sframe_reason r;
	unsigned int i;
	long n;

	for (i = 0; i < SFRAME_NR_WAYS; i++)
		show_way(m, i);
	for (i = 0; i < SFRAME_NR_EVENTS; i++)
		seq_printf(m, "%s %lu\n", event_names[i], SUM(event[i]));
	sframe_track_show(m);
	sframe_mm_show(m);
	sframe_map_show(m);
	sframe_file_show(m);
	for (r = SFRAME_OK + 1; r < SFRAME_NR_REASONS; r++) {
		n = atomic_long_read(&sframe_refused[r]);
		if (n)
			seq_printf(m, "refused_%s %ld\n",
				   sframe_reason_name(r), n);
	}
}

static int counters_show(struct seq_file *m, void *unused)
{
	sframe_stats_show(m);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(counters);

void sframe_stats_init(void)
{
	dir = debugfs_create_dir("sframe", NULL);
	debugfs_create_file("counters", 0444, dir, NULL, &counters_fops);
}

void sframe_stats_exit(void)
{
	debugfs_remove(dir);
}
