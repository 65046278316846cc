// SPDX-License-Identifier: GPL-2.0
/*
 * The ABI descriptors: what ends with a call, what is a signal trampoline, how
 * long an instruction is and where it leads.
 * The bytes are what assemblers make of the instructions named beside them.
 */
#include <kunit/test.h>

#include <sframe/abi.h>

struct code_case {
	const struct sframe_abi *abi;
	const char *name;
	bool call;
	u8 len;
	u8 bytes[10];
};

#define C(abi, name, call, ...)						\
	{ &sframe_abi_##abi, name, call,				\
	  sizeof((u8[]){ __VA_ARGS__ }), { __VA_ARGS__ } }

static const struct code_case code_cases[] = {
	C(x86, "call rel32", true, 0xe8, 0x11, 0x22, 0x33, 0x44),
	C(x86, "data16 call rel32 (TLS)", true,
	  0x66, 0x48, 0xe8, 0x11, 0x22, 0x33, 0x44),
	C(x86, "call *%rax", true, 0xff, 0xd0),
	C(x86, "call *%r11", true, 0x41, 0xff, 0xd3),
	C(x86, "notrack call *%rdx", true, 0x3e, 0xff, 0xd2),
	C(x86, "call *(%rax)", true, 0xff, 0x10),
	C(x86, "call *(%r12)", true, 0x41, 0xff, 0x14, 0x24),
	C(x86, "call *(%rbx,%rax,8)", true, 0xff, 0x14, 0xc3),
	C(x86, "call *0x8(%rbp)", true, 0xff, 0x55, 0x08),
	C(x86, "call *0x8(%rsp)", true, 0xff, 0x54, 0x24, 0x08),
	C(x86, "call *0x12345(%rip)", true, 0xff, 0x15, 0x45, 0x23, 1, 0),
	C(x86, "call *0x12345(%rbx)", true, 0xff, 0x93, 0x45, 0x23, 1, 0),
	C(x86, "call *0x12345(,%rax,8)", true,
	  0xff, 0x14, 0xc5, 0x45, 0x23, 1, 0),
	C(x86, "call *0x12345(%rsp)", true,
	  0xff, 0x94, 0x24, 0x45, 0x23, 1, 0),
	C(x86, "call *%fs:0x10(%r12)", true,
	  0x64, 0x41, 0xff, 0x54, 0x24, 0x10),
	C(x86, "jmp rel32", false, 0xe9, 0x11, 0x22, 0x33, 0x44),
	C(x86, "jmp *%rax", false, 0xff, 0xe0),
	C(x86, "push (%rax)", false, 0xff, 0x30),
	C(x86, "call *(%rax) and a nop", false, 0xff, 0x10, 0x90),
	C(x86, "call *%rax and pop", false, 0xff, 0xd0, 0x5b),
	C(x86, "call rel32 and ret", false,
	  0xe8, 0x11, 0x22, 0x33, 0x44, 0xc3),
	C(x86, "ret", false, 0xc3),
	C(x86, "syscall", false, 0x0f, 0x05),
	C(arm64, "bl forward", true, 0x40, 0x00, 0x00, 0x94),
	C(arm64, "bl backward", true, 0xf0, 0xff, 0xff, 0x97),
	C(arm64, "blr x16", true, 0x00, 0x02, 0x3f, 0xd6),
	C(arm64, "blraa x8, x9", true, 0x09, 0x09, 0x3f, 0xd7),
	C(arm64, "blrab x8, sp", true, 0x1f, 0x0d, 0x3f, 0xd7),
	C(arm64, "blraaz x8", true, 0x1f, 0x09, 0x3f, 0xd6),
	C(arm64, "blrabz x8", true, 0x1f, 0x0d, 0x3f, 0xd6),
	C(arm64, "b", false, 0x40, 0x00, 0x00, 0x14),
	C(arm64, "br x16", false, 0x00, 0x02, 0x1f, 0xd6),
	C(arm64, "braa x8, x9", false, 0x09, 0x09, 0x1f, 0xd7),
	C(arm64, "ret", false, 0xc0, 0x03, 0x5f, 0xd6),
	C(arm64, "retaa", false, 0xff, 0x0b, 0x5f, 0xd6),
	C(arm64, "svc 0", false, 0x01, 0x00, 0x00, 0xd4),
	C(s390, "brasl %r14", true, 0xc0, 0xe5, 0x00, 0x00, 0x01, 0x02),
	C(s390, "bras %r14", true, 0xa7, 0xe5, 0x00, 0x10),
	C(s390, "bas %r14,8(%r1)", true, 0x4d, 0xe0, 0x10, 0x08),
	C(s390, "basr %r14,%r1", true, 0x0d, 0xe1),
	C(s390, "basr %r14,%r0 (no branch)", false, 0x0d, 0xe0),
	C(s390, "basr %r13,%r1", false, 0x0d, 0xd1),
	C(s390, "brasl %r13", false, 0xc0, 0xd5, 0x00, 0x00, 0x01, 0x02),
	C(s390, "bras %r13", false, 0xa7, 0xd5, 0x00, 0x10),
	C(s390, "brcl", false, 0xc0, 0xf4, 0x00, 0x00, 0x01, 0x02),
	C(s390, "br %r14", false, 0x07, 0xfe),
};

