// SPDX-License-Identifier: GPL-2.0
/*
 * Answers what walks, and those who decide whether to walk, ask of an mm: which mapping
 * holds an address, and whether there is any table. In any context, without a lock.
 */
#include <linux/bitops.h>
#include <linux/cleanup.h>
#include <linux/cred.h>
#include <linux/limits.h>
#include <linux/minmax.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/uidgid.h>

#include <sframe/cursor.h>

#include "changes.h"
#include "map.h"
#include "mm.h"

static const struct sframe_range nowhere;

/* Prices, in instructions: of any lookup; of a step of its search; of a span that it looks at. */
#define COST_LOOKUP	96
#define COST_STEP	10
#define COST_SPAN	5
/*
 * A lookup is never charged more, so that a walk in place can make one for each frame
 * of a chain.
 */
#define COST_MOST	224

/**
 * sframe_view_init() - prepare lookups in a map
 * @v: the view; @changed was filled in before
 * @map: the map, read after that; NULL: nothing is executable but what may have changed
 *
 * Context: any, NMI included.
 */
void sframe_view_init(struct sframe_view *v, const struct sframe_map *map)
{
	u64 lowest = U64_MAX, highest = 0;
	unsigned int i;

	if (map && map->nr_parts) {
		lowest = map->lowest;
		highest = map->highest;
	}
	for (i = 0; i < v->changed.nr; i++) {
		lowest = min(lowest, v->changed.span[i].start);
		highest = max(highest, v->changed.span[i].end);
	}
	v->cost = COST_LOOKUP + COST_SPAN * v->changed.nr;
	if (map)
		v->cost += COST_STEP * (fls(map->nr_parts) +
					fls(SFRAME_PART_RANGES));
	v->cost = min(v->cost, COST_MOST);
	v->key = map && !v->changed.nr ? map->id : 0;
	v->map = map;
	v->last = &nowhere;
	v->lowest = lowest;
	v->size = highest > lowest ? highest - lowest : 0;
}

static bool view_may_have_changed(const struct sframe_view *v, u64 pc)
{
	const struct sframe_span *span = v->changed.span;
	unsigned int i;

	for (i = 0; i < v->changed.nr; i++)
		if (pc >= span[i].start && pc < span[i].end)
			return true;
	return false;
}

/**
 * sframe_view_find_slow() - sframe_view_find(), with a search
 * @v: the view
 * @pc: the address
 * @range: set to the range, NULL for none
 *
 * Context: as sframe_view_find().
 * Return: as sframe_view_find().
 */
enum sframe_reason sframe_view_find_slow(struct sframe_view *v, u64 pc,
					 const struct sframe_range **range)
{
	const struct sframe_range *r = v->last;

	if (pc - r->start >= r->end - r->start)
		r = v->map ? sframe_map_find(v->map, pc) : NULL;
	*range = r;
	if (r)
		v->last = r;
	if (view_may_have_changed(v, pc))
		return SFRAME_CHANGED;
	return r ? SFRAME_OK : SFRAME_NO_MAPPING;
}

/**
 * sframe_view_begin() - make a view of an mm, to look addresses up in
 * @v: filled in
 * @m: the mm
 *
 * What changed before this call is in the map, or is served as SFRAME_CHANGED. Later
 * changes are not noticed: a stack is of the mappings of its time. A walk that sleeps
 * leaves its RCU section and begins anew.
 *
 * Context: any, NMI included; under rcu_read_lock(), which keeps @v valid.
 */
void sframe_view_begin(struct sframe_view *v, const struct sframe_mm *m)
{
	/* In this order, see sframe_changes_settle(). */
	sframe_changes_read(&m->changes, &v->changed);
	sframe_view_init(v, rcu_dereference(m->map));
}

/* In &sframe_home.key: it is one; addresses in it are a table's; and where the image's id is. */
#define HOME_IS		BIT_ULL(63)
#define HOME_TABLE	BIT_ULL(62)
#define HOME_ID_SHIFT	32
#define HOME_ID_MAX	GENMASK_ULL(29, 0)

