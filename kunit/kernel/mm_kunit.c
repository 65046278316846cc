// SPDX-License-Identifier: GPL-2.0
/*
 * What is known of mms: real user address spaces, and changes that are told of
 * as the hooks do.
 */
#include <kunit/test.h>

#include <linux/delay.h>
#include <linux/file.h>
#include <linux/mm.h>
#include <linux/mman.h>
#include <linux/perf_event.h>
#include <linux/rcupdate.h>
#include <linux/sched/mm.h>

#include "../../kernel/image.h"
#include "../../kernel/map.h"
#include "../../kernel/mm.h"
#include "made.h"

/**
 * struct space - an address space of the current thread
 * @test: the case
 * @mm: its mm
 * @file: with a table
 * @event: somebody records it, so that the hooks, if placed, forget nothing
 * @m: what is known of it, with a reference
 */
struct space {
	struct kunit *test;
	struct mm_struct *mm;
	struct file *file;
	struct perf_event *event;
	struct sframe_mm *m;
};

static struct space space_begin(struct kunit *test)
{
	struct space u = { .test = test };

	u.file = made_file(test, true);
	u.mm = made_mm(test);
	u.event = made_record(test);
	sframe_mm_open();
	return u;
}

static void space_end(struct space *u)
{
	if (u->m)
		sframe_mm_put(u->m);
	sframe_mm_forget(u->mm);
	perf_event_release_kernel(u->event);
	made_mm_end(u->mm);
	fput(u->file);
}

/* A mapping of the file's text, told of. */
static unsigned long map_text(struct space *u)
{
	unsigned long addr = made_map(u->test, u->file);

	sframe_mm_changed(u->mm, addr, addr + PAGE_SIZE);
	return addr;
}

static void unmap(struct space *u, unsigned long addr)
{
	KUNIT_EXPECT_EQ(u->test, vm_munmap(addr, PAGE_SIZE), 0);
	sframe_mm_changed(u->mm, addr, addr + PAGE_SIZE);
}

static void update(struct space *u)
{
	struct sframe_mm *m = sframe_mm_update();

	KUNIT_ASSERT_NOT_NULL(u->test, m);
	KUNIT_EXPECT_PTR_EQ(u->test, m->mm, current->mm);
	KUNIT_EXPECT_TRUE(u->test, sframe_mm_is_up_to_date(m));
	if (u->m)
		sframe_mm_put(u->m);
	u->m = m;
}

static bool known(const struct mm_struct *mm)
{
	guard(rcu)();
	return sframe_mm_find(mm);
}

static const struct sframe_map *map_of(const struct mm_struct *mm)
{
	struct sframe_mm *m;

	guard(rcu)();
	m = sframe_mm_find(mm);
	return m ? rcu_access_pointer(m->map) : NULL;
}

static unsigned int ranges(const struct space *u)
{
	const struct sframe_map *map;

	guard(rcu)();
	map = rcu_dereference(u->m->map);
	return map ? map->nr_ranges : 0;
}

/* What a walk finds at @pc; *@bias is set if there is a table. */
static enum sframe_reason find(const struct space *u, u64 pc, u64 *bias)
{
	const struct sframe_range *range;
	struct sframe_view v;
	enum sframe_reason r;

	guard(rcu)();
	sframe_view_begin(&v, u->m);
	r = sframe_view_find(&v, pc, &range);
	if (!r && !sframe_range_table(range, bias))
		return SFRAME_NO_TABLE;
	return r;
}

