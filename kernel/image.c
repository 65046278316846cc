// SPDX-License-Identifier: GPL-2.0
/*
 * Images: one file's table each, shared by all maps that have the file. An
 * image is there before its table is; whoever holds it finds out by looking.
 */
#include <linux/jiffies.h>
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/wait.h>
#include <linux/workqueue.h>

#include <sframe/table.h>

#include "account.h"
#include "image.h"

/* Frees images whose last reference goes where one must not sleep. */
static struct workqueue_struct *image_wq;

static bool segment_holds(const struct sframe_segment *s, u64 offset)
{
	return offset >= round_down(s->offset, PAGE_SIZE) &&
	       offset < s->offset + s->size;
}

/**
 * sframe_image_bias() - load address of a mapping less its link-time address
 * @image: the image; it has a table
 * @start: where it is mapped
 * @offset: from this position in the file on, bytes
 * @bias: where to store it
 *
 * Two segments may share a page of the file. The loader maps each from the
 * page that it begins in, so that one is taken whose first page this is.
 *
 * Context: any, NMI included.
 * Return: false if what is mapped there is no executable segment.
 */
bool sframe_image_bias(const struct sframe_image *image, u64 start, u64 offset,
		       u64 *bias)
{
	const struct sframe_segment *s, *found = NULL;
	unsigned int i;

	for (i = 0; i < image->nr_text; i++) {
		s = &image->text[i];
		if (!segment_holds(s, offset))
			continue;
		if (!found)
			found = s;
		if (round_down(s->offset, PAGE_SIZE) == offset) {
			found = s;
			break;
		}
	}
	if (found)
		*bias = start - offset - (found->vaddr - found->offset);
	return found;
}

/**
 * sframe_image_wait() - wait until a worker is done with an image
 * @image: the image
 * @deadline: but not longer than until then, jiffies
 *
 * Context: task context, sleeps; killable. No lock held.
 * Return: true if it is no longer coming; false if time is up, or the task is
 * being killed.
 */
bool sframe_image_wait(struct sframe_image *image, unsigned long deadline)
{
	long left = deadline - jiffies;

	if (!sframe_image_coming(image))
		return true;
	return left > 0 &&
	       wait_event_killable_timeout(image->waiters,
					   !sframe_image_coming(image),
					   left) > 0;
}

/**
 * sframe_image_alloc() - an image of nothing yet
 * @payer: who holds it (it was taken already), or NULL
 *
 * Context: process context, may sleep.
 * Return: the image with one reference, or NULL: out of memory.
 */
struct sframe_image *sframe_image_alloc(struct sframe_payer *payer)
{
	struct sframe_image *image = kzalloc(sizeof(*image),
					     GFP_KERNEL_ACCOUNT);

	if (!image)
		return NULL;
	refcount_set(&image->refs, 1);
	init_waitqueue_head(&image->waiters);
	INIT_LIST_HEAD(&image->jobs);
	if (payer)
		image->payer = sframe_payer_get(payer);
	return image;
}

/**
 * sframe_image_publish() - give an image its table
 * @image: the image; it has none yet, and its segments are set
 * @table: the table; now the image's
 * @payer: who holds its bytes (they were taken already), or NULL
 *
 * Context: process context; only the one worker that has this image.
 */
void sframe_image_publish(struct sframe_image *image,
			  const struct sframe_table *table,
			  struct sframe_payer *payer)
{
	if (payer)
		image->table_payer = sframe_payer_get(payer);
	/* Pairs with sframe_image_table(). */
	smp_store_release(&image->table, table);
}

/**
 * sframe_image_no_longer_coming() - no worker has this image before it
 * @image: the image
 *
 * Context: any but NMI; the lock of queue.c is held. Whoever waits is woken.
 */
void sframe_image_no_longer_coming(struct sframe_image *image)
{
	/* Pairs with sframe_image_coming(). */
	smp_store_release(&image->coming, false);
	wake_up_all(&image->waiters);
}

/**
 * sframe_image_free() - free an image, and give back what is held for it
 * @image: nobody has a reference, nor any way to find it
 *
 * Context: process context.
 */
void sframe_image_free(struct sframe_image *image)
{
	const struct sframe_table *table = image->table;

	if (table && image->table_payer)
		sframe_account_give(image->table_payer, SFRAME_RES_TABLES,
				    table->bytes);
	sframe_table_free(table);
	if (image->payer)
		sframe_account_give(image->payer, SFRAME_RES_IMAGES, 1);
	sframe_payer_put(image->table_payer);
	sframe_payer_put(image->payer);
	kfree(image);
}

static void image_free_work(struct work_struct *work)
{
	sframe_image_free(container_of(work, struct sframe_image, free));
}

/**
 * sframe_image_get() - take another reference
 * @image: the image
 *
 * Context: any.
 * Return: @image.
 */
struct sframe_image *sframe_image_get(struct sframe_image *image)
{
	refcount_inc(&image->refs);
	return image;
}

/**
 * sframe_image_put() - drop a reference
 * @image: the image, or NULL
 *
 * No RCU reader can see it through the caller's map any more.
 *
 * Context: any but NMI.
 */
void sframe_image_put(struct sframe_image *image)
{
	if (!image || !refcount_dec_and_test(&image->refs))
		return;
	INIT_WORK(&image->free, image_free_work);
	queue_work(image_wq, &image->free);
}

/**
 * sframe_image_init() - before there is any image
 *
 * Return: 0 or -ENOMEM.
 */
int sframe_image_init(void)
{
	image_wq = alloc_workqueue("sframe-images", WQ_UNBOUND | WQ_MEM_RECLAIM,
				   0);
	return image_wq ? 0 : -ENOMEM;
}

/**
 * sframe_image_exit() - wait until the last image is freed
 *
 * Nobody has a reference to any.
 */
void sframe_image_exit(void)
{
	destroy_workqueue(image_wq);
}
