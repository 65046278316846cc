// SPDX-License-Identifier: GPL-2.0
/*
 * Maps of real user address spaces, and the hooks that keep them true.
 */
#include <kunit/test.h>

#include <linux/delay.h>
#include <linux/file.h>
#include <linux/mm.h>
#include <linux/mman.h>
#include <linux/perf_event.h>
#include <linux/rcupdate.h>
#include <linux/sched/mm.h>

#include "../../kernel/internal.h"
#include "made.h"

static struct sframe_mm *scan(struct kunit *test)
{
	struct sframe_mm *m = sframe_mm_scan();

	KUNIT_ASSERT_NOT_NULL(test, m);
	KUNIT_EXPECT_PTR_EQ(test, m->mm, current->mm);
	KUNIT_EXPECT_FALSE(test, sframe_mm_stale(m));
	return m;
}

static unsigned int ranges(const struct sframe_mm *m)
{
	const struct sframe_map *map;
	unsigned int nr;

	rcu_read_lock();
	map = rcu_dereference(m->map);
	nr = map ? map->nr : 0;
	rcu_read_unlock();
	return nr;
}

static bool known(const struct mm_struct *mm)
{
	bool ret;

	rcu_read_lock();
	ret = sframe_mm_find(mm);
	rcu_read_unlock();
	return ret;
}

/* What the scan says of @pc; *@bias is set if there is a range. */
static bool find(const struct sframe_mm *m, u64 pc, u64 *bias)
{
	const struct sframe_range *r = NULL;
	const struct sframe_map *map;
	unsigned int hint = 0;

	rcu_read_lock();
	map = rcu_dereference(m->map);
	if (map)
		r = sframe_map_find(map, pc, &hint);
	if (r)
		*bias = r->bias;
	rcu_read_unlock();
	return r;
}

static void scan_finds_tables(struct kunit *test)
{
	struct file *file = made_file(test, true);
	struct mm_struct *mm = made_mm(test);
	unsigned long addr = made_map(test, file);
	struct sframe_mm *m = scan(test);
	u64 bias = 0;

	KUNIT_EXPECT_TRUE(test, sframe_mm_has_tables(m));
	KUNIT_EXPECT_EQ(test, ranges(m), 1u);
	KUNIT_EXPECT_TRUE(test, find(m, addr, &bias));
	KUNIT_EXPECT_TRUE(test, find(m, addr + PAGE_SIZE - 1, &bias));
	KUNIT_EXPECT_EQ(test, bias, addr - MADE_TEXT - MADE_VA);
	KUNIT_EXPECT_FALSE(test, find(m, addr - 1, &bias));
	KUNIT_EXPECT_FALSE(test, find(m, addr + PAGE_SIZE, &bias));
	KUNIT_EXPECT_TRUE(test, known(mm));
	sframe_mm_put(m);
	/* exit_mmap() is hooked: the address may be another mm's soon. */
	made_mm_end(mm);
	KUNIT_EXPECT_FALSE(test, known(mm));
	fput(file);
}

static void scan_without_tables(struct kunit *test)
{
	struct file *file = made_file(test, false);
	struct mm_struct *mm = made_mm(test);
	struct sframe_mm *m;

	made_map(test, file);
	m = scan(test);
	KUNIT_EXPECT_FALSE(test, sframe_mm_has_tables(m));
	KUNIT_EXPECT_EQ(test, ranges(m), 1u);
	sframe_mm_put(m);
	made_mm_end(mm);
	fput(file);
}

static void scan_without_mm(struct kunit *test)
{
	KUNIT_ASSERT_NULL(test, current->mm);
	KUNIT_EXPECT_NULL(test, sframe_mm_scan());
}

static void hooks_notice_changes(struct kunit *test)
{
	struct file *file = made_file(test, true);
	struct mm_struct *mm = made_mm(test);
	struct perf_event *event = made_record(test);
	struct sframe_mm *m;
	unsigned long addr;

	made_map(test, file);
	m = scan(test);
	addr = made_map(test, file);
	KUNIT_EXPECT_TRUE(test, sframe_mm_stale(m));
	sframe_mm_put(scan(test));
	KUNIT_EXPECT_EQ(test, ranges(m), 2u);
	KUNIT_EXPECT_EQ(test, vm_munmap(addr, PAGE_SIZE), 0);
	KUNIT_EXPECT_TRUE(test, sframe_mm_stale(m));
	sframe_mm_put(scan(test));
	KUNIT_EXPECT_EQ(test, ranges(m), 1u);
	/* Data is no concern. */
	addr = vm_mmap(NULL, 0, PAGE_SIZE, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS, 0);
	KUNIT_EXPECT_FALSE(test, IS_ERR_VALUE(addr));
	KUNIT_EXPECT_FALSE(test, sframe_mm_stale(m));
	KUNIT_EXPECT_EQ(test, vm_munmap(addr, PAGE_SIZE), 0);
	KUNIT_EXPECT_FALSE(test, sframe_mm_stale(m));
	sframe_mm_put(m);
	perf_event_release_kernel(event);
	made_mm_end(mm);
	fput(file);
}

/* Nobody records: not worth a scan, so what is known is forgotten. */
static void changes_unrecorded(struct kunit *test)
{
	struct file *file = made_file(test, true);
	struct mm_struct *mm = made_mm(test);

	made_map(test, file);
	sframe_mm_put(scan(test));
	KUNIT_EXPECT_TRUE(test, known(mm));
	made_map(test, file);
	KUNIT_EXPECT_FALSE(test, known(mm));
	made_mm_end(mm);
	fput(file);
}