static void update_finds_tables(struct kunit *test)
{
	struct space u = space_begin(test);
	unsigned long addr = map_text(&u);
	u64 bias = 0;

	update(&u);
	KUNIT_EXPECT_TRUE(test, sframe_mm_may_have_tables(u.m));
	KUNIT_EXPECT_EQ(test, ranges(&u), 1u);
	KUNIT_EXPECT_EQ(test, find(&u, addr, &bias), SFRAME_OK);
	KUNIT_EXPECT_EQ(test, find(&u, addr + PAGE_SIZE - 1, &bias), SFRAME_OK);
	KUNIT_EXPECT_EQ(test, bias, addr - MADE_TEXT - MADE_VA);
	KUNIT_EXPECT_EQ(test, find(&u, addr - 1, &bias), SFRAME_NO_MAPPING);
	KUNIT_EXPECT_EQ(test, find(&u, addr + PAGE_SIZE, &bias),
			SFRAME_NO_MAPPING);
	KUNIT_EXPECT_TRUE(test, known(u.mm));
	sframe_mm_forget(u.mm);
	KUNIT_EXPECT_FALSE(test, known(u.mm));
	/* Nobody tells it of changes any more. */
	KUNIT_EXPECT_EQ(test, find(&u, addr, &bias), SFRAME_CHANGED);
	space_end(&u);
}

static void update_without_tables(struct kunit *test)
{
	struct space u = space_begin(test);
	struct file *file = made_file(test, false);

	made_map(test, file);
	update(&u);
	KUNIT_EXPECT_FALSE(test, sframe_mm_may_have_tables(u.m));
	KUNIT_EXPECT_EQ(test, ranges(&u), 1u);
	/* As long as that is not known, there may be. */
	scoped_guard(rcu)
		rcu_dereference(u.m->map)->state = SFRAME_MAP_COMING;
	KUNIT_EXPECT_TRUE(test, sframe_mm_may_have_tables(u.m));
	update(&u);
	KUNIT_EXPECT_FALSE(test, sframe_mm_may_have_tables(u.m));
	space_end(&u);
	fput(file);
}

static void update_without_mm(struct kunit *test)
{
	KUNIT_ASSERT_NULL(test, current->mm);
	sframe_mm_open();
	KUNIT_EXPECT_NULL(test, sframe_mm_update());
}

/* While nobody tells of changes, no mm may become known. */
static void closed(struct kunit *test)
{
	struct space u = space_begin(test);

	sframe_mm_forget_all();
	KUNIT_ASSERT_EQ(test, sframe_mm_count(), 0u);
	KUNIT_EXPECT_TRUE(test, sframe_mm_close());
	KUNIT_EXPECT_NULL(test, sframe_mm_update());
	sframe_mm_open();
	update(&u);
	KUNIT_EXPECT_FALSE(test, sframe_mm_close());
	KUNIT_EXPECT_TRUE(test, known(u.mm));
	space_end(&u);
}

static void changes_are_looked_at(struct kunit *test)
{
	struct space u = space_begin(test);
	unsigned long first = map_text(&u), addr;
	const struct sframe_map *map;
	u64 bias;

	update(&u);
	addr = map_text(&u);
	/* Neither what is there now, nor that nothing is. */
	KUNIT_EXPECT_FALSE(test, sframe_mm_is_up_to_date(u.m));
	KUNIT_EXPECT_EQ(test, find(&u, addr, &bias), SFRAME_CHANGED);
	KUNIT_EXPECT_EQ(test, find(&u, first, &bias), SFRAME_OK);
	update(&u);
	KUNIT_EXPECT_EQ(test, ranges(&u), 2u);
	KUNIT_EXPECT_EQ(test, find(&u, addr, &bias), SFRAME_OK);
	KUNIT_EXPECT_EQ(test, bias, addr - MADE_TEXT - MADE_VA);

	unmap(&u, addr);
	KUNIT_EXPECT_EQ(test, find(&u, addr, &bias), SFRAME_CHANGED);
	KUNIT_EXPECT_EQ(test, find(&u, first, &bias), SFRAME_OK);
	update(&u);
	KUNIT_EXPECT_EQ(test, ranges(&u), 1u);
	KUNIT_EXPECT_EQ(test, find(&u, addr, &bias), SFRAME_NO_MAPPING);

	/* With no change, nothing is looked at. */
	map = map_of(u.mm);
	update(&u);
	KUNIT_EXPECT_PTR_EQ(test, map_of(u.mm), map);
	/* What comes again in its place needs no new map; another file there does. */
	unmap(&u, first);
	KUNIT_ASSERT_EQ(test, map_text(&u), first);
	update(&u);
	KUNIT_EXPECT_PTR_EQ(test, map_of(u.mm), map);
	KUNIT_EXPECT_EQ(test, find(&u, first, &bias), SFRAME_OK);
	unmap(&u, first);
	fput(u.file);
	u.file = made_file(test, false);
	KUNIT_ASSERT_EQ(test, map_text(&u), first);
	update(&u);
	KUNIT_EXPECT_EQ(test, find(&u, first, &bias), SFRAME_NO_TABLE);
	space_end(&u);
}

