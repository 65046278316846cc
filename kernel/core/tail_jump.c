// SPDX-License-Identifier: GPL-2.0
/*
 * Does a function end by jumping to another one? Then the call before that one's RA names the
 * first. Asked by entry.c.
 */
#include "cursor_impl.h"

/* Bytes of a function that are looked at, at most, and at a time; prices of reading, and each. */
#define LOOK_MAX	4096
#define CHUNK		64
#define READ_COST	384
#define INSN_COST	48
/* 1 / LOOK_SHARE of the remaining budget may be spent: most functions do not end so. */
#define LOOK_SHARE	8

/**
 * sframe_find_tail_jump() - does a function end by a jump to another one?
 * @cur: the walk
 * @target: where it begins
 * @to: where the other one does
 * @jumps: set to the answer
 *
 * All instructions are looked at in turn, up to a mark of a beginning that nothing runs into.
 *
 * Context: as sframe_cursor_next().
 * Return: false if that is too costly to find out, or cannot be read.
 */
bool sframe_find_tail_jump(struct sframe_cursor *cur, u64 target, u64 to, bool *jumps)
{
	u8 code[CHUNK + SFRAME_CODE_AFTER];
	const struct sframe_abi *abi = cur->abi;
	u32 left = sframe_budget_left(cur) - sframe_budget_left(cur) / LOOK_SHARE;
	u64 at = target, base = target - CHUNK;
	struct sframe_insn insn;
	bool stopped = false;
	const u8 *bytes;

	*jumps = false;
	for (; at - target < LOOK_MAX; at += insn.len) {
		if (sframe_budget_left(cur) <= left)
			return false;
		if (at - base >= CHUNK) {
			base = at;
			sframe_cursor_charge(cur, READ_COST);
			if (sframe_read_asked(cur, base, code, sizeof(code)))
				return false;
		}
		sframe_cursor_charge(cur, INSN_COST);
		bytes = code + (at - base);
		if ((stopped && sframe_is_mark(abi, bytes)) || !abi->insn(bytes, at, &insn))
			return true;
		*jumps = insn.flags & SFRAME_INSN_JUMPS && insn.flags & SFRAME_INSN_STOPS &&
			 insn.target == to;
		if (*jumps)
			return true;
		stopped = insn.flags & SFRAME_INSN_STOPS ||
			  (stopped && insn.flags & SFRAME_INSN_FILLS);
	}
	return true;
}
