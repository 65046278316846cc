// SPDX-License-Identifier: GPL-2.0
/*
 * How code goes on from an instruction to the next, and what it adds to SP. HotSpot's is run so
 * to its end: that says where the function has SP (mark_ahead.c), or where it returns to
 * (interp.c). Much less than leave.c knows, which looks for a way out by all paths; and much
 * quicker.
 */
#include "cursor_impl.h"
#include "leave.h"
#include "sp_run.h"

/* Instructions that a straight line takes. */
#define STRAIGHT_MAX	24
/* A part of a function that moves SP for a while has no more instructions; prices of one. */
#define APART_MAX	64
#define INSN_COST	160
/* If it is not quickly read. */
#define MORE_COST	256

/*
 * Is there a word that was pushed for a moment, so that SP is not aligned as at calls? Soon a
 * branch leads to where that is popped.
 */
static bool is_word_pushed(const struct sframe_cursor *cur, const struct sp_run *run)
{
	return run->sp % MARKED_SP_ALIGN && run->sp <= cur->sp;
}

static const u8 *read_insn(struct sframe_cursor *cur, struct leave_code *code, u64 at,
			   unsigned int *len)
{
	u64 window = code->at;
	const u8 *bytes;

	if (!sframe_spend(cur, INSN_COST))
		return NULL;
	bytes = leave_code_at(code, at, LEAVE_INSN_MAX, len);
	if (code->at != window)
		sframe_cursor_charge(cur, SFRAME_COST_CODE);
	return bytes;
}

static bool take_step(const struct sframe_abi *abi, const u8 *bytes, u64 at,
		      struct sframe_sp_step *step)
{
	if (abi->sp_step)
		return abi->sp_step(bytes, at, step);
	*step = (struct sframe_sp_step){};
	if (abi->fp_use)
		step->fp = abi->fp_use(bytes, &step->pop_at);
	return abi->insn(bytes, at, &step->insn);
}

/**
 * sframe_run_step() - read an instruction, see what it does, and pay for it
 * @cur: the walk
 * @code: what was read last
 * @at: where it is
 * @step: filled in; without &sframe_abi.sp_step, only what the instruction is, and uses FP
 *	for
 *
 * Context: as sframe_cursor_next().
 * Return: true; false if it is none, or cannot be read as a whole, or paid for.
 */
bool sframe_run_step(struct sframe_cursor *cur, struct leave_code *code, u64 at,
		     struct sframe_sp_step *step)
{
	unsigned int len;
	const u8 *bytes = read_insn(cur, code, at, &len);
	bool known = bytes && take_step(cur->abi, bytes, at, step);

	if (!known || step->slow)
		sframe_cursor_charge(cur, MORE_COST);
	return known && step->insn.len <= len;
}

/* Does a branch to @target only skip a jump at @at, to what seldom happens? */
static bool skips_jump(struct sframe_cursor *cur, struct leave_code *code, u64 at, u64 target)
{
	struct sframe_sp_step step;

	return target - at <= SFRAME_JUMP_MAX && sframe_run_step(cur, code, at, &step) &&
	       step.insn.len == target - at && step.insn.flags & SFRAME_INSN_STOPS;
}

/**
 * sframe_run_on() - follow code from the PC, in a straight line
 * @cur: the walk, SP known
 * @leave_loops: take all branches that lead forward, and one jump back; else only those while a
 *	word is pushed, and over jumps
 * @run: filled in
 *
 * Context: as sframe_cursor_next().
 * Return: false if it is not understood, takes too much, or leaves the function by a pointer with
 *	SP moved.
 */
bool sframe_run_on(struct sframe_cursor *cur, bool leave_loops, struct sp_run *run)
{
	struct leave_code code = { .read = cur->ops->read_code, .ctx = cur->ctx };
	const struct sframe_insn *insn;
	struct sframe_sp_step step;
	u64 at = cur->pc, next;
	bool back = false;
	unsigned int i;

	*run = (struct sp_run){ .sp = cur->sp };
	for (i = 0; i < APART_MAX && !run->ends; i++, at = next) {
		if (!sframe_run_step(cur, &code, at, &step))
			return false;
		insn = &step.insn;
		next = at + insn->len;
		run->ends = insn->flags & SFRAME_INSN_STOPS;
		run->changes_fp |= insn->flags & SFRAME_INSN_RESTORES;
		if (step.sp == SFRAME_SP_MOVED) {
			if (!step.added)
				return false;
			run->sp += step.added;
			run->returns = run->ends;
		} else if (step.sp == SFRAME_SP_HANDED_ON && run->sp != cur->sp) {
			return false;
		}
		if (!(insn->flags & SFRAME_INSN_JUMPS))
			continue;
		if (insn->target > at && (run->ends || leave_loops || is_word_pushed(cur, run) ||
					  skips_jump(cur, &code, next, insn->target))) {
			next = insn->target;
			run->ends = false;
		} else if (leave_loops && !back && run->ends) {
			next = insn->target;
			run->ends = false;
			back = true;
		}
	}
	return true;
}

/**
 * sframe_line_begin() - begin to run through code from the PC on, if that is where it happens to be
 * @cur: the walk
 * @line: filled in
 *
 * Context: any.
 * Return: false if it is behind a call; or without &sframe_abi.sp_step.
 */
bool sframe_line_begin(const struct sframe_cursor *cur, struct straight_line *line)
{
	if (!cur->abi->sp_step || !sframe_is_anywhere(cur))
		return false;
	*line = (struct straight_line){
		.code = { .read = cur->ops->read_code, .ctx = cur->ctx },
		.at = cur->pc,
		.left = STRAIGHT_MAX,
	};
	return true;
}

/**
 * sframe_line_next() - run up to the next instruction that is not plain
 * @cur: the walk
 * @line: the code
 *
 * Context: as sframe_cursor_next().
 * Return: false if there is none near, or not understood, or paid for.
 */
bool sframe_line_next(struct sframe_cursor *cur, struct straight_line *line)
{
	for (; line->left; line->at += line->step.insn.len) {
		line->left--;
		if (!sframe_run_step(cur, &line->code, line->at, &line->step))
			return false;
		if (!line->step.plain)
			return true;
	}
	return false;
}

/**
 * sframe_line_jump() - go on behind that instruction, if it does no more than jump
 * @line: the code
 *
 * Context: any.
 * Return: true if it does, or may; then the line leads to where it does in any case, else behind
 *	it. Back it leads once.
 */
bool sframe_line_jump(struct straight_line *line)
{
	const struct sframe_insn *insn = &line->step.insn;

	if (!(insn->flags & SFRAME_INSN_JUMPS))
		return false;
	if (!(insn->flags & SFRAME_INSN_STOPS)) {
		line->at += insn->len;
		return true;
	}
	if (insn->target <= line->at && line->back)
		return false;
	line->back |= insn->target <= line->at;
	line->at = insn->target;
	return true;
}
