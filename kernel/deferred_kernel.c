// SPDX-License-Identifier: GPL-2.0
/*
 * Deferred walks with the kernel's own engine: it calls unwind_user() in task work
 * before the task returns to user mode, and hands the result to perf. For tasks with
 * tables that call is redirected to us.
 *
 * It is also redirected where the task has a request of ours queued behind it, with a
 * table or without. The kernel's own walk may fault in pages that another task has to
 * bring, and may not (userfaultfd, FUSE): the task would wait for ever, with our
 * request behind it, and unload would wait for that.
 *
 * perf writes the resulting record word by word; for tasks that may have tables that is
 * redirected, too, and written in one go (records.c).
 */
#include <linux/bitfield.h>
#include <linux/cleanup.h>
#include <linux/errno.h>
#include <linux/irqflags.h>
#include <linux/sched/task_stack.h>
#include <linux/slab.h>
#include <linux/uaccess.h>
#include <linux/unwind_deferred.h>
#include <linux/unwind_user_types.h>

#include "compat/compat.h"
#include "compat/hooks.h"
#include "mm.h"
#include "recorded.h"
#include "redirect.h"
#include "track.h"
#include "walk.h"
#include "ways.h"

const char sframe_deferred_by[] = "the kernel's unwind_user()";

static int unwind_user_sframe(struct unwind_stacktrace *trace,
			      unsigned int max_entries);

/* Walk in this way at all? Set before the redirect is on. */
static bool with_walks;

/* The bit of perf's requests; 0 until the first is answered. Any task writes it. */
static unsigned long perf_request;

static bool may_walk_current(void)
{
	return with_walks && sframe_task_walkable(task_pt_regs(current));
}

/* Ours, unless the mm is known to have no table of its own. */
static bool want_unwind_user(struct ftrace_regs *fregs)
{
	return sframe_track_requested() ||
	       (may_walk_current() && !sframe_mm_current_is_plain());
}

static struct sframe_redirect redirect = {
	.to = unwind_user_sframe,
	.want = want_unwind_user,
	.sleeps = true,
	.calls = true,
};

/*
 * Call the kernel's own function, but fault nothing in, so that it cannot wait for
 * ever. Tasks without tables get here only with samples taken before that was known, or
 * with a request queued behind.
 */
static int unwind_user_present(struct unwind_stacktrace *trace, unsigned int max_entries)
{
	int ret;

	pagefault_disable();
	ret = sframe_kernel_unwind_user(trace, max_entries);
	pagefault_enable();
	return ret;
}

/*
 * Spare bits of the kernel's unwind_completed, which it clears at the end of each stay in the
 * kernel: PCs of the last chain, 0 if we made none; how often perf's request was taken back, and
 * whether it is. Only the task itself uses its cache, which it has where it is asked to unwind.
 */
#define NOTE_NR		GENMASK_ULL(63, 48)
#define NOTE_AGAIN	GENMASK_ULL(47, 44)
#define NOTE_TAKEN_BACK	BIT_ULL(43)

static void note_chain(u64 nr)
{
	struct unwind_cache *cache = current->unwind_info.cache;

	if (!cache)
		return;
	cache->unwind_completed &= ~NOTE_NR;
	cache->unwind_completed |= FIELD_PREP(NOTE_NR, nr);
}

/* Was perf's request taken back in this stay, and nothing walked since? */
static bool is_taken_back(void)
{
	const struct unwind_cache *cache = current->unwind_info.cache;

	return cache && cache->unwind_completed & NOTE_TAKEN_BACK;
}

/*
 * Walk again, and compare with the last chain's @nr PCs: so many agree; 0 if one differs, or if
 * there is no memory to know.
 */
static u64 walk_again(struct sframe_mm *m, const u64 *pcs, u64 nr)
{
	/* Not behind the last chain, which may fill the kernel's array. */
	struct sframe_chain chain = { .max = nr + 1 };

	if (!nr || !may_walk_current() || !sframe_track_walks(m))
		return 0;
	chain.pcs = kmalloc_array(chain.max, sizeof(*pcs), GFP_KERNEL | __GFP_NOWARN);
	if (!chain.pcs)
		return 0;
	sframe_walk(m, task_pt_regs(current), SFRAME_WAY_DEFERRED, &chain);
	nr = min(nr, chain.nr);
	if (memcmp(pcs, chain.pcs, nr * sizeof(*pcs)))
		nr = 0;
	kfree(chain.pcs);
	return nr;
}

/*
 * A sample came after the record of an earlier one, see write_chain_output(): have perf called
 * again, with the same chain.
 *
 * If the sample came when the kernel did not look for work any more, this is the next stay, from
 * another stack, and still has the cookie: then its record gets no PCs.
 */
