/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Answers that are kept for walks in made-up worlds: whatever is known, they find the same.
 */
#ifndef SFRAME_KUNIT_KEPT_ANSWERS_H
#define SFRAME_KUNIT_KEPT_ANSWERS_H

#include <sframe/answers.h>

/* Walks without any; that keep what code says; that know that; both for code that may change. */
enum kept_answers {
	ANSWERS_NONE, ANSWERS_NEW, ANSWERS_OLD, CHECKED_NEW, CHECKED_OLD, ANSWERS_ROUNDS
};

struct kunit;

void kept_answers_begin(enum kept_answers round);
void kept_answers_rounds(struct kunit *test, void (*walk)(struct kunit *test));
struct sframe_answers *kept_answers(void *ctx);
bool kept_answers_fixed(void *ctx, u64 addr, unsigned int len);
bool kept_answers_not_fixed(void *ctx, u64 addr, unsigned int len);

#endif /* SFRAME_KUNIT_KEPT_ANSWERS_H */
