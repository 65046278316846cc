// SPDX-License-Identifier: GPL-2.0
/*
 * The queue of jobs that wait for a worker (build.c), and whose turn it is.
 *
 * Users take turns, however many jobs each has. No user has more than two workers at a
 * time, and all but root together no more than six of eight. Each user that wants an
 * image has its own job for it, so it does not wait for others' turns. The first job
 * for an image that runs does the work for all; the others are set aside meanwhile.
 * They are dropped if the result is true for everybody: a table, or a reason in the
 * file why there is none. If the job failed for a reason that may be its user's own
 * (killed, no memory, may not read), they go back to the heads of their queues. So they
 * do if it takes long, as its user may be slow (memory.high): whoever is first then, has
 * done it for all.
 */
#include <linux/jiffies.h>
#include <linux/seq_file.h>
#include <linux/spinlock.h>

#include "account.h"
#include "image.h"
#include "queue.h"

/*
 * After a failure, the same user's next job for the image is refused for this long;
 * doubled each time.
 */
#define RETRY_PERIOD	HZ
#define RETRY_DOUBLINGS	6u

/* Jobs dropped at a time with the lock held. */
#define DROP_AT_ONCE	32

/* Protects all below, and what account.h, image.h and queue.h say it does. */
static DEFINE_SPINLOCK(queue_lock);
static LIST_HEAD(turns);		/* users that have jobs, and may have a worker */
static unsigned int running;		/* also read without the lock */
static unsigned int running_users;	/* those of users but root */
static unsigned long waiting;		/* jobs in users' queues; also read without the lock */
static bool closed;

/* Put @payer into the list of turns if it has jobs and may have a worker, else take it out. */
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

/* Take a job out of its user's queue, if it is there. */
static void job_dequeue(struct sframe_job *job)
{
	lockdep_assert_held(&queue_lock);
	if (list_empty(&job->turn))
		return;
	list_del_init(&job->turn);
	WRITE_ONCE(waiting, waiting - 1);
	payer_update_turn(job->payer);
}

/* Take a job away from its user and its image; the caller frees it. */
static void job_forget(struct sframe_job *job, struct list_head *dropped)
{
	lockdep_assert_held(&queue_lock);
	job_dequeue(job);
	list_del_init(&job->of_image);
	job->image->nr_jobs--;
	list_add_tail(&job->turn, dropped);
}

/* But for those that run: sframe_queue_done() will be called for each. */
static void image_forget_jobs(struct sframe_image *image, struct list_head *dropped)
{
	struct sframe_job *job, *next;

	lockdep_assert_held(&queue_lock);
	list_for_each_entry_safe(job, next, &image->jobs, of_image)
		if (!job->running)
			job_forget(job, dropped);
	sframe_image_no_longer_coming(image);
}

/* Has a job for the image failed for this user too lately for another attempt? */
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
 * sframe_queue_wants() - would a job for an image be of use to a user?
 * @image: the image
 * @payer: the user
 *
 * Context: process context.
 * Return: false if it is known what the file holds, the user has a job for it already,
 *	or one failed not long ago.
 */
bool sframe_queue_wants(struct sframe_image *image, struct sframe_payer *payer)
{
	if (!sframe_image_unsettled(image))
		return false;
	guard(spinlock)(&queue_lock);
	return job_is_wanted(image, payer);
}

/**
 * sframe_queue_add() - queue a job
 * @job: the job; its image, user, file and memory cgroup are set
 *
 * Context: process context.
 * Return: false if it is of no use; then the caller frees it.
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
	/* While another job for the image runs, this one is set aside. */
	if (!image->building)
		job_enqueue(job, false);
	return true;
}

/*
 * Has anybody a reference but the cache and the jobs? Whoever takes one now asks for
 * the image again, which makes another job.
 */
static bool image_is_given_up(const struct sframe_image *image)
{
	lockdep_assert_held(&queue_lock);
	return refcount_read(&image->refs) <= image->nr_jobs + 1;
}

