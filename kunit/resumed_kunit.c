// SPDX-License-Identifier: GPL-2.0
/*
 * Deep stacks of an interpreter, as HotSpot's has them before anything is compiled: it is
 * returned to at a few places, in turn, and what these are is looked at once in a walk.
 */
#include <kunit/test.h>

#include <sframe/cursor.h>

#define FRAMES		60
#define FRAME_WORDS	8
#define STACK_WORDS	(FRAMES * FRAME_WORDS + 32)

#include "interp_world.h"

/* A function that was compiled, and where the interpreter is returned to. */
#define COMPILED	(CODE + 32)
#define RESUME(n)	(CODE + 83 + 24 * (n))
#define PLACES_MAX	(SFRAME_RESUMED_MAX + 2)
/* The interpreter's records. */
#define RECORD(n)	S(12 + FRAME_WORDS * (n))

/* add $24,%rsp; pop %rbp; ret */
#define LEAVES		"\x48\x83\xc4\x18\x5d\xc3"
/* mov -16(%rbp),%rsp; movq $0,-16(%rbp) */
#define RESUMES		"\x48\x8b\x65\xf0\x48\xc7\x45\xf0\0\0\0\0"

/* How often code was read where the interpreter is returned to. */
static unsigned int looks;

static int count_looks(void *ctx, u64 addr, void *buf, unsigned int len)
{
	looks += addr >= RESUME(0) && addr < RESUME(PLACES_MAX) && !((addr - RESUME(0)) % 24);
	return interp_read(ctx, addr, buf, len);
}

/* Where the interpreter's frame @n is returned to. */
static u64 resumed_pc(unsigned int n, unsigned int places)
{
	return n < FRAMES ? RESUME(n % places) : RA;
}

/* The SP that frame @n has stored: right above the RA of what it has jumped to. */
static u64 resumed_sp(unsigned int n)
{
	return n ? RECORD(n - 1) + 16 : S(5);
}

static void set_deep_stack(struct interp_world *w, unsigned int places)
{
	u64 *word = w->stack;
	unsigned int n;

	memset(w, 0, sizeof(*w));
	memset(w->code, 0xcc, sizeof(w->code));
	memcpy(w->code + (COMPILED - CODE), LEAVES, sizeof(LEAVES) - 1);
	for (n = 0; n < places; n++)
		memcpy(w->code + (RESUME(n) - CODE), RESUMES, sizeof(RESUMES) - 1);
	/* call *%rax */
	memcpy(w->code + (RA - 2 - CODE), "\xff\xd0", 2);
	word[3] = RECORD(0);
	word[4] = resumed_pc(0, places);
	for (n = 0; n < FRAMES; n++) {
		word = w->stack + (RECORD(n) - STACK) / sizeof(u64);
		word[-2] = resumed_sp(n);
		word[-1] = RECORD(n) + 24;
		word[0] = RECORD(n + 1);
		word[1] = resumed_pc(n + 1, places);
	}
}

/* Returns what the walk has cost. */
static u32 walk_deep_stack(struct kunit *test, struct interp_world *w, unsigned int places)
{
	struct sframe_regs regs = { .pc = COMPILED, .sp = S(0), .fp = 7 };
	struct sframe_cursor_ops ops = interp_ops;
	struct sframe_cursor cur;
	enum sframe_reason end;
	unsigned int n = 0;
	u32 budget;

	set_deep_stack(w, places);
	ops.read_code = count_looks;
	ops.answers = NULL;
	looks = 0;
	sframe_cursor_init(&cur, &sframe_abi_x86, &regs, FRAMES + 8, &ops, w);
	budget = cur.budget;
	while (!(end = sframe_cursor_next(&cur))) {
		KUNIT_ASSERT_LE(test, n, (unsigned int)FRAMES);
		KUNIT_ASSERT_EQ(test, cur.pc, resumed_pc(n, places));
		KUNIT_ASSERT_TRUE(test, cur.sp_known);
		if (n < FRAMES)
			KUNIT_ASSERT_EQ(test, cur.sp, resumed_sp(n));
		n++;
	}
	KUNIT_EXPECT_EQ(test, (int)end, (int)SFRAME_OUTERMOST);
	KUNIT_EXPECT_EQ(test, n, FRAMES + 1u);
	return budget - cur.budget;
}

/* By turns at a few places costs no more than at one; at many it costs more, and is right. */
static void looked_at_once(struct kunit *test)
{
	static struct interp_world w;
	unsigned int places;
	u32 spent, one = 0;

	for (places = 1; places <= PLACES_MAX; places++) {
		spent = walk_deep_stack(test, &w, places);
		if (places == 1)
			one = spent;
		/* The topmost frame may take another look. */
		if (places > SFRAME_RESUMED_MAX) {
			KUNIT_EXPECT_GT(test, looks, places + 1);
		} else {
			KUNIT_EXPECT_LE(test, looks, places + 1);
			KUNIT_EXPECT_LE(test, spent, one + (places - 1) * one / 10);
		}
	}
}

static struct kunit_case resumed_test_cases[] = {
	KUNIT_CASE(looked_at_once),
	{}
};

static struct kunit_suite resumed_suite = {
	.name = "sframe_resumed",
	.test_cases = resumed_test_cases,
};

kunit_test_suite(resumed_suite);
