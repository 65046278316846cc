// SPDX-License-Identifier: GPL-2.0
/*
 * Jobs that wait for a worker, and whose turn it is.
 *
 * Users take turns, however many jobs each has, and none has more than two
 * workers at once; nor have all but root together more than six of eight. A
 * user that wants an image has a job of its own, so it does not wait for
 * others' turns. Whichever job for an image runs first does it for all; the
 * others are set aside meanwhile. They are dropped when it found what is true
 * for everybody, a table or a reason why there is none; where it failed for a
 * reason that may be its user's own (killed, no memory, may not read), they go
 * back to the heads of their queues.
 */
#include <linux/jiffies.h>
#include <linux/seq_file.h>
#include <linux/spinlock.h>

#include "account.h"
#include "image.h"
#include "queue.h"

/* A user whose job failed asks again in vain until then. */
#define RETRY_PERIOD	HZ
#define RETRY_DOUBLINGS	6u

/* Jobs dropped at a time: with the lock held. */
#define DROP_AT_ONCE	32

/* Protects all below, and what account.h, image.h and queue.h say it does. */
static DEFINE_SPINLOCK(queue_lock);
static LIST_HEAD(turns);		/* users that may have a worker now */
static unsigned int running;		/* read without, too */
static unsigned int running_users;	/* of these, not root's */
static unsigned long waiting;		/* jobs in users' queues; as running */
static bool closed;

/* Have @payer take turns, if it has jobs and may have a worker; or not. */
static void payer_update_turn(struct sframe_payer *payer)
{
	bool may = !list_empty(&payer->jobs) &&
		   (closed || payer->running < SFRAME_WORKERS_EACH);

	lockdep_assert_held(&queue_lock);
	if (!may)
		list_del_init(&payer->turn);
	else if (list_empty(&payer->turn))
		list_add_tail(&payer->turn, &turns);
}

static void job_enqueue(struct sframe_job *job, bool at_head)
{
	lockdep_assert_held(&queue_lock);
	if (at_head)
		list_add(&job->turn, &job->payer->jobs);
	else
		list_add_tail(&job->turn, &job->payer->jobs);
	WRITE_ONCE(waiting, waiting + 1);
	payer_update_turn(job->payer);
}

/* Take a job out of its user's queue, if it is in it. */
static void job_dequeue(struct sframe_job *job)
{
	lockdep_assert_held(&queue_lock);
	if (list_empty(&job->turn))
		return;
	list_del_init(&job->turn);
	WRITE_ONCE(waiting, waiting - 1);
	payer_update_turn(job->payer);
}

/* The job is nobody's any more but the caller's. */
static void job_forget(struct sframe_job *job, struct list_head *dropped)
{
	lockdep_assert_held(&queue_lock);
	job_dequeue(job);
	list_del_init(&job->of_image);
	job->image->nr_jobs--;
	list_add_tail(&job->turn, dropped);
}

static void image_forget_jobs(struct sframe_image *image, struct list_head *dropped)
{
	struct sframe_job *job, *next;

	lockdep_assert_held(&queue_lock);
	list_for_each_entry_safe(job, next, &image->jobs, of_image)
		job_forget(job, dropped);
	sframe_image_no_longer_coming(image);
}

/* Failed not long ago, for this very user? */
static bool image_retry_too_early(const struct sframe_image *image,
				  const struct sframe_payer *payer)
{
	lockdep_assert_held(&queue_lock);
	return image->failures && uid_eq(image->failed_for, payer->uid) &&
	       time_before(jiffies, image->retry_at);
}

static bool job_is_wanted(const struct sframe_image *image,
			  const struct sframe_payer *payer)
{
	const struct sframe_job *job;

	lockdep_assert_held(&queue_lock);
	if (closed || image->settled || image_retry_too_early(image, payer))
		return false;
	list_for_each_entry(job, &image->jobs, of_image)
		if (job->payer == payer)
			return false;
	return true;
}

/**
 * sframe_queue_wants() - would a user's job for an image be of use?
 * @image: the image
 * @payer: the user
 *
 * Context: process context.
 * Return: false if it is known what its file holds, the user has a job for it
 * already, or one failed not long ago.
 */
bool sframe_queue_wants(struct sframe_image *image, struct sframe_payer *payer)
{
	if (!sframe_image_unsettled(image))
		return false;
	guard(spinlock)(&queue_lock);
	return job_is_wanted(image, payer);
}

/**
 * sframe_queue_add() - have a job wait for a worker
 * @job: the job; its image, user and file are set
 *
 * Context: process context.
 * Return: false if it is of no use; then it stays the caller's.
 */
bool sframe_queue_add(struct sframe_job *job)
{
	struct sframe_image *image = job->image;

	guard(spinlock)(&queue_lock);
	if (!job_is_wanted(image, job->payer))
		return false;
	INIT_LIST_HEAD(&job->turn);
	list_add_tail(&job->of_image, &image->jobs);
	image->nr_jobs++;
	WRITE_ONCE(image->coming, true);
	/* If another job for it runs, this one is set aside at once. */
	if (!image->building)
		job_enqueue(job, false);
	return true;
}

/*
 * The cache has a reference, and each job: is there any other? Who takes one
 * now asks for the image anew, which makes another job.
 */
static bool image_is_given_up(const struct sframe_image *image)
{
	lockdep_assert_held(&queue_lock);
	return refcount_read(&image->refs) <= image->nr_jobs + 1;
}

