// SPDX-License-Identifier: GPL-2.0
/*
 * Looks up functions that modules cannot link to. A kprobe that is never armed gives
 * the address of kallsyms_on_each_match_symbol(), and that gives the rest. They are
 * called through static calls: on x86 those are direct calls, which need no ENDBR at
 * their target.
 *
 * What is looked up, and why:
 *
 *  kallsyms_on_each_match_symbol()	to look up the rest, duplicates included
 *  task_work_cancel()		unload takes back what blocked tasks have queued
 *  nr_callchain_events		whether anybody records callchains
 *  unwind_user()		to call the original for tasks without tables
 *  what is hooked or redirected	so that ftrace gets an address, see hooks.c
 *  kernel/events/'s output	to write records of our own, see perf_output.c
 *  three functions of BTF	to check three prototypes, see btf.c
 */
#include <linux/atomic.h>
#include <linux/build_bug.h>
#include <linux/errno.h>
#include <linux/kallsyms.h>
#include <linux/kprobes.h>
#include <linux/static_call.h>
#include <linux/task_work.h>

#include "compat.h"

#ifdef SFRAME_HAVE_UNWIND_USER
#include <linux/unwind_user.h>
#endif

int k_kallsyms_each(int (*fn)(void *data, unsigned long addr),
		    const char *name, void *data);
bool k_task_work_cancel(struct task_struct *task, struct callback_head *cb);

static_assert(__same_type(kallsyms_on_each_match_symbol, k_kallsyms_each));
static_assert(__same_type(task_work_cancel, k_task_work_cancel));

DEFINE_STATIC_CALL_NULL(sframe_lookup, k_kallsyms_each);
DEFINE_STATIC_CALL_NULL(sframe_twc, k_task_work_cancel);

/* Set once at load, read anywhere. */
static atomic_t *nr_callchain_events;

#ifdef SFRAME_HAVE_UNWIND_USER
int k_unwind_user(struct unwind_stacktrace *trace, unsigned int max_entries);
static_assert(__same_type(unwind_user, k_unwind_user));

DEFINE_STATIC_CALL_NULL(sframe_uu, k_unwind_user);
#endif

/* On x86 the probe's address is behind ENDBR, which is as good to call. */
static unsigned long probe_symbol(const char *name)
{
	struct kprobe kp = {
		.symbol_name = name,
		.flags = KPROBE_FLAG_DISABLED,
	};
	unsigned long addr;

	if (register_kprobe(&kp))
		return 0;
	addr = (unsigned long)kp.addr;
	unregister_kprobe(&kp);
	return addr;
}

/**
 * struct match - symbols that bear a name
 * @addr: address of the last one seen
 * @nr: how many
 */
struct match {
	unsigned long addr;
	unsigned int nr;
};

static int count_match(void *data, unsigned long addr)
{
	struct match *match = data;

	match->addr = addr;
	match->nr++;
	return 0;
}

unsigned long sframe_symbol(const char *name)
{
	struct match match = { };

	static_call(sframe_lookup)(count_match, name, &match);
	return match.nr == 1 ? match.addr : 0;
}

int sframe_symbols_init(void)
{
	unsigned long addr = probe_symbol("kallsyms_on_each_match_symbol");

	if (!addr)
		return -ENOENT;
	static_call_update(sframe_lookup, (typeof(&k_kallsyms_each))addr);

	addr = sframe_symbol("task_work_cancel");
	if (!addr)
		return -ENOENT;
	static_call_update(sframe_twc, (typeof(&k_task_work_cancel))addr);

	nr_callchain_events = (atomic_t *)sframe_symbol("nr_callchain_events");
	return 0;
}

bool sframe_task_work_cancel(struct task_struct *task,
			     struct callback_head *work)
{
	return static_call(sframe_twc)(task, work);
}

bool sframe_callchains_wanted(void)
{
	return !nr_callchain_events || atomic_read(nr_callchain_events) > 0;
}

#ifdef SFRAME_HAVE_UNWIND_USER
bool sframe_find_unwind_user(void)
{
	unsigned long addr = sframe_symbol("unwind_user");

	if (addr)
		static_call_update(sframe_uu, (typeof(&k_unwind_user))addr);
	return addr;
}

int sframe_kernel_unwind_user(struct unwind_stacktrace *trace,
			      unsigned int max_entries)
{
	return static_call(sframe_uu)(trace, max_entries);
}
#endif
