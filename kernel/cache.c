// SPDX-License-Identifier: GPL-2.0
/*
 * The cache of images: which image a file has, in one state of its content. Shared by
 * all who map the file; most are remembered as having no table. It has no reference to
 * any inode, so no file system stays mounted for it. Unused images are evicted when
 * memory is short, when there are too many, or when others need the room.
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
/* Images looked at without dropping the lock. */
#define LOOKS_AT_ONCE	32
/* Images of a user looked at, at most, for each that is to be evicted. */
#define LOOKS_FOR_ONE	64
/* Users whose images are looked at, those who hold most first. */
#define MAX_HOLDERS	8

/*
 * Protects the hash, the lists of users' images, and the state that an image has no
 * reference but the cache's. Process context only; account_lock may be taken under it.
 */
static DEFINE_SPINLOCK(cache_lock);
static DEFINE_HASHTABLE(cache, CACHE_BITS);
/* Users can choose inode numbers and the like, but not the bucket that they hash to. */
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
}

static void cache_unlink(struct sframe_image *image)
{
	lockdep_assert_held(&cache_lock);
	hash_del(&image->node);
	list_del(&image->lru);
}

/*
 * Is the cache's reference the only one? Others are taken by whoever holds one, or
 * under the lock: so it stays so while the lock is held.
 */
static bool image_is_unused(const struct sframe_image *image)
{
	lockdep_assert_held(&cache_lock);
	if (refcount_read(&image->refs) != 1)
		return false;
	/* Pairs with sframe_image_put(): see all that the last user, perhaps a worker, did. */
	smp_acquire__after_ctrl_dep();
	return true;
}

/*
 * Move at most @want of @payer's unused images to @victims, least recently used first;
 * one that was asked for since the last time gets a second chance. Looks at no more
 * than *@looks images, and subtracts those; *@looks is 0 when there are no more.
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
 * sframe_cache_evict_of() - evict unused images of one user
 * @payer: the user
 * @looks: images to look at, at most
 * @want: images to evict, at most
 *
 * Context: process context, may sleep.
 * Return: how many were evicted.
 */
unsigned long sframe_cache_evict_of(struct sframe_payer *payer,
				    unsigned long looks, unsigned long want)
{
	unsigned long images = READ_ONCE(payer->used[SFRAME_RES_IMAGES]);
	unsigned long freed = 0;
	LIST_HEAD(victims);

	/* A second chance is given only once, so twice is enough. */
	looks = min(looks, 2 * images);
	while (looks && freed < want) {
		freed += cache_unlink_unused(payer, &looks, want - freed, &victims);
		cond_resched();
	}
	free_evicted_images(&victims);
	return freed;
}

/**
 * sframe_cache_evict() - evict unused images, of those users first who hold most
 * @looks: images of each user to look at, at most
 * @want: images to evict, at most
 * @spare_root: leave root's alone
 *
 * First of those who hold most bytes of tables, then of those who hold most images.
 *
 * Context: process context, may sleep.
 * Return: how many were evicted.
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

/**
 * sframe_cache_make_room() - evict what is in the way of what a user may not take
 * @payer: the user
 * @why: why not: SFRAME_SHARE, SFRAME_USERS_SHARE or SFRAME_NO_MEMORY, see
 *	sframe_account_take()
 * @want: images to evict, at most
 *
 * The user's own if its share is used up, those of whoever holds most if all is. Root's
 * are not evicted for users whose part, three quarters, is used up.
 *
 * Context: process context, may sleep.
 * Return: how many were evicted.
 */
unsigned long sframe_cache_make_room(struct sframe_payer *payer,
				     enum sframe_reason why, unsigned long want)
{
	if (why == SFRAME_SHARE)
		return sframe_cache_evict_of(payer, LOOKS_FOR_ONE * want, want);
	return sframe_cache_evict(LOOKS_FOR_ONE * want, want, why == SFRAME_USERS_SHARE);
}

/*
 * An unused image: @payer, who asks for it now, pays from now on. Fails, and changes
 * nothing, if that is more than it may have.
 */
