// SPDX-License-Identifier: GPL-2.0
/*
 * Redirects a kernel function: an ftrace callback with IPMODIFY sends calls of it to a
 * replacement of ours, if that wants them. Used by the ways into perf.
 */
#include <linux/ftrace.h>
#include <linux/module.h>
#include <linux/printk.h>
#include <linux/sched.h>
#include <linux/wait_bit.h>

#include "compat/compat.h"
#include "redirect.h"

/*
 * What calls the original (compat/symbols.c, deferred_kernel.c) is built without
 * sibling-call optimization: were that a tail call, the parent would lie outside the
 * module, and we would redirect ourselves for ever.
 */
static void notrace redirect_thunk(unsigned long ip, unsigned long parent_ip,
				   struct ftrace_ops *ops,
				   struct ftrace_regs *fregs)
{
	struct sframe_redirect *r = container_of(ops, struct sframe_redirect, ops);

	if (r->calls && within_module(parent_ip, THIS_MODULE))
		return;
	if (!r->want(fregs))
		return;
	/*
	 * Count here, not in the replacement: from now on this task will run module
	 * text, whatever happens before its first instruction. Replacements that never
	 * sleep are covered by the grace periods in sframe_redirect_off().
	 */
	if (r->sleeps)
		atomic_inc(&r->running);
	ftrace_regs_set_instruction_pointer(fregs, (unsigned long)r->to);
}

/**
 * sframe_redirect_on() - start sending calls of @r->addr to @r->to
 * @r: the redirect; addr, to and want are set
 *
 * Context: process context, may sleep.
 * Return: 0; -EBUSY if somebody else (a livepatch) owns the function;
 * -EINVAL or -ENOENT if there is none, or it cannot be traced.
 */
int sframe_redirect_on(struct sframe_redirect *r)
{
	int ret;

	r->ops.func = redirect_thunk;
	r->ops.flags = FTRACE_OPS_FL_IPMODIFY | FTRACE_OPS_FL_PERMANENT;
	ret = r->addr ? ftrace_set_filter_ip(&r->ops, r->addr, 0, 1) : -ENOENT;
	if (!ret)
		ret = register_ftrace_function(&r->ops);
	if (ret)
		ftrace_free_filter(&r->ops);
	WRITE_ONCE(r->on, !ret);
	return ret;
}

/**
 * sframe_ftrace_off() - unregister what ftrace calls
 * @ops: the module's; registered
 *
 * Once ftrace has shut itself off, after an error of whomever, it unregisters nothing and
 * goes on calling what it has called, which must not be freed then: this does not return.
 *
 * Context: process context, may sleep.
 */
void sframe_ftrace_off(struct ftrace_ops *ops)
{
	if (!unregister_ftrace_function(ops))
		return;
	pr_crit("ftrace has shut itself off and still calls this module, which has to stay\n");
	for (;;)
		schedule_timeout_idle(MAX_SCHEDULE_TIMEOUT);
}

/**
 * sframe_redirect_off() - stop redirecting, and wait until nobody runs the replacement
 * @r: the redirect; need not be on
 *
 * Context: process context, may sleep for as long as the replacement does.
 */
void sframe_redirect_off(struct sframe_redirect *r)
{
	if (!r->on)
		return;
	sframe_ftrace_off(&r->ops);
	ftrace_free_filter(&r->ops);
	WRITE_ONCE(r->on, false);
	/*
	 * After this, tasks that were sent to @to are counted, even if they have not
	 * arrived yet.
	 */
	sframe_synchronize_redirects();
	wait_var_event(&r->running, !atomic_read(&r->running));
	/* After this, those that have dropped their count have left @to, too. */
	sframe_synchronize_redirects();
}

/**
 * sframe_redirect_done() - a replacement that may sleep is about to return
 * @r: the redirect
 *
 * Context: task context.
 */
void sframe_redirect_done(struct sframe_redirect *r)
{
	if (atomic_dec_and_test(&r->running) && !READ_ONCE(r->on))
		wake_up_var(&r->running);
}
