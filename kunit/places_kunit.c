// SPDX-License-Identifier: GPL-2.0
/*
 * Places in programs without tables where walks had wrong callers, or might have had: found by
 * stepping through programs, beside .eh_frame.
 */
#include <kunit/test.h>

#include "bare_world.h"

#define F	(BARE + 0x100)
#define STUB	(BARE + 0x40)
#define OUTER	(BARE + 0x200)
#define LIBC	(CODE + 16)		/* has a table */
#define SLOT	(CODE + 2000)
#define RA	(CALLERS + 64)
#define STALE	(CALLERS + 128)
#define RA2	(CALLERS + 192)

static struct bare_world the_world;

static void make_world(struct bare_world *w)
{
	memset(w, 0, sizeof(*w));
	memset(w->code, 0xcc, sizeof(w->code));
	kept_answers_begin(ANSWERS_NONE);
}

/* A step from @regs leads to @ra, and nowhere else; it may end, unless @ra @must be found. */
static void expect_ra(struct kunit *test, const struct sframe_regs *regs, u64 ra, bool must)
{
	struct sframe_cursor cur;
	enum sframe_reason end;

	sframe_cursor_init(&cur, &sframe_abi_x86, regs, 16, &bare_ops, &the_world);
	end = sframe_cursor_next(&cur);
	KUNIT_EXPECT_TRUE(test, !end || !must);
	KUNIT_EXPECT_TRUE(test, end || cur.pc == ra);
}

/*
 * sqlite3BtreeLast(): push %rbp; mov %rsi, %rbp; push %rbx; ... FP is data, and points to a local
 * variable of the caller; behind that lies what some older call has left.
 */
static void fp_of_found_ra(struct kunit *test)
{
	static const u8 f[] = {
		0x55,				/* push %rbp */
		0x48, 0x89, 0xf5,		/* mov %rsi, %rbp */
		0x53,				/* push %rbx */
		0x48, 0x89, 0xfb,		/* PC: mov %rdi, %rbx */
		0x48, 0x83, 0xec, 0x08,		/* sub $8, %rsp */
		0x48, 0x83, 0xc4, 0x08,		/* add $8, %rsp */
		0x5b, 0x5d, 0xc3,		/* pop; pop; ret */
	};
	struct sframe_regs regs = { .pc = F + 5, .sp = S(0), .fp = S(12) };
	struct bare_world *w = &the_world;
	struct sframe_cursor cur;

	make_world(w);
	memcpy(w->code + (F - CODE), f, sizeof(f));
	memcpy(w->code + (STUB - CODE), "\xc3", 1);
	put_x86_call(w->code, CODE, RA, F);
	put_x86_call(w->code, CODE, STALE, STUB);
	w->stack[0] = 3;	/* the caller's RBX */
	w->stack[1] = 5;	/* and its RBP */
	w->stack[2] = RA;
	w->stack[12] = 0;	/* the caller's local variable, */
	w->stack[13] = STALE;	/* and beside that what was left over */
	sframe_cursor_init(&cur, &sframe_abi_x86, &regs, 16, &bare_ops, w);
	KUNIT_ASSERT_EQ(test, (int)sframe_cursor_next(&cur), (int)SFRAME_OK);
	KUNIT_EXPECT_EQ(test, cur.pc, RA);
	KUNIT_EXPECT_TRUE(test, !cur.fp_known || cur.fp == 5);
}

/*
 * The topmost PC is in a stub of the linker's, in a program without a table. What the stub jumps
 * to, in libc, has a table, and ends by itself: so the RA of the call of the stub counts as stale,
 * and the caller's record is taken for the stub's.
 */
static void in_a_stub(struct kunit *test)
{
	static const u8 outer[] = {
		0x55, 0x48, 0x89, 0xe5,		/* push %rbp; mov %rsp, %rbp */
		0x48, 0x83, 0xec, 0x10,		/* sub $16, %rsp */
		0xe8, 0, 0, 0, 0,		/* call STUB */
		0xc9, 0xc3,			/* leave; ret */
	};
	struct sframe_regs regs = { .pc = STUB, .sp = S(0), .fp = S(3) };
	struct bare_world *w = &the_world;
	u64 libc = LIBC, inner = OUTER + 13;
	u32 rel = (u32)(SLOT - (STUB + 6));

	make_world(w);
	/* No gaps are there. */
	memset(w->code, 0x90, sizeof(w->code));
	memcpy(w->code + (OUTER - CODE), outer, sizeof(outer));
	put_x86_call(w->code, CODE, inner, STUB);
	/* It is no gap that is before the stub, but another one. */
	memset(w->code + (STUB - CODE) - 32, 0x90, 32);
	memcpy(w->code + (STUB - CODE), "\xff\x25", 2);
	memcpy(w->code + (STUB - CODE) + 2, &rel, 4);
	memcpy(w->code + (SLOT - CODE), &libc, 8);
	memcpy(w->code + (LIBC - CODE), "\x31\xc0\xc3", 3);	/* xor %eax, %eax; ret */
	put_x86_call(w->code, CODE, RA, OUTER);
	w->stack[0] = inner;
	w->stack[3] = S(10);
	w->stack[4] = RA;
	w->stack[10] = 0;
	w->stack[11] = RA2;
	expect_ra(test, &regs, inner, true);
}

