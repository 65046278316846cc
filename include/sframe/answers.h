/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The answers that code gave when it was followed: how a function is left, or entered,
 * or whether it leads somewhere. In frames without a row that takes nearly all of the
 * time, some ten thousand instructions each, and a function says the same wherever its
 * frame is. So the answers are kept: for code that stays as it is, and, together with a
 * checksum of that, for code that may change. The core fills them in (core/questions.c);
 * the module has some for each CPU (trails.c). And so are whole steps, with a checksum of
 * all that they have read (core/known_steps.c).
 */
#ifndef SFRAME_ANSWERS_H
#define SFRAME_ANSWERS_H

#include <sframe/cursor.h>

/* Answers that a CPU keeps, of code that stays as it is and of code that may change. */
#define SFRAME_ANSWERS_MAX	512
#define SFRAME_CHECKED_MAX	136
/* And of code that stays as it is, at branches. */
#define SFRAME_BRANCHES_MAX	512
/* Steps of frames without a row that a CPU keeps. */
#define SFRAME_STEPS_MAX	64
/* Ways to leave a function's frames that a CPU keeps. */
#define SFRAME_WAYS_MAX		640
/* A step that could not read more places than that is not kept. */
#define SFRAME_UNREAD_MAX	4
/* Hints that a CPU keeps. */
#define SFRAME_HINTS_MAX	1024
/* Searches in vain that a CPU remembers. */
#define SFRAME_VAIN_MAX		128
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
 * @walk: &sframe_answers.walk when that code was compared last
 * @code: that code, from &sframe_answer.from on
 */
struct sframe_checked {
	struct sframe_answer answer;
	u64 walk;
	struct sframe_code_ranges code;
};

/**
 * struct sframe_step_from - all that a step without a row depends on, but for what it reads
 * @key: &sframe_answers.key; 0: this is no step
 * @pc: &sframe_cursor.pc, and so on
 * @sp: likewise
 * @fp: likewise
 * @cfa: likewise
 * @left: likewise
 * @state: what else is known of the frame; bits of core/known_steps.c
 */
struct sframe_step_from {
	u64 key;
	u64 pc;
	u64 sp;
	u64 fp;
	u64 cfa;
	u64 left;
	u32 state;
};

/**
 * struct sframe_known_step - a step that holds as long as what it has read is as it was
 * @from: the frame
 * @to: its caller
 * @resumes_at: where an interpreter is returned to, as that step has found; or 0
 * @resumes_how: and how that one finds its SP there
 * @nr_unread: so many
 * @unread: addresses that could not be read
 * @stack: what was read of the stack, from SP on
 * @code: other memory that may change, from the PC on
 */
struct sframe_known_step {
	struct sframe_step_from from;
	struct sframe_frame to;
	u64 resumes_at;
	enum sframe_resume resumes_how;
	u32 nr_unread;
	u64 unread[SFRAME_UNREAD_MAX];
	struct sframe_code_ranges stack;
	struct sframe_code_ranges code;
};

/**
 * struct sframe_known_way - how frames at a PC in code without a table are left
 * @key: &sframe_answers.key; 0: this is no way
 * @pc: the PC
 * @walk: &sframe_answers.walk when code was compared last
 * @target: the function, as the call before RA names it, from the PC on
 * @sp: CFA, from SP on; or how far FP, where the record is, is from SP
 * @ra_at: address of RA, from SP on
 * @fp_at: address of the caller's FP, from SP on
 * @how: bits of core/known_way.c
 * @sum: checksum of the code around the PC, and where the function begins
 */
struct sframe_known_way {
	u64 key;
	u64 pc;
	u64 walk;
	s32 target;
	s32 sp;
	s32 ra_at;
	s32 fp_at;
	u32 how;
	u32 sum;
};

/**
 * struct sframe_answers - the answers of the last walks
 * @checked: SFRAME_CHECKED_MAX others, for code that may change: hashed, see
 *	core/answers.c; or NULL
 * @branches: SFRAME_BRANCHES_MAX others, to how a function is left from a branch on: hashed; or
 *	NULL
 * @steps: SFRAME_STEPS_MAX steps: hashed; or NULL
 * @ways: SFRAME_WAYS_MAX ways: hashed, see core/known_way.c; or NULL
 * @noted: the step that is being made
 * @walk: another number each time that a walk gets these, and for each step that is noted: code
 *	that was compared since then need not be compared again
 * @key: of the mappings that the walk sees which has these now; not 0, and another
 *	number as soon as anything is mapped differently
 * @answer: hashed, see core/answers.c
 * @vain: hashes of where code was searched in vain, and of what for
 * @hint: distances from addresses, which are looked at first, whatever is there by then; hashed
 *
 * One walk at a time may use it.
 */
struct sframe_answers {
	struct sframe_checked *checked;
	struct sframe_answer *branches;
	struct sframe_known_step *steps;
	struct sframe_known_way *ways;
	struct sframe_known_step noted;
	u64 walk;
	u64 key;
	struct sframe_answer answer[SFRAME_ANSWERS_MAX];
	u64 vain[SFRAME_VAIN_MAX];
	u16 hint[SFRAME_HINTS_MAX];
};

#endif /* SFRAME_ANSWERS_H */
