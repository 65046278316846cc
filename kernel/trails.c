// SPDX-License-Identifier: GPL-2.0
/*
 * Each CPU's trail (sframe/trail.h), and answers of code (sframe/answers.h), from the
 * last walks on it.
 *
 * They belong to CPUs and not to tasks, as most tasks are seldom sampled, and nobody
 * knows which will be again. A walk owns them from take to put, wherever the task runs
 * by then. Walks that interrupt it, or come meanwhile, do without.
 */
#include <linux/atomic.h>
#include <linux/minmax.h>
#include <linux/percpu.h>
#include <linux/sizes.h>

#include <sframe/answers.h>
#include <sframe/trail.h>

#include "trails.h"

/* Walks that do without a trail after one for which it was of no use, at most. */
#define PAUSE_MAX	15

/**
 * struct cpu_trail - one CPU's trail
 * @taken: a walk owns all that follows. Acquired and released, also by other CPUs
 * @pause: walks that are still to do without, as keeping a trail costs a third of a
 *	frame
 * @next_pause: @pause after the next walk for which it is of no use
 * @trail: the trail
 */
struct cpu_trail {
	int taken;
	u8 pause;
	u8 next_pause;
	struct sframe_trail trail;
};

/**
 * struct cpu_answers - one CPU's answers
 * @taken: a walk owns all that follows. Acquired and released, also by other CPUs
 * @answers: the answers
 */
struct cpu_answers {
	int taken;
	struct sframe_answers answers;
};

#define CHECKED_BYTES	(SFRAME_CHECKED_MAX * sizeof(struct sframe_checked))
#define BRANCHES_BYTES	(SFRAME_BRANCHES_MAX * sizeof(struct sframe_answer))
#define STEPS_BYTES	(SFRAME_STEPS_MAX * sizeof(struct sframe_known_step))
#define WAYS_BYTES	(SFRAME_WAYS_MAX * sizeof(struct sframe_known_way))

/* alloc_percpu() gives no more, on all kernels. */
static_assert(sizeof(struct cpu_answers) <= SZ_32K);
static_assert(BRANCHES_BYTES <= SZ_32K);
static_assert(CHECKED_BYTES <= SZ_32K);
static_assert(STEPS_BYTES <= SZ_32K);
static_assert(WAYS_BYTES <= SZ_32K);

static struct cpu_trail __percpu *trails;
static struct cpu_answers __percpu *answers;
/*
 * Arrays: answers of code that may change, and at branches; steps; ways. Of who has taken the
 * CPU's answers.
 */
static struct sframe_checked __percpu *checked;
static struct sframe_answer __percpu *branches;
static struct sframe_known_step __percpu *steps;
static struct sframe_known_way __percpu *ways;

static bool percpu_try_take(int *taken)
{
	return !READ_ONCE(*taken) && !cmpxchg_acquire(taken, 0, 1);
}

static void percpu_give_back(int *taken)
{
	/* Pairs with the cmpxchg_acquire() of whoever takes it next. */
	smp_store_release(taken, 0);
}

/**
 * sframe_trail_take() - take this CPU's trail for a walk
 * @key: sframe_view.key: stands for what the walk sees; 0: there is none
 *
 * Context: any, NMI included.
 * Return: the trail, begun for that key; or NULL.
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
 * sframe_trail_put() - give a trail back: the walk ends, or pauses
 * @trail: the trail
 * @paid: it was worth its upkeep
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
 * sframe_answers_take() - take this CPU's answers for a walk
 * @key: stands for the mappings that the walk sees; 0: nothing does
 *
 * Context: any, NMI included.
 * Return: the answers; or NULL.
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
 * sframe_answers_put() - give answers back: the walk ends, or pauses
 * @answers: the answers
 *
 * Context: any, NMI included.
 */
void sframe_answers_put(struct sframe_answers *answers)
{
	percpu_give_back(&container_of(answers, struct cpu_answers, answers)->taken);
}

/**
 * sframe_trails_init() - allocate trails and answers at load
 *
 * Context: process context, may sleep.
 * Return: 0 or -ENOMEM.
 */
int sframe_trails_init(void)
{
	struct sframe_answers *a;
	int cpu;

	trails = alloc_percpu(struct cpu_trail);
	answers = alloc_percpu(struct cpu_answers);
	checked = __alloc_percpu(CHECKED_BYTES, __alignof__(*checked));
	branches = __alloc_percpu(BRANCHES_BYTES, __alignof__(*branches));
	steps = __alloc_percpu(STEPS_BYTES, __alignof__(*steps));
	ways = __alloc_percpu(WAYS_BYTES, __alignof__(*ways));
	if (!trails || !answers || !checked || !branches || !steps || !ways) {
		sframe_trails_exit();
		return -ENOMEM;
	}
	for_each_possible_cpu(cpu) {
		a = &per_cpu_ptr(answers, cpu)->answers;
		a->checked = per_cpu_ptr(checked, cpu);
		a->branches = per_cpu_ptr(branches, cpu);
		a->steps = per_cpu_ptr(steps, cpu);
		a->ways = per_cpu_ptr(ways, cpu);
	}
	return 0;
}

/**
 * sframe_trails_exit() - free trails and answers: no walk is made any more
 *
 * Context: process context, may sleep.
 */
void sframe_trails_exit(void)
{
	free_percpu(ways);
	free_percpu(steps);
	free_percpu(branches);
	free_percpu(checked);
	free_percpu(answers);
	free_percpu(trails);
}
