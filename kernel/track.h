/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Hooks that notice changes of mappings, and updates of what is known.
 */
#ifndef SFRAME_TRACK_H
#define SFRAME_TRACK_H

#include <linux/types.h>

struct seq_file;
struct sframe_mm;

int sframe_track_init(void);
/* Nobody asks for an update any more: no hook and no update runs afterwards. */
void sframe_track_exit(void);
void sframe_track_place_soon(void);
bool sframe_track_remove_idle(void);
void sframe_track_show(struct seq_file *m);
/* Have the current task update its map before user mode. Any context, NMI too. */
void sframe_track_request(void);
/* Does the current task have such a request before it? Any context, NMI too. */
bool sframe_track_requested(void);
/*
 * From when on, and until when, such requests are taken; the latter waits until
 * none is left. All redirects are on meanwhile.
 */
int sframe_track_open(void);
void sframe_track_close(void);
/* Task context, may sleep: sframe_mm_update() of a task that may be followed. */
struct sframe_mm *sframe_track_update(void);

#endif /* SFRAME_TRACK_H */
