// SPDX-License-Identifier: GPL-2.0
/*
 * The entries for mms whose stacks somebody records: each has a map of what is mapped
 * executable (map.c), and a log of where that map may be wrong (changes.c). Hooks
 * (track.c) log changes; an update in task context (update.c) makes a map that knows
 * them. Readers (walks, NMI included) read the log first, then the map, under RCU.
 */
#include <linux/cleanup.h>
#include <linux/hashtable.h>
#include <linux/jiffies.h>
#include <linux/mm.h>
#include <linux/preempt.h>
#include <linux/rculist.h>
#include <linux/sched/mm.h>
#include <linux/slab.h>
#include <linux/spinlock.h>

#include "map.h"
#include "mm.h"

#define MM_BITS		12

/*
 * Serializes writers of the hash, and protects the two variables below. Raw, as hooks
 * may be called with preemption off, on PREEMPT_RT, too. Held for a few instructions;
 * only the lock of a log is taken under it.
 */
static DEFINE_RAW_SPINLOCK(mm_lock);
static DEFINE_HASHTABLE(mms, MM_BITS);
static unsigned int nr_mms;		/* mm_lock; read without it as a hint */
static bool mms_open;			/* mm_lock; the hooks report all changes */

/* The sframe_mm.id given out last. */
static atomic64_t last_id;

/* ---- walks: any context, NMI included ---- */

/**
 * sframe_mm_find() - find what is known of an mm
 * @mm: the mm
 *
 * Context: any, NMI included; under rcu_read_lock(), which keeps the result.
 * Return: the entry, or NULL.
 */
struct sframe_mm *sframe_mm_find(const struct mm_struct *mm)
{
	struct sframe_mm *m;

	hash_for_each_possible_rcu(mms, m, node, (unsigned long)mm)
		if (m->mm == mm)
			return m;
	return NULL;
}

/* ---- entries ---- */

/**
 * sframe_mm_put() - drop a reference
 * @m: the entry, or NULL; with its last reference gone, only RCU readers may still look at it
 *
 * Context: any but hardirq and NMI.
 */
void sframe_mm_put(struct sframe_mm *m)
{
	if (!m || !refcount_dec_and_test(&m->refs))
		return;
	sframe_map_put(rcu_dereference_protected(m->map, !refcount_read(&m->refs)));
	mmdrop(m->mm);
	kfree_rcu(m, rcu);
}

static struct sframe_mm *mm_get(const struct mm_struct *mm)
{
	struct sframe_mm *m;

	guard(rcu)();
	m = sframe_mm_find(mm);
	return m && refcount_inc_not_zero(&m->refs) ? m : NULL;
}

static void mm_add(struct sframe_mm *m)
{
	lockdep_assert_held(&mm_lock);
	hash_add_rcu(mms, &m->node, (unsigned long)m->mm);
	WRITE_ONCE(nr_mms, nr_mms + 1);
}

/* Take @m out of the hash. The caller then drops the hash's reference, without the lock. */
static void mm_del(struct sframe_mm *m)
{
	lockdep_assert_held(&mm_lock);
	/* Who still holds @m would not hear of what changes from now on. */
	sframe_changes_end(&m->changes);
	hash_del_rcu(&m->node);
	WRITE_ONCE(nr_mms, nr_mms - 1);
}

/* Allocate an entry with one reference, for the hash, into which the caller puts it. */
static struct sframe_mm *mm_new(struct mm_struct *mm, gfp_t gfp,
				const struct sframe_spans *changed)
{
	struct sframe_mm *m = kzalloc(sizeof(*m), gfp);

	if (!m)
		return NULL;
	mmgrab(mm);
	m->id = atomic64_inc_return(&last_id);
	m->mm = mm;
	sframe_changes_init(&m->changes, changed);
	refcount_set(&m->refs, 1);
	mutex_init(&m->update);
	return m;
}

/*
 * Add @new, unless its mm is known by now, or the hooks do not report changes. Returns
 * the entry of that mm with a reference for the caller, or NULL.
 */
static struct sframe_mm *mm_add_or_get(struct sframe_mm *new)
{
	struct sframe_mm *m;

	raw_spin_lock(&mm_lock);
	m = sframe_mm_find(new->mm);
	if (!m && mms_open) {
		m = new;
		mm_add(m);
	}
	if (m)
		refcount_inc(&m->refs);
	raw_spin_unlock(&mm_lock);
	return m;
}

/**
 * sframe_mm_get_current() - the entry of the current task's mm, made if need be
 *
 * Context: task context, may sleep.
 * Return: the entry with a reference; NULL: no mm, no memory, or the hooks are not in
 *	place (see sframe_mm_open()).
 */
struct sframe_mm *sframe_mm_get_current(void)
{
	struct mm_struct *mm = current->mm;
	struct sframe_mm *m, *new;

	if (!mm)
		return NULL;
	m = mm_get(mm);
	if (m || !READ_ONCE(mms_open))
		return m;
	/* Until it is in the hash no hook reports changes: all counts as changed. */
	new = mm_new(mm, GFP_KERNEL_ACCOUNT, NULL);
	if (!new)
		return NULL;
	m = mm_add_or_get(new);
	if (m != new)
		sframe_mm_put(new);
	return m;
}

/* ---- hooks: atomic, mmap_lock may be held ---- */

/**
 * sframe_mm_changed() - log that executable mappings change at some addresses
 * @mm: the mm
 * @start: first address
 * @end: first address past the last
 *
 * The caller holds @mm's mmap_lock, so an update, which takes that, sees the change; or it only
 * drops pages, and no mapping changes.
 *
 * Context: any but hard interrupts and NMI.
 * Return: spans in the log now; 0 if the mm is not known.
 */
