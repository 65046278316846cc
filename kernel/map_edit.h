/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Making a map from another one: begin, then cut and add from the lowest address up,
 * then end or abort.
 */
#ifndef SFRAME_MAP_EDIT_H
#define SFRAME_MAP_EDIT_H

#include "map.h"

/**
 * struct sframe_map_edit - a map being made, from the lowest address up
 * @old: made from this one; the caller keeps it. NULL: from one without ranges
 * @old_part: next part of @old to be taken over
 * @old_range: next range in that part
 * @old_from: no address of @old below this one is taken over any more
 * @map: the new map, with the parts made or shared so far
 * @nr_open: entries in @open
 * @open: ranges of the next part, with references to their images
 *
 * What is executable from @old_from on comes from @old; what lies below is in @map and
 * @open.
 */
struct sframe_map_edit {
	const struct sframe_map *old;
	unsigned int old_part;
	unsigned int old_range;
	u64 old_from;
	struct sframe_map *map;
	unsigned int nr_open;
	struct sframe_range open[SFRAME_PART_RANGES];
};

bool sframe_map_same(const struct sframe_map *map, u64 start, u64 end,
		     const struct sframe_range *range, unsigned int nr);
int sframe_map_edit_begin(struct sframe_map_edit *edit,
			  const struct sframe_map *old);
int sframe_map_edit_cut(struct sframe_map_edit *edit, u64 start, u64 end);
int sframe_map_edit_add(struct sframe_map_edit *edit,
			const struct sframe_range *range);
struct sframe_map *sframe_map_edit_end(struct sframe_map_edit *edit);
void sframe_map_edit_abort(struct sframe_map_edit *edit);

#endif /* SFRAME_MAP_EDIT_H */
