// SPDX-License-Identifier: GPL-2.0
/*
 * One table per file, converted when the first mapping of the file is seen
 * and shared by every mm that maps it. A file is known by its inode's numbers
 * and change stamps, not by a reference: the cache pins no inode and no mount.
 */
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/hashtable.h>
#include <linux/iversion.h>
#include <linux/seq_file.h>
#include <linux/shrinker.h>
#include <linux/slab.h>
#include <linux/spinlock.h>

#include "internal.h"

#define CACHE_BITS		8
/* Files remembered, most of them as having no table; unused ones go first. */
#define CACHE_MAX_FILES		16384

/**
 * struct file_key - what makes a file the same one, unchanged
 * @dev: file system
 * @ino: inode number
 * @gen: its generation
 * @size: bytes
 * @version: i_version, where the file system keeps one
 * @mtime: last change of the content
 * @ctime: last change of the inode
 */
struct file_key {
	dev_t dev;
	u32 gen;
	u64 ino;
	loff_t size;
	u64 version;
	struct timespec64 mtime;
	struct timespec64 ctime;
};

/**
 * struct sframe_file - what is known of one file
 * @node: in the hash; cache_lock
 * @lru: in order of first use; cache_lock
 * @key: constant
 * @refs: maps that use it, plus callers of sframe_file_get(); cache_lock
 * @load: serializes the conversion, protects @loaded
 * @loaded: the fields below are final
 * @gone: not in the hash any more: the next user tries again; cache_lock
 * @status: why there is no table, or SFRAME_OK
 * @version: SFrame version
 * @table: the rules, constant once @loaded
 * @nr_text: entries in @text
 * @text: executable segments, for the load bias
 */
struct sframe_file {
	struct hlist_node node;
	struct list_head lru;
	struct file_key key;
	unsigned int refs;
	struct mutex load;
	bool loaded;
	bool gone;
	u8 version;
	enum sframe_reason status;
	struct sframe_table *table;
	unsigned int nr_text;
	struct sframe_segment text[SFRAME_ELF_MAX_TEXT];
};

/*
 * Protects the hash, the list, the references and the two counts. Taken in
 * RCU callbacks, hence with bottom halves off elsewhere.
 */
static DEFINE_SPINLOCK(cache_lock);
static DEFINE_HASHTABLE(cache, CACHE_BITS);
static LIST_HEAD(cache_lru);
static unsigned int cache_files;
static unsigned int cache_unused;	/* files with no reference */
/* Bytes of all tables. */
static atomic_long_t cache_bytes;
static struct shrinker *cache_shrinker;

static void file_key_get(struct inode *inode, struct file_key *key)
{
	memset(key, 0, sizeof(*key));
	key->dev = inode->i_sb->s_dev;
	key->gen = inode->i_generation;
	key->ino = inode->i_ino;
	key->size = i_size_read(inode);
	if (IS_I_VERSION(inode))
		key->version = inode_query_iversion(inode);
	key->mtime = inode_get_mtime(inode);
	key->ctime = inode_get_ctime(inode);
}

static bool file_key_same(const struct file_key *a, const struct file_key *b)
{
	return a->dev == b->dev && a->gen == b->gen && a->ino == b->ino &&
	       a->size == b->size && a->version == b->version &&
	       timespec64_equal(&a->mtime, &b->mtime) &&
	       timespec64_equal(&a->ctime, &b->ctime);
}

/* ---- cache ---- */

/* cache_lock held */
static void cache_unlink(struct sframe_file *f)
{
	if (f->gone)
		return;
	f->gone = true;
	hash_del(&f->node);
	list_del(&f->lru);
	cache_files--;
}

static void file_free(struct sframe_file *f)
{
	if (f->table) {
		atomic_long_sub(f->table->bytes, &cache_bytes);
		sframe_free(f->table);
	}
	kfree(f);
}

/*
 * Free up to @nr unused files, oldest first. Maps drop their references only
 * after a grace period, so at zero no reader of a map can see the file.
 */
static unsigned long cache_evict(unsigned long nr)
{
	struct sframe_file *f, *tmp;
	unsigned long freed = 0;
	LIST_HEAD(victims);

	spin_lock_bh(&cache_lock);
	list_for_each_entry_safe(f, tmp, &cache_lru, lru) {
		if (freed == nr)
			break;
		if (f->refs)
			continue;
		cache_unlink(f);
		cache_unused--;
		list_add(&f->lru, &victims);
		freed++;
	}
	spin_unlock_bh(&cache_lock);

	list_for_each_entry_safe(f, tmp, &victims, lru) {
		if (f->table)
			sframe_count(SFRAME_EV_EVICTED);
		file_free(f);
	}
	return freed;
}

/* cache_lock held */
static struct sframe_file *cache_find(const struct file_key *key)
{
	struct sframe_file *f;

