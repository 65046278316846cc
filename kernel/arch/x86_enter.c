// SPDX-License-Identifier: GPL-2.0
/*
 * x86-64: how a function without a table has come to its PC, read from its code (as x86_leave.c
 * reads how it will be left).
 */
#include "x86_leave.h"

/**
 * sframe_x86_enter() - &sframe_abi.enter
 * @lv: SP where the function begins, and what it may cost; what was FP there is found, and, if
 *	@by_fp, what FP is at the PC
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
	lv->by_fp = p.fp_known;
	lv->fp = p.fp_value;
	return true;
}

/* Instructions looked at behind where a record is made. */
#define LOOKS_MAX	12

/* Behind what a function begins with that makes its record at once; 0: it does not. */
static unsigned int behind_record(const u8 *code)
{
	static const u8 push_move[] = { 0x55, 0x48, 0x89, 0xe5 };
	unsigned int at = code[0] == 0x90 ? 1 : sframe_x86_is_endbr64(code) ? X86_ENDBR64_LEN : 0;

	return memcmp(code + at, push_move, sizeof(push_move)) ? 0 : at + sizeof(push_move);
}

/* Of lea -n(%rbp), %reg: @n; else 0. */
static u64 lea_below_record(const struct x86_insn *in)
{
	return !in->map && in->op == 0x8d && !sframe_x86_is_direct(in) && in->modrm >= 0x40 &&
	       sframe_x86_rm(in) == X86_FP && !in->half && !in->moved && in->rex & 8 &&
	       in->disp < 0 ? -(s64)in->disp : 0;
}

static bool is_mov_to_sp(const struct x86_insn *in, unsigned int reg)
{
	return !in->map && in->op == 0x89 && sframe_x86_is_direct(in) && in->rex & 8 &&
	       sframe_x86_rm(in) == X86_SP && sframe_x86_reg(in) == reg;
}

/* push of a register, as functions save those that they use. */
static bool is_save(const struct x86_insn *in)
{
	return !in->map && (in->op & 0xf8) == 0x50 && !in->half;
}

/* sub $n, %rsp */
static bool is_sub_from_sp(const struct x86_insn *in)
{
	return !in->map && (in->op == 0x81 || in->op == 0x83) && in->modrm == 0xec &&
	       in->rex & 8 && !in->half;
}

/**
 * sframe_x86_record_depth() - &sframe_abi.record_depth
 * @code: %SFRAME_RECORD_DEPTH_LEN bytes
 * @looks: see there
 *
 * Registers are saved, and then SP is lowered by a number; or JavaScriptCore compares what SP is
 * to be with a limit, before it moves that there. What is pushed otherwise may be arguments.
 *
 * Context: any.
 * Return: see there.
 */
u64 sframe_x86_record_depth(const u8 *code, u32 *looks)
{
	unsigned int at = behind_record(code), reg = 0;
	struct sframe_sp_step step;
	u64 depth = 0, below = 0;
	struct x86_insn in;

	for (; at && at + X86_INSN_MAX <= SFRAME_RECORD_DEPTH_LEN; at += in.len) {
		if (++*looks > LOOKS_MAX || !sframe_x86_decode(code + at, &in) ||
		    !sframe_x86_sp_step(code + at, at, &step) ||
		    step.insn.flags & (SFRAME_INSN_CALLS | SFRAME_INSN_STOPS))
			return 0;
		if (below && is_mov_to_sp(&in, reg))
			return below;
		if (!below && is_sub_from_sp(&in))
			return step.added < 0 ? depth - step.added : 0;
		if (!below && !depth) {
			below = lea_below_record(&in);
			reg = sframe_x86_reg(&in);
			if (below && reg == X86_SP)
				return below;
			if (below)
				continue;
		}
		if (!below && is_save(&in)) {
			depth += sizeof(u64);
			continue;
		}
		if (step.sp != SFRAME_SP_KEPT ||
		    (below && sframe_x86_written(&in) & 1u << reg))
			return 0;
	}
	return 0;
}
