/* SPDX-License-Identifier: GPL-2.0 */
/* What identifies a file in one state of its content. */
#ifndef SFRAME_FILE_KEY_H
#define SFRAME_FILE_KEY_H

#include <linux/time64.h>
#include <linux/types.h>
#include <linux/uuid.h>

#include <sframe/reason.h>

struct file;
struct super_block;

/**
 * struct sframe_file_key - a file, in one state of its content
 * @sb: its file system; only compared, as it may be gone
 * @fs: the file system's UUID, as another one may be allocated at @sb
 * @dev: device, as stat() tells (btrfs subvolumes have their own)
 * @gen: the inode's generation
 * @ino: inode number
 * @size: bytes
 * @cookie: change cookie, where the file system vouches for one
 * @mtime: last change of the content
 * @ctime: last change of the inode
 */
struct sframe_file_key {
	const struct super_block *sb;
	uuid_t fs;
	dev_t dev;
	u32 gen;
	u64 ino;
	loff_t size;
	u64 cookie;
	struct timespec64 mtime;
	struct timespec64 ctime;
};

enum sframe_reason sframe_file_readable(const struct file *file);
enum sframe_reason sframe_file_key_get(struct file *file,
				       struct sframe_file_key *key);
bool sframe_file_key_same(const struct sframe_file_key *a,
			  const struct sframe_file_key *b);
bool sframe_file_is_remote(const struct file *file);

#endif /* SFRAME_FILE_KEY_H */
