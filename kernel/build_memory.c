// SPDX-License-Identifier: GPL-2.0
/*
 * Memory that is only needed while a table is built: what was read of the file,
 * and what the core works with. Workers wait for it, since others give theirs
 * back soon.
 */
#include <linux/jiffies.h>
#include <linux/sched/signal.h>
#include <linux/seq_file.h>
#include <linux/wait.h>

#include "account.h"
#include "build_memory.h"

/* Longer than any build takes, if its reads are answered. */
#define WAIT_MAX	(30 * HZ)

static DECLARE_WAIT_QUEUE_HEAD(given_back);

static bool try_take_build_memory(struct sframe_payer *payer, size_t bytes,
				  enum sframe_reason *r)
{
	*r = sframe_account_take(payer, SFRAME_RES_BUILD, bytes);
	return !*r;
}

/**
 * sframe_build_memory_take() - take memory to build with, wait for it if needed
 * @payer: for whom
 * @bytes: how much
 *
 * Context: process context, sleeps for half a minute at most; killable.
 * Return: SFRAME_OK; SFRAME_SHARE if it is more than the user can ever have, or
 * the user's other builds did not end meanwhile; SFRAME_USERS_SHARE or
 * SFRAME_NO_MEMORY if others' did not; SFRAME_READ_FAILED if killed.
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
 * sframe_build_memory_give() - give it back
 * @payer: for whom it was taken
 * @bytes: how much was
 *
 * Context: process context.
 */
void sframe_build_memory_give(struct sframe_payer *payer, size_t bytes)
{
	sframe_account_give(payer, SFRAME_RES_BUILD, bytes);
	wake_up_all(&given_back);
}

/**
 * sframe_build_memory_show() - how much is taken now
 * @m: where to print it
 */
void sframe_build_memory_show(struct seq_file *m)
{
	seq_printf(m, "build_bytes %zu\n",
		   sframe_account_used(SFRAME_RES_BUILD));
}
