/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Hooks that notice changes of executable mappings, and requests for updates of the
 * current task's map.
 */
#ifndef SFRAME_TRACK_H
#define SFRAME_TRACK_H

#include <linux/types.h>

struct seq_file;
struct sframe_mm;

int sframe_track_init(void);
/* Called once nobody requests updates; no hook and no update runs afterwards. */
void sframe_track_exit(void);
void sframe_track_place_soon(void);
bool sframe_track_remove_idle(void);
void sframe_track_show(struct seq_file *m);
/* Have the current task update its map before user mode. Any context, NMI too. */
void sframe_track_request(void);
/* Has the current task such a request that was not carried out yet? Any context, NMI too. */
bool sframe_track_requested(void);
/*
 * Requests are taken from open() to close(), which waits until none is left. All
 * redirects must be on during that time.
 */
int sframe_track_open(void);
void sframe_track_close(void);
/* Task context, may sleep: sframe_mm_update(), if the current task may be followed. */
struct sframe_mm *sframe_track_update(void);

#endif /* SFRAME_TRACK_H */
