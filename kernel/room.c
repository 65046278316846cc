// SPDX-License-Identifier: GPL-2.0
/*
 * Room for tables: before a table is built, about as much as it will take is reserved;
 * afterwards what it does take is settled. If there is no room, unused tables are
 * evicted, see sframe_cache_make_room().
 */
#include "account.h"
#include "cache.h"
#include "room.h"

/**
 * sframe_room_reserve() - reserve room for a table that is to be built
 * @payer: the user who pays for it
 * @bytes: bytes that it will take, about
 *
 * Context: process context, may sleep.
 * Return: SFRAME_OK; SFRAME_SHARE, SFRAME_USERS_SHARE or SFRAME_NO_MEMORY if tables in
 *	use take too much of the user's share, of all users' share, or of all.
 */
enum sframe_reason sframe_room_reserve(struct sframe_payer *payer, size_t bytes)
{
	enum sframe_reason r;

	do {
		r = sframe_account_take(payer, SFRAME_RES_TABLES, bytes);
	} while (r && sframe_cache_make_room(payer, r, SFRAME_LOOKS_FOR_TABLES,
					     SFRAME_EVICTED_FOR_TABLES));
	return r;
}

/**
 * sframe_room_settle() - a build has ended: hold what the table takes
 * @payer: the user who pays for it
 * @reserved: bytes that were reserved
 * @used: bytes that the table takes; 0 if there is none
 *
 * Context: process context, may sleep.
 * Return: SFRAME_OK; or as sframe_room_reserve() if the table takes more than was
 *	reserved, and there is no room for that: then nothing is held any more.
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
