/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What code has said that was followed: how a function is left, or entered, or whether it
 * leads somewhere. In frames without a row that takes nearly all of the time, some ten
 * thousand instructions each, and a function says the same wherever its frame is. So it is
 * kept, for code that stays as it is.
 */
#ifndef SFRAME_ANSWERS_H
#define SFRAME_ANSWERS_H

#include <sframe/env.h>

/* As many as a CPU has room for. */
#define SFRAME_ANSWERS_MAX	512

/**
 * struct sframe_answer - what code has said, and will say again
 * @key: of the mappings it is in, 0 for no answer
 * @from: where it was followed from
 * @to: up to there, or 0
 * @asked: what was asked
 * @sp_to: and for which distance from SP to there
 * @says: the answer
 * @fp: it is for this distance from SP to FP, if @says that it is
 * @sp: the caller's SP, from SP on; or a place, from the PC on
 * @ra_at: likewise, where RA is
 * @fp_at: likewise, where the caller's FP is
 */
struct sframe_answer {
	u64 key;
	u64 from;
	u64 to;
	u32 asked;
	s32 sp_to;
	u32 says;
	s32 fp;
	s32 sp;
	s32 ra_at;
	s32 fp_at;
};

/**
 * struct sframe_answers - those of the last walks
 * @key: of the mappings that the walk sees that uses them. Anything else as long as
 *	nothing that is mapped is another one; not 0
 * @answer: each at its place
 *
 * One walk at a time may use it.
 */
struct sframe_answers {
	u64 key;
	struct sframe_answer answer[SFRAME_ANSWERS_MAX];
};

#endif /* SFRAME_ANSWERS_H */
