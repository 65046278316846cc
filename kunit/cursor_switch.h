/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Walks from one stack to another, by functions that switch between them, and by
 * functions that do not keep FP; included once, by cursor_kunit.c.
 */

#define X86_SWITCH	RULE(CFA_FP(16), RA_CFA(-8), FP_CFA(-16),	\
			     .flags = SFRAME_RULE_SWITCH)

#define INJECTED	(SFRAME_RULE_SIGNAL | SFRAME_RULE_SWITCH)

#define ARM64_INJECTED	RULE(CFA_SP(48), RA_CFA(-48), .flags = INJECTED)

/* Function 1 has called 0 on another stack, above the one that it was called on. */
#define TO_LOWER(what, fn1, ra)						\
	.name = "x86: " what,						\
	.abi = &sframe_abi_x86,						\
	.regs = { .pc = AT(0), .sp = S(100), .fp = S(10) },		\
	.fns = { X86_SP(16), fn1, X86_SP(24), FLAGS(OUTERMOST) },	\
	.words = { { S(101), RET(1) }, { S(10), S(50) }, { S(11), ra },	\
		   { S(14), RET(3) } }

/* It keeps the SP of the other stack on this one, in the word above its own. */
#define X86_KEEPS_SP	RULE(.cfa = SFRAME_LOC_SP | SFRAME_LOC_DEREF,	\
			     .cfa_off = SFRAME_CFA_ABOVE(8, 8), RA_CFA(-8), \
			     .flags = SFRAME_RULE_SIGNAL | SFRAME_RULE_CFA_ABOVE)

/* glibc's swapcontext(): add x2, x0, #40; and where what it saves goes on, at RET(1). */
#define A64_SWAPS							\
	{ .rule = { CFA_SP(0) }, .insns = { 0x9100a002, 0x9100a002 } },	\
	{ .rule = { CFA_SP(0) }, .calls = CALL_NONE,			\
	  .insns = { 0xd503201f, 0xaa0103fe, A64_RET } }
/* Its context is at S(50), where RA is in X1's place. */
#define A64_CONTEXT_X1	{ S(74), RET(2) }
#define A64_SWAPCONTEXT(what, at, reg)					\
	.name = "arm64: in swapcontext(), " what,			\
	.abi = &sframe_abi_arm64,					\
	.regs = { .pc = (at), .sp = S(10), .ra = RET(1) },		\
	.reg10 = (reg),							\
	.fns = { A64_SWAPS, A64_RA_16, FLAGS(OUTERMOST) }

