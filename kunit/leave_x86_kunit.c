// SPDX-License-Identifier: GPL-2.0
/*
 * How x86-64 code says it will be left, where it has to be followed to know. The
 * bytes are what an assembler makes of the instructions named beside them.
 */
#include <kunit/test.h>

#include <sframe/abi.h>

#include "leave.h"
#include "random.h"

#define CODE		0x400040ull
/* So far from there is another function. */
#define FAR		0x20000
#define SP		0x7ff000001000ull
#define FP		0x7ff000001050ull
/* What an instruction costs, and the most of them. */
#define INSN_COST	5
#define COST_MAX	(12000 + LEAVE_OVER_MAX)
/* For a search that may look at as much as it ever does. */
#define ALL_LOOKS	.cost_max = ~0u

#define RET		"\xc3"
#define PUSH_RBP	"\x55"
#define POP_RBP		"\x5d"
#define PUSH_RBX	"\x53"
#define POP_RBX		"\x5b"
#define PUSH_R12	"\x41\x54"
#define POP_R13		"\x41\x5d"
#define SUB_24		"\x48\x83\xec\x18"
#define ADD_24		"\x48\x83\xc4\x18"
#define ADD_4096	"\x48\x81\xc4\x00\x10\x00\x00"
#define AND_32		"\x48\x83\xe4\xe0"	/* and $-32, %rsp */
#define LEA_24		"\x48\x8d\x64\x24\x18"	/* lea 24(%rsp), %rsp */
#define LEA_FP_16	"\x48\x8d\x65\xf0"	/* lea -16(%rbp), %rsp */
#define SP_TO_FP	"\x48\x89\xe5"		/* mov %rsp, %rbp */
#define FP_TO_SP	"\x48\x8b\xe5"		/* mov %rbp, %rsp */
#define LOAD_SP_64	"\x48\x8b\x64\x24\x40"	/* mov 64(%rsp), %rsp */
#define LOAD_FP_8	"\x48\x8b\x6c\x24\x08"	/* mov 8(%rsp), %rbp */
#define SAVE_FP_8	"\x48\x89\x6c\x24\x08"	/* mov %rbp, 8(%rsp) */
#define SAVE_RAX_8	"\x48\x89\x44\x24\x08"	/* mov %rax, 8(%rsp) */
#define STORE(at)	"\x48\x89\x44\x24" at	/* mov %rax, at(%rsp) */
#define STORES		STORE("\x00") STORE("\x08") STORE("\x10") STORE("\x18") STORE("\x20")
#define LOAD_FP_28	"\x48\x8b\x6c\x24\x28"	/* mov 40(%rsp), %rbp */
#define ADD_88		"\x48\x83\xc4\x58"
#define ADD_40		"\x48\x83\xc4\x28"
#define SAVE_RAX_64	"\x48\x89\x44\x24\x40"
#define LEAVE		"\xc9"
#define CLEAR_FP	"\x31\xed"		/* xor %ebp, %ebp */
#define VECTOR_5	"\xc5\xfd\xfe\xec"	/* vpaddd %ymm4, %ymm0, %ymm5 */
#define ADD_TO_FP	"\x62\xf4\xd4\x18\x01\xd8"	/* add %rbx, %rax, %rbp */
#define MULX_FP		"\xc4\xe2\xd3\xf6\xc8"	/* mulx %rax, %rbp, %rcx */
#define CALL		"\xe8\x00\x01\x00\x00"
#define CALL_PAST_5	"\xe8\x05\x00\x00\x00"
#define CALL_NEXT	"\xe8\x00\x00\x00\x00"
#define JUMP_2		"\xeb\x02"		/* past two bytes */
#define JUMP_BACK	"\xeb\xfe"		/* to itself */
#define IF_2		"\x74\x02"
#define IF_BACK_5	"\x75\xf9"		/* to five bytes before it */
#define JUMP_SLOT	"\xff\x25\x00\x01\x00\x00"	/* jmp *256(%rip) */
#define JUMP_RAX	"\xff\xe0"
#define NOPS_2		"\x66\x90"

