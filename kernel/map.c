// SPDX-License-Identifier: GPL-2.0
/*
 * Maps: what an mm has mapped executable at one time. A map is immutable; an update
 * makes a new one (map_edit.c), which shares those parts with the old one in which
 * nothing changed. Walks look addresses up in them through a view (view.c).
 */
#include <linux/atomic.h>
#include <linux/jiffies.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/workqueue.h>

#include "map.h"

#define MAP_GFP	(GFP_KERNEL_ACCOUNT | __GFP_RETRY_MAYFAIL | __GFP_NOWARN)

/* Age of a map at which images are asked for again that failed. */
#define RETRY_PERIOD	HZ

static struct workqueue_struct *map_wq;
static atomic_long_t map_bytes;
static atomic64_t map_ids;

/* ---- parts ---- */

/*
 * What is known of a range's image: SFRAME_MAP_*, or 0 if it will have no table. Also
 * computes the load bias, once the image's segments are known.
 */
static unsigned long range_image_state(struct sframe_range *r)
{
	u64 place = READ_ONCE(r->place);

	if (!r->image)
		return place & SFRAME_PLACE_OFFSET ? SFRAME_MAP_FAILED : 0;
	/* In this order: once the image is not coming any more, its table is there, if any. */
	if (sframe_image_coming(r->image))
		return SFRAME_MAP_COMING;
	if (!sframe_image_table(r->image)) {
		if (sframe_image_unsettled(r->image))
			return SFRAME_MAP_FAILED;
		/* Another job may have come and gone since; settled, it left what there is. */
		if (!sframe_image_table(r->image))
			return 0;
	}
	if (place & SFRAME_PLACE_OFFSET) {
		if (!sframe_image_bias(r->image, r->start,
				       place - SFRAME_PLACE_OFFSET, &place))
			return 0;
		WRITE_ONCE(r->place, place);
	}
	return r->image->in_all ? 0 : SFRAME_MAP_TABLES;
}

static void part_refresh_state(struct sframe_map_part *part)
{
	unsigned long state = 0;
	unsigned int i;

	for (i = 0; i < part->nr; i++)
		state |= range_image_state(&part->range[i]);
	WRITE_ONCE(part->state, state);
}

/**
 * sframe_map_part_new() - make a part
 * @range: its ranges; their references to images become the part's
 * @nr: how many, at least 1
 *
 * Context: may sleep.
 * Return: the part with a reference, or NULL: no memory.
 */
struct sframe_map_part *sframe_map_part_new(const struct sframe_range *range,
					    unsigned int nr)
{
	struct sframe_map_part *part;

	part = kmalloc(struct_size(part, range, nr), MAP_GFP);
	if (!part)
		return NULL;
	refcount_set(&part->refs, 1);
	part->nr = nr;
	memcpy(part->range, range, nr * sizeof(*range));
	part_refresh_state(part);
	atomic_long_add(struct_size(part, range, nr), &map_bytes);
	return part;
}

/**
 * sframe_map_part_put() - drop a reference
 * @part: the part; no reader can reach it through the caller's map any more
 *
 * Context: process context.
 */
void sframe_map_part_put(struct sframe_map_part *part)
{
	unsigned int i;

	if (!refcount_dec_and_test(&part->refs))
		return;
	for (i = 0; i < part->nr; i++)
		sframe_image_put(part->range[i].image);
	atomic_long_sub(struct_size(part, range, part->nr), &map_bytes);
	kfree(part);
}

/* ---- maps ---- */

/**
 * sframe_map_free() - free a map, and drop its references to parts
 * @map: the map; nobody has a reference, and no reader is left
 *
 * Context: process context, may sleep.
 */
void sframe_map_free(struct sframe_map *map)
{
	unsigned int i;

	for (i = 0; i < map->nr_parts; i++) {
		sframe_map_part_put(map->index[i].part);
		cond_resched();
	}
	atomic_long_sub(struct_size(map, index, map->room), &map_bytes);
	kvfree(map);
}

static void map_free_work(struct work_struct *work)
{
	sframe_map_free(container_of(to_rcu_work(work), struct sframe_map, free));
}

/**
 * sframe_map_alloc() - make a map without any part
 * @room: parts that it will have room for
 *
 * Context: may sleep.
 * Return: a map with one reference, or NULL: no memory.
 */
struct sframe_map *sframe_map_alloc(unsigned int room)
{
	struct sframe_map *map;

	map = kvmalloc(struct_size(map, index, room), MAP_GFP);
	if (!map)
		return NULL;
	memset(map, 0, sizeof(*map));
	map->id = atomic64_inc_return(&map_ids);
	INIT_RCU_WORK(&map->free, map_free_work);
	refcount_set(&map->refs, 1);
	map->room = room;
	atomic_long_add(struct_size(map, index, room), &map_bytes);
	return map;
}

/**
 * sframe_map_finish() - complete a map that has all its parts now
 * @map: the map; nobody else sees it yet
 *
 * Context: may sleep.
 */
