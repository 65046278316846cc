/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Walks where FP points to the record of a function that lies just before the one
 * that is running, in code without tables: where the former ends decides whether
 * a caller is skipped; included once, by cursor_kunit.c.
 */

#define LAST(...)	.last = { __VA_ARGS__ }
#define OUTERMOST(what)	{ .rule.flags = SFRAME_RULE_OUTERMOST, .calls = what }

/*
 * Function 1 makes a record, ends in a way that @__VA_ARGS__ say, and has called 2
 * by a register. 3 has called 1.
 */
#define X86_BORDER(what, ...)						\
	{								\
		.name = "x86: the function before ends in " what,	\
		.abi = &sframe_abi_x86,					\
		.regs = { .pc = AT(2), .sp = S(0), .fp = S(4) },	\
		.words = { { S(1), RET(1) }, { S(4), S(20) },		\
			   { S(5), RET(3) } },				\
		.fns = { BARE(), BARE(.record = true, .calls = CALL_BY_REG, \
				      __VA_ARGS__),			\
			 BARE(), OUTERMOST(CALL_OF(1)) },		\
		.end = SFRAME_FP_HIDDEN_RA,				\
	}

#define ARM64_BORDER(what, ...)						\
	{								\
		.name = "arm64: the function before ends in " what,	\
		.abi = &sframe_abi_arm64,				\
		.regs = { .pc = AT(2), .sp = S(0), .fp = S(4), .ra = RET(1) }, \
		.words = { { S(4), S(20) }, { S(5), RET(3) } },		\
		.fns = { BARE(), BARE(.record = true, .calls = CALL_BY_REG, \
				      __VA_ARGS__),			\
			 BARE(), OUTERMOST(CALL_OF(1)) },		\
		.end = SFRAME_FP_HIDDEN_RA,				\
	}

