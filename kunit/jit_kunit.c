// SPDX-License-Identifier: GPL-2.0
/*
 * Code that is compiled at run time, for x86-64: addresses in registers, RPython's calls,
 * QEMU's blocks; and what is left on the stack by functions that such code has called.
 */
#include <kunit/test.h>

#include <sframe/cursor.h>

#include "bare_world.h"

#define PC		(BARE + 0x100)		/* 0x400200 */
#define OUT		(BARE + 0x200)		/* 0x400300 */
#define INTO_OUT	4
/* Callers, behind calls. */
#define RA		(CALLERS + 64)
#define STALE		(CALLERS + 128)
/* What is called, besides what begins at CALLED and returns at once. */
#define HANDS_ON	(CALLED + 64)
#define JUMPS_THERE	(CALLED + 96)
#define HANDS_ON_IF	(CALLED + 112)
#define LONG		(CALLED + 120)
#define RETPOLINE	(CALLED + 192)
#define ENDS		(CALLED + 216)
#define BEHIND		(BARE + 0x300)
#define BEHIND_JUMPS	(BEHIND + 64)
/* Where the function begins that runs. */
#define RUNS		(PC - 32)

/* Frames of RPython's code; each takes so many instructions at most. */
#define RPYTHONS	8
#define RPYTHON_COST	2048

#define RET		"\xc3"
#define ADD_24_RET	"\x48\x81\xc4\x18\x00\x00\x00\xc3"
#define R11_IS(low)	"\x49\xbb" low "\x40\x00\x00\x00\x00\x00"	/* movabs, to 0x40.... */
#define RAX_IS(low)	"\x48\xb8" low "\x40\x00\x00\x00\x00\x00"
#define R8_IS(low)	"\x49\xb8" low "\x40\x00\x00\x00\x00\x00"
#define SWAP_R8		"\x49\x90"		/* xchg %rax, %r8 */
#define JUMP_R8		"\x41\xff\xe0"
#define TO_OUT		"\x00\x03"
#define BEHIND_OUT	"\x10\x03"
#define LEA_R11		"\x4d\x8d\x5b\xf0"	/* lea -16(%r11), %r11 */
#define LEA_R10		"\x4d\x8d\x5a\xf0"	/* lea -16(%r10), %r11 */
#define LEA_R11_FAR	"\x4d\x8d\x9b\x00\x01\x00\x00"
#define LEA_R10_FAR	"\x4d\x8d\x93\x00\x01\x00\x00"
#define JUMP_R11	"\x41\xff\xe3"
#define JUMP_RAX	"\xff\xe0"
#define JUMP_RDX	"\xff\xe2"
#define CALL_R11	"\x41\xff\xd3"
#define CALL_R10	"\x41\xff\xd2"
#define CALL		"\xe8\x00\x04\x00\x00"
#define STORE_R11	"\x4c\x89\x5d\x20"	/* mov %r11, 32(%rbp) */
#define CMP_AT_R11	"\x49\x83\x3b\x00"	/* cmpq $0, (%r11) */
#define POP_R11		"\x41\x5b"
#define SYSCALL		"\x0f\x05"
#define JUMP_SELF	"\xeb\xfe"
#define LOAD_FRAME	"\x49\x8b\x0b\x48\x8b\x69\xf8"	/* as RPython does */
#define IF_13		"\x75\x0d"		/* jne, past what is called or left */
#define GUARD		"\xff\x35\x00\x00\x00\x00" R11_IS(TO_OUT) JUMP_R11
#define POP_RAX		"\x58"
#define ZEROES		"\x00\x00"
#define LEA_NEXT	"\x48\x8d\x05\x00\x00\x00\x00"	/* lea 0(%rip), %rax */
#define JUMP_SI		"\xff\xe6"
#define CLEAR_RAX	"\x33\xc0"
#define QEMU_OUT	JUMP_SI CLEAR_RAX ADD_24_RET
#define NOT_QEMU_OUT	JUMP_SI "\x31\xc0" ADD_24_RET

/**
 * struct jit_case - code, and how it is left
 * @name: what it shows
 * @code: it, up to where the PC is in it, and from there on
 * @len: its bytes
 * @at: of these before the PC
 * @jump: its last instruction is a jump into what is at OUT
 * @out: and that is this; else it releases 24 bytes, and returns
 * @out_len: bytes of that
 * @topmost: is it not a caller's?
 * @found: is a way out found, and all 24 bytes and RA released?
 * @sure: that leads past nothing that might not return
 */
