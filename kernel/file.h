/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the cache of files and the conversion of one file share.
 */
#ifndef SFRAME_FILE_H
#define SFRAME_FILE_H

#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/time64.h>
#include <linux/types.h>

#include <sframe/elf.h>
#include <sframe/reason.h>
#include <sframe/table.h>

/**
 * struct file_key - what makes a file the same one, unchanged
 * @dev: device, as stat() tells (btrfs subvolumes have their own)
 * @gen: the inode's generation
 * @ino: inode number
 * @size: bytes
 * @cookie: change cookie, where the file system vouches for one
 * @mtime: last change of the content
 * @ctime: last change of the inode
 */
struct file_key {
	dev_t dev;
	u32 gen;
	u64 ino;
	loff_t size;
	u64 cookie;
	struct timespec64 mtime;
	struct timespec64 ctime;
};

/**
 * struct sframe_file - what is known of one file
 * @node: in the hash; cache_lock
 * @lru: in order of first use; cache_lock
 * @key: constant
 * @refs: maps that use it, plus callers of cache_get(); cache_lock
 * @gone: not in the hash any more, freed by the last put; cache_lock
 * @load: serializes the conversion, protects @loaded; killable
 * @loaded: the fields below are final, and constant
 * @status: why there is no table, or SFRAME_OK
 * @until: jiffies until which a @status that may pass is believed
 * @table: the rules
 * @nr_text: entries in @text
 * @text: executable segments, for the load bias
 */
struct sframe_file {
	struct hlist_node node;
	struct list_head lru;
	struct file_key key;
	unsigned int refs;
	bool gone;
	struct mutex load;
	bool loaded;
	enum sframe_reason status;
	unsigned long until;
	struct sframe_table *table;
	unsigned int nr_text;
	struct sframe_segment text[SFRAME_ELF_MAX_TEXT];
};

/* Would the same file, unchanged, fare better another time? */
static inline bool sframe_transient(enum sframe_reason r)
{
	return r == SFRAME_NO_MEMORY || r == SFRAME_READ_FAILED ||
	       r == SFRAME_FILE_CHANGED;
}

bool sframe_file_key_same(const struct file_key *a, const struct file_key *b);
/* The file with that key, loaded or not, with a reference; or NULL. */
struct sframe_file *sframe_cache_get(const struct file_key *key);
/* Free up to @nr unused files; how many were. May sleep. */
unsigned long sframe_cache_evict(unsigned long nr);
/* Bytes that one more table may take; then, that it did take them. */
size_t sframe_cache_room(void);
void sframe_cache_charge(const struct sframe_table *table);

#endif /* SFRAME_FILE_H */
