// SPDX-License-Identifier: GPL-2.0
/*
 * Deferred walks with an engine of our own: for kernels whose perf knows deferred
 * callchains, but which do not unwind user stacks on this architecture.
 *
 * perf_callchain() of an event that allows deferral is redirected: it records a cookie
 * in place of the user's part, and requests task work (slots.c). Before the task
 * returns to user mode its stack is walked once, with faults allowed, and a record with
 * that cookie goes to every event that listens (records.c); perf puts the two together.
 */
#include <linux/errno.h>

#include <sframe/reason.h>

#include "compat/compat.h"
#include "compat/hooks.h"
#include "limits.h"
#include "mm.h"
#include "recorded.h"
#include "redirect.h"
#include "repeated.h"
#include "slots.h"
#include "stats.h"
#include "track.h"
#include "walk.h"
#include "ways.h"

#ifdef SFRAME_HAVE_DEFERRED_RECORDS

#include <linux/cleanup.h>
#include <linux/irqflags.h>
#include <linux/percpu.h>
#include <linux/perf_event.h>
#include <linux/preempt.h>
#include <linux/rcupdate.h>
#include <linux/sched/task_stack.h>
#include <linux/slab.h>
#include <linux/timekeeping.h>
#include <linux/tracepoint.h>
#include <trace/events/sched.h>

const char sframe_deferred_by[] = "our own engine";

/* PCs that fit into a record, whose size is a u16. */
#define MAX_FRAMES	8000u
/* PCs if memory cannot be allocated: enough for most stacks. */
#define FEW_FRAMES	32
/* Stands for the rest of a chain that was cut; no code is at this address. */
#define CHAIN_CUT	0

/* Events may be of what is done for each record; see there. */
static DEFINE_PER_CPU(struct sframe_repeated, repeated_records);

/* Without a table, walk as perf would have at the sample. It is none: who has asked may be gone. */
static enum sframe_reason walk_as_perf(struct sframe_chain *chain)
{
	guard(preempt)();
	sframe_recorded_pause(true);
	chain->nr = sframe_perf_walk(chain->pcs, chain->max);
	sframe_recorded_pause(false);
	return SFRAME_NO_TABLE;
}

/* Also for a task whose mm was not known yet when it was sampled. */
static enum sframe_reason walk_deferred(struct sframe_chain *chain)
{
	struct sframe_mm *m = sframe_track_update();
	enum sframe_reason r;

	if (sframe_track_walks(m))
		r = sframe_walk(m, task_pt_regs(current), SFRAME_WAY_DEFERRED,
				chain);
	else
		r = walk_as_perf(chain);
	sframe_mm_put(m);
	return r;
}

/* Walk an exiting task, in a context that may not sleep. */
static enum sframe_reason walk_exiting(struct sframe_chain *chain)
{
	enum sframe_reason r;
	struct sframe_mm *m;

	guard(preempt)();
	guard(rcu)();
	m = current->mm ? sframe_mm_find(current->mm) : NULL;
	if (sframe_track_walks(m))
		r = sframe_walk(m, task_pt_regs(current), SFRAME_WAY_INPLACE,
				chain);
	else
		r = walk_as_perf(chain);
	return r;
}

/*
 * Allocate room for a chain, or return NULL: then FEW_FRAMES must do. The exit
 * tracepoint must not sleep, and on PREEMPT_RT kmalloc() may sleep even with
 * GFP_NOWAIT.
 */
static u64 *alloc_frames(u32 nr, bool exiting)
{
	if (exiting && IS_ENABLED(CONFIG_PREEMPT_RT))
		return NULL;
	return kmalloc_array(nr, sizeof(u64), __GFP_NOWARN |
			     (exiting ? GFP_NOWAIT : GFP_KERNEL));
}

static void walk_for_request(struct sframe_slot *slot)
{
	bool exiting = current->flags & PF_EXITING;
	/* There is room for one more than the maximum: CHAIN_CUT. */
	struct sframe_chain chain = {
		.max = min(READ_ONCE(sframe_max_frames), MAX_FRAMES),
	};
	u64 few[FEW_FRAMES + 1] __uninitialized;
	u64 begin = ktime_get_mono_fast_ns(), cookie = slot->cookie;
	enum sframe_reason r;
	u64 *ips;

	ips = alloc_frames(chain.max + 1, exiting);
	chain.pcs = ips;
	if (!ips) {
		chain.pcs = few;
		chain.max = min_t(u32, chain.max, FEW_FRAMES);
	}
	r = exiting ? walk_exiting(&chain) : walk_deferred(&chain);
	if (r == SFRAME_DEPTH)
		chain.pcs[chain.nr++] = CHAIN_CUT;
	/*
	 * Until the slot is released, new samples of this task reuse its
	 * cookie: so only now, when the chain is complete and will be written.
	 * No sample in between: that would wait for another record, and perf
	 * takes the first one of a task for all of its samples that wait.
	 */
	scoped_guard(irqsave) {
		sframe_repeated_count(this_cpu_ptr(&repeated_records), begin);
		sframe_slot_release(slot);
		sframe_records_write(cookie, chain.pcs, chain.nr);
	}
	kfree(ips);
}

