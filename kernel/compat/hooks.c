// SPDX-License-Identifier: GPL-2.0
/*
 * Names of the hooked and redirected functions, and checks that they are what we think:
 * those that headers declare are compared by the compiler, others with BTF at load. A
 * backport that changes one makes the build or the load fail, instead of corrupting
 * memory.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/build_bug.h>
#include <linux/mm.h>
#include <linux/perf_event.h>
#include <linux/printk.h>
#include <linux/uprobes.h>

#include "btf.h"
#include "compat.h"
#include "hooks.h"

#ifdef SFRAME_HAVE_UNWIND_USER
#include <linux/unwind_user.h>
#endif

#define SAME(fn, type)	static_assert(__same_type(fn, type), #fn)

SAME(perf_event_mmap, void (struct vm_area_struct *));
SAME(uprobe_munmap, void (struct vm_area_struct *, unsigned long,
			  unsigned long));
SAME(uprobe_dup_mmap, void (struct mm_struct *, struct mm_struct *));
SAME(exit_mmap, void (struct mm_struct *));
SAME(perf_callchain_user, void (struct perf_callchain_entry_ctx *,
				struct pt_regs *));
SAME(perf_callchain, struct perf_callchain_entry *(struct perf_event *,
						   struct pt_regs *));
#ifdef SFRAME_HAVE_UNWIND_USER
SAME(unwind_user, int (struct unwind_stacktrace *, unsigned int));
#endif

/**
 * struct target - a hooked or redirected function
 * @name: its name in the kernel
 * @args: the arguments that we read, as BTF has them; for functions that no header
 *	declares
 */
struct target {
	const char *name;
	struct sframe_btf_args args;
};

static const struct target targets[SFRAME_NR_TARGETS] = {
	[SFRAME_HOOK_MAP] = { "perf_event_mmap" },
	[SFRAME_HOOK_UNMAP] = { "uprobe_munmap" },
	/* Private to mm/ in 7.x; what follows these arguments has changed. */
	[SFRAME_HOOK_MOVE] = { "copy_vma", {
		{ "**vm_area_struct", "long unsigned int", "long unsigned int" }
	} },
	[SFRAME_HOOK_FORK] = { "uprobe_dup_mmap" },
	[SFRAME_HOOK_EXIT] = { "exit_mmap" },
	[SFRAME_TAKE_CALLCHAIN_USER] = { "perf_callchain_user" },
	[SFRAME_TAKE_CALLCHAIN] = { "perf_callchain" },
	[SFRAME_TAKE_UNWIND_USER] = { "unwind_user" },
	/* Private to kernel/events/. */
	[SFRAME_TAKE_CHAIN_OUTPUT] = { "perf_unwind_deferred_callback", {
		{ "*unwind_work", "*unwind_stacktrace", "long long unsigned int" }
	} },
};

/**
 * sframe_target_name() - a function's name, for messages
 * @target: the function
 *
 * Context: any.
 * Return: its name.
 */
const char *sframe_target_name(enum sframe_target target)
{
	return targets[target].name;
}

/**
 * sframe_target_find() - find the address of a function, and check what it is
 * @target: the function
 *
 * Context: process context, after sframe_symbols_init().
 * Return: its address; 0 with a line in the log if there is none, more than one
 * of that name, or one with other arguments.
 */
unsigned long sframe_target_find(enum sframe_target target)
{
	const struct target *t = &targets[target];
	unsigned long addr = sframe_symbol(t->name);

	if (!addr) {
		pr_err("%s() is not there, or more than once\n", t->name);
		return 0;
	}
	if (t->args.type[0] && !sframe_btf_check(t->name, &t->args)) {
		pr_err("%s() has other arguments than expected\n", t->name);
		return 0;
	}
	return addr;
}
