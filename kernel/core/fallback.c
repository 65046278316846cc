// SPDX-License-Identifier: GPL-2.0
/*
 * Leave a frame that has no row, or whose rule needs a register that is not known (cursor.c):
 * by its code, or by the frame record at FP (or backchain), if that can be verified: words.c
 * scans the stack for words that speak against it, evidence.c asks the code about them.
 */
#include "answers_impl.h"
#include "cursor_impl.h"
#include "follow.h"

/*
 * The first function of a stack may have a RA that no call has left: Go's return to goexit().
 * Its record is the last one (FP 0), and must be shown to be its own.
 */
static bool is_first_frame(struct sframe_cursor *cur, struct sframe_claim *claim,
			   const struct sframe_frame *to)
{
	struct sframe_rule rule;

	return claim->bare && to->fp_known && !to->fp && claim->ra &&
	       sframe_executable(cur->ops->find(cur->ctx, claim->ra - 1, &rule)) &&
	       sframe_claim_holds(cur, claim);
}

/*
 * arm64: x30 is what the record says, too. Then nobody was called since that was made; or it is the
 * caller's, as the function has made none yet, and both were called in the same place, as in
 * recursion. Does code show the first?
 */
static bool record_may_be_callers(struct sframe_cursor *cur, struct sframe_claim *claim)
{
	return cur->abi->fallback == SFRAME_FALLBACK_FP && !claim->asked &&
	       (cur->ra & cur->ra_bits) == claim->ra && !sframe_claim_holds(cur, claim);
}

/*
 * s390x: a function that has stored no backchain has any word at SP. If that leads to an outer
 * frame's RA, the call before that is of another function. Does it name one that lies elsewhere?
 */
static bool calls_another(struct sframe_cursor *cur, u64 ra)
{
	u64 target;

	sframe_cursor_charge(cur, SFRAME_COST_CODE);
	target = sframe_call_target(cur, ra);
	return target && cur->pc - target > SFRAME_FOLLOW_MAX;
}

/*
 * x86-64: FP may be data, and point to where older calls have left words. Are these no record's?
 * What speaks against them is an FP that leads nowhere, or an RA that follows a call of what cannot
 * hold the PC; then the running function has to be seen to make a record, or to go on with one.
 * (Code made at run time has conventions of its own.)
 */
static bool is_no_record(struct sframe_cursor *cur, const struct sframe_frame *to,
			 struct sframe_claim *claim)
{
	u64 target;

	if (cur->abi->fallback != SFRAME_FALLBACK_FP_CFA || !sframe_is_fixed(cur, cur->pc))
		return false;
	if (!claim->named)
		sframe_cursor_charge(cur, SFRAME_COST_CODE);
	target = sframe_claim_target(cur, claim);
	if ((!target || cur->pc - target < SFRAME_FUNCTION_MAX) &&
	    (!to->fp || to->fp - to->sp < SFRAME_STACK_MAX))
		return false;
	return !sframe_claim_holds(cur, claim) && !sframe_goes_on_with_record(cur);
}

/*
 * Is the record, whose RA lies at @slot, the function's own? See step_by_record(). Where nothing
 * is known of the file, it may also be shown to be an outer one's, and a word to be the RA:
 * then that is @found (x86-64, where it tells SP and FP, too).
 */
static enum sframe_reason verify_record(struct sframe_cursor *cur, u64 slot,
					struct sframe_claim *claim, struct sframe_found_ra *found)
{
	const struct sframe_abi *abi = cur->abi;
	enum sframe_reason reason;
	u64 from = cur->sp;

	if (!cur->topmost)
		from -= abi->sp_bias;
	else if (sframe_other_in_register(cur, claim->ra, claim) ||
		 record_may_be_callers(cur, claim))
		return SFRAME_FP_HIDDEN_RA;
	if (!claim->bare || !cur->sp_known ||
	    abi->fallback != SFRAME_FALLBACK_FP_CFA)
		found = NULL;
	if (abi->fallback == SFRAME_FALLBACK_BACKCHAIN && !claim->asked &&
	    calls_another(cur, claim->ra))
		return SFRAME_FP_HIDDEN_RA;
	reason = sframe_scan_words(cur, from, slot, claim, found);
	if (reason == SFRAME_FP_TOO_FAR && sframe_claim_holds(cur, claim))
		return SFRAME_OK;
	return reason;
}