/**
 * struct leave_case - one piece of code
 * @name: what it shows
 * @code: the code
 * @len: its bytes
 * @at: where in it the PC is
 * @below: is this a caller's frame?
 * @returned: and what it has called will return?
 * @found: is a way out found?
 * @unsure: past a call?
 * @jumps: it leads to another function
 * @lost: is it not known where FP is?
 * @sp: expected from SP on, bytes
 * @fp: where FP is, from SP on, plus 1; 0: in its register
 * @dropped: bytes between RA and the caller's SP
 */
struct leave_case {
	const char *name;
	const char *code;
	u8 len;
	u8 at;
	bool below;
	bool returned;
	bool found;
	bool unsure;
	bool jumps;
	bool lost;
	s16 sp;
	s16 fp;
	s16 dropped;
};

#define IS(text)	.code = (text), .len = sizeof(text) - 1
#define FOUND(off, ...)	.found = true, .sp = (off), __VA_ARGS__
#define AT(off)		.fp = (off) + 1

static const struct leave_case leave_cases[] = {
	{ "leaf", IS(VECTOR_5 RET), FOUND(8) },
	{ "ret that drops arguments", IS("\xc2\x10\x00"), FOUND(24, .dropped = 16) },
	{ "a caller's", IS(RET), .below = true, FOUND(8, .unsure = true) },
	{ "a caller's, and what it has called returns", IS(RET), .below = true,
	  .returned = true, FOUND(8) },
	{ "epilogue", IS(ADD_24 POP_RBX POP_RBP RET), FOUND(48, AT(32)) },
	{ "other registers", IS(POP_R13 RET), FOUND(16) },
	{ "lea", IS(LEA_24 RET), FOUND(32) },
	{ "a large frame", IS(ADD_4096 RET), FOUND(4104) },
	{ "the whole function",
	  IS(PUSH_RBP PUSH_R12 SUB_24 CLEAR_FP ADD_24 POP_R13 POP_RBP RET), FOUND(8) },
	{ "frame pointer is set", IS(PUSH_RBP SP_TO_FP SUB_24 LEAVE RET), FOUND(8) },
	{ "by frame pointer", IS(LEA_FP_16 POP_RBX POP_RBX POP_RBP RET),
	  FOUND(0x50 + 16, AT(0x50)) },
	{ "leave", IS(LEAVE RET), FOUND(0x50 + 16, AT(0x50)) },
	{ "frame pointer was data", IS(CLEAR_FP LEAVE RET) },
	{ "SP of a register", IS("\x48\x89\xc4" RET) },
	{ "FP of a register", IS(FP_TO_SP POP_RBP RET), FOUND(0x50 + 16, AT(0x50)) },
	{ "FP saved in the frame", IS(SAVE_FP_8 CLEAR_FP LOAD_FP_8 ADD_24 RET), FOUND(32) },
	{ "FP was saved in the frame", IS(LOAD_FP_8 ADD_24 RET), FOUND(32, AT(8)) },
	{ "FP put at SP, and loaded again",
	  IS(SUB_24 "\x48\x89\x2c\x24" CLEAR_FP "\x48\x8b\x2c\x24" ADD_24 RET), FOUND(8) },
	{ "FP put at SP, which it then is: that is lent to another function",
	  IS(SUB_24 "\x48\x89\x2c\x24\x48\x8b\xec" CALL LEAVE RET) },
	{ "but something else was stored there", IS(SAVE_RAX_8 LOAD_FP_8 ADD_24 RET),
	  FOUND(32, .lost = true) },
	{ "and that after FP was put there",
	  IS(SAVE_FP_8 SAVE_RAX_8 LOAD_FP_8 ADD_24 RET), FOUND(32, .lost = true) },
	{ "FP is what it was, and says where SP is",
	  IS(SAVE_FP_8 CLEAR_FP LOAD_FP_8 LEAVE RET), FOUND(0x50 + 16, AT(0x50)) },
	{ "data pushed after FP", IS(PUSH_RBP CLEAR_FP PUSH_RBP POP_RBX POP_RBP RET), FOUND(8) },
	{ "FP used, not loaded again", IS(CLEAR_FP RET), FOUND(8, .lost = true) },
	{ "FP is VEX's third register", IS(MULX_FP RET), FOUND(8, .lost = true) },
	{ "APX puts a sum into FP", IS(ADD_TO_FP RET) },
	{ "what APX adds is no return", IS("\x62\xf4\xe4\x1c\x83\xc0\xc3" ADD_24 RET) },
	{ "APX pops two", IS("\x62\xf4\x9c\x18\x8f\xc3" RET) },
	{ "EXTRQ has two operands", IS("\x66\x0f\x78\xc0\xc3\xc3" RET) },
	{ "RDSSP writes to FP", IS("\xf3\x48\x0f\x1e\xcd" RET), FOUND(8, .lost = true) },
	{ "AH, CH and the like are no bytes of SP and FP",
	  IS("\x80\xcc\x0c\x88\xc5\x0f\x94\xc4\xb5\x00" ADD_24 RET), FOUND(32) },
	{ "a byte of SP", IS("\x40\x80\xcc\x0c" ADD_24 RET) },
	{ "a byte of FP", IS("\x40\xb5\x00" ADD_24 RET), FOUND(32, .lost = true) },
	{ "SP saved in the frame", IS(LOAD_SP_64 RET), FOUND(0x208) },
	{ "it is saved only now", IS(SAVE_RAX_64 LOAD_SP_64 RET) },
	{ "aligned, not yet", IS(PUSH_RBP SP_TO_FP AND_32 SUB_24 LEAVE RET), FOUND(8) },
	{ "past a call", IS(CALL ADD_24 RET), FOUND(32, .unsure = true) },
	{ "past a call another function begins", IS(CALL "\xf3\x0f\x1e\xfa" ADD_24 RET) },
	{ "past a call of what returns", IS(CALL_PAST_5 ADD_24 RET VECTOR_5 RET), FOUND(32) },
	{ "the same, below it", IS("\x90\x90" CALL_PAST_5 ADD_24 RET VECTOR_5 RET), .at = 7,
	  .below = true, FOUND(32) },
	{ "what is called jumps", IS(CALL_PAST_5 ADD_24 RET JUMP_2 "\xff\xff" RET), FOUND(32) },
	{ "it may branch", IS(CALL_PAST_5 ADD_24 RET "\x74\x20" RET), FOUND(32) },
	{ "it calls others", IS(CALL_PAST_5 ADD_24 RET CALL RET), FOUND(32, .unsure = true) },
	{ "it asks the kernel by an interrupt", IS(CALL_PAST_5 ADD_24 RET "\xcd\x80" RET),
	  FOUND(32, .unsure = true) },
	{ "it goes to another stack, and what that says",
	  IS(CALL_PAST_5 ADD_24 RET "\x48\x8b\x67\x30\xff\x77\x38" RET),
	  FOUND(32, .unsure = true) },
	{ "it goes to another stack", IS(CALL_PAST_5 ADD_24 RET "\x48\x8b\x27\x5d" RET),
	  FOUND(32, .unsure = true) },
	{ "it pushes where to, and returns there", IS(CALL_PAST_5 ADD_24 RET "\x50" RET),
	  FOUND(32, .unsure = true) },
	{ "it has a frame", IS(CALL_PAST_5 ADD_24 RET PUSH_RBX SUB_24 ADD_24 POP_RBX RET),
	  FOUND(32) },
	{ "it asks the kernel", IS(CALL_PAST_5 ADD_24 RET "\x0f\x05" RET),
	  FOUND(32, .unsure = true) },
	{ "it jumps to what a word says", IS(CALL_PAST_5 ADD_24 RET JUMP_SLOT RET),
	  FOUND(32, .unsure = true) },
	{ "it never ends", IS(CALL_PAST_5 ADD_24 RET JUMP_BACK), FOUND(32, .unsure = true) },
	{ "it traps", IS(CALL_PAST_5 ADD_24 RET "\x0f\x0b" RET), FOUND(32, .unsure = true) },
	{ "past a call that a branch leads around", IS("\x74\x05" CALL ADD_24 RET),
	  FOUND(32) },
	{ "the same, below it", IS("\x74\x05" CALL ADD_24 RET), .below = true,
	  FOUND(32, .unsure = true) },
	{ "around it SP is another", IS("\x74\x06\x50" CALL POP_RBX RET),
	  FOUND(8, .unsure = true) },
	{ "a call of what follows", IS(CALL_NEXT POP_RBX RET), FOUND(8) },
	{ "past a system call", IS("\x0f\x05" RET), FOUND(8, .unsure = true) },
	{ "jump", IS(JUMP_2 "\xff\xff" RET), FOUND(8) },
	{ "a linker's stub", IS("\xf3\x0f\x1e\xfa\xf2" JUMP_SLOT),
	  FOUND(8, .jumps = true) },
	{ "all but a jump is the beginning", IS("\xf3\x0f\x1e\xfa" JUMP_RAX),
	  FOUND(8, .jumps = true) },
	{ "the same, at the jump", IS("\xf3\x0f\x1e\xfa" JUMP_RAX), .at = 4,
	  FOUND(8, .jumps = true) },
	{ "bt, whose opcode has what elsewhere is SP", IS("\x0f\xba\x64\x24\x40\x13" RET),
	  FOUND(8) },
	{ "many words stored", IS(STORES ADD_40 RET), FOUND(48) },
	{ "FP was saved below them",
	  IS(STORE("\x10") STORE("\x18") STORE("\x20") STORE("\x28") STORE("\x30")
	     STORE("\x38") LOAD_FP_8 ADD_88 RET), FOUND(96, AT(8)) },
	{ "and above them", IS(STORES LOAD_FP_28 ADD_88 RET), FOUND(96, AT(0x28)) },
	{ "and perhaps where one is", IS(STORES STORE("\x30") LOAD_FP_28 ADD_88 RET),
	  FOUND(96, .lost = true) },
	{ "one of them where RA would be", IS(STORES STORE("\x28") ADD_40 RET) },
	{ "the linker's first stub", IS("\xff\x35\x00\x01\x00\x00" JUMP_SLOT), .at = 6 },
	{ "another function last", IS(ADD_24 JUMP_SLOT), FOUND(32, .unsure = true) },
	{ "not the loop", IS(VECTOR_5 "\x90" IF_BACK_5 RET), FOUND(8) },
	{ "another way", IS(IF_2 JUMP_BACK ADD_24 RET), FOUND(32) },
	{ "no way", IS(JUMP_BACK) },
	{ "jump to anywhere", IS(JUMP_RAX) },
	{ "RA was pushed", IS("\x50" RET) },
	{ "hlt", IS("\xf4" RET) },
	{ "no instruction", IS("\x06" RET) },
	{ "SP is half a register", IS("\x83\xc4\x18" RET) },
	{ "pop of 16 bits", IS("\x66\x5b" RET) },
	{ "pop of SP", IS("\x5c" RET) },
	{ "push and pop of memory", IS("\xff\x36\x8f\x07\x9c\x9d" NOPS_2 RET), FOUND(8) },
};

