// SPDX-License-Identifier: GPL-2.0
/*
 * libFuzzer's entry for what reads code: a function without a table is left as
 * its code says, and a walk looks at code before return addresses and in signal
 * trampolines. All of that is user space's to choose.
 *
 * An input is HEAD bytes that choose the registers, then the code. The stack is
 * the same bytes over and over.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <sframe/abi.h>

#include "fuzz.h"
#include "leave.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

enum {
	/* bit 0 s390x, 1 topmost, 2 SP is odd, 3 SP is 0, 4 x86-64, 5 go far */
	HEAD_WHAT,
	HEAD_PC,	/* in instructions, or bytes */
	HEAD_FP,	/* bit 7 is in the code, else in words above SP */
	HEAD,
};

/* Of one way out: reads, of which each costs something, too; and what it may cost. */
#define MAX_READS	2048u
#define MAX_COST	3840u

struct memory {
	const u8 *code;
	size_t len;
	unsigned int reads;
};

/* Nothing but the code and the stack can be read. */
static int read_memory(void *ctx, u64 addr, void *buf, unsigned int len)
{
	struct memory *m = ctx;
	u64 at = addr - TEXT_VA;
	unsigned int i;

	MUST(len && len <= 128);
	MUST(++m->reads <= MAX_READS);
	if (at < m->len && len <= m->len - at) {
		memcpy(buf, m->code + at, len);
		return 0;
	}
	if (addr - STACK_VA >= 4096)
		return -1;
	for (i = 0; i < len; i++)
		((u8 *)buf)[i] = m->code[(addr + i) % m->len];
	return 0;
}

static bool leave(const struct sframe_abi *abi, const u8 *head,
		  struct memory *m, struct sframe_leave *lv)
{
	u64 sp = STACK_VA + (head[HEAD_WHAT] >> 2 & 1);

	if (head[HEAD_WHAT] & 8)
		sp = 0;
	*lv = (struct sframe_leave) {
		.sp = sp,
		.fp = head[HEAD_FP] & 0x80 ? TEXT_VA + head[HEAD_FP] :
					     sp + head[HEAD_FP] * 8,
		.cost_max = MAX_COST,
		.topmost = head[HEAD_WHAT] & 2,
		.far = head[HEAD_WHAT] & 0x20,
	};
	m->reads = 0;
	return abi->leave(lv, TEXT_VA + head[HEAD_PC] * abi->call_len % m->len,
			  read_memory, m);
}

/* The way out depends on nothing else; RA is found, or still in its register. */
static void check_leave(const struct sframe_abi *abi, const u8 *head,
			struct memory *m)
{
	struct sframe_leave first, second;
	bool found = leave(abi, head, m, &first);

	MUST(first.cost <= MAX_COST + LEAVE_OVER_MAX);
	MUST(leave(abi, head, m, &second) == found);
	MUST(first.cost == second.cost);
	if (!found)
		return;
	MUST(first.sp == second.sp && first.fp == second.fp);
	MUST(first.ra_at == second.ra_at && first.fp_at == second.fp_at);
	MUST(first.ra_reg == second.ra_reg);
	MUST(first.sure == second.sure && first.fp_lost == second.fp_lost);
	MUST(first.ra_at || first.ra_reg || first.topmost);
}

/* Code leads to a place with one SP, or another; it costs what it may at most. */
static void check_enter(const struct sframe_abi *abi, const u8 *head,
			struct memory *m)
{
	u64 pc = TEXT_VA + head[HEAD_PC] % m->len, sp = STACK_VA + head[HEAD_FP] * 8;
	struct sframe_leave lv = {
		.sp = STACK_VA + 0x100,
		.cost_max = MAX_COST,
		.topmost = head[HEAD_WHAT] & 2,
	};

	m->reads = 0;
	if (abi->enter(&lv, TEXT_VA, pc, sp, read_memory, m))
		MUST(!lv.fp_at || !lv.fp_lost);
	MUST(lv.cost <= MAX_COST + LEAVE_OVER_MAX);
}

