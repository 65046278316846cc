/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The answers that code gave when it was followed: how a function is left, or entered,
 * or whether it leads somewhere. In frames without a row that takes nearly all of the
 * time, some ten thousand instructions each, and a function says the same wherever its
 * frame is. So the answers are kept: for code that stays as it is, and, together with a
 * checksum of that, for code that may change. The core fills them in (core/questions.c);
 * the module has some for each CPU (trails.c).
 */
#ifndef SFRAME_ANSWERS_H
#define SFRAME_ANSWERS_H

#include <sframe/env.h>

/* Answers that a CPU keeps, of code that stays as it is and of code that may change. */
#define SFRAME_ANSWERS_MAX	512
#define SFRAME_CHECKED_MAX	144
/* And of code that stays as it is, at branches. */
#define SFRAME_BRANCHES_MAX	512
/* Hints that a CPU keeps. */
#define SFRAME_HINTS_MAX	1024
/* An answer that comes from more ranges of code that may change is not kept. */
#define SFRAME_RANGES_MAX	16

/**
 * struct sframe_answer - what was asked of code, and what it said
 * @key: stands for the mappings that the code is in, or for its home; 0: this is no answer
 * @from: address it was followed from; at home less &sframe_home.place
 * @to: address it was followed to, or 0; likewise
 * @asked: the question; bits of core/questions.c
 * @sp_to: to enter a function: SP at its beginning, from SP at the PC
 * @says: the answer; bits of core/questions.c
 * @fp: FP's distance from SP; the answer is for that alone, if @says so
 * @sp: the caller's SP, from SP on; or of a mark or a beginning, its address from the PC on
 * @ra_at: address of RA, from SP on; or of a marked call where it returns to, from the PC on
 * @fp_at: address of the caller's FP, from SP on
 * @reach: at home, all code that it comes from is within so many bytes around @from
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
	u32 reach;
};

/**
 * struct sframe_code_ranges - the code that an answer comes from, and that may change
 * @at: addresses of ranges, from a base on, in the order in which they were read first
 * @sum: checksums of what is there
 * @len: bytes
 * @nr: so many ranges
 */
struct sframe_code_ranges {
	s32 at[SFRAME_RANGES_MAX];
	u32 sum[SFRAME_RANGES_MAX];
	u16 len[SFRAME_RANGES_MAX];
	u32 nr;
};

/**
 * struct sframe_checked - an answer that holds as long as code is as it was
 * @answer: the answer
 * @code: that code, from &sframe_answer.from on
 */
struct sframe_checked {
	struct sframe_answer answer;
	struct sframe_code_ranges code;
};

/**
 * struct sframe_answers - the answers of the last walks
 * @checked: SFRAME_CHECKED_MAX others, for code that may change: hashed, see
 *	core/answers.c; or NULL
 * @branches: SFRAME_BRANCHES_MAX others, to how a function is left from a branch on: hashed; or
 *	NULL
 * @key: of the mappings that the walk sees which has these now; not 0, and another
 *	number as soon as anything is mapped differently
 * @answer: hashed, see core/answers.c
 * @hint: distances from addresses, which are looked at first, whatever is there by then; hashed
 *
 * One walk at a time may use it.
 */
struct sframe_answers {
	struct sframe_checked *checked;
	struct sframe_answer *branches;
	u64 key;
	struct sframe_answer answer[SFRAME_ANSWERS_MAX];
	u16 hint[SFRAME_HINTS_MAX];
};

#endif /* SFRAME_ANSWERS_H */
