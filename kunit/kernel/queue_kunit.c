// SPDX-License-Identifier: GPL-2.0
/*
 * Whose turn it is. No worker takes part: what the queue hands out is run here.
 */
#include <kunit/test.h>

#include <linux/list.h>
#include <linux/prandom.h>
#include <linux/slab.h>

#include "../../kernel/account.h"
#include "../../kernel/image.h"
#include "../../kernel/queue.h"
#include "made.h"

#define USERS		6
#define IMAGES		64
#define STEPS		20000

/* A job that is nobody's but the queue's; and its user's number. */
struct entry {
	struct sframe_job job;
	unsigned int user;
};

static struct sframe_image *held_image(struct kunit *test)
{
	struct sframe_image *image = sframe_image_alloc(NULL);

	KUNIT_ASSERT_NOT_NULL(test, image);
	/* As if a map had it, and the cache. */
	return sframe_image_get(image);
}

static void release_image(struct sframe_image *image)
{
	sframe_image_put(image);
	sframe_image_free(image);
}

static struct entry *add(struct kunit *test, struct sframe_image *image,
			 struct sframe_payer *payer, unsigned int user)
{
	struct entry *e = kunit_kzalloc(test, sizeof(*e), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, e);
	e->job.image = sframe_image_get(image);
	e->job.payer = payer;
	e->user = user;
	if (sframe_queue_add(&e->job))
		return e;
	sframe_image_put(image);
	return NULL;
}

/* Drop what is in @dropped; how many that were. */
static unsigned int drop(struct list_head *dropped)
{
	struct sframe_job *job, *next;
	unsigned int n = 0;

	list_for_each_entry_safe(job, next, dropped, turn) {
		sframe_image_put(job->image);
		n++;
	}
	INIT_LIST_HEAD(dropped);
	return n;
}

static struct sframe_job *next_job(struct kunit *test)
{
	LIST_HEAD(dropped);
	struct sframe_job *job = sframe_queue_next(&dropped);

	KUNIT_EXPECT_EQ(test, drop(&dropped), 0u);
	return job;
}

static unsigned int done(struct sframe_job *job, enum sframe_reason status)
{
	LIST_HEAD(dropped);

	sframe_queue_done(job, status, &dropped);
	return drop(&dropped);
}

/*
 * The model: who may have a worker since when. Of these, the one who waited
 * longest has the next.
 */
struct model {
	unsigned int waiting[USERS];
	unsigned int running[USERS];
	unsigned int all_running;
	unsigned long since[USERS];	/* 0: may not */
	unsigned long clock;
};

static void model_update(struct model *m)
{
	unsigned int i;

	for (i = 0; i < USERS; i++) {
		if (!m->waiting[i] || m->running[i] == 2)
			m->since[i] = 0;
		else if (!m->since[i])
			m->since[i] = ++m->clock;
	}
}

/* USERS if nobody may. The first user is root. */
static unsigned int model_next(const struct model *m)
{
	unsigned int i, first = USERS;

	for (i = 0; i < USERS; i++)
		if (m->since[i] && (!i || m->all_running - m->running[0] < 6) &&
		    (first == USERS || m->since[i] < m->since[first]))
			first = i;
	return m->all_running < 8 ? first : USERS;
}

static void model_take(struct model *m, unsigned int user)
{
	m->waiting[user]--;
	m->running[user]++;
	m->all_running++;
	m->since[user] = 0;
	model_update(m);
}

static void model_done(struct model *m, unsigned int user)
{
	m->running[user]--;
	m->all_running--;
	model_update(m);
}

static void model_add(struct model *m, unsigned int user)
{
	m->waiting[user]++;
	model_update(m);
}

/**
 * struct trial - the queue and the model
 * @m: the model
 * @user: users
 * @image: one for each job; a job is there if @busy
 * @busy: waits or runs
 * @run: jobs that run
 */
struct trial {
	struct model m;
	struct sframe_payer *user[USERS];
	struct sframe_image *image[IMAGES];
	struct entry *busy[IMAGES];
	struct entry *run[SFRAME_WORKERS];
};

static void trial_add(struct kunit *test, struct trial *t, u32 rnd)
{
	unsigned int i = rnd % IMAGES, user = (rnd >> 8) % USERS;

	if (t->busy[i])
		return;
	/* What an image came to once would keep it from being asked for. */
	t->image[i] = held_image(test);
	t->busy[i] = add(test, t->image[i], t->user[user], user);
	KUNIT_ASSERT_NOT_NULL(test, t->busy[i]);
	model_add(&t->m, user);
}

