// SPDX-License-Identifier: GPL-2.0
/*
 * x86-64: how what SBCL compiles calls functions.
 *
 * The caller makes the record: it puts its FP where the called function's frame will be,
 * and points FP there. That one first moves RA from below the frame into the record.
 */
#include <sframe/abi.h>

#include "x86.h"

/*
 * A register, which is FP or has been, is put where another one points to, and FP then
 * points there: mov %rbp,(%rsp); mov %rsp,%rbp. 0, or how long that is.
 */
static unsigned int lending_len(const u8 *p)
{
	unsigned int base, len;

	if (p[1] != 0x89 || p[2] >= 0x40 || (p[0] & 0xfa) != X86_REX_W)
		return 0;
	base = p[2] & 7;
	len = base == X86_SP ? 4 : 3;
	if (base == X86_FP || (base == X86_SP && p[3] != 0x24))
		return 0;
	if (p[len] != (X86_REX_W | (p[0] & 1)) || p[len + 1] != 0x8b ||
	    p[len + 2] != (0xc0 | X86_FP << 3 | base))
		return 0;
	return len + 3;
}

/* Branches around one of two calls go no farther. */
#define BRANCH_MAX	32
/* Instructions looked at, one after the other, before the PC and behind it. */
#define BEHIND_MAX	8
#define BEFORE_MAX	16

/*
 * Behind @p FP has been lent: what is it at @pc? There may be two calls, of a function
 * or of what only names one, and a jump over the second. What is called when FP was given
 * back is something else.
 */
static enum sframe_lisp state_after_lending(const u8 *p, const u8 *pc, u32 *looks)
{
	const unsigned int other = SFRAME_INSN_BEGINS | SFRAME_INSN_RESTORES |
				   SFRAME_INSN_ANYWHERE;
	/* mov ...(%r13),%rax: there is where functions are. */
	static const u8 load[] = { 0x49, 0x8b, 0x45 };
	enum sframe_lisp lisp = SFRAME_LISP_LENT;
	const u8 *call = memcmp(p, load, sizeof(load)) ? p : p + sizeof(load) + 1;
	const u8 *second = NULL;
	struct sframe_insn insn;
	unsigned int i;

	/* Mostly, no more than that and the call. */
	if (call < pc && call + sframe_x86_call_len(call) == pc)
		return SFRAME_LISP_CALLED;
	for (i = 0; i < BEHIND_MAX && p < pc; i++, p += insn.len) {
		++*looks;
		if (!sframe_x86_insn(p, BRANCH_MAX, &insn) || insn.flags & other)
			return SFRAME_LISP_NOT;
		if (insn.flags & (SFRAME_INSN_JUMPS | SFRAME_INSN_STOPS) &&
		    (insn.target <= BRANCH_MAX || insn.target > 2 * BRANCH_MAX))
			return SFRAME_LISP_NOT;
		if (insn.flags & SFRAME_INSN_CALLS) {
			lisp = lisp == SFRAME_LISP_LENT ? SFRAME_LISP_CALLED :
							  SFRAME_LISP_OWN;
		} else if (insn.flags & SFRAME_INSN_STOPS) {
			if (p + insn.len != second)
				return SFRAME_LISP_NOT;
			lisp = SFRAME_LISP_LENT;
		} else if (insn.flags & SFRAME_INSN_JUMPS && lisp == SFRAME_LISP_LENT) {
			second = p + (insn.target - BRANCH_MAX);
		}
	}
	return p == pc ? lisp : SFRAME_LISP_NOT;
}

/* leave; clc; ret: one value is returned. */
static bool is_return_of_one(const u8 *p)
{
	return p[0] == 0xc9 && p[1] == 0xf8 && p[2] == 0xc3;
}

/*
 * Will FP be lent soon, or the frame be left by it, before another function begins? Bytes
 * are looked at first: they say nothing of the kind, mostly.
 */
static bool leads_to_own_frame(const u8 *p, u32 *looks)
{
	const unsigned int other = SFRAME_INSN_STOPS | SFRAME_INSN_RESTORES;
	const u8 *end = p + SFRAME_LISP_AFTER - X86_INSN_MAX, *to = p;
	struct sframe_insn insn;
	unsigned int i;

	while (to < end && !lending_len(to) && !is_return_of_one(to) &&
	       !sframe_x86_is_lisp_entry(to))
		to++;
	if (to == end || sframe_x86_is_lisp_entry(to))
		return false;
	for (i = 0; i < BEFORE_MAX && p < to; i++, p += insn.len) {
		++*looks;
		if (!sframe_x86_insn(p, 0, &insn) || insn.flags & other)
			return false;
	}
	return p == to;
}

/**
 * sframe_x86_lisp() - &sframe_abi.lisp
 * @code: at the PC; %SFRAME_LISP_BEFORE bytes before it and %SFRAME_LISP_AFTER from there
 *	on can be read
 * @looks: grows by the number of instructions looked at
 *
 * Return: as there.
 */
enum sframe_lisp sframe_x86_lisp(const u8 *code, u32 *looks)
{
	unsigned int len;
	const u8 *p;

	for (p = code - 1; p >= code - SFRAME_LISP_BEFORE; p--) {
		len = lending_len(p);
		/* FP itself is changed last. */
		if (len)
			return p + len > code ? SFRAME_LISP_OWN :
						state_after_lending(p + len, code, looks);
	}
	return leads_to_own_frame(code, looks) ? SFRAME_LISP_OWN : SFRAME_LISP_NOT;
}
