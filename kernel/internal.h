/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the module's own files share: per-file tables, per-mm maps, tracking,
 * walks, redirects, counters. Nothing here is seen by the portable core.
 */
#ifndef SFRAME_INTERNAL_H
#define SFRAME_INTERNAL_H

#include <linux/atomic.h>
#include <linux/ftrace.h>
#include <linux/mm_types.h>
#include <linux/mutex.h>
#include <linux/percpu.h>
#include <linux/refcount.h>
#include <linux/types.h>
#include <linux/workqueue.h>

#include <sframe/cursor.h>
#include <sframe/reason.h>
#include <sframe/table.h>

struct file;
struct perf_callchain_entry_ctx;
struct pt_regs;
struct seq_file;
struct vm_area_struct;

/* ---- arch: registers, and which tasks are ours ---- */

extern const struct sframe_abi *const sframe_abi_native;

/* The task's user registers belong to a 64-bit user context we can walk. */
bool sframe_arch_user64(struct pt_regs *regs);
void sframe_arch_regs(const struct pt_regs *regs, struct sframe_regs *out);
int sframe_arch_reg(const struct pt_regs *regs, unsigned int reg, u64 *val);
/* Read the current task's memory, any context, without faults: 0 or -EFAULT. */
int sframe_arch_read(u64 addr, void *buf, unsigned int len);

/* ---- file.c, cache.c: one table per file, shared by all who map it ---- */

struct sframe_file;

struct sframe_file *sframe_file_get(struct file *file, u64 start, u64 offset,
				    u64 *bias, bool *retry);
const struct sframe_table *sframe_file_table(const struct sframe_file *f);
void sframe_file_put(struct sframe_file *f);
bool sframe_file_is_remote(const struct file *file);
int sframe_file_init(void);
void sframe_file_exit(void);
void sframe_file_show(struct seq_file *m);

/* ---- map.c, mm.c: what an mm maps ---- */

/**
 * struct sframe_range - one executable mapping
 * @start: first address
 * @end: first address past it
 * @bias: load address minus link-time address
 * @table: its rules, NULL for none; @file keeps it alive
 * @file: whose table, NULL for none; a reference is held
 */
struct sframe_range {
	u64 start;
	u64 end;
	u64 bias;
	const struct sframe_table *table;
	struct sframe_file *file;
};

/**
 * struct sframe_map - executable mappings of an mm at one time; immutable
 * @free: frees it after a grace period
 * @refs: mms that point here (fork shares the parent's map)
 * @nr: entries in @range
 * @has_tables: some range has a table
 * @incomplete: some table could not be had now, but maybe later
 * @built: jiffies when
 * @range: sorted by address, not overlapping
 */
struct sframe_map {
	struct rcu_work free;
	refcount_t refs;
	unsigned int nr;
	bool has_tables;
	bool incomplete;
	unsigned long built;
	struct sframe_range range[] __counted_by(nr);
};

enum sframe_mm_dirty {
	SFRAME_DIRTY_FILE,	/* a mapping that may have a table changed */
	SFRAME_DIRTY_ANON,	/* other executable memory changed */
};

/**
 * struct sframe_mm - what is known of one mm_struct
 * @node: in the hash; RCU readers, writers hold the hash's lock
 * @mm: key; its mm_count is held, so that the address cannot be reused
 * @map: RCU readers; writers hold the hash's lock. NULL: nothing known
 * @dirty: enum sframe_mm_dirty bits, set by hooks, cleared before a scan
 * @refs: one for the hash, one per walk or scan that sleeps
 * @scan: serializes scans
 * @rcu: frees it after a grace period
 */
struct sframe_mm {
	struct hlist_node node;
	struct mm_struct *mm;
	struct sframe_map __rcu *map;
	unsigned long dirty;
	refcount_t refs;
	struct mutex scan;
	struct rcu_head rcu;
};

/* Any context including NMI, under rcu_read_lock(). */
struct sframe_mm *sframe_mm_find(const struct mm_struct *mm);
bool sframe_mm_has_tables(const struct sframe_mm *m);
bool sframe_mm_stale(struct sframe_mm *m);
/*
 * Bring the current task's map up to date and return it with a reference, or
 * NULL (out of memory, killed). May sleep; takes mmap_lock for reading.
 */
struct sframe_mm *sframe_mm_scan(void);
void sframe_mm_put(struct sframe_mm *m);
/* Hooks: atomic context, mmap_lock may be held. */
void sframe_mm_mark(const struct mm_struct *mm, enum sframe_mm_dirty what);
void sframe_mm_fork(struct mm_struct *oldmm, struct mm_struct *newmm);
void sframe_mm_exit(struct mm_struct *mm);
bool sframe_mm_none(void);
void sframe_mm_shutdown(void);
void sframe_mm_show(struct seq_file *m);

struct sframe_map *sframe_map_build(struct mm_struct *mm);
void sframe_map_put(struct sframe_map *map);
int sframe_map_init(void);
void sframe_map_exit(void);
void sframe_map_show(struct seq_file *m);
const struct sframe_range *sframe_map_find(const struct sframe_map *map, u64 pc,
					   unsigned int *hint);

/* ---- slots.c: task work without allocation ---- */

#define SFRAME_SLOT_BITS	11

struct sframe_slots;

/**
 * struct sframe_slot - one task's request
 * @work: in the task's list while queued
 * @task: whose; a reference is held. Written by the task itself only (and by
 *	unload), so it may be compared with current at any time
 * @state: changed by cmpxchg
 * @cookie: number of the request, unique in its set
 * @set: where the slot belongs
 */
