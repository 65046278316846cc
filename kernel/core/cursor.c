// SPDX-License-Identifier: GPL-2.0
/*
 * The walk of one stack. Each step finds the caller's PC, SP and FP from those of the
 * current frame: by the table's rule for the PC if there is one, else by fallback.c.
 * Tables, memory and registers are reached through struct sframe_cursor_ops alone, so
 * this runs wherever they do, NMI included.
 */
#include "cursor_impl.h"
#include "quirks.h"

/* Price, in instructions, of a frame that sframe_cursor_next_with() leaves to the slow path. */
#define SLOW_COST	64
/* And in addition if its CFA needs a register, which a callee may have saved. */
#define KEPT_COST	192

/*
 * The link register holds RA until the function makes its first call. So it counts in
 * the topmost frame, and in one that Go's signal handler interrupted, which saved the
 * register.
 */
static enum sframe_reason read_link_register(struct sframe_cursor *cur, u64 *ra)
{
	bool known = cur->topmost || (cur->lr_depth && cur->lr_depth == cur->depth);
	enum sframe_reason reason;

	if (!known || cur->abi->ra_reg < 0)
		return SFRAME_RA_IN_REGISTER;
	*ra = cur->ra;
	reason = sframe_ra_aside(cur, ra);
	if (!reason && *ra == cur->ra && sframe_is_at_trampoline(cur))
		return SFRAME_SIGNAL_FRAME;
	return reason;
}

/* Find the caller's FP: unchanged, saved where the rule says, or lost. */
static enum sframe_reason find_caller_fp(const struct sframe_cursor *cur, struct sframe_frame *to)
{
	const struct sframe_rule *rule = &cur->rule;
	enum sframe_reason reason;

	to->fp = cur->fp;
	to->fp_known = cur->fp_known && rule->fp != SFRAME_LOC_LOST;
	if (rule->fp == SFRAME_LOC_SAME || rule->fp == SFRAME_LOC_LOST ||
	    (cur->fp_known &&
	     sframe_quirk_fp_restored(rule, cur->fp, to->cfa)))
		return SFRAME_OK;
	reason = sframe_value(cur, rule->fp, rule->fp_off, to->cfa, &to->fp);
	if (!reason)
		to->fp_known = true;
	return reason;
}

static bool rule_switches_stack(const struct sframe_rule *rule)
{
	return rule->flags & SFRAME_RULE_SWITCH && !sframe_rule_injected(rule);
}

/*
 * Has the function switched stacks, and keeps the SP of the one that it has left where
 * the rule loads the CFA from (OCaml)? Such rows are marked as a signal trampoline's
 * are; on arm64 they may not be, but nothing else has SFRAME_RULE_CFA_ABOVE there.
 */
static bool keeps_other_sp(const struct sframe_cursor *cur)
{
	const struct sframe_rule *rule = &cur->rule;
	bool marked = rule->flags & SFRAME_RULE_SIGNAL ||
		      (rule->flags & SFRAME_RULE_CFA_ABOVE &&
		       cur->abi->fallback == SFRAME_FALLBACK_FP);

	return marked && rule->cfa & SFRAME_LOC_DEREF && !sframe_rule_injected(rule);
}

/*
 * Each CFA lies above that of the frame before. But a function that has switched stacks
 * may have been called on a lower one, as what a signal interrupts may run on one. Such
 * steps count as signal frames, so a walk cannot go round in circles. Neither can it where
 * the topmost function and its caller have no frame.
 */
static bool cfa_rises(const struct sframe_cursor *cur, u64 cfa)
{
	u64 ra;

	return cfa > cur->cfa || (cfa == cur->cfa && sframe_ra_past_leaf(cur, &ra)) ||
	       ((rule_switches_stack(&cur->rule) || keeps_other_sp(cur)) &&
				  cur->signals < SFRAME_SIGNALS_MAX);
}

/* The caller's SP where the CFA is too low for it: see sframe_quirk_ra_above(). */
static u64 find_sp_above_ra(struct sframe_cursor *cur, u64 cfa)
{
	const struct sframe_abi *abi = cur->abi;
	struct sframe_rule rule = cur->rule;

	/* At the first instruction RA is in its register: only the next row shows the bug. */
	if (rule.ra == SFRAME_LOC_SAME &&
	    (rule.cfa_off || cur->ops->find(cur->ctx, cur->pc + abi->insn_align, &rule)))
		return cfa + abi->sp_bias;
	return sframe_quirk_sp(abi, &rule, cfa);
}

