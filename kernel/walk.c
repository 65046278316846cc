// SPDX-License-Identifier: GPL-2.0
/*
 * Walks the current task's user stack, for the ways into perf (inplace.c, deferred_*.c) and
 * lesson.c: the core's cursor over this mm's map and this task's memory.
 *
 * What does not change from frame to frame is done once: the context is checked, page faults
 * are disabled, and one RCU section covers the map. To have a page faulted in, a walk leaves
 * that state, and then takes it up again.
 */
#include <linux/mm.h>
#include <linux/ptrace.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/uaccess.h>

#include <sframe/cursor.h>
#include <sframe/reason.h>
#include <sframe/table.h>
#include <sframe/trail.h>

#include "arch/native.h"
#include "map.h"
#include "mm.h"
#include "read_user.h"
#include "stats.h"
#include "trails.h"
#include "vdso.h"
#include "walk.h"

/* Price, in instructions, of a read that fails: it is an exception; of one by page tables. */
#define FAULT_COST	3000
#define PAGE_COST	600

/* Bytes that _start may push or drop before it calls the first function. */
#define START_FRAME	512

/**
 * struct walk - one walk of the current task
 * @cur: the core's part
 * @m: the task's mm; kept by the caller
 * @regs: registers of the topmost frame
 * @view: what the mm maps; valid from walk_begin() to walk_pause()
 * @trail: the CPU's trail, until the first walk_pause(); or NULL
 * @way: decides whether reads may fault, and the budget
 * @direct: words are read by get_user(), else by read_by_arch()
 * @missed: the last page that it could not read, but the architecture could; or 0
 */
struct walk {
	struct sframe_cursor cur;
	struct sframe_mm *m;
	const struct pt_regs *regs;
	struct sframe_view view;
	struct sframe_trail *trail;
	enum sframe_way way;
	bool direct;
	u64 missed;
};

/* Also after a pause: then without a trail, as mappings may have changed. */
static void walk_begin(struct walk *w)
{
	rcu_read_lock();
	sframe_view_begin(&w->view, w->m);
	pagefault_disable();
}

static void walk_pause(struct walk *w)
{
	if (w->trail)
		sframe_trail_put(w->trail, sframe_trail_paid(&w->cur));
	w->trail = NULL;
	if (w->cur.answers)
		sframe_answers_put(w->cur.answers);
	w->cur.answers = NULL;
	pagefault_enable();
	rcu_read_unlock();
}

/* Takes longer with many mappings, or many changes, so it is charged. */
static noinline enum sframe_reason
walk_find_range_slow(struct walk *w, u64 pc, const struct sframe_range **range)
{
	sframe_cursor_charge(&w->cur, w->view.cost);
	return sframe_view_find_slow(&w->view, pc, range);
}

static __always_inline enum sframe_reason
walk_find_range(struct walk *w, u64 pc, const struct sframe_range **range)
{
	enum sframe_reason r;

	if (sframe_view_find_fast(&w->view, pc, range, &r))
		return r;
	return walk_find_range_slow(w, pc, range);
}

/*
 * No table was seen for @range. If one is coming, nothing is guessed: a sample that ends here
 * is better than one with a wrong caller. Else look again, as it may just have come.
 */
static noinline enum sframe_reason
recheck_missing_table(const struct sframe_range *range,
		      const struct sframe_table **table, u64 *bias)
{
	if (range->image && sframe_image_coming(range->image))
		return SFRAME_NOT_YET;
	/* In this order: once the worker is done, its table is visible, if any. */
	*table = sframe_range_table(range, bias);
	return *table ? SFRAME_OK : SFRAME_NO_TABLE;
}

/* Find the table for @pc, and the bias to subtract from @pc for a lookup. */
static __always_inline enum sframe_reason
walk_find_table(struct walk *w, u64 pc, const struct sframe_table **table, u64 *bias)
{
	const struct sframe_range *range;
	enum sframe_reason r = walk_find_range(w, pc, &range);

	/* It was code and may still be, but nobody knows of which file. */
	if (unlikely(r))
		return r == SFRAME_CHANGED && range ? SFRAME_NOT_YET : r;
	*table = sframe_range_table(range, bias);
	if (unlikely(!*table))
		return recheck_missing_table(range, table, bias);
	return SFRAME_OK;
}

static __always_inline enum sframe_reason
walk_find(void *ctx, u64 pc, struct sframe_rule *rule)
{
	const struct sframe_table *table;
	enum sframe_reason r;
	u64 bias;

	r = walk_find_table(ctx, pc, &table, &bias);
	if (likely(!r))
		*rule = *sframe_table_recall(table, pc - bias);
	return r;
}

