/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The ways into perf: in place, and deferred.
 */
#ifndef SFRAME_WAYS_H
#define SFRAME_WAYS_H

#include <linux/types.h>

int sframe_perf_init(void);
void sframe_perf_exit(void);
/*
 * Deferred walks; one of deferred_kernel.c and deferred_records.c is built.
 * -EOPNOTSUPP: perf here knows no deferred callchains. Without @walks perf walks by
 * itself, but no walk may keep a request of ours waiting.
 */
extern const char sframe_deferred_by[];
int sframe_deferred_init(bool walks);
/* May be called also if sframe_deferred_init() failed. */
void sframe_deferred_exit(void);

#endif /* SFRAME_WAYS_H */
