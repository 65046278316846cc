// SPDX-License-Identifier: GPL-2.0
/*
 * Code made at run time that keeps frame pointers, as engines of JavaScript do. Is the record at FP
 * the running function's own? To see that takes some thousand instructions for each frame, as its
 * words that look like RAs are many (words.c), and deep stacks get cut for it. But it is the same
 * each time at a PC: so where it was seen, that is kept, as an answer of the code around the PC.
 *
 * It was seen if the walk has left the frame by its record, and there is more to it than that no
 * word spoke against that: the function was followed from where it makes the record, or goes on
 * with it. FP might be data else, and point to where an older call has left a record.
 */
#include "answers_impl.h"
#include "call_mark.h"
#include "cursor_impl.h"
#include "questions.h"

/* So many bytes before the PC, and from there on, have to be as they were, in the same page. */
#define AROUND		48
#define PAGE		4096
/* Price of reading a record, and asking whether it is known to be the function's own. */
#define ASK_COST	752

/* Is this frame's PC where it happens to be, and not behind a call? */
static bool is_anywhere(const struct sframe_cursor *cur)
{
	return cur->topmost || (cur->exact_depth && cur->exact_depth == cur->depth) ||
	       (cur->lr_depth && cur->lr_depth == cur->depth);
}

/*
 * May FP be at a record of its own? Not asked where something else tells of the frame: SBCL's
 * callers make records, before they call, and an interpreter that was returned to has another SP.
 */
static bool may_have_own(const struct sframe_cursor *cur)
{
	return cur->abi->fallback != SFRAME_FALLBACK_BACKCHAIN && cur->fp_known &&
	       cur->fp - cur->sp < SFRAME_STACK_MAX && cur->fp % SFRAME_RECORD_ALIGN == 0 &&
	       !(cur->lisp_depth && cur->lisp_depth == cur->depth) && cur->pc != cur->resumes_at;
}

/* Read the record: does it lead to a caller, and from there on upwards? */
static bool read_own(struct sframe_cursor *cur, struct sframe_frame *to, u64 *slot)
{
	return sframe_spend(cur, ASK_COST) && !sframe_record_read(cur, cur->fp, to, slot) &&
	       to->fp > cur->fp && to->fp - cur->fp < SFRAME_STACK_MAX &&
	       sframe_is_return_address(cur, to->ra & cur->ra_bits);
}

/*
 * Code that one function jumps to, and so runs in its frame, may be called by another one: so the
 * call before the record's RA has to be of the same function, as far as it names one. If the same
 * function calls it, its RA takes a word, and SP is 8 bytes farther from the record: so where SP is
 * known, the distance has to be the same.
 */
static void ask_whose(const struct sframe_cursor *cur, u64 ra, struct sframe_asking *asking)
{
	u8 call[SFRAME_CALL_LEN_MAX];

	asking->answer = (struct sframe_answer){
		.from = cur->pc,
		.asked = OWNS_RECORD | (is_anywhere(cur) ? TOPMOST : 0) |
			 (cur->sp_known ? 0 : SP_UNKNOWN),
		.fp = cur->fp - cur->sp,
	};
	if (!cur->ops->read_code(cur->ctx, ra - cur->abi->call_len, call, cur->abi->call_len))
		asking->answer.to = cur->abi->call_target(call, ra);
	asking->lasts = false;
	asking->often = false;
	asking->away = false;
	asking->reads = 0;
	asking->code.nr = 0;
}

/**
 * sframe_step_by_own_record() - leave a frame by the record at FP, where that was seen to be the
 *	function's own
 * @cur: the walk, in code made at run time
 * @to: filled in
 *
 * Context: as sframe_cursor_next().
 * Return: true if it was.
 */
bool sframe_step_by_own_record(struct sframe_cursor *cur, struct sframe_frame *to)
{
	struct sframe_asking asking __uninitialized;
	bool known;
	u64 slot;

	/* In most programs none was ever seen. */
	if (!may_have_own(cur) || !sframe_answer_noted(cur, 0, HINT_OWNS) ||
	    !read_own(cur, to, &slot))
		return false;
	ask_whose(cur, to->ra & cur->ra_bits, &asking);
	known = sframe_answer_known(cur, &asking);
	cur->asking = NULL;
	if (!known)
		return false;
	if (sframe_ra_is_copy(cur, slot, to->ra))
		to->sp_known = false;
	sframe_find_caller_sp(cur, to);
	return true;
}

/**
 * sframe_note_own_record() - a frame was left by the record at FP, which was seen to be its own
 * @cur: the walk, in code made at run time
 * @paid: what it took to see that, instructions
 *
 * What is left otherwise if more is known of it is not kept: HotSpot's code, by the marks behind
 * its calls, Lisp, and where an interpreter is returned to.
 *
 * Context: as sframe_cursor_next().
 */
void sframe_note_own_record(struct sframe_cursor *cur, u32 paid)
{
	u32 before = cur->pc % PAGE, after = PAGE - before;
	struct sframe_asking asking __uninitialized;
	struct sframe_frame to;
	u64 slot;

	/* x86-64: where SP is lost, nothing tells who was jumped to from who was called. */
	if (!may_have_own(cur) || (cur->abi->sp_step && !cur->sp_known) ||
	    !read_own(cur, &to, &slot) || sframe_read_call_mark(cur, cur->pc) ||
	    sframe_resumes(cur, cur->pc) || sframe_may_be_lisp(cur))
		return;
	sframe_answer_note(cur, 0, HINT_OWNS, true);
	ask_whose(cur, to.ra & cur->ra_bits, &asking);
	if (sframe_answer_known(cur, &asking))
		return;
	asking.answer.says = FOUND | (cur->sp_known ? SFRAME_ANSWER_BY_FP : 0);
	before = before < AROUND ? before : AROUND;
	after = after < AROUND ? after : AROUND;
	asking.lasts &= sframe_ranges_add(&asking.code, cur->pc, cur->pc - before,
					  before + after);
	sframe_answer_keep(cur, &asking, paid);
}
