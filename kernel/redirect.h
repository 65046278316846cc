/* SPDX-License-Identifier: GPL-2.0 */
/* Redirects calls of a kernel function to a function of ours. */
#ifndef SFRAME_REDIRECT_H
#define SFRAME_REDIRECT_H

#include <linux/atomic.h>
#include <linux/ftrace.h>
#include <linux/types.h>

/**
 * struct sframe_redirect - a kernel function whose calls are redirected
 * @ops: ftrace's part
 * @addr: the function's address; not its name, which may stand for others, in modules,
 *	too
 * @to: the replacement, of the same type
 * @want: decides for each call, in atomic context: false leaves it to the kernel's
 *	function
 * @sleeps: @to may sleep, and calls sframe_redirect_done() at its end
 * @calls: @to calls the kernel's function, and those calls are let through
 * @running: with @sleeps, calls that were sent to @to and are not done
 * @on: it is registered; written at load and unload, read by sframe_redirect_done()
 */
struct sframe_redirect {
	struct ftrace_ops ops;
	unsigned long addr;
	void *to;
	bool (*want)(struct ftrace_regs *fregs);
	bool sleeps;
	bool calls;
	atomic_t running;
	bool on;
};

int sframe_redirect_on(struct sframe_redirect *r);
void sframe_redirect_off(struct sframe_redirect *r);
void sframe_redirect_done(struct sframe_redirect *r);
void sframe_ftrace_off(struct ftrace_ops *ops);

#endif /* SFRAME_REDIRECT_H */
