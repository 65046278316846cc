/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the files share that step from a frame to its caller: cursor.c, by a rule;
 * fallback.c and those that it calls, without one.
 */
#ifndef SFRAME_CURSOR_IMPL_H
#define SFRAME_CURSOR_IMPL_H

#include <sframe/cursor.h>

/*
 * The budget, in instructions, of a walk for which none was set: one that may sleep, so
 * only its own task waits for it.
 */
#define SFRAME_BUDGET		1000000
/*
 * Prices in instructions, about, as measured on x86-64 with all mitigations on: of
 * leaving a frame otherwise than by its rule; of reading a few bytes of code and
 * looking at them; of asking whether code is in a program's file.
 */
#define SFRAME_COST_STEP	928
#define SFRAME_COST_CODE	256
#define SFRAME_COST_FIXED	64
/* A frame record has the alignment of its words, and so has SP. */
#define SFRAME_RECORD_ALIGN	8
/* Signal frames, and steps to a lower stack, in one walk: each lets the CFA go down once. */
#define SFRAME_SIGNALS_MAX	8

/* The caller to which @ra returns, found without a rule; its FP is not known. */
static inline struct sframe_frame sframe_frame_at(u64 cfa, u64 sp, u64 ra)
{
	return (struct sframe_frame){
		.cfa = cfa,
		.sp = sp,
		.ra = ra,
		.sp_known = true,
		.fallback = true,
	};
}

/* The same, if @ra lies at @at, right below the caller's SP. */
static inline struct sframe_frame sframe_frame_above(u64 at, u64 ra)
{
	return sframe_frame_at(at + sizeof(u64), at + sizeof(u64), ra);
}

/**
 * enum sframe_reach - how far code is followed to where a function is left
 * @SFRAME_REACH_NEAR: a few hundred instructions at most
 * @SFRAME_REACH_FAR: as far as the budget allows
 * @SFRAME_REACH_PART: as far as a small part of the budget allows
 * @SFRAME_REACH_SP: as far as a larger part allows; a way out that does not tell the caller's
 *	SP is passed over, as long as there are others
 * @SFRAME_REACH_KNOWN: only where it was followed before, as for SFRAME_REACH_FAR
 */
enum sframe_reach {
	SFRAME_REACH_NEAR,
	SFRAME_REACH_FAR,
	SFRAME_REACH_PART,
	SFRAME_REACH_SP,
	SFRAME_REACH_KNOWN,
};

/**
 * enum sframe_word - what a word on the stack is that follows a call
 * @SFRAME_WORD_STALE: left over: the running function does not return there
 * @SFRAME_WORD_RA: the running function's RA
 * @SFRAME_WORD_DOUBTFUL: it may be its RA
 */
enum sframe_word {
	SFRAME_WORD_STALE,
	SFRAME_WORD_RA,
	SFRAME_WORD_DOUBTFUL,
};

/**
 * struct sframe_claim - what speaks for the RA that was found without a row; the code
 *	is asked only when a word speaks against it
 * @ra: that RA, without a PAC
 * @ra_at: where it lies, if @by_code
 * @by_code: code says that it lies there; else it is that of the record at FP
 * @bare: nothing is known of the file, or of the code around the PC; if @by_code, of the file,
 *	and the code was followed far
 * @target: if @named, the function that the call before @ra calls, 0 if not known
 * @start: if @holds, the running function begins there or later
 * @named: it was asked which function that is
 * @asked: the code was asked: that and the following are known
 * @holds: @ra is shown to be the running function's own
 * @certain: and it is certain where the function begins
 * @loaded: the function will reload RA from the record, or no other lies between SP and that
 * @before: @by_code, and @target is before the PC, no farther than functions are long
 */
struct sframe_claim {
	u64 ra;
	u64 ra_at;
	u64 target;
	u64 start;
	bool by_code;
	bool bare;
	bool named;
	bool asked;
	bool holds;
	bool certain;
	bool loaded;
	bool before;
};

/**
 * struct sframe_found_ra - a word that was found to be the function's RA, in place of
 *	the record's
 * @at: its place, or 0
 * @ra: the RA
 */
struct sframe_found_ra {
	u64 at;
	u64 ra;
};

static inline bool sframe_add(u64 base, s64 off, u64 *sum)
{
	return !__builtin_add_overflow(base, off, sum);
}

static inline bool sframe_read_word(const struct sframe_cursor *cur, u64 addr,
				    u64 *val)
{
	return !cur->ops->read(cur->ctx, addr, val, sizeof(*val));
}

