// SPDX-License-Identifier: GPL-2.0
/*
 * The ABI descriptors: what ends with a call, what is a signal trampoline.
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

static struct kunit_case abi_test_cases[] = {
	KUNIT_CASE_PARAM(recognises_calls, code_gen_params),
	KUNIT_CASE(recognises_trampolines),
	{}
};

static struct kunit_suite abi_suite = {
	.name = "sframe_abi",
	.test_cases = abi_test_cases,
};

kunit_test_suite(abi_suite);