unsigned int sframe_mm_changed(const struct mm_struct *mm, u64 start, u64 end)
{
	struct sframe_mm *m;

	guard(rcu)();
	m = sframe_mm_find(mm);
	return m ? sframe_changes_add(&m->changes, start, end) : 0;
}

/* Get the map of @m with a reference, and where it may be wrong. */
static struct sframe_map *mm_snapshot(struct sframe_mm *m,
				      struct sframe_spans *changed)
{
	/* In this order, see sframe_changes_settle(). */
	sframe_changes_read(&m->changes, changed);
	return sframe_map_get(rcu_dereference(m->map));
}

/**
 * sframe_mm_fork() - let a child begin with its parent's map
 * @oldmm: the parent's mm; its mmap_lock is held for writing
 * @newmm: the child's, in which nobody runs yet
 *
 * It has the same mappings, so the same map, which may be wrong at the same places. If
 * memory for that cannot be had, the child's first sample makes it known.
 *
 * Context: may be atomic.
 */
void sframe_mm_fork(struct mm_struct *oldmm, struct mm_struct *newmm)
{
	struct sframe_spans changed;
	struct sframe_mm *m, *new;
	struct sframe_map *map;

	/* On PREEMPT_RT kzalloc() may sleep even with GFP_NOWAIT: skip. */
	if (IS_ENABLED(CONFIG_PREEMPT_RT) && !preemptible())
		return;
	scoped_guard(rcu) {
		m = sframe_mm_find(oldmm);
		map = m ? mm_snapshot(m, &changed) : NULL;
	}
	if (!map)
		return;
	new = mm_new(newmm, GFP_NOWAIT | __GFP_NOWARN | __GFP_ACCOUNT, &changed);
	if (!new) {
		sframe_map_put(map);
		return;
	}
	RCU_INIT_POINTER(new->map, map);
	m = mm_add_or_get(new);
	sframe_mm_put(m);
	if (m != new)
		sframe_mm_put(new);
}

/**
 * sframe_mm_forget() - forget an mm
 * @mm: the mm: its last user is gone, or its map is not worth keeping
 *
 * Context: any but hard interrupts and NMI.
 */
void sframe_mm_forget(struct mm_struct *mm)
{
	struct sframe_mm *m;

	raw_spin_lock(&mm_lock);
	m = sframe_mm_find(mm);
	if (m)
		mm_del(m);
	raw_spin_unlock(&mm_lock);
	sframe_mm_put(m);
}

static noinline bool mm_is_in_hash(const struct mm_struct *mm)
{
	guard(rcu)();
	return sframe_mm_find(mm);
}

/**
 * sframe_mm_is_known() - is anything known of an mm?
 * @mm: the mm
 *
 * Hooks ask this of every process on the machine. For nearly all the hash bucket is
 * empty, and this is two loads.
 *
 * Context: any, NMI included.
 * Return: true if so.
 */
bool sframe_mm_is_known(const struct mm_struct *mm)
{
	unsigned int bkt = hash_min((unsigned long)mm, HASH_BITS(mms));

	return unlikely(rcu_access_pointer(hlist_first_rcu(&mms[bkt]))) &&
	       mm_is_in_hash(mm);
}

/**
 * sframe_mm_count() - how many mms are known?
 *
 * Context: any.
 * Return: their number, a hint.
 */
unsigned int sframe_mm_count(void)
{
	return READ_ONCE(nr_mms);
}

/* ---- whoever places the hooks ---- */

/**
 * sframe_mm_open() - all changes are reported from now on: mms may become known
 *
 * Context: any but hard interrupts and NMI; after the last hook was placed.
 */
void sframe_mm_open(void)
{
	raw_spin_lock(&mm_lock);
	WRITE_ONCE(mms_open, true);
	raw_spin_unlock(&mm_lock);
}

/**
 * sframe_mm_close() - unless some mm is known, let none become known any more
 *
 * Context: any but hard interrupts and NMI; before the first hook is removed.
 * Return: false if some mm is known: then nothing changes.
 */
bool sframe_mm_close(void)
{
	bool none;

	raw_spin_lock(&mm_lock);
	none = !nr_mms;
	if (none)
		WRITE_ONCE(mms_open, false);
	raw_spin_unlock(&mm_lock);
	return none;
}

static struct sframe_mm *mm_del_any(unsigned int bkt)
{
	struct sframe_mm *m;

	raw_spin_lock(&mm_lock);
	m = hlist_entry_safe(mms[bkt].first, struct sframe_mm, node);
	if (m)
		mm_del(m);
	raw_spin_unlock(&mm_lock);
	return m;
}

/**
 * sframe_mm_forget_all() - forget all mms, as nobody records any more
 *
 * Context: process context, may sleep. Other mms may become known meanwhile.
 */
void sframe_mm_forget_all(void)
{
	struct sframe_mm *m;
	unsigned int bkt;

	for (bkt = 0; bkt < HASH_SIZE(mms); bkt++) {
		while ((m = mm_del_any(bkt)))
			sframe_mm_put(m);
		cond_resched();
	}
}

/**
 * sframe_mm_shutdown() - drop every mm, map and image, for good
 *
 * Context: process context, may sleep; the module unloads, and no hook and no
 * walk is left.
 */
void sframe_mm_shutdown(void)
{
	raw_spin_lock(&mm_lock);
	WRITE_ONCE(mms_open, false);
	raw_spin_unlock(&mm_lock);
	sframe_mm_forget_all();
}