KUNIT_ARRAY_PARAM_DESC(leave, leave_cases, name);

struct text {
	u8 bytes[0xfc0];
	unsigned int len;
	unsigned int reads;
};

/* Too large for a kernel stack; the cases of a suite run one by one. */
static struct text the_text;

static struct text *text_of(u8 byte)
{
	memset(&the_text, 0, sizeof(the_text));
	memset(the_text.bytes, byte, sizeof(the_text.bytes));
	the_text.len = sizeof(the_text.bytes);
	return &the_text;
}

/* Each word of the stack is its own address plus 0x1c0. */
static int read_text(void *ctx, u64 addr, void *buf, unsigned int len)
{
	struct text *t = ctx;
	u64 at = addr - CODE, word = addr + 0x1c0;

	t->reads++;
	if (addr - SP < 0x1000 && len == sizeof(word)) {
		memcpy(buf, &word, len);
		return 0;
	}
	if (at >= t->len || t->len - at < len)
		return -1;
	memcpy(buf, t->bytes + at, len);
	return 0;
}

static void knows_the_way_out(struct kunit *test)
{
	const struct leave_case *c = test->param_value;
	struct sframe_leave lv = {
		ALL_LOOKS, .sp = SP, .fp = FP, .topmost = !c->below, .far = true,
		.returned = c->returned,
	};
	struct text *t = text_of(0x06);
	bool found;

	memcpy(t->bytes, c->code, c->len);
	found = sframe_abi_x86.leave(&lv, CODE + c->at, read_text, t);
	KUNIT_ASSERT_EQ(test, found, c->found);
	KUNIT_EXPECT_LE(test, lv.cost, COST_MAX);
	if (!found)
		return;
	KUNIT_EXPECT_EQ(test, lv.sp, SP + c->sp);
	KUNIT_EXPECT_EQ(test, lv.ra_at, SP + c->sp - 8 - c->dropped);
	KUNIT_EXPECT_EQ(test, lv.fp_at, c->fp ? SP + c->fp - 1 : 0);
	KUNIT_EXPECT_EQ(test, lv.fp_lost, c->lost);
	KUNIT_EXPECT_EQ(test, lv.sure, !c->unsure);
	KUNIT_EXPECT_EQ(test, lv.returns, lv.sure && !c->jumps);
}

