/* SPDX-License-Identifier: GPL-2.0 */
/*
 * All that is particular to kernel versions: features that are probed at compile time,
 * and functions that modules cannot link to, looked up once at load (symbols.c,
 * perf_output.c).
 */
#ifndef SFRAME_COMPAT_H
#define SFRAME_COMPAT_H

#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/task_work.h>
#include <linux/version.h>

#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 12, 0)
#error "sframe needs Linux 6.12 or later"
#endif

/*
 * Deferred user callchains came to the kernel and to perf together, but only
 * architectures that opt in do the unwinding.
 */
#ifdef CONFIG_UNWIND_USER
#define SFRAME_HAVE_UNWIND_USER
#define SFRAME_HAVE_RECORDS
#elif defined(__has_include)	/* sparse lacks it */
#if __has_include(<linux/unwind_user_types.h>)
#define SFRAME_HAVE_DEFERRED_RECORDS
#define SFRAME_HAVE_RECORDS
#endif
#endif

/**
 * sframe_symbols_init() - look up what is not exported
 *
 * Context: process context, once, before anything below is used.
 * Return: 0, or -ENOENT when a function the module cannot do without is
 * missing.
 */
int sframe_symbols_init(void);

/**
 * sframe_symbol() - address of a kernel function or variable
 * @name: the symbol's name
 *
 * Looks in the kernel itself, not in modules.
 *
 * Context: process context, after sframe_symbols_init().
 * Return: the address, 0 if there is none or more than one of that name.
 */
unsigned long sframe_symbol(const char *name);

/**
 * sframe_task_work_cancel() - take back one queued task work
 * @task: the task; the caller holds a reference
 * @work: the task work
 *
 * Context: any but NMI.
 * Return: true if it was queued and will not run.
 */
bool sframe_task_work_cancel(struct task_struct *task,
			     struct callback_head *work);

/**
 * sframe_callchains_wanted() - does anybody record callchains?
 *
 * perf events with PERF_SAMPLE_CALLCHAIN and BPF stack maps count.
 *
 * Context: any.
 * Return: true if somebody does, or where the kernel hides its count.
 */
bool sframe_callchains_wanted(void);

/*
 * Wait until no task is inside an ftrace trampoline, or in module code that one has
 * sent it to.
 */
static inline void sframe_synchronize_redirects(void)
{
	synchronize_rcu_tasks_rude();
#ifdef CONFIG_TASKS_RCU
	synchronize_rcu_tasks();
#endif
	synchronize_rcu();
}

#ifdef SFRAME_HAVE_UNWIND_USER
struct unwind_stacktrace;

/**
 * sframe_find_unwind_user() - look up the kernel's own unwind_user()
 *
 * Context: process context, may sleep; after sframe_symbols_init(), before the following is
 *	called.
 * Return: true if it was found.
 */
bool sframe_find_unwind_user(void);

/**
 * sframe_kernel_unwind_user() - call the kernel's own unwind_user()
 * @trace: as there
 * @max_entries: as there
 *
 * Context: as there.
 * Return: as there.
 */
int sframe_kernel_unwind_user(struct unwind_stacktrace *trace,
			      unsigned int max_entries);
#endif

#ifdef SFRAME_HAVE_RECORDS
struct perf_callchain_entry;
struct perf_event;
struct perf_event_header;
struct pt_regs;

/**
 * sframe_have_perf_output() - look up the functions of kernel/events/ that write a record
 *
 * Context: process context, may sleep; after sframe_symbols_init(), before any of the
 *	following is called.
 * Return: true if all were found.
 */
bool sframe_have_perf_output(void);

/**
 * sframe_get_perf_callchain() - a sample's callchain, with a cookie for the user's part
 * @event: the event
 * @regs: registers of the sample
 * @cookie: the cookie; 0: perf walks the user's part at once
 *
 * Context: any in which nothing preempts, NMI included.
 * Return: the callchain in perf's buffer, or NULL.
 */
struct perf_callchain_entry *
sframe_get_perf_callchain(struct perf_event *event, struct pt_regs *regs,
			  u64 cookie);

/**
 * sframe_perf_walk() - walk the current task's user stack as perf itself does
 * @ips: filled in: PCs, innermost first
 * @max: room in @ips
 *
 * Context: task context, while somebody records callchains.
 * Return: entries of @ips that were filled in.
 */
u32 sframe_perf_walk(u64 *ips, u32 max);

/**
 * sframe_perf_for_each() - call a function for every event that may listen to this task
 * @output: the function
 * @data: handed to it
 *
 * Context: task context, may be preempted.
 */
void sframe_perf_for_each(void (*output)(struct perf_event *event, void *data),
			  void *data);

/**
 * sframe_perf_write() - write one record
 * @event: the event to whose buffer it goes
 * @header: the record's header, with its fixed part behind it
 * @len: bytes of both
 * @ips: what follows
 * @nr: entries in @ips
 *
 * Context: that of the function called by sframe_perf_for_each().
 * Return: 0, or -errno if there is no room.
 */
int sframe_perf_write(struct perf_event *event,
		      struct perf_event_header *header, unsigned int len,
		      const u64 *ips, unsigned int nr);
#endif

#endif /* SFRAME_COMPAT_H */
