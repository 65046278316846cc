/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Who is recorded.
 */
#ifndef SFRAME_FOLLOW_H
#define SFRAME_FOLLOW_H

#include <linux/types.h>

/* The way was chosen: are all callchains taken in place? */
void sframe_follow_init(bool inplace);
/* A callchain of the current task is taken in place. Any context, NMI too. */
void sframe_follow_sampled(void);
/* Hooks: should the current task's map be made before it is sampled? */
bool sframe_follow_ahead(void);
/* Task context: may the current task's map be made at all? */
bool sframe_follow_allowed(void);

#endif /* SFRAME_FOLLOW_H */
