// SPDX-License-Identifier: GPL-2.0
/*
 * What walks, and those who decide whether to walk, ask of an mm: in any context,
 * and without a lock.
 */
#include <linux/cleanup.h>
#include <linux/rcupdate.h>

#include "changes.h"
#include "map.h"
#include "mm.h"

/**
 * sframe_view_begin() - look addresses of an mm up
 * @v: where to make the view
 * @m: the mm
 *
 * What changed before this call is in the map or served as SFRAME_CHANGED. What
 * changes later is not noticed: a stack speaks of the mappings of its time. A
 * walk that sleeps leaves its RCU section and begins anew.
 *
 * Context: any, NMI included; under rcu_read_lock(), until which ends @v is
 * good.
 */
void sframe_view_begin(struct sframe_view *v, const struct sframe_mm *m)
{
	/* In this order, see sframe_changes_settle(). */
	sframe_changes_read(&m->changes, &v->changed);
	sframe_view_init(v, rcu_dereference(m->map));
}

/**
 * sframe_mm_has_tables() - does any mapping of its own of this mm have a table?
 * @m: the mm
 *
 * Context: any, NMI included; @m is kept by RCU or a reference.
 * Return: true if one has, as far as is known.
 */
bool sframe_mm_has_tables(const struct sframe_mm *m)
{
	const struct sframe_map *map;

	guard(rcu)();
	map = rcu_dereference(m->map);
	return map && READ_ONCE(map->state) & SFRAME_MAP_TABLES;
}

/**
 * sframe_mm_current() - is there nothing that sframe_mm_update() could do?
 * @m: the mm
 *
 * Context: any, NMI included; @m is kept by RCU or a reference.
 * Return: true if the map knows all changes and all images, or an attempt would
 * come too soon after one that failed.
 */
bool sframe_mm_current(const struct sframe_mm *m)
{
	const struct sframe_map *map;

	if (sframe_changes_pending(&m->changes))
		return sframe_mm_failed_lately(m);
	guard(rcu)();
	map = rcu_dereference(m->map);
	return map && !(READ_ONCE(map->state) & SFRAME_MAP_COMING) &&
	       !sframe_map_retry(map);
}
