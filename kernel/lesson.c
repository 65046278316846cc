// SPDX-License-Identifier: GPL-2.0
/*
 * A walk in place has a budget, and some frames without a row cost more. So the same stack
 * is walked again by the task itself, before it returns to user mode, with the budget of a
 * deferred walk. Nobody sees that chain; but the next walks on the CPU know what the code
 * has said.
 */
#include <linux/compiler.h>
#include <linux/kernel.h>
#include <linux/minmax.h>
#include <linux/sched.h>
#include <linux/sched/task_stack.h>
#include <linux/time64.h>
#include <linux/timekeeping.h>

#include "lesson.h"
#include "mm.h"
#include "stats.h"
#include "walk.h"

/* Of the time of a task, one part in so many may be spent on that. */
#define TIME_PARTS	20
/* As many frames are looked at. */
#define FRAMES		64

/**
 * sframe_lesson_want() - a walk in place could not pay for more
 * @m: the current task's mm, kept by RCU
 *
 * Context: any, NMI included.
 * Return: is sframe_lesson_take() to be called by the task?
 */
bool sframe_lesson_want(struct sframe_mm *m)
{
	if (ktime_get_mono_fast_ns() < READ_ONCE(m->lessons.next))
		return false;
	WRITE_ONCE(m->lessons.wanted_by, current);
	return true;
}

/**
 * sframe_lesson_take() - walk again where a walk in place could not pay for more
 * @m: the current task's mm; kept by the caller
 *
 * Context: task context, before the task returns to user mode.
 */
void sframe_lesson_take(struct sframe_mm *m)
{
	u64 pcs[FRAMES], begin = ktime_get_mono_fast_ns(), end;
	struct sframe_chain chain = { .pcs = pcs, .max = ARRAY_SIZE(pcs) };
	struct pt_regs *regs = task_pt_regs(current);

	if (READ_ONCE(m->lessons.wanted_by) != current || !sframe_task_walkable(regs))
		return;
	WRITE_ONCE(m->lessons.wanted_by, NULL);
	/* One at a time. */
	WRITE_ONCE(m->lessons.next, begin + NSEC_PER_SEC);
	sframe_walk(m, regs, SFRAME_WAY_LEARNING, &chain);
	end = max(ktime_get_mono_fast_ns(), begin);
	sframe_count_by(SFRAME_EV_LEARNING_NS, end - begin);
	WRITE_ONCE(m->lessons.next, end + TIME_PARTS * (end - begin));
}