static enum sframe_reason image_take_over(struct sframe_image *image,
					  struct sframe_payer *payer)
{
	struct sframe_payer *table_payer = image->table ? image->table_payer : payer;
	size_t bytes = image->table ? image->table->bytes : 0;
	enum sframe_reason r;

	lockdep_assert_held(&cache_lock);
	r = sframe_account_take_over(image->payer, table_payer, bytes, payer);
	if (r)
		return r;
	if (image->payer != payer) {
		list_move_tail(&image->lru, &payer->images);
		sframe_payer_put(image->payer);
		image->payer = sframe_payer_get(payer);
	}
	if (table_payer != payer) {
		sframe_payer_put(table_payer);
		image->table_payer = sframe_payer_get(payer);
	}
	return SFRAME_OK;
}

/*
 * Find an image for @payer. If there is one, but nobody uses it, and @payer may not take
 * it, NULL, and *@why says why not.
 */
static struct sframe_image *cache_find(const struct sframe_file_key *key, u64 hash,
				       struct sframe_payer *payer,
				       enum sframe_reason *why)
{
	struct sframe_image *image;

	lockdep_assert_held(&cache_lock);
	*why = SFRAME_OK;
	hash_for_each_possible(cache, image, node, hash) {
		if (!sframe_file_key_same(&image->key, key))
			continue;
		if (image_is_unused(image))
			*why = image_take_over(image, payer);
		if (*why)
			return NULL;
		image->used = true;
		return sframe_image_get(image);
	}
	return NULL;
}

/* One more image for @payer, instead of another one if need be. */
static struct sframe_image *cache_new_image(const struct sframe_file_key *key,
					    struct sframe_payer *payer)
{
	enum sframe_reason r = sframe_account_take(payer, SFRAME_RES_IMAGES, 1);
	struct sframe_image *image;

	if (r && sframe_cache_make_room(payer, r, 1))
		r = sframe_account_take(payer, SFRAME_RES_IMAGES, 1);
	if (r) {
		sframe_refuse(r);
		return NULL;
	}
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
	enum sframe_reason why;

	if (!new)
		return NULL;
	scoped_guard(spinlock, &cache_lock) {
		image = cache_find(key, cache_key_hash(key), payer, &why);
		if (!image && !why) {
			cache_link(new);
			image = sframe_image_get(new);
			new = NULL;
		}
	}
	if (new)
		sframe_image_free(new);
	return image;
}

/**
 * sframe_cache_get() - get the image of a file, make it if need be
 * @key: the file, in one state of its content
 * @payer: who pays if nobody else uses it
 *
 * Context: process context, may sleep.
 * Return: the image with a reference; NULL if there was none, and no memory for it, or
 *	no room in the user's share.
 */
struct sframe_image *sframe_cache_get(const struct sframe_file_key *key,
				      struct sframe_payer *payer)
{
	struct sframe_image *image;
	enum sframe_reason why;

	do {
		scoped_guard(spinlock, &cache_lock)
			image = cache_find(key, cache_key_hash(key), payer, &why);
	} while (why && sframe_cache_make_room(payer, why, SFRAME_EVICTED_FOR_TABLES));
	if (why) {
		sframe_refuse(why);
		return NULL;
	}
	return image ?: cache_add(key, payer);
}

static unsigned long cache_shrink_count(struct shrinker *s, struct shrink_control *sc)
{
	return sframe_account_used(SFRAME_RES_IMAGES) ?: SHRINK_EMPTY;
}

static unsigned long cache_shrink_scan(struct shrinker *s, struct shrink_control *sc)
{
	return sframe_cache_evict(sc->nr_to_scan, sc->nr_to_scan, false) ?:
	       SHRINK_STOP;
}

/**
 * sframe_cache_show() - print counts of what is in the cache
 * @m: where to print them
 *
 * Context: process context, may sleep.
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
 * sframe_cache_init() - set up the cache, before anybody asks for an image
 *
 * Context: process context, may sleep.
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
 * sframe_cache_exit() - free all images
 *
 * Nobody has a reference to any of them any more.
 *
 * Context: process context, may sleep.
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