/*
 * vsnprintf(), map_next() of CPython: FP is data, the address of a local variable, and beside that
 * lies what some older call has left. What the function has called has a table, which does not
 * say whether it returns. @calls: what follows that call calls another function, first.
 */
static void fp_in_own_frame(struct kunit *test, bool calls)
{
	static const u8 near[] = {
		0x48, 0x83, 0xc4, 0x38, 0xc3,	/* add $56, %rsp; ret */
	};
	struct sframe_regs regs = { .pc = CALLED, .sp = S(0), .fp = S(3) };
	struct bare_world *w = &the_world;
	u64 inner = F + 32, at = inner;
	struct sframe_cursor cur;

	make_world(w);
	put_x86_call(w->code, CODE, inner, CALLED);
	if (calls)
		put_x86_call(w->code, CODE, at += 5, CALLED);
	memcpy(w->code + (at - CODE), near, sizeof(near));
	memcpy(w->code + (CALLED - CODE), "\xc3", 1);
	put_x86_call(w->code, CODE, RA, 0);
	put_x86_call(w->code, CODE, STALE, 0);
	w->stack[0] = inner;
	w->stack[3] = 3;
	w->stack[4] = STALE;
	w->stack[8] = RA;
	sframe_cursor_init(&cur, &sframe_abi_x86, &regs, 16, &bare_ops, w);
	KUNIT_ASSERT_EQ(test, (int)sframe_cursor_next(&cur), (int)SFRAME_OK);
	KUNIT_ASSERT_EQ(test, cur.pc, inner);
	KUNIT_ASSERT_EQ(test, (int)sframe_cursor_next(&cur), (int)SFRAME_OK);
	KUNIT_EXPECT_EQ(test, cur.pc, RA);
}

static void fp_in_frame_left_nearby(struct kunit *test)
{
	fp_in_own_frame(test, false);
}

static void fp_in_frame_left_far(struct kunit *test)
{
	fp_in_own_frame(test, true);
}

/* Code says that FP is lost: then no record is where it was. */
static void record_at_lost_fp(struct kunit *test)
{
	struct sframe_regs regs = { .pc = F, .sp = S(0), .fp = S(12) };
	struct bare_world *w = &the_world;
	u64 inner = OUTER + 13;
	struct sframe_cursor cur;
	enum sframe_reason end;
	int i;

	make_world(w);
	memset(w->code, 0x90, sizeof(w->code));
	/* PC: mov %rax, n(%rsp), six times; mov 32(%rsp), %rbp; add $56, %rsp; ret */
	for (i = 0; i < 6; i++) {
		memcpy(w->code + (F - CODE) + 5 * i, "\x48\x89\x44\x24", 4);
		w->code[F - CODE + 5 * i + 4] = "\x00\x08\x10\x30\x18\x28"[i];
	}
	memcpy(w->code + (F - CODE) + 30, "\x48\x8b\x6c\x24\x20\x48\x83\xc4\x38\xc3", 10);
	put_x86_call(w->code, CODE, inner, 0);
	memcpy(w->code + (inner - CODE), "\xeb\xfe", 2);		/* jmp . */
	memcpy(w->code + (STUB - CODE), "\xc3", 1);
	put_x86_call(w->code, CODE, RA, OUTER);
	put_x86_call(w->code, CODE, STALE, STUB);
	w->stack[4] = 5;	/* the caller's RBP */
	w->stack[7] = inner;
	w->stack[13] = STALE;
	w->stack[20] = RA;
	sframe_cursor_init(&cur, &sframe_abi_x86, &regs, 16, &bare_ops, w);
	KUNIT_ASSERT_EQ(test, (int)sframe_cursor_next(&cur), (int)SFRAME_OK);
	KUNIT_EXPECT_EQ(test, cur.pc, inner);
	KUNIT_EXPECT_FALSE(test, cur.fp_known);
	end = sframe_cursor_next(&cur);
	KUNIT_EXPECT_TRUE(test, end || cur.pc == RA);
}

/*
 * A function that aligns SP: any word of as many bytes above SP may have been its RA, so that code
 * leads from there to SP as it is says nothing (gcc's DRAP).
 */