static void trial_next(struct kunit *test, struct trial *t)
{
	unsigned int user = model_next(&t->m), i;
	struct sframe_job *job = next_job(test);
	struct entry *e;

	KUNIT_ASSERT_EQ(test, !job, user == USERS);
	if (!job)
		return;
	e = container_of(job, struct entry, job);
	KUNIT_ASSERT_EQ(test, e->user, user);
	model_take(&t->m, user);
	for (i = 0; t->run[i]; i++)
		;
	t->run[i] = e;
}

static void trial_done(struct kunit *test, struct trial *t, u32 rnd)
{
	unsigned int i = rnd % SFRAME_WORKERS, k;
	struct entry *e = t->run[i];

	if (!e)
		return;
	for (k = 0; t->busy[k] != e; k++)
		;
	KUNIT_EXPECT_EQ(test, done(&e->job, rnd & 0x100 ? SFRAME_OK :
						SFRAME_NO_MEMORY), 1u);
	model_done(&t->m, e->user);
	release_image(t->image[k]);
	t->run[i] = NULL;
	t->busy[k] = NULL;
	kunit_kfree(test, e);
}

static void trial_step(struct kunit *test, struct trial *t, u32 rnd)
{
	switch (rnd % 3) {
	case 0:
		trial_add(test, t, rnd >> 2);
		break;
	case 1:
		trial_next(test, t);
		break;
	default:
		trial_done(test, t, rnd >> 2);
	}
}

static void turns_beside_model(struct kunit *test)
{
	struct trial *t = kunit_kzalloc(test, sizeof(*t), GFP_KERNEL);
	struct rnd_state rnd;
	unsigned int i;

	KUNIT_ASSERT_NOT_NULL(test, t);
	prandom_seed_state(&rnd, 11);
	t->user[0] = sframe_payer_of(GLOBAL_ROOT_UID);
	KUNIT_ASSERT_NOT_NULL(test, t->user[0]);
	for (i = 1; i < USERS; i++)
		t->user[i] = made_user(test, i);
	for (i = 0; i < STEPS; i++)
		trial_step(test, t, prandom_u32_state(&rnd));
	/* And to the end. */
	for (i = 0; i < IMAGES + SFRAME_WORKERS; i++) {
		trial_next(test, t);
		trial_done(test, t, i);
	}
	for (i = 0; i < 2 * SFRAME_WORKERS; i++)
		trial_done(test, t, i);
	KUNIT_EXPECT_NULL(test, next_job(test));
	KUNIT_EXPECT_EQ(test, t->m.all_running, 0u);
	for (i = 0; i < USERS; i++)
		sframe_payer_put(t->user[i]);
}

/* However many jobs a user has, another's first comes second at the latest. */
static void user_with_many_jobs(struct kunit *test)
{
	struct sframe_payer *many = made_user(test, 1), *few = made_user(test, 2);
	struct sframe_image *image[20];
	struct sframe_job *job;
	int i;

	for (i = 0; i < 20; i++) {
		image[i] = held_image(test);
		KUNIT_ASSERT_NOT_NULL(test, add(test, image[i],
						i < 19 ? many : few, 0));
	}
	job = next_job(test);
	KUNIT_ASSERT_NOT_NULL(test, job);
	KUNIT_EXPECT_PTR_EQ(test, job->payer, many);
	done(job, SFRAME_OK);
	job = next_job(test);
	KUNIT_ASSERT_NOT_NULL(test, job);
	KUNIT_EXPECT_PTR_EQ(test, job->payer, few);
	done(job, SFRAME_OK);
	while ((job = next_job(test)))
		done(job, SFRAME_OK);
	for (i = 0; i < 20; i++)
		release_image(image[i]);
	sframe_payer_put(few);
	sframe_payer_put(many);
}

/* Two users want one image. What is found holds for both. */
static void one_finds_for_all(struct kunit *test)
{
	struct sframe_payer *a = made_user(test, 1), *b = made_user(test, 2);
	struct sframe_image *image = held_image(test);
	struct sframe_job *job;

	KUNIT_EXPECT_NOT_NULL(test, add(test, image, a, 0));
	KUNIT_EXPECT_NULL(test, add(test, image, a, 0));
	KUNIT_EXPECT_NOT_NULL(test, add(test, image, b, 1));
	KUNIT_EXPECT_TRUE(test, sframe_image_coming(image));
	job = next_job(test);
	KUNIT_ASSERT_NOT_NULL(test, job);
	KUNIT_EXPECT_NULL(test, next_job(test));
	KUNIT_EXPECT_EQ(test, done(job, SFRAME_NO_SFRAME), 2u);
	KUNIT_EXPECT_FALSE(test, sframe_image_coming(image));
	KUNIT_EXPECT_FALSE(test, sframe_image_unsettled(image));
	KUNIT_EXPECT_FALSE(test, sframe_queue_wants(image, b));
	KUNIT_EXPECT_NULL(test, next_job(test));
	release_image(image);
	sframe_payer_put(b);
	sframe_payer_put(a);
}

