// SPDX-License-Identifier: GPL-2.0
/*
 * s390x: matches the code by which Go's runtime goes back from its scheduler's stack to
 * a goroutine's (&sframe_abi.go_back). r13 is the goroutine; save_g(), which is called
 * on the way, changes neither that nor r15.
 */
#include <sframe/abi.h>

#include "s390.h"

#define G		13
#define SP		15
#define STACK_END	8	/* of a goroutine's stack, in the goroutine */
#define THREAD		48	/* of a goroutine, likewise */
#define LG_LEN		6
#define CALL_LEN	6

/* @op @to, ...(@from) */
static bool match_memory_op(const u8 *b, u8 op, u32 *to, u32 from, u32 *off)
{
	*to = b[1] >> 4;
	*off = (b[2] & 15) << 8 | b[3];
	return b[0] == 0xe3 && !(b[1] & 15) && (u32)(b[2] >> 4) == from &&
	       !b[4] && b[5] == op;
}

static bool match_lg(const u8 *b, u32 *to, u32 from, u32 *off)
{
	return match_memory_op(b, 0x04, to, from, off);		/* lg */
}

static bool match_stg(const u8 *b, u32 *what, u32 to, u32 *off)
{
	return match_memory_op(b, 0x24, what, to, off);		/* stg */
}

/* brasl %r14, ... */
static bool is_brasl_r14(const u8 *b)
{
	return b[0] == 0xc0 && b[1] == 0xe5;
}

/*
 * systemstack(): lg %r3, m(%r13); lg %r13, curg(%r3); brasl save_g;
 * lg %r15, sp(%r13)
 */
static bool match_by_scheduler(const u8 *b, struct sframe_go_back *back)
{
	u32 m, g, sp;

	back->way = SFRAME_GO_BY_SCHEDULER;
	return match_lg(b, &m, G, &back->m) &&
	       match_lg(b + LG_LEN, &g, m, &back->curg) && g == G && back->curg &&
	       is_brasl_r14(b + 2 * LG_LEN) &&
	       match_lg(b + 2 * LG_LEN + CALL_LEN, &sp, G, &back->sp) && sp == SP;
}

static const u8 xgr[] = { 0xb9, 0x82, 0, 0 };

/*
 * asmcgocall(), where there is a goroutine: xgr %r0, %r0; lg %r13, g(%r15); brasl
 * save_g; lg %r5, 8(%r13); lg %r6, depth(%r15); sgr %r5, %r6; lgr %r15, %r5
 */
static bool match_by_depth(const u8 *b, struct sframe_go_back *back)
{
	static const u8 sgr[] = { 0xb9, 0x09, 0 }, lgr[] = { 0xb9, 0x04, 0 };
	const u8 *end = b + sizeof(xgr) + LG_LEN + CALL_LEN;
	const u8 *sum = end + 2 * LG_LEN;
	u32 g, hi, depth, off;

	back->way = SFRAME_GO_BY_DEPTH;
	return !memcmp(b, xgr, sizeof(xgr)) &&
	       match_lg(b + sizeof(xgr), &g, SP, &back->g) && g == G &&
	       is_brasl_r14(b + sizeof(xgr) + LG_LEN) && match_lg(end, &hi, G, &off) &&
	       off == STACK_END && match_lg(end + LG_LEN, &depth, SP, &back->sp) &&
	       !memcmp(sum, sgr, sizeof(sgr)) && sum[3] == (hi << 4 | depth) &&
	       !memcmp(sum + 4, lgr, sizeof(lgr)) && sum[7] == (SP << 4 | hi);
}

/* And where there is none: xgr %r0, %r0; lg %r15, sp(%r15) */
static bool match_by_copy(const u8 *b, struct sframe_go_back *back)
{
	u32 sp;

	back->way = SFRAME_GO_BY_COPY;
	return !memcmp(b, xgr, sizeof(xgr)) &&
	       match_lg(b + sizeof(xgr), &sp, SP, &back->sp) && sp == SP;
}

/*
 * nanotime1() and walltime(), which call the vDSO: lgr %r15, %r7; lg %r12, ...(%r15);
 * stg %r12, sp(%r6); lg %r12, ...(%r15); stg %r12, pc(%r6). That function saves r13
 * in 104(%r15), if it needs it.
 */
static bool match_by_thread(const u8 *b, struct sframe_go_back *back)
{
	static const u8 lgr[] = { 0xb9, 0x04, 0, SP << 4 | 7 };
	const u8 *put_sp = b + sizeof(lgr), *put_pc = put_sp + 2 * LG_LEN;
	u32 old, same, off;

	*back = (struct sframe_go_back){
		.way = SFRAME_GO_BY_THREAD,
		.m = THREAD,
		.g = 8 * G,
		.sp_reg = 7,
	};
	return !memcmp(b, lgr, sizeof(lgr)) && match_lg(put_sp, &old, SP, &off) &&
	       match_stg(put_sp + LG_LEN, &same, 6, &back->sp) && same == old &&
	       match_lg(put_pc, &old, SP, &off) &&
	       match_stg(put_pc + LG_LEN, &same, 6, &back->pc) && same == old;
}

/**
 * sframe_s390_go_back() - &sframe_abi.go_back
 * @code: instructions
 * @back: filled in if it is
 *
 * Context: any.
 * Return: true if it is a way back that is known.
 */
bool sframe_s390_go_back(const u8 *code, struct sframe_go_back *back)
{
	return match_by_scheduler(code, back) || match_by_depth(code, back) ||
	       match_by_copy(code, back) || match_by_thread(code, back);
}
