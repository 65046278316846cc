/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A program in a large file with few rows, whose functions keep frame pointers.
 */
#ifndef KEPT_WORLD_H
#define KEPT_WORLD_H

#include <kunit/test.h>

#include "bare_world.h"

#define PC	(BARE + 0x200)
#define OTHER	(BARE + 0x80)
#define RA	(CALLERS + 64)
#define STALE	(BARE + 0x140)

static struct bare_world kept_world;
/* Those were made at run time; or are in the same gap. */
static bool callers_made, callers_in_gap;

/* The file is large, and nothing is known of what is around. */
static enum sframe_reason find_gap(void *ctx, u64 pc, struct sframe_rule *rule)
{
	enum sframe_reason reason = bare_find(ctx, pc, rule);
	bool around = pc - CODE >= CODE_LEN && pc - CODE + 0x20000 < 0x40000;

	if (callers_made && pc >= CALLERS && !around)
		return SFRAME_NO_TABLE;
	/* With a call its function may end. */
	if (reason != SFRAME_NO_TABLE && !around && (!callers_in_gap || pc == RA))
		return reason;
	*rule = sframe_gap_rule_by_fp();
	return SFRAME_OK;
}

static struct sframe_cursor_ops gap_ops;

/* @code is at PC; its frame begins at S(1), its record, at S(20), has RA, behind a call of RAX. */
static struct bare_world *make_world(const void *code, unsigned int len)
{
	struct bare_world *w = &kept_world;

	callers_made = false;
	callers_in_gap = false;
	gap_ops = bare_ops;
	gap_ops.find = find_gap;
	memset(w, 0, sizeof(*w));
	memset(w->code, 0x90, sizeof(w->code));
	memcpy(w->code + (PC - CODE), code, len);
	memcpy(w->code + (RA - CODE) - 2, "\xff\xd0", 2);
	put_x86_call(w->code, CODE, STALE, OTHER);
	w->stack[0] = PC;
	/* What an older call has left: its function is before the PC. */
	w->stack[4] = STALE;
	w->stack[20] = S(40);
	w->stack[21] = RA;
	kept_answers_begin(ANSWERS_NONE);
	return w;
}

#endif /* KEPT_WORLD_H */
