// SPDX-License-Identifier: GPL-2.0
/*
 * The cache of files, and what becomes of a file in it.
 */
#include <kunit/test.h>

#include <linux/delay.h>
#include <linux/file.h>
#include <linux/fs.h>

#include "../../kernel/file.h"
#include "../../kernel/internal.h"
#include "made.h"

static long refused(enum sframe_reason reason)
{
	return atomic_long_read(&sframe_refused[reason]);
}

static struct sframe_file *get(struct file *file, bool *retry)
{
	u64 bias;

	*retry = false;
	return sframe_file_get(file, 0x10000000, MADE_TEXT, &bias, retry);
}

static void key_counts(struct kunit *test)
{
	struct file_key a = { .dev = 1, .gen = 2, .ino = 3, .size = 4 };
	struct file_key b = a;
	struct sframe_file *f, *g;

	f = sframe_cache_get(&a);
	KUNIT_ASSERT_NOT_NULL(test, f);
	g = sframe_cache_get(&b);
	KUNIT_EXPECT_PTR_EQ(test, f, g);
	sframe_file_put(g);
	b.ctime.tv_nsec = 1;
	KUNIT_EXPECT_FALSE(test, sframe_file_key_same(&a, &b));
	g = sframe_cache_get(&b);
	KUNIT_ASSERT_NOT_NULL(test, g);
	KUNIT_EXPECT_PTR_NE(test, f, g);
	sframe_file_put(g);
	/* Of the two, one is still used. */
	sframe_cache_evict(ULONG_MAX);
	g = sframe_cache_get(&a);
	KUNIT_EXPECT_PTR_EQ(test, f, g);
	sframe_file_put(g);
	sframe_file_put(f);
	KUNIT_EXPECT_GE(test, sframe_cache_evict(ULONG_MAX), 1ul);
	KUNIT_EXPECT_EQ(test, sframe_cache_evict(ULONG_MAX), 0ul);
}

static void evict_some(struct kunit *test)
{
	struct file_key key = { .dev = 77 };
	struct sframe_file *f;
	unsigned int i;

	sframe_cache_evict(ULONG_MAX);
	for (i = 0; i < 10; i++) {
		key.ino = i;
		f = sframe_cache_get(&key);
		KUNIT_ASSERT_NOT_NULL(test, f);
		sframe_file_put(f);
	}
	KUNIT_EXPECT_EQ(test, sframe_cache_evict(3), 3ul);
	KUNIT_EXPECT_EQ(test, sframe_cache_evict(0), 0ul);
	KUNIT_EXPECT_EQ(test, sframe_cache_evict(ULONG_MAX), 7ul);
}

static void file_is_shared(struct kunit *test)
{
	struct file *file = made_file(test, true);
	struct sframe_file *f, *g;
	u64 bias = 0, other = 0;
	bool retry = false;

	f = sframe_file_get(file, 0x10000000, MADE_TEXT, &bias, &retry);
	KUNIT_ASSERT_NOT_NULL(test, f);
	KUNIT_EXPECT_FALSE(test, retry);
	KUNIT_EXPECT_EQ(test, bias, 0x10000000 - MADE_TEXT - MADE_VA);
	KUNIT_EXPECT_NOT_NULL(test, sframe_file_table(f));
	g = sframe_file_get(file, 0x20000000, MADE_TEXT, &other, &retry);
	KUNIT_EXPECT_PTR_EQ(test, f, g);
	KUNIT_EXPECT_EQ(test, other, 0x20000000 - MADE_TEXT - MADE_VA);
	sframe_file_put(g);
	/* What is mapped there is no text. */
	g = sframe_file_get(file, 0x20000000, 2 * PAGE_SIZE, &other, &retry);
	KUNIT_EXPECT_NULL(test, g);
	KUNIT_EXPECT_FALSE(test, retry);
	sframe_file_put(f);
	fput(file);
}

