// SPDX-License-Identifier: GPL-2.0
/*
 * Makes a map from another one, of which some address ranges changed; driven by update.c.
 * Parts without a change are shared, so a change costs a few parts, and a reference per
 * shared part.
 *
 * Where parts were touched, no two neighbours are left that would fit into one: so on average
 * a part is at least half full, whatever the changes were.
 */
#include <linux/errno.h>
#include <linux/limits.h>
#include <linux/minmax.h>
#include <linux/string.h>

#include "map_edit.h"

/* Spare room for parts at first, beyond those of the old map. */
#define MORE_PARTS	4

static struct sframe_map_part *last_part(const struct sframe_map_edit *edit)
{
	const struct sframe_map *map = edit->map;

	return map->nr_parts ? map->index[map->nr_parts - 1].part : NULL;
}

static bool fits_last_part(const struct sframe_map_edit *edit, unsigned int nr)
{
	const struct sframe_map_part *last = last_part(edit);

	return last && last->nr + nr <= SFRAME_PART_RANGES;
}

static int grow_map(struct sframe_map_edit *edit)
{
	struct sframe_map *old = edit->map, *map;

	map = sframe_map_alloc(old->room * 2);
	if (!map)
		return -ENOMEM;
	memcpy(map->index, old->index, old->nr_parts * sizeof(*old->index));
	map->nr_parts = old->nr_parts;
	map->nr_ranges = old->nr_ranges;
	old->nr_parts = 0;
	sframe_map_free(old);
	edit->map = map;
	return 0;
}

/* On success the caller's reference becomes the map's. */
static int append_part(struct sframe_map_edit *edit, struct sframe_map_part *part)
{
	struct sframe_map *map = edit->map;

	if (map->nr_parts == map->room) {
		if (grow_map(edit))
			return -ENOMEM;
		map = edit->map;
	}
	map->index[map->nr_parts++] = (struct sframe_map_index){
		.start = part->range[0].start,
		.part = part,
	};
	map->nr_ranges += part->nr;
	return 0;
}

static struct sframe_range range_get(const struct sframe_range *range)
{
	struct sframe_range copy = {
		.start = range->start,
		.end = range->end,
		.place = READ_ONCE(range->place),
		.image = range->image,
	};

	if (copy.image)
		sframe_image_get(copy.image);
	return copy;
}

/* Take the last part apart, to join it with the open ranges; there must be room. */
static void reopen_last_part(struct sframe_map_edit *edit)
{
	struct sframe_map_part *last = last_part(edit);
	unsigned int i;

	memmove(&edit->open[last->nr], edit->open,
		edit->nr_open * sizeof(*edit->open));
	for (i = 0; i < last->nr; i++)
		edit->open[i] = range_get(&last->range[i]);
	edit->nr_open += last->nr;
	edit->map->nr_ranges -= last->nr;
	edit->map->nr_parts--;
	sframe_map_part_put(last);
}

static int close_open_part(struct sframe_map_edit *edit)
{
	struct sframe_map_part *part;

	if (!edit->nr_open)
		return 0;
	if (fits_last_part(edit, edit->nr_open))
		reopen_last_part(edit);
	part = sframe_map_part_new(edit->open, edit->nr_open);
	if (!part)
		return -ENOMEM;
	edit->nr_open = 0;
	if (!append_part(edit, part))
		return 0;
	sframe_map_part_put(part);
	return -ENOMEM;
}

static int push_range(struct sframe_map_edit *edit,
		      const struct sframe_range *range)
{
	if (edit->nr_open == SFRAME_PART_RANGES && close_open_part(edit))
		return -ENOMEM;
	edit->open[edit->nr_open++] = range_get(range);
	return 0;
}

/* Add the piece of an old range that lies within @from and @to. */
static int push_range_piece(struct sframe_map_edit *edit,
			    const struct sframe_range *range, u64 from, u64 to)
{
	struct sframe_range piece = {
		.start = max(range->start, from),
		.end = min(range->end, to),
		.place = READ_ONCE(range->place),
		.image = range->image,
	};

	if (piece.start >= piece.end)
		return 0;
	/* An offset moves with the start; a bias is the same everywhere. */
	if (piece.place & SFRAME_PLACE_OFFSET)
		piece.place += piece.start - range->start;
	return push_range(edit, &piece);
}

