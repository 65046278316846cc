// SPDX-License-Identifier: GPL-2.0
/*
 * What a build takes. Memory that is only needed meanwhile, for what was read of a file and
 * what the core works with: a worker waits for its part, since others give theirs back soon.
 * And room for the table: about as much as it will take is reserved before it is built, and
 * what it does take is settled afterwards. If there is no room, unused tables are evicted,
 * see sframe_cache_make_room().
 */
#include <linux/jiffies.h>
#include <linux/sched/signal.h>
#include <linux/wait.h>

#include "account.h"
#include "cache.h"
#include "room.h"

/* How long to wait; no build takes longer, unless its reads are not answered. */
#define WAIT_MAX	(30 * HZ)

static DECLARE_WAIT_QUEUE_HEAD(given_back);

static bool try_take_build_memory(struct sframe_payer *payer, size_t bytes,
				  enum sframe_reason *r)
{
	*r = sframe_account_take(payer, SFRAME_RES_BUILD, bytes);
	return !*r;
}

/**
 * sframe_build_memory_take() - take memory to build with, and wait for it if need be
 * @payer: the user
 * @bytes: bytes to take
 *
 * Context: process context, sleeps for half a minute at most; killable.
 * Return: SFRAME_OK; SFRAME_SHARE if it is more than the user may ever have, or the
 *	user's other builds did not end in time; SFRAME_USERS_SHARE or
 *	SFRAME_NO_MEMORY if others' did not; SFRAME_READ_FAILED if killed.
 */
enum sframe_reason sframe_build_memory_take(struct sframe_payer *payer,
					    size_t bytes)
{
	enum sframe_reason r = SFRAME_SHARE;
	long left;

	if (bytes > sframe_account_most(payer, SFRAME_RES_BUILD))
		return r;
	left = wait_event_killable_timeout(given_back,
					   try_take_build_memory(payer, bytes, &r),
					   WAIT_MAX);
	return left < 0 ? SFRAME_READ_FAILED : r;
}

/**
 * sframe_build_memory_give() - give memory back
 * @payer: the user for whom it was taken
 * @bytes: bytes that were taken
 *
 * Context: process context.
 */
void sframe_build_memory_give(struct sframe_payer *payer, size_t bytes)
{
	sframe_account_give(payer, SFRAME_RES_BUILD, bytes);
	wake_up_all(&given_back);
}

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
	} while (r && sframe_cache_make_room(payer, r, SFRAME_EVICTED_FOR_TABLES));
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
