// SPDX-License-Identifier: GPL-2.0
/*
 * Interpreters that jump to functions, in place of calling them: no call comes before
 * where they are returned to. That is known by its code, which takes SP from the frame,
 * where the interpreter has put it before it jumped: so what was found is verified.
 */
#include "cursor_impl.h"

/* Where SP is kept, and the caller's, from FP. */
#define KEPT_SP		(-16)
#define CALLER_SP	(-8)

/* Of code that belongs to a file, its table says more. */
static enum sframe_resume resume_kind_at(struct sframe_cursor *cur, u64 ra)
{
	u8 code[SFRAME_RESUME_LEN];
	struct sframe_rule rule;

	if (!cur->abi->resumes || cur->ops->find(cur->ctx, ra, &rule) != SFRAME_NO_TABLE)
		return SFRAME_RESUME_NOT;
	sframe_cursor_charge(cur, SFRAME_COST_CODE);
	if (cur->ops->read_code(cur->ctx, ra, code, sizeof(code)))
		return SFRAME_RESUME_NOT;
	return cur->abi->resumes(code);
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

/* Where an interpreter that has jumped has its SP, in its frame at @fp; 0 if nowhere. */
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
 * What the topmost function has in the register for it, if that is an interpreter's RA and
 * FP is at the record of one that has jumped: its SP, which is not below ours. Else 0.
 */
static u64 read_jumped_from_sp(struct sframe_cursor *cur, u64 *ra)
{
	u64 sp;

	if (!cur->topmost || !cur->abi->resumes ||
	    !sframe_saved_reg(cur, cur->abi->jump_reg, ra))
		return 0;
	sp = read_kept_sp(cur, resume_kind_at(cur, *ra), cur->fp);
	return sp < cur->sp ? 0 : sp;
}

/**
 * sframe_resume_in_register() - is FP at the record of an interpreter that has jumped?
 * @cur: the walk
 *
 * Where it has just jumped to, its RA is in a register, and may have to make place for
 * something on the stack. It is there still when the function has made its own record;
 * but in that frame no SP was put.
 *
 * Context: as sframe_cursor_next().
 * Return: true if it may be.
 */
bool sframe_resume_in_register(struct sframe_cursor *cur)
{
	u64 ra;

	return read_jumped_from_sp(cur, &ra);
}

/**
 * sframe_resume_at() - has an interpreter jumped to the function, and left this RA?
 * @cur: the walk
 * @slot: where the RA lies
 * @to: the caller, with @ra and @fp; its @sp is set
 *
 * Context: as sframe_cursor_next().
 * Return: true if so.
 */
bool sframe_resume_at(struct sframe_cursor *cur, u64 slot, struct sframe_frame *to)
{
	u64 sp;

	if (!to->fp_known)
		return false;
	/* Between the function's frame and what the interpreter's consists of. */
	sp = read_kept_sp(cur, resume_kind_at(cur, to->ra), to->fp);
	if (sp <= slot)
		return false;
	to->sp = sp;
	to->sp_known = true;
	return true;
}

/**
 * sframe_resume_is_next() - is a RA where the function has it that was jumped to?
 * @slot: where the RA lies
 * @sp: the interpreter's SP
 *
 * What is compiled, and has no arguments on the stack, finds it at the interpreter's SP,
 * or that aligned.
 *
 * Return: true if so. Else it may have been left over from another call.
 */
bool sframe_resume_is_next(u64 slot, u64 sp)
{
	return slot == sp - sizeof(u64) || slot == (sp & ~15ull) - sizeof(u64);
}

/**
 * sframe_step_by_jump() - leave a function that an interpreter has just jumped to
 * @cur: the walk
 * @to: filled in
 *
 * It holds its RA in a register, to push it again below what it makes place for: so
 * from there to where the interpreter's SP was, nothing looks like a RA.
 *
 * Context: as sframe_cursor_next().
 * Return: true if that is what it is.
 */
bool sframe_step_by_jump(struct sframe_cursor *cur, struct sframe_frame *to)
{
	struct sframe_claim claim = { .asked = true };
	u64 ra, sp = read_jumped_from_sp(cur, &ra);

	if (!sp || !cur->sp_known || cur->sp % sizeof(u64) ||
	    sframe_scan_words(cur, cur->sp, sp, &claim, NULL))
		return false;
	*to = (struct sframe_frame){
		.cfa = sp > cur->cfa ? sp : cur->cfa + 1,
		.sp = sp,
		.fp = cur->fp,
		.ra = ra,
		.sp_known = true,
		.fp_known = true,
		.fallback = true,
	};
	return true;
}

/**
 * sframe_step_by_resume() - leave the frame of an interpreter that has jumped
 * @cur: the walk; its PC is where the interpreter will be returned to
 * @slot: where the RA of the record at FP lies
 * @to: the caller, by the record; its @sp is set
 *
 * What calls an interpreted function may have to put its arguments to other places.
 *
 * Context: as sframe_cursor_next().
 * Return: true if that is what it is.
 */
bool sframe_step_by_resume(struct sframe_cursor *cur, u64 slot, struct sframe_frame *to)
{
	u64 sp;

	if (cur->topmost || !cur->fp_known || !sframe_resumes(cur, cur->pc) ||
	    !sframe_read_word(cur, cur->fp + CALLER_SP, &sp) ||
	    sp % sizeof(u64) || sp <= slot)
		return false;
	to->sp = sp;
	to->sp_known = true;
	return true;
}