static void file_changes(struct kunit *test)
{
	struct file *file = made_file(test, true);
	loff_t pos = i_size_read(file_inode(file));
	struct sframe_file *f, *g;
	bool retry;

	f = get(file, &retry);
	KUNIT_ASSERT_NOT_NULL(test, f);
	KUNIT_EXPECT_EQ(test, kernel_write(file, "x", 1, &pos), 1l);
	g = get(file, &retry);
	KUNIT_ASSERT_NOT_NULL(test, g);
	KUNIT_EXPECT_PTR_NE(test, f, g);
	sframe_file_put(g);
	/* The old table is there for who has it. */
	KUNIT_EXPECT_NOT_NULL(test, sframe_table_lookup(sframe_file_table(f),
							MADE_VA + MADE_TEXT));
	sframe_file_put(f);
	fput(file);
}

/* A file without a table is remembered, not read again. */
static void file_without_table(struct kunit *test)
{
	struct file *file = made_file(test, false);
	long before = refused(SFRAME_NO_SFRAME);
	bool retry;

	KUNIT_EXPECT_NULL(test, get(file, &retry));
	KUNIT_EXPECT_FALSE(test, retry);
	KUNIT_EXPECT_EQ(test, refused(SFRAME_NO_SFRAME), before + 1);
	KUNIT_EXPECT_NULL(test, get(file, &retry));
	KUNIT_EXPECT_EQ(test, refused(SFRAME_NO_SFRAME), before + 1);
	fput(file);
}

static void file_of_wrong_kind(struct kunit *test)
{
	struct file *file = made_file(test, true);
	long before = refused(SFRAME_FILE_KIND);
	bool retry;

	file->f_flags |= O_DIRECT;
	KUNIT_EXPECT_NULL(test, get(file, &retry));
	KUNIT_EXPECT_FALSE(test, retry);
	KUNIT_EXPECT_EQ(test, refused(SFRAME_FILE_KIND), before + 1);
	file->f_flags &= ~O_DIRECT;
	fput(file);
}

static void file_too_big(struct kunit *test)
{
	struct file *file = made_file(test, true);
	unsigned long limit = sframe_max_file_bytes;
	long before = refused(SFRAME_TOO_BIG);
	bool retry;

	sframe_max_file_bytes = 16;
	KUNIT_EXPECT_NULL(test, get(file, &retry));
	KUNIT_EXPECT_FALSE(test, retry);
	KUNIT_EXPECT_EQ(test, refused(SFRAME_TOO_BIG), before + 1);
	sframe_max_file_bytes = limit;
	fput(file);
}

/* The total is used up: that may be otherwise later, and is tried again. */
static void total_used_up(struct kunit *test)
{
	struct file *file = made_file(test, true);
	unsigned long limit = sframe_max_total_bytes;
	struct sframe_file *f;
	bool retry;

	sframe_max_total_bytes = 16;
	KUNIT_EXPECT_LE(test, sframe_cache_room(), (size_t)16);
	KUNIT_EXPECT_NULL(test, get(file, &retry));
	KUNIT_EXPECT_TRUE(test, retry);
	sframe_max_total_bytes = limit;
	msleep(1500);
	f = get(file, &retry);
	KUNIT_EXPECT_NOT_NULL(test, f);
	if (f)
		sframe_file_put(f);
	fput(file);
}

/* Every allocation fails in turn. */
static void file_allocations_fail(struct kunit *test)
{
	struct made_failures fail = made_failures(test);
	struct sframe_file *f;
	struct file *file;
	bool retry;

	while (made_failures_next(&fail)) {
		file = made_file(test, true);
		made_failure(&fail);
		f = get(file, &retry);
		made_failure_end(&fail, f);
		KUNIT_EXPECT_TRUE(test, f || retry);
		if (f)
			sframe_file_put(f);
		fput(file);
	}
	/* The entry. What is larger may come from vmalloc() then. */
	made_failures_end(&fail, 1);
}

static struct kunit_case file_cases[] = {
	KUNIT_CASE(key_counts),
	KUNIT_CASE(evict_some),
	KUNIT_CASE(file_is_shared),
	KUNIT_CASE(file_changes),
	KUNIT_CASE(file_without_table),
	KUNIT_CASE(file_of_wrong_kind),
	KUNIT_CASE(file_too_big),
	KUNIT_CASE_SLOW(total_used_up),
	KUNIT_CASE(file_allocations_fail),
	{}
};

static struct kunit_suite file_suite = {
	.name = "sframe_file",
	.test_cases = file_cases,
};

kunit_test_suite(file_suite);
