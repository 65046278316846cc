// SPDX-License-Identifier: GPL-2.0
/*
 * The cache of images, and room for tables.
 */
#include <kunit/test.h>

#include <linux/slab.h>

#include <sframe/env.h>

#include "../../kernel/account.h"
#include "../../kernel/cache.h"
#include "../../kernel/file_key.h"
#include "../../kernel/image.h"
#include "../../kernel/limits.h"
#include "../../kernel/room.h"
#include "made.h"

#define ALL	ULONG_MAX

static struct sframe_image *get(struct kunit *test, struct sframe_payer *payer,
				u64 ino)
{
	struct sframe_file_key key = { .dev = 77, .ino = ino };
	struct sframe_image *image = sframe_cache_get(&key, payer);

	KUNIT_ASSERT_NOT_NULL(test, image);
	return image;
}

static bool has(struct sframe_payer *payer, u64 ino)
{
	struct sframe_image *image;

	list_for_each_entry(image, &payer->images, lru)
		if (image->key.ino == ino)
			return true;
	return false;
}

static void key_counts(struct kunit *test)
{
	struct sframe_payer *payer = made_user(test, 1);
	struct sframe_file_key a = { .dev = 77, .ino = 3 }, b = a;
	struct sframe_image *f, *g;

	f = sframe_cache_get(&a, payer);
	KUNIT_ASSERT_NOT_NULL(test, f);
	g = sframe_cache_get(&b, payer);
	KUNIT_EXPECT_PTR_EQ(test, f, g);
	sframe_image_put(g);
	b.fs.b[3] = 1;
	KUNIT_EXPECT_FALSE(test, sframe_file_key_same(&a, &b));
	g = sframe_cache_get(&b, payer);
	KUNIT_ASSERT_NOT_NULL(test, g);
	KUNIT_EXPECT_PTR_NE(test, f, g);
	sframe_image_put(g);
	/* Of the two, one is still used. */
	KUNIT_EXPECT_EQ(test, sframe_cache_evict_of(payer, 64, ALL), 1ul);
	g = sframe_cache_get(&a, payer);
	KUNIT_EXPECT_PTR_EQ(test, f, g);
	sframe_image_put(g);
	sframe_image_put(f);
	KUNIT_EXPECT_EQ(test, sframe_cache_evict_of(payer, 64, ALL), 1ul);
	KUNIT_EXPECT_EQ(test, sframe_cache_evict_of(payer, 64, ALL), 0ul);
	sframe_payer_put(payer);
}

/* Who was asked for since the last time stays longer. */
static void second_chance(struct kunit *test)
{
	struct sframe_payer *payer = made_user(test, 1);
	int i;

	for (i = 0; i < 10; i++)
		sframe_image_put(get(test, payer, i));
	sframe_image_put(get(test, payer, 0));
	sframe_image_put(get(test, payer, 2));
	KUNIT_EXPECT_EQ(test, sframe_cache_evict_of(payer, ALL, 2), 2ul);
	KUNIT_EXPECT_TRUE(test, has(payer, 0));
	KUNIT_EXPECT_FALSE(test, has(payer, 1));
	KUNIT_EXPECT_TRUE(test, has(payer, 2));
	KUNIT_EXPECT_FALSE(test, has(payer, 3));
	KUNIT_EXPECT_EQ(test, sframe_cache_evict_of(payer, 64, 0), 0ul);
	KUNIT_EXPECT_EQ(test, sframe_cache_evict_of(payer, 0, 1), 0ul);
	KUNIT_EXPECT_EQ(test, sframe_cache_evict_of(payer, ALL, ALL), 8ul);
	sframe_payer_put(payer);
}

/* A user at its limit makes place of its own; if it can, and of no other's. */
static void images_have_shares(struct kunit *test)
{
	struct sframe_payer *a = made_user(test, 1), *b = made_user(test, 2);
	size_t most = sframe_account_most(a, SFRAME_RES_IMAGES), i;
	struct sframe_file_key key = { .dev = 77, .ino = ALL };
	struct sframe_image **held;

	KUNIT_ASSERT_EQ(test, most, SFRAME_MAX_IMAGES / 4);
	held = kunit_kcalloc(test, most, sizeof(*held), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, held);
	sframe_image_put(get(test, b, ALL - 1));
	for (i = 0; i < most; i++)
		held[i] = get(test, a, i);
	KUNIT_EXPECT_NULL(test, sframe_cache_get(&key, a));
	KUNIT_EXPECT_TRUE(test, has(b, ALL - 1));
	/* It is found among those in use, if not at once. */
	sframe_image_put(held[0]);
	held[0] = NULL;
	for (i = 0; i <= most && !held[0]; i++)
		held[0] = sframe_cache_get(&key, a);
	KUNIT_EXPECT_NOT_NULL(test, held[0]);
	for (i = 0; i < most; i++)
		sframe_image_put(held[i]);
	KUNIT_EXPECT_EQ(test, sframe_cache_evict_of(a, ALL, ALL), most);
	KUNIT_EXPECT_EQ(test, sframe_cache_evict_of(b, ALL, ALL), 1ul);
	sframe_payer_put(b);
	sframe_payer_put(a);
}

