// SPDX-License-Identifier: GPL-2.0
/*
 * The values that rules refer to: the CFA, SP, FP and other registers of a frame, and
 * what is in memory there. A register of a caller is where its callee has saved it, if
 * tables say where.
 */
#include "cursor_impl.h"

/*
 * A register of a frame that is not topmost: where the callee has saved it, by the
 * file's second table; or unchanged, if the callee did not save it and was topmost.
 */
static bool read_kept_reg(const struct sframe_cursor *cur, unsigned int reg, u64 *val)
{
	bool exact = cur->depth == cur->exact_depth + 1;
	struct sframe_rule rule;
	u64 at;

	if (!cur->depth || !cur->sp_known ||
	    cur->ops->find_kept(cur->ctx, cur->left - !exact, reg, &rule) ||
	    rule.flags)
		return false;
	if (rule.fp == SFRAME_LOC_SAME)
		return cur->depth == 1 && !cur->ops->reg(cur->ctx, reg, val);
	return rule.fp == SFRAME_LOC_SAVED &&
	       sframe_add(cur->cfa, rule.fp_off, &at) &&
	       sframe_read_word(cur, at, val);
}

static bool read_reg_value(const struct sframe_cursor *cur, unsigned int reg, u64 *val)
{
	return cur->topmost ? sframe_saved_reg(cur, reg, val) :
			      read_kept_reg(cur, reg, val);
}

/**
 * sframe_ra_of_caller() - where does a caller keep its own RA, if its rule needs SP alone?
 * @cur: the walk
 * @ra: address that the caller is returned to
 * @sp: SP when it is
 * @at: set to the address of its RA
 *
 * Context: as sframe_cursor_next().
 * Return: SFRAME_OK, SFRAME_OUTERMOST if it has none, or why it is not known.
 */
enum sframe_reason sframe_ra_of_caller(const struct sframe_cursor *cur, u64 ra, u64 sp,
				       u64 *at)
{
	struct sframe_rule rule;
	enum sframe_reason reason;

	reason = cur->ops->find(cur->ctx, ra - 1, &rule);
	if (reason)
		return reason;
	if (rule.flags & SFRAME_RULE_OUTERMOST)
		return SFRAME_OUTERMOST;
	if (rule.flags || rule.cfa != SFRAME_LOC_SP ||
	    rule.ra != SFRAME_LOC_SAVED ||
	    !sframe_add(sp, (s64)rule.cfa_off + rule.ra_off, at))
		return SFRAME_NO_FDE;
	return SFRAME_OK;
}

/**
 * sframe_value() - the value that a rule gives for CFA, RA or FP
 * @cur: the walk
 * @loc: enum sframe_loc, other than SAME and LOST
 * @off: the rule's offset
 * @cfa: this frame's CFA, if @loc needs it
 * @val: set to the value
 *
 * Context: as sframe_cursor_next().
 * Return: SFRAME_OK; SFRAME_SP_UNKNOWN, SFRAME_FP_UNKNOWN or SFRAME_NEEDS_TOPMOST if
 *	the base is not known, SFRAME_UNREADABLE if memory is not.
 */
enum sframe_reason sframe_value(const struct sframe_cursor *cur, u8 loc, s32 off,
				u64 cfa, u64 *val)
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
	} else if (!read_reg_value(cur, base & SFRAME_LOC_REG_MASK, &v)) {
		return SFRAME_NEEDS_TOPMOST;
	}
	if (!sframe_add(v, off, &v))
		return SFRAME_UNREADABLE;
	if (loc & SFRAME_LOC_DEREF && !sframe_read_word(cur, v, &v))
		return SFRAME_UNREADABLE;
	*val = v;
	return SFRAME_OK;
}

/**
 * sframe_ra_past_leaf() - the RA of what has called the topmost function, in a register
 * @cur: the walk
 * @ra: set to the RA
 *
 * Functions need not keep that register, but the rule says that RA is there over the call: so
 * whoever wrote it knows that what is called leaves it alone (glibc's __sigsetjmp() for arm64).
 *
 * Context: as sframe_cursor_next().
 * Return: true if that is so; @ra still has to follow a call.
 */
bool sframe_ra_past_leaf(const struct sframe_cursor *cur, u64 *ra)
{
	const struct sframe_rule *rule = &cur->rule;
	unsigned int reg = rule->ra & SFRAME_LOC_REG_MASK;

	return cur->depth == 1 && cur->exact_depth != 1 && cur->abi->ra_reg >= 0 &&
	       rule->ra == (SFRAME_LOC_REG | reg) && !rule->ra_off &&
	       !(cur->abi->kept_regs >> reg & 1) && !cur->ops->reg(cur->ctx, reg, ra);
}

