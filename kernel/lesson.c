// SPDX-License-Identifier: GPL-2.0
/*
 * Lessons: a walk in place has a budget, and some frames without a row cost more. So where
 * that has cut it, the task walks the same stack again before it returns to user mode, with
 * the budget of a deferred walk. Nobody sees that chain, but the answers of the code that it
 * followed are kept for the next walks on this CPU (trails.c).
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
#include "recorded.h"
#include "stats.h"
#include "track.h"
#include "walk.h"

/* A lesson may take 1 / TIME_PARTS of the time. */
#define TIME_PARTS	20
/* Frames that a lesson looks at. */
#define FRAMES		64

/*
 * Might a larger budget have led farther? Code is followed as far as a part of it allows: so not
 * only if nothing is left.
 */
static bool may_lead_farther(const struct sframe_chain *chain, enum sframe_reason end)
{
	if (chain->whole)
		return false;
	switch (end) {
	case SFRAME_NO_TABLE:
	case SFRAME_NO_FDE:
	case SFRAME_BAD_RULE:
	case SFRAME_SP_UNKNOWN:
	case SFRAME_FP_UNKNOWN:
	case SFRAME_FP_OFF_STACK:
	case SFRAME_FP_TOO_FAR:
	case SFRAME_FP_TOO_COSTLY:
	case SFRAME_FP_NOT_A_CALL:
	case SFRAME_FP_HIDDEN_RA:
		/* Does a lesson come to that frame? */
		return chain->spent || chain->nr < FRAMES;
	default:
		return chain->spent;
	}
}

/**
 * sframe_lesson_want() - after a walk in place: is a lesson due?
 * @m: the current task's mm, kept by RCU; NULL: nothing is known of it
 * @chain: what the walk has found
 * @end: why it ended
 *
 * Context: any, NMI included.
 * Return: true if the task has to call sframe_lesson_take() before it returns to user
 *	mode.
 */
bool sframe_lesson_want(struct sframe_mm *m, const struct sframe_chain *chain,
			enum sframe_reason end)
{
	if (!may_lead_farther(chain, end) || sframe_track_is_paused() ||
	    ktime_get_mono_fast_ns() < READ_ONCE(m->lessons.next))
		return false;
	WRITE_ONCE(m->lessons.wanted_by, current);
	return true;
}

/**
 * sframe_lesson_take() - walk again, if a walk in place was cut
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
	/* No other lesson meanwhile. */
	WRITE_ONCE(m->lessons.next, begin + NSEC_PER_SEC);
	sframe_walk(m, regs, SFRAME_WAY_LEARNING, &chain);
	end = max(ktime_get_mono_fast_ns(), begin);
	sframe_count_by(SFRAME_EV_LEARNING_NS, end - begin);
	WRITE_ONCE(m->lessons.next, end + TIME_PARTS * (end - begin));
}
