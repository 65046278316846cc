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
 *	(not executable)
 * @read: copy @len bytes of the task's memory at @addr to @buf, 0 or -errno
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
 * @sp: its stack pointer, if @sp_known
 * @fp: its frame pointer
 * @ra: link register, topmost frame only
 * @pac_mask: bits to strip from a signed RA (0: none)
 * @cfa: of the frame just left, a floor for all that follow
 * @depth: frames stepped
 * @fallbacks: steps made without a row
 * @max_depth: most frames to step
 * @topmost: no step made yet
 * @sp_known: @sp may be used
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

/*
 * sframe_cursor_init(): start at @regs; looks up its PC.
 * sframe_cursor_next(): go to the caller. SFRAME_OK: pc, sp, fp are its own,
 * and pc lies in an executable mapping. Anything else: the walk is over for
 * that reason and the cursor is as it was.
 *
 * Any context that @ops allow, NMI included; no allocation, bounded work.
 */
void sframe_cursor_init(struct sframe_cursor *cur, const struct sframe_abi *abi,
			const struct sframe_regs *regs, u32 max_depth,
			const struct sframe_cursor_ops *ops, void *ctx);
enum sframe_reason sframe_cursor_next(struct sframe_cursor *cur);

#endif /* SFRAME_CURSOR_H */
