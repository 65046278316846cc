// SPDX-License-Identifier: GPL-2.0
/*
 * HotSpot's frames on s390x. What it compiles, and its interpreter, keep a backchain as C
 * does, but RA beside it, right above the caller's SP. Called by fallback.c.
 *
 * So a caller's frame is left by two words. They count if the next frame is left likewise, or
 * C has entered Java there, whose registers are then at the frame's end. The topmost function
 * may have no frame yet: its code or the link register says so, or shows that it has one, as
 * functions use that for other things only then.
 */
#include "cursor_impl.h"
#include "follow.h"

/* From a frame's end: its RA; of the stub by which C enters Java, FP, RA and SP. */
#define RA_AT		8
#define ENTRY_FP	56
#define ENTRY_RA	80
#define ENTRY_SP	88
/* And the interpreter's SP, as it stores it there before it jumps. */
#define KEPT_SP		(-32)
/* Frames have that size, at least and at most. */
#define FRAME_MIN	16
#define FRAME_MAX	65536
/* The interpreter executes no more than that before it uses the link register otherwise. */
#define RESUMES_MAX	256
/* Price of a word. */
#define WORD_COST	64

/* What is at an address that may be a RA. */
enum java_ra {
	NO_JAVA_RA,
	AFTER_CALL,
	IN_INTERPRETER,
};

/*
 * Is @ra in code without a table, and there behind a call, or where the interpreter goes on
 * that has jumped to a function?
 */
static enum java_ra java_ra_kind(struct sframe_cursor *cur, u64 ra)
{
	u8 code[SFRAME_CALL_LEN_MAX + SFRAME_CHAIN_RESUME_LEN];
	unsigned int before = cur->abi->call_len;
	struct sframe_rule rule __uninitialized;

	sframe_cursor_charge(cur, SFRAME_COST_CODE);
	if (!ra || cur->ops->find(cur->ctx, ra - 1, &rule) != SFRAME_NO_TABLE ||
	    cur->ops->read_code(cur->ctx, ra - before, code, before + SFRAME_CHAIN_RESUME_LEN))
		return NO_JAVA_RA;
	if (cur->abi->chain_resumes(code + before))
		return IN_INTERPRETER;
	return cur->abi->after_call(code) ? AFTER_CALL : NO_JAVA_RA;
}

/* Is the frame's end where C's registers were saved as it entered Java, SP among them? */
static bool read_entry(struct sframe_cursor *cur, struct sframe_java_link *link)
{
	struct sframe_rule rule __uninitialized;
	u64 sp;

	sframe_cursor_charge(cur, 2 * WORD_COST + SFRAME_COST_CODE);
	return sframe_read_word(cur, link->up + ENTRY_SP, &sp) && sp == link->up &&
	       sframe_read_word(cur, link->up + ENTRY_RA, &link->ra) && link->ra &&
	       !cur->ops->find(cur->ctx, link->ra - 1, &rule) &&
	       sframe_is_return_address(cur, link->ra);
}

/* How does the chain go on from a frame of Java's with SP at @sp? False if it is none. */
static bool read_link(struct sframe_cursor *cur, u64 sp, struct sframe_java_link *link)
{
	sframe_cursor_charge(cur, 2 * WORD_COST);
	if (!sframe_budget_left(cur) || sp % sizeof(u64) || !sframe_read_word(cur, sp, &link->up) ||
	    link->up % sizeof(u64) || link->up - sp < FRAME_MIN || link->up - sp > FRAME_MAX ||
	    !sframe_read_word(cur, link->up + RA_AT, &link->ra))
		return false;
	link->by_c = java_ra_kind(cur, link->ra) == NO_JAVA_RA;
	if (link->by_c && !read_entry(cur, link))
		return false;
	link->sp = sp;
	return true;
}

/* The same for the frame that the walk is at; keep the next one in @cur->java. */
static bool read_two_links(struct sframe_cursor *cur, struct sframe_java_link *link)
{
	*link = cur->java;
	cur->java.sp = 0;
	if ((!link->sp || link->sp != cur->sp) && !read_link(cur, cur->sp, link))
		return false;
	return link->by_c || read_link(cur, link->up, &cur->java);
}

