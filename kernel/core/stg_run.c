// SPDX-License-Identifier: GPL-2.0
/*
 * What GHC compiles from Haskell has its own stack, in the heap, and jumps instead of
 * calling; on s390x by calls that never return (sframe_abi.call_is_jump). C enters it by
 * StgRun(), which saves registers, makes room on C's stack and jumps. As long as Haskell
 * runs, SP stays where StgRun() has left it, but for calls of C: so C's stack goes on at
 * StgRun()'s RA. Called by fallback.c.
 *
 * That it is StgRun()'s, code tells: the RA follows a call of a function that does just
 * that, and leaves SP as far below its RA. Nothing that Haskell has called can have its
 * SP so near.
 *
 * SBCL's Lisp is entered in the same way on arm64.
 */
#include "cursor_impl.h"

/* Prices: of looking at registers; of reading a word. */
#define REGS_COST	64
#define WORD_COST	64
/* x86-64: SP is aligned to that where C is called; StgRun() leaves it a word beside that. */
#define CALL_ALIGN	16
/* Lisp: the lowest bits of NIL; SP is aligned to that; routines save as much below it at most. */
#define NIL_TAG		7
#define STACK_ALIGN	16
#define LISP_LOWER_MAX	1024
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

/* Is it by this function that C enters? What it has left on the stack is filled in. */
typedef bool (*entry_fn)(const u8 *code, struct sframe_stg_run *run);

/* Of the function at @at, which begins with @code, where it jumps to with its first jump; or 0. */
static u64 first_jump(const struct sframe_abi *abi, const u8 *code, u64 at)
{
	struct sframe_insn insn;
	unsigned int len;

	for (len = 0; len + SFRAME_CODE_AFTER <= SFRAME_STG_RUN_LEN; len += insn.len) {
		if (!abi->insn(code + len, at + len, &insn))
			return 0;
		if (insn.flags & (SFRAME_INSN_JUMPS | SFRAME_INSN_STOPS | SFRAME_INSN_CALLS))
			return insn.flags == (SFRAME_INSN_JUMPS | SFRAME_INSN_STOPS) ?
			       insn.target : 0;
	}
	return 0;
}

/* Is the function at @at one of these, or for Lisp does it just jump to one, as funcall0()? */
static bool is_entry(struct sframe_cursor *cur, u64 at, entry_fn entry,
		     struct sframe_stg_run *run)
{
	u8 code[SFRAME_STG_RUN_LEN];

	if (!at || !is_code(cur, at) || cur->ops->read_code(cur->ctx, at, code, sizeof(code)))
		return false;
	if (entry(code, run))
		return true;
	if (entry != cur->abi->lisp_entry || !sframe_spend(cur, 2 * SFRAME_COST_CODE))
		return false;
	at = first_jump(cur->abi, code, at);
	return at && is_code(cur, at) &&
	       !cur->ops->read_code(cur->ctx, at, code, sizeof(code)) && entry(code, run);
}

/* Does @ra follow a call of such a function? Then @run says what that has left on the stack. */
static bool is_entered_at(struct sframe_cursor *cur, u64 ra, entry_fn entry,
			  struct sframe_stg_run *run)
{
	u8 call[SFRAME_CALL_LEN_MAX];
	const struct sframe_abi *abi = cur->abi;

	if (!ra || !is_code(cur, ra - 1))
		return false;
	sframe_cursor_charge(cur, 2 * SFRAME_COST_CODE);
	if (cur->ops->read_code(cur->ctx, ra - abi->call_len, call, abi->call_len))
		return false;
	return is_entry(cur, abi->call_target(call, ra), entry, run);
}

/* Leave the frame of such a function, if SP was @sp when it jumped, and RA @ra_off above that. */
static bool leave_entry(struct sframe_cursor *cur, u64 sp, entry_fn entry, u32 ra_off,
			struct sframe_frame *to)
{
	struct sframe_stg_run run;
	u64 ra, ra_at, fp, up;

	sframe_cursor_charge(cur, WORD_COST);
	if (!sframe_add(sp, ra_off, &ra_at) || ra_at < cur->cfa ||
	    !sframe_read_word(cur, ra_at, &ra) ||
	    !is_entered_at(cur, ra & cur->ra_bits, entry, &run) || run.ra != ra_off ||
	    !sframe_read_word(cur, sp + run.fp, &fp))
		return false;
	up = sp + run.sp;
	*to = sframe_frame_at(up - cur->sp_bias, up, ra);
	to->fp = fp;
	to->fp_known = true;
	return true;
}

static bool leave_stg_run(struct sframe_cursor *cur, u64 sp, struct sframe_frame *to)
{
	return leave_entry(cur, sp, cur->abi->stg_run, cur->abi->stg_ra, to);
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

/**
 * sframe_step_by_lisp_entry() - go from Lisp to the caller of what has entered it
 * @cur: the walk, in a frame without a row
 * @to: filled in
 *
 * SBCL's Lisp has a stack of its own for arm64, and C's SP stays where call_into_lisp() has left
 * it, but for what routines save that Lisp calls: so that is looked for from SP on. FP is NIL.
 *
 * Context: as sframe_cursor_next().
 * Return: true if the caller was found.
 */
bool sframe_step_by_lisp_entry(struct sframe_cursor *cur, struct sframe_frame *to)
{
	const struct sframe_abi *abi = cur->abi;
	u64 lower;

	if (!abi->lisp_entry || !cur->sp_known || cur->sp % STACK_ALIGN || !cur->fp_known ||
	    cur->fp % STACK_ALIGN != NIL_TAG)
		return false;
	for (lower = 0; lower <= LISP_LOWER_MAX && sframe_spend(cur, 0); lower += STACK_ALIGN) {
		if (leave_entry(cur, cur->sp + lower, abi->lisp_entry, abi->lisp_ra, to))
			return true;
	}
	return false;
}