/* Is @addr in a file that is a program's, so that no code is made there? */
static inline bool sframe_is_fixed(struct sframe_cursor *cur, u64 addr)
{
	sframe_cursor_charge(cur, SFRAME_COST_FIXED);
	return cur->ops->is_fixed && cur->ops->is_fixed(cur->ctx, addr, 1);
}

/* What is left of the budget, less what the steps so far take if they went by rules. */
static inline u32 sframe_budget_left(const struct sframe_cursor *cur)
{
	u32 steps = cur->depth << SFRAME_FRAME_SHIFT;

	return cur->budget > steps ? cur->budget - steps : 0;
}

/* Is the frame's PC where it happens to be, and not behind a call? */
static inline bool sframe_is_anywhere(const struct sframe_cursor *cur)
{
	return cur->topmost || (cur->exact_depth && cur->exact_depth == cur->depth) ||
	       (cur->lr_depth && cur->lr_depth == cur->depth);
}

/* Charge @cost. False if that has used up the budget. */
static inline bool sframe_spend(struct sframe_cursor *cur, u32 cost)
{
	sframe_cursor_charge(cur, cost);
	return sframe_budget_left(cur) > 0;
}

/* If this walk has found that an interpreter is returned to at @at: how does it find its SP? */
static inline enum sframe_resume sframe_resumed_how(const struct sframe_cursor *cur, u64 at)
{
	const struct sframe_resumed *r = &cur->resumed;
	u32 i;

	for (i = 0; i < r->nr && i < SFRAME_RESUMED_MAX; i++)
		if (r->at[i] == at)
			return r->how[i];
	return SFRAME_RESUME_NOT;
}

/* The place that was found last, and @how; 0: none. */
static inline u64 sframe_resumed_last(const struct sframe_cursor *cur, enum sframe_resume *how)
{
	const struct sframe_resumed *r = &cur->resumed;
	u32 i = (r->nr - 1) % SFRAME_RESUMED_MAX;

	*how = r->nr ? r->how[i] : SFRAME_RESUME_NOT;
	return r->nr ? r->at[i] : 0;
}

/* Is @code, of SFRAME_ENTER_MARK_LEN bytes, what functions begin with (&sframe_abi.mark)? */
static inline bool sframe_is_mark(const struct sframe_abi *abi, const u8 *code)
{
	return code[0] == abi->mark && abi->is_mark(code);
}

/*
 * Has the running function an FDE whose row was refused, as OCaml's on s390x have
 * (sframe_quirk_is_ocaml())? V8 pushes registers as they begin, but has none.
 */
static inline bool sframe_row_is_refused(const struct sframe_cursor *cur)
{
	return !cur->pending && cur->rule.flags & SFRAME_RULE_BAD;
}

/*
 * Might there be code? Where that has changed, an address counts as no RA, but as a
 * word that may be one.
 */
static inline bool sframe_maybe_executable(enum sframe_reason found)
{
	return sframe_executable(found) || found == SFRAME_CHANGED;
}

/* The highest address that is too low for the CFA of a frame with @sp; ~0 if that wraps. */
static inline u64 sframe_lowest_cfa(const struct sframe_abi *abi, u64 sp)
{
	u64 cfa;

	return sframe_add(sp, abi->min_cfa - 1, &cfa) ? cfa : ~0ull;
}

/* Where FP is less than so many bytes above SP, it is on the stack, and may be at a record. */
#define SFRAME_STACK_MAX	0x100000

static inline bool sframe_fp_is_on_stack(const struct sframe_cursor *cur)
{
	return cur->fp_known && cur->fp - cur->sp < SFRAME_STACK_MAX;
}

/*
 * x86-64: in what GHC compiles FP is the pointer of Haskell's own stack, in the heap, nowhere
 * near SP, which most other code has FP near.
 */
static inline bool sframe_may_be_haskell(const struct sframe_cursor *cur)
{
	const struct sframe_abi *abi = cur->abi;

	return abi->stg_sp_reg != abi->fp_reg ||
	       (cur->fp_known && cur->fp && cur->fp - cur->sp > abi->stg_ra);
}

enum sframe_reason sframe_sigreturn_at(const struct sframe_cursor *cur, u64 pc,
				       bool start,
				       const struct sframe_sigframe **frame);
bool sframe_is_at_trampoline(struct sframe_cursor *cur);
bool sframe_saved_reg(const struct sframe_cursor *cur, unsigned int reg,
		      u64 *val);