static void image_set_jobs_aside(struct sframe_image *image)
{
	struct sframe_job *job;

	lockdep_assert_held(&queue_lock);
	list_for_each_entry(job, &image->jobs, of_image)
		job_dequeue(job);
}

/* Users have all the workers they may have together: only root is left. */
static bool payer_is_held_up(const struct sframe_payer *payer)
{
	lockdep_assert_held(&queue_lock);
	return !closed && running_users >= SFRAME_WORKERS_USERS &&
	       !sframe_payer_is_root(payer);
}

/* The user whose turn it is comes last afterwards. */
static struct sframe_job *take_next_job(void)
{
	struct sframe_payer *payer;
	struct sframe_job *job;

	lockdep_assert_held(&queue_lock);
	list_for_each_entry(payer, &turns, turn)
		if (!payer_is_held_up(payer))
			break;
	if (list_entry_is_head(payer, &turns, turn))
		return NULL;
	job = list_first_entry(&payer->jobs, struct sframe_job, turn);
	list_del_init(&payer->turn);
	job_dequeue(job);
	return job;
}

static void payer_count_running(struct sframe_payer *payer, int by)
{
	lockdep_assert_held(&queue_lock);
	WRITE_ONCE(running, running + by);
	payer->running += by;
	if (!sframe_payer_is_root(payer))
		running_users += by;
	payer_update_turn(payer);
}

/**
 * sframe_queue_next() - the job whose turn it is
 * @dropped: list of jobs that the caller has to free
 *
 * Jobs whose image nobody holds any more are dropped.
 *
 * Context: process context.
 * Return: a job to run now, then to be handed to sframe_queue_done(). NULL if
 * there is none, or no worker for one; if @dropped got any, ask again.
 */
struct sframe_job *sframe_queue_next(struct list_head *dropped)
{
	struct sframe_job *job;
	unsigned int i;

	guard(spinlock)(&queue_lock);
	for (i = 0; running < SFRAME_WORKERS && i < DROP_AT_ONCE; i++) {
		job = closed ? NULL : take_next_job();
		if (!job)
			return NULL;
		if (image_is_given_up(job->image)) {
			image_forget_jobs(job->image, dropped);
			continue;
		}
		job->image->building = true;
		image_set_jobs_aside(job->image);
		payer_count_running(job->payer, 1);
		return job;
	}
	return NULL;
}

/* A failure that the same file, unchanged, may not meet another time? */
static bool failure_may_pass(enum sframe_reason status)
{
	return status == SFRAME_NO_MEMORY || status == SFRAME_SHARE ||
	       status == SFRAME_USERS_SHARE || status == SFRAME_READ_FAILED ||
	       status == SFRAME_FILE_CHANGED || status == SFRAME_FILE_KIND ||
	       status == SFRAME_FILE_WATCHED;
}

static void image_settle(struct sframe_image *image, struct list_head *dropped)
{
	lockdep_assert_held(&queue_lock);
	WRITE_ONCE(image->settled, true);
	image_forget_jobs(image, dropped);
}

static void image_retry_later(struct sframe_image *image,
			      const struct sframe_payer *payer)
{
	struct sframe_job *job;

	lockdep_assert_held(&queue_lock);
	image->failed_for = payer->uid;
	image->retry_at = jiffies +
			  (RETRY_PERIOD << min(image->failures,
					       RETRY_DOUBLINGS));
	image->failures++;
	list_for_each_entry(job, &image->jobs, of_image)
		job_enqueue(job, true);
	if (list_empty(&image->jobs))
		sframe_image_no_longer_coming(image);
}

/**
 * sframe_queue_done() - a job has run
 * @job: the job
 * @status: what became of it; SFRAME_OK: its image has a table now
 * @dropped: list of jobs that the caller has to free; @job is one of them
 *
 * Context: process context.
 */
void sframe_queue_done(struct sframe_job *job, enum sframe_reason status,
		       struct list_head *dropped)
{
	struct sframe_payer *payer = job->payer;
	struct sframe_image *image = job->image;

	guard(spinlock)(&queue_lock);
	image->building = false;
	image->status = status;
	job_forget(job, dropped);
	if (failure_may_pass(status))
		image_retry_later(image, payer);
	else
		image_settle(image, dropped);
	payer_count_running(payer, -1);
}

/**
 * sframe_queue_flush() - drop jobs that wait, and let no more in
 * @dropped: list of jobs that the caller has to free
 *
 * Those that run stay. When they are done, others of their users and for their
 * images may have to be dropped, too: call it again then.
 *
 * Context: process context.
 * Return: true if there may be more to drop.
 */
bool sframe_queue_flush(struct list_head *dropped)
{
	struct sframe_job *job;
	unsigned int i;

	guard(spinlock)(&queue_lock);
	closed = true;
	for (i = 0; i < DROP_AT_ONCE; i++) {
		job = take_next_job();
		if (!job)
			return false;
		image_forget_jobs(job->image, dropped);
	}
	return true;
}

/**
 * sframe_queue_show() - how many jobs there are
 * @m: where to print it
 */
void sframe_queue_show(struct seq_file *m)
{
	seq_printf(m, "builds_waiting %lu\nbuilds_running %u\n",
		   READ_ONCE(waiting), READ_ONCE(running));
}
