// SPDX-License-Identifier: GPL-2.0
/*
 * Accounts for what is limited: which user holds how much of it, and how much each may
 * hold.
 *
 * No user but root may hold more than its share, and all of them together leave a
 * quarter to root. So whatever users do, root's tables can be built, and one user alone
 * cannot leave others without any.
 */
#include <linux/cred.h>
#include <linux/hashtable.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/uidgid.h>
#include <linux/user_namespace.h>

#include "account.h"
#include "limits.h"

#define PAYER_BITS	6

/*
 * Protects the hash, what everybody holds, and the sums. Process context only; taken
 * inside of cache_lock; nothing is taken under it.
 */
static DEFINE_SPINLOCK(account_lock);
static DEFINE_HASHTABLE(payers, PAYER_BITS);
static size_t used_by_all[SFRAME_NR_RESOURCES];		/* also read without the lock */
static size_t used_by_users[SFRAME_NR_RESOURCES];	/* held by all users but root */

static size_t resource_total(enum sframe_resource what)
{
	switch (what) {
	case SFRAME_RES_IMAGES:
		return SFRAME_MAX_IMAGES;
	case SFRAME_RES_TABLES:
		return READ_ONCE(sframe_max_total_bytes);
	default:
		return READ_ONCE(sframe_max_build_bytes);
	}
}

/**
 * sframe_account_most() - how much of a resource may a user hold, if nobody else holds any?
 * @payer: the user
 * @what: the resource
 *
 * Half of what is held only during builds, as it is soon given back; a quarter of the
 * rest. Root may hold all.
 *
 * Context: any.
 * Return: the amount.
 */
size_t sframe_account_most(const struct sframe_payer *payer,
			   enum sframe_resource what)
{
	size_t all = resource_total(what);

	if (sframe_payer_is_root(payer))
		return all;
	return what == SFRAME_RES_BUILD ? all / 2 : all / 4;
}

static struct sframe_payer *payer_find(kuid_t uid)
{
	struct sframe_payer *payer;

	lockdep_assert_held(&account_lock);
	hash_for_each_possible(payers, payer, node, __kuid_val(uid))
		if (uid_eq(payer->uid, uid))
			return payer;
	return NULL;
}

/*
 * Get the user with that number with a reference; or add @new, whose reference is the
 * caller's.
 */
static struct sframe_payer *payer_get_or_add(kuid_t uid,
					     struct sframe_payer *new)
{
	struct sframe_payer *payer;

	guard(spinlock)(&account_lock);
	payer = payer_find(uid);
	if (payer) {
		refcount_inc(&payer->refs);
		return payer;
	}
	if (new)
		hash_add(payers, &new->node, __kuid_val(uid));
	return new;
}

/**
 * sframe_payer_of() - get the user with a number
 * @uid: the number
 *
 * Context: process context, may sleep.
 * Return: the user with a reference, or NULL: out of memory.
 */
struct sframe_payer *sframe_payer_of(kuid_t uid)
{
	struct sframe_payer *payer = payer_get_or_add(uid, NULL);
	struct sframe_payer *new;

	if (payer)
		return payer;
	new = kzalloc(sizeof(*new), GFP_KERNEL_ACCOUNT);
	if (!new)
		return NULL;
	new->uid = uid;
	refcount_set(&new->refs, 1);
	INIT_LIST_HEAD(&new->images);
	INIT_LIST_HEAD(&new->jobs);
	INIT_LIST_HEAD(&new->turn);
	payer = payer_get_or_add(uid, new);
	if (payer != new)
		kfree(new);
	return payer;
}

/**
 * sframe_payer_uid_current() - who pays for what the current task needs?
 *
 * Its real user, whoever the kernel acts for meanwhile (overlayfs reads as who mounted
 * it). But anybody may make a user namespace, and be any of many users in it: so a task
 * in one that root did not make pays as its owner; of several nested ones, as the
 * outermost one's.
 *
 * Context: any, NMI included; of a task.
 * Return: the user's number.
 */
kuid_t sframe_payer_uid_current(void)
{
	const struct cred *cred = current_real_cred();
	const struct user_namespace *ns = cred->user_ns;
	kuid_t uid = cred->uid;

	for (; ns->parent; ns = ns->parent)
		if (!uid_eq(ns->owner, GLOBAL_ROOT_UID))
			uid = ns->owner;
	return uid;
}

/**
 * sframe_payer_get() - take another reference
 * @payer: the user
 *
 * Context: any.
 * Return: @payer.
 */
struct sframe_payer *sframe_payer_get(struct sframe_payer *payer)
{
	refcount_inc(&payer->refs);
	return payer;
}

/**
 * sframe_payer_put() - drop a reference
 * @payer: the user, or NULL
 *
 * Context: process context.
 */
void sframe_payer_put(struct sframe_payer *payer)
{
	if (!payer || !refcount_dec_and_lock(&payer->refs, &account_lock))
		return;
	hash_del(&payer->node);
	spin_unlock(&account_lock);
	kfree(payer);
}

