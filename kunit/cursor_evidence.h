/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Walks where rules do not lead on, or code has to say which word is the RA;
 * included once, by cursor_kunit.c.
 */

/* The function that runs is 2, in code of which nothing is known. */
#define ON_X86(at, caller, other)					\
	.abi = &sframe_abi_x86,						\
	.regs = { .pc = at, .sp = S(0), .fp = S(4) },			\
	.words = { { S(1), other }, { S(4), S(20) }, { S(5), caller } }

#define ON_ARM64(other, x30)						\
	.abi = &sframe_abi_arm64,					\
	.regs = { .pc = AT(2), .sp = S(0), .fp = S(4), .ra = x30 },	\
	.words = { { S(1), other }, { S(4), S(20) }, { S(5), RET(3) } }

#define A64_RECORD_AT_END RULE(CFA_FP(16), RA_CFA(-8), FP_CFA(-16))
/* The function called before the record's RA has this rule; x30 is left over. */
#define IN_FRAME_OF(frame)						\
	.abi = &sframe_abi_arm64,					\
	.regs = { .pc = AT(2), .sp = S(0), .fp = S(4), .ra = RET(4) },	\
	.fns = { BARE(), BARE(), BARE(),				\
		 { .rule = { CFA_SP(32), RA_CFA(-24) },			\
		   .calls = CALL_OF(6) },				\
		 BARE(.calls = CALL_BY_REG), FLAGS(OUTERMOST), frame },	\
	.words = { { S(1), RET(4) }, { S(4), S(20) }, { S(5), RET(3) },	\
		   { S(7), RET(5) } }