static const struct walk_case border_cases[] = {
	X86_BORDER("a return", .ends = true),
	X86_BORDER("ret $8", LAST(0xc2, 0x08, 0xf0)),
	X86_BORDER("a call, nothing behind it"),
	X86_BORDER("a call and nops", LAST(0xe8, 1, 2, 3, 4, 0x0f, 0x1f, 0xf0)),
	X86_BORDER("a call and int3", LAST(0xe8, 1, 2, 3, 4, 0xcc)),
	X86_BORDER("an indirect call and a nop", LAST(0xff, 0xd0, 0x66, 0x90)),
	X86_BORDER("jmp rel8", LAST(0xeb, 0xe0)),
	X86_BORDER("jmp rel8 and a nop", LAST(0xeb, 0xe0, 0x66, 0x90)),
	X86_BORDER("jmp rel32", LAST(0xe9, 0xe0, 0xff, 0xff, 0xff)),
	X86_BORDER("jmp *%rax", LAST(0xff, 0xe0)),
	X86_BORDER("jmp *%r10", LAST(0x41, 0xff, 0xe2)),
	X86_BORDER("jmp *8(%rip)", LAST(0xff, 0x25, 0x08, 0xf0, 0xf0, 0xf0)),
	X86_BORDER("hlt", LAST(0xf4)),
	X86_BORDER("hlt and a nop", LAST(0xf4, 0x0f, 0x1f, 0x40, 0xf0)),
	X86_BORDER("ud2", LAST(0x0f, 0x0b)),
	X86_BORDER("ud1", LAST(0x0f, 0xb9, 0x10)),
	X86_BORDER("int3", LAST(0xcc)),
	X86_BORDER("syscall and a nop", LAST(0x0f, 0x05, 0x66, 0x90)),
	X86_BORDER("a return; bytes before it look like a jump",
		   LAST(0xb8, 0xeb, 0x03, 0, 0, 0xc3)),
	X86_BORDER("a return; a tail call goes to the next one",
		   LAST(0x5d, 0xeb, 0x02, 0x98, 0xc3)),
	{
		.name = "x86: the function before ends where nothing is aligned",
		.abi = &sframe_abi_x86,
		.regs = { .pc = RET(1) + 9, .sp = S(0), .fp = S(4) },
		.words = { { S(1), RET(4) }, { S(4), S(20) }, { S(5), RET(3) } },
		.fns = { BARE(), { .kind = FN_NO_TABLE, .record = true,
				   .insns = { 0xc3c9 } },
			 BARE(), OUTERMOST(CALL_OF(1)),
			 OUTERMOST(CALL_OF(5)) },
		.end = SFRAME_FP_HIDDEN_RA,
	}, {
		.name = "x86: what lies behind the return had no record",
		.abi = &sframe_abi_x86,
		.regs = { .pc = RET(2) + 9, .sp = S(0), .fp = S(4) },
		.words = { { S(0), RET(4) }, { S(4), S(20) }, { S(5), RET(3) } },
		.fns = { BARE(), BARE(.ends = true),
			 { .kind = FN_NO_TABLE, .record = true,
			   .insns = { 0xc3c9 } },
			 OUTERMOST(CALL_OF(5)), OUTERMOST(CALL_OF(6)) },
		.end = SFRAME_FP_HIDDEN_RA,
	}, {
		.name = "x86: at its end, the record is still FP's",
		.abi = &sframe_abi_x86,
		.regs = { .pc = RET(2) + 2, .sp = S(0), .fp = S(4) },
		.words = { { S(0), RET(4) }, { S(4), S(20) }, { S(5), RET(3) } },
		.fns = { BARE(), BARE(.ends = true),
			 { .kind = FN_NO_TABLE, .record = true,
			   .calls = CALL_NONE,
			   .insns = { 0x90909090, 0xc3c99090 } },
			 OUTERMOST(CALL_OF(5)), OUTERMOST(CALL_OF(6)) },
		.callers = { { RET(3), S(6), S(20) } },
		.end = SFRAME_OUTERMOST,
	}, {
		.name = "x86: behind leave, it is no longer",
		.abi = &sframe_abi_x86,
		.regs = { .pc = RET(2) + 2, .sp = S(0), .fp = S(4) },
		.words = { { S(0), RET(4) }, { S(4), S(20) }, { S(5), RET(3) } },
		.fns = { BARE(), BARE(.ends = true),
			 { .kind = FN_NO_TABLE, .record = true,
			   .calls = CALL_NONE,
			   .insns = { 0xeb9090c9, 0x000090e0 } },
			 OUTERMOST(CALL_OF(5)), OUTERMOST(CALL_OF(6)) },
		.end = SFRAME_FP_HIDDEN_RA,
	}, {
		.name = "x86: FP points to a local variable",
		.abi = &sframe_abi_x86,
		.regs = { .pc = RET(2) + 9, .sp = S(0), .fp = S(4) },
		.words = { { S(1), RET(4) }, { S(4), S(20) }, { S(5), RET(3) } },
		.fns = { BARE(), BARE(.ends = true),
			 INSNS(0x246c8d48, 0x90909020),
			 OUTERMOST(CALL_OF(5)), OUTERMOST(CALL_OF(6)) },
		.end = SFRAME_FP_HIDDEN_RA,
	}, {
		.name = "x86: FP points to a record, as Go made them",
		.abi = &sframe_abi_x86,
		.regs = { .pc = RET(2) + 12, .sp = S(0), .fp = S(4) },
		.words = { { S(1), RET(4) }, { S(4), S(20) }, { S(5), RET(3) } },
		.fns = { BARE(), BARE(.ends = true),
			 INSNS(0x246c8948, 0x6c8d4820, 0x90902024),
			 OUTERMOST(CALL_OF(5)), OUTERMOST(CALL_OF(6)) },
		.callers = { { RET(3), S(6), S(20) } },
		.end = SFRAME_OUTERMOST,
	}, {
		.name = "x86: behind a return, but jumped to",
		.abi = &sframe_abi_x86,
		.regs = { .pc = RET(2) + 9, .sp = S(0), .fp = S(4) },
		.words = { { S(1), RET(4) }, { S(4), S(20) }, { S(5), RET(3) } },
		.fns = { BARE(), BARE(.ends = true),
			 { .kind = FN_NO_TABLE, .record = true,
			   .calls = CALL_NONE,
			   .insns = { 0xc3c90274, 0x90909090 } },
			 OUTERMOST(CALL_OF(5)), OUTERMOST(CALL_OF(6)) },
		.callers = { { RET(3), S(6), S(20) } },
		.end = SFRAME_OUTERMOST,
	}, {
		.name = "x86: not topmost, behind a function that makes a record",
		.abi = &sframe_abi_x86,
		.regs = { .pc = AT(0), .sp = S(0), .fp = S(4) },
		.fns = { X86_SP(8), BARE(.record = true, .ends = true,
					 .calls = CALL_BY_REG),
			 BARE(), OUTERMOST(CALL_OF(1)) },
		.words = { { S(0), RET(2) }, { S(2), RET(1) }, { S(4), S(20) },
			   { S(5), RET(3) } },
		.callers = { { RET(2), S(1) } },
		.end = SFRAME_FP_HIDDEN_RA,
	},
	ARM64_BORDER("a return", .ends = true),
	ARM64_BORDER("retaa", LAST(0xff, 0x0b, 0x5f, 0xd6)),
	ARM64_BORDER("b", LAST(0xf8, 0xff, 0xff, 0x17)),
	ARM64_BORDER("b and a nop",
		     LAST(0xf8, 0xff, 0xff, 0x17, 0x1f, 0x20, 0x03, 0xd5)),
	ARM64_BORDER("br x17", LAST(0x20, 0x02, 0x1f, 0xd6)),
	ARM64_BORDER("braaz x17", LAST(0x3f, 0x0a, 0x1f, 0xd6)),
	ARM64_BORDER("brk", LAST(0x20, 0x00, 0x20, 0xd4)),
	ARM64_BORDER("udf 1", LAST(0x01, 0x00, 0x00, 0x00)),
	ARM64_BORDER("a call, nothing behind it"),
	ARM64_BORDER("a call and a nop",
		     LAST(0x40, 0x00, 0x00, 0x94, 0x1f, 0x20, 0x03, 0xd5)),
	ARM64_BORDER("svc and a nop",
		     LAST(0x01, 0x00, 0x00, 0xd4, 0x1f, 0x20, 0x03, 0xd5)),
	{
		.name = "arm64: FP is the caller's again",
		.abi = &sframe_abi_arm64,
		.regs = { .pc = RET(2) + 8, .sp = S(0), .fp = S(4), .ra = RET(4) },
		.words = { { S(4), S(20) }, { S(5), RET(3) } },
		.fns = { BARE(), BARE(.ends = true),
			 { .kind = FN_NO_TABLE, .record = true,
			   .insns = { 0xa8c27bfd, 0x17fffff8 } },
			 OUTERMOST(CALL_OF(5)), OUTERMOST(CALL_OF(6)) },
		.end = SFRAME_FP_HIDDEN_RA,
	},
};
