/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Walks through callers that are left as their code does, where that is not known to
 * be theirs; included once, by cursor_kunit.c.
 */

/* A caller without a record, 2, in code that is left by a return to 3. */
#define LEFT_BY_CODE(at, ...)						\
	.abi = &sframe_abi_x86,						\
	.regs = { .pc = AT(0), .sp = S(0), .fp = WILD },		\
	.words = { { S(0), RET(2) }, { at, RET(3) }, __VA_ARGS__ }
#define CALLER(whom)	{ .rule.flags = SFRAME_RULE_OUTERMOST, .calls = whom }
#define ADD_24_RET	{ 0x48, 0x83, 0xc4, 24, 0xc3 }

static const struct walk_case left_cases[] = {
	{
		.name = "x86: left by its code, and it was called",
		LEFT_BY_CODE(S(1)),
		.fns = { X86_SP(8), BARE(), BARE(.ends = true), CALLER(CALL_OF(2)) },
		.callers = { { RET(2), S(1), WILD }, { RET(3), S(2), WILD } },
		.end = SFRAME_OUTERMOST,
	}, {
		.name = "x86: the same, through the linker's stub",
		LEFT_BY_CODE(S(1)),
		.fns = { X86_SP(8), BARE(), BARE(.ends = true), CALLER(CALL_OF(4)),
			 BARE(.stub_of = CALL_OF(2)) },
		.callers = { { RET(2), S(1), WILD }, { RET(3), S(2), WILD } },
		.end = SFRAME_OUTERMOST,
	}, {
		.name = "x86: the same, but it is another function's stub",
		LEFT_BY_CODE(S(1)),
		.fns = { X86_SP(8), BARE(), BARE(.ends = true), CALLER(CALL_OF(4)),
			 BARE(.stub_of = CALL_OF(5)), BARE(.ends = true) },
		.callers = { { RET(2), S(1), WILD } },
		.end = SFRAME_FP_OFF_STACK,
	}, {
		.name = "x86: the same, through one behind it that jumps there at once",
		LEFT_BY_CODE(S(1)),
		.fns = { X86_SP(8), BARE(), BARE(.ends = true), CALLER(CALL_OF(4)),
			 BARE(.jumps_to = CALL_OF(2)) },
		.callers = { { RET(2), S(1), WILD }, { RET(3), S(2), WILD } },
		.end = SFRAME_OUTERMOST,
	}, {
		.name = "x86: never left, but entered from where a call says",
		LEFT_BY_CODE(S(6), { S(5), S(20) }),
		.fns = { X86_SP(8), BARE(), BARE(.saves_fp = true), CALLER(CALL_OF(2)) },
		.callers = { { RET(2), S(1), WILD }, { RET(3), S(7), WILD } },
		.end = SFRAME_OUTERMOST,
	}, {
		.name = "x86: the same, but it makes a record, and FP is not there",
		LEFT_BY_CODE(S(6), { S(5), S(20) }),
		.fns = { X86_SP(8), BARE(), BARE(.record = true), CALLER(CALL_OF(2)) },
		.callers = { { RET(2), S(1), WILD } },
		.end = SFRAME_FP_OFF_STACK,
	}, {
		.name = "x86: the same, but RA is not where that puts it",
		LEFT_BY_CODE(S(7), { S(5), S(20) }),
		.fns = { X86_SP(8), BARE(), BARE(.saves_fp = true), CALLER(CALL_OF(2)) },
		.callers = { { RET(2), S(1), WILD } },
		.end = SFRAME_FP_OFF_STACK,
	}, {
		.name = "x86: left by its code, but what is behind it was called",
		LEFT_BY_CODE(S(1)),
		.fns = { X86_SP(8), BARE(), BARE(.ends = true), CALLER(CALL_OF(4)),
			 BARE(.ends = true) },
		.callers = { { RET(2), S(1), WILD } },
		.end = SFRAME_FP_OFF_STACK,
	}, {
		.name = "x86: left by its code, perhaps it was called",
		LEFT_BY_CODE(S(1)),
		.fns = { X86_SP(8), BARE(), BARE(.ends = true), CALLER(CALL_FAR) },
		.callers = { { RET(2), S(1), WILD }, { RET(3), S(2), WILD } },
		.end = SFRAME_OUTERMOST,
	}, {
		.name = "x86: the same, and a word follows a call of what is behind it",
		LEFT_BY_CODE(S(4), { S(1), RET(4) }),
		.fns = { X86_SP(8), BARE(), BARE(.last = ADD_24_RET), CALLER(CALL_FAR),
			 BARE(.calls = CALL_OF(5)) },
		.callers = { { RET(2), S(1), WILD }, { RET(3), S(5), WILD } },
		.end = SFRAME_OUTERMOST,
	}, {
		.name = "x86: the same, but of what is before it, and leads there",
		LEFT_BY_CODE(S(4), { S(1), RET(4) }),
		.fns = { X86_SP(8), BARE(), BARE(.last = ADD_24_RET), CALLER(CALL_FAR),
			 BARE(.calls = CALL_OF(1)) },
		.callers = { { RET(2), S(1), WILD } },
		.end = SFRAME_FP_OFF_STACK,
	}, {
		.name = "x86: the same, but what it has called is about to return",
		.abi = &sframe_abi_x86,
		.regs = { .pc = START(1) - 1, .sp = S(0), .fp = WILD },
		.words = { { S(0), RET(2) }, { S(4), RET(3) }, { S(1), RET(4) } },
		.fns = { BARE(.last = { 0xc3 }), BARE(), BARE(.last = ADD_24_RET),
			 CALLER(CALL_FAR), BARE(.calls = CALL_OF(1)) },
		.callers = { { RET(2), S(1), WILD }, { RET(3), S(5), WILD } },
		.end = SFRAME_OUTERMOST,
	}, {
		/* 1 ends in a call of 3, which exits by int $0x80. 2 is another function. */
		.name = "x86: what is called never returns, another function is behind the call",
		.abi = &sframe_abi_x86,
		.regs = { .pc = START(1) - 1, .sp = S(0), .fp = WILD },
		.words = { { S(0), RET(1) }, { S(1), RET(5) }, { S(4), RET(6) } },
		.fns = { BARE(.last = { 0xc3 }), BARE(.last = { 0xe8, 0x41, 0, 0, 0, 0x98 }),
			 BARE(.calls = CALL_NONE, .ends = true),
			 BARE(.calls = CALL_NONE, .last = { 0x98, 0x98, 0x98, 0xcd, 0x80 }),
			 BARE(.calls = CALL_NONE, .ends = true),
			 BARE(.calls = CALL_OF(4)), CALLER(CALL_OF(1)) },
		.callers = { { RET(1), S(1), WILD } },
		.end = SFRAME_FP_OFF_STACK,
	}, {
		.name = "x86: left by its code, but it jumps to where nobody knows",
		LEFT_BY_CODE(S(4), { S(1), RET(4) }),
		.fns = { X86_SP(8), BARE(.last = { 0xff, 0xe0 }),
			 BARE(.last = ADD_24_RET), CALLER(CALL_FAR),
			 BARE(.calls = CALL_OF(1)) },
		.callers = { { RET(2), S(1), WILD } },
		.end = SFRAME_FP_OFF_STACK,
	}, {
		.name = "x86: the same, but it ends there",
		LEFT_BY_CODE(S(4), { S(1), RET(4) }),
		.fns = { X86_SP(8), BARE(.ends = true), BARE(.last = ADD_24_RET),
			 CALLER(CALL_FAR), BARE(.calls = CALL_OF(1)) },
		.callers = { { RET(2), S(1), WILD }, { RET(3), S(5), WILD } },
		.end = SFRAME_OUTERMOST,
	}, {
		/* je past the PC; jmp as far: in code that ends, else. */
		.name = "x86: left by its code, which a branch leads around",
		LEFT_BY_CODE(S(4), { S(1), RET(4) }),
		.fns = { X86_SP(8), BARE(.last = { 0x74, FN_SIZE - 8, 0xeb, FN_SIZE - 10 }),
			 BARE(.last = ADD_24_RET), CALLER(CALL_OF(1)),
			 BARE(.calls = CALL_OF(0)) },
		.callers = { { RET(2), S(1), WILD }, { RET(3), S(5), WILD } },
		.end = SFRAME_OUTERMOST,
	},
};