/* A VMA that a span touches is known as a whole: one that grew in its place. */
static void whole_mappings_are_looked_at(struct kunit *test)
{
	struct space u = space_begin(test);
	unsigned long addr;
	u64 bias;

	addr = vm_mmap(NULL, 0, 4 * PAGE_SIZE, PROT_READ | PROT_EXEC,
		       MAP_PRIVATE | MAP_ANONYMOUS, 0);
	KUNIT_ASSERT_FALSE(test, IS_ERR_VALUE(addr));
	map_text(&u);
	update(&u);
	sframe_mm_changed(u.mm, addr + PAGE_SIZE, addr + 2 * PAGE_SIZE);
	update(&u);
	KUNIT_EXPECT_EQ(test, ranges(&u), 2u);
	KUNIT_EXPECT_EQ(test, find(&u, addr, &bias), SFRAME_NO_TABLE);
	KUNIT_EXPECT_EQ(test, find(&u, addr + 4 * PAGE_SIZE - 1, &bias),
			SFRAME_NO_TABLE);
	space_end(&u);
}

/* More than one chunk, and more changes than the log has room for. */
static void many_mappings(struct kunit *test)
{
	struct space u = space_begin(test);
	unsigned long addr[100];
	unsigned int i;
	u64 bias;

	for (i = 0; i < ARRAY_SIZE(addr); i++)
		addr[i] = map_text(&u);
	update(&u);
	KUNIT_EXPECT_EQ(test, ranges(&u), (unsigned int)ARRAY_SIZE(addr));
	for (i = 0; i < ARRAY_SIZE(addr); i += 2)
		unmap(&u, addr[i]);
	for (i = 0; i < ARRAY_SIZE(addr); i += 2)
		KUNIT_EXPECT_EQ(test, find(&u, addr[i], &bias), SFRAME_CHANGED);
	update(&u);
	KUNIT_EXPECT_EQ(test, ranges(&u), (unsigned int)ARRAY_SIZE(addr) / 2);
	for (i = 0; i < ARRAY_SIZE(addr); i++)
		KUNIT_EXPECT_EQ(test, find(&u, addr[i], &bias),
				i % 2 ? SFRAME_OK : SFRAME_NO_MAPPING);
	space_end(&u);
}

