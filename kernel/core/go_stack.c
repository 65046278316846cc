// SPDX-License-Identifier: GPL-2.0
/*
 * From the stack of Go's scheduler back to the one that a goroutine has left. Called by
 * cursor.c for rules that are marked so (sframe_rule_by_go()).
 *
 * systemstack() and asmcgocall() put the scheduler's stack into SP, call, and go back.
 * FP does not lead back there, so what leads back is read as they do it. Where that is
 * in Go's structures differs from version to version, but their own code, behind the
 * call, says so (&sframe_abi.go_back).
 *
 * All that is read has to fit together: a thread says which goroutine is its
 * scheduler's, and which one it runs; both say that they are that thread's; the
 * scheduler's has saved the very SP that the walk has come to; and what is found lies
 * in the other one's stack. On s390x, which has no FP, nanotime1() and walltime() call
 * the vDSO on the scheduler's stack, and have told the thread their caller's PC and SP,
 * for Go's own walks.
 */
#include "cursor_impl.h"

/* Bytes of code behind the PC that are looked at; bytes read at a time. */
#define SEARCHED	192
#define CHUNK		96
/* Prices: of looking at a chunk; of reading a word. */
#define CHUNK_COST	1600
#define WORD_COST	64
/* A function that has not left its stack keeps the copy of SP at most this far below that SP. */
#define COPY_MAX	256

/* A goroutine begins with the lower and the upper end of its stack. */
#define STACK_END	8
/* A thread begins with the scheduler's goroutine. */
#define SCHEDULER	0

static bool read_go_field(struct sframe_cursor *cur, u64 base, u32 off, u64 *val)
{
	sframe_cursor_charge(cur, WORD_COST);
	return base && sframe_add(base, off, &base) &&
	       sframe_read_word(cur, base, val);
}

/* Is @sp in goroutine @g's stack? */
static bool sp_is_in_stack_of(struct sframe_cursor *cur, u64 g, u64 sp)
{
	u64 low, end;

	return read_go_field(cur, g, 0, &low) && read_go_field(cur, g, STACK_END, &end) &&
	       low < sp && sp <= end;
}

/* How the code behind the PC will go back. It may do something else first. */
static bool find_way_back(struct sframe_cursor *cur, struct sframe_go_back *back)
{
	const struct sframe_abi *abi = cur->abi;
	u8 code[CHUNK] __uninitialized;
	u32 at, i;

	for (at = 0; at < SEARCHED; at += CHUNK - SFRAME_GO_BACK_LEN) {
		if (!sframe_spend(cur, CHUNK_COST) ||
		    cur->ops->read_code(cur->ctx, cur->pc + at, code, CHUNK))
			return false;
		for (i = 0; i < CHUNK - SFRAME_GO_BACK_LEN; i += abi->insn_align) {
			if (!abi->go_back(code + i, back))
				continue;
			/*
			 * Not right at the PC: these two count from SP, which may still
			 * change.
			 */
			if (!at && !i)
				return true;
			if (back->way == SFRAME_GO_BY_SCHEDULER ||
			    back->way == SFRAME_GO_BY_THREAD)
				return true;
		}
	}
	return false;
}

/*
 * Go's code keeps the goroutine in a register: its value when registers were last known
 * is still right, unless C was called since. The checks show that.
 */
static bool find_sp_by_scheduler(struct sframe_cursor *cur,
				 const struct sframe_go_back *back, u64 *sp)
{
	u64 g, m, scheduler, curg, its_m, kept, left;

	if (!sframe_saved_reg(cur, cur->abi->go_reg, &g) ||
	    !read_go_field(cur, g, back->m, &m) ||
	    !read_go_field(cur, m, SCHEDULER, &scheduler) ||
	    !read_go_field(cur, m, back->curg, &curg))
		return false;
	*sp = cur->sp;
	if (g == curg)
		return sp_is_in_stack_of(cur, g, cur->sp);
	if (g != scheduler || !read_go_field(cur, curg, back->m, &its_m) ||
	    !read_go_field(cur, g, back->sp, &kept) ||
	    !read_go_field(cur, curg, back->sp, &left))
		return false;
	/* On the way back SP is changed last: it may be that of either stack. */
	if (its_m != m || (cur->sp != kept && cur->sp != left))
		return false;
	*sp = left;
	return sp_is_in_stack_of(cur, curg, left);
}

