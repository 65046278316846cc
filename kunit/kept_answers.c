// SPDX-License-Identifier: GPL-2.0
/* See kept_answers.h; the cases of a suite run one by one, and suites do, too. */
#include "kept_answers.h"

/* In all worlds, the stack is above that, and code is not. */
#define STACKS		0x7f0000000000ull

static struct sframe_checked checked[SFRAME_CHECKED_MAX];
static struct sframe_answer branches[SFRAME_BRANCHES_MAX];
static struct sframe_known_step steps[SFRAME_STEPS_MAX];
static struct sframe_known_way ways[SFRAME_WAYS_MAX];
static struct sframe_answers answers;
static bool on, fixed;

/* What walks that follow may use. */
void kept_answers_begin(enum kept_answers round)
{
	on = round != ANSWERS_NONE;
	fixed = round < CHECKED_NEW;
	if (round != ANSWERS_NEW && round != CHECKED_NEW)
		return;
	memset(&answers, 0, sizeof(answers));
	memset(checked, 0, sizeof(checked));
	memset(branches, 0, sizeof(branches));
	memset(steps, 0, sizeof(steps));
	memset(ways, 0, sizeof(ways));
	answers.checked = checked;
	answers.branches = branches;
	answers.steps = steps;
	answers.ways = ways;
	answers.key = 1;
}

/* Let @walk find the same in all rounds, and those that follow do without. */
void kept_answers_rounds(struct kunit *test, void (*walk)(struct kunit *test))
{
	enum kept_answers round;

	for (round = ANSWERS_NONE; round < ANSWERS_ROUNDS; round++) {
		kept_answers_begin(round);
		walk(test);
	}
	kept_answers_begin(ANSWERS_NONE);
}

/* For &sframe_cursor_ops.answers. */
struct sframe_answers *kept_answers(void *ctx)
{
	(void)ctx;
	return on ? &answers : NULL;
}

/* For &sframe_cursor_ops.is_fixed. */
bool kept_answers_fixed(void *ctx, u64 addr, unsigned int len)
{
	(void)ctx;
	return fixed && addr + len <= STACKS;
}

/* The same, for worlds of code that is made at run time. */
bool kept_answers_not_fixed(void *ctx, u64 addr, unsigned int len)
{
	(void)ctx;
	(void)addr;
	(void)len;
	return false;
}
