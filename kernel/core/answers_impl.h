/* SPDX-License-Identifier: GPL-2.0 */
/* What questions.c, which asks code, and answers.c, which keeps the answers, share. */
#ifndef SFRAME_ANSWERS_IMPL_H
#define SFRAME_ANSWERS_IMPL_H

#include <sframe/answers.h>
#include <sframe/cursor.h>

/*
 * In &sframe_answer.says: the answer holds only where FP is as far from SP as
 * &sframe_answer.fp.
 */
#define SFRAME_ANSWER_BY_FP	512

/**
 * struct sframe_asking - an answer that is being sought
 * @answer: what is asked; then the answer
 * @lasts: all that was read so far will stay as it is
 * @reads: reads so far
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
