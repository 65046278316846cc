// SPDX-License-Identifier: GPL-2.0
/*
 * Steps up a stack: by the rule for the PC where there is one, otherwise by
 * a frame record (or backchain) that was verified.
 */
#include <sframe/cursor.h>

/* Frames are not verified over more stack than this. */
#define SCAN_MAX	4096
/* Bytes of stack read at a time while verifying. */
#define SCAN_CHUNK	128
/*
 * What one walk may spend on verifying, in words looked at; one that points to
 * code costs more, as that code has to be read. Walks are made in NMI, and
 * user space chooses the stack.
 */
#define SCAN_BUDGET	8192
#define SCAN_CODE_COST	32
/* Stack is realigned to no more than this; AVX-512 wants 64. */
#define REALIGN_MAX	512
/* A frame record has the alignment of its words. */
#define RECORD_ALIGN	8

/* The caller's registers, as a step finds them. */
struct frame {
	u64 cfa;
	u64 sp;
	u64 fp;
	u64 ra;
	bool sp_known;
	bool fp_known;
};

static bool add(u64 base, s64 off, u64 *sum)
{
	return !__builtin_add_overflow(base, off, sum);
}

static bool read_word(const struct sframe_cursor *cur, u64 addr, u64 *val)
{
	return !cur->ops->read(cur->ctx, addr, val, sizeof(*val));
}

static bool executable(enum sframe_reason found)
{
	return found == SFRAME_OK || found == SFRAME_NO_TABLE;
}

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
	if (!add(v, off, &v))
		return SFRAME_UNREADABLE;
	if (loc & SFRAME_LOC_DEREF && !read_word(cur, v, &v))
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
				       struct frame *to)
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

/* Is @pc in a signal trampoline that has no FDE? SFRAME_OK if not. */
static enum sframe_reason check_sigreturn(const struct sframe_cursor *cur,
					  u64 pc)
{
	u8 code[SFRAME_SIGRETURN_LEN];

	if (cur->ops->read(cur->ctx, pc - SFRAME_SIGRETURN_PC, code,
			   sizeof(code)))
		return SFRAME_UNREADABLE;
	return cur->abi->sigreturn(code) ? SFRAME_SIGNAL_FRAME : SFRAME_OK;
}

/* Do the bytes before @ra end with a call? @unreadable if they cannot be read. */
static bool after_call(const struct sframe_cursor *cur, u64 ra, bool unreadable)
{
	u8 code[SFRAME_CALL_LEN_MAX];
	unsigned int len = cur->abi->call_len;

	if (cur->ops->read(cur->ctx, ra - len, code, len))
		return unreadable;
	return cur->abi->after_call(code);
}

static bool spend(struct sframe_cursor *cur, u32 cost)
{
	if (cur->budget < cost) {
		cur->budget = 0;
		return false;
	}
	cur->budget -= cost;
	return true;
}

/* Could @word be where some function returns to? In doubt, yes. */
static bool maybe_ra(struct sframe_cursor *cur, u64 word)
{
	struct sframe_rule rule;

	word &= cur->ra_bits;
	if (!word || !executable(cur->ops->find(cur->ctx, word - 1, &rule)))
		return false;
	spend(cur, SCAN_CODE_COST);
	return after_call(cur, word, true) || check_sigreturn(cur, word);
}

/* Is there such a word in the stack from @from up to @to, both aligned? */
static enum sframe_reason scan(struct sframe_cursor *cur, u64 from, u64 to)
{
	u64 words[SCAN_CHUNK / sizeof(u64)];
	unsigned int i, len;

	if (to > from && to - from > SCAN_MAX)
		return SFRAME_FP_TOO_FAR;
	for (; from < to; from += len) {
		len = to - from < SCAN_CHUNK ? to - from : SCAN_CHUNK;
		if (cur->ops->read(cur->ctx, from, words, len))
			return SFRAME_UNREADABLE;
		for (i = 0; i < len / sizeof(u64); i++) {
			if (!spend(cur, 1))
				return SFRAME_FP_TOO_COSTLY;
			if (maybe_ra(cur, words[i]))
				return SFRAME_FP_HIDDEN_RA;
		}
	}
	return SFRAME_OK;
}

/*
 * Where a frame without a row may have left its record: at FP, or linked from
 * SP. A register or word of zero is how a chain of records ends: then there
 * is nothing to try, and what ends the walk is that the PC has no row.
 */
static enum sframe_reason record_at(const struct sframe_cursor *cur,
				    enum sframe_reason no_row, u64 *rec)
{
	bool backchain = cur->abi->fallback == SFRAME_FALLBACK_BACKCHAIN;

	*rec = cur->fp;
	if (backchain && !read_word(cur, cur->sp, rec))
		return SFRAME_UNREADABLE;
	if (!*rec)
		return no_row;
	if ((*rec | cur->sp) % RECORD_ALIGN || *rec < cur->sp ||
	    (backchain && *rec == cur->sp))
		return SFRAME_FP_OFF_STACK;
	return SFRAME_OK;
}

