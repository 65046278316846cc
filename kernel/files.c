// SPDX-License-Identifier: GPL-2.0
/*
 * The images of files, for updates of maps: looks a file's image up in the cache
 * (cache.c), and has workers build its table (build.c).
 */
#include <linux/seq_file.h>

#include "account.h"
#include "build.h"
#include "cache.h"
#include "file_key.h"
#include "files.h"
#include "image.h"
#include "queue.h"
#include "stats.h"

static struct sframe_image *image_get_or_request(const struct sframe_file_key *key,
						 struct file *file)
{
	struct sframe_payer *payer = sframe_payer_of(sframe_payer_uid_current());
	struct sframe_image *image;

	if (!payer)
		return NULL;
	image = sframe_cache_get(key, payer);
	if (image)
		sframe_build_request(image, file, payer);
	sframe_payer_put(payer);
	return image;
}

/* As sframe_image_of_file(), of a file that is read. */
static struct sframe_image *image_of_readable(struct file *file, struct sframe_image *likely)
{
	struct sframe_file_key key __uninitialized;
	enum sframe_reason r = sframe_file_key_get(file, &key);

	if (r) {
		sframe_refuse(r);
		return NULL;
	}
	if (likely && !sframe_image_unsettled(likely) &&
	    sframe_file_key_same(&likely->key, &key))
		return sframe_image_get(likely);
	return image_get_or_request(&key, file);
}

/**
 * sframe_image_of_file() - get the image of a mapped file
 * @file: the file
 * @likely: an image that it may well be, kept by the caller; or NULL
 * @image: set to the image with a reference, with a table or (still) without; NULL if there
 *	is no memory, no room in the user's share, or such files are not read
 *
 * Does not read the file: if its content is not known yet, a worker is asked to build
 * the table, and to do so again after failures that may pass. The current task's user
 * pays. Devices and the like are not read: that is counted, as all that is refused.
 *
 * Context: task context, may sleep; no lock held but mutexes.
 * Return: true if such files are read: then what failed may be asked for again.
 */
bool sframe_image_of_file(struct file *file, struct sframe_image *likely,
			  struct sframe_image **image)
{
	enum sframe_reason r = sframe_file_readable(file);

	if (r)
		sframe_refuse(r);
	*image = r ? NULL : image_of_readable(file, likely);
	return !r;
}

/**
 * sframe_files_init() - set up, before any file is looked at
 *
 * Context: process context, may sleep.
 * Return: 0 or -ENOMEM.
 */
int sframe_files_init(void)
{
	int ret = sframe_cache_init();

	if (ret)
		return ret;
	ret = sframe_build_init();
	if (ret)
		sframe_cache_exit();
	return ret;
}

/**
 * sframe_files_exit() - stop the workers, and free all images
 *
 * All maps are gone, so the workers and the cache hold the only references.
 *
 * Context: process context, may sleep.
 */
void sframe_files_exit(void)
{
	sframe_build_exit();
	sframe_cache_exit();
}

/**
 * sframe_files_show() - print counts of images, tables and jobs
 * @m: where to print them
 *
 * Context: process context, may sleep.
 */
void sframe_files_show(struct seq_file *m)
{
	sframe_cache_show(m);
	sframe_queue_show(m);
	seq_printf(m, "build_bytes %zu\n", sframe_account_used(SFRAME_RES_BUILD));
}