/* What is far away is as if it were behind the first 64 bytes. */
static int read_far(void *ctx, u64 addr, void *buf, unsigned int len)
{
	return read_text(ctx, addr >= CODE + FAR ? addr - FAR + 64 : addr, buf, len);
}

static void loop_far_away(struct kunit *test)
{
	/* to the other; test %eax, %eax; je to ret; jmp to the test */
	static const char code[] = ADD_24 "\xe9\xf7\xff\x01\x00";
	static const char loop[] = "\x85\xc0\x74\x04" NOPS_2 "\xeb\xf8" RET;
	struct sframe_leave lv = { ALL_LOOKS, .sp = SP, .fp = FP, .topmost = true, .far = true };
	struct text *t = text_of(0);

	memcpy(t->bytes, code, sizeof(code));
	memcpy(t->bytes + 64, loop, sizeof(loop));
	KUNIT_EXPECT_TRUE(test, sframe_abi_x86.leave(&lv, CODE, read_far, t));
	KUNIT_EXPECT_EQ(test, lv.ra_at, SP + 24);
	KUNIT_EXPECT_TRUE(test, lv.cost < 16 * INSN_COST);
}

/* Code is read up to where its page ends, and what is cut off is no instruction. */
static void at_the_end_of_a_page(struct kunit *test)
{
	static const u64 end = 0x401000;
	struct sframe_leave lv = { ALL_LOOKS, .sp = SP, .topmost = true, .far = true };
	struct text *t = text_of(0x90);

	KUNIT_ASSERT_EQ(test, (u64)t->len, end - CODE);
	t->bytes[t->len - 5] = 0xc3;
	KUNIT_EXPECT_TRUE(test, sframe_abi_x86.leave(&lv, end - 9, read_text, t));
	KUNIT_EXPECT_EQ(test, lv.sp, SP + 8);
	lv = (struct sframe_leave){ ALL_LOOKS, .sp = SP, .topmost = true, .far = true };
	KUNIT_EXPECT_FALSE(test, sframe_abi_x86.leave(&lv, end - 4, read_text, t));
	/* mov $0, %eax; of which four bytes are there: the next would be ret. */
	t->bytes[t->len - 4] = 0xb8;
	KUNIT_EXPECT_FALSE(test, sframe_abi_x86.leave(&lv, end - 4, read_text, t));
	KUNIT_EXPECT_FALSE(test, sframe_abi_x86.leave(&lv, end, read_text, t));
}

