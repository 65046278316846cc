// SPDX-License-Identifier: GPL-2.0
/*
 * Walks in place: perf_callchain_user() is redirected for tasks with tables. It runs in
 * NMI, in hard interrupts or with preemption off, so nothing here sleeps or faults.
 * bpf_get_stack() comes this way, too.
 */
#include <linux/perf_event.h>
#include <linux/rcupdate.h>

#include "compat/hooks.h"
#include "lesson.h"
#include "mm.h"
#include "recorded.h"
#include "redirect.h"
#include "track.h"
#include "walk.h"
#include "ways.h"

/*
 * Has the current task's mm a table, or is it not known yet what it has? Requests an update of
 * its map if that may be out of date.
 */
static bool want_callchain_user(struct ftrace_regs *fregs)
{
	struct pt_regs *regs = SFRAME_ARG_CALLCHAIN_USER_REGS(fregs);
	struct sframe_mm *m;
	bool ask, new, ret;

	if (!sframe_task_walkable(regs))
		return false;
	rcu_read_lock();
	m = sframe_mm_find(current->mm);
	new = sframe_mm_is_new(m);
	ret = sframe_track_walks(m);
	/* The mm is older than the recording, or its update failed. */
	ask = (!m || !sframe_mm_is_up_to_date(m)) && !sframe_track_is_paused();
	rcu_read_unlock();
	sframe_recorded_sample();
	/* Without an update nothing becomes known of the mm: perf walks. */
	if (ask && !sframe_track_request() && new)
		return false;
	return ret;
}

/* Called in place of perf_callchain_user(): same arguments. */
static void callchain_user_sframe(struct perf_callchain_entry_ctx *ctx,
				  struct pt_regs *regs)
{
	struct perf_callchain_entry *entry = ctx->entry;
	struct sframe_chain chain = { .pcs = entry->ip + entry->nr };
	enum sframe_reason end;
	struct sframe_mm *m;

	/* As perf_callchain_store() checks it for each PC. */
	if (!ctx->contexts_maxed && ctx->nr < ctx->max_stack)
		chain.max = ctx->max_stack - ctx->nr;
	rcu_read_lock();
	m = sframe_mm_find(current->mm);
	end = sframe_walk(m, regs, SFRAME_WAY_INPLACE, &chain);
	if (sframe_lesson_want(m, &chain, end))
		sframe_track_request();
	rcu_read_unlock();
	entry->nr += chain.nr;
	ctx->nr += chain.nr;
}

static struct sframe_redirect redirect = {
	.to = callchain_user_sframe,
	.want = want_callchain_user,
};

int sframe_inplace_init(void)
{
	redirect.addr = sframe_target_find(SFRAME_TAKE_CALLCHAIN_USER);
	return sframe_redirect_on(&redirect);
}

void sframe_inplace_exit(void)
{
	sframe_redirect_off(&redirect);
}
