/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Take over a kernel function.
 */
#ifndef SFRAME_REDIRECT_H
#define SFRAME_REDIRECT_H

#include <linux/atomic.h>
#include <linux/ftrace.h>
#include <linux/types.h>

/**
 * struct sframe_redirect - one function taken over
 * @ops: the ftrace side
 * @addr: of the kernel's function; by address, as a name may stand for others,
 *	in modules, too
 * @to: ours, of the same type
 * @want: decides per call, atomic: false leaves the call to the kernel's
 * @sleeps: @to may sleep, and calls sframe_redirect_done() when it is finished
 * @calls: @to calls the kernel's function, and such calls are let through
 * @running: with @sleeps, calls sent to @to that are not done yet
 * @on: registered
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

#endif /* SFRAME_REDIRECT_H */
