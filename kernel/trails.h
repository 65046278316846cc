/* SPDX-License-Identifier: GPL-2.0 */
/* Each CPU's trail and answers, from the last walks on it. */
#ifndef SFRAME_TRAILS_H
#define SFRAME_TRAILS_H

#include <linux/types.h>

struct sframe_answers;
struct sframe_trail;

struct sframe_trail *sframe_trail_take(u64 key);
void sframe_trail_put(struct sframe_trail *trail, bool paid);
struct sframe_answers *sframe_answers_take(u64 key);
void sframe_answers_put(struct sframe_answers *answers);
int sframe_trails_init(void);
void sframe_trails_exit(void);

#endif /* SFRAME_TRAILS_H */