	hash_for_each_possible(cache, f, node, key->ino) {
		if (!file_key_same(&f->key, key))
			continue;
		if (!f->refs++)
			cache_unused--;
		return f;
	}
	return NULL;
}

static struct sframe_file *cache_get(const struct file_key *key)
{
	struct sframe_file *f, *new;

	spin_lock_bh(&cache_lock);
	f = cache_find(key);
	spin_unlock_bh(&cache_lock);
	if (f)
		return f;

	if (READ_ONCE(cache_files) >= CACHE_MAX_FILES)
		cache_evict(CACHE_MAX_FILES / 16);
	new = kzalloc(sizeof(*new), GFP_KERNEL_ACCOUNT);
	if (!new)
		return NULL;
	new->key = *key;
	new->refs = 1;
	mutex_init(&new->load);

	spin_lock_bh(&cache_lock);
	f = cache_find(key);
	if (!f) {
		f = new;
		new = NULL;
		hash_add(cache, &f->node, key->ino);
		list_add_tail(&f->lru, &cache_lru);
		cache_files++;
	}
	spin_unlock_bh(&cache_lock);
	kfree(new);
	return f;
}

/* The next to ask for the same file starts afresh. */
static void cache_forget(struct sframe_file *f)
{
	spin_lock_bh(&cache_lock);
	cache_unlink(f);
	spin_unlock_bh(&cache_lock);
}

void sframe_file_put(struct sframe_file *f)
{
	bool last = false;

	spin_lock_bh(&cache_lock);
	if (!--f->refs) {
		last = f->gone;
		cache_unused += !f->gone;
	}
	spin_unlock_bh(&cache_lock);
	if (last)
		file_free(f);
}

static unsigned long cache_shrink_count(struct shrinker *s,
					struct shrink_control *sc)
{
	return READ_ONCE(cache_unused) ?: SHRINK_EMPTY;
}

static unsigned long cache_shrink_scan(struct shrinker *s,
				       struct shrink_control *sc)
{
	return cache_evict(sc->nr_to_scan) ?: SHRINK_STOP;
}

/* ---- conversion ---- */

static enum sframe_reason read_all(struct file *file, void *buf, size_t len,
				   u64 offset)
{
	loff_t pos = offset;
	size_t done = 0;
	ssize_t n;

	if (offset > S64_MAX - len)
		return SFRAME_READ_FAILED;
	while (done < len) {
		n = kernel_read(file, buf + done, len - done, &pos);
		if (n <= 0)
			return SFRAME_READ_FAILED;
		done += n;
	}
	return SFRAME_OK;
}

static enum sframe_reason read_elf(struct file *file, struct sframe_elf *elf)
{
	u8 ehdr[SFRAME_ELF_EHDR_SIZE];
	enum sframe_reason r;
	size_t len;
	void *buf;

	r = read_all(file, ehdr, sizeof(ehdr), 0);
	if (r)
		return SFRAME_NOT_ELF;
	r = sframe_elf_header(elf, sframe_abi_native, ehdr, sizeof(ehdr), false);
	if (r)
		return r;
	len = elf->phnum * SFRAME_ELF_PHDR_SIZE;
	buf = sframe_alloc(len);
	if (!buf)
		return SFRAME_NO_MEMORY;
	r = read_all(file, buf, len, elf->phoff);
	if (r)
		r = SFRAME_ELF_PHDRS;
	else
		r = sframe_elf_phdrs(elf, buf, len);
	sframe_free(buf);
	return r;
}

/* Bytes that one more table may take. */
static size_t cache_room(void)
{
	size_t total = sframe_max_total_bytes;
	size_t used = atomic_long_read(&cache_bytes);

	return min(sframe_max_file_bytes, total - min(used, total));
}

static enum sframe_reason build(struct sframe_file *f,
				const struct sframe_elf *elf, const void *buf)
{
	struct sframe_section sec;
	struct sframe_skips *skips;
	enum sframe_reason r;
	unsigned int i;
	size_t room;

	r = sframe_section_init(&sec, sframe_abi_native, buf, elf->table.size,
				elf->table.vaddr, false);
	if (r)
		return r;
	f->version = sec.version;

	skips = kzalloc(sizeof(*skips), GFP_KERNEL_ACCOUNT);
	if (!skips)
		return SFRAME_NO_MEMORY;
	room = cache_room();
	if (room < sframe_max_file_bytes) {
		cache_evict(ULONG_MAX);
		room = cache_room();
	}
	r = sframe_table_build(&sec, elf->text, elf->nr_text, room, &f->table,
			       skips);
	/* Others use up the total: not this file's fault, so not for ever. */
	if (r == SFRAME_TOO_BIG && room < sframe_max_file_bytes)
		r = SFRAME_NO_MEMORY;
	for (i = 0; i < SFRAME_NR_REASONS; i++)
		if (skips->count[i])
			atomic_long_add(skips->count[i], &sframe_refused[i]);
	kfree(skips);
	if (!r)
		atomic_long_add(f->table->bytes, &cache_bytes);
	return r;
}

