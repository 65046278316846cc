/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the files share that follow x86-64 code to where a function is left.
 */
#ifndef SFRAME_ARCH_X86_LEAVE_H
#define SFRAME_ARCH_X86_LEAVE_H

#include "x86.h"

/* Stores to the stack that are remembered. */
#define X86_STORES_MAX	4

/* What is in FP. */
enum x86_fp_is {
	KEPT,		/* what was in it at the PC */
	LOADED,		/* what was in memory at the PC */
	OTHER,
};

/**
 * struct x86_path - how far one way through the code has come
 * @pc: next instruction
 * @sp: SP
 * @fp: FP, if @fp_known
 * @fp_at: LOADED: from there
 * @saved_at: the path itself has put FP there, or 0
 * @new_to: below, the path has pushed what was not there at the PC
 * @store: addresses of words it has stored to
 * @nr_stores: how many, or more than there is room for
 * @fp_is: what FP holds
 * @saved_is: what it held when it was put at @saved_at
 * @fp_known: @fp holds
 * @sure: no call was passed by
 */
struct x86_path {
	u64 pc;
	u64 sp;
	u64 fp;
	u64 fp_at;
	u64 saved_at;
	u64 new_to;
	u64 store[X86_STORES_MAX];
	unsigned int nr_stores;
	enum x86_fp_is fp_is;
	enum x86_fp_is saved_is;
	bool fp_known;
	bool sure;
};

/* How a path goes on. */
enum x86_step { GO_ON, ARRIVED, GIVE_UP };

bool sframe_x86_is_old(const struct x86_path *p, u64 addr);
enum x86_step sframe_x86_push(struct x86_path *p, bool of_fp);
enum x86_step sframe_x86_push_or_pop(struct x86_path *p, const struct x86_insn *in);
enum x86_step sframe_x86_operate(struct x86_path *p, const struct x86_insn *in,
				 sframe_read_fn read, void *ctx);

#endif /* SFRAME_ARCH_X86_LEAVE_H */