static void code_name(const struct code_case *c, char *desc)
{
	snprintf(desc, KUNIT_PARAM_DESC_SIZE, "%s: %s", c->abi->name, c->name);
}

KUNIT_ARRAY_PARAM(code, code_cases, code_name);

static void recognises_calls(struct kunit *test)
{
	const struct code_case *c = test->param_value;
	u8 code[SFRAME_CALL_LEN_MAX + sizeof(c->bytes)] = {};
	const u8 *end = code + sizeof(code);

	KUNIT_ASSERT_LE(test, c->abi->call_len, SFRAME_CALL_LEN_MAX);
	memcpy(code + sizeof(code) - c->len, c->bytes, c->len);
	KUNIT_EXPECT_EQ(test, c->abi->after_call(end - c->abi->call_len),
			c->call);
}

#define BR_X17		0xd61f0220
/* adr x30, @insns on */
#define ADR_X30(insns)	(0x1000001e | (insns) << 5)

/* RA is behind the six words. */
static void recognises_made_ras(struct kunit *test)
{
	static const struct {
		const char *name;
		u32 insns[SFRAME_MADE_RA_LEN / 4];
		bool made;
	} cases[] = {
		{ "adr x30, br", { 0, 0, 0, 0, ADR_X30(2), BR_X17 }, true },
		{ "adr x30, four others, br",
		  { ADR_X30(6), 0xf8617aa2, 0, 0, 0, BR_X17 }, true },
		{ "adr x30, ret", { 0, 0, 0, 0, ADR_X30(2), 0xd65f03c0 }, false },
		{ "br, adr x30", { 0, 0, 0, 0, BR_X17, ADR_X30(1) }, false },
		{ "of another place", { 0, 0, 0, 0, ADR_X30(3), BR_X17 }, false },
		{ "between instructions",
		  { 0, 0, 0, 0, ADR_X30(2) | 1 << 29, BR_X17 }, false },
		{ "adrp", { 0, 0, 0, 0, ADR_X30(2) | 1u << 31, BR_X17 }, false },
		{ "adr x29", { 0, 0, 0, 0, ADR_X30(2) - 1, BR_X17 }, false },
		{ "br", { 0, 0, 0, 0, 0, BR_X17 }, false },
	};
	u8 code[SFRAME_MADE_RA_LEN];
	unsigned int i, byte;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		for (byte = 0; byte < sizeof(code); byte++)
			code[byte] = cases[i].insns[byte / 4] >> byte % 4 * 8;
		KUNIT_EXPECT_EQ_MSG(test, sframe_abi_arm64.made_ra(code),
				    cases[i].made, "%s", cases[i].name);
	}
}