struct jit_case {
	const char *name;
	const char *code;
	u8 len;
	u8 at;
	bool jump;
	const char *out;
	u8 out_len;
	bool topmost;
	bool found;
	bool sure;
};

#define IS(text)	.code = (text), .len = sizeof(text) - 1
#define OUT_IS(text)	.out = (text), .out_len = sizeof(text) - 1
#define TOPMOST		.topmost = true
#define SURELY		.found = true, .sure = true

static const struct jit_case jit_cases[] = {
	{ "a jump to an address in R11", TOPMOST, IS(R11_IS(TO_OUT) JUMP_R11), SURELY },
	{ "made of another", TOPMOST, IS(R11_IS(BEHIND_OUT) LEA_R11 JUMP_R11), SURELY },
	{ "which is stored and compared", TOPMOST,
	  IS(R11_IS(TO_OUT) STORE_R11 CMP_AT_R11 JUMP_R11), SURELY },
	{ "made of what was in R10", TOPMOST, IS(R11_IS(BEHIND_OUT) LEA_R10 JUMP_R11) },
	{ "something else is popped", TOPMOST, IS(R11_IS(TO_OUT) POP_R11 JUMP_R11) },
	{ "a call may have changed it", TOPMOST, IS(R11_IS(TO_OUT) CALL JUMP_R11) },
	{ "the kernel has", TOPMOST, IS(R11_IS(TO_OUT) SYSCALL JUMP_R11) },
	{ "in RAX, which is not followed", TOPMOST, IS(RAX_IS(TO_OUT) JUMP_RAX) },
	{ "nothing is in R11", TOPMOST, IS(JUMP_R11) },
	{ "a call of what R11 says, and that returns", TOPMOST, OUT_IS(RET),
	  IS(R11_IS(TO_OUT) CALL_R11 ADD_24_RET), SURELY },
	{ "and that may not", TOPMOST, OUT_IS(JUMP_SELF),
	  IS(R11_IS(TO_OUT) CALL_R11 ADD_24_RET), .found = true },
	{ "that takes off the stack what was pushed", TOPMOST, OUT_IS("\xc2\x08\x00"),
	  IS("\x57" R11_IS(TO_OUT) CALL_R11 ADD_24_RET), SURELY },
	{ "the same, by a direct call", TOPMOST, OUT_IS("\xc2\x08\x00"),
	  IS("\x57\xe8\xfa\x00\x00\x00" ADD_24_RET), SURELY },
	{ "R11 is set on one of two ways", TOPMOST,
	  IS("\x75\x0f" CALL R11_IS(TO_OUT) JUMP_R11) },
	{ "R8 is exchanged with RAX", TOPMOST,
	  IS(R8_IS(TO_OUT) SWAP_R8 JUMP_R8) },
	{ "another call, before the PC", IS(CALL ADD_24_RET), .at = 5, .found = true },
	{ "RPython's", IS(LEA_R11_FAR CALL_R11 ADD_24_RET), .at = 10, SURELY },
	{ "not quite", IS(LEA_R10_FAR CALL_R11 ADD_24_RET), .at = 10, .found = true },
	{ "by another register", IS(LEA_R11_FAR CALL_R10 ADD_24_RET), .at = 10, .found = true },
	{ "RPython's, on the way", TOPMOST, IS(LEA_R11_FAR CALL_R11 ADD_24_RET), SURELY },
	{ "what was pushed may be gone behind it", TOPMOST,
	  IS("\x57" LEA_R11_FAR CALL_R11 ADD_24_RET) },
	{ "RPython's, that loads FP", IS(CALL R11_IS(TO_OUT) LOAD_FRAME ADD_24_RET), .at = 5,
	  SURELY },
	{ "from where R11 pointed before", IS(CALL R8_IS(TO_OUT) LOAD_FRAME ADD_24_RET), .at = 5,
	  .found = true },
	{ "its guard comes first", IS(LEA_R11_FAR CALL_R11 IF_13 CALL ADD_24_RET GUARD), .at = 10,
	  OUT_IS(POP_RAX ADD_24_RET), SURELY },
	{ "zeroes behind a call", TOPMOST, IS(CALL ZEROES ADD_24_RET) },
	{ "a block of QEMU's", TOPMOST, IS(JUMP_RAX LEA_NEXT), .jump = true, OUT_IS(QEMU_OUT),
	  SURELY },
	{ "behind a call", IS(CALL JUMP_RAX LEA_NEXT), .at = 5, .jump = true, OUT_IS(QEMU_OUT),
	  SURELY },
	{ "and it calls more", IS(CALL CALL), .at = 5, .jump = true, OUT_IS(QEMU_OUT), SURELY },
	{ "a block of something else", IS(CALL), .at = 5, .jump = true, OUT_IS(NOT_QEMU_OUT),
	  .found = true },
	{ "that jumps elsewhere", TOPMOST, IS(JUMP_RAX LEA_NEXT), .jump = true,
	  OUT_IS(NOT_QEMU_OUT) },
	{ "QEMU has no such jumps", TOPMOST, IS(JUMP_RDX LEA_NEXT), .jump = true,
	  OUT_IS(QEMU_OUT) },
};

