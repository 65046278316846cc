/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A cache of steps for walks in made-up worlds: whatever is in it, they find the same.
 */
#ifndef SFRAME_KUNIT_KEPT_STEPS_H
#define SFRAME_KUNIT_KEPT_STEPS_H

#include <sframe/step_cache.h>

/* Walks without it; that fill it; that find in it what these have found. */
enum kept_steps { STEPS_NONE, STEPS_NEW, STEPS_OLD, STEPS_ROUNDS };

struct kunit;

void kept_steps_begin(enum kept_steps round);
void kept_steps_rounds(struct kunit *test, void (*walk)(struct kunit *test));
void kept_steps_key(u64 key);
struct sframe_step_cache *kept_steps(void *ctx);

#endif /* SFRAME_KUNIT_KEPT_STEPS_H */
