// SPDX-License-Identifier: GPL-2.0
/* The function that runs, in a file whose functions keep frame pointers: has it a record yet? */
#include "kept_world.h"

/* Is RA the caller of PC, where a function runs whose code goes on like that? */
static bool leads_to_ra(const void *code, unsigned int len)
{
	struct sframe_regs regs = { .pc = PC, .sp = S(1), .fp = S(20) };
	struct bare_world *w = make_world(code, len);
	struct sframe_cursor cur;

	callers_in_gap = true;
	/* At SP, too, an older call has left its RA: it was of another function. */
	w->stack[1] = STALE;
	sframe_cursor_init(&cur, &sframe_abi_x86, &regs, 16, &gap_ops, w);
	return !sframe_cursor_next(&cur) && cur.pc == RA;
}

/* Each is the topmost function's code, from PC on: nothing shows that the record is its own. */
static void not_its_record(struct kunit *test)
{
	static const u8 code[][12] = {
		/* push %rbp; mov %rsp, %rbp; call *%rax; pop %rbp; ret */
		{ 0x55, 0x48, 0x89, 0xe5, 0xff, 0xd0, 0x5d, 0xc3 },
		/* RBP is pushed: mov %rdi, %rsi; mov %rsp, %rbp; call *%rax; pop %rbp; ret */
		{ 0x48, 0x89, 0xfe, 0x48, 0x89, 0xe5, 0xff, 0xd0, 0x5d, 0xc3 },
		/* call __fentry__; push %rbp; mov %rsp, %rbp */
		{ 0xe8, 0, 0, 0, 0, 0x55, 0x48, 0x89, 0xe5, 0xc3 },
		/* It keeps no frame pointer: push %rbx; call *%rax; pop %rbx; ret */
		{ 0x53, 0xff, 0xd0, 0x5b, 0xc3 },
		/* A leaf: mov %edi, %eax; syscall; ret */
		{ 0x89, 0xf8, 0x0f, 0x05, 0xc3 },
		/* RBP is pushed, and used for data: mov %rdi, %rbp; pop %rbp; ret */
		{ 0x48, 0x89, 0xfd, 0x5d, 0xc3 },
		/* It will be, or was not, on this way: pop %rbx; pop %r12; pop %rbp; ret */
		{ 0x5b, 0x41, 0x5c, 0x5d, 0xc3 },
		/* movzbl (%rdi), %ebp; lea -48(%rbp), %eax; ret */
		{ 0x0f, 0xb6, 0x2f, 0x8d, 0x45, 0xd0, 0xc3 },
		/* Where SP is then is not known: add $152, %rsp; sub %rax, %rsp; pop %rbp; ret */
		{ 0x48, 0x81, 0xc4, 0x98, 0, 0, 0, 0x48, 0x29, 0xc4, 0x5d, 0xc3 },
		/* Another function is behind a call of exit(): push %rbx; mov -8(%rbp), %eax */
		{ 0xff, 0xd0, 0x53, 0x8b, 0x45, 0xf8, 0xc3 },
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(code); i++)
		KUNIT_EXPECT_FALSE(test, leads_to_ra(code[i], sizeof(code[i])));
}

/* SP, which was S(1), is at the record when FP is popped; or is put there. */
static void pops_its_record(struct kunit *test)
{
	static const u8 code[][10] = {
		/* add $144, %rsp; pop %rbx; pop %rbp; ret */
		{ 0x48, 0x81, 0xc4, 0x90, 0, 0, 0, 0x5b, 0x5d, 0xc3 },
		/* sub %rax, %rsp; mov %rbp, %rsp; pop %rbp; ret */
		{ 0x48, 0x29, 0xc4, 0x48, 0x89, 0xec, 0x5d, 0xc3 },
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(code); i++)
		KUNIT_EXPECT_TRUE(test, leads_to_ra(code[i], sizeof(code[i])));
}

static void topmost(struct kunit *test)
{
	static const u8 goes_on[] = {
		0x48, 0x89, 0xf7,		/* mov %rsi, %rdi */
		0xeb, 0x02, 0xcc, 0xcc,		/* jmp over these */
		0xff, 0xd0,			/* call *%rax */
		0x48, 0x8d, 0x7d, 0xf0,		/* lea -16(%rbp), %rdi */
	};

	KUNIT_EXPECT_TRUE(test, leads_to_ra(goes_on, sizeof(goes_on)));
}

/* At its first instruction, which the call before the RA at SP names, FP may be anything. */
static void just_called(struct kunit *test)
{
	struct sframe_regs regs = { .pc = PC, .sp = S(1), .fp = 5 };
	struct bare_world *w = make_world("\x90", 1);
	struct sframe_cursor cur;

	put_x86_call(w->code, CODE, STALE, PC);
	w->stack[1] = STALE;
	sframe_cursor_init(&cur, &sframe_abi_x86, &regs, 16, &gap_ops, w);
	KUNIT_ASSERT_EQ(test, (int)sframe_cursor_next(&cur), (int)SFRAME_OK);
	KUNIT_EXPECT_EQ(test, cur.pc, STALE);
	KUNIT_EXPECT_EQ(test, cur.sp, S(2));
	KUNIT_EXPECT_TRUE(test, cur.fp_known && cur.fp == 5);
}

/* What a function without a record calls, in the same file, ends by itself: no other is meant. */
static void calls_in_same_gap(struct kunit *test)
{
	static const u8 leaf[] = {
		0x48, 0x39, 0xf2,		/* cmp %rsi, %rdx */
		0x75, 0xfb,			/* PC: jne leaf */
		0x48, 0x89, 0x11, 0xc3,		/* mov %rdx, (%rcx); ret */
	};
	struct bare_world *w = make_world(leaf + 3, sizeof(leaf) - 3);
	struct sframe_regs regs = { .pc = PC, .sp = S(1), .fp = S(20) };
	struct sframe_cursor cur;

	memcpy(w->code + (PC - CODE) - 3, leaf, 3);
	put_x86_call(w->code, CODE, STALE, PC - 3);
	w->stack[1] = STALE;
	w->stack[4] = 0;
	sframe_cursor_init(&cur, &sframe_abi_x86, &regs, 16, &gap_ops, w);
	KUNIT_ASSERT_EQ(test, (int)sframe_cursor_next(&cur), (int)SFRAME_OK);
	KUNIT_EXPECT_EQ(test, cur.pc, STALE);
}

static struct kunit_case kept_topmost_test_cases[] = {
	KUNIT_CASE(topmost),
	KUNIT_CASE(pops_its_record),
	KUNIT_CASE(not_its_record),
	KUNIT_CASE(just_called),
	KUNIT_CASE(calls_in_same_gap),
	{}
};

static struct kunit_suite kept_topmost_suite = {
	.name = "sframe_kept_topmost",
	.test_cases = kept_topmost_test_cases,
};

kunit_test_suite(kept_topmost_suite);
