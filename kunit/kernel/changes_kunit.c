// SPDX-License-Identifier: GPL-2.0
/*
 * The log of changes, beside a set of pages.
 */
#include <kunit/test.h>

#include <linux/bitmap.h>
#include <linux/kthread.h>
#include <linux/limits.h>
#include <linux/prandom.h>
#include <linux/sched.h>

#include "../../kernel/changes.h"
#include "made.h"

#define PAGES	1024u
#define ROUNDS	20000

static const struct sframe_spans nothing;

static struct sframe_changes *log_new(struct kunit *test)
{
	struct sframe_changes *log = kunit_kzalloc(test, sizeof(*log), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, log);
	sframe_changes_init(log, &nothing);
	return log;
}

static bool covers(const struct sframe_spans *spans, u64 addr)
{
	unsigned int i;

	for (i = 0; i < spans->nr; i++)
		if (addr >= spans->span[i].start && addr < spans->span[i].end)
			return true;
	return false;
}

static bool log_covers(const struct sframe_changes *log, u64 addr)
{
	struct sframe_spans spans;

	sframe_changes_read(log, &spans);
	return covers(&spans, addr);
}

static void begins_with_everything(struct kunit *test)
{
	struct sframe_changes *log = log_new(test);
	struct sframe_spans spans;

	KUNIT_EXPECT_FALSE(test, sframe_changes_pending(log));
	KUNIT_EXPECT_FALSE(test, log_covers(log, 0));

	sframe_changes_init(log, NULL);
	KUNIT_EXPECT_TRUE(test, sframe_changes_pending(log));
	KUNIT_EXPECT_TRUE(test, log_covers(log, 0));
	KUNIT_EXPECT_TRUE(test, log_covers(log, U64_MAX - 1));
	sframe_changes_claim(log, &spans);
	sframe_changes_settle(log, true);
	KUNIT_EXPECT_FALSE(test, sframe_changes_pending(log));
	KUNIT_EXPECT_FALSE(test, log_covers(log, 0));
}

/* As many as fit are told apart; one more, and the nearest two are one. */
static void overflow_joins_the_nearest(struct kunit *test)
{
	struct sframe_changes *log = log_new(test);
	struct sframe_spans spans;
	u64 i;

	/* Each gap is larger than the one before. */
	for (i = 1; i <= SFRAME_CHANGES_MAX; i++)
		sframe_changes_add(log, i * i * 16, i * i * 16 + 1);
	sframe_changes_read(log, &spans);
	KUNIT_EXPECT_EQ(test, spans.nr, (unsigned int)SFRAME_CHANGES_MAX);
	KUNIT_EXPECT_FALSE(test, covers(&spans, 17));

	sframe_changes_add(log, 1000000, 1000001);
	sframe_changes_read(log, &spans);
	KUNIT_EXPECT_EQ(test, spans.nr, (unsigned int)SFRAME_CHANGES_MAX);
	for (i = 1; i <= SFRAME_CHANGES_MAX; i++)
		KUNIT_EXPECT_TRUE(test, covers(&spans, i * i * 16));
	KUNIT_EXPECT_TRUE(test, covers(&spans, 1000000));
	KUNIT_EXPECT_TRUE(test, covers(&spans, 17));
	KUNIT_EXPECT_FALSE(test, covers(&spans, 4 * 16 + 1));
	KUNIT_EXPECT_FALSE(test, covers(&spans, 1000001));
}

static void neighbours_are_one(struct kunit *test)
{
	struct sframe_changes *log = log_new(test);
	struct sframe_spans spans;

	sframe_changes_add(log, 100, 200);
	sframe_changes_add(log, 300, 400);
	sframe_changes_add(log, 200, 300);
	sframe_changes_add(log, 150, 350);
	sframe_changes_read(log, &spans);
	KUNIT_EXPECT_EQ(test, spans.nr, 1u);
	KUNIT_EXPECT_EQ(test, spans.span[0].start, 100ull);
	KUNIT_EXPECT_EQ(test, spans.span[0].end, 400ull);
	KUNIT_EXPECT_EQ(test, sframe_changes_count(log), 4ull);
}

