// SPDX-License-Identifier: GPL-2.0
/*
 * For each CPU a trail, and what code has said: what the last walks there have found.
 *
 * Not for each task: most tasks are sampled seldom, and which will be again nobody
 * knows. Both are the walk's that takes them, until that puts them back, wherever the
 * task runs by then. Walks that interrupt it, or that run meanwhile, do without.
 */
#include <linux/atomic.h>
#include <linux/minmax.h>
#include <linux/percpu.h>
#include <linux/sizes.h>

#include <sframe/answers.h>
#include <sframe/trail.h>

#include "trails.h"

/* Most walks that do without after one that found nothing known. */
#define PAUSE_MAX	15

/**
 * struct cpu_trail - one CPU's
 * @taken: some walk has it, and what follows. Acquired and released, also by other CPUs
 * @pause: so many walks do without, for keeping a trail costs a third of a frame
 * @next_pause: as many next time
 * @trail: what was found
 */
struct cpu_trail {
	int taken;
	u8 pause;
	u8 next_pause;
	struct sframe_trail trail;
};

/**
 * struct cpu_answers - one CPU's
 * @taken: some walk has it, and what follows. Acquired and released, also by other CPUs
 * @answers: what code has said
 */
struct cpu_answers {
	int taken;
	struct sframe_answers answers;
};

/* The most that alloc_percpu() gives, on all kernels. */
static_assert(sizeof(struct cpu_answers) <= SZ_32K);

static struct cpu_trail __percpu *trails;
static struct cpu_answers __percpu *answers;

static bool percpu_try_take(int *taken)
{
	return !READ_ONCE(*taken) && !cmpxchg_acquire(taken, 0, 1);
}

static void percpu_give_back(int *taken)
{
	/* Pairs with the cmpxchg_acquire() of who takes it next. */
	smp_store_release(taken, 0);
}

/**
 * sframe_trail_take() - get this CPU's trail for a walk
 * @key: of what the walk sees, 0 if nothing says what that is
 *
 * Context: any, NMI included.
 * Return: the trail, begun; NULL for none.
 */
struct sframe_trail *sframe_trail_take(u64 key)
{
	struct cpu_trail *t;

	if (!key)
		return NULL;
	t = raw_cpu_ptr(trails);
	if (!percpu_try_take(&t->taken))
		return NULL;
	if (t->pause) {
		t->pause--;
		percpu_give_back(&t->taken);
		return NULL;
	}
	sframe_trail_begin(&t->trail, key);
	return &t->trail;
}

/**
 * sframe_trail_put() - the walk does not go on, or pauses
 * @trail: what it took
 * @paid: it was worth it
 *
 * Context: any, NMI included.
 */
void sframe_trail_put(struct sframe_trail *trail, bool paid)
{
	struct cpu_trail *t = container_of(trail, struct cpu_trail, trail);

	t->pause = paid ? 0 : t->next_pause;
	t->next_pause = paid ? 0 : min(2 * t->next_pause + 1, PAUSE_MAX);
	percpu_give_back(&t->taken);
}

/**
 * sframe_answers_take() - get what code has said, on this CPU, for a walk
 * @key: of the mappings that the walk sees, 0 if nothing says which these are
 *
 * Context: any, NMI included.
 * Return: the answers; NULL for none.
 */
struct sframe_answers *sframe_answers_take(u64 key)
{
	struct cpu_answers *a;

	if (!key)
		return NULL;
	a = raw_cpu_ptr(answers);
	if (!percpu_try_take(&a->taken))
		return NULL;
	a->answers.key = key;
	return &a->answers;
}

/**
 * sframe_answers_put() - the walk does not go on, or pauses
 * @answers: what it took
 *
 * Context: any, NMI included.
 */
void sframe_answers_put(struct sframe_answers *answers)
{
	percpu_give_back(&container_of(answers, struct cpu_answers, answers)->taken);
}

/**
 * sframe_trails_init() - the module is loaded
 *
 * Context: process context, may sleep.
 * Return: 0 or -ENOMEM.
 */
int sframe_trails_init(void)
{
	trails = alloc_percpu(struct cpu_trail);
	answers = alloc_percpu(struct cpu_answers);
	if (trails && answers)
		return 0;
	sframe_trails_exit();
	return -ENOMEM;
}

/**
 * sframe_trails_exit() - no walk is made any more
 *
 * Context: process context, may sleep.
 */
void sframe_trails_exit(void)
{
	free_percpu(answers);
	free_percpu(trails);
}
