// SPDX-License-Identifier: GPL-2.0
/*
 * From the stack of Go's scheduler back to the one that a goroutine has left.
 *
 * systemstack() and asmcgocall() put the scheduler's stack into SP, call, and go back.
 * Where FP is not their own meanwhile, what goes back is read as they do it: where
 * things are in Go's structures differs from version to version, but their own code
 * says it, behind the call.
 *
 * Whether all this is what it seems to be, the values show: a thread says which
 * goroutine is its scheduler's, and which it runs, both say of which thread they are,
 * the scheduler's has kept the very SP that the walk has come to, and what it leads to
 * is in the other one's stack. s390x has no FP: there nanotime1() and walltime(), which
 * call the vDSO on the scheduler's stack, have told the thread for whom, for Go's own
 * walks.
 */
#include "cursor_impl.h"

/* Code that is looked at behind the PC, and how much of it at a time. */
#define SEARCHED	192
#define CHUNK		96
/* The price of that, and of reading a word. */
#define CHUNK_COST	1600
#define WORD_COST	64
/* What is put on the stack that was not left is so little. */
#define COPY_MAX	256

/* The bounds of its stack are the first that is in a goroutine. */
#define STACK_END	8
/* The scheduler's goroutine is the first that is in a thread. */
#define SCHEDULER	0

static bool read_go_field(struct sframe_cursor *cur, u64 base, u32 off, u64 *val)
{
	sframe_cursor_charge(cur, WORD_COST);
	return base && sframe_add(base, off, &base) &&
	       sframe_read_word(cur, base, val);
}

/* Is @sp in the stack of @g? */
static bool sp_is_in_stack_of(struct sframe_cursor *cur, u64 g, u64 sp)
{
	u64 low, end;

	return read_go_field(cur, g, 0, &low) && read_go_field(cur, g, STACK_END, &end) &&
	       low < sp && sp <= end;
}

/* The way back that the code at the PC goes, or will go soon. */
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
			/* The stack may be another one, before. */
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
 * What Go has compiled keeps the goroutine in a register. So that is what it was when
 * registers were known last; unless C was called, which the values show.
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
	/* SP is the last that is changed. */
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

/* The goroutine is where registers were known last, or where C has saved it. */
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

	/* It has copied SP, but has not left its stack. */
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
 * sframe_go_stack() - where is the frame of a function that has left its stack?
 * @cur: the walk, in that function
 * @sp: set to what SP was there
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
