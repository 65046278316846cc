/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Walks through functions whose CFA follows from a register that what they called
 * may have saved; included once, by cursor_kunit.c.
 */

/* Leaves by SP, and r10 is at CFA + @at. */
#define KEEPS(off, at)	{ .rule = { CFA_SP(off), RA_CFA(-8) }, .keeps = (at) }
#define BY_R10		RULE(CFA_R10(16), RA_CFA(-8))

static const struct walk_case kept_cases[] = {
	{
		.name = "x86: CFA from a register that the called function saved",
		.abi = &sframe_abi_x86,
		.regs = { .pc = AT(0), .sp = S(0) },
		.fns = { X86_SP(16), KEEPS(24, -16), BY_R10, FLAGS(OUTERMOST) },
		.reg10 = S(30),
		.words = { { S(1), RET(1) }, { S(3), S(20) }, { S(4), RET(2) },
			   { S(21), RET(3) } },
		.callers = { { RET(1), S(2) }, { RET(2), S(5) },
			     { RET(3), S(22) } },
		.end = SFRAME_OUTERMOST,
	}, {
		.name = "x86: that the topmost function saved",
		.abi = &sframe_abi_x86,
		.regs = { .pc = AT(0), .sp = S(0) },
		.fns = { KEEPS(24, -24), BY_R10, FLAGS(OUTERMOST) },
		.reg10 = S(30),
		.words = { { S(0), S(20) }, { S(2), RET(1) }, { S(21), RET(2) } },
		.callers = { { RET(1), S(3) }, { RET(2), S(22) } },
		.end = SFRAME_OUTERMOST,
	}, {
		.name = "x86: that the topmost function did not save yet",
		.abi = &sframe_abi_x86,
		.regs = { .pc = START(1), .sp = S(0) },
		.fns = { KEEPS(8, -16), KEEPS(8, KEEPS_SAME), BY_R10,
			 FLAGS(OUTERMOST) },
		.reg10 = S(20),
		.words = { { S(0), RET(2) }, { S(21), RET(3) } },
		.callers = { { RET(2), S(1) }, { RET(3), S(22) } },
		.end = SFRAME_OUTERMOST,
	}, {
		.name = "x86: that the called function left to what it called",
		.abi = &sframe_abi_x86,
		.regs = { .pc = AT(0), .sp = S(0) },
		.fns = { X86_SP(8), KEEPS(8, KEEPS_SAME), BY_R10,
			 FLAGS(OUTERMOST) },
		.reg10 = S(20),
		.words = { { S(0), RET(1) }, { S(1), RET(2) }, { S(21), RET(3) } },
		.callers = { { RET(1), S(1) }, { RET(2), S(2) } },
		.end = SFRAME_NEEDS_TOPMOST,
	}, {
		.name = "x86: that a function saved which a signal interrupted",
		.abi = &sframe_abi_x86,
		.regs = { .pc = AT(0), .sp = S(0) },
		.fns = { X86_SP(8), KIND(SIGRETURN), X86_SP(8), KEEPS(24, -16),
			 BY_R10, FLAGS(OUTERMOST) },
		.words = { { S(0), AT(1) }, X86_SAVED(1, START(3), S(60), 0),
			   { S(61), S(70) }, { S(62), RET(4) }, { S(71), RET(5) } },
		.callers = { { AT(1), S(1) }, { START(3), S(60) },
			     { RET(4), S(63) }, { RET(5), S(72) } },
		.end = SFRAME_OUTERMOST,
	}, {
		.name = "x86: that it had not saved, and the signal's frame has",
		.abi = &sframe_abi_x86,
		.regs = { .pc = AT(0), .sp = S(0) },
		.fns = { X86_SP(8), KIND(SIGRETURN), KEEPS(8, KEEPS_SAME), BY_R10,
			 FLAGS(OUTERMOST) },
		.reg10 = S(70),
		.words = { { S(0), AT(1) }, X86_SAVED(1, AT(2), S(60), 0),
			   X86_SAVED_R10(1, S(70)), { S(60), RET(3) },
			   { S(71), RET(4) } },
		.callers = { { AT(1), S(1) }, { AT(2), S(60) }, { RET(3), S(61) } },
		.end = SFRAME_NEEDS_TOPMOST,
	}, {
		.name = "x86: but where it was saved cannot be read",
		.abi = &sframe_abi_x86,
		.regs = { .pc = AT(0), .sp = S(0) },
		.hole = S(1),
		.fns = { KEEPS(24, -16), BY_R10, FLAGS(OUTERMOST) },
		.words = { { S(2), RET(1) } },
		.callers = { { RET(1), S(3) } },
		.end = SFRAME_NEEDS_TOPMOST,
	}, {
		.name = "x86: a CFA that does not rise",
		.abi = &sframe_abi_x86,
		.regs = { .pc = AT(0), .sp = S(8) },
		.fns = { KEEPS(24, -16), BY_R10, FLAGS(OUTERMOST) },
		.words = { { S(9), S(2) }, { S(10), RET(1) }, { S(3), RET(2) } },
		.callers = { { RET(1), S(11) } },
		.end = SFRAME_CFA_NOT_RISING,
	},
};
