// SPDX-License-Identifier: GPL-2.0
/*
 * Signal frames: from a signal trampoline to what the signal interrupted.
 *
 * A handler returns to a trampoline (of libc, by SA_RESTORER, or of the vDSO),
 * whose only instructions make the system call rt_sigreturn. When it gets there,
 * SP points to what the kernel pushed: all registers of the interrupted code,
 * at places that are user ABI. So the walk goes on as if it had just been
 * started with those registers: with an exact PC, every register by its number,
 * and RA perhaps in the link register.
 *
 * A handler can run on an alternate stack: then what it interrupted lies
 * anywhere, also below. This may happen SFRAME_SIGNALS_MAX times in a walk.
 */
#include "cursor_impl.h"

/* Bytes from the PC on, without those before it. */
#define CODE_AFTER	(SFRAME_SIGRETURN_LEN - SFRAME_SIGRETURN_PC)

/**
 * sframe_sigreturn_at() - is an address in a signal trampoline?
 * @cur: the walk
 * @pc: the address
 * @start: a handler returns to it: only the first instruction counts
 * @frame: set to what the kernel left on the stack; NULL if it is no trampoline
 *
 * The bytes before the PC may be on another page, which need not be there.
 *
 * Context: as sframe_cursor_next().
 * Return: SFRAME_OK, or SFRAME_UNREADABLE.
 */
enum sframe_reason sframe_sigreturn_at(const struct sframe_cursor *cur, u64 pc,
				       bool start,
				       const struct sframe_sigframe **frame)
{
	u8 code[SFRAME_SIGRETURN_LEN] = { };

	*frame = NULL;
	if (cur->ops->read_code(cur->ctx, pc - SFRAME_SIGRETURN_PC, code,
				sizeof(code)) &&
	    cur->ops->read_code(cur->ctx, pc, code + SFRAME_SIGRETURN_PC,
				CODE_AFTER))
		return SFRAME_UNREADABLE;
	*frame = cur->abi->sigreturn(code, start);
	return SFRAME_OK;
}

/**
 * sframe_is_at_trampoline() - has a signal handler returned to where the link register leads?
 * @cur: the walk, in a frame whose rule says that RA is in that register
 *
 * Then RA is where the trampoline begins, and the PC is there, or behind the system call
 * while that is made. On s390x the vDSO's trampolines have rows, which must not be followed:
 * they would find the trampoline once more.
 *
 * Context: as sframe_cursor_next().
 * Return: true if so, or if code that may be a trampoline cannot be read.
 */
bool sframe_is_at_trampoline(struct sframe_cursor *cur)
{
	u64 behind = cur->pc - (cur->ra & cur->ra_bits);
	const struct sframe_sigframe *frame;

	if (!behind || behind > SFRAME_SIGRETURN_PC)
		return !behind;
	sframe_cursor_charge(cur, SFRAME_COST_CODE);
	return sframe_sigreturn_at(cur, cur->pc, false, &frame) || frame;
}

static bool read_saved_reg(const struct sframe_cursor *cur,
			   const struct sframe_saved *saved, u16 off, u64 *val)
{
	u64 at;

	return sframe_add(saved->at, off, &at) &&
	       sframe_read_word(cur, at, val);
}

/**
 * sframe_saved_reg() - read a register of the topmost frame
 * @cur: the walk; below the topmost frame, of the last one that was
 * @reg: DWARF number
 * @val: set to its value
 *
 * Context: as sframe_cursor_next().
 * Return: true if it is known.
 */
bool sframe_saved_reg(const struct sframe_cursor *cur, unsigned int reg,
		      u64 *val)
{
	const struct sframe_sigframe *frame = cur->saved.frame;

	if (!frame)
		return !cur->ops->reg(cur->ctx, reg, val);
	return reg < frame->nr && read_saved_reg(cur, &cur->saved, frame->reg[reg],
						 val);
}

/**
 * sframe_step_by_signal() - go from a signal trampoline to what was interrupted
 * @cur: the walk, in the trampoline
 * @frame: what lies at its SP, as sframe_sigreturn_at() says
 * @to: filled in: the interrupted frame
 *
 * Context: as sframe_cursor_next().
 * Return: SFRAME_OK; SFRAME_SIGNAL_FRAME if there were too many, SFRAME_SP_UNKNOWN
 *	or SFRAME_UNREADABLE.
 */
enum sframe_reason sframe_step_by_signal(const struct sframe_cursor *cur,
					 const struct sframe_sigframe *frame,
					 struct sframe_frame *to)
{
	const struct sframe_abi *abi = cur->abi;

	if (cur->signals >= SFRAME_SIGNALS_MAX)
		return SFRAME_SIGNAL_FRAME;
	if (!cur->sp_known)
		return SFRAME_SP_UNKNOWN;
	*to = (struct sframe_frame){
		.sp_known = true,
		.fp_known = true,
		.exact = true,
		.saved.frame = frame,
	};
	if (!sframe_add(cur->sp, frame->regs, &to->saved.at) ||
	    !read_saved_reg(cur, &to->saved, frame->pc, &to->ra) ||
	    !read_saved_reg(cur, &to->saved, frame->reg[abi->sp_reg], &to->sp) ||
	    !read_saved_reg(cur, &to->saved, frame->reg[abi->fp_reg], &to->fp))
		return SFRAME_UNREADABLE;
	if (abi->ra_reg >= 0 &&
	    !read_saved_reg(cur, &to->saved, frame->reg[abi->ra_reg], &to->lr))
		return SFRAME_UNREADABLE;
	to->cfa = sframe_lowest_cfa(abi, to->sp);
	return SFRAME_OK;
}
