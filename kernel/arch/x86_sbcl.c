// SPDX-License-Identifier: GPL-2.0
/*
 * x86-64: matches how functions that SBCL compiles call each other; for
 * core/lisp_frame.c.
 *
 * The caller makes the record for its callee: it stores its own FP where the callee's
 * frame will be, and points FP there. The callee first of all moves RA from below its
 * frame into the record.
 */
#include <sframe/abi.h>

#include "x86.h"

/*
 * Is FP lent here: is it, or a register that holds it, stored where another register
 * points to, which is then copied to FP? Like mov %rbp,(%rsp); mov %rsp,%rbp. Returns
 * the length of both instructions, or 0.
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

/* Length of a branch around one of two calls, at most. */
#define BRANCH_MAX	32
/* Instructions looked at, between where FP was lent and the PC, and from the PC on. */
#define BEHIND_MAX	8
#define BEFORE_MAX	16

/*
 * FP has been lent right before @p: where does it point at @pc? There may be two calls,
 * one of a function and one of something that only names one, with a jump over the
 * second. A call after FP was given back is another one.
 */
static enum sframe_lisp state_after_lending(const u8 *p, const u8 *pc, u32 *looks)
{
	const unsigned int other = SFRAME_INSN_BEGINS | SFRAME_INSN_RESTORES |
				   SFRAME_INSN_ANYWHERE;
	/* mov ...(%r13),%rax loads the function's address. */
	static const u8 load[] = { 0x49, 0x8b, 0x45 };
	enum sframe_lisp lisp = SFRAME_LISP_LENT;
	const u8 *call = memcmp(p, load, sizeof(load)) ? p : p + sizeof(load) + 1;
	const u8 *second = NULL;
	struct sframe_insn insn;
	unsigned int i;

	/* Mostly nothing but that and the call comes before the PC. */
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

/* leave; clc; ret: a function returns one value. */
static bool is_return_of_one(const u8 *p)
{
	return p[0] == 0xc9 && p[1] == 0xf8 && p[2] == 0xc3;
}

/*
 * Does code from the PC on lend FP, or return by it, before another function begins?
 * Then FP is its own now. Look for the bytes first, as mostly there are none.
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
 * Context: any.
 * Return: as there.
 */
enum sframe_lisp sframe_x86_lisp(const u8 *code, u32 *looks)
{
	unsigned int len;
	const u8 *p;

	for (p = code - 1; p >= code - SFRAME_LISP_BEFORE; p--) {
		len = lending_len(p);
		/* FP itself is changed by the second instruction. */
		if (len)
			return p + len > code ? SFRAME_LISP_OWN :
						state_after_lending(p + len, code, looks);
	}
	return leads_to_own_frame(code, looks) ? SFRAME_LISP_OWN : SFRAME_LISP_NOT;
}
