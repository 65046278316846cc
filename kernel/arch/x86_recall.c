// SPDX-License-Identifier: GPL-2.0
/*
 * x86-64: a path to where a function is left comes to a branch, from which others were followed
 * before. Most of a function's code lies between branches and does not move SP or FP: so what is
 * found out from one PC helps all others before the same branch, and those that lead there.
 */
#include "x86_leave.h"

/* A loop's beginning lies nearer before a branch to it, bytes. */
#define FAR_BACK	4096

/* Is SP as it was at the PC, and is nothing else known that could matter, but what FP is? */
static bool is_as_at_pc(const struct x86_search *s, const struct leave_path *p)
{
	return p->sp == s->all.lv->sp && !p->fp.saved && !s->rpython && !s->constant_reg;
}

static bool fp_is_as_at_pc(const struct x86_search *s, const struct leave_path *p)
{
	return p->fp.is == LEAVE_KEPT && p->fp_known == !s->all.lv->fp_lost;
}

/* Does it not matter what FP is, as the caller's is on the stack? */
static bool is_without_fp(const struct sframe_leave *lv)
{
	return lv->fp_at && !lv->by_fp;
}

/*
 * The first branch of all: what is found from the PC on holds from there on, too, if FP is the
 * same, or is used for data. If it is the caller's already, this may be another function, that
 * was jumped to; and if it was set to a place on the stack, SP may be moved beside that.
 */
static void note_branch(struct x86_search *s, const struct leave_path *p, u64 branch)
{
	struct sframe_leave *lv = s->all.lv;

	s->branched_by_fp = fp_is_as_at_pc(s, p);
	if (!s->branched_by_fp && (p->fp.is != LEAVE_LOST || p->fp_known))
		return;
	lv->branch = branch;
	lv->branch_cost = lv->cost;
}

/*
 * Is what is known true for this path, which has stored to the stack? And not worse than what
 * it may lead to, which is as sure as the path is?
 */
static bool is_known_for_path(const struct x86_search *s, const struct leave_path *p,
			      const struct sframe_leave *known)
{
	return !known->mark && (known->sure || !p->sure) &&
	       (fp_is_as_at_pc(s, p) || is_without_fp(known)) &&
	       (!known->fp_at || sframe_x86_is_old(p, known->fp_at)) &&
	       sframe_x86_is_old(p, known->ra_at);
}

/**
 * sframe_x86_is_known() - is it known how the function is left from a branch on?
 * @s: the search
 * @p: the path that has come there; if it is known, it goes on to where RA is
 * @branch: address of the branch
 *
 * Context: any that &sframe_leave.recall allows.
 * Return: true if so.
 */
bool sframe_x86_is_known(struct x86_search *s, struct leave_path *p, u64 branch)
{
	struct sframe_leave *lv = s->all.lv, known __uninitialized;
	bool first = !s->branched;

	s->branched = true;
	if (!lv->recall || !is_as_at_pc(s, p))
		return false;
	if (first)
		note_branch(s, p, branch);
	if (!lv->recall(s->all.code.ctx, branch, lv, &known) || !is_known_for_path(s, p, &known))
		return false;
	lv->branch_known = first;
	p->sp = known.ra_at;
	s->popped = known.sp - known.ra_at - sizeof(u64);
	p->sure &= known.sure;
	p->returns = known.returns;
	if (known.fp_at)
		p->fp.is = known.fp_at;
	else if (known.fp_lost)
		p->fp.is = LEAVE_LOST;
	lv->by_fp |= known.by_fp;
	lv->from_fp |= known.by_fp;
	return true;
}

/**
 * sframe_x86_check_branch() - a way out was found: does it hold for the noted branch, too?
 * @s: the search; if not, the branch is forgotten
 *
 * Context: any.
 */
void sframe_x86_check_branch(const struct x86_search *s)
{
	struct sframe_leave *lv = s->all.lv;

	if (!s->branched_by_fp && !is_without_fp(lv))
		lv->branch = 0;
}

/**
 * sframe_x86_note_default() - note a branch that may be that of a switch's default
 * @s: the search; the path that begins there waits
 * @p: the path that is taken first, behind the branch
 * @in: the branch
 * @target: where it leads
 *
 * That is "ja", far back, into another section. If gcc finds out late that the default is never
 * reached, it leads to an empty place, before some other function.
 */
void sframe_x86_note_default(struct x86_search *s, const struct leave_path *p,
			     const struct x86_insn *in, u64 target)
{
	bool far = target < p->pc && p->pc - target > FAR_BACK;

	s->far_default = in->map && in->op == 0x87 && far ? s->all.nr_paths : 0;
}

/**
 * sframe_x86_drop_default() - do not go a switch's default way, if that may be none
 * @s: the search
 * @step: what comes of the jump by a pointer to where the switch leads
 *
 * Return: @step.
 */
enum leave_step sframe_x86_drop_default(struct x86_search *s, enum leave_step step)
{
	if (step == GIVE_UP && s->far_default && s->far_default == s->all.nr_paths)
		s->all.nr_paths--;
	return step;
}
