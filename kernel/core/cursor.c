// SPDX-License-Identifier: GPL-2.0
/*
 * Steps up a stack: by the rule for the PC where there is one, otherwise by
 * a frame record (or backchain) that was verified.
 */
#include <sframe/cursor_impl.h>

/* The value of @loc and @off in this frame, whose CFA is @cfa. */
static enum sframe_reason value(const struct sframe_cursor *cur, u8 loc,
				s32 off, u64 cfa, u64 *val)
{
	u8 base = loc & ~SFRAME_LOC_DEREF;
	u64 v;

	if (base == SFRAME_LOC_CFA) {
		v = cfa;
	} else if (base == SFRAME_LOC_SP) {
		if (!cur->sp_known)
			return SFRAME_SP_UNKNOWN;
		v = cur->sp;
	} else if (base == SFRAME_LOC_FP) {
		if (!cur->fp_known)
			return SFRAME_FP_UNKNOWN;
		v = cur->fp;
	} else if (!cur->topmost ||
		   cur->ops->reg(cur->ctx, base & SFRAME_LOC_REG_MASK, &v)) {
		return SFRAME_NEEDS_TOPMOST;
	}
	if (!sframe_add(v, off, &v))
		return SFRAME_UNREADABLE;
	if (loc & SFRAME_LOC_DEREF && !sframe_read_word(cur, v, &v))
		return SFRAME_UNREADABLE;
	*val = v;
	return SFRAME_OK;
}

/* The link register holds RA only as long as no call was made. */
static enum sframe_reason link_register(const struct sframe_cursor *cur,
					u64 *ra)
{
	if (!cur->topmost || cur->abi->ra_reg < 0)
		return SFRAME_RA_IN_REGISTER;
	*ra = cur->ra;
	return SFRAME_OK;
}

/* gas still finds FP's slot by FP after "pop %rbp": that is above the CFA. */
static bool fp_restored(const struct sframe_cursor *cur, u64 cfa)
{
	return cur->rule.fp == (SFRAME_LOC_FP | SFRAME_LOC_DEREF) &&
	       cur->fp_known && cur->fp + cur->rule.fp_off >= cfa;
}

/* Leave the frame by its rule. */
static enum sframe_reason step_by_rule(const struct sframe_cursor *cur,
				       struct sframe_frame *to)
{
	const struct sframe_rule *rule = &cur->rule;
	const struct sframe_abi *abi = cur->abi;
	enum sframe_reason reason;

	reason = value(cur, rule->cfa, rule->cfa_off, 0, &to->cfa);
	if (reason)
		return reason;
	if (to->cfa & (abi->cfa_align - 1))
		return SFRAME_CFA_UNALIGNED;
	if (to->cfa <= cur->cfa)
		return SFRAME_CFA_NOT_RISING;

	reason = rule->ra == SFRAME_LOC_SAME ? link_register(cur, &to->ra) :
		 value(cur, rule->ra, rule->ra_off, to->cfa, &to->ra);
	if (reason)
		return reason;

	to->fp = cur->fp;
	to->fp_known = cur->fp_known;
	if (rule->fp != SFRAME_LOC_SAME && !fp_restored(cur, to->cfa)) {
		reason = value(cur, rule->fp, rule->fp_off, to->cfa, &to->fp);
		if (reason)
			return reason;
		to->fp_known = true;
	}
	to->sp = to->cfa + abi->sp_bias;
	to->sp_known = true;
	return SFRAME_OK;
}

/* Why this frame cannot be left by a rule; SFRAME_OK if it can. */
static enum sframe_reason no_row(const struct sframe_cursor *cur)
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

static enum sframe_reason look_up(struct sframe_cursor *cur, u64 pc)
{
	cur->pending = cur->ops->find(cur->ctx, pc, &cur->rule);
	if (cur->pending)
		memset(&cur->rule, 0, sizeof(cur->rule));
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
		.pac_mask = regs->pac_mask,
		.ra_bits = ~regs->pac_mask,
		.sp_bias = abi->sp_bias,
		.max_depth = max_depth,
		.budget = SFRAME_SCAN_BUDGET,
		.topmost = true,
		.sp_known = true,
		.fp_known = true,
	};
	set_odd_cfa(cur);
	/* The lowest CFA allowed is SP + min_cfa; if that wraps, none is. */
	if (!sframe_add(regs->sp, abi->min_cfa - 1, &cur->cfa))
		cur->cfa = ~0ULL;
	look_up(cur, regs->pc);
}

enum sframe_reason sframe_cursor_next_slow(struct sframe_cursor *cur)
{
	enum sframe_reason reason, why;
	struct sframe_frame to;
	u64 ra;

	if (cur->depth >= cur->max_depth)
		return SFRAME_DEPTH;
	why = no_row(cur);
	if (!why)
		reason = step_by_rule(cur, &to);
	else if (why == SFRAME_NO_TABLE || why == SFRAME_NO_FDE ||
		 why == SFRAME_BAD_RULE)
		reason = sframe_step_by_record(cur, why, &to);
	else
		reason = why;
	if (reason)
		return reason;

	/*
	 * The PAC is taken off whether or not the row says there is one: an
	 * address of user space has none of its bits set otherwise.
	 */
	ra = to.ra & cur->ra_bits;
	if (!ra)
		return SFRAME_NO_MAPPING;
	/* RA - 1: a call may be the last instruction of its function. */
	if (!sframe_executable(look_up(cur, ra - 1)))
		return cur->pending;

	cur->pc = ra;
	cur->sp = to.sp;
	cur->fp = to.fp;
	cur->cfa = to.cfa;
	cur->sp_known = to.sp_known;
	cur->fp_known = to.fp_known;
	cur->topmost = false;
	cur->depth++;
	cur->fallbacks += why != SFRAME_OK;
	set_odd_cfa(cur);
	return SFRAME_OK;
}

enum sframe_reason sframe_cursor_next(struct sframe_cursor *cur)
{
	return sframe_cursor_next_with(cur, cur->ops);
}
