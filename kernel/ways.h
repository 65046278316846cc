/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The ways into perf: in place, and deferred.
 */
#ifndef SFRAME_WAYS_H
#define SFRAME_WAYS_H

#include <linux/types.h>

/**
 * sframe_inplace_init() - redirect perf_callchain_user(), for walks in place
 *
 * Context: process context, may sleep.
 * Return: 0 or -errno.
 */
int sframe_inplace_init(void);

/**
 * sframe_inplace_exit() - stop, and wait until no walk in place is left
 *
 * Context: process context, may sleep.
 */
void sframe_inplace_exit(void);

/* Deferred walks, by deferred_kernel.c or deferred_records.c: whose engine it is, for messages. */
extern const char sframe_deferred_by[];

/**
 * sframe_deferred_init() - redirect what deferred walks need
 * @walks: true: our walks replace the kernel's; false: those are only kept from sleeping while
 *	a request of ours is queued
 *
 * Context: process context, may sleep.
 * Return: 0 or -errno; -EOPNOTSUPP if perf on this kernel knows no deferred callchains.
 */
int sframe_deferred_init(bool walks);

/**
 * sframe_records_write() - write the record of a deferred chain to every event that listens
 *	to the current task
 * @cookie: cookie of the samples that the chain is for
 * @ips: PCs, innermost first
 * @nr: number of them; they fit into a record, whose size is a u16
 *
 * Context: task context, may be preempted; sframe_have_perf_output() is true.
 */
void sframe_records_write(u64 cookie, const u64 *ips, u32 nr);

/**
 * sframe_deferred_exit() - stop, and wait until no deferred walk is left
 *
 * May be called also if sframe_deferred_init() has failed.
 *
 * Context: process context, may sleep.
 */
void sframe_deferred_exit(void);

#endif /* SFRAME_WAYS_H */