static enum sframe_reason walk_find_kept(void *ctx, u64 pc, unsigned int reg,
					 struct sframe_rule *rule)
{
	const struct sframe_table *table;
	enum sframe_reason r;
	u64 bias;

	r = walk_find_table(ctx, pc, &table, &bias);
	if (r)
		return r;
	if (!table->kept || table->kept_reg != reg)
		return SFRAME_NO_TABLE;
	*rule = *sframe_table_lookup(table->kept, pc - bias);
	return SFRAME_OK;
}

/*
 * Read what get_user() could not, or must not. On s390x a page that a task has not touched since
 * it was forked is there, but each such try is an exception: so it is made once per page.
 */
static noinline int read_by_arch(struct walk *w, u64 addr, void *buf,
				 unsigned int len)
{
	bool again = w->missed && w->missed == (addr & PAGE_MASK);
	bool tried = w->direct || w->missed;
	int ret;

	if (w->missed && !again && !sframe_read_quickly(addr, buf, len))
		return 0;
	sframe_cursor_charge(&w->cur, again ? PAGE_COST : FAULT_COST);
	ret = sframe_arch_read(addr, buf, len, tried);
	if (ret)
		return ret;
	if (tried)
		w->missed = addr & PAGE_MASK;
	/* Not tried: that it worked answers what sframe_arch_may_read() left open. */
	w->direct = !tried;
	return 0;
}

/* The quick read failed: a deferred walk has the page faulted in, others ask the architecture. */
static noinline int read_after_miss(struct walk *w, u64 addr, void *buf,
				    unsigned int len)
{
	bool present;

	if (w->way != SFRAME_WAY_DEFERRED)
		return read_by_arch(w, addr, buf, len);
	walk_pause(w);
	present = sframe_fault_in(addr) &&
		  (offset_in_page(addr) + len <= PAGE_SIZE ||
		   sframe_fault_in(addr + len - 1));
	walk_begin(w);
	return present ? sframe_read_quickly(addr, buf, len) : -EFAULT;
}

static __always_inline int walk_read(void *ctx, u64 addr, void *buf,
				     unsigned int len)
{
	struct walk *w = ctx;

	if (likely(w->direct) && likely(!sframe_read_quickly(addr, buf, len)))
		return 0;
	return read_after_miss(w, addr, buf, len);
}

/* Open user memory for a few dozen quick reads by walk_peek(). */
static __always_inline bool walk_peek_begin(void *ctx)
{
	const struct walk *w = ctx;

	return w->direct && user_access_begin((const void __user *)w->cur.sp, sizeof(u64));
}

/* If this fails, the walk goes on without the trail. */
static __always_inline int walk_peek(void *ctx, u64 addr, u64 *word)
{
	if (!access_ok((const void __user *)addr, sizeof(*word)))
		return -EFAULT;
	/* Not a kernel address in speculation either. */
	addr &= S64_MAX;
	unsafe_get_user(*word, (const u64 __user *)addr, fault);
	return 0;

fault:
	return -EFAULT;
}

static __always_inline void walk_peek_end(void *ctx)
{
	user_access_end();
}

/*
 * Code is read to verify something, so it is not faulted in. The vDSO's pages, like that of
 * its signal trampoline, may not have been touched yet: they are read from the kernel's copy.
 */
static int walk_read_code(void *ctx, u64 addr, void *buf, unsigned int len)
{
	const struct sframe_range *range;
	struct walk *w = ctx;

	if (w->direct && !sframe_read_user(addr, buf, len))
		return 0;
	if (!read_by_arch(w, addr, buf, len))
		return 0;
	return walk_find_range(w, addr, &range) ? -EFAULT :
					     sframe_vdso_read(range, addr, buf, len);
}

static int walk_reg(void *ctx, unsigned int reg, u64 *val)
{
	struct walk *w = ctx;

	return sframe_arch_reg(w->regs, reg, val);
}

/* The mm's id, too: a child shares its parent's map at first, but its code may differ. */
static struct sframe_answers *walk_answers(void *ctx)
{
	const struct walk *w = ctx;

	if (!w->view.key)
		return NULL;
	return sframe_answers_take(w->view.key ^ w->m->id << 32);
}

static bool walk_is_fixed(void *ctx, u64 addr, unsigned int len)
{
	const struct sframe_range *range;

	return !walk_find_range(ctx, addr, &range) && len <= range->end - addr &&
	       sframe_range_is_fixed(range);
}

