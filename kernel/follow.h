/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Who is recorded.
 */
#ifndef SFRAME_FOLLOW_H
#define SFRAME_FOLLOW_H

#include <linux/types.h>

/* The way that was chosen: are all callchains taken in place? */
extern bool sframe_follow_inplace;

/* A callchain of the current task is taken in place. Any context, NMI too. */
void sframe_follow_sampled(void);
/* Is the current task recorded, as far as can be told? */
bool sframe_follow_recorded(void);
/* Task context: may the current task's map be made at all? */
bool sframe_follow_allowed(void);

/* Hooks: should the current task's map be made before it is sampled? */
static inline bool sframe_follow_ahead(void)
{
	return sframe_follow_inplace && sframe_follow_recorded();
}

#endif /* SFRAME_FOLLOW_H */
