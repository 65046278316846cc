// SPDX-License-Identifier: GPL-2.0
/* See kept_steps.h; the cases of a suite run one by one, and suites do, too. */
#include "kept_steps.h"

static struct sframe_step_cache cache;
static bool on;

/* What walks that follow may use. */
void kept_steps_begin(enum kept_steps round)
{
	on = round != STEPS_NONE;
	if (round != STEPS_NEW)
		return;
	memset(&cache, 0, sizeof(cache));
	cache.key = 1;
	cache.keeps = true;
}

/* Let @walk find the same in all rounds, and those that follow do without. */
void kept_steps_rounds(struct kunit *test, void (*walk)(struct kunit *test))
{
	enum kept_steps round;

	for (round = STEPS_NONE; round < STEPS_ROUNDS; round++) {
		kept_steps_begin(round);
		walk(test);
	}
	kept_steps_begin(STEPS_NONE);
}

/* They see other mappings or tables. */
void kept_steps_key(u64 key)
{
	cache.key = key;
}

/* For sframe_cursor_ops.steps; any step is worth it. */
struct sframe_step_cache *kept_steps(void *ctx)
{
	(void)ctx;
	return on ? &cache : NULL;
}
