/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Hooks that notice changes of executable mappings, and requests for updates of the
 * current task's map.
 */
#ifndef SFRAME_TRACK_H
#define SFRAME_TRACK_H

#include <linux/types.h>

#include "mm.h"

int sframe_track_init(void);

/**
 * sframe_track_exit() - remove the hooks for good
 *
 * No hook and no update runs afterwards.
 *
 * Context: process context, may sleep; nobody requests updates any more.
 */
void sframe_track_exit(void);

/**
 * sframe_track_request() - a sample has the current task update its map before user mode
 *
 * Context: any, NMI included.
 * Return: true if it will.
 */
bool sframe_track_request(void);

/**
 * sframe_track_will_know() - will a requested update of an mm that is new find out about it?
 *
 * Context: any, NMI included.
 * Return: false if the hooks could not be placed the last time, or if the parameter
 *	privileged_only may forbid to follow the task.
 */
bool sframe_track_will_know(void);

/**
 * sframe_track_walks() - is the current task's stack walked by us, and not by perf?
 * @m: the entry of its mm, or NULL
 *
 * As long as it is not known whether there is a table, perf would skip callers.
 *
 * Context: any, NMI included; @m is kept by RCU or a reference.
 * Return: true if there is a table, or may be.
 */
static inline bool sframe_track_walks(const struct sframe_mm *m)
{
	return sframe_mm_is_new(m) ? sframe_track_will_know() : sframe_mm_may_have_tables(m);
}

/**
 * sframe_track_requested() - has the current task such a request before it?
 *
 * Context: any, NMI included.
 * Return: true until the update begins.
 */
bool sframe_track_requested(void);

/**
 * sframe_track_is_paused() - has the current task had updates enough for now?
 *
 * As long as an update leaves the map out of date (a table is still coming, the hooks are not
 * placed), each sample asks for another one, and so may one that a lesson is due after. If what
 * is sampled is what an update brings about, the task would never return to user mode.
 *
 * Context: any, NMI included.
 * Return: true if a sample should not request one.
 */
bool sframe_track_is_paused(void);

/**
 * sframe_track_open() - accept requests for updates
 *
 * Context: process context; all redirects are on.
 * Return: 0.
 */
int sframe_track_open(void);

/**
 * sframe_track_close() - accept no more, and wait until none is left
 *
 * Context: process context, may sleep; all redirects are still on.
 */
void sframe_track_close(void);
struct sframe_mm *sframe_track_update(void);

#endif /* SFRAME_TRACK_H */
