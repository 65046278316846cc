/* SPDX-License-Identifier: GPL-2.0 */
/* How code goes on, an instruction after the other; and HotSpot's (sp_run.c). */
#ifndef SFRAME_SP_RUN_H
#define SFRAME_SP_RUN_H

#include <sframe/cursor.h>

#include "leave.h"

/* SP is aligned to that at calls. */
#define MARKED_SP_ALIGN		16
/* Bytes of the longest jump. */
#define SFRAME_JUMP_MAX		5

/**
 * struct sp_run - how code goes on from the PC
 * @sp: SP where that has led
 * @ends: there code stops, or goes back
 * @returns: that is a return, and @sp is behind it
 * @changes_fp: an instruction on the way does
 */
struct sp_run {
	u64 sp;
	bool ends;
	bool returns;
	bool changes_fp;
};

/**
 * struct straight_line - code that is run through, from one instruction that is not plain to the
 *	next
 * @code: read last
 * @step: the instruction where it has stopped, and what that does
 * @at: and where
 * @left: instructions that it may still take
 * @back: it has led back
 */
struct straight_line {
	struct leave_code code;
	struct sframe_sp_step step;
	u64 at;
	unsigned int left;
	bool back;
};

bool sframe_run_step(struct sframe_cursor *cur, struct leave_code *code, u64 at,
		     struct sframe_sp_step *step);
bool sframe_run_on(struct sframe_cursor *cur, bool leave_loops, struct sp_run *run);
bool sframe_line_begin(const struct sframe_cursor *cur, struct straight_line *line);
bool sframe_line_next(struct sframe_cursor *cur, struct straight_line *line);
bool sframe_line_jump(struct straight_line *line);

#endif /* SFRAME_SP_RUN_H */
