// SPDX-License-Identifier: GPL-2.0
/*
 * Interpreters that jump to functions instead of calling them (HotSpot's): no call
 * precedes the RA that they leave. The code there is known by how it reloads SP from
 * the interpreter's frame (&sframe_abi.resumes). The interpreter has stored SP there
 * before it jumped, so what was found can be verified. What it calls itself is left by that
 * call, and by code (sp_run.c). Called by fallback.c.
 */
#include "call_mark.h"
#include "cursor_impl.h"
#include "sp_run.h"

/* In the interpreter's frame, from FP: its SP when it has jumped, and its caller's SP. */
#define KEPT_SP		(-16)
#define CALLER_SP	(-8)
/* The caller's SP lies no more above the interpreter's record than its arguments take. */
#define CALLER_MAX	65536
/* Price of reading a record, and what the interpreter keeps below it. */
#define RECORD_COST	256
/*
 * The interpreter calls C from a few bytes of code that it has called itself, behind the next
 * jump. Below that RA it may have put a word, to align SP.
 */
#define LOCAL_MAX	256
#define LOCAL_WORDS	2
#define WORDS_COST	64

/**
 * sframe_note_resumed() - an interpreter is returned to somewhere
 * @cur: the walk, which does not know that yet
 * @at: where
 * @how: how it finds its SP there
 *
 * Context: any.
 */
void sframe_note_resumed(struct sframe_cursor *cur, u64 at, enum sframe_resume how)
{
	struct sframe_resumed *r = &cur->resumed;
	u32 i = r->nr++ % SFRAME_RESUMED_MAX;

	r->at[i] = at;
	r->how[i] = how;
}

/* How does the code at @ra reload SP? Not asked of programs' files. */
static enum sframe_resume resume_kind_at(struct sframe_cursor *cur, u64 ra)
{
	u8 code[SFRAME_RESUME_LEN];
	enum sframe_resume how;
	struct sframe_rule rule;

	how = sframe_resumed_how(cur, ra);
	if (how)
		return how;
	if (!cur->abi->resumes || cur->ops->find(cur->ctx, ra, &rule) != SFRAME_NO_TABLE ||
	    sframe_is_fixed(cur, ra))
		return SFRAME_RESUME_NOT;
	sframe_cursor_charge(cur, SFRAME_COST_CODE);
	if (cur->ops->read_code(cur->ctx, ra, code, sizeof(code)))
		return SFRAME_RESUME_NOT;
	how = cur->abi->resumes(code);
	/* Compilers may have such code behind a call. */
	if (!how || sframe_is_return_address(cur, ra))
		return SFRAME_RESUME_NOT;
	sframe_note_resumed(cur, ra, how);
	return how;
}

/**
 * sframe_resumes() - is an address where an interpreter is returned to?
 * @cur: the walk
 * @ra: the address
 *
 * Context: as sframe_cursor_next().
 * Return: true if so; false if the code cannot be read, or has a table.
 */
bool sframe_resumes(struct sframe_cursor *cur, u64 ra)
{
	return resume_kind_at(cur, ra) != SFRAME_RESUME_NOT;
}

/* The SP that an interpreter whose frame is at @fp has stored before it jumped; 0 if none. */
static u64 read_kept_sp(struct sframe_cursor *cur, enum sframe_resume how, u64 fp)
{
	u64 sp;

	if (how == SFRAME_RESUME_NOT || !sframe_read_word(cur, fp + KEPT_SP, &sp))
		return 0;
	if (how == SFRAME_RESUME_DISTANCE)
		sp = fp + sp * sizeof(u64);
	return sp % sizeof(u64) || sp > fp + KEPT_SP ? 0 : sp;
}

/*
 * If the topmost function has an interpreter's RA in its register, and FP is still at
 * the frame of one that has jumped: that one's SP, which is not below ours. Else 0.
 */
static u64 read_jumped_from_sp(struct sframe_cursor *cur, u64 *ra)
{
	u64 sp;

	if (!cur->topmost || !cur->abi->resumes ||
	    !sframe_saved_reg(cur, cur->abi->jump_reg, ra))
		return 0;
	*ra &= cur->ra_bits;
	sp = read_kept_sp(cur, resume_kind_at(cur, *ra), cur->fp);
	return sp < cur->sp ? 0 : sp;
}

/**
 * sframe_resume_in_register() - was the topmost function just jumped to by an interpreter?
 * @cur: the walk
 *
 * Then FP is at the interpreter's record, and the RA is in a register, as the function
 * may have to make room on the stack before it pushes that. The register may still hold
 * it when the function has made its own record; but no SP was stored in that frame.
 *
 * Context: as sframe_cursor_next().
 * Return: true if it may have been.
 */
