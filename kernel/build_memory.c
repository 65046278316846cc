// SPDX-License-Identifier: GPL-2.0
/*
 * Limits the memory that is only needed while tables are built: what was read of a
 * file, and what the core works with. A worker waits for its part, since others give
 * theirs back soon.
 */
#include <linux/jiffies.h>
#include <linux/sched/signal.h>
#include <linux/wait.h>

#include "account.h"
#include "build_memory.h"

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
