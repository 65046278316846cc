/* SPDX-License-Identifier: GPL-2.0 */
/* How code goes on, an instruction after the other; and HotSpot's (sp_run.c). */
#ifndef SFRAME_SP_RUN_H
#define SFRAME_SP_RUN_H

#include <sframe/cursor.h>

struct leave_code;

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

bool sframe_run_step(struct sframe_cursor *cur, struct leave_code *code, u64 at,
		     struct sframe_sp_step *step);
bool sframe_run_on(struct sframe_cursor *cur, bool leave_loops, struct sp_run *run);

#endif /* SFRAME_SP_RUN_H */