static enum sframe_reason convert(struct sframe_file *f, struct file *file)
{
	struct sframe_elf elf;
	enum sframe_reason r;
	struct file_key now;
	void *buf;

	r = read_elf(file, &elf);
	if (r)
		return r;
	f->nr_text = elf.nr_text;
	memcpy(f->text, elf.text, sizeof(f->text));

	if (elf.table.size > sframe_max_file_bytes)
		return SFRAME_TOO_BIG;
	buf = sframe_alloc(elf.table.size);
	if (!buf)
		return SFRAME_NO_MEMORY;
	r = read_all(file, buf, elf.table.size, elf.table.offset);
	if (!r)
		r = build(f, &elf, buf);
	sframe_free(buf);

	/* Changed under our hands: what was read may be a mixture. */
	file_key_get(file_inode(file), &now);
	if (!r && !file_key_same(&now, &f->key)) {
		atomic_long_sub(f->table->bytes, &cache_bytes);
		sframe_free(f->table);
		f->table = NULL;
		r = SFRAME_FILE_CHANGED;
	}
	return r;
}

/* Would the same file fare better another time? */
static bool transient(enum sframe_reason r)
{
	return r == SFRAME_NO_MEMORY || r == SFRAME_READ_FAILED ||
	       r == SFRAME_FILE_CHANGED;
}

static int file_load(struct sframe_file *f, struct file *file)
{
	if (mutex_lock_killable(&f->load))
		return -EINTR;
	if (!f->loaded) {
		f->status = convert(f, file);
		if (f->status)
			atomic_long_inc(&sframe_refused[f->status]);
		if (transient(f->status))
			cache_forget(f);
		f->loaded = true;
	}
	mutex_unlock(&f->load);
	return 0;
}

/* Load bias of a mapping of @offset at @start, if it maps a text segment. */
static bool file_bias(const struct sframe_file *f, u64 start, u64 offset,
		      u64 *bias)
{
	const struct sframe_segment *s;
	unsigned int i;

	for (i = 0; i < f->nr_text; i++) {
		s = &f->text[i];
		if (offset >= round_down(s->offset, PAGE_SIZE) &&
		    offset < s->offset + s->size) {
			*bias = start - offset - (s->vaddr - s->offset);
			return true;
		}
	}
	return false;
}

/* kernel_read() warns about files that it cannot read. */
static bool readable(const struct file *file)
{
	return S_ISREG(file_inode(file)->i_mode) &&
	       (file->f_mode & FMODE_READ) && (file->f_mode & FMODE_CAN_READ) &&
	       file->f_op->read_iter && !file->f_op->read;
}

/**
 * sframe_file_get() - the table of a mapped file
 * @file: the file
 * @start: address where it is mapped
 * @offset: from this position on, in bytes
 * @bias: where to store load address minus link-time address
 *
 * Reads and converts the file if nobody did so before.
 *
 * Context: process context, may sleep; no lock above it but mutexes.
 * Return: the file with a reference, or NULL if no usable table covers the
 * mapping.
 */
struct sframe_file *sframe_file_get(struct file *file, u64 start, u64 offset,
				    u64 *bias)
{
	struct sframe_file *f;
	struct file_key key;

	if (!readable(file))
		return NULL;
	file_key_get(file_inode(file), &key);
	f = cache_get(&key);
	if (!f)
		return NULL;
	if (!file_load(f, file) && f->table &&
	    file_bias(f, start, offset, bias))
		return f;
	sframe_file_put(f);
	return NULL;
}

const struct sframe_table *sframe_file_table(const struct sframe_file *f)
{
	return f->table;
}

void sframe_file_show(struct seq_file *m)
{
	struct sframe_file *f;
	unsigned int tables = 0, files;

	spin_lock_bh(&cache_lock);
	list_for_each_entry(f, &cache_lru, lru)
		tables += !!READ_ONCE(f->table);
	files = cache_files;
	spin_unlock_bh(&cache_lock);
	seq_printf(m, "files %u\ntables %u\ntable_bytes %ld\n", files, tables,
		   atomic_long_read(&cache_bytes));
}

int sframe_file_init(void)
{
	cache_shrinker = shrinker_alloc(0, "sframe-tables");
	if (!cache_shrinker)
		return -ENOMEM;
	cache_shrinker->count_objects = cache_shrink_count;
	cache_shrinker->scan_objects = cache_shrink_scan;
	shrinker_register(cache_shrinker);
	return 0;
}

/* All maps are gone, and so are the grace periods that drop their files. */
void sframe_file_exit(void)
{
	shrinker_free(cache_shrinker);
	cache_evict(ULONG_MAX);
}