enum sframe_reason sframe_step_by_signal(const struct sframe_cursor *cur,
					 const struct sframe_sigframe *frame,
					 struct sframe_frame *to);
enum sframe_reason sframe_value(const struct sframe_cursor *cur, u8 loc, s32 off,
				u64 cfa, u64 *val);
bool sframe_ra_past_leaf(const struct sframe_cursor *cur, u64 *ra);
bool sframe_goes_on_at(struct sframe_cursor *cur, u64 addr);
enum sframe_reason sframe_ra_aside(struct sframe_cursor *cur, u64 *ra);
enum sframe_reason sframe_cfa_past_leaf(struct sframe_cursor *cur, u64 *cfa);
enum sframe_reason sframe_ra_of_caller(const struct sframe_cursor *cur, u64 ra, u64 sp,
				       u64 *at);
enum sframe_reason sframe_go_stack(struct sframe_cursor *cur, u64 *sp);
enum sframe_reason sframe_scan_words(struct sframe_cursor *cur, u64 from, u64 to,
				     struct sframe_claim *claim,
				     struct sframe_found_ra *found);
bool sframe_other_in_register(struct sframe_cursor *cur, u64 ra,
			      struct sframe_claim *claim);
bool sframe_ra_is_copy(struct sframe_cursor *cur, u64 slot, u64 ra);
bool sframe_may_be_ra(struct sframe_cursor *cur, u64 word);
bool sframe_is_return_address(const struct sframe_cursor *cur, u64 ra);
bool sframe_has_just_begun(struct sframe_cursor *cur);
void sframe_note_resumed(struct sframe_cursor *cur, u64 at, enum sframe_resume how);
bool sframe_resumes(struct sframe_cursor *cur, u64 ra);
bool sframe_resume_in_register(struct sframe_cursor *cur);
bool sframe_resume_at(struct sframe_cursor *cur, u64 slot, struct sframe_frame *to);
bool sframe_resume_is_stale(struct sframe_cursor *cur, u64 word);
bool sframe_interp_caller_sp(struct sframe_cursor *cur, u64 slot, struct sframe_frame *to);
void sframe_sp_past_interpreter(struct sframe_cursor *cur, struct sframe_frame *to);
bool sframe_resume_is_next(u64 slot, u64 sp);
bool sframe_step_by_code(struct sframe_cursor *cur, enum sframe_reach reach,
			 struct sframe_frame *to);
bool sframe_goes_on_with_record(struct sframe_cursor *cur);
bool sframe_uses_record(struct sframe_cursor *cur);
bool sframe_step_by_kept_fp(struct sframe_cursor *cur, struct sframe_frame *to);
bool sframe_next_by_kept_fp(struct sframe_cursor *cur);
bool sframe_leaves_fp_alone(struct sframe_cursor *cur);
bool sframe_step_by_sure_call(struct sframe_cursor *cur, struct sframe_frame *to);
bool sframe_step_by_jump(struct sframe_cursor *cur, struct sframe_frame *to);
bool sframe_step_by_stg_run(struct sframe_cursor *cur, struct sframe_frame *to);
bool sframe_step_by_lisp_entry(struct sframe_cursor *cur, struct sframe_frame *to);
bool sframe_step_to_start(struct sframe_cursor *cur, struct sframe_frame *to);
bool sframe_ends_thread(struct sframe_cursor *cur, u64 ra);
bool sframe_step_to_thread_start(struct sframe_cursor *cur, struct sframe_frame *to);
bool sframe_step_without_frame(struct sframe_cursor *cur, bool bare, struct sframe_frame *to);
bool sframe_step_by_waiting_interpreter(struct sframe_cursor *cur, struct sframe_frame *to);
bool sframe_step_by_java_frame(struct sframe_cursor *cur, struct sframe_frame *to);
bool sframe_step_by_vm_frame(struct sframe_cursor *cur, struct sframe_frame *to);
bool sframe_may_be_lisp(struct sframe_cursor *cur);
bool sframe_step_by_lisp_frame(struct sframe_cursor *cur, struct sframe_frame *to);
bool sframe_left_by_lisp(struct sframe_cursor *cur, u64 word, u64 at);
bool sframe_caller_needs_sp(struct sframe_cursor *cur, u64 ra);
bool sframe_step_by_last_call_mark(struct sframe_cursor *cur, struct sframe_frame *to);
bool sframe_step_by_next_call_mark(struct sframe_cursor *cur, const struct sframe_leave *lv,
				   struct sframe_frame *to);
