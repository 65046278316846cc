// SPDX-License-Identifier: GPL-2.0
/*
 * Images of files: who gets which, and what becomes of it.
 */
#include <kunit/test.h>

#include <linux/cred.h>
#include <linux/delay.h>
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/jiffies.h>
#include <linux/slab.h>

#include <sframe/reason.h>
#include <sframe/table.h>

#include "../../kernel/file_key.h"
#include "../../kernel/image.h"
#include "../../kernel/limits.h"
#include "../../kernel/stats.h"
#include "made.h"

/* Far longer than a worker needs, for want of anything better. */
#define PATIENCE	(30 * HZ)

static long refused(enum sframe_reason reason)
{
	return atomic_long_read(&sframe_refused[reason]);
}

/* The image of @file, when the workers are done with it. */
static struct sframe_image *image_of(struct kunit *test, struct file *file)
{
	struct sframe_image *image;

	KUNIT_ASSERT_TRUE(test, sframe_image_of_file(file, NULL, &image));
	KUNIT_ASSERT_NOT_NULL(test, image);
	KUNIT_EXPECT_TRUE(test, sframe_image_wait(image, jiffies + PATIENCE));
	KUNIT_EXPECT_FALSE(test, sframe_image_coming(image));
	return image;
}

static void image_is_shared(struct kunit *test)
{
	struct file *file = made_file(test, true);
	unsigned long builds = made_events(SFRAME_EV_BUILD);
	struct sframe_image *a = image_of(test, file);
	struct sframe_image *b = image_of(test, file);

	KUNIT_EXPECT_PTR_EQ(test, a, b);
	KUNIT_EXPECT_NOT_NULL(test, sframe_image_table(a));
	KUNIT_EXPECT_FALSE(test, sframe_image_unsettled(a));
	KUNIT_EXPECT_EQ(test, made_events(SFRAME_EV_BUILD), builds + 1);
	sframe_image_put(b);
	sframe_image_put(a);
	fput(file);
}

static void image_of_changed_file(struct kunit *test)
{
	struct file *file = made_file(test, true);
	loff_t pos = i_size_read(file_inode(file));
	struct sframe_image *a = image_of(test, file), *b;

	KUNIT_EXPECT_EQ(test, kernel_write(file, "x", 1, &pos), 1l);
	b = image_of(test, file);
	KUNIT_EXPECT_PTR_NE(test, a, b);
	KUNIT_EXPECT_NOT_NULL(test, sframe_image_table(b));
	sframe_image_put(b);
	/* The old table is there for who has it. */
	KUNIT_EXPECT_NOT_NULL(test, sframe_table_lookup(sframe_image_table(a),
							MADE_VA + MADE_TEXT));
	sframe_image_put(a);
	fput(file);
}

/* A file without a table is remembered, not read again. */
static void image_without_table(struct kunit *test)
{
	struct file *file = made_file(test, false);
	long before = refused(SFRAME_NO_SFRAME);
	struct sframe_image *image;
	int i;

	for (i = 0; i < 2; i++) {
		image = image_of(test, file);
		KUNIT_EXPECT_NULL(test, sframe_image_table(image));
		KUNIT_EXPECT_FALSE(test, sframe_image_unsettled(image));
		sframe_image_put(image);
		KUNIT_EXPECT_EQ(test, refused(SFRAME_NO_SFRAME), before + 1);
	}
	fput(file);
}

static void image_of_wrong_kind(struct kunit *test)
{
	struct file *file = made_file(test, true);
	long before = refused(SFRAME_FILE_KIND);
	struct sframe_image *image;

	file->f_flags |= O_DIRECT;
	KUNIT_EXPECT_FALSE(test, sframe_image_of_file(file, NULL, &image));
	KUNIT_EXPECT_NULL(test, image);
	KUNIT_EXPECT_EQ(test, refused(SFRAME_FILE_KIND), before + 1);
	file->f_flags &= ~O_DIRECT;
	fput(file);
}

static void image_too_big(struct kunit *test)
{
	struct file *file = made_file(test, true);
	unsigned long limit = sframe_max_file_bytes;
	long before = refused(SFRAME_TOO_BIG);
	struct sframe_image *image;

	sframe_max_file_bytes = 16;
	image = image_of(test, file);
	sframe_max_file_bytes = limit;
	KUNIT_EXPECT_NULL(test, sframe_image_table(image));
	KUNIT_EXPECT_FALSE(test, sframe_image_unsettled(image));
	KUNIT_EXPECT_EQ(test, refused(SFRAME_TOO_BIG), before + 1);
	sframe_image_put(image);
	fput(file);
}

/* Whoever has the image gets its table, once there is room. */
static void image_gets_table_later(struct kunit *test)
{
	struct file *file = made_file(test, true);
	unsigned long limit = sframe_max_total_bytes;
	struct sframe_image *a, *b;

	sframe_max_total_bytes = 16;
	a = image_of(test, file);
	KUNIT_EXPECT_NULL(test, sframe_image_table(a));
	KUNIT_EXPECT_TRUE(test, sframe_image_unsettled(a));
	sframe_max_total_bytes = limit;
	/* Not at once: it would be tried all the time. */
	b = image_of(test, file);
	KUNIT_EXPECT_PTR_EQ(test, a, b);
	KUNIT_EXPECT_NULL(test, sframe_image_table(a));
	sframe_image_put(b);
	msleep(1500);
	b = image_of(test, file);
	KUNIT_EXPECT_PTR_EQ(test, a, b);
	KUNIT_EXPECT_NOT_NULL(test, sframe_image_table(a));
	sframe_image_put(b);
	sframe_image_put(a);
	fput(file);
}