/*
 * The function has no record: its RA is the word that the scan found. It may have saved FP, and
 * use it for anything.
 */
static void step_to_found_ra(struct sframe_cursor *cur, const struct sframe_found_ra *found,
			     u32 budget, struct sframe_frame *to)
{
	u64 target = sframe_call_target(cur, found->ra);
	struct sframe_leave lv = { };
	bool entered;

	*to = sframe_frame_above(found->at, found->ra);
	entered = sframe_entered_at(cur, target, found->at, 1, &lv);
	if (entered || target == cur->pc)
		sframe_frame_fp_entered(cur, &lv, to);
	to->sp_known = !sframe_ra_is_copy(cur, found->at, found->ra);
	if (!entered || cur->pending != SFRAME_NO_TABLE)
		return;
	lv.sp = to->cfa;
	lv.ra_at = found->at;
	sframe_note_certain_way(cur, &lv, to, 0, true, budget - cur->budget);
}

/*
 * x86-64: FP may be data, and point into the function's own frame, where an older call has left
 * its RA. So in a program or library without a table, unless the record is shown to be the
 * function's own, code comes first; but as most are, not for much of the budget. (In gaps of
 * tables are functions of V8, which make records.) True if it was believed; @to->cfa is also set
 * if not.
 */
static bool step_by_code_before_record(struct sframe_cursor *cur, enum sframe_reason no_row,
				       struct sframe_claim *claim, struct sframe_frame *to)
{
	to->cfa = 0;
	return no_row == SFRAME_NO_TABLE && cur->abi->fallback == SFRAME_FALLBACK_FP_CFA &&
	       sframe_is_fixed(cur, cur->pc) && !sframe_claim_holds(cur, claim) &&
	       sframe_step_by_code(cur, SFRAME_REACH_PART, to);
}

/*
 * Leave a frame by its record. A function that made no record of its own
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
 * from the last call made; that costs a frame, but never gives a wrong one.) If it is the
 * record's, the record must be seen to be made.
 *
 * s390x: a callee saves its RA in the 160 bytes above its caller's SP, so
 * those at our own SP belong to frames already left (or, in the topmost
 * frame, may be ours: a leaf needs no more); and r14 is like x30.
 *
 * A word that looks like another RA need not be one: evidence.c asks the code
 * which function is called before it, and whether ours makes a record.
 *
 * @own: set to whether the record was seen to be the function's own, as only walks that have time
 * ask, of code made at run time (@made): that no word speaks against it is not enough.
 */
static enum sframe_reason step_by_record(struct sframe_cursor *cur, enum sframe_reason no_row,
					 bool made, struct sframe_frame *to, bool *own)
{
	struct sframe_frame by_code __uninitialized;
	struct sframe_found_ra found = { };
	bool has_rule = no_row != SFRAME_NO_TABLE && no_row != SFRAME_NO_FDE;
	u32 budget = cur->budget;
	/* Where there is a rule, code is not asked. */
	struct sframe_claim claim = { .asked = has_rule };
	enum sframe_reason reason;
	bool jumped = false;
	u64 rec, slot;

	*own = false;
	reason = sframe_record_at(cur, no_row, &rec);
	if (!reason)
		reason = sframe_record_read(cur, rec, to, &slot);
	if (reason)
		return reason;

	claim.ra = to->ra & cur->ra_bits;
	claim.bare = sframe_code_is_bare(cur, no_row);
	if (!sframe_is_return_address(cur, claim.ra)) {
		jumped = sframe_resume_at(cur, slot, to);
		if (!jumped && !is_first_frame(cur, &claim, to))
			return SFRAME_FP_NOT_A_CALL;
	}
	/* An interpreter that jumped here has another RA above, too, but its SP is known. */
	if (!jumped) {
		if (step_by_code_before_record(cur, no_row, &claim, &by_code)) {
			*to = by_code;
			return SFRAME_OK;
		}
		if (by_code.cfa > slot + sizeof(u64))
			return SFRAME_FP_HIDDEN_RA;
		if (sframe_ra_is_copy(cur, slot, to->ra))
			to->sp_known = false;
	}
	reason = verify_record(cur, slot, &claim, &found);
	if (!reason && found.at)
		step_to_found_ra(cur, &found, budget, to);
	else if (!reason && !jumped && !has_rule && is_no_record(cur, to, &claim))
		reason = SFRAME_FP_HIDDEN_RA;
	*own = made && !reason && !jumped && !found.at &&
	       sframe_budget_left(cur) > SFRAME_BUDGET_INPLACE &&
	       (claim.holds || sframe_uses_record(cur));
	return reason;
}

