/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A world of code made at run time, with what a CPU keeps of how such code is left (known_way.c),
 * and nothing else.
 */
#ifndef SFRAME_KUNIT_WAYS_WORLD_H
#define SFRAME_KUNIT_WAYS_WORLD_H

#include "bare_world.h"

struct ways_world {
	struct bare_world bare;
	struct sframe_answers answers;
	struct sframe_regs regs;
	struct sframe_cursor cur;
};

static struct ways_world the_world;
static struct sframe_known_way ways[SFRAME_WAYS_MAX];

static struct sframe_answers *ways_answers(void *ctx)
{
	struct ways_world *w = ctx;

	return &w->answers;
}

static const struct sframe_cursor_ops ways_ops = {
	.find = bare_find,
	.find_kept = nothing_kept,
	.read = bare_read,
	.read_code = bare_read,
	.reg = no_register,
	.answers = ways_answers,
	.is_fixed = kept_answers_not_fixed,
};

/* Of NOPs, and no way is known. */
static struct ways_world *ways_world_new(void)
{
	struct ways_world *w = &the_world;

	memset(w, 0, sizeof(*w));
	memset(ways, 0, sizeof(ways));
	memset(w->bare.code, 0x90, sizeof(w->bare.code));
	w->answers.key = 1;
	w->answers.ways = ways;
	return w;
}

#endif /* SFRAME_KUNIT_WAYS_WORLD_H */
