// SPDX-License-Identifier: GPL-2.0
/*
 * Trails: whatever a walk remembers of the one before, it finds what it would have found
 * without.
 */
#include <kunit/test.h>

#include <sframe/trail.h>

#include "build.h"
#include "simple_world.h"
#include "trail_world.h"

/* The same stack once more: all but the first caller is known, and nothing looked up. */
static void same_again(struct kunit *test)
{
	struct world *w = &the_world;
	u32 i;

	begin(w, 1, 0);
	for (i = 0; i < 100; i++)
		push(w, 1 + i % 3);
	KUNIT_EXPECT_EQ(test, compare(test, w, 1, 200), 0u);
	KUNIT_EXPECT_EQ(test, compare(test, w, 1, 200), 99u);
	KUNIT_EXPECT_EQ(test, w->finds, 3u);
	KUNIT_EXPECT_EQ(test, w->cur.pc, CALL(0, 0));

	/* Some have returned, and others were called. */
	w->nr -= 20;
	for (i = 0; i < 10; i++)
		push(w, 4);
	KUNIT_EXPECT_EQ(test, compare(test, w, 1, 200), 80u);
	KUNIT_EXPECT_EQ(test, compare(test, w, 1, 200), 89u);
}

/* Each word that was compared is another one, one after the other. */
static void other_words(struct kunit *test)
{
	static const u64 others[] = { 0, CALL(3, 1), CALL(8, 0), STACK + 512, TOP - 64 };
	struct world *w = &the_world;
	u32 i, j, less = 0;
	u64 addr, was;

	begin(w, 2, 60);
	compare(test, w, 1, 100);
	for (addr = w->level[w->nr].sp; addr < TOP; addr += 8) {
		for (i = j = 0; i < ARRAY_SIZE(others); i++) {
			was = *word_at(w, addr);
			*word_at(w, addr) = others[i];
			j += compare(test, w, 1, 100) < 50;
			*word_at(w, addr) = was;
			compare(test, w, 1, 100);
		}
		less += j > 1;
	}
	/* Not that nothing was noticed because nothing was compared. */
	KUNIT_EXPECT_GT(test, less, 50u);
}

/* Wherever the depth is cut, and whatever cannot be read at once. */
static void cut_short(struct kunit *test)
{
	struct world *w = &the_world;
	u32 i;

	begin(w, 3, 60);
	for (i = 0; i <= 62; i++) {
		compare(test, w, 1, i);
		compare(test, w, 1, 62);
	}
	for (i = 1; i <= 120; i++) {
		w->peek_fails = i;
		compare(test, w, 1, 62);
	}
	KUNIT_EXPECT_GT(test, w->cur.known, 30u);
}

/* Other code under another key; and what the trail had of the old is gone. */
static void other_code(struct kunit *test)
{
	struct world *w = &the_world;
	u64 key, known = 0;

	begin(w, 4, 40);
	for (key = 1; key < 100; key++) {
		KUNIT_EXPECT_EQ(test, compare(test, w, key, 62), 0u);
		known += compare(test, w, key, 62);
		make(w, 40);
	}
	KUNIT_EXPECT_GT(test, known, 1000ull);
}

/* Deeper than a trail is long. */
static void too_deep(struct kunit *test)
{
	struct world *w = &the_world;
	u32 i;

	begin(w, 5, 0);
	for (i = 0; i < 700; i++)
		push(w, 1 + i % 2);
	for (i = 0; i < 4; i++) {
		KUNIT_EXPECT_EQ(test, compare(test, w, 1, DEEPEST), 0u);
		KUNIT_EXPECT_EQ(test, w->trail.used, (u16)SFRAME_TRAIL_MAX);
	}
	w->nr = SFRAME_TRAIL_MAX - 2;
	compare(test, w, 1, DEEPEST);
	KUNIT_EXPECT_EQ(test, compare(test, w, 1, DEEPEST), SFRAME_TRAIL_MAX - 3u);
}