/* Is the link register's @word in the topmost function, which a call has returned to? */
static bool has_returned_here(struct sframe_cursor *cur, u64 word)
{
	if (word <= cur->pc)
		return cur->pc - word <= SFRAME_FOLLOW_MAX &&
		       sframe_follow(cur, word, cur->pc, FOLLOW_RUNS) & LEADS_THERE;
	return word - cur->pc <= SFRAME_FOLLOW_MAX &&
	       sframe_follow(cur, cur->pc, word, 0) & LEADS_THERE;
}

/*
 * Might @link, whose RA is in the link register, be the caller's, that has called itself by the
 * same call, through a stub that has no frame? Then the frame after it is one of the same
 * function, and of the same size. (Stubs are kept apart from functions: farther away than
 * has_returned_here() looks.)
 */
static bool may_be_callers(struct sframe_cursor *cur, const struct sframe_java_link *link)
{
	return !link->by_c && cur->java.up - cur->java.sp == link->up - link->sp;
}

/*
 * Has the topmost function a frame, by which @link was found? It certainly has if the link
 * register is not where it returns to: if that is no RA at all, or of a call that the function
 * has made, or if the function is the interpreter, which has just been returned to.
 */
static bool has_frame(struct sframe_cursor *cur, const struct sframe_java_link *link)
{
	u64 word = cur->ra;

	if (word == link->ra && !may_be_callers(cur, link))
		return true;
	switch (java_ra_kind(cur, word)) {
	case AFTER_CALL:
		return has_returned_here(cur, word);
	case IN_INTERPRETER:
		return cur->pc - word < RESUMES_MAX;
	default:
		return !sframe_may_be_ra(cur, word);
	}
}

/* Has the interpreter jumped to the topmost function? Then the SP that it has stored is ours. */
static bool was_jumped_to(struct sframe_cursor *cur, u64 up)
{
	u64 kept;

	sframe_cursor_charge(cur, WORD_COST);
	return sframe_read_word(cur, up + KEPT_SP, &kept) && kept == cur->sp &&
	       cur->pc - cur->ra >= RESUMES_MAX &&
	       java_ra_kind(cur, cur->ra) == IN_INTERPRETER;
}

/* Has the topmost function a frame, by its code at the PC? */
static enum sframe_chain_at ask_code(struct sframe_cursor *cur)
{
	u8 code[SFRAME_CHAIN_AT_LEN];

	sframe_cursor_charge(cur, SFRAME_COST_CODE);
	return cur->ops->read_code(cur->ctx, cur->pc, code, sizeof(code)) ?
	       SFRAME_CHAIN_UNKNOWN : cur->abi->chain_at(code);
}

/**
 * sframe_step_by_java_frame() - leave a frame of HotSpot's by its backchain
 * @cur: the walk, in a frame without a table
 * @to: filled in
 *
 * Context: as sframe_cursor_next().
 * Return: true if it is such a frame (s390x).
 */
bool sframe_step_by_java_frame(struct sframe_cursor *cur, struct sframe_frame *to)
{
	enum sframe_chain_at code = SFRAME_CHAIN_UNKNOWN;
	struct sframe_java_link link;

	if (!cur->abi->chain_resumes || !cur->sp_known || !read_two_links(cur, &link))
		return false;
	if (cur->topmost)
		code = ask_code(cur);
	if (code == SFRAME_CHAIN_UNLINKED)
		return false;
	if (cur->topmost && (code == SFRAME_CHAIN_UNMADE || was_jumped_to(cur, link.up))) {
		*to = sframe_frame_at(cur->cfa + 1, cur->sp, cur->ra);
		return java_ra_kind(cur, cur->ra) != NO_JAVA_RA;
	}
	*to = sframe_frame_at(link.up - cur->abi->sp_bias, link.up, link.ra);
	if (link.by_c)
		to->fp_known = sframe_read_word(cur, link.up + ENTRY_FP, &to->fp);
	return to->cfa > cur->cfa && (!cur->topmost || has_frame(cur, &link));
}
