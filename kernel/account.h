/* SPDX-License-Identifier: GPL-2.0 */
/* Accounts for what is limited: users ("payers"), what they hold, and their shares. */
#ifndef SFRAME_ACCOUNT_H
#define SFRAME_ACCOUNT_H

#include <linux/list.h>
#include <linux/refcount.h>
#include <linux/types.h>
#include <linux/uidgid.h>

#include <sframe/reason.h>

/* Images in the cache at most, with or without a table. */
#define SFRAME_MAX_IMAGES	16384

/**
 * enum sframe_resource - what is limited
 * @SFRAME_RES_IMAGES: images in the cache; of SFRAME_MAX_IMAGES
 * @SFRAME_RES_TABLES: bytes of tables; of the parameter max_total_bytes
 * @SFRAME_RES_BUILD: bytes that are needed while tables are built; of the
 *	parameter max_build_bytes
 * @SFRAME_NR_RESOURCES: how many there are
 */
enum sframe_resource {
	SFRAME_RES_IMAGES,
	SFRAME_RES_TABLES,
	SFRAME_RES_BUILD,
	SFRAME_NR_RESOURCES,
};

/**
 * struct sframe_payer - a user, as far as this module knows it
 * @node: in the hash of users; the lock of account.c
 * @uid: constant
 * @refs: references to this structure; taken from the hash, and dropped to 0, when it
 *	leaves that, under the lock of account.c
 * @used: what the user holds of each resource; the lock of account.c, read without it
 *	as a hint
 * @images: images in the cache that the user pays for, least recently used first; the
 *	lock of cache.c
 * @jobs: its jobs that wait for a worker, oldest first; the lock of queue.c
 * @turn: in the list of users that may have a worker; the lock of queue.c
 * @running: workers that run the user's jobs; the lock of queue.c
 */
struct sframe_payer {
	struct hlist_node node;
	kuid_t uid;
	refcount_t refs;
	size_t used[SFRAME_NR_RESOURCES];
	struct list_head images;
	struct list_head jobs;
	struct list_head turn;
	unsigned int running;
};

/**
 * sframe_payer_is_root() - is it root, who has no share?
 * @payer: the user
 *
 * Context: any.
 * Return: true if so.
 */
static inline bool sframe_payer_is_root(const struct sframe_payer *payer)
{
	return uid_eq(payer->uid, GLOBAL_ROOT_UID);
}

kuid_t sframe_payer_uid_current(void);
struct sframe_payer *sframe_payer_of(kuid_t uid);
struct sframe_payer *sframe_payer_get(struct sframe_payer *payer);
void sframe_payer_put(struct sframe_payer *payer);
struct sframe_payer *sframe_payer_largest(enum sframe_resource what,
					  const struct sframe_payer *after);

enum sframe_reason sframe_account_take(struct sframe_payer *payer,
				       enum sframe_resource what,
				       size_t amount);
void sframe_account_give(struct sframe_payer *payer, enum sframe_resource what,
			 size_t amount);
enum sframe_reason sframe_account_take_over(struct sframe_payer *image_payer,
					    struct sframe_payer *table_payer,
					    size_t bytes, struct sframe_payer *to);
size_t sframe_account_used(enum sframe_resource what);
size_t sframe_account_most(const struct sframe_payer *payer,
			   enum sframe_resource what);

#endif /* SFRAME_ACCOUNT_H */
