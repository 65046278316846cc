// SPDX-License-Identifier: GPL-2.0
/*
 * Leave a frame without a row as its code will (sframe_abi.leave says how), if the stack does
 * not speak against that. Called by fallback.c.
 */
#include "cursor_impl.h"
#include "follow.h"

/* Following code may take so much of the budget: one part of these; 0: nothing. */
static const u8 parts[] = {
	[SFRAME_REACH_NEAR] = 2,
	[SFRAME_REACH_FAR] = 1,
	[SFRAME_REACH_PART] = 16,
	[SFRAME_REACH_SP] = 4,
	[SFRAME_REACH_KNOWN] = 0,
};

/*
 * Can the function itself have made the call that returned to @ra, which the link register
 * still holds? Not if that is too far from the PC: then the function has called nobody.
 */
static bool may_have_called(const struct sframe_cursor *cur, u64 ra)
{
	return ra - cur->pc + SFRAME_FUNCTION_MAX <= 2 * SFRAME_FUNCTION_MAX;
}

/* s390x: the backchain leads to the same caller, and RA is where that says. */
static bool is_chained(struct sframe_cursor *cur, const struct sframe_leave *lv,
		       const struct sframe_frame *to)
{
	u64 up;

	return cur->abi->fallback == SFRAME_FALLBACK_BACKCHAIN && to->sp > cur->sp &&
	       lv->ra_at == to->sp + cur->abi->ra_slot && sframe_read_word(cur, cur->sp, &up) &&
	       up == to->sp;
}

/*
 * The way out leads past a call, which might never return: then what follows is another
 * function. So the RA that was found has to agree with the stack, as a record's has; or the
 * function that is called before it leads to the PC with SP as it is, which is noted. @budget: what
 * there was before the way out was found.
 */
static bool agrees_with_stack(struct sframe_cursor *cur, const struct sframe_leave *lv,
			      struct sframe_frame *to, u32 budget)
{
	struct sframe_claim claim = {
		.by_code = true,
		.bare = lv->far && cur->pending == SFRAME_NO_TABLE,
		.ra = to->ra & cur->ra_bits,
		.ra_at = lv->ra_at,
	};
	u64 from = cur->sp;

	/* RA follows a call of a function that cannot hold the PC: the wrong way was followed. */
	if (lv->far && !sframe_claim_holds(cur, &claim) && claim.target && !claim.before)
		return false;
	/* From where the function was entered, code leads to the same RA. */
	if (claim.certain) {
		if (claim.bare && !lv->want_sp)
			sframe_note_certain_way(cur, lv, to, 0, false, budget - cur->budget);
		return true;
	}
	if (is_chained(cur, lv, to))
		return true;
	if (lv->far && sframe_ra_is_copy(cur, lv->ra_at, to->ra))
		to->sp_known = false;
	/*
	 * s390x: a callee saves registers in the 160 bytes above our SP, so below
	 * the topmost frame start the scan past them.
	 */
	if (to->sp > cur->sp)
		from -= cur->abi->sp_bias;
	return lv->ra_at % SFRAME_RECORD_ALIGN == 0 && cur->sp % SFRAME_RECORD_ALIGN == 0 &&
	       lv->ra_at >= from && lv->ra_at < lv->sp &&
	       !sframe_other_in_register(cur, claim.ra, &claim) &&
	       !sframe_scan_words(cur, from, lv->ra_at, &claim, NULL);
}

/* Has this frame called the topmost one, which may be a leaf without a frame? */
static bool may_have_called_leaf(const struct sframe_cursor *cur)
{
	return cur->depth == 1 && cur->exact_depth != 1 && cur->abi->ra_reg >= 0;
}

/*
 * The lowest CFA that this frame may have: above its callee's; but the same if assembly that
 * has no frame has called a leaf, whose RA stays in its register (OpenSSL's AES for s390x).
 */
static u64 lowest_caller_cfa(const struct sframe_cursor *cur)
{
	return cur->cfa + !may_have_called_leaf(cur);
}