/* What the record at @rec says of the caller; @slot is where its RA lies. */
static enum sframe_reason read_record(const struct sframe_cursor *cur, u64 rec,
				      struct frame *to, u64 *slot)
{
	const struct sframe_abi *abi = cur->abi;

	if (!add(rec, abi->ra_slot, slot))
		return SFRAME_FP_OFF_STACK;
	*to = (struct frame){ .sp = rec, .sp_known = true };
	if (abi->fallback == SFRAME_FALLBACK_BACKCHAIN) {
		if (!add(rec, -abi->sp_bias, &to->cfa))
			return SFRAME_FP_OFF_STACK;
	} else {
		if (!add(*slot, sizeof(u64), &to->cfa))
			return SFRAME_FP_OFF_STACK;
		if (!read_word(cur, rec + abi->fp_slot, &to->fp))
			return SFRAME_UNREADABLE;
		to->fp_known = true;
		to->sp = to->cfa;
		to->sp_known = abi->fallback == SFRAME_FALLBACK_FP_CFA;
	}
	if (to->cfa <= cur->cfa)
		return SFRAME_FP_OFF_STACK;
	return read_word(cur, *slot, &to->ra) ? SFRAME_OK : SFRAME_UNREADABLE;
}

/*
 * A function that realigns its stack (gcc: DRAP) pushes a copy of its RA, and
 * then its record below that: where the record ends is not the caller's SP.
 * The RA itself is not far above.
 */
static bool ra_is_copy(const struct sframe_cursor *cur, u64 slot, u64 ra)
{
	u64 words[SCAN_CHUNK / sizeof(u64)], at = slot + sizeof(u64);
	unsigned int i;

	for (; at - slot < REALIGN_MAX; at += sizeof(words)) {
		if (cur->ops->read(cur->ctx, at, words, sizeof(words)))
			return false;
		for (i = 0; i < SCAN_CHUNK / sizeof(u64); i++) {
			if (words[i] == ra)
				return true;
		}
	}
	return false;
}

/*
 * Leave a frame that has no row. A function that made no record of its own
 * leaves FP at the record of some outer frame, and stepping by that one would
 * skip callers. So the record's RA is taken only if it is the first word from
 * SP up that looks like a return address:
 *
 * x86-64: the RA of the running function always lies at or above SP, and in
 * an older, higher place than it lies every record of an outer frame.
 *
 * arm64: the same once a function has made a call, since it saved its RA in
 * its frame, below all outer records. Before that the RA is in x30: so in the
 * topmost frame x30 must not look like another one. (x30 is also left over
 * from the last call made; that costs a frame, but never gives a wrong one.)
 *
 * s390x: a callee saves its RA in the 160 bytes above its caller's SP, so
 * those at our own SP belong to frames already left (or, in the topmost
 * frame, may be ours: a leaf needs no more); and r14 is like x30.
 *
 * A signal trampoline saves nothing and is not called: nothing can be said.
 */
static enum sframe_reason step_by_record(struct sframe_cursor *cur,
					 enum sframe_reason no_row,
					 struct frame *to)
{
	const struct sframe_abi *abi = cur->abi;
	struct sframe_rule rule;
	enum sframe_reason reason;
	u64 from, rec, slot, ra;

	reason = check_sigreturn(cur, cur->pc);
	if (!reason)
		reason = record_at(cur, no_row, &rec);
	if (!reason)
		reason = read_record(cur, rec, to, &slot);
	if (reason)
		return reason;

	ra = to->ra & cur->ra_bits;
	if (!ra || !executable(cur->ops->find(cur->ctx, ra - 1, &rule)) ||
	    !after_call(cur, ra, false))
		return SFRAME_FP_NOT_A_CALL;
	if (abi->fallback == SFRAME_FALLBACK_FP_CFA &&
	    ra_is_copy(cur, slot, to->ra))
		to->sp_known = false;
	from = cur->sp;
	if (!cur->topmost)
		from -= abi->sp_bias;
	else if (abi->ra_reg >= 0 && (cur->ra & cur->ra_bits) != ra &&
		 maybe_ra(cur, cur->ra))
		return SFRAME_FP_HIDDEN_RA;
	return scan(cur, from, slot);
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
		.budget = SCAN_BUDGET,
		.topmost = true,
		.sp_known = true,
		.fp_known = true,
	};
	set_odd_cfa(cur);
	/* The lowest CFA allowed is SP + min_cfa; if that wraps, none is. */
	if (!add(regs->sp, abi->min_cfa - 1, &cur->cfa))
		cur->cfa = ~0ULL;
	look_up(cur, regs->pc);
}

enum sframe_reason sframe_cursor_next_slow(struct sframe_cursor *cur)
{
	enum sframe_reason reason, why;
	struct frame to;
	u64 ra;

	if (cur->depth >= cur->max_depth)
		return SFRAME_DEPTH;
	why = no_row(cur);
	if (!why)
		reason = step_by_rule(cur, &to);
	else if (why == SFRAME_NO_TABLE || why == SFRAME_NO_FDE ||
		 why == SFRAME_BAD_RULE)
		reason = step_by_record(cur, why, &to);
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
	if (!executable(look_up(cur, ra - 1)))
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
