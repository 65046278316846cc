// SPDX-License-Identifier: GPL-2.0
/*
 * Leave a frame in a file of which nearly nothing is known but that its functions keep frame
 * pointers (keeps_fp.c): by the record at FP, once that is seen to be the function's own; or by the
 * RA at SP, where it has just begun. Called by fallback.c before code is asked how the function is
 * left, which takes many times as long; and, for callers of callers, by cursor.c.
 */
#include "cursor_impl.h"
#include "follow.h"
#include "leave.h"
#include "sp_run.h"

/*
 * Prices: of a step by the record at FP; of one from a caller to the next, as
 * tools/tests/guest/samples.sh measures it, without what each frame costs.
 */
#define STEP_COST	992
#define QUICK_COST	448
/* So many instructions are looked at, from the PC on; fewer where to see nothing is no harm. */
#define INSNS_MAX	64
#define INSNS_FEW	24

/*
 * Does an instruction use FP? A function for which it is data uses that as a pointer; only where
 * frame pointers are kept it is none.
 */
static bool uses_fp(const struct sframe_cursor *cur, const struct sframe_sp_step *step)
{
	return step->fp != SFRAME_FP_UNUSED &&
	       (step->fp != SFRAME_FP_POINTER || sframe_rule_keeps_fp(&cur->rule));
}

/*
 * Does an instruction that uses FP show that the record there is the running function's own? SP is
 * @sp there, or 0 if that is not known. A leaf that has saved FP, to use it for data, pops it, too,
 * but from below its RA.
 */
static bool shows_record(const struct sframe_cursor *cur, const struct sframe_sp_step *step,
			 u64 sp)
{
	return step->fp != SFRAME_FP_POPPED ||
	       (sp ? sp + step->pop_at == cur->fp : !cur->abi->sp_step);
}

/* How does code go on from the PC: does that show that the record at FP is the function's own? */
enum goes_on {
	GOES_ON_OTHERWISE,
	GOES_ON_UNSEEN,
	GOES_ON_WITH_RECORD,
};

static enum goes_on how_it_goes_on(struct sframe_cursor *cur)
{
	struct leave_code code = { .read = cur->ops->read_code, .ctx = cur->ctx };
	unsigned int left = cur->abi->sp_step ? INSNS_MAX : INSNS_FEW;
	u64 at = cur->pc, sp = cur->sp_known ? cur->sp : 0;
	struct sframe_sp_step step;
	bool may_begin = true;

	while (left--) {
		if (!sframe_run_step(cur, &code, at, &step) ||
		    (may_begin && step.insn.flags & SFRAME_INSN_BEGINS))
			return GOES_ON_OTHERWISE;
		may_begin = !cur->abi->sp_step || step.insn.flags & SFRAME_INSN_CALLS ||
			    (may_begin && step.insn.flags & SFRAME_INSN_FILLS);
		/* V8 lets go of many frames at once: then FP is loaded from elsewhere. */
		if (step.fp == SFRAME_FP_WRITTEN)
			break;
		if (uses_fp(cur, &step))
			return shows_record(cur, &step, sp) ? GOES_ON_WITH_RECORD :
							      GOES_ON_OTHERWISE;
		if (step.sp == SFRAME_SP_MOVED)
			sp = sp && step.added ? sp + step.added : 0;
		at += step.insn.len;
		if (!(step.insn.flags & SFRAME_INSN_STOPS))
			continue;
		if (step.insn.flags & SFRAME_INSN_ANYWHERE)
			break;
		if (step.insn.flags != (SFRAME_INSN_STOPS | SFRAME_INSN_JUMPS))
			return GOES_ON_OTHERWISE;
		at = step.insn.target;
	}
	return GOES_ON_UNSEEN;
}

/**
 * sframe_goes_on_with_record() - is the record at FP seen to be the function's own, by how code
 *	goes on from the PC?
 * @cur: the walk
 *
 * It may not be if FP gets another value first, or that comes to what functions begin with: on
 * x86-64 right at the PC, or behind a call, which may never return. On arm64, where FP is seldom
 * used before it is restored, it is taken for its own if nothing speaks against that: the code
 * returns, or a function begins anywhere, with FP as it is, or it restores FP from elsewhere.
 *
 * Context: as sframe_cursor_next(); where &sframe_abi.makes_record is known.
 * Return: true if so.
 */
bool sframe_goes_on_with_record(struct sframe_cursor *cur)
{
	enum goes_on how = how_it_goes_on(cur);

	return how == GOES_ON_WITH_RECORD || (how == GOES_ON_UNSEEN && !cur->abi->sp_step);
}

/**
 * sframe_uses_record() - sframe_goes_on_with_record(), and code does use the record
 * @cur: the walk
 *
 * Context: as sframe_cursor_next().
 * Return: true if so; that nothing speaks against it is not enough.
 */
bool sframe_uses_record(struct sframe_cursor *cur)
{
	return how_it_goes_on(cur) == GOES_ON_WITH_RECORD;
}

/*
 * Is the running function the one that is called before @ra? It is another one if that begins
 * behind the PC, or so far before it that others lie in between: one that it has jumped to, or one
 * that it calls, without a record. If the call does not say, it is. A stub of the linker's is not
 * followed: then code is asked.
 */