/* Read RA where @aside says that it is; it has to follow a call. */
static bool ra_in_context(struct sframe_cursor *cur, const struct sframe_aside *aside, u64 *ra)
{
	u64 base;

	sframe_cursor_charge(cur, SFRAME_COST_CODE);
	if (!cur->topmost || !read_reg_value(cur, aside->reg, &base))
		return false;
	*ra = base;
	if (aside->is_saved && (!sframe_add(base, aside->off, &base) ||
				!sframe_read_word(cur, base, ra)))
		return false;
	return sframe_is_return_address(cur, *ra & cur->ra_bits);
}

/* Is @own, which is @ahead bytes ahead of the PC, an address as @aside tells of? */
static bool read_aside(struct sframe_cursor *cur, u64 own, s64 ahead, struct sframe_aside *aside)
{
	u8 code[SFRAME_ASIDE_BEFORE + SFRAME_ASIDE_AFTER];

	sframe_cursor_charge(cur, SFRAME_COST_CODE);
	return !cur->ops->read_code(cur->ctx, own - SFRAME_ASIDE_BEFORE, code, sizeof(code)) &&
	       cur->abi->ra_aside(code, ahead, aside);
}

/**
 * sframe_goes_on_at() - does a saved context go on at an address, as sframe_ra_aside() has it?
 * @cur: the walk
 * @addr: the address
 *
 * Context: as sframe_cursor_next().
 * Return: true if so: whoever has it in RA's register has not been called from there.
 */
bool sframe_goes_on_at(struct sframe_cursor *cur, u64 addr)
{
	struct sframe_aside aside;

	return cur->abi->ra_aside && read_aside(cur, addr, 0, &aside);
}

/**
 * sframe_ra_aside() - has the function put an address of its own into RA's register?
 * @cur: the walk; the rule says that RA is in its register
 * @ra: set to the RA
 *
 * glibc's swapcontext() for AArch64 saves a context that goes on behind its own end, with x30
 * as it has to be there, and its RA as x1; its CFI says that RA is in x30 all the while.
 *
 * Context: as sframe_cursor_next().
 * Return: SFRAME_OK, and @ra is as it was if the function has not; SFRAME_RA_IN_REGISTER if it
 *	has, and RA was not found.
 */
enum sframe_reason sframe_ra_aside(struct sframe_cursor *cur, u64 *ra)
{
	u64 own = *ra & cur->ra_bits, ahead = own - cur->pc;
	struct sframe_aside aside;

	if (!cur->abi->ra_aside || ahead + SFRAME_ASIDE_AFTER > SFRAME_ASIDE_MAX ||
	    !read_aside(cur, own, ahead, &aside))
		return SFRAME_OK;
	return ra_in_context(cur, &aside, ra) ? SFRAME_OK : SFRAME_RA_IN_REGISTER;
}

/**
 * sframe_cfa_past_leaf() - the CFA of what has called the topmost function, by a register
 * @cur: the walk; the rule wants a register that was not saved, and need not be kept
 * @cfa: set to the CFA
 *
 * Assembly that calls assembly knows which registers that leaves alone (OpenSSL's AES-GCM
 * for x86-64). Where the topmost function did, the register still leads to a RA in the
 * frame, and below that nothing looks like one.
 *
 * Context: as sframe_cursor_next().
 * Return: SFRAME_OK, or SFRAME_NEEDS_TOPMOST.
 */
enum sframe_reason sframe_cfa_past_leaf(struct sframe_cursor *cur, u64 *cfa)
{
	struct sframe_claim claim = { .asked = true };
	const struct sframe_rule *rule = &cur->rule;
	u64 base, slot, ra;

	if (cur->depth != 1 || cur->exact_depth == 1 || !cur->sp_known ||
	    cur->sp % sizeof(u64) || rule->cfa & SFRAME_LOC_DEREF ||
	    cur->abi->kept_regs >> (rule->cfa & SFRAME_LOC_REG_MASK) & 1 ||
	    rule->flags & SFRAME_RULE_CFA_ABOVE ||
	    rule->ra != SFRAME_LOC_SAVED ||
	    cur->ops->reg(cur->ctx, rule->cfa & SFRAME_LOC_REG_MASK, &base) ||
	    !sframe_add(base, rule->cfa_off, cfa) || !sframe_add(*cfa, rule->ra_off, &slot) ||
	    slot < cur->sp || slot % sizeof(u64) || !sframe_read_word(cur, slot, &ra))
		return SFRAME_NEEDS_TOPMOST;
	sframe_cursor_charge(cur, SFRAME_COST_CODE);
	if (!sframe_is_return_address(cur, ra & cur->ra_bits) ||
	    sframe_scan_words(cur, cur->sp, slot, &claim, NULL))
		return SFRAME_NEEDS_TOPMOST;
	return SFRAME_OK;
}