static bool no_rule_is_known(enum sframe_reason no_row)
{
	return no_row == SFRAME_NO_TABLE || no_row == SFRAME_NO_FDE || no_row == SFRAME_BAD_RULE;
}

/*
 * On x86-64, only a step to there tells. On arm64 FP is what it was where the thread was made, on
 * another stack.
 */
static bool is_last_of_thread(struct sframe_cursor *cur, enum sframe_reason no_row)
{
	if (cur->abi->ra_reg < 0)
		return cur->depth && cur->last_depth == cur->depth;
	return !cur->topmost && no_rule_is_known(no_row) && cur->abi->ends_thread &&
	       !(cur->fp_known && sframe_is_near(cur->fp, cur->sp)) &&
	       sframe_ends_thread(cur, cur->pc);
}

/*
 * Leave a frame of what is known by its code at once. @made: that may have been made at run
 * time; @lisp: it was asked whether it is Lisp.
 */
static bool step_by_kind_of_code(struct sframe_cursor *cur, bool bare, bool made, bool *lisp,
				 struct sframe_frame *to)
{
	if ((sframe_may_be_haskell(cur) && sframe_step_by_stg_run(cur, to)) ||
	    sframe_step_by_lisp_entry(cur, to))
		return true;
	if (made && (sframe_step_by_waiting_interpreter(cur, to) ||
		     sframe_step_by_local_call(cur, to) ||
		     (!cur->java.sp && sframe_step_by_java_frame(cur, to))))
		return true;
	/* SBCL: FP may be at a record made for the next callee; see that before trusting it. */
	if (bare && !*lisp && (cur->depth < 2 || cur->topmost)) {
		*lisp = true;
		if (sframe_step_by_lisp_frame(cur, to))
			return true;
	}
	return sframe_step_without_frame(cur, bare, to);
}

/*
 * A caller in a file without a table was left by its code, which stays as it is: ask that at once
 * next time, when what it says is known. But what came first may apply then if FP is at a record.
 */
static void note_left_by_code(struct sframe_cursor *cur)
{
	if (!cur->topmost && sframe_is_fixed(cur, cur->pc))
		sframe_answer_note(cur, cur->pc, HINT_BY_CODE, true);
}

static bool step_as_left_before(struct sframe_cursor *cur, struct sframe_frame *to)
{
	return !cur->topmost && !sframe_fp_is_on_stack(cur) &&
	       sframe_answer_noted(cur, cur->pc, HINT_BY_CODE) &&
	       sframe_step_by_code(cur, SFRAME_REACH_FAR, to);
}

/*
 * Neither what is near nor the record leads on: follow code farther, to where the function is
 * left, or from where it begins. @by_prologue: its prologue was not asked yet.
 */
static bool step_by_code_farther(struct sframe_cursor *cur, bool by_prologue,
				 struct sframe_frame *to)
{
	bool found;

	to->cfa = 0;
	if (sframe_step_by_code(cur, SFRAME_REACH_FAR, to)) {
		note_left_by_code(cur);
		return true;
	}
	found = to->cfa;
	if (!found && sframe_step_to_thread_start(cur, to))
		return true;
	/*
	 * If a way out was @found, but not believed, only marks may still help, or how it was
	 * entered if that way needs FP.
	 */
	return ((!found || !cur->fp_known) && sframe_step_by_entry(cur, to)) ||
	       (by_prologue && sframe_step_by_prologue(cur, to)) ||
	       sframe_step_to_start(cur, to);
}

/* By the frame pointer, where the file keeps that; or else as this code was left before. */
static bool step_as_is_known(struct sframe_cursor *cur, bool bare, struct sframe_frame *to)
{
	if (sframe_rule_keeps_fp(&cur->rule))
		return sframe_step_by_kept_fp(cur, to);
	return bare && step_as_left_before(cur, to);
}

