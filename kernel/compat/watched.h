/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Is somebody asked before a file is read?
 */
#ifndef SFRAME_COMPAT_WATCHED_H
#define SFRAME_COMPAT_WATCHED_H

#include <linux/fs.h>
#include <linux/fsnotify.h>

/**
 * sframe_file_is_watched() - is a task asked before each read of this file?
 * @file: the file
 *
 * By fanotify's FAN_ACCESS_PERM or FAN_PRE_ACCESS. Whether an open file is watched is
 * decided when it is opened: later kernels keep it in f_mode for each of the two,
 * earlier ones for both together; the earliest only know it of the file system.
 *
 * Context: any.
 * Return: true if so.
 */
static inline bool sframe_file_is_watched(const struct file *file)
{
#if defined(FMODE_FSNOTIFY_ACCESS_PERM)
	return FMODE_FSNOTIFY_ACCESS_PERM(file->f_mode) ||
	       FMODE_FSNOTIFY_HSM(file->f_mode);
#elif defined(FMODE_FSNOTIFY_PERM)
	return FMODE_FSNOTIFY_PERM(file->f_mode);
#else
	return fsnotify_sb_has_priority_watchers(file_inode(file)->i_sb,
						 FSNOTIFY_PRIO_CONTENT);
#endif
}

#endif /* SFRAME_COMPAT_WATCHED_H */
