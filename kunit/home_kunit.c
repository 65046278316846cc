// SPDX-License-Identifier: GPL-2.0
/*
 * Answers of code that is the same in other processes, and after other mappings have changed.
 */
#include <kunit/test.h>

#include "answers_world.h"

#define KEY		0x8000000000000005ull
/* Bytes of code that is read at a time. */
#define CHUNK		64

/* The code of a file, mapped from @start to @end, and from @place on. */
static void home_set(struct answers_world *w, u64 key, u64 start, u64 end, u64 place)
{
	w->home = (struct sframe_home){ .key = key, .start = start, .end = end, .place = place };
}

static void world_at_home(struct answers_world *w)
{
	world_set(w, ENDS(ADD_24 RET));
	home_set(w, KEY, BARE, CODE + CODE_LEN, CODE);
}

/* As another process has it, or this one after a change. */
static void is_known_elsewhere(struct kunit *test)
{
	static struct answers_world w;

	world_at_home(&w);
	KUNIT_EXPECT_EQ(test, walk(test, &w), 0u);
	KUNIT_EXPECT_EQ(test, walk(test, &w), 1u);
	w.answers.key = 2;
	KUNIT_EXPECT_EQ(test, walk(test, &w), 1u);
}

static void of_another_file(struct kunit *test)
{
	static struct answers_world w;

	world_at_home(&w);
	walk(test, &w);
	w.home.key++;
	KUNIT_EXPECT_EQ(test, walk(test, &w), 0u);
	w.home.key = 0;
	KUNIT_EXPECT_EQ(test, walk(test, &w), 0u);
	w.home.key = KEY;
	KUNIT_EXPECT_EQ(test, walk(test, &w), 1u);
}

/* Of the same file, but other code. */
static void of_another_place(struct kunit *test)
{
	static struct answers_world w;

	world_at_home(&w);
	walk(test, &w);
	w.home.place += 16;
	KUNIT_EXPECT_EQ(test, walk(test, &w), 0u);
}

/* Where less is mapped, something else may be where code was that had a part in it. */
static void more_than_is_mapped(struct kunit *test)
{
	static struct answers_world w;

	world_at_home(&w);
	walk(test, &w);
	w.answers.key = 2;
	home_set(&w, KEY, BARE, AT + CHUNK, CODE);
	KUNIT_EXPECT_EQ(test, walk(test, &w), 1u);
	home_set(&w, KEY, BARE, AT + CHUNK - 1, CODE);
	KUNIT_EXPECT_EQ(test, walk(test, &w), 0u);
	w.answers.key = 3;
	home_set(&w, KEY, AT, CODE + CODE_LEN, CODE);
	KUNIT_EXPECT_EQ(test, walk(test, &w), 0u);
}

/* Code of another mapping has a part in it: it holds as long as all mappings stay. */
static void comes_from_elsewhere(struct kunit *test)
{
	static const u8 out[] = { 0x48, 0x83, 0xc4, 0x18, 0xc3 };
	static struct answers_world w;

	world_set(&w, ENDS(JUMP_BACK));
	memcpy(w.bare.code + (AT - 32 - CODE), out, sizeof(out));
	home_set(&w, KEY, AT - 16, CODE + CODE_LEN, CODE);
	walk(test, &w);
	KUNIT_EXPECT_EQ(test, walk(test, &w), 1u);
	w.answers.key = 2;
	KUNIT_EXPECT_EQ(test, walk(test, &w), 0u);
}

/* Something was mapped while the walk read: what it has read may be another file's. */
static void changes_meanwhile(struct kunit *test)
{
	static struct answers_world w;

	world_at_home(&w);
	w.moves = true;
	walk(test, &w);
	w.moves = false;
	KUNIT_EXPECT_EQ(test, walk(test, &w), 1u);
	w.answers.key = 2;
	KUNIT_EXPECT_EQ(test, walk(test, &w), 0u);
}

static struct kunit_case home_test_cases[] = {
	KUNIT_CASE(is_known_elsewhere),
	KUNIT_CASE(of_another_file),
	KUNIT_CASE(of_another_place),
	KUNIT_CASE(more_than_is_mapped),
	KUNIT_CASE(comes_from_elsewhere),
	KUNIT_CASE(changes_meanwhile),
	{}
};

static struct kunit_suite home_suite = {
	.name = "sframe_home",
	.test_cases = home_test_cases,
};

kunit_test_suite(home_suite);