/* Leave code made at run time by what is quickly seen, and cannot be mistaken. */
static bool step_by_sure_sign(struct sframe_cursor *cur, struct sframe_frame *to)
{
	return (sframe_resumed_how(cur, cur->pc) && sframe_step_by_waiting_interpreter(cur, to)) ||
	       (cur->java.sp && sframe_step_by_java_frame(cur, to)) ||
	       sframe_step_by_call_mark(cur, to) || sframe_step_by_sure_call(cur, to);
}

/**
 * sframe_step_anew() - sframe_step_without_row(), of which no earlier step is known
 * @cur: the walk
 * @no_row: why there is no row
 * @to: filled in
 *
 * Where functions keep frame pointers, those are followed. Else first comes what the code at the
 * PC says within a few bytes (some hundred instructions on arm64 and s390x), then the record. If
 * that is not the function's own, there may be none: then code is followed farther, in functions
 * of which no rule is known, to where they are left, or else from where they begin. A signal
 * trampoline is told by its code.
 *
 * Context: as sframe_cursor_next().
 * Return: as sframe_step_without_row().
 */
enum sframe_reason sframe_step_anew(struct sframe_cursor *cur, enum sframe_reason no_row,
				    struct sframe_frame *to)
{
	bool bare = no_row == SFRAME_NO_TABLE;
	/* The code may have been made at run time: it is in no file that is a program's. */
	bool made = bare && !sframe_is_fixed(cur, cur->pc);
	/* The callee was Lisp: the caller mostly is, too, and that is quickly seen. */
	bool lisp = bare && cur->depth && cur->lisp_depth == cur->depth;
	/* Callers in files with a table: what their code says is kept for later walks. */
	bool early = no_row == SFRAME_NO_FDE && !cur->topmost, marked;
	/* s390x: a row was refused, as OCaml's are. Nothing else is as sure as a prologue. */
	bool refused = no_row == SFRAME_BAD_RULE && !cur->topmost && cur->abi->sp_slot;
	const struct sframe_sigframe *frame;
	u32 budget = cur->budget;
	enum sframe_reason reason;
	bool own;

	if (is_last_of_thread(cur, no_row))
		return SFRAME_OUTERMOST;
	if ((!made && step_as_is_known(cur, bare, to)) ||
	    (lisp && sframe_step_by_lisp_frame(cur, to)) ||
	    (made && step_by_sure_sign(cur, to)) ||
	    (refused && sframe_step_by_prologue(cur, to)))
		return SFRAME_OK;
	if (!sframe_spend(cur, SFRAME_COST_STEP))
		return SFRAME_FP_TOO_COSTLY;
	reason = sframe_sigreturn_at(cur, cur->pc, !cur->topmost, &frame);
	if (frame)
		return sframe_step_by_signal(cur, frame, to);
	if (reason)
		return reason;
	if (no_rule_is_known(no_row) && step_by_kind_of_code(cur, bare, made, &lisp, to))
		return SFRAME_OK;
	/* s390x: the prologue saves SP, too: better evidence than a way out past calls. */
	if (early && cur->abi->sp_slot && sframe_step_by_prologue(cur, to))
		return SFRAME_OK;
	if (sframe_step_by_code(cur, SFRAME_REACH_NEAR, to)) {
		/* Only by way of the record: before that is made, FP may be anything. */
		if (no_rule_is_known(no_row) && cur->fp >= cur->sp && to->cfa > cur->fp)
			sframe_find_caller_sp(cur, to);
		return SFRAME_OK;
	}
	if (sframe_step_by_jump(cur, to) ||
	    (early && !cur->abi->sp_slot && sframe_step_by_prologue(cur, to)))
		return SFRAME_OK;
	marked = made && sframe_mark_is_likely(cur);
	if (marked && sframe_step_by_mark_ahead(cur, to))
		return SFRAME_OK;
	reason = step_by_record(cur, no_row, made, to, &own);
	if (!no_rule_is_known(no_row))
		return reason;
	if (own)
		sframe_note_own_record(cur, budget - cur->budget);
	if (!reason) {
		sframe_find_caller_sp(cur, to);
		return SFRAME_OK;
	}
	if ((made && (sframe_step_by_vm_frame(cur, to) || sframe_step_by_last_call_mark(cur, to) ||
		      (!marked && sframe_step_by_mark_ahead(cur, to)))) ||
	    (bare && !lisp && sframe_step_by_lisp_frame(cur, to)))
		return SFRAME_OK;
	return step_by_code_farther(cur, !early && !refused, to) ? SFRAME_OK : reason;
}