/*
 * Is that the RA by which the callee returns to here? A leaf with the same CFA that does save
 * its RA puts it where this frame's would be; or it has moved it to the register.
 */
static bool is_own_caller(const struct sframe_cursor *cur, const struct sframe_leave *lv,
			  const struct sframe_frame *to)
{
	return (lv->ra_reg || to->cfa == cur->cfa) && (to->ra & cur->ra_bits) == cur->pc;
}

/*
 * RA is in register @reg: some assembly keeps it there over a call of a leaf that is known
 * not to write to it. So it must be a register that functions need not keep.
 */
static bool read_ra_register(const struct sframe_cursor *cur, unsigned int reg, u64 *ra)
{
	if (cur->topmost)
		return sframe_saved_reg(cur, reg, ra);
	return may_have_called_leaf(cur) && !(cur->abi->kept_regs >> reg & 1) &&
	       !cur->ops->reg(cur->ctx, reg, ra);
}

static u32 cost_of_reach(const struct sframe_cursor *cur, enum sframe_reach reach)
{
	u32 all = sframe_budget_left(cur) / SFRAME_FOLLOW_COST;

	if (reach == SFRAME_REACH_NEAR)
		return sframe_near_cost(cur, parts[reach]);
	return parts[reach] ? all / parts[reach] : 0;
}

/*
 * Ask code for a way out, or with @by_mark for a marked call; the rest is as for
 * sframe_step_by_code().
 */
static bool ask_way_out(struct sframe_cursor *cur, enum sframe_reach reach, bool by_mark,
			struct sframe_leave *lv)
{
	bool found;

	*lv = (struct sframe_leave){
		.sp = cur->sp,
		.fp = cur->fp,
		.cost_max = cost_of_reach(cur, reach),
		.topmost = cur->topmost,
		.returned = cur->depth && cur->returned_depth == cur->depth,
		.far = reach != SFRAME_REACH_NEAR,
		.want_sp = reach == SFRAME_REACH_SP,
		.by_mark = by_mark,
		.sp_lost = !cur->sp_known,
		.fp_lost = !cur->fp_known,
	};
	found = sframe_code_leaves(cur, lv);
	return sframe_spend(cur, SFRAME_FOLLOW_COST * lv->cost) && found;
}

/**
 * sframe_leaves_fp_alone() - is it known that the function is left with FP as it is?
 * @cur: the walk
 *
 * Then it has not made the record at FP, which is quicker to see than where it might have. But
 * functions of files can mostly be followed from their beginning; and the topmost one's code may
 * lead into the next function, as nothing was called that has returned.
 *
 * Context: as sframe_cursor_next().
 * Return: true if so, of code made at run time, not topmost, that was followed before.
 */
bool sframe_leaves_fp_alone(struct sframe_cursor *cur)
{
	struct sframe_leave lv __uninitialized;

	return !cur->topmost && cur->sp_known && cur->fp_known && !sframe_is_fixed(cur, cur->pc) &&
	       ask_way_out(cur, SFRAME_REACH_KNOWN, false, &lv) && lv.ra_at && !lv.fp_at &&
	       !lv.fp_lost && !lv.by_fp;
}

/*
 * An interpreter has jumped to the function: is RA right below the SP that it has kept? Then that
 * is noted, if it is known where the topmost function begins.
 */
static bool is_next_caller(struct sframe_cursor *cur, const struct sframe_leave *lv,
			   const struct sframe_frame *to, u32 budget)
{
	u64 begin;

	if (!sframe_resume_is_next(lv->ra_at, to->sp))
		return false;
	begin = lv->want_sp ? 0 : sframe_begin_by_known_mark(cur);
	if (begin)
		sframe_note_certain_way(cur, lv, to, begin, false, budget - cur->budget);
	return true;
}

/**
 * sframe_step_by_code() - leave the frame as its code will
 * @cur: the walk, in a frame without a row
 * @reach: how far it is followed
 * @to: filled in; its CFA also if the way out was not believed
 *
 * Context: as sframe_cursor_next().
 * Return: true if a way out was found, and nothing speaks against it.
 */