/* What comes during an update stays, though it be where the update looks. */
static void changes_during_an_update(struct kunit *test)
{
	struct sframe_changes *log = log_new(test);
	struct sframe_spans spans;

	sframe_changes_add(log, 100, 200);
	sframe_changes_claim(log, &spans);
	KUNIT_EXPECT_EQ(test, spans.nr, 1u);
	KUNIT_EXPECT_TRUE(test, log_covers(log, 100));
	sframe_changes_add(log, 100, 200);
	sframe_changes_settle(log, true);
	KUNIT_EXPECT_TRUE(test, log_covers(log, 100));
	KUNIT_EXPECT_TRUE(test, sframe_changes_pending(log));
	KUNIT_EXPECT_TRUE(test, sframe_changes_seen(log, 1));
	KUNIT_EXPECT_FALSE(test, sframe_changes_seen(log, 2));
	/* One that fails leaves all as it was. */
	sframe_changes_claim(log, &spans);
	sframe_changes_settle(log, false);
	KUNIT_EXPECT_TRUE(test, log_covers(log, 100));
	KUNIT_EXPECT_FALSE(test, sframe_changes_seen(log, 2));
	sframe_changes_claim(log, &spans);
	sframe_changes_settle(log, true);
	KUNIT_EXPECT_FALSE(test, log_covers(log, 100));
	KUNIT_EXPECT_TRUE(test, sframe_changes_seen(log, 2));
}

/**
 * struct model - what a log must say, page by page
 * @fresh: changed, not claimed
 * @claimed: by the update that runs
 * @updating: there is one
 */
struct model {
	DECLARE_BITMAP(fresh, PAGES);
	DECLARE_BITMAP(claimed, PAGES);
	bool updating;
};

/* Once nobody logs any more, an update that runs, or begins, makes nothing known. */
static void ended(struct kunit *test)
{
	struct sframe_changes *log = log_new(test);
	struct sframe_spans spans;
	unsigned int i;

	sframe_changes_add(log, 10, 20);
	sframe_changes_claim(log, &spans);
	sframe_changes_end(log);
	for (i = 0; i < 2; i++) {
		sframe_changes_settle(log, true);
		KUNIT_EXPECT_TRUE(test, sframe_changes_pending(log));
		KUNIT_EXPECT_TRUE(test, log_covers(log, 15));
		KUNIT_EXPECT_TRUE(test, log_covers(log, U64_MAX - 1));
		sframe_changes_claim(log, &spans);
	}
}

static void check_model(struct kunit *test, const struct sframe_changes *log,
			const struct model *m)
{
	struct sframe_spans spans;
	unsigned int i, wrong = 0;

	sframe_changes_read(log, &spans);
	KUNIT_EXPECT_LE(test, spans.nr, (unsigned int)SFRAME_CHANGES_MAX);
	for (i = 0; i < PAGES; i++)
		wrong += (test_bit(i, m->fresh) || test_bit(i, m->claimed)) &&
			 !covers(&spans, (u64)i * PAGE_SIZE);
	KUNIT_EXPECT_EQ(test, wrong, 0u);
	KUNIT_EXPECT_EQ(test, sframe_changes_pending(log),
			!bitmap_empty(m->fresh, PAGES) ||
			!bitmap_empty(m->claimed, PAGES));
	/* Nothing changed, nothing told. */
	if (!sframe_changes_pending(log))
		KUNIT_EXPECT_EQ(test, spans.nr, 0u);
}

static void model_claim(struct kunit *test, struct sframe_changes *log,
			struct model *m)
{
	struct sframe_spans spans;
	unsigned int i;

	sframe_changes_claim(log, &spans);
	m->updating = true;
	bitmap_copy(m->claimed, m->fresh, PAGES);
	bitmap_zero(m->fresh, PAGES);
	KUNIT_EXPECT_LE(test, spans.nr, (unsigned int)SFRAME_CLAIMED_MAX);
	for (i = 1; i < spans.nr; i++)
		KUNIT_EXPECT_LT(test, spans.span[i - 1].end,
				spans.span[i].start);
	for (i = 0; i < PAGES; i++)
		if (test_bit(i, m->claimed))
			KUNIT_EXPECT_TRUE(test, covers(&spans, (u64)i * PAGE_SIZE));
}

static void model_settle(struct sframe_changes *log, struct model *m, bool done)
{
	sframe_changes_settle(log, done);
	m->updating = false;
	if (!done)
		bitmap_or(m->fresh, m->fresh, m->claimed, PAGES);
	bitmap_zero(m->claimed, PAGES);
}

