// SPDX-License-Identifier: GPL-2.0
/*
 * AArch64: matches the code by which Go's runtime goes back from its scheduler's stack
 * to a goroutine's (&sframe_abi.go_back). x28 is the goroutine; save_g(), which is
 * called on the way, changes neither that nor SP.
 */
#include <sframe/abi.h>

#include "arm64.h"

#define G		28
#define SP		31
#define STACK_END	8	/* of a goroutine's stack, in the goroutine */

/* ldr @to, [@from, #...], of 64 bits. */
static bool match_ldr(u32 insn, u32 *to, u32 from, u32 *off)
{
	*to = insn & 31;
	*off = (insn >> 10 & 0xfff) * 8;
	return (insn & 0xffc00000) == 0xf9400000 && (insn >> 5 & 31) == from;
}

static bool is_mov_to_sp(u32 insn, u32 from)
{
	return insn == (0x9100001f | from << 5);
}

/*
 * systemstack(): ldr x3, [x28, #m]; ldr x28, [x3, #curg]; bl save_g;
 * ldr x0, [x28, #sp]; mov sp, x0
 */
static bool match_by_scheduler(const u32 *insn, struct sframe_go_back *back)
{
	u32 m, g, sp;

	back->way = SFRAME_GO_BY_SCHEDULER;
	return match_ldr(insn[0], &m, G, &back->m) &&
	       match_ldr(insn[1], &g, m, &back->curg) && g == G && back->curg &&
	       sframe_arm64_is_bl(insn[2]) && match_ldr(insn[3], &sp, G, &back->sp) &&
	       is_mov_to_sp(insn[4], sp);
}

/*
 * asmcgocall(): mov x9, x0; ldr x28, [sp, #g]; bl save_g; ldr x5, [x28, #8];
 * ldr x6, [sp, #depth]; sub x5, x5, x6; mov x0, x9; mov sp, x5
 */
static bool match_by_depth(const u32 *insn, struct sframe_go_back *back)
{
	u32 g, hi, depth, end;

	back->way = SFRAME_GO_BY_DEPTH;
	return insn[0] == 0xaa0003e9 && match_ldr(insn[1], &g, SP, &back->g) &&
	       g == G && sframe_arm64_is_bl(insn[2]) && match_ldr(insn[3], &hi, G, &end) &&
	       end == STACK_END && match_ldr(insn[4], &depth, SP, &back->sp) &&
	       insn[5] == (0xcb000000 | depth << 16 | hi << 5 | hi) &&
	       insn[6] == 0xaa0903e0 && is_mov_to_sp(insn[7], hi);
}

/* And where it has not left the stack: ldr x2, [sp, #sp]; mov sp, x2 */
static bool match_by_copy(const u32 *insn, struct sframe_go_back *back)
{
	u32 sp;

	back->way = SFRAME_GO_BY_COPY;
	return match_ldr(insn[0], &sp, SP, &back->sp) && is_mov_to_sp(insn[1], sp);
}

/**
 * sframe_arm64_go_back() - &sframe_abi.go_back
 * @code: instructions
 * @back: filled in if it is
 *
 * Context: any.
 * Return: true if it is a way back that is known.
 */
bool sframe_arm64_go_back(const u8 *code, struct sframe_go_back *back)
{
	u32 insn[8];
	int i;

	for (i = 0; i < 8; i++)
		insn[i] = sframe_arm64_insn(code + i * INSN_LEN);
	return match_by_scheduler(insn, back) || match_by_depth(insn, back) ||
	       match_by_copy(insn, back);
}
