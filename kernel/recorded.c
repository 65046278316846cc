// SPDX-License-Identifier: GPL-2.0
/*
 * Finds out whose stack can be walked, and who is recorded, so that nobody else pays for
 * having a map made ahead of samples.
 *
 * A task is recorded by events of its own, or by events of a whole CPU. Those need
 * privileges, unless kernel.perf_event_paranoid is below 1, and nothing tells which task
 * they record; but a sample of a task without events of its own can only come from one of
 * them, or from BPF, which needs privileges, too. By the time of a deferred walk a task may
 * have lost its own events (exit, execve): there the events tell that get the record.
 *
 * A deferred walk updates the map itself. A walk in place cannot, so the map must be up
 * to date before a sample comes: tasks that are recorded update it when they return
 * from what changed it.
 */
#include <linux/capability.h>
#include <linux/cred.h>
#include <linux/err.h>
#include <linux/jiffies.h>
#include <linux/percpu.h>
#include <linux/perf_event.h>
#include <linux/ptrace.h>
#include <linux/rculist.h>
#include <linux/sched.h>
#include <linux/user_namespace.h>

#include "arch/native.h"
#include "limits.h"
#include "recorded.h"

/* How long after a sample by a CPU-wide event more are expected. */
#define WIDE_PERIOD	(10 * HZ)

/* All walks are in place, so maps are made ahead. Written once, at load. */
bool sframe_recorded_in_place __ro_after_init;
/*
 * Jiffies of the last sample by a CPU-wide event, about; 0: there was none. Written by
 * whoever samples.
 */
static unsigned long wide_sampled;

/*
 * What comes on this CPU is no sample, but a walk of our own by perf. Written with preemption off;
 * read in any context: a sample that interrupts that walk is not noted either, the next one is.
 */
static DEFINE_PER_CPU(bool, not_sampled);

static void note_wide(void)
{
	unsigned long now = jiffies | 1;

	if (READ_ONCE(wide_sampled) != now)
		WRITE_ONCE(wide_sampled, now);
}

void sframe_recorded_sample(void)
{
	if (!READ_ONCE(current->perf_event_ctxp) && !this_cpu_read(not_sampled))
		note_wide();
}

void sframe_recorded_pause(bool pause)
{
	this_cpu_write(not_sampled, pause);
}

void sframe_recorded_by(const struct perf_event *event)
{
	const struct perf_event_context *ctx = READ_ONCE(event->ctx);

	if (!ctx->task)
		note_wide();
}

static bool recorded_by_wide(void)
{
	unsigned long when = READ_ONCE(wide_sampled);

	return when && time_before(jiffies, when + WIDE_PERIOD);
}

/*
 * Inherited events are there before the task's first instruction, so this is known in
 * time. Events that do not record callchains count, too; they are rare.
 */
bool sframe_recorded_now(void)
{
	return READ_ONCE(current->perf_event_ctxp) || recorded_by_wide();
}

/* Was the event opened with privileges? Its parent knows by whom. Under rcu_read_lock(). */
static bool opened_with_privileges(const struct perf_event *event)
{
	const struct perf_event *parent = event->parent ?: event;
	struct task_struct *owner = READ_ONCE(parent->owner);
	const struct cred *cred;

	if (!owner || !(event->attr.sample_type & PERF_SAMPLE_CALLCHAIN))
		return false;
	/* An event of the kernel's own. */
	if (IS_ERR(owner))
		return true;
	cred = __task_cred(owner);
	return cred->user_ns == &init_user_ns &&
	       (cap_raised(cred->cap_effective, CAP_PERFMON) ||
		cap_raised(cred->cap_effective, CAP_SYS_ADMIN));
}

bool sframe_recorded_allowed(void)
{
	struct perf_event_context *ctx;
	struct perf_event *event;
	bool ret = false;

	if (!READ_ONCE(sframe_privileged_only) || recorded_by_wide())
		return true;
	rcu_read_lock();
	ctx = READ_ONCE(current->perf_event_ctxp);
	if (ctx) {
		list_for_each_entry_rcu(event, &ctx->event_list, event_entry) {
			ret = opened_with_privileges(event);
			if (ret)
				break;
		}
	}
	rcu_read_unlock();
	return ret;
}

bool sframe_task_walkable(struct pt_regs *regs)
{
	if (!current->mm ||
	    (current->flags & (PF_KTHREAD | PF_USER_WORKER | PF_VCPU)))
		return false;
	return user_mode(regs) && sframe_arch_user64(regs);
}
