/* SPDX-License-Identifier: GPL-2.0 */
/* Finds out who is recorded, and whose stack can be walked. */
#ifndef SFRAME_RECORDED_H
#define SFRAME_RECORDED_H

#include <linux/types.h>

struct perf_event;
struct pt_regs;

/* Are all callchains taken in place? Set at load. */
extern bool sframe_recorded_in_place;

/**
 * sframe_recorded_sample() - note that a callchain of the current task is taken in place
 *
 * Context: any, NMI included.
 */
void sframe_recorded_sample(void);
/**
 * sframe_recorded_pause() - walks by perf on this CPU are not samples, or are again
 * @pause: they are not
 *
 * Context: preemption off, until they are again.
 */
void sframe_recorded_pause(bool pause);
/**
 * sframe_recorded_by() - note that an event gets a deferred chain of the current task
 * @event: the event
 *
 * Context: any, under rcu_read_lock().
 */
void sframe_recorded_by(const struct perf_event *event);
/**
 * sframe_recorded_now() - is the current task recorded?
 *
 * Context: any, NMI included.
 * Return: true if so, as far as can be told.
 */
bool sframe_recorded_now(void);
/**
 * sframe_recorded_allowed() - may the current task's map be made at all?
 *
 * With the parameter privileged_only, only if somebody privileged records the task.
 *
 * Context: task context.
 * Return: true if so.
 */
bool sframe_recorded_allowed(void);

/**
 * sframe_task_walkable() - may the current task's user stack be walked?
 * @regs: its user registers
 *
 * Not that of kernel threads, exiting tasks without an mm, virtual CPUs (the sample is the
 * guest's) or 32-bit tasks: those are left to the kernel.
 *
 * Context: any, NMI included.
 * Return: true if so.
 */
bool sframe_task_walkable(struct pt_regs *regs);

/* For hooks: should the current task's map be updated before it is sampled? */
static inline bool sframe_recorded_ahead(void)
{
	return sframe_recorded_in_place && sframe_recorded_now();
}

#endif /* SFRAME_RECORDED_H */
