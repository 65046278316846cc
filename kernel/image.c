// SPDX-License-Identifier: GPL-2.0
/*
 * Images: what is known of one file, or of the vDSO, shared by all maps that map it.
 * An image exists before its table does; whoever holds it looks whether that is there.
 */
#include <linux/cleanup.h>
#include <linux/jiffies.h>
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/string.h>
#include <linux/wait.h>

#include <sframe/table.h>

#include "account.h"
#include "image.h"

static bool segment_holds(const struct sframe_segment *s, u64 offset)
{
	return offset >= round_down(s->offset, PAGE_SIZE) &&
	       offset < s->offset + s->size;
}

static bool segment_first_page_is(const struct sframe_segment *s, u64 offset)
{
	return round_down(s->offset, PAGE_SIZE) == offset;
}

/**
 * sframe_image_bias() - load address of a mapping, less its link-time address
 * @image: the image; it has a table
 * @start: first address of the mapping
 * @offset: its position in the file, bytes
 * @bias: set to the difference
 *
 * Two segments may share a page of the file. The loader maps each from the page on that
 * it begins in, so take the one whose first page this is. If both begin in it, nothing
 * tells which is mapped: that matters unless they are as far from their link-time addresses.
 *
 * Context: any, NMI included.
 * Return: false if no executable segment is mapped there, or it is not known which.
 */
bool sframe_image_bias(const struct sframe_image *image, u64 start, u64 offset,
		       u64 *bias)
{
	const struct sframe_segment *s, *found = NULL;
	bool first, found_first = false;
	unsigned int i;

	for (i = 0; i < image->nr_text; i++) {
		s = &image->text[i];
		if (!segment_holds(s, offset))
			continue;
		first = segment_first_page_is(s, offset);
		if (first && found_first &&
		    s->vaddr - s->offset != found->vaddr - found->offset)
			return false;
		if (!found || (first && !found_first)) {
			found = s;
			found_first = first;
		}
	}
	if (found)
		*bias = start - offset - (found->vaddr - found->offset);
	return found;
}

/**
 * sframe_image_wait() - wait until no job is pending for an image
 * @image: the image
 * @deadline: latest time to wait until, jiffies
 *
 * Context: task context, sleeps; killable. No lock held.
 * Return: true if the image is no longer coming; false if time is up, or the task is
 *	being killed.
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

/* 0, and then the last &sframe_image.id. */
static atomic64_t last_id;

/**
 * sframe_image_alloc() - make an image without a table
 * @payer: the user for whom it was accounted, or NULL
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
	image->id = atomic64_inc_return(&last_id);
	init_waitqueue_head(&image->waiters);
	INIT_LIST_HEAD(&image->jobs);
	if (payer)
		image->payer = sframe_payer_get(payer);
	return image;
}

/* Serializes workers that publish a table for the same image: the first wins. A leaf. */
static DEFINE_SPINLOCK(publish_lock);

/**
 * sframe_image_publish() - give an image its table
 * @image: the image
 * @table: the table; the image owns it from now on
 * @elf: the file's segments
 * @payer: the user for whom its bytes were accounted, or NULL
 *
 * Context: process context.
 * Return: false if another worker was faster: then @table stays the caller's.
 */
bool sframe_image_publish(struct sframe_image *image, const struct sframe_table *table,
			  const struct sframe_elf *elf, struct sframe_payer *payer)
{
	guard(spinlock)(&publish_lock);
	if (image->table)
		return false;
	image->nr_text = elf->nr_text;
	memcpy(image->text, elf->text, sizeof(image->text));
	if (payer)
		image->table_payer = sframe_payer_get(payer);
	/* Pairs with sframe_image_table(). */
	smp_store_release(&image->table, table);
	return true;
}

/**
 * sframe_image_no_longer_coming() - no job is pending for the image any more
 * @image: the image
 *
 * Context: any but NMI; the lock of queue.c is held. Wakes whoever waits.
 */
void sframe_image_no_longer_coming(struct sframe_image *image)
{
	/* Pairs with sframe_image_coming(). */
	smp_store_release(&image->coming, false);
	wake_up_all(&image->waiters);
}

/**
 * sframe_image_free() - free an image, and give back what is accounted for it
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
 * No RCU reader may reach it through the caller's map any more. The first reference, the
 * cache's or the vDSO's, is never dropped: who has that frees the image.
 *
 * Context: any.
 */
void sframe_image_put(struct sframe_image *image)
{
	if (image)
		refcount_dec(&image->refs);
}
