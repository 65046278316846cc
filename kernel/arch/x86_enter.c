// SPDX-License-Identifier: GPL-2.0
/*
 * x86-64: how a function without a table has come to its PC, read from its code (as x86_leave.c
 * reads how it will be left).
 */
#include "x86_leave.h"

/**
 * sframe_x86_enter() - &sframe_abi.enter
 * @lv: SP where the function begins, and what it may cost; what was FP there is found
 * @from: where the function begins
 * @pc: a PC in it
 * @sp: SP there
 * @read: reads code and stack
 * @ctx: handed to @read
 *
 * Functions that end in a call of one that never returns have no way out to follow. But
 * however control got to the PC, the stack was built in the same way.
 *
 * Context: any that @read allows, NMI included.
 * Return: does the function lead to @pc with @sp?
 */
bool sframe_x86_enter(struct sframe_leave *lv, u64 from, u64 pc, u64 sp,
		      sframe_read_fn read, void *ctx)
{
	struct x86_search s = {
		.all = {
			.code = { .read = read, .ctx = ctx, .cost = &lv->cost },
			.pc = from,
			.lv = lv,
			.cost_max = X86_COST_MAX,
		},
		.to = pc,
		.to_sp = sp,
	};
	struct leave_path p = {
		.pc = from,
		.sp = lv->sp,
		.fp.is = LEAVE_KEPT,
		.stores.new_to = lv->sp,
	};

	lv->cost = 0;
	lv->fp_lost = true;
	if (!sframe_x86_search_paths(&s, &p))
		return false;
	lv->fp_at = 0;
	if (p.fp.is != LEAVE_KEPT && p.fp.was == LEAVE_KEPT)
		lv->fp_at = p.fp.saved;
	lv->fp_lost = p.fp.is != LEAVE_KEPT && !lv->fp_at;
	return true;
}
