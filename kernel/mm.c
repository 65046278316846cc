// SPDX-License-Identifier: GPL-2.0
/*
 * What each mm maps executable, for mms whose stacks somebody records.
 *
 * A map is an immutable sorted array. Hooks only mark an mm dirty; a scan in
 * task context lists its VMAs anew and replaces the map. Readers (walks, NMI
 * included) see one map or the next, under RCU.
 */
#include <linux/file.h>
#include <linux/hash.h>
#include <linux/hashtable.h>
#include <linux/mm.h>
#include <linux/rculist.h>
#include <linux/sched/mm.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/workqueue.h>

#include "compat/compat.h"
#include "internal.h"

#define MM_BITS		8
/* More executable mappings than this are ignored. */
#define MAP_MAX_RANGES	65536
/* How often to see whether anybody still records callchains. */
#define IDLE_PERIOD	(5 * HZ)

/* Writers of the hash and of every entry's map pointer. */
static DEFINE_SPINLOCK(mm_lock);
static DEFINE_HASHTABLE(mms, MM_BITS);
static unsigned int nr_mms;		/* mm_lock; read without as a hint */
static atomic_long_t map_bytes;

static void idle_check(struct work_struct *work);
static DECLARE_DELAYED_WORK(idle_work, idle_check);

/* ---- maps ---- */

static void map_free_rcu(struct rcu_head *rcu)
{
	struct sframe_map *map = container_of(rcu, struct sframe_map, rcu);
	unsigned int i;

	for (i = 0; i < map->nr; i++)
		if (map->range[i].file)
			sframe_file_put(map->range[i].file);
	atomic_long_sub(struct_size(map, range, map->nr), &map_bytes);
	kvfree(map);
}

static void map_put(struct sframe_map *map)
{
	if (map && refcount_dec_and_test(&map->refs))
		call_rcu(&map->rcu, map_free_rcu);
}

/**
 * sframe_map_find() - the executable mapping that holds an address
 * @map: the map
 * @pc: the address
 * @hint: index to try first, updated
 *
 * Context: any, NMI included; under rcu_read_lock().
 * Return: the range, or NULL.
 */
const struct sframe_range *sframe_map_find(const struct sframe_map *map, u64 pc,
					   unsigned int *hint)
{
	unsigned int lo = 0, hi = map->nr, mid = *hint;
	const struct sframe_range *r;

	if (mid >= hi)
		mid = hi / 2;
	while (lo < hi) {
		r = &map->range[mid];
		if (pc < r->start) {
			hi = mid;
		} else if (pc >= r->end) {
			lo = mid + 1;
		} else {
			*hint = mid;
			return r;
		}
		mid = lo + (hi - lo) / 2;
	}
	return NULL;
}

/**
 * struct vma_copy - one executable VMA, remembered past mmap_lock
 * @start: first address
 * @end: first address past it
 * @offset: position in @file, bytes
 * @file: backing file, with a reference, or NULL
 */
struct vma_copy {
	u64 start;
	u64 end;
	u64 offset;
	struct file *file;
};

/* mmap_lock held for reading */
static unsigned int count_exec(struct mm_struct *mm)
{
	struct vm_area_struct *vma;
	unsigned int n = 0;
	VMA_ITERATOR(vmi, mm, 0);

	for_each_vma(vmi, vma)
		n += !!(vma->vm_flags & VM_EXEC);
	return min(n, MAP_MAX_RANGES);
}

/* mmap_lock held for reading */
static void copy_exec(struct mm_struct *mm, struct vma_copy *copy,
		      unsigned int max)
{
	struct vm_area_struct *vma;
	unsigned int n = 0;
	VMA_ITERATOR(vmi, mm, 0);

	for_each_vma(vmi, vma) {
		if (!(vma->vm_flags & VM_EXEC))
			continue;
		if (n == max)
			break;
		copy[n].start = vma->vm_start;
		copy[n].end = vma->vm_end;
		copy[n].offset = (u64)vma->vm_pgoff << PAGE_SHIFT;
		copy[n].file = vma->vm_file ? get_file(vma->vm_file) : NULL;
		n++;
	}
}

static struct vma_copy *list_exec(struct mm_struct *mm, unsigned int *nr)
{
	struct vma_copy *copy;

	if (mmap_read_lock_killable(mm))
		return NULL;
	*nr = count_exec(mm);
	copy = kvcalloc(max(*nr, 1u), sizeof(*copy),
			GFP_KERNEL_ACCOUNT | __GFP_RETRY_MAYFAIL | __GFP_NOWARN);
	if (copy)
		copy_exec(mm, copy, *nr);
	mmap_read_unlock(mm);
	return copy;
}

static void map_fill(struct sframe_map *map, const struct vma_copy *copy)
{
	struct sframe_range *r;
	unsigned int i;

	for (i = 0; i < map->nr; i++, copy++) {
		r = &map->range[i];
		r->start = copy->start;
		r->end = copy->end;
		if (copy->file)
			r->file = sframe_file_get(copy->file, r->start,
						  copy->offset, &r->bias);
		if (r->file) {
			r->table = sframe_file_table(r->file);
			map->has_tables = true;
		}
	}
}