void sframe_map_finish(struct sframe_map *map)
{
	const struct sframe_map_part *last;

	map->built = jiffies;
	if (map->nr_parts) {
		last = map->index[map->nr_parts - 1].part;
		map->lowest = map->index[0].start;
		map->highest = last->range[last->nr - 1].end;
	}
	sframe_map_refresh_state(map);
}

/**
 * sframe_map_get() - take a reference
 * @map: the map, or NULL; kept by a reference or by RCU
 *
 * Context: any.
 * Return: @map, or NULL if that is being freed.
 */
struct sframe_map *sframe_map_get(struct sframe_map *map)
{
	return map && refcount_inc_not_zero(&map->refs) ? map : NULL;
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
 * sframe_map_refresh_state() - find out what became of images without a table
 * @map: the map
 *
 * Several tasks may do so at once: they come to the same results, or to newer ones.
 *
 * Context: may sleep; takes time for each part in which some image may yet get a table.
 */
void sframe_map_refresh_state(struct sframe_map *map)
{
	struct sframe_map_part *part;
	unsigned long state = 0;
	unsigned int i;

	for (i = 0; i < map->nr_parts; i++, cond_resched()) {
		part = map->index[i].part;
		if (READ_ONCE(part->state) &
		    (SFRAME_MAP_COMING | SFRAME_MAP_FAILED))
			part_refresh_state(part);
		state |= READ_ONCE(part->state);
	}
	WRITE_ONCE(map->state, state);
}

/**
 * sframe_map_retry_due() - is it time to ask for images again that failed?
 * @map: the map
 *
 * Context: any, NMI included.
 * Return: true if so.
 */
bool sframe_map_retry_due(const struct sframe_map *map)
{
	return READ_ONCE(map->state) & SFRAME_MAP_FAILED &&
	       time_after(jiffies, map->built + RETRY_PERIOD);
}

/**
 * sframe_map_log_failed() - have the failed images of a map asked for again
 * @map: the map
 * @log: their ranges are added here, as if they had changed
 *
 * Context: may sleep.
 */
void sframe_map_log_failed(const struct sframe_map *map,
			   struct sframe_changes *log)
{
	struct sframe_map_part *part;
	unsigned int i, k;

	for (i = 0; i < map->nr_parts; i++, cond_resched()) {
		part = map->index[i].part;
		if (!(READ_ONCE(part->state) & SFRAME_MAP_FAILED))
			continue;
		for (k = 0; k < part->nr; k++)
			if (range_image_state(&part->range[k]) & SFRAME_MAP_FAILED)
				sframe_changes_add(log, part->range[k].start,
						   part->range[k].end);
	}
}

/* ---- readers ---- */

/**
 * sframe_map_find() - find the executable mapping that holds an address
 * @map: the map
 * @pc: the address
 *
 * Context: any, NMI included; @map is kept by RCU or a reference.
 * Return: the range, or NULL.
 */
const struct sframe_range *sframe_map_find(const struct sframe_map *map, u64 pc)
{
	const struct sframe_map_part *part;
	const struct sframe_range *r;

	if (!map->nr_parts)
		return NULL;
	part = SFRAME_LAST_BEFORE(map->index, map->nr_parts, pc)->part;
	r = SFRAME_LAST_BEFORE(part->range, part->nr, pc);
	return pc - r->start < r->end - r->start ? r : NULL;
}

/**
 * sframe_map_overlaps() - is there anything executable in a range of addresses?
 * @map: the map
 * @start: first address
 * @end: first address past the last, above @start
 *
 * Context: any, NMI included; @map is kept by RCU or a reference.
 * Return: true if so.
 */
bool sframe_map_overlaps(const struct sframe_map *map, u64 start, u64 end)
{
	const struct sframe_map_part *part;
	const struct sframe_range *r;

	if (!map->nr_parts)
		return false;
	part = SFRAME_LAST_BEFORE(map->index, map->nr_parts, end - 1)->part;
	r = SFRAME_LAST_BEFORE(part->range, part->nr, end - 1);
	return r->start < end && r->end > start;
}

/* ---- the module ---- */

/**
 * sframe_map_show() - counters
 * @m: where to
 *
 * Context: process context.
 */
void sframe_map_show(struct seq_file *m)
{
	seq_printf(m, "map_bytes %ld\n", atomic_long_read(&map_bytes));
}

/**
 * sframe_map_init() - the module is loaded
 *
 * Context: process context, may sleep.
 * Return: 0 or -ENOMEM.
 */
int sframe_map_init(void)
{
	map_wq = alloc_workqueue("sframe", WQ_UNBOUND | WQ_MEM_RECLAIM, 0);
	return map_wq ? 0 : -ENOMEM;
}

/**
 * sframe_map_exit() - wait until the last map is freed
 *
 * Context: process context, may sleep; no map is reachable any more.
 */
void sframe_map_exit(void)
{
	rcu_barrier();
	destroy_workqueue(map_wq);
}
