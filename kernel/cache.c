// SPDX-License-Identifier: GPL-2.0
/*
 * The cache: which image a file has. Shared by all who map the file; most files
 * are remembered as having no table. It has no reference to any inode, so it
 * keeps no file system mounted. Unused images go when memory is short, when
 * there are too many, or when their room is needed for others.
 */
#include <linux/hashtable.h>
#include <linux/random.h>
#include <linux/seq_file.h>
#include <linux/shrinker.h>
#include <linux/siphash.h>
#include <linux/spinlock.h>

#include "account.h"
#include "cache.h"
#include "image.h"
#include "stats.h"

#define CACHE_BITS	12
/* Images looked at with the lock held. */
#define LOOKS_AT_ONCE	32
/* Images looked at to make room for one more. */
#define LOOKS_FOR_ONE	64
/* Of how many users, those who hold most first, images are looked at. */
#define MAX_HOLDERS	8

/*
 * Protects the hash, the lists of users' images, and their references as far
 * as that of the cache may be the only one. Process context only; account_lock
 * may be taken under it.
 */
static DEFINE_SPINLOCK(cache_lock);
static DEFINE_HASHTABLE(cache, CACHE_BITS);
static unsigned long cache_images;	/* read without the lock as a hint */
/* Inode numbers and the like are for users to choose; where they hash, not. */
static siphash_key_t cache_seed __ro_after_init;
static struct shrinker *cache_shrinker;

static u64 cache_key_hash(const struct sframe_file_key *key)
{
	return siphash(key, sizeof(*key), &cache_seed);
}

static void cache_link(struct sframe_image *image)
{
	lockdep_assert_held(&cache_lock);
	hash_add(cache, &image->node, cache_key_hash(&image->key));
	list_add_tail(&image->lru, &image->payer->images);
	WRITE_ONCE(cache_images, cache_images + 1);
}

static void cache_unlink(struct sframe_image *image)
{
	lockdep_assert_held(&cache_lock);
	hash_del(&image->node);
	list_del(&image->lru);
	WRITE_ONCE(cache_images, cache_images - 1);
}

/*
 * References are taken where one is held already, or under the lock. So an
 * image of which only the cache has one stays so while the lock is held.
 */
static bool image_is_unused(const struct sframe_image *image)
{
	lockdep_assert_held(&cache_lock);
	if (refcount_read(&image->refs) != 1)
		return false;
	/* Pairs with sframe_image_put(): a worker's may have been the last. */
	smp_acquire__after_ctrl_dep();
	return true;
}

/*
 * Take some of @payer's unused images out, least recently used first: who was
 * asked for since the last time has a second chance. At most *@looks are looked
 * at, and fewer when there are no more.
 */
static unsigned long cache_unlink_unused(struct sframe_payer *payer,
					 unsigned long *looks, unsigned long want,
					 struct list_head *victims)
{
	unsigned long n = min(*looks, LOOKS_AT_ONCE), found = 0;
	struct sframe_image *image;

	guard(spinlock)(&cache_lock);
	*looks -= n;
	for (; n && found < want && !list_empty(&payer->images); n--) {
		image = list_first_entry(&payer->images, struct sframe_image,
					 lru);
		if (image->used || !image_is_unused(image)) {
			image->used = false;
			list_move_tail(&image->lru, &payer->images);
			continue;
		}
		cache_unlink(image);
		list_add(&image->lru, victims);
		found++;
	}
	if (list_empty(&payer->images))
		*looks = 0;
	return found;
}

static void free_evicted_images(struct list_head *victims)
{
	struct sframe_image *image, *next;

	list_for_each_entry_safe(image, next, victims, lru) {
		if (image->table)
			sframe_count(SFRAME_EV_EVICTED);
		sframe_image_free(image);
	}
}

/**
 * sframe_cache_evict_of() - drop unused images of one user
 * @payer: the user
 * @looks: images to look at, at most
 * @want: images to drop, at most
 *
 * Context: process context, may sleep.
 * Return: how many were dropped.
 */
