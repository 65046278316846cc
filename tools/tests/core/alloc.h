/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The tests' allocator behind sframe_alloc() in user space, and what is behind
 * sframe_relax().
 */
#ifndef TESTS_CORE_ALLOC_H
#define TESTS_CORE_ALLOC_H

#include <sframe/env.h>

extern long alloc_live;		/* allocations not yet freed */
extern long alloc_count;	/* calls so far, failed ones included */
extern long alloc_fail_at;	/* the call of this number fails; -1: none */
extern size_t alloc_bytes;	/* allocated now */
extern size_t alloc_peak;	/* most that ever was; reset by tests */
extern long relax_count;	/* calls of sframe_relax() so far */

#endif /* TESTS_CORE_ALLOC_H */
