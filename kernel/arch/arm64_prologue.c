// SPDX-License-Identifier: GPL-2.0
/*
 * AArch64: where RA is in a function whose beginning is known, and that has made all of
 * its frame there.
 */
#include <sframe/abi.h>

#include "arm64.h"

/* So many that are not followed cost one unit of &sframe_leave.cost. */
#define LOOKS_EACH	2

/* Is SP lowered, or set to anything? It is raised where a function is left. */
static bool moves_sp(u32 insn)
{
	/* STP and STR, of any registers, and LDR, pre-indexed. */
	if ((insn & 0x3bc003e0) == 0x298003e0 || (insn & 0x3b200fe0) == 0x38000fe0)
		return true;
	if ((insn & 31) != 31 || (insn & 0xffe0ffff) == ADD_SP_REG)
		return false;
	/* SUB from SP; ADD and SUB of another register, and of two; AND, ORR and EOR. */
	return (insn & 0xff8003e0) == 0xd10003e0 ||
	       ((insn & 0xbf800000) == 0x91000000 && (insn >> 5 & 31) != 31) ||
	       (insn & 0x3fe00000) == 0x0b200000 ||
	       (insn & 0xff20f000) == 0x04205000 ||		/* ADDVL and the like */
	       ((insn & 0x1f800000) == 0x12000000 && (insn >> 29 & 3) != 3);
}

/* Is SP raised, which takes the frame down? */
static bool raises_sp(u32 insn)
{
	/* ADD; LDP, LDR and the like, post-indexed. */
	return (insn & 0xff8003ff) == 0x910003ff || (insn & 0xffe0ffff) == ADD_SP_REG ||
	       (insn & 0x3bc003e0) == 0x28c003e0 || (insn & 0x3b200fe0) == 0x380007e0;
}

/* Is the frame the same from @from to @pc, but for where ways lead out before? */
static bool keeps_frame(struct leave_code *code, struct sframe_leave *lv, u64 from, u64 pc)
{
	bool raised = false;
	u32 insn;

	for (; from < pc; from += INSN_LEN) {
		if (lv->cost >= lv->cost_max || !sframe_arm64_fetch(code, from, &insn) ||
		    moves_sp(insn))
			return false;
		/* That is all that is asked of it. */
		lv->cost += from / INSN_LEN % LOOKS_EACH == 0;
		raised = (raised || raises_sp(insn)) &&
			 !(sframe_arm64_flags(insn) & SFRAME_INSN_STOPS);
	}
	return !raised;
}

/**
 * sframe_arm64_prologue() - &sframe_abi.prologue
 * @lv: SP at the beginning; and behind the prologue. Where RA is then, and FP, from there
 * @from: where the function begins
 * @pc: a PC in it
 * @read: reads code
 * @ctx: handed to @read
 *
 * Compilers set SP once, and save x30 before they branch.
 *
 * Context: any that @read allows, NMI included.
 * Return: was RA saved?
 */
bool sframe_arm64_prologue(struct sframe_leave *lv, u64 from, u64 pc, sframe_read_fn read,
			   void *ctx)
{
	struct leave_code code = { .read = read, .ctx = ctx, .cost = &lv->cost };
	struct leave_path p = {
		.pc = from,
		.sp = lv->sp,
		.fp.is = LEAVE_KEPT,
		.link.ra.is = LEAVE_KEPT,
		.sp_known = true,
	};
	u32 insn;

	lv->cost = 0;
	lv->ra_at = 0;
	lv->fp_lost = true;
	for (; p.pc < pc; p.pc += INSN_LEN) {
		if (lv->cost >= lv->cost_max || !sframe_arm64_fetch(&code, p.pc, &insn))
			return false;
		lv->cost += A64_INSN_COST;
		/* There, another function begins. */
		if (insn == ARM64_BTI_C)
			return false;
		if (sframe_arm64_is_hint(insn))
			continue;
		if (sframe_arm64_is_branch(insn))
			break;
		if (!sframe_arm64_moves_sp(lv, &code, &p, p.pc, insn) &&
		    sframe_arm64_execute(lv, &p, insn) != GO_ON)
			return false;
		/* What is stored later is a local variable. */
		if (!lv->ra_at && p.link.ra.was == LEAVE_KEPT)
			lv->ra_at = p.link.ra.saved;
	}
	/* At a PC before the first branch, what it leads to says more. */
	if (!lv->ra_at || p.pc >= pc || !keeps_frame(&code, lv, p.pc, pc))
		return false;
	lv->sp = p.sp;
	lv->fp_at = p.fp.was == LEAVE_KEPT ? p.fp.saved : 0;
	lv->fp_lost = p.fp.is != LEAVE_KEPT && !lv->fp_at;
	return true;
}
