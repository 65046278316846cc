/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A map beside an array of pages that says what each of them must map: for
 * map_kunit.c alone.
 */
#ifndef MAP_MODEL_H
#define MAP_MODEL_H

#include <kunit/test.h>

#include <linux/bits.h>
#include <linux/prandom.h>

#include "../../kernel/image.h"
#include "../../kernel/map.h"
#include "../../kernel/map_edit.h"

#define PAGES		6000u
#define IMAGES		5u
#define FIRST		BIT_ULL(32)

/**
 * struct page_model - what an address maps
 * @image: number of the image, 0 for none, IMAGES and more for no mapping
 * @start: first page of its range, as it was added
 */
struct page_model {
	unsigned int image;
	unsigned int start;
};

/**
 * struct maps - a map and its model
 * @test: the case
 * @rng: where random numbers come from
 * @map: what is tested
 * @edit: the next one, while it is made
 * @image: that ranges have; all are coming, so that places stay offsets
 * @page: the model
 */
struct maps {
	struct kunit *test;
	struct rnd_state rng;
	struct sframe_map *map;
	struct sframe_map_edit edit;
	struct sframe_image image[IMAGES];
	struct page_model page[PAGES];
};

static u64 address(unsigned int page)
{
	return FIRST + (u64)page * PAGE_SIZE;
}

static u32 below(struct maps *m, u32 limit)
{
	return prandom_u32_state(&m->rng) % limit;
}

static struct maps *maps_new(struct kunit *test)
{
	struct maps *m = kvzalloc(sizeof(*m), GFP_KERNEL);
	unsigned int i;

	KUNIT_ASSERT_NOT_NULL(test, m);
	m->test = test;
	prandom_seed_state(&m->rng, 1);
	for (i = 0; i < IMAGES; i++) {
		refcount_set(&m->image[i].refs, 1);
		m->image[i].coming = true;
	}
	for (i = 0; i < PAGES; i++)
		m->page[i].image = IMAGES;
	return m;
}

/* Every reference that a map took is given back. */
static void maps_end(struct maps *m)
{
	unsigned int i, tries;

	sframe_map_put(m->map);
	for (i = 1; i < IMAGES; i++) {
		for (tries = 0; refcount_read(&m->image[i].refs) > 1 &&
		     tries < 1000; tries++)
			msleep(20);
		KUNIT_EXPECT_EQ(m->test, refcount_read(&m->image[i].refs), 1u);
	}
	kvfree(m);
}

/* Put a range of @nr pages at @page, and into the model. */
static void put_range(struct maps *m, struct sframe_map_edit *edit,
		      unsigned int page, unsigned int nr)
{
	unsigned int image = below(m, IMAGES), i;
	struct sframe_range range = {
		.start = address(page),
		.end = address(page + nr),
		.place = (u64)page * PAGE_SIZE + SFRAME_PLACE_OFFSET,
		.image = image ? &m->image[image] : NULL,
	};

	KUNIT_ASSERT_EQ(m->test, sframe_map_edit_add(edit, &range), 0);
	for (i = page; i < page + nr; i++)
		m->page[i] = (struct page_model){ image, page };
}

/* Replace what is in [@page, @end) by random ranges, of some pages each. */
static void splice(struct maps *m, struct sframe_map_edit *edit,
		   unsigned int page, unsigned int end, unsigned int density)
{
	unsigned int i, nr;

	KUNIT_ASSERT_EQ(m->test,
			sframe_map_edit_cut(edit, address(page), address(end)), 0);
	for (i = page; i < end; i++)
		m->page[i].image = IMAGES;
	for (; page < end; page += nr) {
		nr = min(1 + below(m, 4), end - page);
		if (below(m, 100) < density)
			put_range(m, edit, page, nr);
	}
}

static void end_edit(struct maps *m, struct sframe_map_edit *edit)
{
	struct sframe_map *map = sframe_map_edit_end(edit);

	KUNIT_ASSERT_NOT_NULL(m->test, map);
	sframe_map_put(m->map);
	m->map = map;
}

