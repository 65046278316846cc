/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Between those who ask code and those who keep what it says.
 */
#ifndef SFRAME_ANSWERS_IMPL_H
#define SFRAME_ANSWERS_IMPL_H

#include <sframe/answers.h>
#include <sframe/cursor.h>

/* In &sframe_answer.says: it holds for &sframe_answer.fp only. */
#define SFRAME_ANSWER_BY_FP	512

/**
 * struct sframe_asking - what is read for an answer
 * @answer: what is asked
 * @lasts: what was read stays as it is
 * @reads: how often
 */
struct sframe_asking {
	struct sframe_answer answer;
	bool lasts;
	unsigned int reads;
};

const struct sframe_answer *sframe_answer_known(struct sframe_cursor *cur,
						struct sframe_asking *asking);
void sframe_answer_keep(struct sframe_cursor *cur, const struct sframe_asking *asking, u32 paid);
int sframe_read_following(void *cursor, u64 addr, void *buf, unsigned int len);

#endif /* SFRAME_ANSWERS_IMPL_H */
