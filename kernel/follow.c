// SPDX-License-Identifier: GPL-2.0
/*
 * Who is recorded, so that nobody else pays.
 *
 * A task is recorded by events of its own, or by events of a whole CPU. Those
 * need privileges, and nothing tells who has them; but a sample of a task without
 * events of its own can only come from one, or from BPF, which needs privileges,
 * too.
 *
 * Where the walk is deferred, it finds out about new mappings itself. Where it is
 * in place, that must happen before a sample comes: so tasks that are recorded
 * bring their map up to date when they return from what changed it.
 */
#include <linux/capability.h>
#include <linux/cred.h>
#include <linux/err.h>
#include <linux/jiffies.h>
#include <linux/perf_event.h>
#include <linux/rculist.h>
#include <linux/sched.h>
#include <linux/user_namespace.h>

#include "follow.h"
#include "limits.h"

/* For so long after a sample, more by CPU-wide events are expected. */
#define WIDE_PERIOD	(10 * HZ)

/* Written once, when the module is loaded: until then nobody's map is made ahead. */
bool sframe_follow_inplace __ro_after_init;
/* Jiffies of such a sample, about, 0 for never; written by whoever takes one. */
static unsigned long wide_sampled;

void sframe_follow_sampled(void)
{
	unsigned long now = jiffies | 1;

	if (!READ_ONCE(current->perf_event_ctxp) &&
	    READ_ONCE(wide_sampled) != now)
		WRITE_ONCE(wide_sampled, now);
}

static bool recorded_by_wide(void)
{
	unsigned long when = READ_ONCE(wide_sampled);

	return when && time_before(jiffies, when + WIDE_PERIOD);
}

/*
 * Events that a task inherits come with it from the start, so this is known before
 * its first instruction. Of other kinds than callchains they are rare.
 */
bool sframe_follow_recorded(void)
{
	return READ_ONCE(current->perf_event_ctxp) || recorded_by_wide();
}

/* Under rcu_read_lock(). The one who opened an event is told by its parent. */
static bool opened_with_privileges(const struct perf_event *event)
{
	const struct perf_event *parent = event->parent ?: event;
	struct task_struct *owner = READ_ONCE(parent->owner);
	const struct cred *cred;

	if (!owner || !(event->attr.sample_type & PERF_SAMPLE_CALLCHAIN))
		return false;
	/* The kernel's own events have an owner that is no task. */
	if (IS_ERR(owner))
		return true;
	cred = __task_cred(owner);
	return cred->user_ns == &init_user_ns &&
	       (cap_raised(cred->cap_effective, CAP_PERFMON) ||
		cap_raised(cred->cap_effective, CAP_SYS_ADMIN));
}

bool sframe_follow_allowed(void)
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