/* Code without a file is looked for, but not at once. */
static void anonymous_code(struct kunit *test)
{
	struct file *file = made_file(test, true);
	struct mm_struct *mm = made_mm(test);
	struct perf_event *event = made_record(test);
	struct sframe_mm *m;
	unsigned long addr;
	u64 bias;

	made_map(test, file);
	m = scan(test);
	addr = vm_mmap(NULL, 0, PAGE_SIZE, PROT_READ | PROT_EXEC,
		       MAP_PRIVATE | MAP_ANONYMOUS, 0);
	KUNIT_ASSERT_FALSE(test, IS_ERR_VALUE(addr));
	KUNIT_EXPECT_TRUE(test, test_bit(SFRAME_DIRTY_ANON, &m->dirty));
	KUNIT_EXPECT_FALSE(test, test_bit(SFRAME_DIRTY_FILE, &m->dirty));
	msleep(300);
	KUNIT_EXPECT_TRUE(test, sframe_mm_stale(m));
	sframe_mm_put(scan(test));
	KUNIT_EXPECT_EQ(test, ranges(m), 2u);
	KUNIT_EXPECT_TRUE(test, find(m, addr, &bias));
	sframe_mm_put(m);
	perf_event_release_kernel(event);
	made_mm_end(mm);
	fput(file);
}

static struct sframe_map *map_of(const struct mm_struct *mm)
{
	struct sframe_map *map = NULL;
	struct sframe_mm *m;

	rcu_read_lock();
	m = sframe_mm_find(mm);
	if (m)
		map = rcu_access_pointer(m->map);
	rcu_read_unlock();
	return map;
}

static void fork_shares_the_map(struct kunit *test)
{
	struct mm_struct *child = kunit_kzalloc(test, sizeof(*child), GFP_KERNEL);
	struct file *file = made_file(test, true);
	struct mm_struct *mm = made_mm(test);
	struct perf_event *event = made_record(test);
	struct sframe_map *map;
	struct sframe_mm *m;

	KUNIT_ASSERT_NOT_NULL(test, child);
	/* The module only ever counts its own reference. */
	atomic_set(&child->mm_count, 1);
	sframe_mm_fork(mm, child);
	KUNIT_EXPECT_FALSE(test, known(child));

	made_map(test, file);
	m = scan(test);
	map = map_of(mm);
	sframe_mm_fork(mm, child);
	KUNIT_EXPECT_EQ(test, atomic_read(&child->mm_count), 2);
	KUNIT_EXPECT_PTR_EQ(test, map_of(child), map);
	KUNIT_EXPECT_EQ(test, refcount_read(&map->refs), 2u);
	/* From now on each has its own. */
	made_map(test, file);
	sframe_mm_put(scan(test));
	KUNIT_EXPECT_PTR_NE(test, map_of(mm), map);
	KUNIT_EXPECT_PTR_EQ(test, map_of(child), map);
	KUNIT_EXPECT_EQ(test, refcount_read(&map->refs), 1u);
	sframe_mm_exit(child);
	KUNIT_EXPECT_FALSE(test, known(child));
	KUNIT_EXPECT_EQ(test, atomic_read(&child->mm_count), 1);
	/* Nothing happens to one that is not known. */
	sframe_mm_exit(child);
	sframe_mm_mark(child, SFRAME_DIRTY_FILE);
	KUNIT_EXPECT_FALSE(test, known(child));
	sframe_mm_put(m);
	perf_event_release_kernel(event);
	made_mm_end(mm);
	fput(file);
}

/* With nobody recording, what is known is forgotten after some seconds. */
static void idle_forgets(struct kunit *test)
{
	struct file *file = made_file(test, true);
	struct mm_struct *mm = made_mm(test);
	unsigned int seconds;

	made_map(test, file);
	sframe_mm_put(scan(test));
	KUNIT_EXPECT_TRUE(test, known(mm));
	for (seconds = 0; known(mm) && seconds < 30; seconds++)
		msleep(1000);
	KUNIT_EXPECT_FALSE(test, known(mm));
	KUNIT_EXPECT_TRUE(test, sframe_mm_none());
	made_mm_end(mm);
	fput(file);
}

/* Every allocation of a scan fails in turn. */
static void scan_allocations_fail(struct kunit *test)
{
	struct made_failures f = made_failures(test);
	struct mm_struct *mm = made_mm(test);
	struct sframe_mm *m;
	struct file *file;

	while (made_failures_next(&f)) {
		file = made_file(test, true);
		made_map(test, file);
		sframe_mm_exit(mm);
		made_failure(&f);
		m = sframe_mm_scan();
		made_failure_end(&f, m);
		if (m)
			sframe_mm_put(m);
		fput(file);
	}
	/* The entry. What is larger may come from vmalloc() then. */
	made_failures_end(&f, 1);
	made_mm_end(mm);
}

static struct kunit_case mm_cases[] = {
	KUNIT_CASE(scan_finds_tables),
	KUNIT_CASE(scan_without_tables),
	KUNIT_CASE(scan_without_mm),
	KUNIT_CASE(hooks_notice_changes),
	KUNIT_CASE(changes_unrecorded),
	KUNIT_CASE(anonymous_code),
	KUNIT_CASE(fork_shares_the_map),
	KUNIT_CASE_SLOW(idle_forgets),
	KUNIT_CASE(scan_allocations_fail),
	{}
};

static struct kunit_suite mm_suite = {
	.name = "sframe_mm",
	.test_cases = mm_cases,
};

kunit_test_suite(mm_suite);
