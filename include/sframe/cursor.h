/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Walks a stack: registers in, one caller per step out. Knows the ABI's
 * rules, but neither where tables live nor how memory is read.
 */
#ifndef SFRAME_CURSOR_H
#define SFRAME_CURSOR_H

#include <sframe/decode.h>

/**
 * struct sframe_cursor_ops - what a walk needs from its surroundings
 * @find: the rule for user address @pc. SFRAME_OK (look at the rule's flags),
 *	SFRAME_NO_TABLE (executable, but nothing known) or SFRAME_NO_MAPPING
 *	(not executable). A step without a row asks for up to 512 words of
 *	stack as well, most of them no code addresses: a miss must be cheap
 * @read: copy @len bytes (up to 128) of the task's memory at @addr, stack or
 *	code, to @buf: 0, or -errno if not all of them can be had. @addr + @len
 *	may wrap
 * @reg: topmost frame's register with DWARF number @reg, 0 or -errno
 *
 * All are called in the context of sframe_cursor_next()'s caller.
 */
struct sframe_cursor_ops {
	enum sframe_reason (*find)(void *ctx, u64 pc, struct sframe_rule *rule);
	int (*read)(void *ctx, u64 addr, void *buf, unsigned int len);
	int (*reg)(void *ctx, unsigned int reg, u64 *val);
};

/**
 * struct sframe_cursor - one walk
 * @abi: whose rules
 * @ops: surroundings
 * @ctx: handed to @ops
 * @pc: this frame's PC; after a step, the return address
 * @sp: its stack pointer if @sp_known, else an address not above it
 * @fp: its frame pointer, if @fp_known
 * @ra: link register, topmost frame only
 * @pac_mask: bits to strip from a signed RA (0: none)
 * @cfa: of the frame just left: all that follow lie above. Before the first
 *	step, the highest address that is too low for a CFA
 * @depth: frames stepped
 * @fallbacks: steps made without a row
 * @max_depth: most frames to step
 * @topmost: no step made yet
 * @sp_known: @sp is exact; lost in a step by an AArch64 frame record
 * @fp_known: @fp may be used; lost in a step by a backchain
 * @pending: outcome of the lookup of @pc (private)
 * @rule: its rule (private)
 */
struct sframe_cursor {
	const struct sframe_abi *abi;
	const struct sframe_cursor_ops *ops;
	void *ctx;
	u64 pc;
	u64 sp;
	u64 fp;
	u64 ra;
	u64 pac_mask;
	u64 cfa;
	u32 depth;
	u32 fallbacks;
	u32 max_depth;
	bool topmost;
	bool sp_known;
	bool fp_known;
	enum sframe_reason pending;
	struct sframe_rule rule;
};

/**
 * struct sframe_regs - registers a walk starts from
 * @pc: program counter
 * @sp: stack pointer
 * @fp: frame pointer
 * @ra: link register, where the ABI has one
 * @pac_mask: bits of a code pointer that hold a PAC, 0 for none
 */
struct sframe_regs {
	u64 pc;
	u64 sp;
	u64 fp;
	u64 ra;
	u64 pac_mask;
};

/**
 * sframe_cursor_init() - start a walk
 * @cur: the walk
 * @abi: whose rules
 * @regs: registers of the topmost frame, copied
 * @max_depth: most frames to step
 * @ops: surroundings, must outlive @cur
 * @ctx: handed to @ops
 *
 * Looks up the PC. It is a frame whether or not it lies in an executable
 * mapping; if not, the first step fails with SFRAME_NO_MAPPING.
 *
 * Context: any that @ops allow, NMI included.
 */
void sframe_cursor_init(struct sframe_cursor *cur, const struct sframe_abi *abi,
			const struct sframe_regs *regs, u32 max_depth,
			const struct sframe_cursor_ops *ops, void *ctx);

/**
 * sframe_cursor_next() - go to the caller
 * @cur: the walk
 *
 * The new PC is a return address; its row is that of the byte before it. A
 * frame without a row is left by its frame record or backchain, if that can
 * be verified, and the next one by its row again.
 *
 * Context: any that @ops allow, NMI included. No allocation; one lookup, and
 * at most 4 KiB of stack read in a frame without a row.
 * Return: SFRAME_OK, and @cur's pc, sp and fp are the caller's, with pc in an
 * executable mapping. Otherwise a walk reason: the walk is over, pc, sp and fp
 * are as they were, and another call ends likewise.
 */
enum sframe_reason sframe_cursor_next(struct sframe_cursor *cur);

#endif /* SFRAME_CURSOR_H */