struct sframe_slot {
	struct callback_head work;
	struct task_struct *task;
	int state;
	u64 cookie;
	struct sframe_slots *set;
};

/**
 * struct sframe_slots - requests of one kind
 * @run: called in the task before it returns to user mode, or from
 *	sframe_slots_flush(); calls sframe_slot_release() once
 * @queued: counts requests
 * @full: counts requests that found no slot
 * @cookies: last one given out
 * @running: requests that are neither finished nor cancelled
 * @slot: by hash of the task
 */
struct sframe_slots {
	void (*run)(struct sframe_slot *slot);
	unsigned int queued;
	unsigned int full;
	atomic64_t cookies;
	atomic_t running;
	struct sframe_slot slot[1 << SFRAME_SLOT_BITS];
};

struct sframe_slot *sframe_slot_request(struct sframe_slots *set);
void sframe_slot_release(struct sframe_slot *slot);
bool sframe_slots_flush(struct sframe_slots *set);
void sframe_slots_drain(struct sframe_slots *set);

/* ---- track.c: hooks that notice changes of mappings ---- */

int sframe_track_init(void);
/* Nobody asks for a scan any more: no hook and no scan runs afterwards. */
void sframe_track_exit(void);
int sframe_track_hold(void);
void sframe_track_release(void);
bool sframe_track_rest(void);
void sframe_track_show(struct seq_file *m);
/* Have the current task scan its mm before user mode. Any context, NMI too. */
void sframe_track_request(void);

/* ---- user.c: walk the current task's user stack ---- */

enum sframe_way {
	SFRAME_WAY_INPLACE,
	SFRAME_WAY_DEFERRED,
	SFRAME_NR_WAYS,
};

/*
 * Emit the PC in @regs and one return address per caller, until the walk ends
 * or @emit returns false. @way decides whether reading may fault and sleep.
 */
enum sframe_reason sframe_walk(struct sframe_mm *m, const struct pt_regs *regs,
			       enum sframe_way way, u32 max_frames,
			       bool (*emit)(void *arg, u64 pc), void *arg);
/* Is the current task one whose user stack this module may walk? */
bool sframe_task_ours(struct pt_regs *regs);

/* ---- redirect.c: take over a kernel function ---- */

/**
 * struct sframe_redirect - one function taken over
 * @ops: the ftrace side
 * @name: of the kernel's function
 * @to: ours, of the same type
 * @want: decides per call, atomic: false leaves the call to the kernel's
 * @sleeps: @to may sleep, and calls sframe_redirect_done() when it is finished
 * @running: with @sleeps, calls sent to @to that are not done yet
 * @on: registered
 *
 * A call of the kernel's function from this module is never redirected.
 */
struct sframe_redirect {
	struct ftrace_ops ops;
	const char *name;
	void *to;
	bool (*want)(struct ftrace_regs *fregs);
	bool sleeps;
	atomic_t running;
	bool on;
};

int sframe_redirect_on(struct sframe_redirect *r);
void sframe_redirect_off(struct sframe_redirect *r);
void sframe_redirect_done(struct sframe_redirect *r);

/* ---- perf.c, deferred_*.c: the ways into perf ---- */

int sframe_perf_init(void);
void sframe_perf_exit(void);
/* One backend is built. -EOPNOTSUPP: perf here knows no deferred callchains. */
extern const char sframe_deferred_by[];
int sframe_deferred_init(void);
void sframe_deferred_exit(void);

/* ---- stats.c: counters ---- */

enum sframe_event {
	SFRAME_EV_SCAN,			/* mms scanned */
	SFRAME_EV_SCAN_FAILED,		/* scans that found no memory, or were killed */
	SFRAME_EV_PENDING,		/* scans queued as task work */
	SFRAME_EV_PENDING_FULL,		/* no slot free for one */
	SFRAME_EV_EVICTED,		/* tables dropped from the cache */
	SFRAME_EV_DEFER,		/* walks queued by our own deferral */
	SFRAME_EV_DEFER_FULL,		/* no slot free for one: done in place */
	SFRAME_EV_DEFER_EXIT,		/* walks done early, as the task exits */
	SFRAME_EV_RECORDS,		/* deferred records written */
	SFRAME_EV_RECORDS_LOST,		/* no room in perf's buffer for one */
	SFRAME_NR_EVENTS,
};

/**
 * struct sframe_stats - counters of one CPU
 * @end: walks by how they ended
 * @walks: walks
 * @frames: frames emitted
 * @fallbacks: of these, found without a row
 * @event: the rest
 */
struct sframe_stats {
	unsigned long end[SFRAME_NR_WAYS][SFRAME_NR_REASONS];
	unsigned long walks[SFRAME_NR_WAYS];
	unsigned long frames[SFRAME_NR_WAYS];
	unsigned long fallbacks[SFRAME_NR_WAYS];
	unsigned long event[SFRAME_NR_EVENTS];
};

DECLARE_PER_CPU(struct sframe_stats, sframe_stats);
/* Files refused and parts of tables skipped: rare, so not per CPU. */
extern atomic_long_t sframe_refused[SFRAME_NR_REASONS];

#define sframe_count(ev)	this_cpu_inc(sframe_stats.event[ev])

void sframe_stats_show(struct seq_file *m);
void sframe_stats_init(void);
void sframe_stats_exit(void);

/* ---- main.c ---- */

extern unsigned long sframe_max_file_bytes;
extern unsigned long sframe_max_total_bytes;
extern unsigned int sframe_max_frames;

#endif /* SFRAME_INTERNAL_H */
