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
 * One backend is built. -EOPNOTSUPP: perf here knows no deferred callchains.
 * Without @walks, perf walks by itself, but nobody's request waits for that.
 */
extern const char sframe_deferred_by[];
int sframe_deferred_init(bool walks);
/* Also if it was not successful. */
void sframe_deferred_exit(void);

#endif /* SFRAME_WAYS_H */