unsigned long sframe_cache_evict_of(struct sframe_payer *payer,
				    unsigned long looks, unsigned long want)
{
	unsigned long images = READ_ONCE(payer->used[SFRAME_RES_IMAGES]);
	unsigned long freed = 0;
	LIST_HEAD(victims);

	/* Who has a second chance the first time has none the second. */
	looks = min(looks, 2 * images);
	while (looks && freed < want) {
		freed += cache_unlink_unused(payer, &looks, want - freed, &victims);
		cond_resched();
	}
	free_evicted_images(&victims);
	return freed;
}

/**
 * sframe_cache_evict() - drop unused images, of those who hold most first
 * @looks: images to look at, at most; of one user
 * @want: images to drop, at most
 * @spare_root: none of root's
 *
 * Who holds most tables comes first; then, who holds most images.
 *
 * Context: process context, may sleep.
 * Return: how many were dropped.
 */
unsigned long sframe_cache_evict(unsigned long looks, unsigned long want,
				 bool spare_root)
{
	static const enum sframe_resource order[] = {
		SFRAME_RES_TABLES, SFRAME_RES_IMAGES,
	};
	struct sframe_payer *payer, *next;
	unsigned long freed = 0;
	unsigned int i, holders;

	for (i = 0; i < ARRAY_SIZE(order); i++) {
		payer = sframe_payer_largest(order[i], NULL);
		for (holders = 0; payer && freed < want &&
		     holders < MAX_HOLDERS; holders++) {
			if (!spare_root || !sframe_payer_is_root(payer))
				freed += sframe_cache_evict_of(payer, looks,
							       want - freed);
			next = sframe_payer_largest(order[i], payer);
			sframe_payer_put(payer);
			payer = next;
		}
		sframe_payer_put(payer);
	}
	return freed;
}

/* Nobody uses it: who asks for it now pays from now on. False if it cannot. */
static bool image_take_over(struct sframe_image *image, struct sframe_payer *payer)
{
	size_t bytes = image->table ? image->table->bytes : 0;

	lockdep_assert_held(&cache_lock);
	if (sframe_account_move(image->payer, payer, SFRAME_RES_IMAGES, 1))
		return false;
	if (image->payer != payer) {
		list_move_tail(&image->lru, &payer->images);
		sframe_payer_put(image->payer);
		image->payer = sframe_payer_get(payer);
	}
	if (!bytes)
		return true;
	if (sframe_account_move(image->table_payer, payer, SFRAME_RES_TABLES,
				bytes))
		return false;
	sframe_payer_put(image->table_payer);
	image->table_payer = sframe_payer_get(payer);
	return true;
}

/*
 * Find an image for @payer. One that is of no use to it, as it could not pay
 * for it, and that nobody else uses, makes place.
 */
static struct sframe_image *cache_find(const struct sframe_file_key *key,
				       u64 hash, struct sframe_payer *payer,
				       struct list_head *victims)
{
	struct sframe_image *image;

	lockdep_assert_held(&cache_lock);
	hash_for_each_possible(cache, image, node, hash) {
		if (!sframe_file_key_same(&image->key, key))
			continue;
		if (image_is_unused(image) && !image_take_over(image, payer)) {
			cache_unlink(image);
			list_add(&image->lru, victims);
			return NULL;
		}
		image->used = true;
		return sframe_image_get(image);
	}
	return NULL;
}

/* May @payer have one more image? It has, if so. */
static bool account_one_image(struct sframe_payer *payer)
{
	enum sframe_reason r;

	r = sframe_account_take(payer, SFRAME_RES_IMAGES, 1);
	if (r == SFRAME_SHARE &&
	    sframe_cache_evict_of(payer, LOOKS_FOR_ONE, 1))
		r = sframe_account_take(payer, SFRAME_RES_IMAGES, 1);
	else if (r && r != SFRAME_SHARE &&
		 sframe_cache_evict(LOOKS_FOR_ONE, 1, r == SFRAME_USERS_SHARE))
		r = sframe_account_take(payer, SFRAME_RES_IMAGES, 1);
	if (r)
		sframe_refuse(r);
	return !r;
}