bool sframe_step_by_code(struct sframe_cursor *cur, enum sframe_reach reach,
			 struct sframe_frame *to)
{
	const struct sframe_abi *abi = cur->abi;
	bool far = reach != SFRAME_REACH_NEAR;
	struct sframe_leave lv __uninitialized;
	u32 budget = cur->budget;

	/*
	 * FP may be unknown on s390x, where few frames need it, and far on x86-64; SP on arm64,
	 * to reload the record. Near, that is asked once a word speaks against it.
	 */
	if (!sframe_spend(cur, 0) ||
	    (!cur->sp_known && (!far || abi->fallback != SFRAME_FALLBACK_FP)) ||
	    (!cur->fp_known && (abi->fallback == SFRAME_FALLBACK_FP ||
				(!far && abi->fallback == SFRAME_FALLBACK_FP_CFA))))
		return false;
	if (!ask_way_out(cur, reach, far && cur->topmost, &lv))
		return false;
	if (lv.mark) {
		if (sframe_step_by_next_call_mark(cur, &lv, to))
			return true;
		/* Then the call is passed by, as any. */
		to->cfa = 0;
		if (!ask_way_out(cur, reach, false, &lv))
			return false;
	}
	if (lv.sp < lowest_caller_cfa(cur) ||
	    (!lv.sp_lost && lv.sp & (abi->cfa_align - 1)))
		return false;
	*to = (struct sframe_frame){
		.cfa = lv.sp,
		.sp = lv.sp + abi->sp_bias,
		.fp = lv.fp,
		.ra = cur->ra,
		.sp_known = !lv.sp_lost,
		.fp_known = !lv.fp_lost,
		.returns = lv.returns,
		.fallback = true,
	};
	if ((lv.fp_at && !sframe_read_word(cur, lv.fp_at, &to->fp)) ||
	    (lv.ra_at && !sframe_read_word(cur, lv.ra_at, &to->ra)) ||
	    (lv.ra_reg && !read_ra_register(cur, lv.ra_reg, &to->ra)))
		return false;
	if (!lv.ra_reg && sframe_resume_at(cur, lv.ra_at ?: cur->sp - sizeof(u64), to))
		return !lv.ra_at || lv.sure || is_next_caller(cur, &lv, to, budget);
	if (is_own_caller(cur, &lv, to) ||
	    !sframe_is_return_address(cur, to->ra & cur->ra_bits))
		return false;
	/* The copy of RA that a function pushes which realigns its stack: SP lies elsewhere. */
	if (!far && lv.ra_at && sframe_ra_is_copy(cur, lv.ra_at, to->ra))
		to->sp_known = false;
	if (lv.ra_before_calls && may_have_called(cur, to->ra & cur->ra_bits) &&
	    !sframe_has_just_begun(cur))
		return false;
	if (lv.interprets && !sframe_interp_caller_sp(cur, lv.ra_at, to))
		return false;
	return !lv.ra_at || lv.sure || agrees_with_stack(cur, &lv, to, budget);
}

/**
 * sframe_step_by_sure_call() - leave the frame as its code will, behind a call that returns
 * @cur: the walk, in a frame without a table
 * @to: filled in
 *
 * What else might be known of such a frame need not be asked: RPython's code (PyPy) neither
 * makes records nor has marks, and FP is no address on the stack.
 *
 * Context: as sframe_cursor_next().
 * Return: true if the call is one that code at run time is known to make, and a way out was
 *	found.
 */
bool sframe_step_by_sure_call(struct sframe_cursor *cur, struct sframe_frame *to)
{
	u8 code[SFRAME_SURE_CALL_BEFORE + SFRAME_SURE_CALL_AFTER];

	if (cur->topmost || sframe_fp_is_on_stack(cur))
		return false;
	sframe_cursor_charge(cur, SFRAME_COST_CODE);
	return !cur->ops->read_code(cur->ctx, cur->pc - SFRAME_SURE_CALL_BEFORE, code,
				    sizeof(code)) &&
	       cur->abi->is_sure_call(code) && sframe_step_by_code(cur, SFRAME_REACH_FAR, to);
}
