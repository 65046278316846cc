// SPDX-License-Identifier: GPL-2.0
/*
 * The counters, summed over CPUs when somebody reads them. All are in debugfs, in
 * sframe/counters: a line "name value" each; rare ones have none while they are zero.
 * What a person wants to know first, how walks ended, is in words in
 * /sys/module/sframe/stats/walks, readable by all users, also without debugfs.
 */
#include <linux/debugfs.h>
#include <linux/kobject.h>
#include <linux/module.h>
#include <linux/percpu.h>
#include <linux/seq_file.h>
#include <linux/sysfs.h>

#include <sframe/reason.h>

#include "files.h"
#include "map.h"
#include "mm.h"
#include "placement.h"
#include "stats.h"
#include "walk.h"

DEFINE_PER_CPU(struct sframe_stats, sframe_stats);
atomic_long_t sframe_refused[SFRAME_NR_REASONS];

static struct dentry *dir;
static struct kobject *stats_kobj;

static const char *const way_names[SFRAME_NR_WAYS] = {
	[SFRAME_WAY_INPLACE] = "inplace",
	[SFRAME_WAY_DEFERRED] = "deferred",
	[SFRAME_WAY_LEARNING] = "learning",
};

static const char *const event_names[SFRAME_NR_EVENTS] = {
	[SFRAME_EV_SCAN] = "scans",
	[SFRAME_EV_SCAN_FAILED] = "scans_failed",
	[SFRAME_EV_PENDING] = "scans_queued",
	[SFRAME_EV_PENDING_FULL] = "scans_not_queued",
	[SFRAME_EV_BUILD] = "builds",
	[SFRAME_EV_EVICTED] = "tables_evicted",
	[SFRAME_EV_DEFER] = "walks_queued",
	[SFRAME_EV_DEFER_FULL] = "walks_not_queued",
	[SFRAME_EV_DEFER_EXIT] = "walks_at_exit",
	[SFRAME_EV_RECORDS] = "records",
	[SFRAME_EV_RECORDS_LOST] = "records_lost",
	[SFRAME_EV_LEARNING_NS] = "learning_ns",
};

#define SUM(field)						\
({								\
	unsigned long sum_ = 0;					\
	int cpu_;						\
								\
	for_each_possible_cpu(cpu_)				\
		sum_ += READ_ONCE(per_cpu(sframe_stats, cpu_).field); \
	sum_;							\
})

static void show_way_counters(struct seq_file *m, enum sframe_way way)
{
	const char *name = way_names[way];
	enum sframe_reason r;
	unsigned long n;

	seq_printf(m, "%s_walks %lu\n", name, SUM(walks[way]));
	seq_printf(m, "%s_whole %lu\n", name, SUM(whole[way]));
	seq_printf(m, "%s_frames %lu\n", name, SUM(frames[way]));
	seq_printf(m, "%s_known %lu\n", name, SUM(known[way]));
	seq_printf(m, "%s_fallbacks %lu\n", name, SUM(fallbacks[way]));
	seq_printf(m, "%s_recalled %lu\n", name, SUM(recalled[way]));
	for (r = SFRAME_OK + 1; r < SFRAME_NR_REASONS; r++) {
		n = SUM(end[way][r]);
		if (n)
			seq_printf(m, "%s_end_%s %lu\n", name,
				   sframe_reason_name(r), n);
	}
}

/**
 * sframe_stats_show() - print all counters, as debugfs shows them
 * @m: where to print them
 * @unused: what seq_file hands over
 *
 * Context: process context, may sleep.
 * Return: 0.
 */
int sframe_stats_show(struct seq_file *m, void *unused)
{
	enum sframe_reason r;
	unsigned int i;
	long n;

	for (i = 0; i < SFRAME_NR_WAYS; i++)
		show_way_counters(m, i);
	for (i = 0; i < SFRAME_NR_EVENTS; i++)
		seq_printf(m, "%s %lu\n", event_names[i], SUM(event[i]));
	sframe_hooks_show(m);
	seq_printf(m, "mms %u\n", sframe_mm_count());
	sframe_map_show(m);
	sframe_files_show(m);
	for (r = SFRAME_OK + 1; r < SFRAME_NR_REASONS; r++) {
		n = atomic_long_read(&sframe_refused[r]);
		if (n)
			seq_printf(m, "refused_%s %ld\n",
				   sframe_reason_name(r), n);
	}
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(sframe_stats);

/* Print how the walks of one way ended: a few hundred bytes at most. */
static int emit_way_ends(char *buf, int at, enum sframe_way way)
{
	unsigned long walks = SUM(walks[way]), whole = SUM(whole[way]), n;
	enum sframe_reason r;

	at += sysfs_emit_at(buf, at, "%s: %lu walks, %lu whole\n",
			    way_names[way], walks, whole);
	for (r = SFRAME_OK + 1; r < SFRAME_NR_REASONS; r++) {
		n = SUM(end[way][r]);
		if (n)
			at += sysfs_emit_at(buf, at, "%s: %lu not whole, because: %s\n",
					    way_names[way], n,
					    sframe_reason_text(r));
	}
	return at;
}

static ssize_t walks_show(struct kobject *kobj, struct kobj_attribute *attr,
			  char *buf)
{
	int at = 0;

	at = emit_way_ends(buf, at, SFRAME_WAY_DEFERRED);
	return emit_way_ends(buf, at, SFRAME_WAY_INPLACE);
}

static const struct kobj_attribute walks_attr = __ATTR_RO(walks);

/**
 * sframe_stats_init() - show the counters in sysfs and debugfs
 *
 * debugfs may be missing or locked down, which is no reason not to load.
 *
 * Context: process context, may sleep.
 * Return: 0 or -errno.
 */
int sframe_stats_init(void)
{
	int ret = -ENOMEM;

	stats_kobj = kobject_create_and_add("stats", &THIS_MODULE->mkobj.kobj);
	if (stats_kobj)
		ret = sysfs_create_file(stats_kobj, &walks_attr.attr);
	if (ret) {
		kobject_put(stats_kobj);
		return ret;
	}
	dir = debugfs_create_dir("sframe", NULL);
	debugfs_create_file("counters", 0444, dir, NULL, &sframe_stats_fops);
	return 0;
}

/**
 * sframe_stats_exit() - show the counters no longer
 *
 * Context: process context, may sleep.
 */
void sframe_stats_exit(void)
{
	debugfs_remove(dir);
	kobject_put(stats_kobj);
}
