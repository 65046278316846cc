/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Random sections: any shape the format allows and, when asked for, some that
 * it does not.
 */
#ifndef KUNIT_RANDOM_H
#define KUNIT_RANDOM_H

#include "decode_impl.h"

#include "build.h"

/*
 * Add @nr_funcs functions from @start on to @b; returns where the last one
 * ends. @hostile: one in eight things is wrong (order, overlap, types, rows).
 */
u64 random_functions(struct build *b, u64 *rng, u64 start, u32 nr_funcs,
		     bool hostile);

#endif /* KUNIT_RANDOM_H */