static void walk_home(void *ctx, u64 addr, struct sframe_home *home)
{
	const struct sframe_range *range;
	struct walk *w = ctx;

	if (walk_find_range(w, addr, &range))
		*home = (struct sframe_home){ .start = addr, .end = addr + 1 };
	else
		sframe_view_home(&w->view, w->m, range, home);
}

/* Constant, so that walk_frames() can inline the calls. */
static const struct sframe_cursor_ops walk_ops = {
	.find = walk_find,
	.find_kept = walk_find_kept,
	.read = walk_read,
	.read_code = walk_read_code,
	.reg = walk_reg,
	.answers = walk_answers,
	.is_fixed = walk_is_fixed,
	.home = walk_home,
};

static const struct sframe_peek_ops walk_peeks = {
	.begin = walk_peek_begin,
	.word = walk_peek,
	.end = walk_peek_end,
};

/* Set up registers, the way to read, the topmost frame and the budget. */
static void walk_start(struct walk *w, u32 max)
{
	struct sframe_regs start __uninitialized;

	sframe_arch_regs(w->regs, &start);
	w->direct = w->way == SFRAME_WAY_DEFERRED ||
		    sframe_arch_may_read(start.sp);
	w->missed = 0;
	sframe_cursor_init(&w->cur, sframe_abi_native, &start, max - 1,
			   &walk_ops, w);
	w->cur.start = READ_ONCE(current->mm->start_stack);
	if (w->way == SFRAME_WAY_INPLACE)
		sframe_cursor_set_budget(&w->cur, SFRAME_BUDGET_INPLACE);
}

/* There is room for one PC at least, and the cursor stops when there is no more. */
static enum sframe_reason walk_frames(struct walk *w, struct sframe_chain *chain)
{
	u64 *pc = chain->pcs + chain->nr;
	struct sframe_trail_place place = { };
	enum sframe_reason r;

	if (w->trail)
		place = sframe_trail_place(w->trail);
	*pc++ = w->cur.pc;
	do {
		r = sframe_trail_next_with(&w->trail, &place, &w->cur, &walk_ops,
					   &walk_peeks, &pc);
	} while (!r);
	chain->nr = pc - chain->pcs;
	return r;
}

/*
 * Did the walk reach the outermost frame, as a table says, or as SP is near where exec has
 * put the stack, where only that runs which nobody has called?
 */
static bool walk_is_whole(const struct walk *w, enum sframe_reason r)
{
	return r == SFRAME_OUTERMOST ||
	       (r != SFRAME_DEPTH && w->cur.sp - (w->cur.start - START_FRAME) <=
				     2 * START_FRAME);
}

/*
 * Nothing is known of the mm yet: put the PC into @chain, and no caller. By the frame pointer,
 * callers would be skipped in files that do not keep it.
 */
static enum sframe_reason end_at_topmost(const struct pt_regs *regs, enum sframe_way way,
					 struct sframe_chain *chain)
{
	static const struct sframe_cursor no_step;
	struct sframe_regs start;

	sframe_arch_regs(regs, &start);
	chain->pcs[chain->nr++] = start.pc;
	sframe_count_walk(way, &no_step, SFRAME_NOT_YET);
	return SFRAME_NOT_YET;
}

/**
 * sframe_walk() - walk the current task's user stack
 * @m: the task's mm; kept by RCU or a reference of the caller; NULL: nothing is known of it
 * @regs: user registers to start from
 * @way: in place or learning: reads never fault; deferred: they may, and sleep
 * @chain: PCs are added here, innermost first
 *
 * Context: in place, any in which nothing preempts, NMI included; learning, task context;
 *	deferred, task context that may sleep.
 * Return: why the walk ended; SFRAME_DEPTH if there are more frames than room.
 */
enum sframe_reason sframe_walk(struct sframe_mm *m, const struct pt_regs *regs,
			       enum sframe_way way, struct sframe_chain *chain)
{
	struct walk w __uninitialized;
	enum sframe_reason r;

	if (chain->nr >= chain->max)
		return SFRAME_DEPTH;
	if (sframe_mm_is_new(m))
		return end_at_topmost(regs, way, chain);
	w.m = m;
	w.regs = regs;
	w.way = way;
	walk_begin(&w);
	w.trail = sframe_trail_take(w.view.key);
	walk_start(&w, chain->max - chain->nr);
	r = walk_frames(&w, chain);
	walk_pause(&w);
	chain->whole = walk_is_whole(&w, r);
	chain->spent = sframe_cursor_spent(&w.cur);
	sframe_count_walk(way, &w.cur, chain->whole ? SFRAME_OK : r);
	return r;
}
