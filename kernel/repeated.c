// SPDX-License-Identifier: GPL-2.0
/*
 * Lets a task get on whose samples ask for task work each time that this was done. An event may
 * be of what the kernel does whenever there was task work (a kprobe on
 * blkcg_maybe_throttle_current()): its sample asks for more, before the task is in user mode.
 * Nothing tells one stay in the kernel from the next; but in one PC and SP stay the same.
 */
#include <linux/compiler.h>
#include <linux/ptrace.h>
#include <linux/sched.h>
#include <linux/sched/task_stack.h>
#include <linux/timekeeping.h>

#include "repeated.h"

static bool is_repeated(const struct sframe_repeated *r)
{
	struct pt_regs *regs = task_pt_regs(current);

	return READ_ONCE(r->task) == current && READ_ONCE(r->pc) == instruction_pointer(regs) &&
	       READ_ONCE(r->sp) == user_stack_pointer(regs);
}

/**
 * sframe_repeated_count() - count that the work was done for the current task
 * @r: of this CPU
 * @begin: when it was begun, by ktime_get_mono_fast_ns()
 *
 * Context: task context, preemption off.
 */
void sframe_repeated_count(struct sframe_repeated *r, u64 begin)
{
	struct pt_regs *regs = task_pt_regs(current);

	if (!is_repeated(r) || begin - r->done > SFRAME_REPEATED_GAP) {
		WRITE_ONCE(r->task, current);
		WRITE_ONCE(r->pc, instruction_pointer(regs));
		WRITE_ONCE(r->sp, user_stack_pointer(regs));
		WRITE_ONCE(r->pause_until, 0);
		r->times = 0;
	}
	r->done = ktime_get_mono_fast_ns();
	if (++r->times < SFRAME_REPEATED_MAX)
		return;
	r->times = 0;
	WRITE_ONCE(r->pause_until, r->done + SFRAME_REPEATED_PAUSE);
}

/**
 * sframe_repeated_is_paused() - was it done often enough for the current task, for now?
 * @r: of this CPU
 *
 * Context: any, NMI included.
 * Return: true if so: then a sample does not ask for it.
 */
bool sframe_repeated_is_paused(const struct sframe_repeated *r)
{
	return is_repeated(r) && ktime_get_mono_fast_ns() < READ_ONCE(r->pause_until);
}