static void long_functions_cost_no_more(struct kunit *test)
{
	struct sframe_leave lv = { ALL_LOOKS, .sp = SP, .fp = FP, .topmost = true, .far = true };
	struct text *t = text_of(0x90);

	KUNIT_EXPECT_FALSE(test, sframe_abi_x86.leave(&lv, CODE, read_text, t));
	KUNIT_EXPECT_LE(test, lv.cost, COST_MAX);
	KUNIT_EXPECT_GT(test, lv.cost, COST_MAX - LEAVE_OVER_MAX - INSN_COST);
	lv.cost_max = 8 * INSN_COST;
	KUNIT_EXPECT_FALSE(test, sframe_abi_x86.leave(&lv, CODE, read_text, t));
	/* One less, as code has to be read, too. */
	KUNIT_EXPECT_LE(test, lv.cost, 8u * INSN_COST);
	KUNIT_EXPECT_GE(test, lv.cost, 7u * INSN_COST);
}

/* Whatever the code is, it costs no more than it may. */
static void any_code_ends(struct kunit *test)
{
	static const char likely[] = IF_2 IF_BACK_5 JUMP_2 JUMP_BACK PUSH_RBP POP_RBP
		ADD_24 LEAVE SAVE_FP_8 LOAD_SP_64 CALL RET NOPS_2 PUSH_R12 VECTOR_5;
	struct sframe_leave lv;
	u64 rng = 5;
	u32 round, i, found = 0;

	for (round = 0; round < 2000; round++) {
		struct text *t = text_of(0);

		for (i = 0; i < sizeof(t->bytes); i++)
			t->bytes[i] = round & 1 ? rnd(&rng) :
				     likely[rnd_below(&rng, sizeof(likely) - 1)];
		lv = (struct sframe_leave){
			ALL_LOOKS, .sp = SP, .fp = FP, .topmost = true, .far = true,
		};
		found += sframe_abi_x86.leave(&lv, CODE, read_text, t);
		KUNIT_ASSERT_LE(test, lv.cost, COST_MAX);
		KUNIT_ASSERT_LE(test, t->reads, COST_MAX / 2);
	}
	KUNIT_EXPECT_NE(test, found, 0u);
}