static const struct walk_case evidence_cases[] = {
	{
		.name = "x86: own record, another word follows a call of another",
		ON_X86(AT(2), RET(3), RET(4)),
		.fns = { BARE(), BARE(.ends = true), BARE(.record = true),
			 { .rule.flags = SFRAME_RULE_OUTERMOST,
			   .calls = CALL_OF(2) }, BARE(.calls = CALL_OF(5)) },
		.callers = { { RET(3), S(6), S(20) } },
		.end = SFRAME_OUTERMOST,
	}, {
		.name = "x86: the same, but the function makes no record",
		ON_X86(AT(2), RET(3), RET(4)),
		.fns = { BARE(), BARE(.ends = true), BARE(),
			 { .rule.flags = SFRAME_RULE_OUTERMOST,
			   .calls = CALL_OF(2) }, BARE(.calls = CALL_OF(5)) },
		.end = SFRAME_FP_HIDDEN_RA,
	}, {
		.name = "x86: the same, but it was the function before",
		ON_X86(AT(2), RET(3), RET(4)),
		.fns = { BARE(), BARE(.record = true, .ends = true), BARE(),
			 { .rule.flags = SFRAME_RULE_OUTERMOST,
			   .calls = CALL_OF(1) }, BARE(.calls = CALL_OF(5)) },
		.end = SFRAME_FP_HIDDEN_RA,
	}, {
		.name = "x86: the same, but both calls are of ours: the code puts one at SP",
		ON_X86(AT(2), RET(3), RET(4)),
		.fns = { BARE(), BARE(.ends = true), BARE(.record = true),
			 { .rule.flags = SFRAME_RULE_OUTERMOST,
			   .calls = CALL_OF(2) }, BARE(.calls = CALL_OF(2)) },
		.callers = { { RET(3), S(6), S(20) } },
		.end = SFRAME_OUTERMOST,
	}, {
		.name = "x86: the same, but the record is not made yet",
		ON_X86(START(2) + 3, RET(3), RET(4)),
		.fns = { BARE(), BARE(.ends = true), BARE(.record = true),
			 { .rule.flags = SFRAME_RULE_OUTERMOST,
			   .calls = CALL_OF(2) }, BARE(.calls = CALL_OF(5)) },
		.end = SFRAME_FP_HIDDEN_RA,
	}, {
		.name = "x86: own record, topmost, another word follows an indirect call",
		ON_X86(AT(2), RET(3), RET(4)),
		.fns = { BARE(), BARE(.ends = true), BARE(.record = true, .ends = true),
			 { .rule.flags = SFRAME_RULE_OUTERMOST,
			   .calls = CALL_BY_REG }, BARE(.calls = CALL_BY_REG) },
		.end = SFRAME_FP_HIDDEN_RA,
	}, {
		.name = "x86: the same, but the call was made by this function",
		ON_X86(AT(2), RET(3), RET(2)),
		.fns = { BARE(), BARE(.ends = true),
			 BARE(.record = true, .calls = CALL_BY_REG),
			 { .rule.flags = SFRAME_RULE_OUTERMOST,
			   .calls = CALL_OF(2) } },
		.callers = { { RET(3), S(6), S(20) } },
		.end = SFRAME_OUTERMOST,
	}, {
		.name = "x86: own record, not topmost, called indirectly as all others",
		.abi = &sframe_abi_x86,
		.regs = { .pc = AT(0), .sp = S(0), .fp = S(4) },
		.fns = { X86_SP(8), BARE(.ends = true), BARE(.record = true),
			 { .rule.flags = SFRAME_RULE_OUTERMOST,
			   .calls = CALL_BY_REG }, BARE(.calls = CALL_BY_REG) },
		.words = { { S(0), RET(2) }, { S(2), RET(4) }, { S(4), S(20) },
			   { S(5), RET(3) } },
		.callers = { { RET(2), S(1) }, { RET(3), S(6), S(20) } },
		.end = SFRAME_OUTERMOST,
	}, {
		.name = "x86: the record is an outer frame's, a word follows a call of ours",
		ON_X86(AT(2), RET(4), RET(3)),
		.fns = { BARE(), BARE(.ends = true), BARE(),
			 BARE(.record = true, .calls = CALL_OF(2)),
			 { .rule.flags = SFRAME_RULE_OUTERMOST,
			   .calls = CALL_OF(3) } },
		.callers = { { RET(3), S(2), S(4) }, { RET(4), S(6), S(20) } },
		.end = SFRAME_OUTERMOST,
	}, {
		.name = "x86: the same, but another one does, too",
		.abi = &sframe_abi_x86,
		.regs = { .pc = AT(2), .sp = S(0), .fp = S(4) },
		.fns = { BARE(), BARE(.ends = true), BARE(),
			 BARE(.record = true, .calls = CALL_OF(2)),
			 { .rule.flags = SFRAME_RULE_OUTERMOST,
			   .calls = CALL_OF(3) }, BARE(.calls = CALL_OF(2)) },
		.words = { { S(1), RET(3) }, { S(2), RET(5) }, { S(4), S(20) },
			   { S(5), RET(4) } },
		.end = SFRAME_FP_HIDDEN_RA,
	}, {
		.name = "x86: the same, but it is certain where the function begins",
		ON_X86(AT(2), RET(3), RET(4)),
		.fns = { BARE(), BARE(.ends = true), BARE(.record = true),
			 { .rule.flags = SFRAME_RULE_OUTERMOST,
			   .calls = CALL_OF(2) }, BARE(.calls = CALL_BY_REG) },
		.callers = { { RET(3), S(6), S(20) } },
		.end = SFRAME_OUTERMOST,
	}, {
		.name = "x86: own record, whose RA somebody made up, the last one",
		.abi = &sframe_abi_x86,
		.regs = { .pc = AT(2), .sp = S(0), .fp = S(4) },
		.fns = { BARE(), BARE(.ends = true), BARE(.record = true),
			 FLAGS(OUTERMOST) },
		.words = { { S(5), AT(3) } },
		.callers = { { AT(3), S(6) } },
		.end = SFRAME_OUTERMOST,
	}, {
		.name = "x86: the same, but it is not the last one",
		.abi = &sframe_abi_x86,
		.regs = { .pc = AT(2), .sp = S(0), .fp = S(4) },
		.fns = { BARE(), BARE(.ends = true), BARE(.record = true),
			 FLAGS(OUTERMOST) },
		.words = { { S(4), S(20) }, { S(5), AT(3) } },
		.end = SFRAME_FP_NOT_A_CALL,
	}, {
		.name = "x86: the last one, in a large gap between functions with CFI",
		.abi = &sframe_abi_x86,
		.regs = { .pc = AT(2), .sp = S(0), .fp = S(4) },
		.gap_around = true,
		.fns = { GAP(), GAP(.ends = true), GAP(.record = true), FLAGS(OUTERMOST) },
		.words = { { S(5), AT(3) } },
		.callers = { { AT(3), S(6) } },
		.end = SFRAME_OUTERMOST,
	}, {
		.name = "x86: the same, but in a small gap",
		.abi = &sframe_abi_x86,
		.regs = { .pc = AT(2), .sp = S(0), .fp = S(4) },
		.fns = { GAP(), GAP(.ends = true), GAP(.record = true), FLAGS(OUTERMOST) },
		.words = { { S(5), AT(3) } },
		.end = SFRAME_FP_NOT_A_CALL,
	}, {
		.name = "x86: at the return: RA is where SP points to",
		.abi = &sframe_abi_x86,
		.regs = { .pc = AT(0), .sp = S(1), .fp = S(4) },
		.fns = { INSNS(0xc3), FLAGS(OUTERMOST), FLAGS(OUTERMOST) },
		.words = { { S(1), RET(1) }, { S(4), S(20) }, { S(5), RET(2) } },
		.callers = { { RET(1), S(2), S(4) } },
		.end = SFRAME_OUTERMOST,
	}, {
		.name = "x86: at pop %rbp; ret",
		.abi = &sframe_abi_x86,
		.regs = { .pc = AT(0), .sp = S(1), .fp = S(4) },
		.fns = { INSNS(0xc35d), FLAGS(OUTERMOST) },
		.words = { { S(1), WILD }, { S(2), RET(1) } },
		.callers = { { RET(1), S(3), WILD } },
		.end = SFRAME_OUTERMOST,
	}, {
		.name = "x86: at leave; ret",
		.abi = &sframe_abi_x86,
		.regs = { .pc = AT(0), .sp = S(1), .fp = S(4) },
		.fns = { INSNS(0xc3c9), FLAGS(OUTERMOST) },
		.words = { { S(2), RET(0) }, { S(4), WILD }, { S(5), RET(1) } },
		.callers = { { RET(1), S(6), WILD } },
		.end = SFRAME_OUTERMOST,
	}, {
		.name = "x86: where SBCL's functions begin, below their record",
		.abi = &sframe_abi_x86,
		.regs = { .pc = AT(0), .sp = S(1), .fp = S(4) },
		.fns = { INSNS(0x08458f), FLAGS(OUTERMOST), FLAGS(OUTERMOST) },
		.words = { { S(1), RET(1) }, { S(4), S(20) }, { S(5), RET(2) } },
		.callers = { { RET(1), S(6), S(20) } },
		.end = SFRAME_OUTERMOST,
	}, {
		.name = "x86: the same instruction, but FP is where RA is",
		.abi = &sframe_abi_x86,
		.regs = { .pc = AT(0), .sp = S(1), .fp = S(1) },
		.fns = { INSNS(0x08458f), FLAGS(OUTERMOST) },
		.words = { { S(1), RET(1) } },
		.end = SFRAME_FP_NOT_A_CALL,
	}, {
		.name = "x86: at push %rbp",
		.abi = &sframe_abi_x86,
		.regs = { .pc = START(1), .sp = S(1), .fp = S(4) },
		.fns = { BARE(), BARE(.record = true), FLAGS(OUTERMOST) },
		.words = { { S(1), RET(2) }, { S(4), S(20) }, { S(5), RET(0) } },
		.callers = { { RET(2), S(2), S(4) } },
		.end = SFRAME_OUTERMOST,
	}, {
		.name = "x86: at push %rbp, behind a copy of the RA",
		.abi = &sframe_abi_x86,
		.regs = { .pc = START(1), .sp = S(1), .fp = S(4) },
		.fns = { BARE(), BARE(.record = true),
			 RULE(CFA_SP(16), RA_CFA(-8)) },
		.words = { { S(1), RET(2) }, { S(3), RET(2) }, { S(4), S(20) },
			   { S(5), RET(0) } },
		.callers = { { RET(2), 0, S(4) } },
		.end = SFRAME_SP_UNKNOWN,
	}, {
		.name = "x86: the same, but further than the copy is aligned",
		.abi = &sframe_abi_x86,
		.regs = { .pc = START(1), .sp = S(1), .fp = S(8) },
		.fns = { BARE(), BARE(.record = true),
			 RULE(CFA_SP(16), RA_CFA(-8)), FLAGS(OUTERMOST) },
		.words = { { S(1), RET(2) }, { S(3), RET(3) }, { S(5), RET(2) },
			   { S(8), S(20) }, { S(9), RET(0) } },
		.callers = { { RET(2), S(2), S(8) }, { RET(3), S(4), S(8) } },
		.end = SFRAME_OUTERMOST,
	}, {
		.name = "x86: before push %rbp, behind a check",
		.abi = &sframe_abi_x86,
		.regs = { .pc = AT(0), .sp = S(1), .fp = S(4) },
		.fns = { INSNS(0x01010101, 0x48550101, 0x0101e589), BARE(),
			 FLAGS(OUTERMOST) },
		.words = { { S(1), RET(2) }, { S(4), S(20) }, { S(5), RET(0) } },
		.callers = { { RET(2), S(2), S(4) } },
		.end = SFRAME_OUTERMOST,
	}, {
		.name = "x86: before push %rbp, but a call comes first",
		.abi = &sframe_abi_x86,
		.regs = { .pc = AT(0), .sp = S(1), .fp = S(4) },
		.fns = { INSNS(0x0101e801, 0x48550101, 0x0101e589), BARE(),
			 FLAGS(OUTERMOST) },
		.words = { { S(1), RET(2) }, { S(4), S(20) }, { S(5), RET(1) } },
		.end = SFRAME_FP_HIDDEN_RA,
	}, {
		.name = "x86: at the first instruction, called from there",
		.abi = &sframe_abi_x86,
		.regs = { .pc = START(2), .sp = S(0), .fp = S(4) },
		.fns = { BARE(), BARE(.record = true), BARE(),
			 { .rule.flags = SFRAME_RULE_OUTERMOST,
			   .calls = CALL_OF(2) }, BARE(.calls = CALL_OF(1)) },
		.words = { { S(0), RET(3) }, { S(4), S(20) }, { S(5), RET(4) } },
		.callers = { { RET(3), S(1), S(4) } },
		.end = SFRAME_OUTERMOST,
	}, {
		.name = "x86: at mov %rsp, %rbp",
		.abi = &sframe_abi_x86,
		.regs = { .pc = START(1) + 1, .sp = S(1), .fp = S(4) },
		.fns = { BARE(), BARE(.record = true), FLAGS(OUTERMOST) },
		.words = { { S(1), WILD }, { S(2), RET(2) }, { S(4), S(20) },
			   { S(5), RET(0) } },
		.callers = { { RET(2), S(3), WILD } },
		.end = SFRAME_OUTERMOST,
	}, {
		.name = "arm64: own record, x30 and a word left over from calls",
		ON_ARM64(RET(4), RET(4)),
		.fns = { BARE(), BARE(.ends = true), BARE(.record = true),
			 { .rule.flags = SFRAME_RULE_OUTERMOST,
			   .calls = CALL_OF(2) }, BARE(.calls = CALL_OF(5)) },
		.callers = { { RET(3), 0, S(20) } },
		.end = SFRAME_OUTERMOST,
	}, {
		.name = "arm64: the same, but x30 is left by an indirect call",
		ON_ARM64(0, RET(4)),
		.fns = { BARE(), BARE(.ends = true), BARE(.record = true, .ends = true),
			 { .rule.flags = SFRAME_RULE_OUTERMOST,
			   .calls = CALL_BY_REG }, BARE(.calls = CALL_BY_REG) },
		.end = SFRAME_FP_HIDDEN_RA,
	}, {
		.name = "arm64: the same, but by one of our own",
		ON_ARM64(0, RET(2)),
		.fns = { BARE(), BARE(.ends = true),
			 BARE(.record = true, .calls = CALL_BY_REG),
			 { .rule.flags = SFRAME_RULE_OUTERMOST,
			   .calls = CALL_OF(2) } },
		.callers = { { RET(3), 0, S(20) } },
		.end = SFRAME_OUTERMOST,
	}, {
		.name = "arm64: the same, but the function makes no record",
		ON_ARM64(0, RET(2)),
		.fns = { BARE(), BARE(.ends = true), BARE(.calls = CALL_BY_REG),
			 { .rule.flags = SFRAME_RULE_OUTERMOST,
			   .calls = CALL_OF(2) } },
		.end = SFRAME_FP_HIDDEN_RA,
	}, {
		.name = "arm64: code that one jumped to who has FP at its record all along",
		IN_FRAME_OF(A64_RECORD_AT_END),
		.callers = { { RET(3), S(6), S(20) }, { RET(5), S(10), S(20) } },
		.end = SFRAME_OUTERMOST,
	}, {
		.name = "arm64: the same, but not from its first instruction on",
		IN_FRAME_OF(A64_LEAF),
		.end = SFRAME_FP_HIDDEN_RA,
	}, {
		.name = "arm64: the same, but the record lies elsewhere",
		IN_FRAME_OF(RULE(CFA_FP(32), RA_CFA(-8), FP_CFA(-16))),
		.end = SFRAME_FP_HIDDEN_RA,
	},
};