KUNIT_ARRAY_PARAM_DESC(jit, jit_cases, name);

/* Too large for a kernel stack; the cases of a suite run one by one. */
static struct bare_world the_world;

static struct bare_world *world_of_traps(void)
{
	memset(&the_world, 0, sizeof(the_world));
	memset(the_world.code, 0xcc, sizeof(the_world.code));
	return &the_world;
}

static void is_left(struct kunit *test)
{
	const struct jit_case *c = test->param_value;
	struct sframe_leave lv = {
		.sp = S(0), .fp = 0x1234, .cost_max = ~0u, .far = true, .topmost = c->topmost,
	};
	struct bare_world *w = world_of_traps();
	bool found;

	memcpy(w->code + (PC - CODE) - c->at, c->code, c->len);
	memcpy(w->code + (OUT - CODE), c->out ?: ADD_24_RET,
	       c->out ? c->out_len : sizeof(ADD_24_RET) - 1);
	if (c->jump)
		put_x86_jump(w->code, CODE, PC - c->at + c->len, OUT + INTO_OUT);
	found = sframe_abi_x86.leave(&lv, PC, bare_read, w);
	KUNIT_ASSERT_EQ(test, found, c->found);
	if (!found)
		return;
	KUNIT_EXPECT_EQ(test, lv.ra_at, S(3));
	KUNIT_EXPECT_EQ(test, lv.sure, c->sure);
}

/* A call of an address that is put into a register right before. */
static void says_what_is_called(struct kunit *test)
{
	static const struct {
		u8 code[SFRAME_FAR_CALL_LEN];
		u64 target;
	} calls[] = {
		{ R11_IS("\x34\x12") CALL_R11, 0x401234 },
		{ "\x90" RAX_IS("\x34\x12") "\xff\xd0", 0x401234 },
		{ R11_IS("\x34\x12") "\x41\xff\xd2", 0 },
		{ "\x90" RAX_IS("\x34\x12") "\xff\xd1", 0 },
		{ "\x90" RAX_IS("\x34\x12") "\xff\xe0", 0 },
		{ RAX_IS("\x34\x12") "\x41\xff\xd0", 0 },
		{ R11_IS("\x34\x12") "\x90\xff\xd3", 0 },
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(calls); i++)
		KUNIT_EXPECT_EQ(test, sframe_abi_x86.far_call_target(calls[i].code),
				calls[i].target);
}

/**
 * struct stale_case - a word below the RA of code without a table, that looks like one
 * @name: what it shows
 * @target: function called before the word, or 0: not known
 * @far: by a register
 * @left: the RA is found nevertheless
 */
struct stale_case {
	const char *name;
	u64 target;
	bool far;
	bool left;
};

static const struct stale_case stale_cases[] = {
	{ "left by a function that returns", CALLED, .left = true },
	{ "and has branches, and a loop", ENDS, .left = true },
	{ "that was called by a register", CALLED, .far = true, .left = true },
	{ "by one that hands on", HANDS_ON },
	{ "or jumps to one that does", JUMPS_THERE },
	{ "by one that hands on if there is somebody", HANDS_ON_IF },
	{ "by one that does so in the end", LONG },
	{ "by way of a retpoline", RETPOLINE },
	{ "by who knows whom", 0 },
	{ "by one that lies behind the PC", BEHIND, .left = true },
	{ "that jumps before it", BEHIND_JUMPS },
	{ "by the one that runs", RUNS },
};