bool sframe_mark_is_likely(struct sframe_cursor *cur);
u64 sframe_begin_by_known_mark(struct sframe_cursor *cur);
bool sframe_step_by_mark_ahead(struct sframe_cursor *cur, struct sframe_frame *to);
bool sframe_step_by_local_call(struct sframe_cursor *cur, struct sframe_frame *to);
bool sframe_step_by_call_mark(struct sframe_cursor *cur, struct sframe_frame *to);
bool sframe_code_is_bare(struct sframe_cursor *cur, enum sframe_reason no_row);
u64 sframe_call_names(struct sframe_cursor *cur, u64 ra);
u64 sframe_call_target(struct sframe_cursor *cur, u64 ra);
bool sframe_find_ends(struct sframe_cursor *cur, u64 target, u64 to, bool *ends);
bool sframe_code_ends(struct sframe_cursor *cur, u64 target, u64 to);
u64 sframe_claim_target(struct sframe_cursor *cur, struct sframe_claim *claim);
bool sframe_claim_holds(struct sframe_cursor *cur, struct sframe_claim *claim);
enum sframe_word sframe_judge_word(struct sframe_cursor *cur,
				   struct sframe_claim *claim, u64 word);
enum sframe_reason sframe_record_at(const struct sframe_cursor *cur,
				    enum sframe_reason no_row, u64 *rec);
enum sframe_reason sframe_record_read(const struct sframe_cursor *cur, u64 rec,
				      struct sframe_frame *to, u64 *slot);
bool sframe_caller_sp_by_record(struct sframe_cursor *cur, struct sframe_frame *to);
bool sframe_is_level_with_record(struct sframe_cursor *cur, u64 target);
bool sframe_step_by_known_way(struct sframe_cursor *cur, struct sframe_frame *to);
void sframe_find_caller_sp(struct sframe_cursor *cur, struct sframe_frame *to);
void sframe_note_own_record(struct sframe_cursor *cur, u32 paid);
void sframe_note_certain_way(struct sframe_cursor *cur, const struct sframe_leave *lv,
			     const struct sframe_frame *to, u64 begin, bool entered, u32 paid);
bool sframe_record_is_of_called(struct sframe_cursor *cur, u64 ra, u64 *sp);
int sframe_read_asked(const struct sframe_cursor *cur, u64 addr, void *buf,
		      unsigned int len);
bool sframe_code_leaves(struct sframe_cursor *cur, struct sframe_leave *lv);
bool sframe_code_enters(struct sframe_cursor *cur, u64 from, struct sframe_leave *lv);
bool sframe_code_begins(struct sframe_cursor *cur, u64 from, struct sframe_leave *lv);
u64 sframe_code_mark(struct sframe_cursor *cur);
bool sframe_code_jumps(struct sframe_cursor *cur, u64 target, u64 to);
bool sframe_find_tail_jump(struct sframe_cursor *cur, u64 target, u64 to, bool *jumps);
u64 sframe_code_record(struct sframe_cursor *cur);
u64 sframe_code_begin(struct sframe_cursor *cur);
bool sframe_find_mark(struct sframe_cursor *cur, u64 *mark);
bool sframe_find_begin(struct sframe_cursor *cur, u64 *begin);
u64 sframe_begin_behind_gap(struct sframe_cursor *cur);
bool sframe_makes_record_first(struct sframe_cursor *cur, u64 begin);
u64 sframe_record_made_at_begin(struct sframe_cursor *cur);
bool sframe_entered_at(struct sframe_cursor *cur, u64 target, u64 slot, u32 share,
		       struct sframe_leave *lv);
bool sframe_entered_by_pointer(struct sframe_cursor *cur, u64 slot, struct sframe_leave *lv);
void sframe_frame_fp_entered(struct sframe_cursor *cur, const struct sframe_leave *lv,
			     struct sframe_frame *to);
bool sframe_step_by_entry(struct sframe_cursor *cur, struct sframe_frame *to);
bool sframe_sp_was_saved(struct sframe_cursor *cur, u64 sp);
bool sframe_step_by_prologue(struct sframe_cursor *cur, struct sframe_frame *to);
enum sframe_reason sframe_step_anew(struct sframe_cursor *cur, enum sframe_reason no_row,
				    struct sframe_frame *to);
enum sframe_reason sframe_step_without_row(struct sframe_cursor *cur, enum sframe_reason no_row,
					   struct sframe_frame *to);

#endif /* SFRAME_CURSOR_IMPL_H */
