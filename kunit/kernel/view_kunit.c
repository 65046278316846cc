// SPDX-License-Identifier: GPL-2.0
/*
 * The home of a program's code, where answers are kept: for whom, and when not.
 */
#include <kunit/test.h>

#include <linux/completion.h>
#include <linux/cred.h>
#include <linux/delay.h>
#include <linux/rcupdate.h>

#include <sframe/cursor.h>

#include "../../kernel/image.h"
#include "../../kernel/map.h"
#include "../../kernel/map_edit.h"
#include "../../kernel/mm.h"
#include "made.h"

#define SOME_UID	4713u
#define START		0x7f0000000000ull
#define END		(START + 2 * PAGE_SIZE)

/**
 * struct home_test - the home of some code of a program
 * @test: the case
 * @image: of the program
 * @map: with a range of that
 * @mm: whose map that is
 * @uid: another user, who asks
 * @euid: whose rights it has then
 * @found: it has asked
 * @home: what was found
 */
struct home_test {
	struct kunit *test;
	struct sframe_image *image;
	struct sframe_map *map;
	struct sframe_mm *mm;
	uid_t uid;
	uid_t euid;
	struct completion found;
	struct sframe_home home;
};

static struct sframe_map *map_program(struct home_test *h)
{
	struct sframe_map_edit edit;
	struct sframe_range range = {
		.start = START,
		.end = END,
		.place = PAGE_SIZE + SFRAME_PLACE_OFFSET,
		.image = h->image,
	};

	KUNIT_ASSERT_EQ(h->test, sframe_map_edit_begin(&edit, NULL), 0);
	KUNIT_ASSERT_EQ(h->test, sframe_map_edit_add(&edit, &range), 0);
	return sframe_map_edit_end(&edit);
}

static struct home_test home_begin(struct kunit *test)
{
	static const struct sframe_spans none;
	struct home_test h = { .test = test };

	h.mm = kunit_kzalloc(test, sizeof(*h.mm), GFP_KERNEL);
	h.image = kunit_kzalloc(test, sizeof(*h.image), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, h.mm);
	KUNIT_ASSERT_NOT_NULL(test, h.image);
	refcount_set(&h.image->refs, 1);
	h.image->id = 7;
	h.image->is_program = true;
	h.map = map_program(&h);
	KUNIT_ASSERT_NOT_NULL(test, h.map);
	sframe_changes_init(&h.mm->changes, &none);
	rcu_assign_pointer(h.mm->map, h.map);
	return h;
}

/* The map gives its reference to the image back. */
static void home_end(struct home_test *h)
{
	unsigned int tries;

	sframe_map_put(h->map);
	for (tries = 0; refcount_read(&h->image->refs) > 1 && tries < 1000; tries++)
		msleep(20);
	KUNIT_EXPECT_EQ(h->test, refcount_read(&h->image->refs), 1u);
}

/* As the view saw it, and after what @meanwhile does. */
static void find_home(struct home_test *h, void (*meanwhile)(struct home_test *h))
{
	const struct sframe_range *range;
	struct sframe_view v;

	rcu_read_lock();
	sframe_view_begin(&v, h->mm);
	KUNIT_EXPECT_EQ(h->test, (int)sframe_view_find(&v, START, &range),
			(int)SFRAME_OK);
	if (meanwhile)
		meanwhile(h);
	sframe_view_home(&v, h->mm, range, &h->home);
	rcu_read_unlock();
}

static int find_home_as(void *arg)
{
	struct home_test *h = arg;
	struct cred *cred = prepare_creds();

	if (cred) {
		cred->uid = KUIDT_INIT(h->uid);
		cred->suid = KUIDT_INIT(h->uid);
		cred->euid = KUIDT_INIT(h->euid);
		commit_creds(cred);
		find_home(h, NULL);
	}
	complete(&h->found);
	return cred ? 0 : -ENOMEM;
}

static void find_home_of(struct home_test *h, uid_t uid, uid_t euid)
{
	struct task_struct *task;

	h->uid = uid;
	h->euid = euid;
	init_completion(&h->found);
	task = made_thread(h->test, find_home_as, h);
	wait_for_completion(&h->found);
	KUNIT_EXPECT_EQ(h->test, made_join(task), 0);
}

static void each_user_has_one(struct kunit *test)
{
	struct home_test h = home_begin(test);
	u64 key;

	find_home(&h, NULL);
	key = h.home.key;
	KUNIT_EXPECT_NE(test, key, 0ull);
	KUNIT_EXPECT_EQ(test, h.home.start, START);
	KUNIT_EXPECT_EQ(test, h.home.end, END);
	KUNIT_EXPECT_EQ(test, START - h.home.place, (u64)PAGE_SIZE);
	find_home_of(&h, SOME_UID, SOME_UID);
	KUNIT_EXPECT_NE(test, h.home.key, 0ull);
	KUNIT_EXPECT_NE(test, h.home.key, key);
	home_end(&h);
}

/* A server that has the rights of its client for a while is not the client. */
static void none_with_rights_of_another(struct kunit *test)
{
	struct home_test h = home_begin(test);

	find_home_of(&h, 0, SOME_UID);
	KUNIT_EXPECT_EQ(test, h.home.key, 0ull);
	find_home_of(&h, SOME_UID, 0);
	KUNIT_EXPECT_EQ(test, h.home.key, 0ull);
	home_end(&h);
}

static void change_elsewhere(struct home_test *h)
{
	sframe_changes_add(&h->mm->changes, END + PAGE_SIZE, END + 2 * PAGE_SIZE);
}

static void change_map(struct home_test *h)
{
	rcu_assign_pointer(h->mm->map, NULL);
}

/* Nothing is kept that may have been read from something else. */
static void none_after_changes(struct kunit *test)
{
	struct home_test h = home_begin(test);

	find_home(&h, change_elsewhere);
	KUNIT_EXPECT_EQ(test, h.home.key, 0ull);
	KUNIT_EXPECT_EQ(test, h.home.end, END);
	sframe_changes_init(&h.mm->changes, &(const struct sframe_spans){});
	find_home(&h, change_map);
	KUNIT_EXPECT_EQ(test, h.home.key, 0ull);
	home_end(&h);
}

/* A file that may be written to while it runs, as far as anybody knows. */
static void none_of_other_files(struct kunit *test)
{
	struct home_test h = home_begin(test);

	h.image->is_program = false;
	find_home(&h, NULL);
	KUNIT_EXPECT_EQ(test, h.home.key, 0ull);
	home_end(&h);
}

static struct kunit_case home_test_cases[] = {
	KUNIT_CASE(each_user_has_one),
	KUNIT_CASE(none_with_rights_of_another),
	KUNIT_CASE(none_after_changes),
	KUNIT_CASE(none_of_other_files),
	{}
};

static struct kunit_suite home_suite = {
	.name = "sframe_view_home",
	.test_cases = home_test_cases,
};

kunit_test_suite(home_suite);
