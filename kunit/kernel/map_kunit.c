// SPDX-License-Identifier: GPL-2.0
/*
 * Maps made from maps, beside an array of pages.
 */
#include <kunit/test.h>

#include <linux/bits.h>
#include <linux/delay.h>
#include <linux/jiffies.h>
#include <linux/kthread.h>
#include <linux/limits.h>
#include <linux/prandom.h>
#include <linux/sched.h>

#include "../../kernel/image.h"
#include "../../kernel/map.h"
#include "../../kernel/map_edit.h"
#include "made.h"
#include "map_model.h"

static void random_splices(struct kunit *test)
{
	struct maps *m = maps_new(test);
	struct sframe_map_edit *edit;
	unsigned int round;

	edit = begin_edit(m);
	splice(m, edit, 0, PAGES, 90);
	end_edit(m, edit);
	check_model(m);
	for (round = 0; round < 1000; round++) {
		random_splice(m, round % 10 ? 8 : PAGES / 2);
		if (round % 8 == 0)
			check_model(m);
		cond_resched();
	}
	check_model(m);
	maps_end(m);
}

/* @nr ranges of a page, each a page from the next. */
static void make_ranges(struct maps *m, unsigned int nr)
{
	struct sframe_map_edit *edit = begin_edit(m);
	unsigned int i;

	KUNIT_ASSERT_EQ(m->test, sframe_map_edit_cut(edit, 0, U64_MAX), 0);
	for (i = 0; i < nr; i++)
		put_range(m, edit, 2 * i, 1);
	end_edit(m, edit);
}

/* One change leaves all parts but few as they are. */
static void a_change_shares_parts(struct kunit *test)
{
	struct maps *m = maps_new(test);
	struct sframe_map_edit *edit;
	struct sframe_map *old;
	unsigned int i, k, shared = 0;

	make_ranges(m, 1000);
	old = sframe_map_get(m->map);
	KUNIT_ASSERT_NOT_NULL(test, old);
	edit = begin_edit(m);
	KUNIT_ASSERT_EQ(test, sframe_map_edit_cut(edit, address(1001),
						  address(1002)), 0);
	put_range(m, edit, 1001, 1);
	end_edit(m, edit);
	check_model(m);
	KUNIT_EXPECT_EQ(test, m->map->nr_ranges, 1001u);
	for (i = 0; i < old->nr_parts; i++)
		for (k = 0; k < m->map->nr_parts; k++)
			shared += old->index[i].part == m->map->index[k].part;
	KUNIT_EXPECT_GE(test, shared, old->nr_parts - 2);
	sframe_map_put(old);
	maps_end(m);
}

/* All but every 31st range goes: what is left fits into few parts. */
static void what_is_left_is_joined(struct kunit *test)
{
	struct maps *m = maps_new(test);
	struct sframe_map_edit *edit;
	unsigned int i;

	make_ranges(m, PAGES / 2);
	for (i = 0; i < PAGES / 2; i++) {
		if (i % SFRAME_PART_RANGES == 0)
			continue;
		edit = begin_edit(m);
		splice(m, edit, 2 * i, 2 * i + 1, 0);
		end_edit(m, edit);
		cond_resched();
	}
	check_model(m);
	maps_end(m);
}

static void empty_maps(struct kunit *test)
{
	struct maps *m = maps_new(test);
	struct sframe_view v = {};
	const struct sframe_range *r;

	end_edit(m, begin_edit(m));
	check_model(m);
	sframe_view_init(&v, m->map);
	KUNIT_EXPECT_EQ(test, sframe_view_find(&v, address(0), &r),
			SFRAME_NO_MAPPING);
	KUNIT_EXPECT_NULL(test, r);
	sframe_view_init(&v, NULL);
	KUNIT_EXPECT_EQ(test, sframe_view_find(&v, 0, &r), SFRAME_NO_MAPPING);
	maps_end(m);
}