/* The PC may be at the trampoline's first byte, and at any of @pcs. */
static void check_sigreturn(struct kunit *test, const struct sframe_abi *abi,
			    const u8 *bytes, unsigned int len, u32 pcs)
{
	u8 code[64] = {};
	unsigned int at;

	memcpy(code + 32, bytes, len);
	for (at = 0; at <= len + 8; at++) {
		const u8 *pc = code + 28 + at;
		bool in = at >= 4 && pcs >> (at - 4) & 1;

		const u8 *from = pc - SFRAME_SIGRETURN_PC;

		KUNIT_EXPECT_EQ_MSG(test, !!abi->sigreturn(from, false),
				    in, "%s: PC at %d", abi->name, (int)at - 4);
		/* A handler returns to the first instruction alone. */
		KUNIT_EXPECT_EQ_MSG(test, !!abi->sigreturn(from, true),
				    in && at == 4, "%s: RA at %d", abi->name,
				    (int)at - 4);
	}
}

static void recognises_trampolines(struct kunit *test)
{
	static const u8 x86_long[] = { 0x48, 0xc7, 0xc0, 15, 0, 0, 0,
				       0x0f, 0x05 };
	static const u8 x86_short[] = { 0xb8, 15, 0, 0, 0, 0x0f, 0x05 };
	static const u8 x86_exit[] = { 0xb8, 60, 0, 0, 0, 0x0f, 0x05 };
	static const u8 arm64[] = { 0x68, 0x11, 0x80, 0xd2, 1, 0, 0, 0xd4 };
	static const u8 arm64_exit[] = { 0xa8, 0x0b, 0x80, 0xd2, 1, 0, 0, 0xd4 };
	static const u8 s390_old[] = { 0x0a, 119 };
	static const u8 s390_rt[] = { 0x0a, 173 };
	static const u8 s390_exit[] = { 0x0a, 1 };

#define CHECK(abi, bytes, pcs) \
	check_sigreturn(test, &sframe_abi_##abi, bytes, sizeof(bytes), pcs)
	CHECK(x86, x86_long, 1 << 0 | 1 << 7 | 1 << 9);
	CHECK(x86, x86_short, 1 << 0 | 1 << 5 | 1 << 7);
	CHECK(x86, x86_exit, 0);
	CHECK(arm64, arm64, 1 << 0 | 1 << 4 | 1 << 8);
	CHECK(arm64, arm64_exit, 0);
	CHECK(s390, s390_old, 1 << 0 | 1 << 2);
	CHECK(s390, s390_rt, 1 << 0 | 1 << 2);
	CHECK(s390, s390_exit, 0);
#undef CHECK
}

struct insn_case {
	const struct sframe_abi *abi;
	const char *name;
	u16 flags;
	s8 jump;	/* from its beginning, if it JUMPS */
	u8 len;		/* 0: it is none */
	u8 bytes[SFRAME_CODE_AFTER];
};

#define I(abi, name, flags, jump, ...)					\
	{ &sframe_abi_##abi, name, flags, jump,				\
	  sizeof((u8[]){ __VA_ARGS__ }), { __VA_ARGS__ } }
#define NONE(abi, name, ...)						\
	{ &sframe_abi_##abi, name, 0, 0, 0, { __VA_ARGS__ } }
#define STOPS		SFRAME_INSN_STOPS
#define ANYWHERE	SFRAME_INSN_ANYWHERE
#define JUMPS		SFRAME_INSN_JUMPS
#define CALLS		SFRAME_INSN_CALLS
#define FILLS		SFRAME_INSN_FILLS
#define BEGINS		SFRAME_INSN_BEGINS
#define RESTORES	SFRAME_INSN_RESTORES
#define ENTERED		SFRAME_INSN_ENTERED
#define CHOOSES		SFRAME_INSN_CHOOSES
#define LEAVES		SFRAME_INSN_LEAVES

static const struct insn_case insn_cases[] = {
	I(x86, "mov %eax,%ebx", 0, 0, 0x89, 0xc3),
	I(x86, "mov $0xc3c3c3c3,%eax", 0, 0, 0xb8, 0xc3, 0xc3, 0xc3, 0xc3),
	I(x86, "mov $0xc3c3,%ax", 0, 0, 0x66, 0xb8, 0xc3, 0xc3),
	I(x86, "movabs $n,%rax", 0, 0, 0x48, 0xb8, 1, 2, 3, 4, 5, 6, 7, 8),
	I(x86, "movabs n,%al", 0, 0, 0xa0, 1, 2, 3, 4, 5, 6, 7, 8),
	I(x86, "add $n,0x12345(%rax,%rbx,4)", 0, 0,
	  0x48, 0x81, 0x84, 0x98, 0x45, 0x23, 1, 0, 1, 2, 3, 4),
	I(x86, "add $n,%r12w", 0, 0, 0x66, 0x41, 0x81, 0xc4, 1, 2),
	I(x86, "testb $n,8(%rip)", 0, 0, 0xf6, 0x05, 8, 0, 0, 0, 0x10),
	I(x86, "not %rax", 0, 0, 0x48, 0xf7, 0xd0),
	I(x86, "test $n,%eax", 0, 0, 0xf7, 0xc0, 1, 2, 3, 4),
	I(x86, "mov n(,%rax,8),%rcx", 0, 0, 0x48, 0x8b, 0x0c, 0xc5, 1, 2, 3, 4),
	I(x86, "enter $n,$0", 0, 0, 0xc8, 1, 2, 0),
	I(x86, "pshufb (%rax),%xmm0", 0, 0, 0x66, 0x0f, 0x38, 0x00, 0x00),
	I(x86, "palignr $8,%xmm1,%xmm0", 0, 0, 0x66, 0x0f, 0x3a, 0x0f, 0xc1, 8),
	I(x86, "vzeroupper", 0, 0, 0xc5, 0xf8, 0x77),
	I(x86, "vpshufd $1,%xmm0,%xmm1", 0, 0, 0xc5, 0xf9, 0x70, 0xc8, 1),
	I(x86, "vpalignr $8,%ymm2,%ymm1,%ymm0", 0, 0,
	  0xc4, 0xe3, 0x75, 0x0f, 0xc2, 8),
	I(x86, "vmovdqu64 0x40(%rsi),%zmm17", 0, 0,
	  0x62, 0xe1, 0xfe, 0x48, 0x6f, 0x4e, 1),
	I(x86, "ret", STOPS, 0, 0xc3),
	I(x86, "ret $8", STOPS, 0, 0xc2, 8, 0),
	I(x86, "bnd ret", STOPS, 0, 0xf2, 0xc3),
	I(x86, "jmp rel8", STOPS | JUMPS, -14, 0xeb, 0xf0),
	I(x86, "jmp rel32", STOPS | JUMPS, 0x15, 0xe9, 0x10, 0, 0, 0),
	I(x86, "jne rel8", JUMPS, 0x12, 0x75, 0x10),
	I(x86, "jne rel32", JUMPS, 0x16, 0x0f, 0x85, 0x10, 0, 0, 0),
	I(x86, "notrack jmp *%rax", STOPS | ANYWHERE, 0, 0x3e, 0xff, 0xe0),
	I(x86, "jmp *n(,%rax,8)", STOPS | ANYWHERE, 0, 0xff, 0x24, 0xc5, 1, 2, 3, 4),
	I(x86, "call *8(%rip)", CALLS, 0, 0xff, 0x15, 8, 0, 0, 0),
	I(x86, "data16 rex.W call rel32", CALLS, 0, 0x66, 0x48, 0xe8, 1, 2, 3, 4),
	I(x86, "syscall", CALLS, 0, 0x0f, 0x05),
	I(x86, "hlt", STOPS, 0, 0xf4),
	I(x86, "ud2", STOPS, 0, 0x0f, 0x0b),
	I(x86, "int3", STOPS | FILLS, 0, 0xcc),
	I(x86, "nop", FILLS, 0, 0x90),
	I(x86, "pause", 0, 0, 0xf3, 0x90),
	I(x86, "xchg %r8,%rax", 0, 0, 0x49, 0x90),
	I(x86, "cs nopw n(%rax,%rax,1)", FILLS, 0,
	  0x66, 0x2e, 0x0f, 0x1f, 0x84, 0, 0, 0, 0, 0),
	I(x86, "endbr64", BEGINS, 0, 0xf3, 0x0f, 0x1e, 0xfa),
	I(x86, "push %r12", BEGINS, 0, 0x41, 0x54),
	I(x86, "sub $8,%rsp", BEGINS, 0, 0x48, 0x83, 0xec, 8),
	I(x86, "sub $8,%r12", 0, 0, 0x49, 0x83, 0xec, 8),
	I(x86, "pop %rbp", RESTORES, 0, 0x5d),
	I(x86, "pop %r13", 0, 0, 0x41, 0x5d),
	I(x86, "leave", RESTORES, 0, 0xc9),
	I(x86, "mov 8(%rsp),%rbp", RESTORES, 0, 0x48, 0x8b, 0x6c, 0x24, 8),
	I(x86, "mov %rax,%rbp", RESTORES, 0, 0x48, 0x89, 0xc5),
	I(x86, "mov %rax,%r13", 0, 0, 0x49, 0x89, 0xc5),
	NONE(x86, "(push %es)", 0x06),
	NONE(x86, "(more than 15 bytes)", 0x66, 0x66, 0x66, 0x66, 0x66, 0x66,
	     0x66, 0x66, 0x66, 0x66, 0x66, 0x66, 0x66, 0x66, 0x66, 0x90),
	I(arm64, "ret", STOPS, 0, 0xc0, 0x03, 0x5f, 0xd6),
	I(arm64, "retab", STOPS, 0, 0xff, 0x0f, 0x5f, 0xd6),
	I(arm64, "br x17", STOPS | ANYWHERE, 0, 0x20, 0x02, 0x1f, 0xd6),
	I(arm64, "b", STOPS | JUMPS, -32, 0xf8, 0xff, 0xff, 0x17),
	I(arm64, "b.ne", JUMPS, 64, 0x01, 0x02, 0x00, 0x54),
	I(arm64, "cbnz x0", JUMPS, -16, 0x80, 0xff, 0xff, 0xb5),
	I(arm64, "tbz x0, 3", JUMPS, 32, 0x00, 0x01, 0x18, 0x36),
	I(arm64, "blr x0", CALLS, 0, 0x00, 0x00, 0x3f, 0xd6),
	I(arm64, "svc 0", CALLS, 0, 0x01, 0x00, 0x00, 0xd4),
	I(arm64, "brk 1", STOPS, 0, 0x20, 0x00, 0x20, 0xd4),
	I(arm64, "udf 0", STOPS | FILLS, 0, 0, 0, 0, 0),
	I(arm64, "nop", FILLS, 0, 0x1f, 0x20, 0x03, 0xd5),
	I(arm64, "stp x29, x30, [sp, -32]!", BEGINS, 0, 0xfd, 0x7b, 0xbe, 0xa9),
	I(arm64, "sub sp, sp, 32", BEGINS, 0, 0xff, 0x83, 0x00, 0xd1),
	I(arm64, "ldp x29, x30, [sp], 32", RESTORES, 0, 0xfd, 0x7b, 0xc2, 0xa8),
	I(arm64, "ldur x29, [sp, -8]", RESTORES, 0, 0xfd, 0x83, 0x5f, 0xf8),
	I(arm64, "ldp x19, x20, [sp, 16]", 0, 0, 0xf3, 0x53, 0x41, 0xa9),
	I(s390, "nopr", FILLS, 0, 0x07, 0x07),
	I(s390, "nopr, with a mask", FILLS, 0, 0x07, 0xf0),
	I(s390, "nop", FILLS, 0, 0x47, 0, 0, 0),
	I(s390, "jgnop", FILLS, 0, 0xc0, 0x04, 0, 0, 0, 2),
	I(s390, "nopr, to a register", FILLS, 0, 0x07, 0x0e),
	I(s390, "b, with a base", STOPS | ANYWHERE | CHOOSES, 0, 0x47, 0xf0, 0x10, 0),
	I(s390, "bne, likewise", STOPS | ANYWHERE, 0, 0x47, 0x70, 0x10, 0),
	I(s390, "bi", STOPS | ANYWHERE | CHOOSES, 0, 0xe3, 0xf0, 0x10, 0, 0, 0x47),
	I(s390, "lr %r1,%r0", 0, 0, 0x18, 0x10),
	I(s390, "br %r14", STOPS, 0, 0x07, 0xfe),
	I(s390, "bner %r14", 0, 0, 0x07, 0x7e),
	I(s390, "br %r1", STOPS | ANYWHERE | CHOOSES, 0, 0x07, 0xf1),
	I(s390, "bner %r1", STOPS | ANYWHERE, 0, 0x07, 0x71),
	I(s390, "j", STOPS | JUMPS, -16, 0xa7, 0xf4, 0xff, 0xf8),
	I(s390, "j .+2, a trap", STOPS, 0, 0xa7, 0xf4, 0, 1),
	I(s390, "jne", JUMPS, 8, 0xa7, 0x74, 0, 4),
	I(s390, "brasl %r14", CALLS, 0, 0xc0, 0xe5, 0, 0, 0, 8),
	I(s390, "basr %r14,%r1", CALLS, 0, 0x0d, 0xe1),
	I(s390, "svc 1", CALLS, 0, 0x0a, 1),
	I(s390, "zeros", STOPS | FILLS, 0, 0, 0),
	I(s390, "stmg %r6,%r15,48(%r15)", BEGINS | ENTERED, 0, 0xeb, 0x6f, 0xf0, 0x30, 0, 0x24),
	I(s390, "stmg %r6,%r15,56(%r15)", 0, 0, 0xeb, 0x6f, 0xf0, 0x38, 0, 0x24),
	I(s390, "stmg %r6,%r14,48(%r15)", 0, 0, 0xeb, 0x6e, 0xf0, 0x30, 0, 0x24),
	I(s390, "lmg %r6,%r15,48(%r15)", LEAVES, 0, 0xeb, 0x6f, 0xf0, 0x30, 0, 0x04),
	I(s390, "lmg %r6,%r14,48(%r15)", 0, 0, 0xeb, 0x6e, 0xf0, 0x30, 0, 0x04),
};

static void insn_name(const struct insn_case *c, char *desc)
{
	snprintf(desc, KUNIT_PARAM_DESC_SIZE, "%s: %s", c->abi->name, c->name);
}

KUNIT_ARRAY_PARAM(insn, insn_cases, insn_name);

static void decodes_instructions(struct kunit *test)
{
	const struct insn_case *c = test->param_value;
	struct sframe_insn insn;
	u64 pc = 0x401000;

	KUNIT_ASSERT_EQ(test, c->abi->insn(c->bytes, pc, &insn), c->len != 0);
	if (!c->len)
		return;
	KUNIT_EXPECT_EQ(test, (int)insn.len, (int)c->len);
	KUNIT_EXPECT_EQ(test, (int)insn.flags, (int)c->flags);
	if (c->flags & SFRAME_INSN_JUMPS)
		KUNIT_EXPECT_EQ(test, insn.target, pc + c->jump);
	if (c->abi->insn_align > 1)
		KUNIT_EXPECT_FALSE(test, c->abi->insn(c->bytes, pc + 1, &insn));
}

#define SAVE	0xe3, 0xe0, 0xf0, 0x08, 0x00, 0x24	/* stg %r14,8(%r15) */
#define TOUCH	0xeb, 0xde, 0xf0, 0x00, 0xec, 0x51
#define COPY	0xb9, 0x04, 0x00, 0x0f			/* lgr %r0,%r15 */
#define LOWER	0xa7, 0xfb, 0xff, 0x10			/* aghi %r15,-240 */
#define RAISE	0xa7, 0xfb, 0x00, 0xf0
#define CHAIN	0xe3, 0x00, 0xf0, 0x00, 0x00, 0x24	/* stg %r0,0(%r15) */
#define POLL	0xe3, 0x10, 0x84, 0x50, 0x00, 0x04	/* lg %r1,1104(%r8) */
#define TEST	0x91, 0x6f, 0x10, 0x00			/* tm 0(%r1),... */
#define BACK	0x07, 0xfe				/* br %r14 */
#define UNMADE	SFRAME_CHAIN_UNMADE

/* Where what HotSpot compiles for s390x has no frame. */
static void recognises_chains(struct kunit *test)
{
	static const struct {
		const char *name;
		u8 code[SFRAME_CHAIN_AT_LEN];
		enum sframe_chain_at at;
	} cases[] = {
		{ "it returns", { BACK }, UNMADE },
		{ "behind a poll", { POLL, TEST, BACK }, UNMADE },
		{ "behind a part of one", { TEST, BACK }, UNMADE },
		{ "that is another load", { 0xe3, 0x20, 0x84, 0x50, 0x00, 0x04, BACK } },
		{ "br %r1", { 0x07, 0xf1 } },
		{ "it saves RA", { SAVE }, UNMADE },
		{ "it will", { TOUCH, SAVE }, UNMADE },
		{ "past jne", { 0xa7, 0x74, 0x00, 0x08, SAVE }, UNMADE },
		{ "past zeros", { 0, 0, SAVE } },
		{ "past br %r1", { 0x07, 0xf1, SAVE } },
		{ "past j", { 0xa7, 0xf4, 0x00, 0x08, SAVE } },
		{ "past jg", { 0xc0, 0xf4, 0, 0, 0, 8, SAVE } },
		{ "past basr", { 0x0d, 0xe1, SAVE } },
		{ "past bras", { 0xa7, 0xe5, 0x00, 0x08, SAVE } },
		{ "past brasl", { 0xc0, 0xe5, 0, 0, 0, 8, SAVE } },
		{ "it makes its frame", { COPY, LOWER, CHAIN }, UNMADE },
		{ "it has copied SP", { LOWER, CHAIN }, UNMADE },
		{ "it stores something else", { LOWER, TEST } },
		{ "it raises SP", { RAISE, CHAIN } },
		{ "it has lowered it", { CHAIN }, SFRAME_CHAIN_UNLINKED },
		{ "something else", { TEST, CHAIN } },
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(cases); i++)
		KUNIT_EXPECT_EQ_MSG(test, (int)sframe_abi_s390.chain_at(cases[i].code),
				    (int)cases[i].at, "%s", cases[i].name);
}

static struct kunit_case abi_test_cases[] = {
	KUNIT_CASE_PARAM(decodes_instructions, insn_gen_params),
	KUNIT_CASE_PARAM(recognises_calls, code_gen_params),
	KUNIT_CASE(recognises_made_ras),
	KUNIT_CASE(recognises_trampolines),
	KUNIT_CASE(recognises_chains),
	{}
};

static struct kunit_suite abi_suite = {
	.name = "sframe_abi",
	.test_cases = abi_test_cases,
};

kunit_test_suite(abi_suite);
