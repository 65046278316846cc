/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What each CPU's last walks have found.
 */
#ifndef SFRAME_TRAILS_H
#define SFRAME_TRAILS_H

#include <linux/types.h>

struct sframe_step_cache;
struct sframe_trail;

struct sframe_trail *sframe_trail_take(u64 key);
void sframe_trail_put(struct sframe_trail *trail, bool paid);
struct sframe_step_cache *sframe_steps_take(u64 key, bool keeps);
void sframe_steps_put(struct sframe_step_cache *cache);
int sframe_trails_init(void);
void sframe_trails_exit(void);

#endif /* SFRAME_TRAILS_H */
