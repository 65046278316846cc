// SPDX-License-Identifier: GPL-2.0
/*
 * What the portable core asks of a kernel: memory, and to let others run. Apart from
 * its header, so that the core's files need not read the kernel's largest ones.
 */
#include <linux/gfp.h>
#include <linux/sched.h>
#include <linux/slab.h>

#include <sframe/env.h>

/**
 * sframe_alloc() - memory to build a table
 * @size: in bytes
 *
 * Charged to the memory cgroup that the worker has set. Being profiled must not get
 * anybody killed by the OOM killer, so this rather fails.
 *
 * Context: process, may sleep.
 * Return: the memory, not cleared; %NULL if there is none.
 */
void *sframe_alloc(size_t size)
{
	return kvmalloc(size, GFP_KERNEL_ACCOUNT | __GFP_RETRY_MAYFAIL |
			      __GFP_NOWARN);
}

/**
 * sframe_free() - give back what sframe_alloc() gave
 * @p: or %NULL
 *
 * Context: process, may sleep.
 */
void sframe_free(const void *p)
{
	kvfree(p);
}

/**
 * sframe_relax() - let others run, every few thousand steps of a long loop
 *
 * Context: process, may sleep.
 */
void sframe_relax(void)
{
	cond_resched();
}