/*
 * The CFA, before sframe_cfa_added(). A rule relative to Go's goroutine register means:
 * find the stack that the goroutine has left, see go_stack.c.
 */
static enum sframe_reason find_cfa(struct sframe_cursor *cur, u64 *cfa)
{
	const struct sframe_rule *rule = &cur->rule;
	enum sframe_reason reason;
	u64 sp;

	if (!sframe_rule_by_go(rule)) {
		reason = sframe_value(cur, rule->cfa, sframe_cfa_load_off(rule), 0, cfa);
		return reason == SFRAME_NEEDS_TOPMOST ? sframe_cfa_past_leaf(cur, cfa) : reason;
	}
	reason = sframe_go_stack(cur, &sp);
	if (!reason && !sframe_add(sp, rule->cfa_off, cfa))
		reason = SFRAME_UNREADABLE;
	return reason;
}

/* Leave the frame by its rule. */
static enum sframe_reason step_by_rule(struct sframe_cursor *cur,
				       struct sframe_frame *to)
{
	const struct sframe_rule *rule = &cur->rule;
	const struct sframe_abi *abi = cur->abi;
	enum sframe_reason reason;

	reason = find_cfa(cur, &to->cfa);
	if (reason)
		return reason;
	if (!sframe_add(to->cfa, sframe_cfa_added(rule), &to->cfa))
		return SFRAME_UNREADABLE;
	if (to->cfa & (abi->cfa_align - 1))
		return SFRAME_CFA_UNALIGNED;
	if (!cfa_rises(cur, to->cfa))
		return SFRAME_CFA_NOT_RISING;
	to->lower = to->cfa <= cur->cfa;

	reason = rule->ra == SFRAME_LOC_SAME ? read_link_register(cur, &to->ra) :
		 sframe_value(cur, rule->ra, rule->ra_off, to->cfa, &to->ra);
	if (reason == SFRAME_NEEDS_TOPMOST && sframe_ra_past_leaf(cur, &to->ra))
		to->lower = true;
	else if (reason)
		return reason;
	if (rule_switches_stack(rule) || to->lower) {
		/* The CFA need not rise, so RA has to follow a call. */
		sframe_cursor_charge(cur, SFRAME_COST_CODE);
		if (!sframe_is_return_address(cur, to->ra & cur->ra_bits))
			return SFRAME_FP_NOT_A_CALL;
	}
	reason = find_caller_fp(cur, to);
	if (reason)
		return reason;
	to->sp = to->cfa + abi->sp_bias;
	if (rule->flags & SFRAME_RULE_RA_ABOVE || rule->ra == SFRAME_LOC_SAME)
		to->sp = find_sp_above_ra(cur, to->cfa);
	/* What follows exceeds the CFA as it should have been. */
	if (rule->flags & SFRAME_RULE_RA_ABOVE && abi->sp_bias)
		to->cfa = to->sp - abi->sp_bias;
	to->sp_known = true;
	return SFRAME_OK;
}

/* Why this frame cannot be left by a rule; SFRAME_OK if it can. */
static enum sframe_reason why_no_row(const struct sframe_cursor *cur)
{
	u8 flags = cur->rule.flags;

	if (cur->pending)
		return cur->pending;
	if (flags & SFRAME_RULE_SIGNAL)
		return SFRAME_SIGNAL_FRAME;
	if (flags & SFRAME_RULE_OUTERMOST)
		return SFRAME_OUTERMOST;
	if (flags & SFRAME_RULE_NO_FDE)
		return SFRAME_NO_FDE;
	if (flags & SFRAME_RULE_BAD)
		return SFRAME_BAD_RULE;
	return SFRAME_OK;
}

/*
 * The row says that this is a signal trampoline. If its code says so, too, the kernel's
 * signal frame tells the registers. If the code cannot be read, or is other code that
 * is marked so (assembly that saves all registers, or switches stacks), follow the row:
 * then RA is an interrupted PC, unless it lies below the CFA, where calls put it, and
 * follows a call.
 */