static void aligned_in_between(struct kunit *test)
{
	static const u8 f[] = {
		0x4c, 0x8d, 0x54, 0x24, 0x08,	/* lea 8(%rsp), %r10 */
		0x48, 0x83, 0xe4, 0xc0,		/* and $-64, %rsp */
		0x41, 0xff, 0x72, 0xf8,		/* PC: push -8(%r10) */
		0x55, 0x48, 0x89, 0xe5,		/* push %rbp; mov %rsp, %rbp */
		0x41, 0x52,			/* push %r10 */
		0x41, 0x5a, 0x5d,		/* pop %r10; pop %rbp */
		0x49, 0x8d, 0x62, 0xf8, 0xc3,	/* lea -8(%r10), %rsp; ret */
	};
	struct sframe_regs regs = { .pc = F + 9, .sp = S(0), .fp = 1 };
	struct bare_world *w = &the_world;

	make_world(w);
	memset(w->code, 0x90, sizeof(w->code));
	memcpy(w->code + (F - CODE), f, sizeof(f));
	put_x86_call(w->code, CODE, RA, 0);	/* it was called by a pointer */
	put_x86_call(w->code, CODE, STALE, F);	/* and before by its name */
	w->stack[3] = STALE;
	w->stack[5] = RA;
	expect_ra(test, &regs, RA, false);
}

/* In front of a function's prologue is the trap that ends another one, whose frame is there. */
static void trap_before_prologue(struct kunit *test)
{
	struct sframe_regs regs = { .pc = F, .sp = S(0), .fp = S(2) };
	struct bare_world *w = &the_world;

	make_world(w);
	memset(w->code, 0x90, sizeof(w->code));
	memcpy(w->code + (STUB - CODE), "\xc3", 1);
	/* mov $1, %edi; ud2; nop; then push %rbp; mov %rsp, %rbp; pop %rbp; ret */
	memcpy(w->code + (F - CODE),
	       "\xbf\x01\x00\x00\x00\x0f\x0b\x66\x90\x55\x48\x89\xe5\x5d\xc3", 15);
	put_x86_call(w->code, CODE, RA, F);
	put_x86_call(w->code, CODE, STALE, STUB);
	w->stack[0] = STALE;
	w->stack[2] = S(20);
	w->stack[3] = RA;
	expect_ra(test, &regs, RA, false);
}

/* A function, and what lies far before it. */
#define FAR_AWAY	8192
static u8 far_code[FAR_AWAY + 256];

static int read_far(void *ctx, u64 addr, void *buf, unsigned int len)
{
	u64 at = addr - CODE;

	(void)ctx;
	if (at >= sizeof(far_code) || len > sizeof(far_code) - at)
		return -1;
	memcpy(buf, far_code + at, len);
	return 0;
}

/*
 * gcc has found out late that a switch's default is never reached: "ja" leads to an empty place in
 * .text.unlikely, before some function that returns at once.
 */
static void default_is_nowhere(struct kunit *test)
{
	static const u8 f[] = {
		0x3c, 0x04,				/* cmp $4, %al */
		0x0f, 0x87, 0, 0, 0, 0,			/* ja CODE */
		0x48, 0x63, 0x04, 0x82,			/* movslq (%rdx,%rax,4), %rax */
		0x48, 0x01, 0xd0,			/* add %rdx, %rax */
		0xff, 0xe0,				/* jmp *%rax */
		0x48, 0x83, 0xc4, 0x18, 0xc3,		/* an arm: add $24, %rsp; ret */
	};
	struct sframe_leave lv = {
		.sp = S(0), .fp = 1, .cost_max = 4000, .topmost = true, .far = true,
	};
	s32 rel = -FAR_AWAY - 8;

	memset(far_code, 0x90, sizeof(far_code));
	memcpy(far_code, "\x8d\x04\x7f\xc3", 4);		/* lea; ret */
	memcpy(far_code + FAR_AWAY, f, sizeof(f));
	memcpy(far_code + FAR_AWAY + 4, &rel, sizeof(rel));
	KUNIT_EXPECT_FALSE(test, sframe_abi_x86.leave(&lv, CODE + FAR_AWAY, read_far, NULL));
	/* Nearby it is a way out as any other is. */
	memcpy(far_code + FAR_AWAY - 64, "\x48\x83\xc4\x18\xc3", 5);
	rel = -64 - 8;
	memcpy(far_code + FAR_AWAY + 4, &rel, sizeof(rel));
	lv.sp = S(0);
	KUNIT_ASSERT_TRUE(test, sframe_abi_x86.leave(&lv, CODE + FAR_AWAY, read_far, NULL));
	KUNIT_EXPECT_EQ(test, lv.ra_at, S(3));
}

static struct kunit_case places_test_cases[] = {
	KUNIT_CASE(fp_of_found_ra),
	KUNIT_CASE(in_a_stub),
	KUNIT_CASE(fp_in_frame_left_nearby),
	KUNIT_CASE(fp_in_frame_left_far),
	KUNIT_CASE(record_at_lost_fp),
	KUNIT_CASE(aligned_in_between),
	KUNIT_CASE(trap_before_prologue),
	KUNIT_CASE(default_is_nowhere),
	{}
};

static struct kunit_suite places_suite = {
	.name = "sframe_places",
	.test_cases = places_test_cases,
};

kunit_test_suite(places_suite);
