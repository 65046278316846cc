/* SPDX-License-Identifier: GPL-2.0 */
/* Finds out who is recorded. */
#ifndef SFRAME_FOLLOW_H
#define SFRAME_FOLLOW_H

#include <linux/types.h>

/* Are all callchains taken in place? Set at load. */
extern bool sframe_follow_inplace;

/* To be called when a callchain of the current task is taken in place. Any context, NMI too. */
void sframe_follow_sampled(void);
/* Is the current task recorded, as far as can be told? */
bool sframe_follow_recorded(void);
/* Task context: may the current task's map be made at all? */
bool sframe_follow_allowed(void);

/* For hooks: should the current task's map be updated before it is sampled? */
static inline bool sframe_follow_ahead(void)
{
	return sframe_follow_inplace && sframe_follow_recorded();
}

#endif /* SFRAME_FOLLOW_H */
