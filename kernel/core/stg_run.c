// SPDX-License-Identifier: GPL-2.0
/*
 * What GHC compiles from Haskell has its own stack, in the heap, and jumps instead of
 * calling. C enters it by StgRun(), which saves registers, makes room on C's stack and
 * jumps. As long as Haskell runs, SP stays where StgRun() has left it, but for calls of
 * C: so C's stack goes on at StgRun()'s RA. Called by fallback.c.
 *
 * That it is StgRun()'s, code tells: the RA follows a call of a function that does just
 * that, and leaves SP as far below its RA. Nothing that Haskell has called can have its
 * SP so near.
 */
#include "cursor_impl.h"

/* Prices: of looking at registers; of reading a word. */
#define REGS_COST	64
#define WORD_COST	64
/* x86-64: SP is aligned to that where C is called; StgRun() leaves it a word beside that. */
#define CALL_ALIGN	16
/* Haskell code may use this many bytes below the stack's limit without a check. */
#define BELOW_LIMIT	256

static bool is_code(struct sframe_cursor *cur, u64 addr)
{
	struct sframe_rule rule __uninitialized;

	return addr && sframe_executable(cur->ops->find(cur->ctx, addr, &rule));
}

/*
 * Are registers as they are in Haskell? One is the Haskell stack's pointer, above the
 * limit in another; a third one points to the runtime, where the two words before it are
 * addresses of code, of the garbage collector.
 */
static bool registers_fit_haskell(struct sframe_cursor *cur)
{
	const struct sframe_abi *abi = cur->abi;
	u64 base, limit, sp, gc[2];

	sframe_cursor_charge(cur, REGS_COST);
	if (!sframe_saved_reg(cur, abi->stg_base_reg, &base) ||
	    !sframe_saved_reg(cur, abi->stg_limit_reg, &limit) ||
	    !sframe_saved_reg(cur, abi->stg_sp_reg, &sp) ||
	    (base | limit | sp) % sizeof(u64) || base < sizeof(gc) || sp < limit - BELOW_LIMIT)
		return false;
	sframe_cursor_charge(cur, 2 * WORD_COST);
	return !cur->ops->read(cur->ctx, base - sizeof(gc), gc, sizeof(gc)) &&
	       is_code(cur, gc[0]) && is_code(cur, gc[1]);
}

/*
 * How much was SP lowered for the call of C that returns here? What the code behind it
 * adds again.
 */
static u32 bytes_made_for_call(struct sframe_cursor *cur)
{
	u8 code[SFRAME_STG_POPS_LEN];
	u32 pops;

	sframe_cursor_charge(cur, SFRAME_COST_CODE);
	if (cur->ops->read_code(cur->ctx, cur->pc, code, sizeof(code)))
		return 0;
	pops = cur->abi->stg_pops(code);
	return pops % CALL_ALIGN == sizeof(u64) ? pops : 0;
}

/* Does @ra follow a call of StgRun()? Then @run says what that has left on the stack. */
static bool is_stg_run(struct sframe_cursor *cur, u64 ra, struct sframe_stg_run *run)
{
	u8 call[SFRAME_CALL_LEN_MAX], code[SFRAME_STG_RUN_LEN];
	const struct sframe_abi *abi = cur->abi;
	u64 target;

	if (!ra || !is_code(cur, ra - 1))
		return false;
	sframe_cursor_charge(cur, 2 * SFRAME_COST_CODE);
	if (cur->ops->read_code(cur->ctx, ra - abi->call_len, call, abi->call_len))
		return false;
	target = abi->call_target(call, ra);
	return target && is_code(cur, target) &&
	       !cur->ops->read_code(cur->ctx, target, code, sizeof(code)) &&
	       abi->stg_run(code, run) && run->ra == abi->stg_ra;
}

/* Leave StgRun()'s frame, if SP was @sp when it jumped. */
static bool leave_stg_run(struct sframe_cursor *cur, u64 sp, struct sframe_frame *to)
{
	struct sframe_stg_run run;
	u64 ra, ra_at, fp;

	sframe_cursor_charge(cur, WORD_COST);
	if (!sframe_add(sp, cur->abi->stg_ra, &ra_at) || ra_at < cur->cfa ||
	    !sframe_read_word(cur, ra_at, &ra) || !is_stg_run(cur, ra, &run) ||
	    !sframe_read_word(cur, sp + run.fp, &fp))
		return false;
	*to = (struct sframe_frame){
		.sp = sp + run.sp,
		.cfa = sp + run.sp - cur->sp_bias,
		.ra = ra,
		.fp = fp,
		.sp_known = true,
		.fp_known = true,
		.fallback = true,
	};
	return true;
}

/* SP in the topmost function, and where StgRun() has left it: there, or a word below (x86-64). */
static u64 sp_of_stg_run(const struct sframe_cursor *cur)
{
	return cur->abi->stg_pops ? cur->sp + sizeof(u64) - cur->sp % CALL_ALIGN : cur->sp;
}

/**
 * sframe_step_by_stg_run() - go from Haskell to the caller of StgRun()
 * @cur: the walk, in a frame without a row, of which sframe_may_be_haskell() is true
 * @to: filled in
 *
 * Where C was called, the code behind the call tells how SP was lowered, if it was (x86-64).
 *
 * Context: as sframe_cursor_next().
 * Return: true if the caller was found.
 */
bool sframe_step_by_stg_run(struct sframe_cursor *cur, struct sframe_frame *to)
{
	u32 lower;

	if (!cur->sp_known || cur->sp % sizeof(u64))
		return false;
	if (cur->topmost)
		return registers_fit_haskell(cur) && leave_stg_run(cur, sp_of_stg_run(cur), to);
	if (!cur->abi->stg_pops)
		return leave_stg_run(cur, cur->sp, to);
	lower = cur->sp % CALL_ALIGN ? 0 : bytes_made_for_call(cur);
	return lower && leave_stg_run(cur, cur->sp + lower, to);
}
