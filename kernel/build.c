// SPDX-License-Identifier: GPL-2.0
/*
 * The workers that build tables, so that no task spends its own time on a file that
 * others map, too, nor reads it at its own priority while others wait. They run jobs
 * from the queue (queue.c) by way of convert.c.
 *
 * A worker acts for whoever asked: it reads with the credentials that the file was
 * opened with, and what it allocates is charged to the memory cgroup of the task that
 * maps the file.
 */
#include <linux/cred.h>
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/jiffies.h>
#include <linux/memcontrol.h>
#include <linux/sched/mm.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/workqueue.h>

#include "account.h"
#include "build.h"
#include "image.h"
#include "queue.h"
#include "stats.h"

/* After so long another user's job for the same image may run, too. */
#define OVERTAKE_PERIOD	(2 * HZ)

static struct workqueue_struct *build_wq;

/* Protects the two below, sframe_job.task, .begun and .started; queue.c's is taken inside. */
static DEFINE_SPINLOCK(started_lock);
static LIST_HEAD(started);
static bool closing;

static void job_free(struct sframe_job *job)
{
	sframe_image_put(job->image);
	sframe_payer_put(job->payer);
	mem_cgroup_put(job->memcg);
	fput(job->file);
	kfree(job);
}

static void free_dropped_jobs(struct list_head *dropped)
{
	struct sframe_job *job, *next;

	list_for_each_entry_safe(job, next, dropped, turn)
		job_free(job);
	INIT_LIST_HEAD(dropped);
}

/*
 * Start as many jobs as may run. This is a work item itself: jobs that are dropped here
 * belong to any user, and may have the last reference to a file.
 */
static void start_jobs(struct work_struct *unused)
{
	struct sframe_job *job;
	LIST_HEAD(dropped);
	bool again;

	do {
		job = sframe_queue_next(&dropped);
		if (job)
			queue_work(build_wq, &job->work);
		again = job || !list_empty(&dropped);
		free_dropped_jobs(&dropped);
	} while (again);
}

static DECLARE_WORK(start_work, start_jobs);
static void overtake_slow_jobs(struct work_struct *unused);
static DECLARE_DELAYED_WORK(overtake_work, overtake_slow_jobs);

/*
 * A user whose memory cgroup is above its memory.high is made to wait whenever memory is
 * charged to it, and so is the worker that charges it: that must not keep others waiting.
 */
static void overtake_slow_jobs(struct work_struct *unused)
{
	struct sframe_job *job;

	guard(spinlock)(&started_lock);
	if (closing || list_empty(&started))
		return;
	list_for_each_entry(job, &started, started)
		if (time_after(jiffies, job->begun + OVERTAKE_PERIOD))
			sframe_queue_overtake(job);
	queue_work(build_wq, &start_work);
	queue_delayed_work(build_wq, &overtake_work, OVERTAKE_PERIOD);
}

/* Let unload kill this worker from now on; false if the job must not begin. */
static bool job_start(struct sframe_job *job)
{
	allow_signal(SIGKILL);
	guard(spinlock)(&started_lock);
	job->task = current;
	job->begun = jiffies;
	list_add(&job->started, &started);
	if (!closing)
		queue_delayed_work(build_wq, &overtake_work, OVERTAKE_PERIOD + 1);
	return !closing;
}

/* This worker cannot be killed any more, and forgets that it was. */
static void job_end(struct sframe_job *job)
{
	scoped_guard(spinlock, &started_lock)
		list_del(&job->started);
	disallow_signal(SIGKILL);
}

static enum sframe_reason job_convert(struct sframe_job *job)
{
	const struct cred *own = override_creds(job->file->f_cred);
	struct mem_cgroup *none = set_active_memcg(job->memcg);
	enum sframe_reason r;

	r = sframe_convert(job->image, job->file, job->payer);
	set_active_memcg(none);
	revert_creds(own);
	return r;
}

static void job_run(struct work_struct *work)
{
	struct sframe_job *job = container_of(work, struct sframe_job, work);
	enum sframe_reason r = SFRAME_READ_FAILED;
	LIST_HEAD(dropped);

	if (job_start(job))
		r = job_convert(job);
	job_end(job);
	sframe_count(SFRAME_EV_BUILD);
	if (r)
		sframe_refuse(r);
	sframe_queue_done(job, r, &dropped);
	free_dropped_jobs(&dropped);
	queue_work(build_wq, &start_work);
}

static struct sframe_job *job_new(struct sframe_image *image, struct file *file,
				  struct sframe_payer *payer)
{
	struct sframe_job *job = kzalloc(sizeof(*job), GFP_KERNEL_ACCOUNT);

	if (!job)
		return NULL;
	job->image = sframe_image_get(image);
	job->payer = sframe_payer_get(payer);
	job->memcg = get_mem_cgroup_from_mm(current->mm);
	job->file = get_file(file);
	INIT_WORK(&job->work, job_run);
	return job;
}

/**
 * sframe_build_request() - have an image's table built, unless that is of no use
 * @image: the image
 * @file: its file; readable
 * @payer: the user who asks, and pays
 *
 * Context: task context, may sleep, but does not read the file.
 */
void sframe_build_request(struct sframe_image *image, struct file *file,
			  struct sframe_payer *payer)
{
	struct sframe_job *job;

	if (!sframe_queue_wants(image, payer))
		return;
	job = job_new(image, file, payer);
	if (!job)
		sframe_refuse(SFRAME_NO_MEMORY);
	else if (sframe_queue_add(job))
		queue_work(build_wq, &start_work);
	else
		job_free(job);
}

/**
 * sframe_build_init() - set up the workers, before anybody asks for a table
 *
 * Context: process context, may sleep.
 * Return: 0 or -ENOMEM.
 */
int sframe_build_init(void)
{
	/* Two more: for what starts jobs, and for what lets others overtake. */
	build_wq = alloc_workqueue("sframe-build", WQ_UNBOUND,
				   SFRAME_WORKERS + 2);
	return build_wq ? 0 : -ENOMEM;
}

static void drop_waiting_jobs(void)
{
	LIST_HEAD(dropped);
	bool more;

	do {
		more = sframe_queue_flush(&dropped);
		free_dropped_jobs(&dropped);
	} while (more);
}

static void kill_started_workers(void)
{
	struct sframe_job *job;

	guard(spinlock)(&started_lock);
	closing = true;
	list_for_each_entry(job, &started, started)
		send_sig(SIGKILL, job->task, 1);
}

/**
 * sframe_build_exit() - stop the workers
 *
 * Nobody asks for tables any more. Workers that read from a server which does not
 * answer are killed; that helps where the file system lets its readers be killed.
 *
 * Context: process context, may sleep.
 */
void sframe_build_exit(void)
{
	drop_waiting_jobs();
	kill_started_workers();
	cancel_delayed_work_sync(&overtake_work);
	drain_workqueue(build_wq);
	drop_waiting_jobs();
	destroy_workqueue(build_wq);
}