/* What was interrupted where a function begins is not what returns to there. */
static void exact_or_not(struct kunit *test)
{
	struct world *w = &the_world;
	u32 i;

	begin(w, 7, 0);
	w->rules[4].cfa_off = w->rules[5].cfa_off + 16;
	push(w, 2);
	push(w, 5);
	w->level[w->nr].pc = CODE + 5 * FN_SIZE;
	for (i = 0; i < 8; i++) {
		push(w, i & 1 ? 12 : 14);
		push(w, 1);
		compare(test, w, 1, 60);
		KUNIT_EXPECT_EQ(test, w->cur.depth == 4, i & 1);
		w->nr -= 2;
	}
}

/* A frame where walks have ended gets a table: they go on from there, always. */
static void table_comes(struct kunit *test)
{
	struct world *w = &the_world;
	u32 i;

	begin(w, 8, 0);
	push(w, 1);
	push(w, 4);
	for (i = 0; i < 10; i++)
		push(w, 1 + i % 3);
	for (i = 0; i < 8; i++) {
		w->coming = i < 3 ? 4 : 0;
		compare(test, w, 1, 60);
		KUNIT_EXPECT_EQ(test, w->cur.depth, i < 3 ? 10u : 12u);
	}
}

/* Left by a rule that has RA above the CFA, and so SP where no other has it. */
static void other_sp(struct kunit *test)
{
	const u64 at = TOP - 1024;
	struct world *w = &the_world;
	u32 i;

	begin(w, 9, 0);
	for (i = 4; i <= 6; i++)
		w->rules[i] = (struct sframe_rule){
			.cfa = SFRAME_LOC_SP,
			.cfa_off = i == 4 ? 32 : 16,
			.ra = ON_STACK,
			.ra_off = i == 6 ? 8 : -8,
			.flags = i == 6 ? SFRAME_RULE_RA_ABOVE : 0,
		};
	*word_at(w, at - 8) = CALL(4, 1);
	*word_at(w, at - 24) = CALL(4, 1);
	*word_at(w, at + 24) = CALL(0, 1);
	*word_at(w, at + 8) = CALL(0, 2);
	w->nr = 1;
	for (i = 0; i < 8; i++) {
		w->level[1] = (struct level){ .sp = at - 32, .pc = CALL(5 + i % 2, 1) };
		compare(test, w, 1, 20);
		KUNIT_EXPECT_EQ(test, w->cur.pc, i % 2 ? CALL(0, 1) : CALL(0, 2));
	}
}

/* Functions return and are called, and words are left over. */
static void random_stacks(struct kunit *test)
{
	struct world *w = &the_world;
	u64 known = 0, frames = 0;
	u32 i, n;

	begin(w, 6, 30);
	for (i = 0; i < 20000; i++) {
		n = rnd_below(&w->rng, rnd_below(&w->rng, 16) ? 4 : 60);
		w->nr -= n < w->nr ? n : w->nr;
		n = rnd_below(&w->rng, 5);
		while (n-- && w->nr < 100)
			push(w, any_fn(w));
		if (!rnd_below(&w->rng, 8))
			w->stack[STACK_WORDS - 1 - rnd_below(&w->rng, 400)] =
				rnd_below(&w->rng, 2) ? CALL(any_fn(w), 1) : STACK + 4096;
		known += compare(test, w, 1 + i / 1000, 200);
		frames += w->cur.depth;
	}
	KUNIT_EXPECT_GT(test, frames, 100000ull);
	KUNIT_EXPECT_GT(test, 3 * known, frames);
}

static struct kunit_case trail_test_cases[] = {
	KUNIT_CASE(same_again),
	KUNIT_CASE(other_words),
	KUNIT_CASE(cut_short),
	KUNIT_CASE(other_code),
	KUNIT_CASE(too_deep),
	KUNIT_CASE(exact_or_not),
	KUNIT_CASE(table_comes),
	KUNIT_CASE(other_sp),
	KUNIT_CASE(random_stacks),
	{}
};

static struct kunit_suite trail_suite = {
	.name = "sframe_trail",
	.test_cases = trail_test_cases,
};

kunit_test_suite(trail_suite);
