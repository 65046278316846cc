// SPDX-License-Identifier: GPL-2.0
/*
 * Deferred, with an engine of our own: for kernels whose perf knows deferred
 * callchains but which do not unwind user stacks on this architecture.
 *
 * perf_callchain() of an event that allows deferral records a cookie in place
 * of the user's part. Before the task returns to user mode it is walked once,
 * with faults allowed, and a record with that cookie goes to every event that
 * listens; perf puts the two together.
 */
#include <linux/errno.h>

#include "compat/compat.h"
#include "internal.h"

#ifdef SFRAME_HAVE_DEFERRED_RECORDS

#include <linux/perf_event.h>
#include <linux/sched/task_stack.h>
#include <linux/slab.h>
#include <linux/tracepoint.h>

const char sframe_deferred_by[] = "our own engine";

/* What fits into a record, whose size is a u16. */
#define MAX_FRAMES	8000u
/* Enough for most, where no memory can be had. */
#define FEW_FRAMES	32
/* In place of the callers of a chain that was cut. No code is there. */
#define CHAIN_CUT	0

/**
 * struct output - a record being made
 * @fixed: what comes first in the record
 * @fixed.header: perf's
 * @fixed.cookie: of the samples it completes
 * @fixed.nr: entries in @ips
 * @ips: PCs, innermost first; CHAIN_CUT, if there are more than @max
 * @max: most PCs; @ips has room for one more
 */
struct output {
	struct {
		struct perf_event_header header;
		u64 cookie;
		u64 nr;
	} fixed;
	u64 *ips;
	unsigned int max;
};

static bool emit(void *arg, u64 pc)
{
	struct output *out = arg;

	if (out->fixed.nr == out->max)
		return false;
	out->ips[out->fixed.nr++] = pc;
	return true;
}

static void write_record(struct perf_event *event, void *data)
{
	struct output *out = data;

	if (!event->attr.defer_output)
		return;
	if (sframe_perf_write(event, &out->fixed.header, sizeof(out->fixed),
			      out->ips, out->fixed.nr))
		sframe_count(SFRAME_EV_RECORDS_LOST);
	else
		sframe_count(SFRAME_EV_RECORDS);
}

static enum sframe_reason walk_deferred(struct output *out)
{
	struct sframe_mm *m = sframe_mm_scan();
	enum sframe_reason r;

	if (!m)
		return SFRAME_NO_MAPPING;
	r = sframe_walk(m, task_pt_regs(current), SFRAME_WAY_DEFERRED, out->max,
			emit, out);
	sframe_mm_put(m);
	return r;
}

/* The task exits and this context may not sleep. */
static enum sframe_reason walk_exiting(struct output *out)
{
	enum sframe_reason r = SFRAME_NO_MAPPING;
	struct sframe_mm *m;

	rcu_read_lock();
	m = current->mm ? sframe_mm_find(current->mm) : NULL;
	if (m)
		r = sframe_walk(m, task_pt_regs(current), SFRAME_WAY_INPLACE,
				out->max, emit, out);
	rcu_read_unlock();
	return r;
}

static void finish_walk(struct sframe_slot *slot)
{
	bool exiting = current->flags & PF_EXITING;
	struct output out = {
		.fixed.header = {
			.type = PERF_RECORD_CALLCHAIN_DEFERRED,
			.misc = PERF_RECORD_MISC_USER,
		},
		.fixed.cookie = slot->cookie,
		.max = min(sframe_max_frames, MAX_FRAMES),
	};
	u64 few[FEW_FRAMES + 1];
	enum sframe_reason r;
	u64 *ips;

	ips = kmalloc_array(out.max + 1, sizeof(*ips),
			    exiting ? GFP_NOWAIT | __GFP_NOWARN :
				      GFP_KERNEL | __GFP_NOWARN);
	out.ips = ips;
	if (!ips) {
		out.ips = few;
		out.max = min_t(unsigned int, out.max, FEW_FRAMES);
	}
	r = exiting ? walk_exiting(&out) : walk_deferred(&out);
	if (r == SFRAME_DEPTH)
		out.ips[out.fixed.nr++] = CHAIN_CUT;
	/* Up to here a sample could still promise this very record. */
	sframe_slot_release(slot);
	sframe_perf_for_each(write_record, &out);
	kfree(ips);
}

static struct sframe_slots walks = {
	.run = finish_walk,
	.queued = SFRAME_EV_DEFER,
	.full = SFRAME_EV_DEFER_FULL,
};

static bool wants_user(const struct perf_event *event)
{
	return event->attr.defer_callchain &&
	       !event->attr.exclude_callchain_user &&
	       !(event->ctx->task && event->ctx->task != current);
}

/* Tasks with tables only: what perf does for others needs no deferral. */
static bool want(struct ftrace_regs *fregs)
{
	struct perf_event *event = sframe_hook_arg(fregs, 0);
	struct sframe_mm *m;
	bool ret;

	if (!wants_user(event) || !sframe_task_ours(task_pt_regs(current)))
		return false;
	rcu_read_lock();
	m = sframe_mm_find(current->mm);
	ret = m && sframe_mm_has_tables(m);
	rcu_read_unlock();
	return ret && sframe_slot_request(&walks);
}

static struct perf_callchain_entry no_callchain;

/* want() has made the request; it lasts until the task leaves the kernel. */
static struct perf_callchain_entry *
perf_callchain_deferred(struct perf_event *event, struct pt_regs *regs)
{
	struct sframe_slot *slot = sframe_slot_request(&walks);
	struct perf_callchain_entry *entry;

	entry = sframe_get_perf_callchain(event, regs, slot ? slot->cookie : 0);
	return entry ?: &no_callchain;
}

static struct sframe_redirect redirect = {
	.name = "perf_callchain",
	.to = perf_callchain_deferred,
	.want = want,
};

/* While the mm is still there. */
static void flush_exit(void *unused, struct task_struct *task)
{
	if (task == current && !(task->flags & PF_KTHREAD) &&
	    sframe_slots_flush(&walks))
		sframe_count(SFRAME_EV_DEFER_EXIT);
}

static struct tracepoint *exit_tp;

static void find_exit_tp(struct tracepoint *tp, void *unused)
{
	if (!strcmp(tp->name, "sched_process_exit"))
		exit_tp = tp;
}

int sframe_deferred_init(void)
{
	int ret;

	if (!sframe_have_perf_output())
		return -ENOENT;
	for_each_kernel_tracepoint(find_exit_tp, NULL);
	if (!exit_tp)
		return -ENOENT;
	ret = tracepoint_probe_register(exit_tp, flush_exit, NULL);
	if (ret)
		return ret;
	ret = sframe_redirect_on(&redirect);
	if (ret) {
		tracepoint_probe_unregister(exit_tp, flush_exit, NULL);
		tracepoint_synchronize_unregister();
	}
	return ret;
}

void sframe_deferred_exit(void)
{
	sframe_redirect_off(&redirect);
	tracepoint_probe_unregister(exit_tp, flush_exit, NULL);
	tracepoint_synchronize_unregister();
	sframe_slots_drain(&walks);
}

#else

const char sframe_deferred_by[] = "nobody";

int sframe_deferred_init(void)
{
	return -EOPNOTSUPP;
}

void sframe_deferred_exit(void)
{
}

#endif /* SFRAME_HAVE_DEFERRED_RECORDS */