static bool is_called(struct sframe_cursor *cur, const u8 *call, u64 ra)
{
	u64 target = cur->abi->call_target(call, ra);

	return !target || cur->pc - target <= SFRAME_FUNCTION_MAX;
}

/* A trampoline is returned to behind no call. */
static bool may_be_trampoline(struct sframe_cursor *cur)
{
	const struct sframe_sigframe *frame;

	if (cur->depth && cur->called_depth == cur->depth)
		return false;
	sframe_cursor_charge(cur, SFRAME_COST_CODE);
	return sframe_sigreturn_at(cur, cur->pc, !cur->topmost, &frame) || frame;
}

/* Has the topmost function just been called? Then the call before @ra, at SP, is of the PC. */
static bool was_just_called(struct sframe_cursor *cur, u64 *ra)
{
	if (!cur->topmost || !sframe_read_word(cur, cur->sp, ra))
		return false;
	sframe_cursor_charge(cur, SFRAME_COST_CODE);
	return sframe_is_return_address(cur, *ra) && sframe_call_target(cur, *ra) == cur->pc;
}

/**
 * sframe_step_by_kept_fp() - leave a frame by the record at FP, where functions keep that
 * @cur: the walk; its rule is of such a gap
 * @to: filled in
 *
 * A caller has made its record: nearly all functions do before they call, and that was counted.
 * One that has not, as what is written by hand, loses its own caller, unless the call before the RA
 * shows that it is another function. The topmost one may not have made its record yet: then, too,
 * its code is looked at.
 *
 * Context: as sframe_cursor_next().
 * Return: true if the record is the function's own, or RA at SP.
 */
bool sframe_step_by_kept_fp(struct sframe_cursor *cur, struct sframe_frame *to)
{
	bool runs = cur->topmost || (cur->exact_depth && cur->exact_depth == cur->depth);
	const struct sframe_abi *abi = cur->abi;
	struct sframe_rule rule = {};
	u8 call[SFRAME_CALL_LEN_MAX];
	enum sframe_reason no_table;
	u64 rec, slot, ra;

	if (!sframe_spend(cur, STEP_COST) || may_be_trampoline(cur))
		return false;
	if (was_just_called(cur, &ra)) {
		*to = sframe_frame_above(cur->sp, ra);
		to->fp = cur->fp;
		to->fp_known = cur->fp_known;
		return true;
	}
	if (sframe_record_at(cur, SFRAME_NO_FDE, &rec) ||
	    sframe_record_read(cur, rec, to, &slot))
		return false;
	ra = to->ra & cur->ra_bits;
	no_table = cur->ops->find(cur->ctx, ra - 1, &rule);
	if (!ra || !sframe_executable(no_table) ||
	    cur->ops->read_code(cur->ctx, ra - abi->call_len, call, abi->call_len) ||
	    !abi->after_call(call))
		return false;
	if ((runs || !is_called(cur, call, ra)) && !sframe_goes_on_with_record(cur))
		return false;
	/* Such callers are left by FP, too: it does no harm if SP is a little too low. */
	if (!sframe_rule_keeps_fp(&rule) && sframe_ra_is_copy(cur, slot, to->ra))
		to->sp_known = false;
	to->called = true;
	/* Code made at run time may have another call there, the next time. */
	to->direct = !no_table && to->sp_known;
	/* No words but those that the rule names were needed. */
	to->fallback = !to->direct;
	return true;
}

/**
 * sframe_next_by_kept_fp() - go from a caller to the next one by the record at FP
 * @cur: the walk; its rule is of a gap where functions keep frame pointers
 *
 * As sframe_step_by_kept_fp(), for the callers of callers, which are most frames. Whatever is not
 * as it mostly is, is left to that.
 *
 * Context: as sframe_cursor_next().
 * Return: true if @cur is at the caller now; else it is where it was.
 */
bool sframe_next_by_kept_fp(struct sframe_cursor *cur)
{
	const struct sframe_abi *abi = cur->abi;
	const struct sframe_cursor_ops *ops = cur->ops;
	const struct sframe_rule *gap = &cur->rule;
	u64 cfa = cur->fp + gap->cfa_off, ra, fp;
	struct sframe_rule rule __uninitialized;
	u8 call[SFRAME_CALL_LEN_MAX];

	if (cur->topmost || cur->called_depth != cur->depth ||
	    cfa & cur->odd_cfa || cur->fp < cur->sp || !sframe_spend(cur, QUICK_COST) ||
	    ops->read(cur->ctx, cfa + gap->ra_off, &ra, sizeof(ra)) ||
	    ops->read(cur->ctx, cfa + gap->fp_off, &fp, sizeof(fp)))
		return false;
	ra &= cur->ra_bits;
	if (ops->find(cur->ctx, ra - 1, &rule) || !sframe_rule_keeps_fp(&rule) ||
	    ops->read_code(cur->ctx, ra - abi->call_len, call, abi->call_len) ||
	    !abi->after_call(call) || !is_called(cur, call, ra))
		return false;
	cur->left = cur->pc;
	cur->pc = ra;
	cur->sp = cfa + cur->sp_bias;
	cur->fp = fp;
	cur->cfa = cfa;
	/* The rule is the same. */
	cur->called_depth = ++cur->depth;
	return true;
}