bool sframe_resume_in_register(struct sframe_cursor *cur)
{
	u64 ra;

	return read_jumped_from_sp(cur, &ra);
}

/**
 * sframe_resume_at() - was the function jumped to by an interpreter, which left this RA?
 * @cur: the walk
 * @slot: address of the RA; right below SP, if it is still in its register, which tells
 *	that the function has called nobody
 * @to: the caller, with @ra and @fp; @sp is filled in
 *
 * Context: as sframe_cursor_next().
 * Return: true if so.
 */
bool sframe_resume_at(struct sframe_cursor *cur, u64 slot, struct sframe_frame *to)
{
	u64 sp;

	if (!to->fp_known ||
	    (slot < cur->sp && cur->pc - (to->ra & cur->ra_bits) < SFRAME_RESUME_LEN))
		return false;
	/* The interpreter's SP lies between the function's frame and its own. */
	sp = read_kept_sp(cur, resume_kind_at(cur, to->ra & cur->ra_bits), to->fp);
	if (sp <= slot)
		return false;
	to->sp = sp;
	to->sp_known = true;
	return true;
}

/**
 * sframe_resume_is_stale() - was a word on the stack left over by what an interpreter called?
 * @cur: the walk, FP known
 * @word: the word, without a PAC
 *
 * An interpreter points FP at its own record, and clears the SP that it has stored there
 * when it goes on. If @word were the running function's RA, an interpreter would wait for it
 * to return: FP would still be at that one's record, where an SP is stored. Unless the
 * function has pointed FP elsewhere: but then to its own record, whose RA is another word.
 *
 * Context: as sframe_cursor_next().
 * Return: true if an interpreter is returned to there, and none waits at FP.
 */
bool sframe_resume_is_stale(struct sframe_cursor *cur, u64 word)
{
	u64 kept;

	return cur->fp_known && sframe_resumes(cur, word) &&
	       sframe_read_word(cur, cur->fp + KEPT_SP, &kept) && !kept;
}

/**
 * sframe_resume_is_next() - is a RA where a function finds it that was jumped to?
 * @slot: address of the RA
 * @sp: the interpreter's SP
 *
 * A compiled function without arguments on the stack finds it right below the
 * interpreter's SP, or below that aligned.
 *
 * Context: Any.
 * Return: true if so. Else it may be left over from another call.
 */
bool sframe_resume_is_next(u64 slot, u64 sp)
{
	return slot == sp - sizeof(u64) || slot == (sp & ~15ull) - sizeof(u64);
}

/**
 * sframe_step_by_jump() - leave a function that an interpreter has just jumped to, by
 *	its register
 * @cur: the walk
 * @to: filled in
 *
 * The function holds its RA in a register, to store it below the room that it makes. Where
 * that may be any register, nothing from SP to the interpreter's SP looks like an RA until
 * then. The link register says so by itself: it holds what the last call, or the last
 * return, has left there; and where one has returned, the interpreter soon waits no more.
 *
 * Context: as sframe_cursor_next().
 * Return: true if it is such a function.
 */
bool sframe_step_by_jump(struct sframe_cursor *cur, struct sframe_frame *to)
{
	bool linked = cur->abi->jump_reg == cur->abi->ra_reg;
	struct sframe_claim claim = { .asked = true };
	u64 ra, sp = read_jumped_from_sp(cur, &ra);

	if (!sp || !cur->sp_known || cur->sp % sizeof(u64) ||
	    (linked && cur->pc - ra < SFRAME_RESUME_LEN) ||
	    (!linked && sframe_scan_words(cur, cur->sp, sp, &claim, NULL)))
		return false;
	*to = sframe_frame_at(sp > cur->cfa ? sp : cur->cfa + 1, sp, ra);
	to->fp = cur->fp;
	to->fp_known = true;
	return true;
}

/**
 * sframe_interp_caller_sp() - the SP of an interpreter's caller
 * @cur: the walk, in the interpreter, with FP at its record
 * @slot: address of the RA in that record
 * @to: the caller, by that record; its @sp is filled in
 *
 * The record does not tell it, as the caller's arguments may have been moved: it is stored
 * in the frame.
 *
 * Context: as sframe_cursor_next().
 * Return: true if it may be what is stored there.
 */