static struct sframe_map *map_build(struct mm_struct *mm)
{
	struct sframe_map *map;
	struct vma_copy *copy;
	unsigned int i, nr;

	copy = list_exec(mm, &nr);
	if (!copy)
		return NULL;
	map = kvzalloc(struct_size(map, range, nr),
		       GFP_KERNEL_ACCOUNT | __GFP_RETRY_MAYFAIL | __GFP_NOWARN);
	if (map) {
		refcount_set(&map->refs, 1);
		map->nr = nr;
		atomic_long_add(struct_size(map, range, nr), &map_bytes);
		map_fill(map, copy);
	}
	for (i = 0; i < nr; i++)
		if (copy[i].file)
			fput(copy[i].file);
	kvfree(copy);
	return map;
}

/* ---- mms ---- */

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

/* Without references left, nobody can reach it but RCU readers. */
void sframe_mm_put(struct sframe_mm *m)
{
	if (!refcount_dec_and_test(&m->refs))
		return;
	map_put(rcu_dereference_protected(m->map, true));
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
	refcount_inc(&new->refs);

	spin_lock(&mm_lock);
	m = sframe_mm_find(mm);
	if (m) {
		refcount_inc(&m->refs);
	} else {
		m = new;
		new = NULL;
		mm_add(m);
	}
	spin_unlock(&mm_lock);
	if (new) {
		sframe_mm_put(new);
		sframe_mm_put(new);
	}
	schedule_delayed_work(&idle_work, IDLE_PERIOD);
	return m;
}

static void mm_publish(struct sframe_mm *m, struct sframe_map *map)
{
	struct sframe_map *old;

	spin_lock(&mm_lock);
	old = rcu_replace_pointer(m->map, map, lockdep_is_held(&mm_lock));
	spin_unlock(&mm_lock);
	map_put(old);
}

static int mm_refresh(struct sframe_mm *m)
{
	struct sframe_map *map;
	unsigned long dirty;

	/* Before the VMAs are read: what changes later marks it again. */
	dirty = xchg(&m->dirty, 0);
	if (!dirty)
		return 0;
	map = map_build(m->mm);
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
	if (!READ_ONCE(m->dirty))
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

/* Note a change; false if the mm is not known. */
bool sframe_mm_mark(const struct mm_struct *mm, enum sframe_mm_dirty what)
{
	struct sframe_mm *m;

	rcu_read_lock();
	m = sframe_mm_find(mm);
	if (m)
		set_bit(what, &m->dirty);
	rcu_read_unlock();
	return m;
}

/*
 * Does the parent's map lag behind its mappings? A scan takes its mutex, then
 * clears the dirty bits, then publishes under mm_lock (held), then unlocks.
 */
static unsigned long fork_dirty(struct sframe_mm *m)
{
	unsigned long dirty = READ_ONCE(m->dirty);

	smp_rmb();	/* pairs with the xchg() in mm_refresh() */
	if (mutex_is_locked(&m->scan))
		dirty |= BIT(SFRAME_DIRTY_FILE);
	smp_rmb();	/* the map is read after this */
	return dirty;
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
	new = mm_new(newmm, GFP_NOWAIT | __GFP_NOWARN);
	if (!new)
		return;

	spin_lock(&mm_lock);
	m = sframe_mm_find(oldmm);
	if (m)
		new->dirty = fork_dirty(m);
	map = m ? rcu_dereference_protected(m->map, lockdep_is_held(&mm_lock)) :
		  NULL;
	if (map) {
		refcount_inc(&map->refs);
		RCU_INIT_POINTER(new->map, map);
		mm_add(new);
		new = NULL;
	}
	spin_unlock(&mm_lock);
	if (new)
		sframe_mm_put(new);
}

/* The last user is gone: nobody walks this mm any more. */
void sframe_mm_exit(struct mm_struct *mm)
{
	struct sframe_mm *m;

	spin_lock(&mm_lock);
	m = sframe_mm_find(mm);
	if (m)
		mm_del(m);
	spin_unlock(&mm_lock);
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

	spin_lock(&mm_lock);
	m = hlist_entry_safe(mms[bkt].first, struct sframe_mm, node);
	if (m)
		mm_del(m);
	spin_unlock(&mm_lock);
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
	if (!sframe_mm_none())
		schedule_delayed_work(&idle_work, IDLE_PERIOD);
}

/* No hook and no walk is left: drop every mm, map and reference to a file. */
void sframe_mm_shutdown(void)
{
	drop_all();
	cancel_delayed_work_sync(&idle_work);
	rcu_barrier();
}

void sframe_mm_show(struct seq_file *m)
{
	seq_printf(m, "mms %u\nmap_bytes %ld\n", READ_ONCE(nr_mms),
		   atomic_long_read(&map_bytes));
}
