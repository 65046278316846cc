// SPDX-License-Identifier: GPL-2.0
/*
 * Which files are read, and what identifies a file in one state of its content. Reads
 * nothing of the content, and keeps no reference: no file system stays mounted for what
 * is remembered.
 */
#include <linux/build_bug.h>
#include <linux/fs.h>
#include <linux/magic.h>
#include <linux/stat.h>
#include <linux/stddef.h>

#include "compat/watched.h"
#include "file_key.h"

/**
 * sframe_file_is_remote() - does a task in user space serve this file (FUSE)?
 * @file: the file
 *
 * That task may be waiting for us, or never answer.
 *
 * Context: any.
 * Return: true if so.
 */
bool sframe_file_is_remote(const struct file *file)
{
	return file_inode(file)->i_sb->s_magic == FUSE_SUPER_MAGIC;
}

/**
 * sframe_file_readable() - can and should a file be read by kernel_read()?
 * @file: the file
 *
 * kernel_read() warns about some files, and direct I/O needs other buffers. If a task
 * in user space is asked before each read, or serves it, that might make us wait for
 * ever.
 *
 * Context: any.
 * Return: SFRAME_OK, SFRAME_FILE_KIND or SFRAME_FILE_WATCHED.
 */
enum sframe_reason sframe_file_readable(const struct file *file)
{
	const struct inode *inode = file_inode(file);

	if (!S_ISREG(inode->i_mode) || !(file->f_mode & FMODE_READ) ||
	    !(file->f_mode & FMODE_CAN_READ) || (file->f_flags & O_DIRECT) ||
	    !file->f_op->read_iter || file->f_op->read ||
	    sframe_file_is_remote(file))
		return SFRAME_FILE_KIND;
	return sframe_file_is_watched(file) ? SFRAME_FILE_WATCHED : SFRAME_OK;
}

#define SIZE(field) sizeof_field(struct sframe_file_key, field)
static_assert(sizeof(struct sframe_file_key) ==
	      SIZE(sb) + SIZE(fs) + SIZE(dev) + SIZE(gen) + SIZE(ino) +
	      SIZE(size) + SIZE(cookie) + SIZE(mtime) + SIZE(ctime));

/**
 * sframe_file_key_get() - identify a file, in the state that it is in
 * @file: the file; it is readable
 * @key: filled in
 *
 * Context: process context, may sleep.
 * Return: SFRAME_OK or SFRAME_READ_FAILED.
 */
enum sframe_reason sframe_file_key_get(struct file *file,
				       struct sframe_file_key *key)
{
	const struct inode *inode = file_inode(file);
	struct kstat st __uninitialized;

	if (vfs_getattr_nosec(&file->f_path, &st,
			      STATX_BASIC_STATS | STATX_CHANGE_COOKIE,
			      AT_STATX_DONT_SYNC))
		return SFRAME_READ_FAILED;
	/* Field by field: the key is hashed as bytes, and has no padding. */
	key->sb = inode->i_sb;
	uuid_copy(&key->fs, &inode->i_sb->s_uuid);
	key->dev = st.dev;
	key->gen = inode->i_generation;
	key->ino = st.ino;
	key->size = st.size;
	key->cookie = st.result_mask & STATX_CHANGE_COOKIE ? st.change_cookie : 0;
	key->mtime = st.mtime;
	key->ctime = st.ctime;
	return SFRAME_OK;
}

/**
 * sframe_file_key_same() - do two keys stand for the same file in the same state?
 * @a: one
 * @b: the other
 *
 * Context: any.
 * Return: true if so.
 */
bool sframe_file_key_same(const struct sframe_file_key *a,
			  const struct sframe_file_key *b)
{
	return a->sb == b->sb && uuid_equal(&a->fs, &b->fs) &&
	       a->dev == b->dev && a->gen == b->gen && a->ino == b->ino &&
	       a->size == b->size && a->cookie == b->cookie &&
	       timespec64_equal(&a->mtime, &b->mtime) &&
	       timespec64_equal(&a->ctime, &b->ctime);
}