/* Rules that need what is not known below the topmost frame. */
static const struct walk_case lost_cases[] = {
	{
		.name = "x86: register of a caller, but it has a record",
		.abi = &sframe_abi_x86,
		.regs = { .pc = AT(0), .sp = S(0), .fp = S(4) },
		.fns = { X86_SP(8), RULE(CFA_R10(0), RA_CFA(-8)),
			 FLAGS(OUTERMOST) },
		.words = { { S(0), RET(1) }, { S(4), WILD }, { S(5), RET(2) } },
		.callers = { { RET(1), S(1) }, { RET(2), S(6), WILD } },
		.end = SFRAME_OUTERMOST,
	}, {
		.name = "x86: the same, but another RA is below",
		.abi = &sframe_abi_x86,
		.regs = { .pc = AT(0), .sp = S(0), .fp = S(4) },
		.fns = { X86_SP(8), RULE(CFA_R10(0), RA_CFA(-8)),
			 FLAGS(OUTERMOST) },
		.words = { { S(0), RET(1) }, { S(2), RET(0) }, { S(4), WILD },
			   { S(5), RET(2) } },
		.callers = { { RET(1), S(1) } },
		.end = SFRAME_NEEDS_TOPMOST,
	}, {
		.name = "x86: the same, but that has no caller",
		.abi = &sframe_abi_x86,
		.regs = { .pc = AT(0), .sp = S(0), .fp = S(4) },
		.fns = { X86_SP(8), RULE(CFA_R10(0), RA_CFA(-8)),
			 FLAGS(OUTERMOST) },
		.words = { { S(0), RET(1) }, { S(2), RET(0) }, { S(3), WILD },
			   { S(4), WILD }, { S(5), RET(2) } },
		.callers = { { RET(1), S(1) }, { RET(2), S(6), WILD } },
		.end = SFRAME_OUTERMOST,
	}, {
		.name = "x86: the same, but that has one that somebody made up",
		.abi = &sframe_abi_x86,
		.regs = { .pc = AT(0), .sp = S(0), .fp = S(4) },
		.fns = { X86_SP(8), RULE(CFA_R10(0), RA_CFA(-8)),
			 FLAGS(OUTERMOST) },
		.words = { { S(0), RET(1) }, { S(2), RET(0) }, { S(3), AT(2) },
			   { S(4), WILD }, { S(5), RET(2) } },
		.callers = { { RET(1), S(1) } },
		.end = SFRAME_NEEDS_TOPMOST,
	}, {
		.name = "x86: the same, but nobody knows who its caller would be",
		.abi = &sframe_abi_x86,
		.regs = { .pc = AT(0), .sp = S(0), .fp = S(4) },
		.fns = { X86_SP(8), RULE(CFA_R10(0), RA_CFA(-8)),
			 FLAGS(OUTERMOST), KIND(NO_TABLE) },
		.words = { { S(0), RET(1) }, { S(2), RET(3) }, { S(3), WILD },
			   { S(4), WILD }, { S(5), RET(2) } },
		.callers = { { RET(1), S(1) } },
		.end = SFRAME_NEEDS_TOPMOST,
	}, {
		.name = "x86: RA in a register of a caller is lost, record or not",
		.abi = &sframe_abi_x86,
		.regs = { .pc = AT(0), .sp = S(0), .fp = S(4) },
		.fns = { X86_SP(8), RULE(CFA_SP(8), .ra = SFRAME_LOC_REG | 10),
			 FLAGS(OUTERMOST) },
		.words = { { S(0), RET(1) }, { S(4), WILD }, { S(5), RET(2) } },
		.callers = { { RET(1), S(1) } },
		.end = SFRAME_NEEDS_TOPMOST,
	}, {
		.name = "arm64: SP lost, found again by a rule and its record",
		.abi = &sframe_abi_arm64,
		.regs = { .pc = AT(0), .sp = S(0), .fp = S(0) },
		.fns = { KIND(NO_TABLE),
			 RULE(CFA_SP(32), RA_CFA(-24), FP_CFA(-32)), A64_RA_16,
			 FLAGS(OUTERMOST) },
		.words = { { S(0), S(6) }, { S(1), RET(1) }, { S(6), WILD },
			   { S(7), RET(2) }, { S(10), RET(3) } },
		.callers = { { RET(1), 0, S(6) }, { RET(2), S(10), WILD },
			     { RET(3), S(12), WILD } },
		.end = SFRAME_OUTERMOST,
	}, {
		.name = "s390x: FP lost, but there is a backchain",
		.abi = &sframe_abi_s390,
		.regs = { .pc = AT(0), .sp = S(0), .fp = S(40) },
		.fns = { KIND(NO_TABLE), RULE(CFA_FP(320), RA_CFA(-48)),
			 FLAGS(OUTERMOST) },
		.words = { { S(0), S(20) }, { S(34), RET(1) }, { S(20), S(60) },
			   { S(74), RET(2) } },
		.callers = { { RET(1), S(20) }, { RET(2), S(60) } },
		.end = SFRAME_OUTERMOST,
	},
};