static struct sframe_image *cache_new_image(const struct sframe_file_key *key,
					    struct sframe_payer *payer)
{
	struct sframe_image *image;

	if (!account_one_image(payer))
		return NULL;
	image = sframe_image_alloc(payer);
	if (!image) {
		sframe_account_give(payer, SFRAME_RES_IMAGES, 1);
		return NULL;
	}
	image->key = *key;
	return image;
}

static struct sframe_image *cache_add(const struct sframe_file_key *key,
				      struct sframe_payer *payer)
{
	struct sframe_image *image, *new = cache_new_image(key, payer);
	LIST_HEAD(victims);

	if (!new)
		return NULL;
	scoped_guard(spinlock, &cache_lock) {
		image = cache_find(key, cache_key_hash(key), payer, &victims);
		if (!image) {
			cache_link(new);
			image = sframe_image_get(new);
			new = NULL;
		}
	}
	free_evicted_images(&victims);
	if (new)
		sframe_image_free(new);
	return image;
}

/**
 * sframe_cache_get() - the image of a file
 * @key: the file, in one state of its content
 * @payer: who pays if there is none yet
 *
 * Context: process context, may sleep.
 * Return: the image with a reference; NULL if there was none, and no memory,
 * or none left of the user's share.
 */
struct sframe_image *sframe_cache_get(const struct sframe_file_key *key,
				      struct sframe_payer *payer)
{
	struct sframe_image *image;
	LIST_HEAD(victims);

	scoped_guard(spinlock, &cache_lock)
		image = cache_find(key, cache_key_hash(key), payer, &victims);
	free_evicted_images(&victims);
	return image ?: cache_add(key, payer);
}

static unsigned long cache_shrink_count(struct shrinker *s, struct shrink_control *sc)
{
	return READ_ONCE(cache_images) ?: SHRINK_EMPTY;
}

static unsigned long cache_shrink_scan(struct shrinker *s, struct shrink_control *sc)
{
	return sframe_cache_evict(sc->nr_to_scan, sc->nr_to_scan, false) ?:
	       SHRINK_STOP;
}

/**
 * sframe_cache_show() - counts of what is in the cache
 * @m: where to print them
 */
void sframe_cache_show(struct seq_file *m)
{
	unsigned int bkt, files = 0, unused = 0, tables = 0;
	struct sframe_image *image;

	for (bkt = 0; bkt < HASH_SIZE(cache); bkt++) {
		guard(spinlock)(&cache_lock);
		hlist_for_each_entry(image, &cache[bkt], node) {
			files++;
			unused += image_is_unused(image);
			tables += !!sframe_image_table(image);
		}
	}
	seq_printf(m, "files %u\nfiles_unused %u\ntables %u\ntable_bytes %zu\n",
		   files, unused, tables,
		   sframe_account_used(SFRAME_RES_TABLES));
}

/**
 * sframe_cache_init() - before anybody asks for an image
 *
 * Return: 0 or -ENOMEM.
 */
int sframe_cache_init(void)
{
	get_random_bytes(&cache_seed, sizeof(cache_seed));
	cache_shrinker = shrinker_alloc(0, "sframe-tables");
	if (!cache_shrinker)
		return -ENOMEM;
	cache_shrinker->count_objects = cache_shrink_count;
	cache_shrinker->scan_objects = cache_shrink_scan;
	shrinker_register(cache_shrinker);
	return 0;
}

/**
 * sframe_cache_exit() - drop all images
 *
 * Nobody else has a reference to any.
 */
void sframe_cache_exit(void)
{
	struct sframe_image *image;
	struct hlist_node *next;
	unsigned int bkt;
	LIST_HEAD(all);

	shrinker_free(cache_shrinker);
	scoped_guard(spinlock, &cache_lock) {
		hash_for_each_safe(cache, bkt, next, image, node) {
			cache_unlink(image);
			list_add(&image->lru, &all);
		}
	}
	free_evicted_images(&all);
}