/* What may be one user's own trouble is no other's. */
static void one_fails_for_itself(struct kunit *test)
{
	struct sframe_payer *a = made_user(test, 1), *b = made_user(test, 2);
	struct sframe_image *image = held_image(test);
	struct sframe_job *job;

	KUNIT_EXPECT_NOT_NULL(test, add(test, image, a, 0));
	job = next_job(test);
	KUNIT_ASSERT_NOT_NULL(test, job);
	/* Set aside while that runs. */
	KUNIT_EXPECT_NOT_NULL(test, add(test, image, b, 1));
	KUNIT_EXPECT_NULL(test, next_job(test));
	KUNIT_EXPECT_EQ(test, done(job, SFRAME_SHARE), 1u);
	KUNIT_EXPECT_TRUE(test, sframe_image_coming(image));
	KUNIT_EXPECT_FALSE(test, sframe_queue_wants(image, a));
	job = next_job(test);
	KUNIT_ASSERT_NOT_NULL(test, job);
	KUNIT_EXPECT_PTR_EQ(test, job->payer, b);
	KUNIT_EXPECT_EQ(test, done(job, SFRAME_READ_FAILED), 1u);
	KUNIT_EXPECT_FALSE(test, sframe_image_coming(image));
	KUNIT_EXPECT_TRUE(test, sframe_image_unsettled(image));
	KUNIT_EXPECT_TRUE(test, sframe_queue_wants(image, a));
	KUNIT_EXPECT_FALSE(test, sframe_queue_wants(image, b));
	release_image(image);
	sframe_payer_put(b);
	sframe_payer_put(a);
}

/* A job that takes long does not keep others waiting: who is first, has done it for all. */
static void slow_one_is_overtaken(struct kunit *test)
{
	struct sframe_image *image = held_image(test);
	struct sframe_job *slow, *other;
	struct sframe_payer *user[3];
	unsigned int i;

	for (i = 0; i < 3; i++)
		user[i] = made_user(test, i + 1);
	KUNIT_EXPECT_NOT_NULL(test, add(test, image, user[0], 0));
	slow = next_job(test);
	KUNIT_ASSERT_NOT_NULL(test, slow);
	for (i = 1; i < 3; i++) {
		KUNIT_EXPECT_NOT_NULL(test, add(test, image, user[i], i));
		KUNIT_EXPECT_NULL(test, next_job(test));
		sframe_queue_overtake(slow);
		other = next_job(test);
		KUNIT_ASSERT_NOT_NULL(test, other);
		KUNIT_EXPECT_PTR_EQ(test, other->payer, user[i]);
		KUNIT_EXPECT_NULL(test, next_job(test));
		/* The first of these fails: the slow one is still at it. */
		KUNIT_EXPECT_EQ(test, done(other, i == 1 ? SFRAME_SHARE : SFRAME_OK), 1u);
		KUNIT_EXPECT_EQ(test, sframe_image_coming(image), i == 1);
	}
	KUNIT_EXPECT_FALSE(test, sframe_queue_wants(image, user[1]));
	KUNIT_EXPECT_EQ(test, done(slow, SFRAME_NO_MEMORY), 1u);
	KUNIT_EXPECT_FALSE(test, sframe_image_unsettled(image));
	release_image(image);
	for (i = 0; i < 3; i++)
		sframe_payer_put(user[i]);
}

/* Only the cache has it, and who waits for the worker: nobody needs it. */
static void given_up(struct kunit *test)
{
	struct sframe_payer *a = made_user(test, 1), *b = made_user(test, 2);
	struct sframe_image *image = held_image(test);
	LIST_HEAD(dropped);

	KUNIT_EXPECT_NOT_NULL(test, add(test, image, a, 0));
	KUNIT_EXPECT_NOT_NULL(test, add(test, image, b, 1));
	sframe_image_put(image);
	KUNIT_EXPECT_NULL(test, sframe_queue_next(&dropped));
	KUNIT_EXPECT_FALSE(test, sframe_image_coming(image));
	KUNIT_EXPECT_TRUE(test, sframe_queue_wants(image, a));
	KUNIT_EXPECT_EQ(test, drop(&dropped), 2u);
	sframe_image_free(image);
	sframe_payer_put(b);
	sframe_payer_put(a);
}

static struct kunit_case queue_cases[] = {
	KUNIT_CASE(turns_beside_model),
	KUNIT_CASE(user_with_many_jobs),
	KUNIT_CASE(one_finds_for_all),
	KUNIT_CASE(one_fails_for_itself),
	KUNIT_CASE(slow_one_is_overtaken),
	KUNIT_CASE(given_up),
	{}
};

static struct kunit_suite queue_suite = {
	.name = "sframe_queue",
	.test_cases = queue_cases,
};

kunit_test_suite(queue_suite);