KUNIT_ARRAY_PARAM_DESC(stale, stale_cases, name);

#define PUT(code, at, insns)	memcpy((code) + ((at) - CODE), insns, sizeof(insns) - 1)

static void put_functions(u8 *code)
{
	memset(code + (RUNS - CODE), 0x90, PC - RUNS);
	/* sub $8, %rsp */
	PUT(code, RUNS, "\x48\x83\xec\x08");
	put_x86_call(code, CODE, PC, CALLED);
	PUT(code, CALLED, RET);
	PUT(code, HANDS_ON, JUMP_RAX);
	put_x86_jump(code, CODE, JUMPS_THERE, HANDS_ON);
	/* test %edi, %edi; jne 1f; ret; 1: jmp *%rax */
	PUT(code, HANDS_ON_IF, "\x85\xff\x75\x01" RET JUMP_RAX);
	memset(code + (LONG - CODE), 0x90, 64);
	PUT(code, LONG + 64, JUMP_RAX);
	/* call 2f; 1: pause; lfence; jmp 1b; 2: mov %rax, (%rsp); ret */
	PUT(code, RETPOLINE,
	    "\xe8\x07\x00\x00\x00\xf3\x90\x0f\xae\xe8\xeb\xf9\x48\x89\x04\x24" RET);
	/* 1: test %edi, %edi; jne 2f; ret; 2: js 1b; call; ret */
	PUT(code, ENDS, "\x85\xff\x75\x01" RET "\x78\xf9" CALL RET);
	PUT(code, BEHIND, RET);
	/* test %edi, %edi; jne RUNS; ret */
	put_x86_jump(code, CODE, BEHIND_JUMPS + 3, RUNS);
	PUT(code, BEHIND_JUMPS, "\x85\xff\x0f\x85");
	PUT(code, BEHIND_JUMPS + 8, RET);
}

/* From a function with a row, into code without a table that calls others before it returns. */
static void word_of_another_call(struct kunit *test)
{
	const struct stale_case *c = test->param_value;
	static const char far[] = R11_IS("\x10\x00") CALL_R11;
	static const char rest[] = CALL ADD_24_RET;
	struct sframe_regs regs = { .pc = CALLED, .sp = S(0), .fp = 0x1234 };
	struct bare_world *w = world_of_traps();
	struct sframe_cursor cur;
	unsigned int n = 0;

	put_functions(w->code);
	memcpy(w->code + (PC - CODE), rest, sizeof(rest) - 1);
	put_x86_call(w->code, CODE, RA, 0);
	if (c->far)
		memcpy(w->code + (STALE - CODE) - (sizeof(far) - 1), far, sizeof(far) - 1);
	else
		put_x86_call(w->code, CODE, STALE, c->target);
	w->stack[0] = PC;
	w->stack[2] = STALE;
	w->stack[4] = RA;
	sframe_cursor_init(&cur, &sframe_abi_x86, &regs, 16, &bare_ops, w);
	while (!sframe_cursor_next(&cur))
		KUNIT_EXPECT_EQ(test, cur.pc, n++ ? RA : PC);
	KUNIT_EXPECT_EQ(test, n, c->left ? 2u : 1u);
}

static void stale_word(struct kunit *test)
{
	kept_answers_rounds(test, word_of_another_call);
}