/*
 * Share the parts behind the one just shared that end below @to. They were neighbours
 * before, so no two would fit into one. Not the old map's last part, nor any that the
 * map has no room for.
 */
static void share_following_parts(struct sframe_map_edit *edit, u64 to)
{
	const struct sframe_map_index *next = &edit->old->index[edit->old_part + 1];
	const struct sframe_map_index *end;
	struct sframe_map *map = edit->map;
	unsigned int left;

	left = min(edit->old->nr_parts - edit->old_part - 1,
		   map->room - map->nr_parts);
	for (end = next + left; next + 1 < end && next[1].start <= to; next++) {
		refcount_inc(&next->part->refs);
		map->index[map->nr_parts++] = *next;
		map->nr_ranges += next->part->nr;
		edit->old_part++;
	}
}

/* Take over the next part of the old map as a whole, and those that follow. */
static int share_next_parts(struct sframe_map_edit *edit, u64 to)
{
	struct sframe_map_part *part = edit->old->index[edit->old_part].part;
	unsigned int i;
	int err = 0;

	if (!edit->nr_open && fits_last_part(edit, part->nr))
		reopen_last_part(edit);
	if (edit->nr_open && edit->nr_open + part->nr <= SFRAME_PART_RANGES) {
		for (i = 0; i < part->nr && !err; i++)
			err = push_range(edit, &part->range[i]);
		return err;
	}
	err = close_open_part(edit);
	if (err)
		return err;
	refcount_inc(&part->refs);
	err = append_part(edit, part);
	if (err)
		sframe_map_part_put(part);
	else
		share_following_parts(edit, to);
	return err;
}

static u64 part_end(const struct sframe_map_part *part)
{
	return part->range[part->nr - 1].end;
}

/* Is all of the old map's next part still to be taken over, and below @to? */
static bool next_part_is_whole(const struct sframe_map_edit *edit, u64 to)
{
	const struct sframe_map_index *index = &edit->old->index[edit->old_part];

	return !edit->old_range && index->start >= edit->old_from &&
	       part_end(index->part) <= to;
}

/* Take over the ranges of one old part below @to; false if some of it is left. */
static bool copy_ranges(struct sframe_map_edit *edit, u64 to, int *err)
{
	const struct sframe_map_part *part = edit->old->index[edit->old_part].part;
	const struct sframe_range *range;

	for (; edit->old_range < part->nr && !*err; edit->old_range++) {
		range = &part->range[edit->old_range];
		if (range->start >= to)
			return false;
		*err = push_range_piece(edit, range, edit->old_from, to);
		if (range->end > to)
			return false;
	}
	return !*err;
}

/* Take over what the old map has left below @to. */
static int copy_until(struct sframe_map_edit *edit, u64 to)
{
	int err = 0;

	while (edit->old && edit->old_part < edit->old->nr_parts && !err) {
		if (next_part_is_whole(edit, to))
			err = share_next_parts(edit, to);
		else if (!copy_ranges(edit, to, &err))
			break;
		edit->old_range = 0;
		edit->old_part++;
	}
	edit->old_from = max(edit->old_from, to);
	return err;
}

/* Equal, but for @old's place, which may have become a bias since it was made? */
static bool ranges_equal(const struct sframe_range *old,
			 const struct sframe_range *new)
{
	u64 bias, place = READ_ONCE(old->place);

	if (old->start != new->start || old->end != new->end ||
	    old->image != new->image)
		return false;
	if (place == new->place)
		return true;
	return new->image && new->place & SFRAME_PLACE_OFFSET &&
	       !(place & SFRAME_PLACE_OFFSET) &&
	       sframe_image_bias(new->image, new->start,
				 new->place - SFRAME_PLACE_OFFSET, &bias) &&
	       bias == place;
}