static void answer_again(struct sframe_mm *m, struct unwind_stacktrace *trace)
{
	unsigned long *completed = &current->unwind_info.cache->unwind_completed;

	*completed &= ~(NOTE_TAKEN_BACK | READ_ONCE(perf_request));
	trace->nr = walk_again(m, (const u64 *)trace->entries, FIELD_GET(NOTE_NR, *completed));
	note_chain(trace->nr);
}

static int answer(struct sframe_mm *m, struct unwind_stacktrace *trace, unsigned int max_entries)
{
	struct sframe_chain chain = {
		.pcs = (u64 *)trace->entries,
		.max = max_entries,
	};

	if (!may_walk_current() || !sframe_track_walks(m))
		return unwind_user_present(trace, max_entries);
	sframe_walk(m, task_pt_regs(current), SFRAME_WAY_DEFERRED, &chain);
	trace->nr = chain.nr;
	note_chain(chain.nr);
	return 0;
}

/* Called in place of unwind_user(): same arguments, same result. May sleep. */
static int unwind_user_sframe(struct unwind_stacktrace *trace,
			      unsigned int max_entries)
{
	struct sframe_mm *m = may_walk_current() ? sframe_track_update() : NULL;
	int ret = 0;

	if (is_taken_back())
		answer_again(m, trace);
	else
		ret = answer(m, trace, max_entries);
	sframe_mm_put(m);
	sframe_redirect_done(&redirect);
	return ret;
}

/*
 * A task that is known to have no table is the kernel's, its late samples, too. If its mm is not
 * known yet, late samples get a record without PCs.
 */
static bool want_chain_output(struct ftrace_regs *fregs)
{
	return may_walk_current() && !sframe_mm_current_is_plain();
}

static void write_chain_output(struct unwind_work *work, struct unwind_stacktrace *trace,
			       u64 cookie);

static struct sframe_redirect output_redirect = {
	.to = write_chain_output,
	.want = want_chain_output,
	.sleeps = true,
};

/*
 * Take perf's request back, and what the kernel has cached: then the next sample's is a new one.
 * But not for ever: perf may sample what is done for each record.
 */
static void take_back_request(const struct unwind_work *work)
{
	struct unwind_task_info *info = &current->unwind_info;
	struct unwind_cache *cache = info->cache;

	/* Without its cache the kernel would not notice the end of the stay. */
	if (!cache || FIELD_GET(NOTE_AGAIN, cache->unwind_completed) == FIELD_MAX(NOTE_AGAIN))
		return;
	cache->unwind_completed += FIELD_PREP(NOTE_AGAIN, 1);
	cache->unwind_completed |= NOTE_TAKEN_BACK;
	cache->nr_entries = 0;
	atomic_long_andnot(BIT(work->bit), &info->unwind_mask);
}

/*
 * Called in place of perf_unwind_deferred_callback(): writes the same record.
 *
 * A sample that comes when it is being written, or later before the task returns to user
 * mode, has the same cookie, and the kernel takes it for answered. But perf gives a
 * record only to samples that were there before it, and would show the cookie as the
 * later one's caller. So it gets a record of its own with that cookie.
 */
static void write_chain_output(struct unwind_work *work, struct unwind_stacktrace *trace,
			       u64 cookie)
{
	WRITE_ONCE(perf_request, BIT(work->bit));
	/* No sample in between: perf would give it this record, and its request bring another. */
	scoped_guard(irqsave) {
		take_back_request(work);
		sframe_records_write(cookie, (const u64 *)trace->entries, trace->nr);
	}
	sframe_redirect_done(&output_redirect);
}

/*
 * If this fails, perf's own function stays, which takes longer, and late samples have no stack;
 * with privileged_only, only samples in place tell of whole CPUs then.
 */
static void redirect_chain_output(void)
{
	if (!sframe_have_perf_output())
		return;
	output_redirect.addr = sframe_target_find(SFRAME_TAKE_CHAIN_OUTPUT);
	sframe_redirect_on(&output_redirect);
}

int sframe_deferred_init(bool walks)
{
	int ret;

	if (!sframe_find_unwind_user())
		return -EOPNOTSUPP;
	with_walks = walks;
	redirect.addr = sframe_target_find(SFRAME_TAKE_UNWIND_USER);
	ret = sframe_redirect_on(&redirect);
	if (!ret && walks)
		redirect_chain_output();
	return ret;
}

void sframe_deferred_exit(void)
{
	sframe_redirect_off(&output_redirect);
	sframe_redirect_off(&redirect);
}