static void fork_shares_map_and_log(struct kunit *test)
{
	struct mm_struct *child = kunit_kzalloc(test, sizeof(*child), GFP_KERNEL);
	struct space u = space_begin(test);
	const struct sframe_map *map;
	struct space c = { .test = test };
	unsigned long addr;
	u64 bias;

	KUNIT_ASSERT_NOT_NULL(test, child);
	/* The module only ever counts its own reference. */
	atomic_set(&child->mm_count, 1);
	sframe_mm_fork(u.mm, child);
	KUNIT_EXPECT_FALSE(test, known(child));

	map_text(&u);
	update(&u);
	addr = map_text(&u);
	map = map_of(u.mm);
	sframe_mm_fork(u.mm, child);
	KUNIT_EXPECT_EQ(test, atomic_read(&child->mm_count), 2);
	KUNIT_EXPECT_PTR_EQ(test, map_of(child), map);
	KUNIT_EXPECT_EQ(test, refcount_read(&map->refs), 2u);
	/* What the parent does not know, the child does not either. */
	scoped_guard(rcu)
		c.m = sframe_mm_find(child);
	KUNIT_ASSERT_NOT_NULL(test, c.m);
	KUNIT_EXPECT_FALSE(test, sframe_mm_is_up_to_date(c.m));
	KUNIT_EXPECT_EQ(test, find(&c, addr, &bias), SFRAME_CHANGED);
	/* From now on each has its own. */
	update(&u);
	KUNIT_EXPECT_PTR_NE(test, map_of(u.mm), map);
	KUNIT_EXPECT_PTR_EQ(test, map_of(child), map);
	KUNIT_EXPECT_EQ(test, find(&u, addr, &bias), SFRAME_OK);
	KUNIT_EXPECT_EQ(test, find(&c, addr, &bias), SFRAME_CHANGED);
	/* A second time, and nothing is left over. */
	sframe_mm_fork(u.mm, child);
	sframe_mm_forget(child);
	KUNIT_EXPECT_FALSE(test, known(child));
	KUNIT_EXPECT_EQ(test, atomic_read(&child->mm_count), 1);
	/* Nothing happens to one that is not known. */
	sframe_mm_forget(child);
	KUNIT_EXPECT_FALSE(test, sframe_mm_changed(child, 0, PAGE_SIZE));
	KUNIT_EXPECT_FALSE(test, known(child));
	space_end(&u);
}

/* Every allocation of the first update fails in turn. */
static void update_allocations_fail(struct kunit *test)
{
	struct made_failures f = made_failures(test);
	struct space u = space_begin(test);
	struct sframe_mm *m;
	unsigned long addr = map_text(&u);
	u64 bias;
	bool ok;

	while (made_failures_next(&f)) {
		sframe_mm_forget(u.mm);
		made_failure(&f);
		m = sframe_mm_update();
		ok = m && !sframe_changes_pending(&m->changes);
		made_failure_end(&f, ok);
		swap(u.m, m);
		if (m)
			sframe_mm_put(m);
		if (u.m && !ok)
			KUNIT_EXPECT_EQ(test, find(&u, addr, &bias),
					SFRAME_CHANGED);
	}
	made_failures_end(&f, 3);
	space_end(&u);
}

/* Every allocation of a further one; the map that was there stays. */
static void splice_allocations_fail(struct kunit *test)
{
	struct made_failures f = made_failures(test);
	struct space u = space_begin(test);
	unsigned long addr, first = map_text(&u);
	u64 bias;
	bool ok;

	update(&u);
	while (made_failures_next(&f)) {
		addr = map_text(&u);
		made_failure(&f);
		sframe_mm_put(sframe_mm_update());
		ok = sframe_mm_is_up_to_date(u.m) && !u.m->failed;
		made_failure_end(&f, ok);
		KUNIT_EXPECT_EQ(test, find(&u, addr, &bias),
				u.m->failed ? SFRAME_CHANGED : SFRAME_OK);
		KUNIT_EXPECT_EQ(test, find(&u, first, &bias), SFRAME_OK);
		/* Not at once again. */
		KUNIT_EXPECT_TRUE(test, sframe_mm_is_up_to_date(u.m));
		u.m->failed = false;
		update(&u);
		KUNIT_EXPECT_EQ(test, find(&u, addr, &bias), SFRAME_OK);
	}
	made_failures_end(&f, 3);
	space_end(&u);
}

static struct kunit_case mm_cases[] = {
	KUNIT_CASE(update_finds_tables),
	KUNIT_CASE(update_without_tables),
	KUNIT_CASE(update_without_mm),
	KUNIT_CASE(closed),
	KUNIT_CASE(changes_are_looked_at),
	KUNIT_CASE(whole_mappings_are_looked_at),
	KUNIT_CASE(many_mappings),
	KUNIT_CASE(fork_shares_map_and_log),
	KUNIT_CASE(update_allocations_fail),
	KUNIT_CASE(splice_allocations_fail),
	{}
};

static struct kunit_suite mm_suite = {
	.name = "sframe_mm",
	.test_cases = mm_cases,
};

kunit_test_suite(mm_suite);