static const struct walk_case switch_cases[] = {
	{
		A64_SWAPCONTEXT("which has saved its context", AT(0), S(50)),
		.words = { A64_CONTEXT_X1, { S(10), RET(3) } },
		.callers = { { RET(2), S(10) }, { RET(3), S(12) } },
		.end = SFRAME_OUTERMOST,
	}, {
		A64_SWAPCONTEXT("and asks for its signal mask", AT(0) + 8, S(55)),
		.words = { A64_CONTEXT_X1, { S(10), RET(3) } },
		.callers = { { RET(2), S(10) }, { RET(3), S(12) } },
		.end = SFRAME_OUTERMOST,
	}, {
		A64_SWAPCONTEXT("and nothing is there", AT(0) + 8, S(56)),
		.words = { A64_CONTEXT_X1, { S(10), RET(3) } },
		.end = SFRAME_RA_IN_REGISTER,
	}, {
		A64_SWAPCONTEXT("where that goes on", RET(1), RET(2)),
		.words = { { S(10), RET(3) } },
		.callers = { { RET(2), S(10) }, { RET(3), S(12) } },
		.end = SFRAME_OUTERMOST,
	}, {
		A64_SWAPCONTEXT("and X1 is RA", RET(1) + 4, RET(2)),
		.words = { { S(10), RET(3) } },
		.callers = { { RET(2), S(10) }, { RET(3), S(12) } },
		.end = SFRAME_OUTERMOST,
	}, {
		.name = "arm64: in setcontext(), which has loaded FP and x30",
		.abi = &sframe_abi_arm64,
		.regs = { .pc = AT(3), .sp = S(10), .fp = S(12), .ra = RET(1) },
		.fns = { A64_SWAPS, A64_RA_16, FLAGS(BAD), A64_RA_16 },
		.words = { { S(13), RET(4) } },
		.end = SFRAME_FP_HIDDEN_RA,
	}, {
		.name = "arm64: a leaf whose caller's code is near",
		.abi = &sframe_abi_arm64,
		.regs = { .pc = AT(0), .sp = S(10), .ra = RET(1) },
		.reg10 = S(50),
		.fns = { A64_LEAF, A64_RA_16, FLAGS(OUTERMOST) },
		.words = { { S(74), RET(2) }, { S(10), RET(2) } },
		.callers = { { RET(1), S(10) }, { RET(2), S(12) } },
		.end = SFRAME_OUTERMOST,
	}, {
		.name = "s390x: RA at the CFA (OCaml)",
		.abi = &sframe_abi_s390,
		.regs = { .pc = AT(0), .sp = S(100), .fp = WILD },
		.fns = { RULE(.cfa = SFRAME_LOC_SP | SFRAME_LOC_DEREF, .cfa_off = 168,
			      RA_CFA(0), .flags = SFRAME_RULE_SIGNAL | SFRAME_RULE_RA_ABOVE),
			 S390_FRAME(160), FLAGS(OUTERMOST) },
		.words = { { S(121), S(10) }, { S(10), RET(1) }, { S(45), RET(2) } },
		.callers = { { RET(1), S(11), WILD }, { RET(2), S(31), WILD } },
		.end = SFRAME_OUTERMOST,
	}, {
		.name = "x86: by the SP of a lower stack, and back up (OCaml)",
		.abi = &sframe_abi_x86,
		.regs = { .pc = AT(0), .sp = S(100) },
		.fns = { X86_SP(16), X86_KEEPS_SP, X86_SP(24),
			 RULE(.cfa = SFRAME_LOC_SP | SFRAME_LOC_DEREF,
			      .cfa_off = SFRAME_CFA_ABOVE(16, 80), RA_CFA(-8), FP_CFA(-24),
			      .flags = SFRAME_RULE_SIGNAL | SFRAME_RULE_CFA_ABOVE),
			 FLAGS(OUTERMOST) },
		.words = { { S(101), RET(1) }, { S(103), S(11) }, { S(11), RET(2) },
			   { S(14), RET(3) }, { S(17), S(110) }, { S(117), S(60) },
			   { S(119), RET(4) } },
		.callers = { { RET(1), S(102) }, { RET(2), S(12) }, { RET(3), S(15) },
			     { RET(4), S(120), S(60) } },
		.end = SFRAME_OUTERMOST,
	}, {
		.name = "arm64: by the SP of a lower stack, and back up (OCaml)",
		.abi = &sframe_abi_arm64,
		.regs = { .pc = AT(0), .sp = S(100), .fp = S(60) },
		.fns = { RULE(CFA_SP(16), RA_CFA(-8)),
			 RULE(.cfa = SFRAME_LOC_SP | SFRAME_LOC_DEREF,
			      .cfa_off = SFRAME_CFA_ABOVE(8, 16), RA_CFA(-8), FP_CFA(-16),
			      .flags = SFRAME_RULE_CFA_ABOVE),
			 RULE(CFA_SP(16), RA_CFA(-8)),
			 RULE(.cfa = SFRAME_LOC_SP | SFRAME_LOC_DEREF,
			      .cfa_off = SFRAME_CFA_ABOVE(16, 192), RA_CFA(-152),
			      FP_CFA(-160),
			      .flags = SFRAME_RULE_SIGNAL | SFRAME_RULE_CFA_ABOVE),
			 RULE(CFA_SP(16), RA_CFA(-8)), FLAGS(OUTERMOST) },
		.words = { { S(101), RET(1) }, { S(103), S(10) }, { S(10), S(50) },
			   { S(11), RET(2) }, { S(13), RET(3) }, { S(16), S(110) },
			   { S(114), S(60) }, { S(115), RET(4) }, { S(134), S(61) },
			   { S(135), RET(5) } },
		.callers = { { RET(1), S(102), S(60) }, { RET(2), S(12), S(50) },
			     { RET(3), S(14), S(50) }, { RET(4), S(134), S(60) },
			     { RET(5), S(136), S(60) } },
		.end = SFRAME_OUTERMOST,
	}, {
		.name = "x86: what is on a lower stack follows no call",
		.abi = &sframe_abi_x86,
		.regs = { .pc = AT(0), .sp = S(100) },
		.fns = { X86_SP(16), X86_KEEPS_SP, X86_SP(24) },
		.words = { { S(101), RET(1) }, { S(103), S(11) }, { S(11), AT(2) } },
		.callers = { { RET(1), S(102) } },
		.end = SFRAME_FP_NOT_A_CALL,
	}, {
		.name = "x86: down to where it was, eight times and no more",
		.abi = &sframe_abi_x86,
		.regs = { .pc = AT(0), .sp = S(50) },
		.fns = { X86_KEEPS_SP },
		.fill = RET(0),
		.words = { { S(51), S(49) } },
		.callers = { { RET(0), S(50) }, { RET(0), S(50) }, { RET(0), S(50) },
			     { RET(0), S(50) }, { RET(0), S(50) }, { RET(0), S(50) },
			     { RET(0), S(50) }, { RET(0), S(50) } },
		.end = SFRAME_CFA_NOT_RISING,
	},
	{
		TO_LOWER("to the stack of a caller", X86_SWITCH, RET(2)),
		.callers = { { RET(1), S(102), S(10) }, { RET(2), S(12), S(50) },
			     { RET(3), S(15), S(50) } },
		.end = SFRAME_OUTERMOST,
	}, {
		TO_LOWER("no rule but of a switch leads down", X86_FP_PUSHED,
			 RET(2)),
		.callers = { { RET(1), S(102), S(10) } },
		.end = SFRAME_CFA_NOT_RISING,
	}, {
		TO_LOWER("FP was not the one of the function that switches",
			 X86_SWITCH, AT(2)),
		.callers = { { RET(1), S(102), S(10) } },
		.end = SFRAME_FP_NOT_A_CALL,
	}, {
		.name = "x86: a switch to a higher stack",
		.abi = &sframe_abi_x86,
		.regs = { .pc = AT(0), .sp = S(0), .fp = S(10) },
		.fns = { X86_SWITCH, FLAGS(OUTERMOST) },
		.words = { { S(10), S(50) }, { S(11), RET(1) } },
		.callers = { { RET(1), S(12), S(50) } },
		.end = SFRAME_OUTERMOST,
	}, {
		.name = "x86: down eight times and no more",
		.abi = &sframe_abi_x86,
		.regs = { .pc = AT(0), .sp = S(100), .fp = S(90) },
		.fns = { X86_SWITCH },
		.fill = RET(0),
		.words = { { S(90), S(80) }, { S(80), S(70) }, { S(70), S(60) },
			   { S(60), S(50) }, { S(50), S(40) }, { S(40), S(30) },
			   { S(30), S(20) }, { S(20), S(10) }, { S(10), S(2) } },
		.callers = { { RET(0), S(92) }, { RET(0), S(82) },
			     { RET(0), S(72) }, { RET(0), S(62) },
			     { RET(0), S(52) }, { RET(0), S(42) },
			     { RET(0), S(32) }, { RET(0), S(22) } },
		.end = SFRAME_CFA_NOT_RISING,
	}, {
		.name = "x86: code that does not tell which stack was left",
		.abi = &sframe_abi_x86,
		.regs = { .pc = AT(0), .sp = S(0), .fp = S(10) },
		.fns = { RULE(CFA_R10(16), RA_CFA(-8),
			      .flags = SFRAME_RULE_SWITCH) },
		.reg10 = S(10),
		.fill = RET(0),
		.end = SFRAME_GO_NO_STACK,
	}, {
		.name = "arm64: nor does this, which Go's would",
		.abi = &sframe_abi_arm64,
		.regs = { .pc = AT(0), .sp = S(0), .fp = S(10) },
		.fns = { RULE(CFA_R10(16), RA_CFA(-16),
			      .flags = SFRAME_RULE_SWITCH) },
		.reg10 = S(10),
		.fill = RET(0),
		.end = SFRAME_GO_NO_STACK,
	}, {
		.name = "arm64: interrupted before it has saved RA",
		.abi = &sframe_abi_arm64,
		.regs = { .pc = AT(0), .sp = S(0), .fp = S(10) },
		.fns = { ARM64_INJECTED, RULE(CFA_SP(0)), FLAGS(OUTERMOST) },
		.words = { { S(0), AT(1) }, { S(4), RET(2) } },
		.callers = { { AT(1), S(6), S(10) }, { RET(2), S(6), S(10) } },
		.end = SFRAME_OUTERMOST,
	}, {
		.name = "arm64: the caller of that one has saved RA",
		.abi = &sframe_abi_arm64,
		.regs = { .pc = AT(0), .sp = S(0), .fp = S(10) },
		.fns = { ARM64_INJECTED, RULE(CFA_SP(0)), RULE(CFA_SP(0)) },
		.words = { { S(0), AT(1) }, { S(4), RET(2) } },
		.callers = { { AT(1), S(6), S(10) }, { RET(2), S(6), S(10) } },
		.end = SFRAME_CFA_NOT_RISING,
	}, {
		.name = "arm64: so has this one",
		.abi = &sframe_abi_arm64,
		.regs = { .pc = AT(0), .sp = S(0), .fp = S(10) },
		.fns = { ARM64_INJECTED, RULE(CFA_SP(0)), RULE(CFA_SP(16)) },
		.words = { { S(0), AT(1) }, { S(4), RET(2) } },
		.callers = { { AT(1), S(6), S(10) }, { RET(2), S(6), S(10) } },
		.end = SFRAME_RA_IN_REGISTER,
	}, {
		.name = "s390x: interrupted before it has saved RA",
		.abi = &sframe_abi_s390,
		.regs = { .pc = AT(0), .sp = S(0), .fp = S(10) },
		.fns = { RULE(CFA_SP(160 + 32), RA_CFA(-160 - 32),
			      .fp = SFRAME_LOC_LOST, .flags = INJECTED),
			 RULE(CFA_SP(160), .fp = SFRAME_LOC_LOST),
			 FLAGS(OUTERMOST) },
		.words = { { S(0), AT(1) }, { S(3), RET(2) } },
		.callers = { { AT(1), S(4) }, { RET(2), S(4) } },
		.end = SFRAME_OUTERMOST,
	}, {
		.name = "s390x: FP is not kept",
		.abi = &sframe_abi_s390,
		.regs = { .pc = AT(0), .sp = S(0), .fp = S(40) },
		.fns = { RULE(CFA_SP(208), RA_CFA(-208),
			      .fp = SFRAME_LOC_LOST),
			 RULE(CFA_FP(160), RA_CFA(-48)) },
		.words = { { S(0), RET(1) } },
		.callers = { { RET(1), S(6) } },
		.end = SFRAME_FP_UNKNOWN,
	},
};
