/* SPDX-License-Identifier: GPL-2.0 */
/* A frame's caller, as the core finds it in one step. */
#ifndef SFRAME_FRAME_H
#define SFRAME_FRAME_H

#include <sframe/abi.h>

/**
 * struct sframe_saved - where a signal made the kernel save the registers
 * @frame: their places; NULL if there are none
 * @at: address that these count from
 */
struct sframe_saved {
	const struct sframe_sigframe *frame;
	u64 at;
};

/**
 * struct sframe_frame - the caller of the frame that is left, as a step finds it
 * @cfa: of the frame that is left; if @ra was interrupted, the highest address that is
 *	too low for a CFA there
 * @sp: stack pointer, if @sp_known
 * @fp: frame pointer, if @fp_known
 * @ra: return address, with its PAC; or the PC that was interrupted
 * @lr: link register of the caller, if that was interrupted
 * @sp_known: @sp is exact
 * @fp_known: @fp is known
 * @lr_known: @lr is known; if @saved is set, it is in any case
 * @exact: @ra is a PC that was interrupted, no return address
 * @returns: the frame that is left surely returns to @ra
 * @called: @ra was seen to follow a call
 * @direct: the caller follows from the words that the rule names, as if by a row
 * @fallback: the step was made without a rule, or with one that lacked registers
 * @lisp: the frame that is left is a function of Lisp
 * @last: the caller is the stack's outermost, as its code ends the thread
 * @lower: the caller is on another stack, which lies below the one that is left; or has RA
 *	in a register
 * @saved: where all registers are, if a signal interrupted the caller
 */
struct sframe_frame {
	u64 cfa;
	u64 sp;
	u64 fp;
	u64 ra;
	u64 lr;
	bool sp_known;
	bool fp_known;
	bool lr_known;
	bool exact;
	bool returns;
	bool called;
	bool direct;
	bool fallback;
	bool lisp;
	bool last;
	bool lower;
	struct sframe_saved saved;
};

#endif /* SFRAME_FRAME_H */