/* Does @a come before @b in descending order of what they hold? */
static bool payer_holds_more(const struct sframe_payer *a,
			     const struct sframe_payer *b, enum sframe_resource what)
{
	if (a->used[what] != b->used[what])
		return a->used[what] > b->used[what];
	return uid_lt(a->uid, b->uid);
}

/**
 * sframe_payer_largest() - find the user who holds most of a resource
 * @what: the resource
 * @after: only among those who hold less than this one; NULL: among all
 *
 * Context: process context.
 * Return: the user with a reference, or NULL if nobody is left that holds any.
 */
struct sframe_payer *sframe_payer_largest(enum sframe_resource what,
					  const struct sframe_payer *after)
{
	struct sframe_payer *payer, *found = NULL;
	unsigned int bkt;

	guard(spinlock)(&account_lock);
	hash_for_each(payers, bkt, payer, node) {
		if (!payer->used[what] ||
		    (after && !payer_holds_more(after, payer, what)))
			continue;
		if (!found || payer_holds_more(payer, found, what))
			found = payer;
	}
	if (found)
		refcount_inc(&found->refs);
	return found;
}

static bool amount_fits(size_t used, size_t amount, size_t most)
{
	return amount <= most && used <= most - amount;
}

/* @amount is added; less than 0: subtracted. */
static void account_add(struct sframe_payer *payer, enum sframe_resource what,
			ssize_t amount)
{
	lockdep_assert_held(&account_lock);
	WRITE_ONCE(used_by_all[what], used_by_all[what] + amount);
	WRITE_ONCE(payer->used[what], payer->used[what] + amount);
	if (!sframe_payer_is_root(payer))
		used_by_users[what] += amount;
}

static enum sframe_reason account_check(const struct sframe_payer *payer,
					enum sframe_resource what,
					size_t amount)
{
	size_t most = sframe_account_most(payer, what);
	size_t all = resource_total(what);
	bool root = sframe_payer_is_root(payer);

	lockdep_assert_held(&account_lock);
	if (!root && !amount_fits(payer->used[what], amount, most))
		return SFRAME_SHARE;
	if (!root && !amount_fits(used_by_users[what], amount, all - all / 4))
		return SFRAME_USERS_SHARE;
	if (!amount_fits(used_by_all[what], amount, all))
		return SFRAME_NO_MEMORY;
	return SFRAME_OK;
}

/**
 * sframe_account_take() - let a user hold more of a resource
 * @payer: the user
 * @what: the resource
 * @amount: amount to add
 *
 * Context: process context.
 * Return: SFRAME_OK; SFRAME_SHARE if it would exceed the user's share,
 *	SFRAME_USERS_SHARE if that of all users but root, SFRAME_NO_MEMORY if all
 *	there is.
 */
enum sframe_reason sframe_account_take(struct sframe_payer *payer,
				       enum sframe_resource what,
				       size_t amount)
{
	enum sframe_reason r;

	guard(spinlock)(&account_lock);
	r = account_check(payer, what, amount);
	if (!r)
		account_add(payer, what, amount);
	return r;
}

/**
 * sframe_account_give() - let a user hold less of a resource
 * @payer: the user
 * @what: the resource
 * @amount: amount to subtract; it was taken before
 *
 * Context: process context.
 */
void sframe_account_give(struct sframe_payer *payer, enum sframe_resource what,
			 size_t amount)
{
	guard(spinlock)(&account_lock);
	account_add(payer, what, -amount);
}

/**
 * sframe_account_take_over() - make one user hold an image and its table, which others did
 * @image_payer: who holds the image now
 * @table_payer: who holds the table now; @to if there is none
 * @bytes: bytes of the table
 * @to: who holds both then
 *
 * Context: process context.
 * Return: as sframe_account_take() for @to; on failure nothing is moved.
 */
enum sframe_reason sframe_account_take_over(struct sframe_payer *image_payer,
					    struct sframe_payer *table_payer,
					    size_t bytes, struct sframe_payer *to)
{
	enum sframe_reason r;

	if (image_payer == to && table_payer == to)
		return SFRAME_OK;
	guard(spinlock)(&account_lock);
	account_add(image_payer, SFRAME_RES_IMAGES, -1);
	account_add(table_payer, SFRAME_RES_TABLES, -bytes);
	r = account_check(to, SFRAME_RES_IMAGES, 1) ?:
	    account_check(to, SFRAME_RES_TABLES, bytes);
	account_add(r ? image_payer : to, SFRAME_RES_IMAGES, 1);
	account_add(r ? table_payer : to, SFRAME_RES_TABLES, bytes);
	return r;
}

/**
 * sframe_account_used() - how much of a resource do all users together hold?
 * @what: the resource
 *
 * Context: any.
 * Return: the amount.
 */
size_t sframe_account_used(enum sframe_resource what)
{
	return READ_ONCE(used_by_all[what]);
}