/* How a frame is made is found out for what it may cost at most. */
static void check_prologue(const struct sframe_abi *abi, const u8 *head, struct memory *m)
{
	struct sframe_leave lv = { .sp = STACK_VA + 0x100, .cost_max = MAX_COST };

	m->reads = 0;
	if (abi->prologue(&lv, TEXT_VA, TEXT_VA + head[HEAD_PC] % m->len, read_memory, m))
		MUST(lv.ra_at && (!lv.fp_at || !lv.fp_lost));
	MUST(lv.cost <= MAX_COST + LEAVE_OVER_MAX);
}

/* @want bytes, and no memory behind them; NULL if there are not as many. */
static u8 *copy_of(const u8 *code, size_t len, size_t want)
{
	u8 *copy = len < want ? NULL : malloc(want);

	return copy ? memcpy(copy, code, want) : NULL;
}

/* What is called, jumped to, or returned to. */
static void check_calls(const struct sframe_abi *abi, const u8 *code, size_t len)
{
	u8 *copy = copy_of(code, len, abi->call_len);

	if (copy) {
		abi->after_call(copy);
		abi->call_target(copy, TEXT_VA);
	}
	free(copy);
	copy = copy_of(code, len, SFRAME_MADE_RA_LEN);
	if (copy && abi->made_ra)
		abi->made_ra(copy);
	free(copy);
	copy = copy_of(code, len, SFRAME_FIRST_CALL_LEN);
	if (copy && abi->first_call)
		abi->first_call(copy);
	free(copy);
	copy = copy_of(code, len, SFRAME_EXIT_LEN);
	if (copy && abi->ends_thread)
		abi->ends_thread(copy);
	free(copy);
	copy = copy_of(code, len, SFRAME_SURE_CALL_BEFORE + SFRAME_SURE_CALL_AFTER);
	if (copy)
		abi->is_sure_call(copy);
	free(copy);
	copy = copy_of(code, len, SFRAME_CALL_IS_JUMP_LEN);
	if (copy && abi->call_is_jump)
		abi->call_is_jump(copy);
	free(copy);
	copy = copy_of(code, len, SFRAME_SIGRETURN_LEN);
	if (copy)
		abi->sigreturn(copy, len & 1);
	free(copy);
}

/* One instruction, and those before it. */
static void check_insn(const struct sframe_abi *abi, const u8 *code, size_t len)
{
	u8 *copy = copy_of(code, len, SFRAME_CODE_BEFORE + SFRAME_CODE_AFTER);
	struct sframe_insn insn;
	u32 looks = 0;

	if (copy) {
		if (abi->insn(copy + SFRAME_CODE_BEFORE, TEXT_VA, &insn))
			MUST(insn.len && insn.len < SFRAME_CODE_AFTER);
		if (abi->makes_record)
			abi->makes_record(copy + SFRAME_CODE_BEFORE, TEXT_VA, &looks);
		MUST(looks <= SFRAME_CODE_BEFORE * SFRAME_CODE_BEFORE / 2);
	}
	free(copy);
}

/* Ways back that are found lead to places in what they lead by. */
static void check_go_back(const struct sframe_abi *abi, const u8 *code, size_t len)
{
	u8 *copy = copy_of(code, len, SFRAME_GO_BACK_LEN);
	struct sframe_go_back back;

	if (copy && abi->go_back(copy, &back))
		MUST(back.way != SFRAME_GO_BY_SCHEDULER || back.curg);
	free(copy);
}

/* What is marked is not far, and a frame has room for FP. */
static void check_mark(const struct sframe_abi *abi, const u8 *code, size_t len)
{
	u8 *copy = copy_of(code, len, SFRAME_CALL_MARK_LEN);
	u64 size;

	if (copy)
		MUST(abi->call_mark(copy) < 1 << 24);
	free(copy);
	copy = copy_of(code, len, SFRAME_FRAME_MADE_LEN);
	if (copy) {
		size = abi->frame_made(copy);
		MUST(!size || (size >= 8 && size < 1ull << 33));
	}
	free(copy);
}

