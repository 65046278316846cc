/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Lessons: what walks in place cannot pay for, the task finds out before it returns to
 * user mode.
 */
#ifndef SFRAME_LESSON_H
#define SFRAME_LESSON_H

#include <linux/types.h>

#include <sframe/reason.h>

struct sframe_chain;
struct sframe_mm;

bool sframe_lesson_want(struct sframe_mm *m, const struct sframe_chain *chain,
			enum sframe_reason end);
void sframe_lesson_take(struct sframe_mm *m);

#endif /* SFRAME_LESSON_H */