static struct sframe_slots requests = {
	.run = walk_for_request,
	.open = true,
	.queued = SFRAME_EV_DEFER,
	.full = SFRAME_EV_DEFER_FULL,
};

static bool event_defers_user(const struct perf_event *event)
{
	return event->attr.defer_callchain &&
	       !event->attr.exclude_callchain_user &&
	       !(event->ctx->task && event->ctx->task != current);
}

/*
 * Defer, unless the task is known to have no table: what perf does for it needs no
 * deferral. If nothing is known of its mm yet, it will be by the time of the walk.
 */
static bool want_callchain(struct ftrace_regs *fregs)
{
	struct perf_event *event = SFRAME_ARG_CALLCHAIN_EVENT(fregs);

	return event_defers_user(event) && sframe_task_walkable(task_pt_regs(current)) &&
	       !sframe_repeated_is_paused(raw_cpu_ptr(&repeated_records)) &&
	       !sframe_mm_current_is_plain() && sframe_slot_request(&requests);
}

static struct perf_callchain_entry no_callchain;

/*
 * Called in place of perf_callchain(). want_callchain() has made the request, which
 * lasts until the task leaves the kernel. If there is no slot, unload has closed the set
 * since: perf walks at once.
 */
static struct perf_callchain_entry *
perf_callchain_deferred(struct perf_event *event, struct pt_regs *regs)
{
	struct sframe_slot *slot = sframe_slot_request(&requests);
	struct perf_callchain_entry *entry;

	entry = sframe_get_perf_callchain(event, regs, slot ? slot->cookie : 0);
	return entry ?: &no_callchain;
}

static struct sframe_redirect redirect = {
	.to = perf_callchain_deferred,
	.want = want_callchain,
};

/* A task exits: walk for its pending request while its mm is still there. */
static void flush_exiting_task(void *unused, struct task_struct *task, bool group_dead)
{
	if (task == current && !(task->flags & PF_KTHREAD) &&
	    sframe_slots_flush(&requests))
		sframe_count(SFRAME_EV_DEFER_EXIT);
}

static struct tracepoint *exit_tp;

static void find_exit_tp(struct tracepoint *tp, void *unused)
{
	if (!strcmp(tp->name, "sched_process_exit"))
		exit_tp = tp;
}

int sframe_deferred_init(bool walks)
{
	int ret;

	/* With mode=inplace there is nothing to redirect: on this kernel no task work walks. */
	if (!walks)
		return -EOPNOTSUPP;
	if (!sframe_have_perf_output())
		return -ENOENT;
	check_trace_callback_type_sched_process_exit(flush_exiting_task);
	for_each_kernel_tracepoint(find_exit_tp, NULL);
	if (!exit_tp)
		return -ENOENT;
	ret = tracepoint_probe_register(exit_tp, flush_exiting_task, NULL);
	if (ret)
		return ret;
	redirect.addr = sframe_target_find(SFRAME_TAKE_CALLCHAIN);
	ret = sframe_redirect_on(&redirect);
	if (ret) {
		tracepoint_probe_unregister(exit_tp, flush_exiting_task, NULL);
		tracepoint_synchronize_unregister();
	}
	return ret;
}

void sframe_deferred_exit(void)
{
	if (!redirect.on)
		return;
	sframe_redirect_off(&redirect);
	/* While tasks that exit still come by: what is left would run without their mm. */
	sframe_slots_close(&requests);
	tracepoint_probe_unregister(exit_tp, flush_exiting_task, NULL);
	tracepoint_synchronize_unregister();
	sframe_slots_drain(&requests);
}

#else

const char sframe_deferred_by[] = "nobody";

int sframe_deferred_init(bool walks)
{
	return -EOPNOTSUPP;
}

void sframe_deferred_exit(void)
{
}

#endif /* SFRAME_HAVE_DEFERRED_RECORDS */