/* A function that is called and goes on for long leaves enough to find the way out. */
static void a_call_costs_a_share(struct kunit *test)
{
	static const u8 call[] = { 0xe8, 0x00, 0x01, 0x00, 0x00 };
	struct sframe_leave lv = { .cost_max = 700, .sp = SP, .fp = FP, .far = true };
	struct text *t = text_of(0x90);

	memcpy(t->bytes + 2, call, sizeof(call));
	t->bytes[67] = 0xc3;
	KUNIT_EXPECT_TRUE(test, sframe_abi_x86.leave(&lv, CODE + 7, read_text, t));
	KUNIT_EXPECT_FALSE(test, lv.sure);
	KUNIT_EXPECT_LE(test, lv.cost, 700u);
}

/* Nor does it cost more at the end of what may be looked at. */
static void a_call_at_last(struct kunit *test)
{
	static const u8 call[] = { 0xe8, 0x00, 0x01, 0x00, 0x00 };
	struct sframe_leave lv = { ALL_LOOKS, .sp = SP, .fp = FP, .topmost = true, .far = true };
	unsigned int last = COST_MAX / INSN_COST, at;
	struct text *t;

	/* Code is read, too, so that is some instructions earlier. */
	for (at = last - 80; at < last; at++) {
		t = text_of(0x90);
		memcpy(t->bytes + at, call, sizeof(call));
		sframe_abi_x86.leave(&lv, CODE, read_text, t);
		KUNIT_EXPECT_LE(test, lv.cost, COST_MAX);
	}
}

static struct kunit_case leave_test_cases[] = {
	KUNIT_CASE(a_call_costs_a_share),
	KUNIT_CASE(a_call_at_last),
	KUNIT_CASE_PARAM(knows_the_way_out, leave_gen_params),
	KUNIT_CASE(loop_far_away),
	KUNIT_CASE(at_the_end_of_a_page),
	KUNIT_CASE(long_functions_cost_no_more),
	KUNIT_CASE(any_code_ends),
	{}
};

static struct kunit_suite leave_suite = {
	.name = "sframe_leave_x86",
	.test_cases = leave_test_cases,
};

kunit_test_suite(leave_suite);
