// SPDX-License-Identifier: GPL-2.0
/*
 * Room for tables: about what it takes is reserved before a table is built,
 * and what it does take is settled afterwards. Where there is none, tables that
 * nobody uses make place: a user's own if its share is used up, those of whoever
 * holds most if all is. What root holds makes no place for users whose part, three
 * quarters, is used up.
 */
#include <linux/limits.h>

#include "account.h"
#include "cache.h"
#include "room.h"

/* Images dropped at a time; what is looked at meanwhile. */
#define EVICT_AT_ONCE	16
#define LOOKS		1024

/**
 * sframe_room_reserve() - reserve room for a table that is to be built
 * @payer: who pays for it
 * @bytes: what it takes, about
 *
 * Context: process context, may sleep.
 * Return: SFRAME_OK; SFRAME_SHARE, SFRAME_USERS_SHARE or SFRAME_NO_MEMORY if so
 * much of the user's share, of all users', or of all is taken by tables in use.
 */
enum sframe_reason sframe_room_reserve(struct sframe_payer *payer, size_t bytes)
{
	enum sframe_reason r;
	unsigned long freed;

	do {
		r = sframe_account_take(payer, SFRAME_RES_TABLES, bytes);
		if (r == SFRAME_SHARE)
			freed = sframe_cache_evict_of(payer, LOOKS,
						      EVICT_AT_ONCE);
		else if (r)
			freed = sframe_cache_evict(LOOKS, EVICT_AT_ONCE,
						   r == SFRAME_USERS_SHARE);
	} while (r && freed);
	return r;
}

/**
 * sframe_room_settle() - the table is built, or not: hold what it takes
 * @payer: who pays for it
 * @reserved: what was reserved
 * @used: what the table takes, bytes; 0 without one
 *
 * Context: process context, may sleep.
 * Return: SFRAME_OK; or as sframe_room_reserve(), if the table takes more than
 * was reserved, and that is not to be had. Then nothing is held any more.
 */
enum sframe_reason sframe_room_settle(struct sframe_payer *payer,
				      size_t reserved, size_t used)
{
	enum sframe_reason r = SFRAME_OK;

	if (used > reserved)
		r = sframe_room_reserve(payer, used - reserved);
	if (r)
		used = 0;
	if (used < reserved)
		sframe_account_give(payer, SFRAME_RES_TABLES, reserved - used);
	return r;
}
