// SPDX-License-Identifier: GPL-2.0
/*
 * The cache of files: shared by all who map them, most of them remembered as
 * having no table. It holds no reference to an inode, so it keeps no file
 * system mounted; unused files go when memory is short.
 */
#include <linux/hash.h>
#include <linux/hashtable.h>
#include <linux/jiffies.h>
#include <linux/seq_file.h>
#include <linux/shrinker.h>
#include <linux/slab.h>
#include <linux/spinlock.h>

#include "file.h"
#include "internal.h"

#define CACHE_BITS		10
#define CACHE_MAX_FILES		16384

/*
 * Protects the hash, the list, the references and the two counts. Process
 * context only; nothing is called under it.
 */
static DEFINE_SPINLOCK(cache_lock);
static DEFINE_HASHTABLE(cache, CACHE_BITS);
static LIST_HEAD(cache_lru);
static unsigned int cache_files;
static unsigned int cache_unused;	/* files with no reference */
/* Bytes of all tables. */
static atomic_long_t cache_bytes;
static struct shrinker *cache_shrinker;

static u64 key_hash(const struct file_key *key)
{
	return key->ino ^ hash_64(key->dev, 64);
}

bool sframe_file_key_same(const struct file_key *a, const struct file_key *b)
{
	return a->dev == b->dev && a->gen == b->gen && a->ino == b->ino &&
	       a->size == b->size && a->cookie == b->cookie &&
	       timespec64_equal(&a->mtime, &b->mtime) &&
	       timespec64_equal(&a->ctime, &b->ctime);
}

static void file_free(struct sframe_file *f)
{
	if (f->table) {
		atomic_long_sub(f->table->bytes, &cache_bytes);
		sframe_free(f->table);
	}
	kfree(f);
}

/* cache_lock held. A file that is still used is freed by its last put. */
static void cache_unlink(struct sframe_file *f)
{
	f->gone = true;
	hash_del(&f->node);
	list_del(&f->lru);
	cache_files--;
	if (!f->refs)
		cache_unused--;
}

/*
 * Oldest first. Maps drop their references only after a grace period, so a
 * file without one is seen by no reader of a map.
 */
unsigned long sframe_cache_evict(unsigned long nr)
{
	struct sframe_file *f, *tmp;
	unsigned long freed = 0;
	LIST_HEAD(victims);

	spin_lock(&cache_lock);
	list_for_each_entry_safe(f, tmp, &cache_lru, lru) {
		if (freed == nr || !cache_unused)
			break;
		if (f->refs)
			continue;
		cache_unlink(f);
		list_add(&f->lru, &victims);
		freed++;
	}
	spin_unlock(&cache_lock);

	list_for_each_entry_safe(f, tmp, &victims, lru) {
		if (f->table)
			sframe_count(SFRAME_EV_EVICTED);
		file_free(f);
	}
	return freed;
}

/* A failure that may pass is asked for again, but not all the time. */
static bool expired(const struct sframe_file *f)
{
	/* Pairs with file_load(): status and until are set before. */
	return smp_load_acquire(&f->loaded) && sframe_transient(f->status) &&
	       time_after(jiffies, f->until);
}

/* cache_lock held; *@dead is for the caller to free without it */
static struct sframe_file *cache_find(const struct file_key *key,
				      struct sframe_file **dead)
{
	struct sframe_file *f;

	hash_for_each_possible(cache, f, node, key_hash(key)) {
		if (!sframe_file_key_same(&f->key, key))
			continue;
		if (expired(f)) {
			cache_unlink(f);
			*dead = f->refs ? NULL : f;
			return NULL;
		}
		if (!f->refs++)
			cache_unused--;
		return f;
	}
	return NULL;
}

static struct sframe_file *cache_add(const struct file_key *key)
{
	struct sframe_file *f, *new, *dead = NULL;

	if (READ_ONCE(cache_files) >= CACHE_MAX_FILES &&
	    !sframe_cache_evict(CACHE_MAX_FILES / 16))
		return NULL;
	new = kzalloc(sizeof(*new), GFP_KERNEL_ACCOUNT);
	if (!new)
		return NULL;
	new->key = *key;
	new->refs = 1;
	mutex_init(&new->load);

	spin_lock(&cache_lock);
	f = cache_find(key, &dead);
	if (!f) {
		f = new;
		new = NULL;
		hash_add(cache, &f->node, key_hash(key));
		list_add_tail(&f->lru, &cache_lru);
		cache_files++;
	}
	spin_unlock(&cache_lock);
	kfree(new);
	if (dead)
		file_free(dead);
	return f;
}

struct sframe_file *sframe_cache_get(const struct file_key *key)
{
	struct sframe_file *f, *dead = NULL;

	spin_lock(&cache_lock);
	f = cache_find(key, &dead);
	spin_unlock(&cache_lock);
	if (dead)
		file_free(dead);
	return f ?: cache_add(key);
}

/**
 * sframe_file_put() - drop a reference
 * @f: the file
 *
 * Context: process context. No RCU reader can see @f through the caller's
 * map any more.
 */
void sframe_file_put(struct sframe_file *f)
{
	bool last = false;

	spin_lock(&cache_lock);
	if (!--f->refs) {
		last = f->gone;
		cache_unused += !f->gone;
	}
	spin_unlock(&cache_lock);
	if (last)
		file_free(f);
}

size_t sframe_cache_room(void)
{
	size_t total = READ_ONCE(sframe_max_total_bytes);
	size_t used = atomic_long_read(&cache_bytes);

	return min(READ_ONCE(sframe_max_file_bytes), total - min(used, total));
}

void sframe_cache_charge(const struct sframe_table *table)
{
	atomic_long_add(table->bytes, &cache_bytes);
}

static unsigned long shrink_count(struct shrinker *s, struct shrink_control *sc)
{
	return READ_ONCE(cache_unused) ?: SHRINK_EMPTY;
}

static unsigned long shrink_scan(struct shrinker *s, struct shrink_control *sc)
{
	return sframe_cache_evict(sc->nr_to_scan) ?: SHRINK_STOP;
}

void sframe_file_show(struct seq_file *m)
{
	unsigned int tables = 0, files, unused;
	struct sframe_file *f;

	spin_lock(&cache_lock);
	list_for_each_entry(f, &cache_lru, lru)
		tables += !!READ_ONCE(f->table);
	files = cache_files;
	unused = cache_unused;
	spin_unlock(&cache_lock);
	seq_printf(m, "files %u\nfiles_unused %u\ntables %u\ntable_bytes %ld\n",
		   files, unused, tables, atomic_long_read(&cache_bytes));
}

int sframe_file_init(void)
{
	cache_shrinker = shrinker_alloc(0, "sframe-tables");
	if (!cache_shrinker)
		return -ENOMEM;
	cache_shrinker->count_objects = shrink_count;
	cache_shrinker->scan_objects = shrink_scan;
	shrinker_register(cache_shrinker);
	return 0;
}

/* All maps are gone, and with them all references. */
void sframe_file_exit(void)
{
	shrinker_free(cache_shrinker);
	sframe_cache_evict(ULONG_MAX);
}
