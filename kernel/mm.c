// SPDX-License-Identifier: GPL-2.0
/*
 * What each mm maps executable, for mms whose stacks somebody records.
 *
 * A map is an immutable sorted array. Hooks only mark an mm dirty; a scan in
 * task context lists its VMAs anew and replaces the map. Readers (walks, NMI
 * included) see one map or the next, under RCU.
 */
#include <linux/hash.h>
#include <linux/hashtable.h>
#include <linux/jiffies.h>
#include <linux/mm.h>
#include <linux/rculist.h>
#include <linux/sched/mm.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/workqueue.h>

#include "compat/compat.h"
#include "internal.h"

#define MM_BITS		12
/* How often to see whether anybody still records callchains. */
#define IDLE_PERIOD	(5 * HZ)

/*
 * How old a map must be before it is made anew because JIT code changed, or
 * because a file could not be read. Both may happen all the time.
 */
#define ANON_PERIOD	(HZ / 10)
#define RETRY_PERIOD	HZ

/*
 * Writers of the hash and of every entry's map pointer. Raw: the hooks may be
 * called with preemption off, also on PREEMPT_RT.
 */
static DEFINE_RAW_SPINLOCK(mm_lock);
static DEFINE_HASHTABLE(mms, MM_BITS);
static unsigned int nr_mms;		/* mm_lock; read without as a hint */

static void idle_check(struct work_struct *work);
static DECLARE_DELAYED_WORK(idle_work, idle_check);

/**
 * sframe_mm_find() - what is known of an mm
 * @mm: which
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

/**
 * sframe_mm_has_tables() - does any mapping of this mm have a table?
 * @m: the mm
 *
 * Context: any, NMI included; @m is kept by RCU or a reference.
 * Return: true if one has, as far as is known.
 */
bool sframe_mm_has_tables(const struct sframe_mm *m)
{
	const struct sframe_map *map;
	bool ret;

	rcu_read_lock();
	map = rcu_dereference(m->map);
	ret = map && map->has_tables;
	rcu_read_unlock();
	return ret;
}

/* Is there something to scan for? What can wait, see ANON_PERIOD, is not yet. */
static bool outdated(struct sframe_mm *m, unsigned long dirty)
{
	const struct sframe_map *map;
	bool ret = true;

	if (dirty & BIT(SFRAME_DIRTY_FILE))
		return true;
	rcu_read_lock();
	map = rcu_dereference(m->map);
	if (map)
		ret = (dirty && map->has_tables &&
		       time_after(jiffies, map->built + ANON_PERIOD)) ||
		      (map->incomplete &&
		       time_after(jiffies, map->built + RETRY_PERIOD));
	rcu_read_unlock();
	return ret;
}

/**
 * sframe_mm_stale() - may the map lag behind the mappings?
 * @m: the mm
 *
 * A scan takes its mutex, clears the dirty bits, publishes the map and drops
 * the mutex: clear bits do not mean that the map is there yet.
 *
 * Context: any, NMI included; @m is kept by RCU or a reference.
 * Return: true if a scan is due, or is being made.
 */
bool sframe_mm_stale(struct sframe_mm *m)
{
	unsigned long dirty = READ_ONCE(m->dirty);

	smp_rmb();	/* pairs with the xchg() in mm_refresh() */
	if (mutex_is_locked(&m->scan))
		return true;
	smp_rmb();	/* then the map it published is seen, too */
	return outdated(m, dirty);
}

/* Without references left, nobody can reach it but RCU readers. */
void sframe_mm_put(struct sframe_mm *m)
{
	if (!refcount_dec_and_test(&m->refs))
		return;
	sframe_map_put(rcu_dereference_protected(m->map, true));
	mmdrop(m->mm);
	kfree_rcu(m, rcu);
}

static struct sframe_mm *mm_get(const struct mm_struct *mm)
{
	struct sframe_mm *m;

	rcu_read_lock();
	m = sframe_mm_find(mm);
	if (m && !refcount_inc_not_zero(&m->refs))
		m = NULL;
	rcu_read_unlock();
	return m;
}

/* mm_lock held */
static void mm_add(struct sframe_mm *m)
{
	hash_add_rcu(mms, &m->node, (unsigned long)m->mm);
	WRITE_ONCE(nr_mms, nr_mms + 1);
}

/* mm_lock held; the caller drops the hash's reference afterwards */
static void mm_del(struct sframe_mm *m)
{
	hash_del_rcu(&m->node);
	WRITE_ONCE(nr_mms, nr_mms - 1);
}

/* An entry that is in no hash yet, with the reference of the hash. */
static struct sframe_mm *mm_new(struct mm_struct *mm, gfp_t gfp)
{
	struct sframe_mm *m = kzalloc(sizeof(*m), gfp);

	if (!m)
		return NULL;
	mmgrab(mm);
	m->mm = mm;
	m->dirty = BIT(SFRAME_DIRTY_FILE);
	refcount_set(&m->refs, 1);
	mutex_init(&m->scan);
	return m;
}

/* The entry of the current task's mm with a reference, made if need be. */
static struct sframe_mm *mm_get_or_new(struct mm_struct *mm)
{
	struct sframe_mm *m = mm_get(mm), *new;

