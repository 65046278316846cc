// SPDX-License-Identifier: GPL-2.0
/*
 * Maps: what an mm has mapped executable at one time, and the tables that go
 * with it. A map is immutable; a change makes a new one.
 */
#include <linux/file.h>
#include <linux/jiffies.h>
#include <linux/mm.h>
#include <linux/sched/signal.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/workqueue.h>

#include "internal.h"

/* More executable mappings than this are ignored. */
#define MAP_MAX_RANGES	65536
#define MAP_GFP	(GFP_KERNEL_ACCOUNT | __GFP_RETRY_MAYFAIL | __GFP_NOWARN)

static struct workqueue_struct *map_wq;
static atomic_long_t map_bytes;

static void map_free(struct work_struct *work)
{
	struct sframe_map *map = container_of(to_rcu_work(work),
					      struct sframe_map, free);
	unsigned int i;

	for (i = 0; i < map->nr; i++)
		if (map->range[i].file)
			sframe_file_put(map->range[i].file);
	atomic_long_sub(struct_size(map, range, map->nr), &map_bytes);
	kvfree(map);
}

/**
 * sframe_map_put() - drop a reference
 * @map: the map, or NULL
 *
 * The last one frees it after a grace period, in process context.
 *
 * Context: any but hardirq and NMI.
 */
void sframe_map_put(struct sframe_map *map)
{
	if (map && refcount_dec_and_test(&map->refs))
		queue_rcu_work(map_wq, &map->free);
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
	copy = kvcalloc(max(*nr, 1u), sizeof(*copy), MAP_GFP);
	if (copy)
		copy_exec(mm, copy, *nr);
	mmap_read_unlock(mm);
	return copy;
}

/* False when the task is being killed. */
static bool map_fill(struct sframe_map *map, const struct vma_copy *copy)
{
	struct sframe_range *r;
	unsigned int i;

	for (i = 0; i < map->nr; i++, copy++) {
		if (fatal_signal_pending(current))
			return false;
		cond_resched();
		r = &map->range[i];
		r->start = copy->start;
		r->end = copy->end;
		if (copy->file)
			r->file = sframe_file_get(copy->file, r->start,
						  copy->offset, &r->bias,
						  &map->incomplete);
		if (r->file) {
			r->table = sframe_file_table(r->file);
			map->has_tables = true;
		}
	}
	return true;
}

static struct sframe_map *map_alloc(unsigned int nr)
{
	struct sframe_map *map;

	map = kvzalloc(struct_size(map, range, nr), MAP_GFP);
	if (!map)
		return NULL;
	INIT_RCU_WORK(&map->free, map_free);
	refcount_set(&map->refs, 1);
	map->nr = nr;
	map->built = jiffies;
	atomic_long_add(struct_size(map, range, nr), &map_bytes);
	return map;
}

/**
 * sframe_map_build() - list what the current task's mm maps executable
 * @mm: current->mm
 *
 * Context: task context, may sleep; takes mmap_lock for reading, and reads
 * files without it.
 * Return: a map with one reference, or NULL: out of memory, or killed.
 */
struct sframe_map *sframe_map_build(struct mm_struct *mm)
{
	struct sframe_map *map;
	struct vma_copy *copy;
	unsigned int i, nr;

	copy = list_exec(mm, &nr);
	if (!copy)
		return NULL;
	map = map_alloc(nr);
	if (map && !map_fill(map, copy)) {
		sframe_map_put(map);
		map = NULL;
	}
	for (i = 0; i < nr; i++)
		if (copy[i].file)
			fput(copy[i].file);
	kvfree(copy);
	return map;
}

void sframe_map_show(struct seq_file *m)
{
	seq_printf(m, "map_bytes %ld\n", atomic_long_read(&map_bytes));
}

int sframe_map_init(void)
{
	map_wq = alloc_workqueue("sframe", WQ_UNBOUND | WQ_MEM_RECLAIM, 0);
	return map_wq ? 0 : -ENOMEM;
}

/* No map is reachable any more; wait until the last one is freed. */
void sframe_map_exit(void)
{
	rcu_barrier();
	destroy_workqueue(map_wq);
}