static void random_changes(struct kunit *test)
{
	struct model *m = kunit_kzalloc(test, sizeof(*m), GFP_KERNEL);
	struct sframe_changes *log = log_new(test);
	struct rnd_state rng;
	unsigned int round, first, nr;

	KUNIT_ASSERT_NOT_NULL(test, m);
	prandom_seed_state(&rng, 1);
	for (round = 0; round < ROUNDS; round++) {
		if (prandom_u32_state(&rng) % 12) {
			first = prandom_u32_state(&rng) % PAGES;
			nr = 1 + prandom_u32_state(&rng) % 8;
			nr = min(nr, PAGES - first);
			sframe_changes_add(log, (u64)first * PAGE_SIZE,
					   (u64)(first + nr) * PAGE_SIZE);
			bitmap_set(m->fresh, first, nr);
		} else if (m->updating) {
			model_settle(log, m, prandom_u32_state(&rng) % 4);
		} else {
			model_claim(test, log, m);
		}
		if (round % 16 == 0)
			check_model(test, log, m);
		cond_resched();
	}
}

/**
 * struct race - a hook, an update and a walk at once
 * @log: between them
 * @added: number of the change logged last, at page @added % PAGES
 * @known: number of the last change that the map knows
 */
struct race {
	struct sframe_changes *log;
	u64 added;
	u64 known;
};

static int race_hooks(void *arg)
{
	struct race *race = arg;
	u64 page;

	while (!kthread_should_stop()) {
		page = (race->added + 1) * 7 % PAGES;
		sframe_changes_add(race->log, page * PAGE_SIZE,
				   (page + 1) * PAGE_SIZE);
		/* Pairs with the acquire in concurrent_walks(). */
		smp_store_release(&race->added, race->added + 1);
		cond_resched();
	}
	return 0;
}

static int race_updates(void *arg)
{
	struct race *race = arg;
	struct sframe_spans spans;

	while (!kthread_should_stop()) {
		sframe_changes_claim(race->log, &spans);
		/* As rcu_assign_pointer() publishes a map. */
		smp_store_release(&race->known, race->log->claimed);
		sframe_changes_settle(race->log, true);
		cond_resched();
	}
	return 0;
}

/* A change is in the log, or in the map that is read after it. */
static void concurrent_walks(struct kunit *test)
{
	struct race race = { .log = log_new(test) };
	struct task_struct *hooks = made_thread(test, race_hooks, &race);
	struct task_struct *updates = made_thread(test, race_updates, &race);
	unsigned int missed = 0, seen = 0;
	struct sframe_spans spans;
	u64 added;

	/* Until both of the others got somewhere. */
	while (seen < 20000 || READ_ONCE(race.known) < 1000) {
		/* Pairs with race_hooks(): that change is logged. */
		added = smp_load_acquire(&race.added);
		sframe_changes_read(race.log, &spans);
		/* After the log, as a walk reads its map. */
		if (added && !covers(&spans, added * 7 % PAGES * PAGE_SIZE))
			missed += READ_ONCE(race.known) < added;
		seen++;
		cond_resched();
	}
	KUNIT_EXPECT_EQ(test, made_join(hooks), 0);
	KUNIT_EXPECT_EQ(test, made_join(updates), 0);
	KUNIT_EXPECT_EQ(test, missed, 0u);
	kunit_info(test, "%llu changes, %llu of them known", race.added,
		   race.known);
}

/* In the middle of writing, as an NMI finds it: everything may have changed. */
static void read_while_written(struct kunit *test)
{
	struct sframe_changes *log = log_new(test);

	raw_spin_lock(&log->lock);
	write_seqcount_begin(&log->seq);
	KUNIT_EXPECT_TRUE(test, log_covers(log, 0));
	KUNIT_EXPECT_TRUE(test, log_covers(log, U64_MAX - 1));
	write_seqcount_end(&log->seq);
	raw_spin_unlock(&log->lock);
	KUNIT_EXPECT_FALSE(test, log_covers(log, 0));
}

static struct kunit_case changes_cases[] = {
	KUNIT_CASE(begins_with_everything),
	KUNIT_CASE(overflow_joins_the_nearest),
	KUNIT_CASE(neighbours_are_one),
	KUNIT_CASE(changes_during_an_update),
	KUNIT_CASE(ended),
	KUNIT_CASE(random_changes),
	KUNIT_CASE(concurrent_walks),
	KUNIT_CASE(read_while_written),
	{}
};

static struct kunit_suite changes_suite = {
	.name = "sframe_changes",
	.test_cases = changes_cases,
};

kunit_test_suite(changes_suite);