static void too_many_ranges(struct kunit *test)
{
	struct maps *m = maps_new(test);
	struct sframe_map_edit *edit = begin_edit(m);
	struct sframe_range range = {};
	unsigned int i;
	int err = 0;

	KUNIT_ASSERT_EQ(test, sframe_map_edit_cut(edit, 0, U64_MAX), 0);
	for (i = 0; i <= SFRAME_MAP_RANGES && !err; i++) {
		range.start = address(i);
		range.end = address(i + 1);
		err = sframe_map_edit_add(edit, &range);
	}
	KUNIT_EXPECT_EQ(test, err, -E2BIG);
	KUNIT_EXPECT_EQ(test, i, SFRAME_MAP_RANGES + 1u);
	sframe_map_edit_abort(edit);
	maps_end(m);
}

/* What may have changed is told apart from what is known, at every edge. */
static void views_of_changes(struct kunit *test)
{
	struct maps *m = maps_new(test);
	struct sframe_view v = {
		.changed.nr = 2,
		.changed.span = { { address(2), address(4) },
				  { address(40), address(41) } },
	};
	const struct sframe_range *r;

	make_ranges(m, 10);
	sframe_view_init(&v, m->map);
	KUNIT_EXPECT_EQ(test, sframe_view_find(&v, address(0), &r), SFRAME_OK);
	KUNIT_EXPECT_EQ(test, sframe_view_find(&v, address(1), &r),
			SFRAME_NO_MAPPING);
	KUNIT_EXPECT_EQ(test, sframe_view_find(&v, address(2), &r),
			SFRAME_CHANGED);
	KUNIT_EXPECT_NOT_NULL(test, r);
	/* Found last, so nearly found at once. */
	KUNIT_EXPECT_EQ(test, sframe_view_find(&v, address(3) - 1, &r),
			SFRAME_CHANGED);
	KUNIT_EXPECT_EQ(test, sframe_view_find(&v, address(3), &r),
			SFRAME_CHANGED);
	KUNIT_EXPECT_NULL(test, r);
	KUNIT_EXPECT_EQ(test, sframe_view_find(&v, address(4), &r), SFRAME_OK);
	/* Past all that was executable. */
	KUNIT_EXPECT_EQ(test, sframe_view_find(&v, address(40), &r),
			SFRAME_CHANGED);
	KUNIT_EXPECT_NULL(test, r);
	KUNIT_EXPECT_EQ(test, sframe_view_find(&v, address(39), &r),
			SFRAME_NO_MAPPING);
	KUNIT_EXPECT_EQ(test, sframe_view_find(&v, address(41), &r),
			SFRAME_NO_MAPPING);
	maps_end(m);
}

/* A worker that is done changes no map, but what is known of it. */
static void images_that_come(struct kunit *test)
{
	struct maps *m = maps_new(test);
	struct sframe_map_edit *edit = begin_edit(m);
	struct sframe_range range = {
		.start = address(0),
		.end = address(1),
		.place = SFRAME_PLACE_OFFSET,
		.image = &m->image[1],
	};

	KUNIT_ASSERT_EQ(test, sframe_map_edit_add(edit, &range), 0);
	end_edit(m, edit);
	KUNIT_EXPECT_EQ(test, m->map->state, (unsigned long)SFRAME_MAP_COMING);
	sframe_map_refresh_state(m->map);
	KUNIT_EXPECT_EQ(test, m->map->state, (unsigned long)SFRAME_MAP_COMING);
	m->image[1].coming = false;
	sframe_map_refresh_state(m->map);
	KUNIT_EXPECT_EQ(test, m->map->state, (unsigned long)SFRAME_MAP_FAILED);
	KUNIT_EXPECT_FALSE(test, sframe_map_retry_due(m->map));
	m->map->built -= 2 * HZ;
	KUNIT_EXPECT_TRUE(test, sframe_map_retry_due(m->map));
	m->image[1].settled = true;
	sframe_map_refresh_state(m->map);
	KUNIT_EXPECT_EQ(test, m->map->state, 0ul);
	KUNIT_EXPECT_FALSE(test, sframe_map_retry_due(m->map));
	maps_end(m);
}

/* As when what a worker found was not known yet. */
static void look_afresh(struct sframe_map *map)
{
	struct sframe_map_part *part = map->index[0].part;

	WRITE_ONCE(part->range[0].place, SFRAME_PLACE_OFFSET);
	WRITE_ONCE(part->state, SFRAME_MAP_COMING);
	sframe_map_refresh_state(map);
}

static int keep_looking(void *map)
{
	while (!kthread_should_stop()) {
		look_afresh(map);
		cond_resched();
	}
	return 0;
}

