/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What is known of each mm whose stacks somebody records.
 *
 * Nothing here knows how changes are noticed. Whoever places the hooks for that
 * (track.c) calls sframe_mm_open() once no change can escape them: only then do mms
 * become known. It removes them only after sframe_mm_close() has succeeded.
 */
#ifndef SFRAME_MM_H
#define SFRAME_MM_H

#include <linux/jiffies.h>
#include <linux/mutex.h>
#include <linux/rcupdate.h>
#include <linux/refcount.h>
#include <linux/types.h>

#include "changes.h"

struct mm_struct;
struct sframe_map;
struct sframe_view;
struct task_struct;

/**
 * struct sframe_lessons - when to walk again for what walks in place could not pay for,
 *	see lesson.c
 * @wanted_by: task that is to do so when it returns to user mode; only compared
 * @next: no lesson before this time, by ktime_get_mono_fast_ns()
 *
 * Hints, read and written by any task of the mm, in any context, without a lock.
 */
struct sframe_lessons {
	const struct task_struct *wanted_by;
	u64 next;
};

/**
 * struct sframe_mm - what is known of one mm_struct
 * @id: no other entry has it, nor had it; constant
 * @node: in the hash; RCU readers, writers hold the hash's lock
 * @mm: key; its mm_count is held, so that the address cannot be reused
 * @map: RCU readers; written under @update. NULL: none was made yet
 * @changes: log of where the map may be wrong; has a lock of its own
 * @refs: one for the hash, one per walk or update that sleeps
 * @update: one update at a time; killable, may be held for as long as it takes
 *	to get the mmap_lock, but not while waiting for images
 * @failed: the last update failed, so another one before @retry is of no use; written
 *	under @update, read without it, in NMI, too, as a hint
 * @retry: jiffies; see @failed; likewise
 * @lessons: see there; hints without a lock
 * @rcu: frees it after a grace period
 */
struct sframe_mm {
	u64 id;
	struct hlist_node node;
	struct mm_struct *mm;
	struct sframe_map __rcu *map;
	struct sframe_changes changes;
	refcount_t refs;
	struct mutex update;
	bool failed;
	unsigned long retry;
	struct sframe_lessons lessons;
	struct rcu_head rcu;
};

/* Has an update failed so lately that another one is not worth it? Any context. */
static inline bool sframe_mm_failed_lately(const struct sframe_mm *m)
{
	return READ_ONCE(m->failed) && time_before(jiffies, READ_ONCE(m->retry));
}

/*
 * Is nothing known of an mm, as it was not looked at yet? @m: its entry, kept by RCU or a
 * reference, or NULL. Any context, NMI included.
 */
static inline bool sframe_mm_is_new(const struct sframe_mm *m)
{
	return !m || (!rcu_access_pointer(m->map) && !READ_ONCE(m->failed));
}

/* Walks: any context, NMI included, under rcu_read_lock(). */
struct sframe_mm *sframe_mm_find(const struct mm_struct *mm);
void sframe_view_begin(struct sframe_view *v, const struct sframe_mm *m);
bool sframe_mm_may_have_tables(const struct sframe_mm *m);
bool sframe_mm_is_up_to_date(const struct sframe_mm *m);
bool sframe_mm_current_is_plain(void);

/* Task context, may sleep; of the current task's mm. */
struct sframe_mm *sframe_mm_update(void);
struct sframe_mm *sframe_mm_get_current(void);
void sframe_mm_put(struct sframe_mm *m);

/* Hooks: atomic, mmap_lock may be held. */
unsigned int sframe_mm_changed(const struct mm_struct *mm, u64 start, u64 end);
void sframe_mm_fork(struct mm_struct *oldmm, struct mm_struct *newmm);
void sframe_mm_forget(struct mm_struct *mm);
bool sframe_mm_is_known(const struct mm_struct *mm);
bool sframe_mm_may_have_code(const struct mm_struct *mm, u64 start, u64 end);
unsigned int sframe_mm_count(void);

/* Whoever places the hooks; process context. */
void sframe_mm_open(void);
bool sframe_mm_close(void);
void sframe_mm_forget_all(void);
void sframe_mm_shutdown(void);

#endif /* SFRAME_MM_H */