static struct sframe_image *with_segments(struct kunit *test)
{
	struct sframe_image *image = sframe_image_alloc(NULL);

	KUNIT_ASSERT_NOT_NULL(test, image);
	image->nr_text = 2;
	image->text[0] = (struct sframe_segment) {
		.offset = PAGE_SIZE, .vaddr = 0x400000 + PAGE_SIZE,
		.size = PAGE_SIZE + 100,
	};
	image->text[1] = (struct sframe_segment) {
		.offset = 2 * PAGE_SIZE + 100,
		.vaddr = 0x800000 + 2 * PAGE_SIZE + 100, .size = PAGE_SIZE,
	};
	return image;
}

static void bias_of_segments(struct kunit *test)
{
	const u64 at = 0x7f0000000000;
	struct sframe_image *image = with_segments(test);
	u64 bias = 0;

	KUNIT_EXPECT_TRUE(test, sframe_image_bias(image, at, PAGE_SIZE, &bias));
	KUNIT_EXPECT_EQ(test, bias, at - PAGE_SIZE - 0x400000);
	/* In both, but this is where the loader maps the second from. */
	KUNIT_EXPECT_TRUE(test, sframe_image_bias(image, at, 2 * PAGE_SIZE,
						  &bias));
	KUNIT_EXPECT_EQ(test, bias, at - 2 * PAGE_SIZE - 0x800000);
	/* A part of the second. */
	KUNIT_EXPECT_TRUE(test, sframe_image_bias(image, at, 3 * PAGE_SIZE,
						  &bias));
	KUNIT_EXPECT_EQ(test, bias, at - 3 * PAGE_SIZE - 0x800000);
	KUNIT_EXPECT_FALSE(test, sframe_image_bias(image, at, 0, &bias));
	KUNIT_EXPECT_FALSE(test, sframe_image_bias(image, at, 4 * PAGE_SIZE,
						   &bias));
	/* Both begin in the first page of the second: only their addresses tell them apart. */
	image->text[0].offset = 2 * PAGE_SIZE;
	image->text[0].vaddr = 0x400000 + 2 * PAGE_SIZE;
	image->text[0].size = 100;
	KUNIT_EXPECT_FALSE(test, sframe_image_bias(image, at, 2 * PAGE_SIZE, &bias));
	KUNIT_EXPECT_TRUE(test, sframe_image_bias(image, at, 3 * PAGE_SIZE, &bias));
	image->text[0].vaddr = 0x800000 + 2 * PAGE_SIZE;
	KUNIT_EXPECT_TRUE(test, sframe_image_bias(image, at, 2 * PAGE_SIZE, &bias));
	KUNIT_EXPECT_EQ(test, bias, at - 2 * PAGE_SIZE - 0x800000);
	sframe_image_free(image);
}

static void wait_ends_in_time(struct kunit *test)
{
	struct sframe_image *image = sframe_image_alloc(NULL);
	unsigned long before = jiffies;

	KUNIT_ASSERT_NOT_NULL(test, image);
	KUNIT_EXPECT_TRUE(test, sframe_image_wait(image, jiffies));
	image->coming = true;
	KUNIT_EXPECT_FALSE(test, sframe_image_wait(image, jiffies - 1));
	KUNIT_EXPECT_FALSE(test, sframe_image_wait(image, jiffies + HZ / 10));
	KUNIT_EXPECT_GE(test, jiffies - before, (unsigned long)HZ / 10);
	image->coming = false;
	sframe_image_free(image);
}

static int wait_for_it(void *image)
{
	return !sframe_image_wait(image, jiffies + PATIENCE);
}

static void wait_ends_with_image(struct kunit *test)
{
	struct sframe_image *image = sframe_image_alloc(NULL);
	struct task_struct *task;

	KUNIT_ASSERT_NOT_NULL(test, image);
	image->coming = true;
	task = made_thread(test, wait_for_it, image);
	msleep(50);
	sframe_image_no_longer_coming(image);
	KUNIT_EXPECT_EQ(test, made_join(task), 0);
	sframe_image_free(image);
}

static struct kunit_case image_cases[] = {
	KUNIT_CASE(image_is_shared),
	KUNIT_CASE(image_of_changed_file),
	KUNIT_CASE(image_without_table),
	KUNIT_CASE(image_of_wrong_kind),
	KUNIT_CASE(image_too_big),
	KUNIT_CASE_SLOW(image_gets_table_later),
	KUNIT_CASE(bias_of_segments),
	KUNIT_CASE(wait_ends_in_time),
	KUNIT_CASE(wait_ends_with_image),
	{}
};

static struct kunit_suite image_suite = {
	.name = "sframe_image",
	.test_cases = image_cases,
};

kunit_test_suite(image_suite);