/**
 * sframe_view_home() - &sframe_cursor_ops.home
 * @v: the view
 * @m: its mm
 * @range: what is around the address, from sframe_view_find()
 * @home: filled in
 *
 * The same code in the same file is the same for all processes of a user. Of another one's it
 * is not believed: who runs a program may write to its code. A task of whom it cannot be said
 * whose it is, as it has another's rights for a while, has no home.
 *
 * What was read since sframe_view_begin() is of that file only if nothing has changed since
 * then: so there is no home if something has, now or when an answer is to be kept.
 *
 * Context: any, NMI included; under the rcu_read_lock() of sframe_view_begin().
 */
void sframe_view_home(const struct sframe_view *v, const struct sframe_mm *m,
		      const struct sframe_range *range, struct sframe_home *home)
{
	const struct cred *cred = current_real_cred();
	u64 place = READ_ONCE(range->place), id;

	*home = (struct sframe_home){ .start = range->start, .end = range->end };
	/* After what was read. */
	smp_rmb();
	if (!range->image || sframe_changes_pending(&m->changes) ||
	    rcu_dereference(m->map) != v->map)
		return;
	id = range->image->id;
	if (id > HOME_ID_MAX || !uid_eq(cred->uid, cred->euid) ||
	    !uid_eq(cred->suid, cred->euid))
		return;
	if (sframe_range_table(range, &home->place))
		home->key = HOME_TABLE;
	else if (place & SFRAME_PLACE_OFFSET && sframe_image_is_program(range->image))
		home->place = range->start - (place - SFRAME_PLACE_OFFSET);
	else
		return;
	home->key |= HOME_IS | id << HOME_ID_SHIFT | __kuid_val(cred->uid);
}

/**
 * sframe_mm_may_have_code() - may there be anything executable in a range of addresses?
 * @mm: the mm
 * @start: first address
 * @end: first address past the last, above @start
 *
 * Context: any, NMI included.
 * Return: true if there is, as far as the map of @mm knows, or may be, as the map may be wrong
 *	there; false if nothing is known of @mm.
 */
bool sframe_mm_may_have_code(const struct mm_struct *mm, u64 start, u64 end)
{
	struct sframe_view v __uninitialized;
	struct sframe_mm *m;
	unsigned int i;

	guard(rcu)();
	m = sframe_mm_find(mm);
	if (!m)
		return false;
	sframe_view_begin(&v, m);
	if (end <= v.lowest || start >= v.lowest + v.size)
		return false;
	for (i = 0; i < v.changed.nr; i++)
		if (start < v.changed.span[i].end && end > v.changed.span[i].start)
			return true;
	return v.map && sframe_map_overlaps(v.map, start, end);
}

/**
 * sframe_mm_may_have_tables() - has any mapping of an mm a table, the vDSO aside?
 * @m: the mm
 *
 * While a table is coming, the answer is yes: frame pointers would be followed else, which
 * skips callers in files that have tables and no frame pointers.
 *
 * Context: any, NMI included; @m is kept by RCU or a reference.
 * Return: true if one has, or may get one without another change, as far as the last
 *	update and later lookups know.
 */
bool sframe_mm_may_have_tables(const struct sframe_mm *m)
{
	const struct sframe_map *map;

	guard(rcu)();
	map = rcu_dereference(m->map);
	return map && READ_ONCE(map->state) & (SFRAME_MAP_TABLES | SFRAME_MAP_COMING);
}

/**
 * sframe_mm_current_is_plain() - is it known that the current task's mm has no table?
 *
 * Context: any, NMI included.
 * Return: true if its map is up to date, and knows of none; see sframe_mm_may_have_tables().
 */
bool sframe_mm_current_is_plain(void)
{
	const struct sframe_mm *m;

	guard(rcu)();
	m = sframe_mm_find(current->mm);
	return m && sframe_mm_is_up_to_date(m) && !sframe_mm_may_have_tables(m);
}

/**
 * sframe_mm_is_up_to_date() - would sframe_mm_update() have nothing to do?
 * @m: the mm
 *
 * Context: any, NMI included; @m is kept by RCU or a reference.
 * Return: true if the map knows all changes and all images, or the last update failed
 *	too lately.
 */
bool sframe_mm_is_up_to_date(const struct sframe_mm *m)
{
	const struct sframe_map *map;

	if (sframe_changes_pending(&m->changes))
		return sframe_mm_failed_lately(m);
	guard(rcu)();
	map = rcu_dereference(m->map);
	return map && !(READ_ONCE(map->state) & SFRAME_MAP_COMING) &&
	       !sframe_map_retry_due(map);
}
