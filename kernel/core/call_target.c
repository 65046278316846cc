// SPDX-License-Identifier: GPL-2.0
/*
 * Which function was called before a return address, as far as the call says that: a direct
 * one does.
 */
#include "cursor_impl.h"

/* Prices: of looking whether a function is a linker's stub; of an instruction looked at. */
#define STUB_COST	256
#define INSN_COST	128
/* A function that only jumps to another one has at most this many instructions before that. */
#define STUB_INSNS	6

/*
 * Where a call of @target really went, if that is a stub of the linker's: to the
 * address in the stub's slot. Functions are bound once, so that is still the same.
 */
static u64 resolve_stub_target(struct sframe_cursor *cur, u64 target)
{
	const struct sframe_abi *abi = cur->abi;
	u8 code[SFRAME_STUB_LEN];
	u64 slot, to;

	if (!abi->stub_slot || !target)
		return target;
	sframe_cursor_charge(cur, STUB_COST);
	if (cur->ops->read_code(cur->ctx, target, code, sizeof(code)))
		return target;
	slot = abi->stub_slot(code, target);
	if (!slot || !sframe_read_word(cur, slot, &to))
		return target;
	return to;
}

/*
 * A function behind the PC may do no more than jump to another one before it: then that
 * is what was called, and where it lies tells whether it can hold the PC.
 */
static u64 resolve_jump_target(struct sframe_cursor *cur, u64 target)
{
	u8 code[STUB_INSNS * SFRAME_CODE_AFTER];
	unsigned int i, at = 0;
	struct sframe_insn insn;

	if (!cur->abi->insn || target <= cur->pc ||
	    cur->ops->read_code(cur->ctx, target, code, sizeof(code)))
		return target;
	for (i = 0; i < STUB_INSNS; i++, at += insn.len) {
		sframe_cursor_charge(cur, INSN_COST);
		if (!cur->abi->insn(code + at, target + at, &insn))
			return target;
		if (insn.flags == (SFRAME_INSN_STOPS | SFRAME_INSN_JUMPS))
			return insn.target < target ? insn.target : target;
		if (insn.flags & ~(SFRAME_INSN_BEGINS | SFRAME_INSN_FILLS))
			return target;
	}
	return target;
}

/**
 * sframe_call_target() - the function that is called before a return address
 * @cur: the walk
 * @ra: the address
 *
 * Context: as sframe_cursor_next().
 * Return: its address, or that of what a stub or it jumps to; 0 if the call does not
 *	say.
 */
u64 sframe_call_target(struct sframe_cursor *cur, u64 ra)
{
	u8 code[SFRAME_CALL_LEN_MAX];
	unsigned int len = cur->abi->call_len;

	if (cur->ops->read_code(cur->ctx, ra - len, code, len))
		return 0;
	return resolve_jump_target(cur, resolve_stub_target(cur, cur->abi->call_target(code, ra)));
}