/* What has lost FP is left, too, if that needs no FP. */
static void without_fp(struct kunit *test)
{
	/* mov %rax, 8(%rsp); mov 8(%rsp), %rbp */
	static const char loses[] = "\x48\x89\x44\x24\x08\x48\x8b\x6c\x24\x08" ADD_24_RET;
	static const char leave_ret[] = "\xc9" RET;
	struct sframe_regs regs = { .pc = OUT, .sp = S(0), .fp = S(8) };
	struct bare_world *w = world_of_traps();
	struct sframe_cursor cur;

	memcpy(w->code + (OUT - CODE), loses, sizeof(loses) - 1);
	put_x86_call(w->code, CODE, PC, OUT);
	memcpy(w->code + (PC - CODE), ADD_24_RET, sizeof(ADD_24_RET) - 1);
	put_x86_call(w->code, CODE, RA, 0);
	w->stack[3] = PC;
	w->stack[7] = RA;
	sframe_cursor_init(&cur, &sframe_abi_x86, &regs, 16, &bare_ops, w);
	KUNIT_ASSERT_EQ(test, (int)sframe_cursor_next(&cur), (int)SFRAME_OK);
	KUNIT_EXPECT_FALSE(test, cur.fp_known);
	KUNIT_ASSERT_EQ(test, (int)sframe_cursor_next(&cur), (int)SFRAME_OK);
	KUNIT_EXPECT_EQ(test, cur.pc, RA);
	memcpy(w->code + (PC - CODE), leave_ret, sizeof(leave_ret) - 1);
	sframe_cursor_init(&cur, &sframe_abi_x86, &regs, 16, &bare_ops, w);
	KUNIT_ASSERT_EQ(test, (int)sframe_cursor_next(&cur), (int)SFRAME_OK);
	KUNIT_EXPECT_NE(test, (int)sframe_cursor_next(&cur), (int)SFRAME_OK);
}

/* Calls of RPython's show at once how their frames are left: nothing else is asked of them. */
static void rpython_is_cheap(struct kunit *test)
{
	static const char calls[] = LEA_R11_FAR CALL_R11;
	struct sframe_regs regs = { .pc = CALLED, .sp = S(0), .fp = 0x1234 };
	struct bare_world *w = world_of_traps();
	unsigned int i;
	u32 cost;

	memcpy(w->code + (PC - CODE) - (sizeof(calls) - 1), calls, sizeof(calls) - 1);
	memcpy(w->code + (PC - CODE), ADD_24_RET, sizeof(ADD_24_RET) - 1);
	put_x86_call(w->code, CODE, RA, 0);
	for (i = 0; i < RPYTHONS; i++)
		w->stack[4 * i] = PC;
	w->stack[4 * i] = RA;
	cost = walk_alike(test, &made_ops, w, &regs, RPYTHONS, PC, RA);
	KUNIT_EXPECT_LT(test, cost, RPYTHONS * RPYTHON_COST);
}

/* But where FP is at a record, that tells more than what is behind a call that looks like it. */
static void rpython_has_no_record(struct kunit *test)
{
	static const char calls[] = LEA_R11_FAR CALL_R11;
	/* Another function: push %rbx; call; pop %rbx; ret */
	static const char next[] = "\x53\xe8\x00\x04\x00\x00\x5b\xc3";
	struct sframe_regs regs = { .pc = CALLED, .sp = S(0), .fp = S(8) };
	struct bare_world *w = world_of_traps();
	struct sframe_cursor cur;

	memcpy(w->code + (PC - CODE) - (sizeof(calls) - 1), calls, sizeof(calls) - 1);
	memcpy(w->code + (PC - CODE), next, sizeof(next) - 1);
	w->code[CALLED - CODE] = 0xc3;	/* ret: it ends there */
	put_x86_call(w->code, CODE, RA, RUNS);
	put_x86_call(w->code, CODE, STALE, CALLED);
	w->stack[0] = PC;
	w->stack[1] = STALE;
	w->stack[8] = S(20);
	w->stack[9] = RA;
	sframe_cursor_init(&cur, &sframe_abi_x86, &regs, 16, &made_ops, w);
	KUNIT_ASSERT_EQ(test, (int)sframe_cursor_next(&cur), (int)SFRAME_OK);
	if (!sframe_cursor_next(&cur))
		KUNIT_EXPECT_EQ(test, cur.pc, RA);
}

static struct kunit_case jit_test_cases[] = {
	KUNIT_CASE_PARAM(is_left, jit_gen_params),
	KUNIT_CASE(says_what_is_called),
	KUNIT_CASE_PARAM(stale_word, stale_gen_params),
	KUNIT_CASE(without_fp),
	KUNIT_CASE(rpython_is_cheap),
	KUNIT_CASE(rpython_has_no_record),
	{}
};

static struct kunit_suite jit_suite = {
	.name = "sframe_jit",
	.test_cases = jit_test_cases,
};

kunit_test_suite(jit_suite);
