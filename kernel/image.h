/* SPDX-License-Identifier: GPL-2.0 */
/*
 * An image: what is known of one state of a file, or of the vDSO; its table, once there
 * is one.
 */
#ifndef SFRAME_IMAGE_H
#define SFRAME_IMAGE_H

#include <linux/compiler.h>
#include <linux/list.h>
#include <linux/refcount.h>
#include <linux/types.h>
#include <linux/uidgid.h>
#include <linux/wait.h>

#include <sframe/elf.h>
#include <sframe/table.h>

#include "file_key.h"

struct file;
struct sframe_payer;

/**
 * struct sframe_image - what is known of one file, in one state of its content
 * @table: the rules; published with release by who first has built it, constant from then
 *	on. NULL: none, or none yet
 * @nr_text: entries in @text; constant once @table is there, and read only after that was,
 *	with acquire
 * @text: executable segments, to find load biases; likewise
 * @is_program: an ELF file without any table; its code is taken to stay as it is, as where
 *	there is a table. Set once, by a worker, and read, without a lock
 * @id: its number, from 1 on, which no other image ever has; constant
 * @in_all: every process maps it (the vDSO), so its table is no reason to take a walk
 *	over from perf; constant
 * @refs: of maps and callers; one of each job; one of the cache, or of vdso.c, which frees it
 *	when that is the only one
 * @coming: a job for it waits or runs; written under the lock of queue.c, cleared with
 *	release: what that job found is visible then
 * @waiters: tasks that wait until @coming is clear
 * @payer: user who pays for this image (SFRAME_RES_IMAGES), with a reference; the lock
 *	of cache.c. NULL if nobody does, as it is not in the cache
 * @table_payer: user who pays for the bytes of @table (SFRAME_RES_TABLES), with a
 *	reference; set with @table, under publish_lock, later under the lock of cache.c
 * @node: in the hash; the lock of cache.c
 * @lru: in @payer's list; the lock of cache.c
 * @key: which file it is, in which state; constant
 * @used: it was asked for since eviction last looked at it; the lock of cache.c
 * @jobs: all jobs for it, waiting, set aside or running; the lock of queue.c
 * @nr_jobs: entries in @jobs; the lock of queue.c
 * @building: jobs for it that run; the lock of queue.c
 * @settled: no further job is needed: it has a table, or the file's content says why
 *	not; set under the lock of queue.c with release, read without it
 * @failures: jobs that failed for reasons that may pass; the lock of queue.c
 * @failed_for: user of the last of those; the lock of queue.c
 * @retry_at: jiffies when that user may ask again; the lock of queue.c
 */
struct sframe_image {
	const struct sframe_table *table;
	unsigned int nr_text;
	struct sframe_segment text[SFRAME_ELF_MAX_TEXT];
	refcount_t refs;
	u64 id;
	bool is_program;
	bool in_all;
	bool coming;
	wait_queue_head_t waiters;
	struct sframe_payer *payer;
	struct sframe_payer *table_payer;

	struct hlist_node node;
	struct list_head lru;
	struct sframe_file_key key;
	bool used;

	struct list_head jobs;
	unsigned int nr_jobs;
	unsigned int building;
	bool settled;
	unsigned int failures;
	kuid_t failed_for;
	unsigned long retry_at;
};

/**
 * sframe_image_table() - get the rules of an image
 * @image: the image; kept by a reference, or by RCU and a map that has one
 *
 * Context: any, NMI included.
 * Return: the table, for as long as @image is kept; NULL if there is none, or
 * none yet.
 */
static inline const struct sframe_table *
sframe_image_table(const struct sframe_image *image)
{
	/* Pairs with sframe_image_publish(). */
	return smp_load_acquire(&image->table);
}

/**
 * sframe_image_coming() - may a table appear without anybody asking again?
 * @image: the image
 *
 * Context: any, NMI included.
 * Return: true while a job for it waits or runs.
 */
static inline bool sframe_image_coming(const struct sframe_image *image)
{
	/* Pairs with sframe_image_no_longer_coming(). */
	return smp_load_acquire(&image->coming);
}

/**
 * sframe_image_unsettled() - may a table appear if somebody asks again?
 * @image: the image
 *
 * Context: any, NMI included.
 * Return: true unless it has a table, or the file's content says why it never will.
 *	True also while it is coming, and after failures that may pass: then it is
 *	worth calling sframe_image_of_file() again, at most once a second.
 */
static inline bool sframe_image_unsettled(const struct sframe_image *image)
{
	/* Pairs with image_settle(). */
	return !smp_load_acquire(&image->settled);
}

/**
 * sframe_image_is_program() - is it a program, or a library, of which nothing is known?
 * @image: the image, or NULL
 *
 * Context: any, NMI included.
 * Return: true if so; false also as long as that is not known.
 */
static inline bool sframe_image_is_program(const struct sframe_image *image)
{
	return image && READ_ONCE(image->is_program);
}

bool sframe_image_of_file(struct file *file, struct sframe_image *likely,
			  struct sframe_image **image);
bool sframe_image_bias(const struct sframe_image *image, u64 start, u64 offset,
		       u64 *bias);
bool sframe_image_wait(struct sframe_image *image, unsigned long deadline);
struct sframe_image *sframe_image_get(struct sframe_image *image);
void sframe_image_put(struct sframe_image *image);

struct sframe_image *sframe_image_alloc(struct sframe_payer *payer);
bool sframe_image_publish(struct sframe_image *image, const struct sframe_table *table,
			  const struct sframe_elf *elf, struct sframe_payer *payer);
void sframe_image_no_longer_coming(struct sframe_image *image);
void sframe_image_free(struct sframe_image *image);

#endif /* SFRAME_IMAGE_H */
