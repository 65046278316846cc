/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The bits of &struct sframe_answer, for questions.c and questions_leave.c.
 */
#ifndef SFRAME_QUESTIONS_H
#define SFRAME_QUESTIONS_H

/* sframe_answer.asked: the question; the bits below, and two FOLLOW_*, say what was known. */
enum question { LEAVES = 1, ENTERS, FOLLOWS, MARKS, BEGINS, GAPS, RECORDS, ENDS, BRANCHES,
		JUMPS, MARKS_AHEAD };

#define TOPMOST		16
#define RETURNED	32
#define BY_POINTER	128
#define IS_FAR		256
#define WANTS_SP	512
#define SP_UNKNOWN	1024
#define FP_UNKNOWN	2048
#define BY_MARK		8192
#define ROW_REFUSED	16384
/* From here on up &sframe_leave.cost_max, if the answer is for that alone. */
#define COST_MAX_SHIFT	16

/* sframe_answer.says: bits above LEADS_*, besides SFRAME_ANSWER_BY_FP. */
#define FOUND		256
#define SURE		1024
#define RETURNS		2048
#define FP_LOST		4096
#define FP_SAVED	8192
#define RA_SAVED	16384
#define SP_LOST		32768
#define RA_UNTIL_CALL	65536
#define SP_SAVED	131072
#define INTERPRETS	262144
/* sframe_answer.ra_at: from the PC to the mark. */
#define MARKED		524288
#define OCAML	1048576
/* Of what a function begins with: FP is made to be SP, as &sframe_answer.fp says. */
#define BY_FP	2097152
/* The upper bits are &sframe_leave.ra_reg. */
#define RA_REG_SHIFT	24

#endif /* SFRAME_QUESTIONS_H */