/* Put the jobs that were set aside back at the heads of their users' queues. */
static void image_bring_jobs_back(struct sframe_image *image)
{
	struct sframe_job *job;

	lockdep_assert_held(&queue_lock);
	list_for_each_entry(job, &image->jobs, of_image)
		if (!job->running && list_empty(&job->turn))
			job_enqueue(job, true);
}

static void image_set_jobs_aside(struct sframe_image *image)
{
	struct sframe_job *job;

	lockdep_assert_held(&queue_lock);
	list_for_each_entry(job, &image->jobs, of_image)
		job_dequeue(job);
}

/* Have users all the workers that they may have together, so that only root may get one? */
static bool payer_is_held_up(const struct sframe_payer *payer)
{
	lockdep_assert_held(&queue_lock);
	return !closed && running_users >= SFRAME_WORKERS_USERS &&
	       !sframe_payer_is_root(payer);
}

/* Take the next user's first job; that user comes last from now on. */
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
 * sframe_queue_next() - take the next job to run
 * @dropped: list to which jobs are added that the caller has to free
 *
 * Jobs for images that nobody uses any more are dropped.
 *
 * Context: process context.
 * Return: a job to run, then to be handed to sframe_queue_done(). NULL if there is
 *	none, or no worker for it; if @dropped got any, ask again.
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
		job->running = true;
		/* If another one runs, that took long: those brought back stay in their queues. */
		if (!job->image->building++)
			image_set_jobs_aside(job->image);
		payer_count_running(job->payer, 1);
		return job;
	}
	return NULL;
}

/* May the same file, unchanged, be read successfully another time? */
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
	/* Pairs with sframe_image_unsettled(): whoever sees it sees the table, too. */
	smp_store_release(&image->settled, true);
	image_forget_jobs(image, dropped);
}

static void image_retry_later(struct sframe_image *image,
			      const struct sframe_payer *payer)
{
	lockdep_assert_held(&queue_lock);
	image->failed_for = payer->uid;
	image->retry_at = jiffies +
			  (RETRY_PERIOD << min(image->failures,
					       RETRY_DOUBLINGS));
	image->failures++;
	if (!image->building)
		image_bring_jobs_back(image);
	if (list_empty(&image->jobs))
		sframe_image_no_longer_coming(image);
}

/**
 * sframe_queue_done() - account for a job that has run
 * @job: the job
 * @status: SFRAME_OK if its image has a table now, else why not
 * @dropped: list to which jobs are added that the caller has to free; @job is one of
 *	them
 *
 * Context: process context.
 */
void sframe_queue_done(struct sframe_job *job, enum sframe_reason status,
		       struct list_head *dropped)
{
	struct sframe_payer *payer = job->payer;
	struct sframe_image *image = job->image;

	guard(spinlock)(&queue_lock);
	image->building--;
	job_forget(job, dropped);
	payer_count_running(payer, -1);
	/* Another user's job was faster. */
	if (image->settled)
		return;
	if (failure_may_pass(status))
		image_retry_later(image, payer);
	else
		image_settle(image, dropped);
}

/**
 * sframe_queue_overtake() - a job takes long: let others for the same image run, too
 * @job: the job; it runs
 *
 * Context: process context, may be atomic.
 */
void sframe_queue_overtake(const struct sframe_job *job)
{
	guard(spinlock)(&queue_lock);
	if (!closed)
		image_bring_jobs_back(job->image);
}

/**
 * sframe_queue_flush() - drop waiting jobs, and accept no more
 * @dropped: list to which jobs are added that the caller has to free
 *
 * Jobs that run stay. When they are done, others of their users and for their images
 * may have to be dropped, too: then call this again.
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
 *
 * Context: process context.
 */
void sframe_queue_show(struct seq_file *m)
{
	seq_printf(m, "builds_waiting %lu\nbuilds_running %u\n",
		   READ_ONCE(waiting), READ_ONCE(running));
}