static bool page_right(const struct maps *m, unsigned int page)
{
	const struct page_model *model = &m->page[page];
	const struct sframe_range *r;
	u64 addr = address(page);

	r = sframe_map_find(m->map, addr);
	if (r != sframe_map_find(m->map, addr + PAGE_SIZE - 1))
		return false;
	if (model->image == IMAGES)
		return !r;
	/* A piece of a range has the image, and the place, of the whole. */
	return r && r->start >= address(model->start) && r->start <= addr &&
	       r->image == (model->image ? &m->image[model->image] : NULL) &&
	       r->place - SFRAME_PLACE_OFFSET + (addr - r->start) ==
	       (u64)page * PAGE_SIZE;
}

static bool pages_overlap(const struct maps *m, unsigned int page, unsigned int nr)
{
	for (; nr; nr--, page++)
		if (page < PAGES && m->page[page].image != IMAGES)
			return true;
	return false;
}

static void check_overlaps(struct maps *m, unsigned int page, unsigned int nr)
{
	bool any = pages_overlap(m, page, nr);

	KUNIT_EXPECT_EQ(m->test, sframe_map_overlaps(m->map, address(page), address(page + nr)),
			any);
	KUNIT_EXPECT_EQ(m->test, sframe_map_overlaps(m->map, address(page) + 1,
						     address(page + nr) - 1), any);
}

static void check_parts(struct maps *m)
{
	const struct sframe_map_part *part;
	u64 last = 0;
	unsigned int i, k, nr = 0;

	for (i = 0; i < m->map->nr_parts; i++) {
		part = m->map->index[i].part;
		KUNIT_ASSERT_GE(m->test, part->nr, 1u);
		KUNIT_ASSERT_LE(m->test, part->nr,
				(unsigned int)SFRAME_PART_RANGES);
		KUNIT_EXPECT_EQ(m->test, m->map->index[i].start,
				part->range[0].start);
		for (k = 0; k < part->nr; k++) {
			KUNIT_EXPECT_GE(m->test, part->range[k].start, last);
			KUNIT_EXPECT_GT(m->test, part->range[k].end,
					part->range[k].start);
			last = part->range[k].end;
		}
		nr += part->nr;
	}
	KUNIT_EXPECT_EQ(m->test, m->map->nr_ranges, nr);
	if (nr)
		KUNIT_EXPECT_EQ(m->test, m->map->highest, last);
	/* Parts that are nearly empty are joined. */
	KUNIT_EXPECT_LE(m->test, m->map->nr_parts,
			4 * nr / SFRAME_PART_RANGES + 8);
}

static void check_model(struct maps *m)
{
	unsigned int i, wrong = 0;

	for (i = 0; i < PAGES; i++)
		wrong += !page_right(m, i);
	KUNIT_EXPECT_EQ(m->test, wrong, 0u);
	for (i = 0; i < PAGES; i++)
		check_overlaps(m, i, 1 + below(m, 2 * IMAGES));
	check_overlaps(m, PAGES, 2);
	KUNIT_EXPECT_EQ(m->test, sframe_map_overlaps(m->map, 0, U64_MAX), m->map->nr_parts > 0);
	KUNIT_EXPECT_FALSE(m->test, sframe_map_overlaps(m->map, 0, address(0)));
	KUNIT_EXPECT_NULL(m->test, sframe_map_find(m->map, 0));
	KUNIT_EXPECT_NULL(m->test, sframe_map_find(m->map, address(0) - 1));
	KUNIT_EXPECT_NULL(m->test, sframe_map_find(m->map, address(PAGES)));
	KUNIT_EXPECT_NULL(m->test, sframe_map_find(m->map, U64_MAX));
	check_parts(m);
}

static struct sframe_map_edit *begin_edit(struct maps *m)
{
	KUNIT_ASSERT_EQ(m->test, sframe_map_edit_begin(&m->edit, m->map), 0);
	return &m->edit;
}

/* Up to three windows, from the lowest up. */
static void random_splice(struct maps *m, unsigned int max_pages)
{
	struct sframe_map_edit *edit = begin_edit(m);
	unsigned int density = below(m, 4) * 33;
	unsigned int i, page, end = 0;

	for (i = 0; i < 3 && end < PAGES; i++) {
		page = end + below(m, PAGES - end);
		end = min(page + 1 + below(m, max_pages), PAGES);
		splice(m, edit, page, end, density);
	}
	end_edit(m, edit);
}

#endif /* MAP_MODEL_H */