static bool find_sp_by_depth(struct sframe_cursor *cur,
			     const struct sframe_go_back *back, u64 *sp)
{
	u64 g, end, depth;

	if (!read_go_field(cur, cur->sp, back->g, &g) ||
	    !read_go_field(cur, cur->sp, back->sp, &depth) ||
	    !read_go_field(cur, g, STACK_END, &end) || depth > end)
		return false;
	*sp = end - depth;
	return sp_is_in_stack_of(cur, g, *sp);
}

static bool find_sp_by_copy(struct sframe_cursor *cur,
			    const struct sframe_go_back *back, u64 *sp)
{
	return read_go_field(cur, cur->sp, back->sp, sp) && *sp > cur->sp &&
	       *sp - cur->sp <= COPY_MAX;
}

/* @g: the goroutine that the function runs for, as far as is known. */
static bool find_sp_by_thread_of(struct sframe_cursor *cur, u64 g,
				 const struct sframe_go_back *back, u64 *sp)
{
	u64 m, scheduler, its_m, caller, pc, ra;

	if (!read_go_field(cur, g, back->m, &m) ||
	    !read_go_field(cur, m, SCHEDULER, &scheduler) ||
	    !read_go_field(cur, scheduler, back->m, &its_m) || its_m != m ||
	    !read_go_field(cur, m, back->sp, &caller) || !read_go_field(cur, m, back->pc, &pc))
		return false;
	*sp = caller - (cur->rule.cfa_off + cur->abi->sp_bias);
	return sp_is_in_stack_of(cur, g, *sp) && read_go_field(cur, *sp, 0, &ra) && ra == pc;
}

static bool find_sp_by_thread(struct sframe_cursor *cur,
			      const struct sframe_go_back *back, u64 *sp)
{
	u64 g;

	/* The function has copied SP to its register, but not left its stack yet. */
	if (cur->topmost && sframe_saved_reg(cur, back->sp_reg, sp) &&
	    *sp == cur->sp)
		return true;
	if (sframe_saved_reg(cur, cur->abi->go_reg, &g) &&
	    find_sp_by_thread_of(cur, g, back, sp))
		return true;
	return !cur->topmost && read_go_field(cur, cur->sp, back->g, &g) &&
	       find_sp_by_thread_of(cur, g, back, sp);
}

/**
 * sframe_go_stack() - what was SP where a function has left its stack?
 * @cur: the walk; its rule is one of that function's
 * @sp: set to that SP
 *
 * Context: as sframe_cursor_next().
 * Return: SFRAME_OK, or SFRAME_GO_NO_STACK.
 */
enum sframe_reason sframe_go_stack(struct sframe_cursor *cur, u64 *sp)
{
	struct sframe_go_back back;
	bool found;

	if (!cur->sp_known || !find_way_back(cur, &back))
		return SFRAME_GO_NO_STACK;
	if (back.way == SFRAME_GO_BY_SCHEDULER)
		found = find_sp_by_scheduler(cur, &back, sp);
	else if (back.way == SFRAME_GO_BY_DEPTH)
		found = find_sp_by_depth(cur, &back, sp);
	else if (back.way == SFRAME_GO_BY_THREAD)
		found = find_sp_by_thread(cur, &back, sp);
	else
		found = find_sp_by_copy(cur, &back, sp);
	return found ? SFRAME_OK : SFRAME_GO_NO_STACK;
}