/* An image that nobody uses, with a table of so many bytes. */
static void add_table(struct kunit *test, struct sframe_payer *payer, u64 ino,
		      size_t bytes)
{
	struct sframe_image *image = get(test, payer, ino);
	struct sframe_table *table = sframe_alloc(sizeof(*table));
	static const struct sframe_elf elf;

	KUNIT_ASSERT_NOT_NULL(test, table);
	memset(table, 0, sizeof(*table));
	table->bytes = bytes;
	KUNIT_ASSERT_EQ(test, sframe_room_reserve(payer, bytes), SFRAME_OK);
	KUNIT_EXPECT_TRUE(test, sframe_image_publish(image, table, &elf, payer));
	/* Whoever comes second keeps its own. */
	KUNIT_EXPECT_FALSE(test, sframe_image_publish(image, table, &elf, payer));
	sframe_image_put(image);
}

static void room_is_settled(struct kunit *test)
{
	struct sframe_payer *a = made_user(test, 1);
	size_t *used = &a->used[SFRAME_RES_TABLES];
	size_t most = sframe_account_most(a, SFRAME_RES_TABLES);

	KUNIT_EXPECT_EQ(test, sframe_room_reserve(a, 100), SFRAME_OK);
	KUNIT_EXPECT_EQ(test, sframe_room_settle(a, 100, 70), SFRAME_OK);
	KUNIT_EXPECT_EQ(test, *used, 70);
	KUNIT_EXPECT_EQ(test, sframe_room_reserve(a, 100), SFRAME_OK);
	KUNIT_EXPECT_EQ(test, sframe_room_settle(a, 100, 130), SFRAME_OK);
	KUNIT_EXPECT_EQ(test, *used, 200);
	KUNIT_EXPECT_EQ(test, sframe_room_reserve(a, 100), SFRAME_OK);
	KUNIT_EXPECT_EQ(test, sframe_room_settle(a, 100, most), SFRAME_SHARE);
	KUNIT_EXPECT_EQ(test, *used, 200);
	KUNIT_EXPECT_EQ(test, sframe_room_settle(a, 200, 0), SFRAME_OK);
	KUNIT_EXPECT_EQ(test, *used, 0);
	sframe_payer_put(a);
}

/* Over its share, a user's own go; else those of whoever holds most. */
static void room_is_made(struct kunit *test)
{
	struct sframe_payer *a = made_user(test, 1), *b = made_user(test, 2);
	struct sframe_payer *c = made_user(test, 3), *d = made_user(test, 4);
	struct sframe_payer *root = sframe_payer_of(GLOBAL_ROOT_UID);
	unsigned long limit = sframe_max_total_bytes;
	size_t used, quarter;

	KUNIT_ASSERT_NOT_NULL(test, root);
	sframe_cache_evict(ALL, ALL, false);
	used = sframe_account_used(SFRAME_RES_TABLES);
	if (used)
		kunit_skip(test, "tables are in use");
	sframe_max_total_bytes = 4000;
	quarter = sframe_account_most(a, SFRAME_RES_TABLES);
	KUNIT_ASSERT_EQ(test, quarter, 1000);
	add_table(test, a, 1, 900);
	add_table(test, b, 2, 600);
	add_table(test, a, 3, 500);
	KUNIT_EXPECT_FALSE(test, has(a, 1));
	KUNIT_EXPECT_TRUE(test, has(a, 3));
	KUNIT_EXPECT_TRUE(test, has(b, 2));
	/* 1100 are held; root's 2900 fit, 3000 make the largest holder's go. */
	KUNIT_EXPECT_EQ(test, sframe_room_reserve(root, 2900), SFRAME_OK);
	KUNIT_EXPECT_TRUE(test, has(b, 2));
	KUNIT_EXPECT_EQ(test, sframe_room_settle(root, 2900, 0), SFRAME_OK);
	KUNIT_EXPECT_EQ(test, sframe_room_reserve(root, 3000), SFRAME_OK);
	KUNIT_EXPECT_FALSE(test, has(b, 2));
	KUNIT_EXPECT_EQ(test, sframe_room_reserve(root, 1001),
			SFRAME_NO_MEMORY);
	KUNIT_EXPECT_EQ(test, sframe_room_settle(root, 3000, 0), SFRAME_OK);
	/* What root holds makes no place for users who have their three quarters. */
	add_table(test, root, 4, 200);
	add_table(test, a, 5, 900);
	KUNIT_EXPECT_EQ(test, sframe_room_reserve(b, 1000), SFRAME_OK);
	KUNIT_EXPECT_EQ(test, sframe_room_reserve(c, 1000), SFRAME_OK);
	KUNIT_EXPECT_EQ(test, sframe_room_reserve(d, 1000), SFRAME_OK);
	KUNIT_EXPECT_FALSE(test, has(a, 5));
	KUNIT_EXPECT_EQ(test, sframe_room_reserve(a, 1), SFRAME_USERS_SHARE);
	KUNIT_EXPECT_TRUE(test, has(root, 4));
	KUNIT_EXPECT_EQ(test, sframe_room_settle(b, 1000, 0), SFRAME_OK);
	KUNIT_EXPECT_EQ(test, sframe_room_settle(c, 1000, 0), SFRAME_OK);
	KUNIT_EXPECT_EQ(test, sframe_room_settle(d, 1000, 0), SFRAME_OK);
	sframe_max_total_bytes = limit;
	sframe_cache_evict(ALL, ALL, false);
	KUNIT_EXPECT_EQ(test, sframe_account_used(SFRAME_RES_TABLES), 0);
	sframe_payer_put(d);
	sframe_payer_put(c);
	sframe_payer_put(root);
	sframe_payer_put(b);
	sframe_payer_put(a);
}