/**
 * sframe_map_same() - has a map these ranges, and no others, at some addresses?
 * @map: the map
 * @start: first address
 * @end: first address past the last
 * @range: ranges within these addresses, sorted
 * @nr: how many
 *
 * Context: @map and the images of @range are kept by references.
 * Return: true if so.
 */
bool sframe_map_same(const struct sframe_map *map, u64 start, u64 end,
		     const struct sframe_range *range, unsigned int nr)
{
	const struct sframe_map_part *part;
	const struct sframe_range *r;
	unsigned int p, k, i = 0;

	/* Mostly there is one mapping. */
	if (nr == 1 && range->start == start && range->end == end) {
		r = sframe_map_find(map, start);
		return r && ranges_equal(r, range);
	}
	for (p = SFRAME_LAST_BEFORE(map->index, map->nr_parts, start) - map->index;
	     p < map->nr_parts && map->index[p].start < end; p++) {
		part = map->index[p].part;
		for (k = 0; k < part->nr; k++) {
			r = &part->range[k];
			if (r->end <= start)
				continue;
			if (r->start >= end)
				break;
			if (i == nr || !ranges_equal(r, &range[i]))
				return false;
			i++;
		}
	}
	return i == nr;
}

/**
 * sframe_map_edit_begin() - begin to make a map from another one
 * @edit: filled in
 * @old: the other map; the caller keeps it until the end. NULL: an empty one
 *
 * Context: may sleep.
 * Return: 0, then sframe_map_edit_end() or sframe_map_edit_abort() must follow; or -ENOMEM.
 */
int sframe_map_edit_begin(struct sframe_map_edit *edit,
			  const struct sframe_map *old)
{
	edit->old = old;
	edit->old_part = 0;
	edit->old_range = 0;
	edit->old_from = 0;
	edit->nr_open = 0;
	edit->map = sframe_map_alloc((old ? old->nr_parts : 0) + MORE_PARTS);
	return edit->map ? 0 : -ENOMEM;
}

/**
 * sframe_map_edit_cut() - leave out what the old map has at some addresses
 * @edit: the map being made
 * @start: first address, not below an earlier call's @end
 * @end: first address past the last
 *
 * Context: may sleep.
 * Return: 0 or -ENOMEM.
 */
int sframe_map_edit_cut(struct sframe_map_edit *edit, u64 start, u64 end)
{
	int err = copy_until(edit, start);

	edit->old_from = max(edit->old_from, end);
	return err;
}

/**
 * sframe_map_edit_add() - add a range where something was left out
 * @edit: the map being made
 * @range: within the last sframe_map_edit_cut(), above those added since; a reference to its
 *	image is taken
 *
 * Context: may sleep.
 * Return: 0, -ENOMEM, or -E2BIG if there are more than SFRAME_MAP_RANGES.
 */
int sframe_map_edit_add(struct sframe_map_edit *edit,
			const struct sframe_range *range)
{
	if (edit->map->nr_ranges + edit->nr_open >= SFRAME_MAP_RANGES)
		return -E2BIG;
	return push_range(edit, range);
}

/**
 * sframe_map_edit_abort() - give up a map that was begun
 * @edit: the map being made; all of it is freed
 *
 * Context: process context, may sleep.
 */
void sframe_map_edit_abort(struct sframe_map_edit *edit)
{
	unsigned int i;

	for (i = 0; i < edit->nr_open; i++)
		sframe_image_put(edit->open[i].image);
	sframe_map_free(edit->map);
}

/**
 * sframe_map_edit_end() - complete the map with what is left of the old one
 * @edit: the map being made
 *
 * Context: may sleep.
 * Return: the map with one reference; NULL: no memory, or more than SFRAME_MAP_RANGES.
 */
struct sframe_map *sframe_map_edit_end(struct sframe_map_edit *edit)
{
	if (copy_until(edit, U64_MAX) || close_open_part(edit) ||
	    edit->map->nr_ranges > SFRAME_MAP_RANGES) {
		sframe_map_edit_abort(edit);
		return NULL;
	}
	sframe_map_finish(edit->map);
	return edit->map;
}
