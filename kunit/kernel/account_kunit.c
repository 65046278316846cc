// SPDX-License-Identifier: GPL-2.0
/*
 * Users, and their shares.
 */
#include <kunit/test.h>

#include <linux/cred.h>
#include <linux/sizes.h>

#include "../../kernel/account.h"
#include "../../kernel/limits.h"
#include "made.h"

/* Users that nobody is. */
#define USER(n)	made_user(test, n)

static void users_are_found(struct kunit *test)
{
	struct sframe_payer *a = USER(1), *b = USER(2), *c = USER(1);
	struct sframe_payer *me = sframe_payer_of(sframe_payer_uid_current());

	KUNIT_EXPECT_PTR_EQ(test, a, c);
	KUNIT_EXPECT_PTR_NE(test, a, b);
	KUNIT_ASSERT_NOT_NULL(test, me);
	KUNIT_EXPECT_TRUE(test, uid_eq(me->uid, current_uid()));
	sframe_payer_put(me);
	sframe_payer_put(c);
	sframe_payer_put(b);
	sframe_payer_put(a);
}

static void user_has_a_share(struct kunit *test)
{
	struct sframe_payer *a = USER(1), *b = USER(2);
	const enum sframe_resource what = SFRAME_RES_TABLES;
	size_t before = sframe_account_used(what);
	size_t most = sframe_account_most(a, what);

	KUNIT_EXPECT_EQ(test, most, sframe_max_total_bytes / 4);
	KUNIT_EXPECT_EQ(test, sframe_account_take(a, what, most + 1),
			SFRAME_SHARE);
	KUNIT_EXPECT_EQ(test, sframe_account_take(a, what, SIZE_MAX),
			SFRAME_SHARE);
	KUNIT_EXPECT_EQ(test, sframe_account_take(a, what, most), SFRAME_OK);
	KUNIT_EXPECT_EQ(test, sframe_account_take(a, what, 1), SFRAME_SHARE);
	KUNIT_EXPECT_EQ(test, sframe_account_used(what), before + most);
	KUNIT_EXPECT_EQ(test, sframe_account_take(b, what, 1), SFRAME_OK);
	sframe_account_give(b, what, 1);
	sframe_account_give(a, what, most);
	KUNIT_EXPECT_EQ(test, sframe_account_used(what), before);
	sframe_payer_put(b);
	sframe_payer_put(a);
}

/* Whatever users have, a quarter is root's. */
static void users_leave_some_to_root(struct kunit *test)
{
	struct sframe_payer *root = sframe_payer_of(GLOBAL_ROOT_UID);
	const enum sframe_resource what = SFRAME_RES_BUILD;
	struct sframe_payer *user[3];
	size_t all = sframe_max_build_bytes, most;
	int i;

	KUNIT_ASSERT_NOT_NULL(test, root);
	KUNIT_EXPECT_EQ(test, sframe_account_most(root, what), all);
	KUNIT_ASSERT_EQ(test, sframe_account_used(what), 0);
	for (i = 0; i < 3; i++)
		user[i] = USER(i);
	most = sframe_account_most(user[0], what);
	KUNIT_EXPECT_EQ(test, most, all / 2);
	KUNIT_EXPECT_EQ(test, sframe_account_take(user[0], what, most),
			SFRAME_OK);
	KUNIT_EXPECT_EQ(test, sframe_account_take(user[1], what, all / 4),
			SFRAME_OK);
	KUNIT_EXPECT_EQ(test, sframe_account_take(user[2], what, 1),
			SFRAME_USERS_SHARE);
	KUNIT_EXPECT_EQ(test, sframe_account_take(root, what, all / 4),
			SFRAME_OK);
	KUNIT_EXPECT_EQ(test, sframe_account_take(root, what, 1),
			SFRAME_NO_MEMORY);
	sframe_account_give(root, what, all / 4);
	sframe_account_give(user[1], what, all / 4);
	sframe_account_give(user[0], what, most);
	for (i = 0; i < 3; i++)
		sframe_payer_put(user[i]);
	sframe_payer_put(root);
}

/* Those who hold most come first, and each once. */
static void largest_first(struct kunit *test)
{
	static const size_t amount[] = { 5, 9, 5, 0 };
	static const int order[] = { 1, 0, 2 };
	const enum sframe_resource what = SFRAME_RES_BUILD;
	struct sframe_payer *user[4], *payer = NULL, *next;
	int i;

	KUNIT_ASSERT_EQ(test, sframe_account_used(what), 0);
	for (i = 0; i < 4; i++) {
		user[i] = USER(i);
		KUNIT_ASSERT_EQ(test, sframe_account_take(user[i], what,
							  amount[i]),
				SFRAME_OK);
	}
	for (i = 0; i < 3; i++) {
		next = sframe_payer_largest(what, payer);
		sframe_payer_put(payer);
		payer = next;
		KUNIT_EXPECT_PTR_EQ(test, payer, user[order[i]]);
	}
	KUNIT_EXPECT_NULL(test, sframe_payer_largest(what, payer));
	sframe_payer_put(payer);
	for (i = 0; i < 4; i++) {
		sframe_account_give(user[i], what, amount[i]);
		sframe_payer_put(user[i]);
	}
}

static struct kunit_case account_cases[] = {
	KUNIT_CASE(users_are_found),
	KUNIT_CASE(user_has_a_share),
	KUNIT_CASE(users_leave_some_to_root),
	KUNIT_CASE(largest_first),
	{}
};

static struct kunit_suite account_suite = {
	.name = "sframe_account",
	.test_cases = account_cases,
};

kunit_test_suite(account_suite);