static enum sframe_reason step_by_signal_row(struct sframe_cursor *cur,
					     struct sframe_frame *to)
{
	const struct sframe_sigframe *frame;
	enum sframe_reason reason;

	reason = sframe_sigreturn_at(cur, cur->pc, !cur->topmost, &frame);
	if (frame)
		return sframe_step_by_signal(cur, frame, to);
	if (cur->rule.cfa == SFRAME_LOC_SAME)
		return reason ?: SFRAME_SIGNAL_FRAME;
	to->exact = true;
	reason = step_by_rule(cur, to);
	if (reason)
		return reason;
	if (sframe_rule_injected(&cur->rule)) {
		to->lr_known = sframe_read_word(cur, to->sp - cur->abi->cfa_align,
						&to->lr);
		to->cfa = sframe_lowest_cfa(cur->abi, to->sp);
		return SFRAME_OK;
	}
	if (cur->rule.ra == SFRAME_LOC_SAVED && cur->rule.ra_off < 0) {
		sframe_cursor_charge(cur, SFRAME_COST_CODE);
		to->exact = !sframe_is_return_address(cur, to->ra & cur->ra_bits);
	}
	return SFRAME_OK;
}

/*
 * The rule needs SP, which is not known, but says that the frame record is complete: so
 * FP points to the record, and the CFA is as far from it as the rule says (arm64).
 */
static void take_cfa_of_record(const struct sframe_cursor *cur,
			       struct sframe_frame *to)
{
	const struct sframe_rule *rule = &cur->rule;
	const struct sframe_abi *abi = cur->abi;
	u64 cfa;

	if (abi->fallback != SFRAME_FALLBACK_FP || rule->fp != SFRAME_LOC_SAVED ||
	    rule->ra_off - rule->fp_off != abi->ra_slot ||
	    !sframe_add(cur->fp, -(s64)rule->fp_off, &cfa) || cfa <= cur->cfa ||
	    cfa & (abi->cfa_align - 1))
		return;
	to->cfa = cfa;
	to->sp = cfa + abi->sp_bias;
	to->sp_known = true;
}

/*
 * There is a rule, but step_by_rule() failed for @why. As RA - 1 is looked up, it may
 * be the rule of the function right before a signal trampoline: look at the code. If it
 * needs registers that are not known below the topmost frame, the frame record may do.
 * But not if the rule says that RA is in a register: then the record is an outer
 * frame's.
 */
static enum sframe_reason step_without_rule(struct sframe_cursor *cur,
					    enum sframe_reason why,
					    struct sframe_frame *to)
{
	const struct sframe_sigframe *frame;

	if (!sframe_sigreturn_at(cur, cur->pc, !cur->topmost, &frame) && frame)
		return sframe_step_by_signal(cur, frame, to);
	if (cur->rule.ra != SFRAME_LOC_SAVED ||
	    (why != SFRAME_NEEDS_TOPMOST && why != SFRAME_SP_UNKNOWN &&
	     why != SFRAME_FP_UNKNOWN))
		return why;
	if (sframe_step_without_row(cur, why, to))
		return why;
	if (why == SFRAME_SP_UNKNOWN)
		take_cfa_of_record(cur, to);
	return SFRAME_OK;
}

/* Leave the frame. @why: SFRAME_OK if it has a rule, else why not, see why_no_row(). */
static enum sframe_reason leave_frame(struct sframe_cursor *cur,
				      enum sframe_reason why,
				      struct sframe_frame *to)
{
	enum sframe_reason reason;

	switch (why) {
	case SFRAME_OK:
		reason = step_by_rule(cur, to);
		return reason ? step_without_rule(cur, reason, to) : reason;
	case SFRAME_SIGNAL_FRAME:
		return step_by_signal_row(cur, to);
	case SFRAME_NO_TABLE:
	case SFRAME_NO_FDE:
	case SFRAME_BAD_RULE:
		return sframe_step_without_row(cur, why, to);
	default:
		return why;
	}
}

static enum sframe_reason look_up_pc(struct sframe_cursor *cur, u64 pc)
{
	sframe_cursor_find_with(cur, cur->ops, pc);
	return cur->pending;
}