/* What StgRun() has saved, or what enters Lisp: FP below RA; and little is popped. */
static void check_stg(const struct sframe_abi *abi, const u8 *code, size_t len)
{
	u8 *copy = copy_of(code, len, SFRAME_STG_RUN_LEN);
	struct sframe_stg_run run;

	if (copy && abi->stg_run(copy, &run))
		MUST(run.ra - run.fp <= 40);
	if (copy && abi->lisp_entry && abi->lisp_entry(copy, &run))
		MUST(run.ra - run.fp == 8 && run.ra == abi->lisp_ra);
	free(copy);
	copy = copy_of(code, len, SFRAME_STG_POPS_LEN);
	if (copy && abi->stg_pops)
		MUST(abi->stg_pops(copy) < 128);
	free(copy);
}

/* No more is looked at than is paid for, and the same every time. */
static void check_lisp(const struct sframe_abi *abi, const u8 *code, size_t len)
{
	u8 *copy = copy_of(code, len, SFRAME_LISP_BEFORE + SFRAME_LISP_AFTER);
	u32 looks = 0, again = 0;

	if (copy)
		MUST(abi->lisp(copy + SFRAME_LISP_BEFORE, &looks) ==
		     abi->lisp(copy + SFRAME_LISP_BEFORE, &again));
	MUST(looks == again && looks <= SFRAME_LISP_BEFORE + SFRAME_LISP_AFTER);
	free(copy);
}

/* What hands SP on ends there, but for a push before a return. The rest is as @insn says. */
static void check_sp_step(const struct sframe_abi *abi, const u8 *code, size_t len)
{
	u8 *copy = copy_of(code, len, SFRAME_CODE_AFTER);
	struct sframe_sp_step step;
	struct sframe_insn insn;

	if (copy && abi->sp_step(copy, 0, &step)) {
		MUST(abi->insn(copy, 0, &insn) && insn.len == step.insn.len &&
		     (insn.flags & (step.plain ? ~SFRAME_INSN_FILLS : ~0)) == step.insn.flags &&
		     insn.target == step.insn.target);
		MUST(!step.added || step.sp == SFRAME_SP_MOVED);
		MUST(step.sp != SFRAME_SP_HANDED_ON ||
		     insn.flags & SFRAME_INSN_STOPS || copy[insn.len] == 0xc3);
	}
	free(copy);
}

/* No more bytes are read than the ABI says. */
static void check_chain(const struct sframe_abi *abi, const u8 *code, size_t len)
{
	u8 *copy = copy_of(code, len, SFRAME_CHAIN_RESUME_LEN);

	if (copy)
		abi->chain_resumes(copy);
	free(copy);
	copy = copy_of(code, len, SFRAME_CHAIN_AT_LEN);
	if (copy)
		abi->chain_at(copy);
	free(copy);
}

static void check_bytes(const struct sframe_abi *abi, const u8 *code, size_t len)
{
	check_calls(abi, code, len);
	check_insn(abi, code, len);
	check_go_back(abi, code, len);
	if (abi->call_mark)
		check_mark(abi, code, len);
	check_stg(abi, code, len);
	if (abi->chain_resumes)
		check_chain(abi, code, len);
	if (abi->sp_step)
		check_sp_step(abi, code, len);
	if (abi->lisp)
		check_lisp(abi, code, len);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	const struct sframe_abi *abi;
	struct memory m;

	if (len <= HEAD)
		return 0;
	abi = data[HEAD_WHAT] & 1 ? &sframe_abi_s390 : &sframe_abi_arm64;
	m.code = data + HEAD;
	m.len = len - HEAD;
	check_leave(data[HEAD_WHAT] & 0x10 ? &sframe_abi_x86 : abi, data, &m);
	check_enter(&sframe_abi_x86, data, &m);
	check_prologue(&sframe_abi_arm64, data, &m);
	check_prologue(&sframe_abi_s390, data, &m);
	check_bytes(&sframe_abi_x86, m.code, m.len);
	check_bytes(abi, m.code, m.len);
	return 0;
}
