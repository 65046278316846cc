/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What an mm maps executable at one time, and the images that belong to it: maps, their
 * parts, and the view through which a walk looks at them. Made by map_edit.c, looked up
 * by view.c.
 */
#ifndef SFRAME_MAP_H
#define SFRAME_MAP_H

#include <linux/compiler.h>
#include <linux/refcount.h>
#include <linux/types.h>
#include <linux/workqueue.h>

#include <sframe/reason.h>

#include "changes.h"
#include "image.h"

struct seq_file;
struct sframe_home;
struct sframe_mm;
struct sframe_table;

/* A part with this many ranges fills a block of 1 KiB, see map_edit.c. */
#define SFRAME_PART_RANGES	31
/* A map with more ranges is not made. */
#define SFRAME_MAP_RANGES	65536

/* Of sorted things, the last that does not begin past @pc; the first one if all do. */
#define SFRAME_LAST_BEFORE(first, nr_things, pc)				\
({									\
	typeof(&(first)[0]) at_ = (first);				\
	unsigned int nr_ = (nr_things), half_;				\
									\
	for (; nr_ > 1; nr_ -= half_) {					\
		half_ = nr_ / 2;					\
		at_ += at_[half_].start <= (pc) ? half_ : 0;		\
	}								\
	at_;								\
})

/* In sframe_range.place: it is a file offset, as the image's segments are not known yet. */
#define SFRAME_PLACE_OFFSET	1ull

/**
 * struct sframe_range - one executable mapping, or a piece of one
 * @start: first address
 * @end: first address past it
 * @place: load address minus link-time address; or, with SFRAME_PLACE_OFFSET added, the
 *	position of @start in the file, bytes. Both are multiples of the page size.
 *	Read by sframe_range_table(), and by those who make maps and the vDSO's range;
 *	written once more, with WRITE_ONCE(), when the image's segments become known
 * @image: image of what it maps, the part holds a reference; NULL: nothing is known,
 *	and if @place is an offset, the file is worth asking for again
 */
struct sframe_range {
	u64 start;
	u64 end;
	u64 place;
	struct sframe_image *image;
};

/* What is known of the images of a part, or of a map. */
enum sframe_map_state {
	SFRAME_MAP_TABLES = 1,	/* some image has a table, other than the vDSO's */
	SFRAME_MAP_COMING = 2,	/* some image is coming: a worker will tell */
	SFRAME_MAP_FAILED = 4,	/* some image failed: it is worth asking again */
};

/**
 * struct sframe_map_part - neighbouring ranges; immutable but for @place
 * @refs: maps that share the part
 * @nr: entries in @range, at least 1
 * @state: enum sframe_map_state bits, of all images; refreshed for as long as some are
 *	coming, read and written without a lock
 * @range: sorted by address, not overlapping
 */
struct sframe_map_part {
	refcount_t refs;
	unsigned int nr;
	unsigned long state;
	struct sframe_range range[] __counted_by(nr);
};

/**
 * struct sframe_map_index - where a part begins
 * @start: of its first range
 * @part: the part; the map holds a reference
 */
struct sframe_map_index {
	u64 start;
	struct sframe_map_part *part;
};

/**
 * struct sframe_map - executable mappings of an mm at one time; immutable but
 *	for what sframe_map_refresh_state() finds out about its images
 * @id: no other map has it, nor had it; constant
 * @free: frees it after a grace period
 * @refs: mms that point here (fork shares the parent's map), and whoever looks at it
 *	outside RCU
 * @nr_ranges: in all parts
 * @nr_parts: entries in @index
 * @room: entries for which @index has room
 * @lowest: first executable address
 * @highest: first address past the last executable one
 * @state: enum sframe_map_state bits, of all parts; refreshed without a lock, and read in
 *	any context
 * @built: jiffies when it was finished
 * @index: sorted by address
 */
struct sframe_map {
	u64 id;
	struct rcu_work free;
	refcount_t refs;
	unsigned int nr_ranges;
	unsigned int nr_parts;
	unsigned int room;
	u64 lowest;
	u64 highest;
	unsigned long state;
	unsigned long built;
	struct sframe_map_index index[] __counted_by(room);
};

/**
 * struct sframe_view - a map together with its log, as one walk sees them
 * @map: the map, NULL for none; kept by RCU
 * @last: range that was found last
 * @lowest: first address that may be executable
 * @size: bytes from there to the first address past the last such one
 * @cost: of a lookup, instructions, about
 * @key: stands for all that can be found in it (for trails); 0 if something changed
 * @changed: where the map may be wrong
 *
 * On the walker's stack; made by sframe_view_begin(), see mm.h.
 */