bool sframe_interp_caller_sp(struct sframe_cursor *cur, u64 slot, struct sframe_frame *to)
{
	u64 sp;

	if (!sframe_read_word(cur, cur->fp + CALLER_SP, &sp) || sp % sizeof(u64) ||
	    sp <= slot || sp - slot > CALLER_MAX)
		return false;
	to->sp = sp;
	to->sp_known = true;
	return true;
}

/**
 * sframe_sp_past_interpreter() - the SP of a compiled caller that may have called an interpreter
 * @cur: the walk, in a frame without a table
 * @to: the caller, by the record at FP; its @sp is filled in
 *
 * Above its record the interpreter makes room for variables beyond the arguments that it was
 * called with. It stores where SP was, and while it runs no SP beside it: whatever makes a record
 * and has that below it is taken for an interpreter. Callers that need no SP are left alone.
 *
 * Context: as sframe_cursor_next().
 */
void sframe_sp_past_interpreter(struct sframe_cursor *cur, struct sframe_frame *to)
{
	u64 kept, record_end = cur->fp + 2 * sizeof(u64);

	if (cur->abi->fallback != SFRAME_FALLBACK_FP_CFA || cur->pending != SFRAME_NO_TABLE ||
	    !cur->fp_known || !to->sp_known || to->sp != record_end ||
	    !sframe_read_call_mark(cur, to->ra & cur->ra_bits))
		return;
	sframe_cursor_charge(cur, RECORD_COST);
	if (sframe_read_word(cur, cur->fp + KEPT_SP, &kept) && !kept)
		sframe_interp_caller_sp(cur, record_end - sizeof(u64), to);
}

/**
 * sframe_step_by_waiting_interpreter() - leave the frame of an interpreter that waits for its
 *	callee, or goes on just now
 * @cur: the walk, in a frame without a table
 * @to: filled in
 *
 * The code at the PC finds the interpreter's record at FP: nothing else needs to be asked.
 *
 * Context: as sframe_cursor_next().
 * Return: true if it is such a frame.
 */
bool sframe_step_by_waiting_interpreter(struct sframe_cursor *cur, struct sframe_frame *to)
{
	u64 record, slot;

	if (!cur->fp_known || !sframe_resumes(cur, cur->pc))
		return false;
	sframe_cursor_charge(cur, RECORD_COST);
	if (!sframe_budget_left(cur) || sframe_record_at(cur, SFRAME_NO_TABLE, &record) ||
	    sframe_record_read(cur, record, to, &slot))
		return false;
	/* It was jumped to by another one, which has kept its SP; or was called. */
	return sframe_resume_at(cur, slot, to) ||
	       (sframe_is_return_address(cur, to->ra & cur->ra_bits) &&
		sframe_interp_caller_sp(cur, slot, to));
}

/* Where the RA lies of code called near the PC; 0: not right above SP. */
static u64 find_local_ra(struct sframe_cursor *cur, u64 *ra)
{
	u64 words[LOCAL_WORDS];
	unsigned int i;

	sframe_cursor_charge(cur, WORDS_COST);
	if (cur->ops->read(cur->ctx, cur->sp, words, sizeof(words)))
		return 0;
	for (i = 0; i < LOCAL_WORDS; i++) {
		*ra = words[i] & cur->ra_bits;
		if (cur->pc - *ra < LOCAL_MAX)
			return cur->sp + i * sizeof(u64);
	}
	return 0;
}

/**
 * sframe_step_by_local_call() - leave code that HotSpot's interpreter has called in itself
 * @cur: the walk, in a frame without a table
 * @to: filled in
 *
 * It calls C from there, and then returns: the code says so. The RA must be that of a call of
 * what is behind the next jump, and the PC near to that.
 *
 * Context: as sframe_cursor_next().
 * Return: true if so (x86-64).
 */
bool sframe_step_by_local_call(struct sframe_cursor *cur, struct sframe_frame *to)
{
	u64 ra, ra_at, target;
	struct sp_run run;

	if (cur->topmost || !cur->abi->find_call_mark || !cur->sp_known ||
	    cur->sp % sizeof(u64))
		return false;
	ra_at = find_local_ra(cur, &ra);
	if (!ra_at || !sframe_is_return_address(cur, ra))
		return false;
	target = sframe_call_target(cur, ra);
	if (target <= ra || target - ra > SFRAME_JUMP_MAX || !sframe_run_on(cur, false, &run) ||
	    !run.returns || run.changes_fp || run.sp - sizeof(u64) != ra_at)
		return false;
	*to = sframe_frame_above(ra_at, ra);
	to->fp = cur->fp;
	to->fp_known = cur->fp_known;
	return to->cfa > cur->cfa;
}