/* Tasks of one mm look at the same time. KCSAN sees what they do to each other. */
static void several_look(struct kunit *test)
{
	struct sframe_table table = { };
	struct maps *m = maps_new(test);
	struct sframe_map_edit *edit = begin_edit(m);
	struct sframe_image *image = &m->image[1];
	struct sframe_range range = {
		.start = address(0),
		.end = address(1),
		.place = SFRAME_PLACE_OFFSET,
		.image = image,
	};
	unsigned long end = jiffies + HZ;
	struct task_struct *task;

	image->coming = false;
	image->table = &table;
	image->nr_text = 1;
	image->text[0] = (struct sframe_segment){ .size = PAGE_SIZE };
	KUNIT_ASSERT_EQ(test, sframe_map_edit_add(edit, &range), 0);
	end_edit(m, edit);
	task = made_thread(test, keep_looking, m->map);
	while (time_before(jiffies, end)) {
		look_afresh(m->map);
		cond_resched();
	}
	KUNIT_EXPECT_EQ(test, made_join(task), 0);
	look_afresh(m->map);
	KUNIT_EXPECT_EQ(test, m->map->index[0].part->range[0].place, address(0));
	KUNIT_EXPECT_EQ(test, m->map->state, (unsigned long)SFRAME_MAP_TABLES);
	image->table = NULL;
	maps_end(m);
}

/* What every process has, as the vDSO, is no reason to walk another way. */
static void image_in_all(struct kunit *test)
{
	struct sframe_table table = { };
	struct maps *m = maps_new(test);
	struct sframe_map_edit *edit = begin_edit(m);
	struct sframe_range range = {
		.start = address(0),
		.end = address(1),
		.image = &m->image[1],
	};

	m->image[1].coming = false;
	m->image[1].table = &table;
	m->image[1].in_all = true;
	KUNIT_ASSERT_EQ(test, sframe_map_edit_add(edit, &range), 0);
	end_edit(m, edit);
	KUNIT_EXPECT_EQ(test, m->map->state, 0ul);
	edit = begin_edit(m);
	m->image[1].in_all = false;
	range.start = address(2);
	range.end = address(3);
	KUNIT_ASSERT_EQ(test, sframe_map_edit_add(edit, &range), 0);
	end_edit(m, edit);
	KUNIT_EXPECT_EQ(test, m->map->state, (unsigned long)SFRAME_MAP_TABLES);
	m->image[1].table = NULL;
	maps_end(m);
}

/* Each allocation of an edit fails in turn, and no reference is lost. */
static void edit_allocations_fail(struct kunit *test)
{
	struct made_failures f = made_failures(test);
	struct maps *m = maps_new(test);
	struct sframe_map *map;
	struct sframe_range range = { .image = &m->image[1] };
	unsigned int i;
	bool begun;
	int err;

	make_ranges(m, 100);
	while (made_failures_next(&f)) {
		map = NULL;
		made_failure(&f);
		err = sframe_map_edit_begin(&m->edit, m->map);
		begun = !err;
		if (!err)
			err = sframe_map_edit_cut(&m->edit, address(50),
						  address(51));
		for (i = 0; i < 70 && !err; i++) {
			range.start = address(50) + i * 16;
			range.end = range.start + 16;
			err = sframe_map_edit_add(&m->edit, &range);
		}
		if (!err)
			map = sframe_map_edit_end(&m->edit);
		else if (begun)
			sframe_map_edit_abort(&m->edit);
		made_failure_end(&f, map);
		sframe_map_put(map);
	}
	made_failures_end(&f, 3);
	check_model(m);
	maps_end(m);
}

static struct kunit_case map_cases[] = {
	KUNIT_CASE(random_splices),
	KUNIT_CASE(a_change_shares_parts),
	KUNIT_CASE(what_is_left_is_joined),
	KUNIT_CASE(empty_maps),
	KUNIT_CASE(too_many_ranges),
	KUNIT_CASE(views_of_changes),
	KUNIT_CASE(images_that_come),
	KUNIT_CASE(several_look),
	KUNIT_CASE(image_in_all),
	KUNIT_CASE(edit_allocations_fail),
	{}
};

static struct kunit_suite map_suite = {
	.name = "sframe_map",
	.test_cases = map_cases,
};

kunit_test_suite(map_suite);
