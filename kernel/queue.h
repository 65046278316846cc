/* SPDX-License-Identifier: GPL-2.0 */
/* The queue of jobs: a job is one user's wish that an image have its table. */
#ifndef SFRAME_QUEUE_H
#define SFRAME_QUEUE_H

#include <linux/list.h>
#include <linux/types.h>
#include <linux/workqueue.h>

#include <sframe/reason.h>

struct file;
struct mem_cgroup;
struct seq_file;
struct sframe_image;
struct sframe_payer;
struct task_struct;

/* Jobs that run at a time, at most: in all; of all users but root; of one user. */
#define SFRAME_WORKERS		8
#define SFRAME_WORKERS_USERS	6
#define SFRAME_WORKERS_EACH	2

/**
 * struct sframe_job - a user wants an image to have its table
 * @turn: in its user's queue; in none while it runs, or is set aside as another user's
 *	job for the image runs; the lock of queue.c
 * @of_image: in the image's list of jobs; the lock of queue.c
 * @image: the image, with a reference
 * @payer: the user, with a reference
 * @file: the file as the user opened it, with a reference
 * @memcg: memory cgroup to charge, with a reference; or NULL
 * @running: it runs; the lock of queue.c
 * @task: the worker while it runs the job; the lock of build.c
 * @begun: jiffies when that began; the lock of build.c
 * @started: in the list of jobs that run; the lock of build.c
 * @work: runs it
 */
struct sframe_job {
	struct list_head turn;
	struct list_head of_image;
	struct sframe_image *image;
	struct sframe_payer *payer;
	struct file *file;
	struct mem_cgroup *memcg;
	bool running;
	struct task_struct *task;
	unsigned long begun;
	struct list_head started;
	struct work_struct work;
};

bool sframe_queue_wants(struct sframe_image *image, struct sframe_payer *payer);
bool sframe_queue_add(struct sframe_job *job);
struct sframe_job *sframe_queue_next(struct list_head *dropped);
void sframe_queue_done(struct sframe_job *job, enum sframe_reason status,
		       struct list_head *dropped);
void sframe_queue_overtake(const struct sframe_job *job);
bool sframe_queue_flush(struct list_head *dropped);
void sframe_queue_show(struct seq_file *m);

#endif /* SFRAME_QUEUE_H */