	if (m)
		return m;
	new = mm_new(mm, GFP_KERNEL_ACCOUNT);
	if (!new)
		return NULL;
	/* What changes after it is known must be noticed. */
	if (sframe_track_hold()) {
		sframe_mm_put(new);
		return NULL;
	}
	raw_spin_lock(&mm_lock);
	m = sframe_mm_find(mm);
	if (!m) {
		m = new;
		new = NULL;
		mm_add(m);
	}
	refcount_inc(&m->refs);
	raw_spin_unlock(&mm_lock);
	sframe_track_release();
	if (new)
		sframe_mm_put(new);
	schedule_delayed_work(&idle_work, IDLE_PERIOD);
	return m;
}

static void mm_publish(struct sframe_mm *m, struct sframe_map *map)
{
	struct sframe_map *old;

	raw_spin_lock(&mm_lock);
	old = rcu_replace_pointer(m->map, map, lockdep_is_held(&mm_lock));
	raw_spin_unlock(&mm_lock);
	sframe_map_put(old);
}

static int mm_refresh(struct sframe_mm *m)
{
	struct sframe_map *map;

	/* Somebody else may have done it while we waited for the mutex. */
	if (!outdated(m, READ_ONCE(m->dirty)))
		return 0;
	/* Before the VMAs are read: what changes later marks it again. */
	xchg(&m->dirty, 0);
	map = sframe_map_build(m->mm);
	sframe_count(map ? SFRAME_EV_SCAN : SFRAME_EV_SCAN_FAILED);
	if (!map)
		set_bit(SFRAME_DIRTY_FILE, &m->dirty);
	/* An old map may be wrong by now: rather have none. */
	mm_publish(m, map);
	return map ? 0 : -ENOMEM;
}

/**
 * sframe_mm_scan() - bring the current task's map up to date
 *
 * Context: task context, may sleep, no mmap_lock held.
 * Return: its entry with a reference, or NULL: no mm, out of memory, killed.
 */
struct sframe_mm *sframe_mm_scan(void)
{
	struct mm_struct *mm = current->mm;
	struct sframe_mm *m;
	int ret;

	if (!mm)
		return NULL;
	m = mm_get_or_new(mm);
	if (!m)
		return NULL;
	if (!sframe_mm_stale(m))
		return m;
	ret = mutex_lock_killable(&m->scan);
	if (!ret) {
		ret = mm_refresh(m);
		mutex_unlock(&m->scan);
	}
	if (!ret)
		return m;
	sframe_mm_put(m);
	return NULL;
}

/* ---- hooks: atomic, mmap_lock may be held ---- */

/* Note a change, if the mm is known. */
void sframe_mm_mark(const struct mm_struct *mm, enum sframe_mm_dirty what)
{
	struct sframe_mm *m;

	rcu_read_lock();
	m = sframe_mm_find(mm);
	if (m)
		set_bit(what, &m->dirty);
	rcu_read_unlock();
}

/* The child begins with the parent's mappings, so with its map. */
void sframe_mm_fork(struct mm_struct *oldmm, struct mm_struct *newmm)
{
	struct sframe_mm *m, *new;
	struct sframe_map *map;

	rcu_read_lock();
	m = sframe_mm_find(oldmm);
	rcu_read_unlock();
	if (!m)
		return;
	/* There the allocator sleeps. The child is known by its first sample. */
	if (IS_ENABLED(CONFIG_PREEMPT_RT) && !preemptible())
		return;
	new = mm_new(newmm, GFP_NOWAIT | __GFP_NOWARN);
	if (!new)
		return;

	raw_spin_lock(&mm_lock);
	m = sframe_mm_find(oldmm);
	if (m)
		new->dirty = sframe_mm_stale(m) ? BIT(SFRAME_DIRTY_FILE) :
						  READ_ONCE(m->dirty);
	map = m ? rcu_dereference_protected(m->map, lockdep_is_held(&mm_lock)) :
		  NULL;
	if (map) {
		refcount_inc(&map->refs);
		RCU_INIT_POINTER(new->map, map);
		mm_add(new);
		new = NULL;
	}
	raw_spin_unlock(&mm_lock);
	if (new)
		sframe_mm_put(new);
}

/* Forget the mm: its last user is gone, or what is known of it is outdated. */
void sframe_mm_exit(struct mm_struct *mm)
{
	struct sframe_mm *m;

	raw_spin_lock(&mm_lock);
	m = sframe_mm_find(mm);
	if (m)
		mm_del(m);
	raw_spin_unlock(&mm_lock);
	if (m)
		sframe_mm_put(m);
}

/* A hint, for hooks that need do nothing while nobody records callchains. */
bool sframe_mm_none(void)
{
	return !READ_ONCE(nr_mms);
}

/* ---- end of recording, and of the module ---- */

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

static void drop_all(void)
{
	struct sframe_mm *m;
	unsigned int bkt;

	for (bkt = 0; bkt < HASH_SIZE(mms); bkt++)
		while ((m = mm_del_any(bkt)))
			sframe_mm_put(m);
}

static void idle_check(struct work_struct *work)
{
	if (!sframe_callchains_wanted())
		drop_all();
	if (!sframe_track_rest())
		schedule_delayed_work(&idle_work, IDLE_PERIOD);
}

/* No hook and no walk is left: drop every mm, map and reference to a file. */
void sframe_mm_shutdown(void)
{
	drop_all();
	cancel_delayed_work_sync(&idle_work);
}

void sframe_mm_show(struct seq_file *m)
{
	seq_printf(m, "mms %u\n", READ_ONCE(nr_mms));
}