struct sframe_view {
	const struct sframe_map *map;
	const struct sframe_range *last;
	u64 lowest;
	u64 size;
	u32 cost;
	u64 key;
	struct sframe_spans changed;
};

void sframe_view_init(struct sframe_view *v, const struct sframe_map *map);
enum sframe_reason sframe_view_find_slow(struct sframe_view *v, u64 pc,
					 const struct sframe_range **range);
void sframe_view_home(const struct sframe_view *v, const struct sframe_mm *m,
		      const struct sframe_range *range, struct sframe_home *home);

/**
 * sframe_view_find_fast() - sframe_view_find() where no search is needed
 * @v: the view
 * @pc: the address
 * @range: as sframe_view_find()
 * @r: set to the result, as of sframe_view_find()
 *
 * Context: as sframe_view_find().
 * Return: false if sframe_view_find_slow() has to be called.
 */
static __always_inline bool
sframe_view_find_fast(const struct sframe_view *v, u64 pc,
		      const struct sframe_range **range, enum sframe_reason *r)
{
	const struct sframe_range *last = v->last;

	if (pc - v->lowest >= v->size) {
		*range = NULL;
		*r = SFRAME_NO_MAPPING;
		return true;
	}
	*range = last;
	*r = SFRAME_OK;
	return likely(!v->changed.nr &&
		      pc - last->start < last->end - last->start);
}

/**
 * sframe_view_find() - find the executable mapping that holds an address
 * @v: the view
 * @pc: the address
 * @range: set to the range, NULL for none
 *
 * Context: any, NMI included; in the RCU section of sframe_view_begin().
 * Return: SFRAME_OK; SFRAME_NO_MAPPING if nothing executable is there; SFRAME_CHANGED
 *	if that may have changed: then @range is what was there, of which neither the
 *	image nor the place may be used. Where it is NULL there was no code, but may
 *	be now.
 */
static __always_inline enum sframe_reason
sframe_view_find(struct sframe_view *v, u64 pc, const struct sframe_range **range)
{
	enum sframe_reason r;

	if (sframe_view_find_fast(v, pc, range, &r))
		return r;
	return sframe_view_find_slow(v, pc, range);
}

/**
 * sframe_range_table() - find the rules for a range
 * @r: from sframe_view_find(), if that said SFRAME_OK
 * @bias: set to load address minus link-time address
 *
 * Context: any, NMI included; under rcu_read_lock(), which keeps the result.
 * Return: the table, NULL for none (yet).
 */
static __always_inline const struct sframe_table *
sframe_range_table(const struct sframe_range *r, u64 *bias)
{
	const struct sframe_table *table;
	u64 place;

	table = r->image ? sframe_image_table(r->image) : NULL;
	if (!table)
		return NULL;
	place = READ_ONCE(r->place);
	if (unlikely(place & SFRAME_PLACE_OFFSET) &&
	    !sframe_image_bias(r->image, r->start, place - SFRAME_PLACE_OFFSET,
			       &place))
		return NULL;
	*bias = place;
	return table;
}

/**
 * sframe_range_is_fixed() - does the code of a range stay as it is?
 * @r: from sframe_view_find(), if that said SFRAME_OK
 *
 * Only programs and files with a table are taken to: a memfd may hold a JIT's.
 *
 * Context: as sframe_range_table().
 * Return: true if so.
 */
static inline bool sframe_range_is_fixed(const struct sframe_range *r)
{
	u64 bias;

	return sframe_range_table(r, &bias) || sframe_image_is_program(r->image);
}

struct sframe_map_part *sframe_map_part_new(const struct sframe_range *range,
					    unsigned int nr);
void sframe_map_part_put(struct sframe_map_part *part);
struct sframe_map *sframe_map_alloc(unsigned int room);
void sframe_map_free(struct sframe_map *map);
void sframe_map_finish(struct sframe_map *map);
const struct sframe_range *sframe_map_find(const struct sframe_map *map, u64 pc);
bool sframe_map_overlaps(const struct sframe_map *map, u64 start, u64 end);
struct sframe_map *sframe_map_get(struct sframe_map *map);
void sframe_map_put(struct sframe_map *map);
bool sframe_map_retry_due(const struct sframe_map *map);
void sframe_map_refresh_state(struct sframe_map *map);

/* Might sframe_map_refresh_state() find anything new? Any context. */
static inline bool sframe_map_unsure(const struct sframe_map *map)
{
	return READ_ONCE(map->state) & (SFRAME_MAP_COMING | SFRAME_MAP_FAILED);
}

void sframe_map_log_failed(const struct sframe_map *map,
			   struct sframe_changes *log);
int sframe_map_init(void);
void sframe_map_exit(void);
void sframe_map_show(struct seq_file *m);

#endif /* SFRAME_MAP_H */