/* What nobody uses is paid for by who asks for it, if need be instead of its own. */
static void unused_is_taken_over(struct kunit *test)
{
	struct sframe_payer *a = made_user(test, 1), *b = made_user(test, 2);
	size_t *held_by_a = &a->used[SFRAME_RES_TABLES];
	size_t *held_by_b = &b->used[SFRAME_RES_TABLES];
	size_t most = sframe_account_most(b, SFRAME_RES_TABLES);
	struct sframe_image *image;

	add_table(test, a, 1, 100);
	image = get(test, b, 1);
	KUNIT_EXPECT_NOT_NULL(test, sframe_image_table(image));
	KUNIT_EXPECT_EQ(test, *held_by_a, 0);
	KUNIT_EXPECT_EQ(test, *held_by_b, 100);
	/* In use, it stays who has it. */
	sframe_image_put(get(test, a, 1));
	KUNIT_EXPECT_EQ(test, *held_by_b, 100);
	sframe_image_put(image);
	sframe_image_put(get(test, a, 1));
	KUNIT_EXPECT_EQ(test, *held_by_a, 100);
	add_table(test, b, 2, most - 99);
	image = get(test, b, 1);
	KUNIT_EXPECT_NOT_NULL(test, sframe_image_table(image));
	KUNIT_EXPECT_FALSE(test, has(b, 2));
	KUNIT_EXPECT_EQ(test, *held_by_a, 0);
	KUNIT_EXPECT_EQ(test, *held_by_b, 100);
	sframe_image_put(image);
	KUNIT_EXPECT_EQ(test, sframe_cache_evict_of(a, ALL, ALL), 0ul);
	KUNIT_EXPECT_EQ(test, sframe_cache_evict_of(b, ALL, ALL), 1ul);
	sframe_payer_put(b);
	sframe_payer_put(a);
}

/* Who may not have more does not get it, and takes it from nobody: root's stay. */
static void unused_is_not_lost(struct kunit *test)
{
	struct sframe_file_key key = { .dev = 77, .ino = 1 };
	struct sframe_payer *root = sframe_payer_of(GLOBAL_ROOT_UID);
	struct sframe_payer *b = made_user(test, 2);
	size_t images = b->used[SFRAME_RES_IMAGES], held;
	size_t most = sframe_account_most(b, SFRAME_RES_TABLES);

	KUNIT_ASSERT_NOT_NULL(test, root);
	held = root->used[SFRAME_RES_TABLES];
	add_table(test, root, 1, 100);
	KUNIT_ASSERT_EQ(test, sframe_account_take(b, SFRAME_RES_TABLES, most),
			SFRAME_OK);
	KUNIT_EXPECT_NULL(test, sframe_cache_get(&key, b));
	KUNIT_EXPECT_TRUE(test, has(root, 1));
	KUNIT_EXPECT_EQ(test, root->used[SFRAME_RES_TABLES], held + 100);
	KUNIT_EXPECT_EQ(test, b->used[SFRAME_RES_TABLES], most);
	KUNIT_EXPECT_EQ(test, b->used[SFRAME_RES_IMAGES], images);
	sframe_account_give(b, SFRAME_RES_TABLES, most);
	sframe_image_put(get(test, b, 1));
	KUNIT_EXPECT_FALSE(test, has(root, 1));
	KUNIT_EXPECT_EQ(test, b->used[SFRAME_RES_TABLES], 100);
	KUNIT_EXPECT_EQ(test, sframe_cache_evict_of(b, ALL, ALL), 1ul);
	sframe_payer_put(b);
	sframe_payer_put(root);
}

static struct kunit_case cache_cases[] = {
	KUNIT_CASE(key_counts),
	KUNIT_CASE(second_chance),
	KUNIT_CASE(images_have_shares),
	KUNIT_CASE(room_is_settled),
	KUNIT_CASE(room_is_made),
	KUNIT_CASE(unused_is_taken_over),
	KUNIT_CASE(unused_is_not_lost),
	{}
};

static struct kunit_suite cache_suite = {
	.name = "sframe_cache",
	.test_cases = cache_cases,
};

kunit_test_suite(cache_suite);