static void set_odd_cfa(struct sframe_cursor *cur)
{
	if (cur->sp_known && cur->fp_known)
		cur->odd_cfa = 1ull << 63 | (cur->abi->cfa_align - 1);
	else
		cur->odd_cfa = ~0ull;
}

void sframe_cursor_init(struct sframe_cursor *cur, const struct sframe_abi *abi,
			const struct sframe_regs *regs, u32 max_depth,
			const struct sframe_cursor_ops *ops, void *ctx)
{
	*cur = (struct sframe_cursor){
		.abi = abi,
		.ops = ops,
		.ctx = ctx,
		.pc = regs->pc,
		.sp = regs->sp,
		.fp = regs->fp,
		.ra = regs->ra,
		.cfa = sframe_lowest_cfa(abi, regs->sp),
		.ra_bits = ~regs->pac_mask,
		.sp_bias = abi->sp_bias,
		.max_depth = max_depth,
		.topmost = true,
		.sp_known = true,
		.fp_known = true,
	};
	sframe_cursor_set_budget(cur, SFRAME_BUDGET);
	set_odd_cfa(cur);
	look_up_pc(cur, regs->pc);
}

/*
 * Make the caller, @to, the current frame, and look up its PC. A PAC is stripped
 * whether or not the row says that RA is signed: in a user address these bits are zero
 * anyway. A return address is looked up at RA - 1, as a call may be the last
 * instruction of its function; an interrupted PC as it is.
 */
static enum sframe_reason enter_caller_frame(struct sframe_cursor *cur,
					     struct sframe_frame *to)
{
	to->ra &= cur->ra_bits;
	if (!to->ra)
		return to->fallback || to->exact ? SFRAME_NO_MAPPING :
						   sframe_end_at_zero(cur);
	if (!sframe_executable(look_up_pc(cur, to->exact ? to->ra : to->ra - 1)))
		return cur->pending;
	cur->left = cur->pc;
	cur->pc = to->ra;
	cur->sp = to->sp;
	cur->fp = to->fp;
	cur->ra = to->lr;
	cur->cfa = to->cfa;
	cur->sp_known = to->sp_known;
	cur->fp_known = to->fp_known;
	cur->topmost = to->saved.frame;
	if (to->saved.frame)
		cur->saved = to->saved;
	cur->signals += cur->topmost || to->lower;
	if (to->exact)
		cur->exact_depth = cur->depth + 1;
	cur->called_depth = to->called ? cur->depth + 1 : 0;
	cur->returned_depth = to->returns ? cur->depth + 1 : 0;
	cur->lr_depth = to->lr_known ? cur->depth + 1 : 0;
	cur->lisp_depth = to->lisp ? cur->depth + 1 : 0;
	cur->last_depth = to->last ? cur->depth + 1 : 0;
	set_odd_cfa(cur);
	return SFRAME_OK;
}

/**
 * sframe_cursor_next_slow() - sframe_cursor_next(), for all that is not done inline
 * @cur: the walk
 *
 * Context: as sframe_cursor_next().
 * Return: as sframe_cursor_next().
 */
enum sframe_reason sframe_cursor_next_slow(struct sframe_cursor *cur)
{
	enum sframe_reason reason, why;
	struct sframe_frame to = { };

	if (cur->depth >= cur->max_depth)
		return SFRAME_DEPTH;
	if (cur->depth >= cur->limit)
		return SFRAME_FP_TOO_COSTLY;
	if (sframe_rule_keeps_fp(&cur->rule) && sframe_next_by_kept_fp(cur))
		return SFRAME_OK;
	sframe_cursor_charge(cur, SLOW_COST + (cur->rule.cfa & SFRAME_LOC_REG ? KEPT_COST : 0));
	why = why_no_row(cur);
	reason = leave_frame(cur, why, &to);
	if (!reason)
		reason = enter_caller_frame(cur, &to);
	if (reason)
		return reason;
	cur->slow += !to.direct;
	cur->depth++;
	cur->fallbacks += to.fallback;
	return SFRAME_OK;
}

enum sframe_reason sframe_cursor_next(struct sframe_cursor *cur)
{
	return sframe_cursor_next_with(cur, cur->ops);
}
