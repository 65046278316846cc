// SPDX-License-Identifier: GPL-2.0
/*
 * In place: perf_callchain_user() of tasks with tables is ours. It runs in
 * NMI, in hard interrupts or with preemption off, so nothing here sleeps or
 * faults. bpf_get_stack() comes this way too.
 */
#include <linux/perf_event.h>
#include <linux/rcupdate.h>

#include "compat/compat.h"
#include "internal.h"

static bool emit(void *arg, u64 pc)
{
	return !perf_callchain_store(arg, pc);
}

/* Does the map of the current task's mm hold a table? Asks for one if not. */
static bool want(struct ftrace_regs *fregs)
{
	struct pt_regs *regs = sframe_hook_arg(fregs, 1);
	struct sframe_mm *m;
	bool ask, ret;

	if (!sframe_task_ours(regs))
		return false;
	rcu_read_lock();
	m = sframe_mm_find(current->mm);
	ret = m && sframe_mm_has_tables(m);
	/* An mm older than the recording, or whose scan failed. */
	ask = !m || sframe_mm_stale(m);
	rcu_read_unlock();
	if (ask)
		sframe_track_request();
	return ret;
}

static void callchain_user(struct perf_callchain_entry_ctx *entry,
			   struct pt_regs *regs)
{
	struct sframe_mm *m;

	rcu_read_lock();
	m = sframe_mm_find(current->mm);
	if (m)
		sframe_walk(m, regs, SFRAME_WAY_INPLACE, entry->max_stack, emit,
			    entry);
	rcu_read_unlock();
}

static struct sframe_redirect redirect = {
	.name = "perf_callchain_user",
	.to = callchain_user,
	.want = want,
};

int sframe_perf_init(void)
{
	return sframe_redirect_on(&redirect);
}

void sframe_perf_exit(void)
{
	sframe_redirect_off(&redirect);
}
