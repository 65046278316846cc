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
 * @lasts: nothing was read so far that the answer cannot be kept with
 * @often: it is asked of each frame of the function, so one that costs less is worth keeping
 * @away: some of what was read was not at home
 * @reads: reads so far that were asked about
 * @code: the code that was read so far and may change, from @answer.from on
 */
struct sframe_asking {
	struct sframe_answer answer;
	bool lasts;
	bool often;
	bool away;
	unsigned int reads;
	struct sframe_code_ranges code;
};

/*
 * What a hint is for: where a function makes its frame; which mark is ahead; one was found; a
 * caller was left by its code; a frame was left by a step too cheap to be kept.
 */
enum { HINT_FRAME, HINT_MARK, HINT_FOUND, HINT_BY_CODE, HINT_CHEAP };

/* Where a search was in vain is noted of blocks of so many bytes. */
#define SFRAME_SEARCH_BLOCK	1024

struct sframe_answers *sframe_answers_of(struct sframe_cursor *cur);
u16 *sframe_answer_hint(struct sframe_cursor *cur, u64 addr, unsigned int what);
void sframe_answer_note(struct sframe_cursor *cur, u64 addr, unsigned int what, bool holds);
bool sframe_answer_noted(struct sframe_cursor *cur, u64 addr, unsigned int what);
bool sframe_search_leaves_code(struct sframe_cursor *cur, u64 at);
bool sframe_search_is_vain(struct sframe_cursor *cur, u64 at, u64 *block, unsigned int question);
bool sframe_searched_in_vain(struct sframe_cursor *cur, u64 addr, unsigned int question);
void sframe_search_was_vain(struct sframe_cursor *cur, u64 addr, unsigned int question);
const struct sframe_answer *sframe_answer_known(struct sframe_cursor *cur,
						struct sframe_asking *asking);
bool sframe_answer_stays(struct sframe_cursor *cur, struct sframe_asking *asking, u32 paid);
bool sframe_answer_keep(struct sframe_cursor *cur, struct sframe_asking *asking, u32 paid);
const struct sframe_answer *sframe_branch_known(struct sframe_cursor *cur,
						const struct sframe_answer *asked);
void sframe_branch_keep(struct sframe_cursor *cur, const struct sframe_asking *asking, u64 branch,
			u32 asked);
bool sframe_home_answer(struct sframe_cursor *cur, const struct sframe_answer *a,
			struct sframe_answer *at_home);
bool sframe_home_reaches(const struct sframe_cursor *cur, u64 from, u32 reach);
void sframe_home_reads_as(struct sframe_asking *asking, u64 from, u32 reach);
bool sframe_home_reads(const struct sframe_cursor *cur, u64 addr, unsigned int len);
u64 sframe_mix_sum(u64 sum, u64 word);
bool sframe_ranges_grow(struct sframe_code_ranges *code, u64 base, u64 at, u32 len);
bool sframe_ranges_add(struct sframe_code_ranges *code, u64 base, u64 at, u32 len);
bool sframe_ranges_sum(struct sframe_cursor *cur, struct sframe_code_ranges *code, u64 base);
u32 sframe_ranges_price(const struct sframe_code_ranges *code);
bool sframe_ranges_same(struct sframe_cursor *cur, const struct sframe_code_ranges *code,
			u64 base);
int sframe_read_following(void *cursor, u64 addr, void *buf, unsigned int len);

#endif /* SFRAME_ANSWERS_IMPL_H */
