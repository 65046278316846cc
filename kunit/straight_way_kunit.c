// SPDX-License-Identifier: GPL-2.0
/*
 * Where the PC of the topmost function just happens to be, its frame is left as it was from
 * wherever else code leads straight to the same place.
 */
#include <kunit/test.h>

#include "marked_world.h"
#include "ways_world.h"

#define CASE_LEN	16
/* FP is at a record there, where SP is that many words below it. */
#define RECORD_PC	(BARE + 0x100)
#define RECORD_AT	20
#define DEPTH		10
#define CALLERS_RA	(CALLERS + 64)
/* It follows a call by a pointer: who knows whose RA that is? */
#define WORD		(CALLERS + 128)

/**
 * struct straight_case - code before the place that a way is kept of
 * @name: what it shows
 * @code: it; zeroes at the end are none
 * @known: the frame is left by that way
 */
struct straight_case {
	const char *name;
	u8 code[CASE_LEN];
	bool known;
};

static const struct straight_case straight_cases[] = {
	{ "nothing", { }, true },
	{ "a move", { 0x48, 0x89, 0xc8 }, true },
	{ "FP is an address", { 0x48, 0x8b, 0x45, 0xf0 }, true },
	{ "a branch", { 0x48, 0x89, 0xc8, 0x74, 0x10, 0x48, 0x89, 0xc8 }, true },
	{ "a jump", { 0xeb, 0x02, 0x0f, 0x0b }, true },
	{ "a jump back", { 0xeb, 0xfe } },
	{ "a call", { 0xff, 0xd0 } },
	{ "a system call", { 0x0f, 0x05 } },
	{ "a jump by a pointer", { 0xff, 0xe0 } },
	{ "a push", { 0x50 } },
	{ "SP is moved", { 0x48, 0x83, 0xec, 0x08 } },
	{ "FP is set", { 0x48, 0x89, 0xe5 } },
	{ "FP is saved", { 0x48, 0x89, 0x6c, 0x24, 0x08 } },
	{ "FP is saved before a branch", { 0x48, 0x89, 0x6c, 0x24, 0x08, 0x74, 0x10 } },
	{ "it returns", { 0xc3 } },
};

KUNIT_ARRAY_PARAM_DESC(straight, straight_cases, name);

static unsigned int len_of(const u8 *code)
{
	unsigned int len = CASE_LEN;

	while (len && !code[len - 1])
		len--;
	return len;
}

/* There is a record at FP, and it is seen that it is the function's own. */
static struct ways_world *record_world_new(void)
{
	struct ways_world *w = ways_world_new();

	/* mov %rax, -8(%rbp); jmp *%rax */
	memcpy(w->bare.code + (RECORD_PC - CODE), "\x48\x89\x45\xf8\xff\xe0", 6);
	memcpy(w->bare.code + (CALLERS_RA - 2 - CODE), "\xff\xd0", 2);
	memcpy(w->bare.code + (WORD - 2 - CODE), "\xff\xd0", 2);
	w->bare.stack[RECORD_AT] = S(RECORD_AT + 20);
	w->bare.stack[RECORD_AT + 1] = CALLERS_RA;
	w->regs = (struct sframe_regs){
		.sp = S(RECORD_AT - DEPTH), .fp = S(RECORD_AT),
	};
	return w;
}

static enum sframe_reason step_from(struct ways_world *w, u64 pc)
{
	w->regs.pc = pc;
	w->answers.walk++;
	sframe_cursor_init(&w->cur, &sframe_abi_x86, &w->regs, 16, &ways_ops, w);
	return sframe_cursor_next(&w->cur);
}

/* A word leaves open whose record it is, then: only what was seen before tells. */
static void leads_straight(struct kunit *test)
{
	const struct straight_case *c = test->param_value;
	struct ways_world *w = record_world_new();
	unsigned int len = len_of(c->code);
	u64 from = RECORD_PC - len;

	memcpy(w->bare.code + (from - CODE), c->code, len);
	KUNIT_ASSERT_EQ(test, (int)step_from(w, RECORD_PC), (int)SFRAME_OK);
	KUNIT_EXPECT_EQ(test, w->cur.recalled, 0u);
	w->bare.stack[RECORD_AT - 4] = WORD;
	KUNIT_ASSERT_EQ(test, (int)step_from(w, RECORD_PC), (int)SFRAME_OK);
	KUNIT_EXPECT_EQ(test, w->cur.recalled, 1u);
	KUNIT_EXPECT_EQ(test, step_from(w, from) == SFRAME_OK && w->cur.recalled == 1, c->known);
}

/* There is an end to what is looked at; and it is paid for. */
static void leads_far(struct kunit *test)
{
	enum { MOST = 22, MOVES = 2 * MOST };
	struct ways_world *w = record_world_new();
	unsigned int i;

	for (i = 1; i <= MOVES; i++)
		memcpy(w->bare.code + (RECORD_PC - 3 * i - CODE), "\x48\x89\xc8", 3);
	KUNIT_ASSERT_EQ(test, (int)step_from(w, RECORD_PC), (int)SFRAME_OK);
	w->bare.stack[RECORD_AT - 4] = WORD;
	for (i = 0; i <= MOVES; i++) {
		u32 paid = 1000000;

		KUNIT_EXPECT_EQ(test, step_from(w, RECORD_PC - 3 * i) == SFRAME_OK, i <= MOST);
		paid -= w->cur.budget;
		KUNIT_EXPECT_GT(test, paid, 100 * (i < MOST ? i : MOST));
	}
}

/* Walk by a mark ahead, from @pc: how many steps were known? */
static u32 known_from(struct kunit *test, struct ways_world *w, u64 pc, u64 ra)
{
	w->regs = (struct sframe_regs){ .sp = S(SP), .fp = NOT_FP };
	KUNIT_EXPECT_EQ(test, (int)step_from(w, pc), (int)SFRAME_OK);
	KUNIT_EXPECT_EQ(test, w->cur.pc, ra);
	KUNIT_EXPECT_TRUE(test, w->cur.sp_known && w->cur.fp_known);
	KUNIT_EXPECT_EQ(test, w->cur.sp, S(RA_AT + 1));
	return w->cur.recalled;
}

static struct ways_world *ahead_world_new(void)
{
	struct ways_world *w = ways_world_new();

	put_function(&w->bare, MARKED, BACK);
	/* mov %rcx, %rax; then the loop */
	put_insns(&w->bare, LOOP - 3, "\x48\x89\xc8");
	w->bare.stack[RA_AT - 1] = OLD_FP;
	w->bare.stack[RA_AT] = RA;
	put_call(&w->bare, ENTRY);
	return w;
}

/* HotSpot's marks need not be looked for again; nor where the frame is not the same one's. */
static void by_mark_ahead(struct kunit *test)
{
	struct ways_world *w = ahead_world_new();

	KUNIT_EXPECT_EQ(test, known_from(test, w, LOOP, RA), 0u);
	KUNIT_EXPECT_EQ(test, w->cur.fp, OLD_FP);
	KUNIT_EXPECT_EQ(test, known_from(test, w, LOOP, RA), 1u);
	KUNIT_EXPECT_EQ(test, w->cur.fp, OLD_FP);
	KUNIT_EXPECT_EQ(test, known_from(test, w, LOOP - 3, RA), 1u);
	put_call(&w->bare, OTHER);
	w->regs = (struct sframe_regs){ .sp = S(SP), .fp = NOT_FP };
	KUNIT_EXPECT_NE(test, (int)step_from(w, LOOP), (int)SFRAME_OK);
}

/* How HotSpot's interpreter dispatches, and goes on behind that when it is returned to. */
#define RESUMED	"\x41\xff\x24\xda\x48\x8b\x4d\xf0\x48\x8d\x64\xcd\x00\x48\xc7\x45\xf0\0\0\0\0"

/* An interpreter, whose record is at S(@record), has jumped to the function. */
static struct ways_world *interpreter_world_new(unsigned int record)
{
	struct ways_world *w = ahead_world_new();

	put_insns(&w->bare, RESUMES - 4, RESUMED);
	w->bare.stack[RA_AT - 1] = S(record);
	w->bare.stack[RA_AT] = RESUMES;
	w->bare.stack[record + 1] = RA;
	w->bare.stack[record - 2] = RA_AT + 1ull - record;
	return w;
}

/* The interpreter's SP, right above the RA, tells whose that is. */
static void by_interpreter(struct kunit *test)
{
	enum { RECORD = 40 };
	struct ways_world *w = interpreter_world_new(RECORD);
	u64 *kept_sp = &w->bare.stack[RECORD - 2];
	unsigned int i;

	for (i = 0; i < 3; i++) {
		KUNIT_EXPECT_EQ(test, known_from(test, w, i < 2 ? LOOP : LOOP - 3, RESUMES), !!i);
		KUNIT_EXPECT_EQ(test, w->cur.fp, S(RECORD));
	}
	*kept_sp += 2;
	KUNIT_EXPECT_NE(test, (int)step_from(w, LOOP), (int)SFRAME_OK);
	*kept_sp = 0;
	KUNIT_EXPECT_NE(test, (int)step_from(w, LOOP), (int)SFRAME_OK);
}

/* Where the interpreter is just returned to, it has another SP than an instruction later. */
static void at_interpreters_return(struct kunit *test)
{
	enum { RECORD = 20, BELOW = 12, ABOVE = RECORD + 6 };
	struct ways_world *w = ways_world_new();
	unsigned int i;

	put_insns(&w->bare, RESUMES - 4, RESUMED);
	put_insns(&w->bare, RA - 2, "\xff\xd0");
	w->bare.stack[RECORD] = S(40);
	w->bare.stack[RECORD + 1] = RA;
	w->bare.stack[RECORD - 1] = S(ABOVE);
	w->bare.stack[RECORD - 2] = (u64)BELOW - RECORD;
	w->regs = (struct sframe_regs){ .sp = S(BELOW), .fp = S(RECORD) };
	for (i = 0; i < 2; i++) {
		KUNIT_EXPECT_EQ(test, (int)step_from(w, RESUMES), (int)SFRAME_OK);
		KUNIT_EXPECT_EQ(test, w->cur.sp, S(ABOVE));
		step_from(w, RESUMES + 4);
	}
}

/* The function's memory has another one now, with the same code around the PC. */
static void another_is_there_now(struct kunit *test)
{
	enum { RECORD = 40 };
	struct ways_world *w = interpreter_world_new(RECORD);

	KUNIT_EXPECT_EQ(test, known_from(test, w, LOOP, RESUMES), 0u);
	KUNIT_EXPECT_EQ(test, known_from(test, w, LOOP, RESUMES), 1u);
	w->bare.code[HELD + 8 - CODE] ^= 1;
	KUNIT_EXPECT_EQ(test, known_from(test, w, LOOP, RESUMES), 0u);
}

/*
 * A function whose frame is not made yet: its RA is at SP, and FP its caller's, or lost. That was
 * seen from its beginning to the PC, and holds behind that, not before it.
 */
static void without_frame(struct kunit *test)
{
	static const unsigned int at[] = { 6, 9, 12, 3 };
	struct ways_world *w = ways_world_new();
	const u64 begin = BARE + 0x80;
	unsigned int i, lost;

	memset(w->bare.code, 0xcc, sizeof(w->bare.code));
	w->bare.stack[SP] = CALLERS_RA;
	w->regs = (struct sframe_regs){ .sp = S(SP), .fp = S(SP + 7) };
	put_x86_call(w->bare.code, CODE, CALLERS_RA, begin);
	for (lost = 0; lost < 2; lost++) {
		/* mov %rcx, %rax, or %rbp; mov %rcx, %rax, thrice; sub $24, %rsp */
		put_insns(&w->bare, begin, "\x48\x89\xc8\x48\x89\xc8\x48\x89\xc8\x48\x89\xc8"
					   "\x48\x83\xec\x18");
		w->bare.code[begin + 2 - CODE] += 5 * lost;
		for (i = 0; i < 4; i++) {
			KUNIT_EXPECT_EQ(test, (int)step_from(w, begin + at[i]), (int)SFRAME_OK);
			KUNIT_EXPECT_EQ(test, w->cur.recalled, i == 1 || i == 2);
			KUNIT_EXPECT_EQ(test, w->cur.pc, CALLERS_RA);
			KUNIT_EXPECT_EQ(test, w->cur.sp, S(SP + 1));
			KUNIT_EXPECT_EQ(test, w->cur.fp_known, !lost);
			KUNIT_EXPECT_TRUE(test, lost || w->cur.fp == S(SP + 7));
		}
	}
}

/* FP may be data on another way to the same place. */
static void by_another_way(struct kunit *test)
{
	const u64 begin = BARE + 0x80, meet = begin + 4, other = begin + 0x40;
	struct ways_world *w = ways_world_new();

	memset(w->bare.code, 0xcc, sizeof(w->bare.code));
	/* test %eax, %eax; jne; mov %rcx, %rdx, twice; sub $24, %rsp */
	put_insns(&w->bare, begin, "\x85\xc0\x75\x3c\x48\x89\xca\x48\x89\xca\x48\x83\xec\x18");
	/* mov $5, %ebp; mov %rax, %rcx; jmp */
	put_insns(&w->bare, other, "\xbd\5\0\0\0\x48\x89\xc1\xeb\xba");
	put_x86_call(w->bare.code, CODE, CALLERS_RA, begin);
	w->bare.stack[SP] = CALLERS_RA;
	w->regs = (struct sframe_regs){ .sp = S(SP), .fp = S(SP + 7) };
	KUNIT_EXPECT_EQ(test, (int)step_from(w, meet), (int)SFRAME_OK);
	KUNIT_EXPECT_TRUE(test, w->cur.fp_known);
	KUNIT_EXPECT_EQ(test, (int)step_from(w, meet), (int)SFRAME_OK);
	KUNIT_EXPECT_EQ(test, w->cur.recalled, 1u);
	w->regs.fp = 5;
	KUNIT_EXPECT_FALSE(test, step_from(w, other + 5) == SFRAME_OK && w->cur.fp_known);
}

/* A jump may lead to the next function: how that is left where it begins says nothing. */
static void of_the_next_function(struct kunit *test)
{
	struct ways_world *w = ways_world_new();
	const u64 begin = BARE + 0x80, call = begin + 0xb0, end = begin + 0x180;
	unsigned int i;

	/* jmp; mov %rcx, %rax; push %rbp; push %rbx; sub $24, %rsp; a call; and back */
	put_insns(&w->bare, begin - 2, "\xeb\0\x48\x89\xc8\x55\x53\x48\x83\xec\x18");
	put_x86_call(w->bare.code, CODE, call, CALLED);
	put_insns(&w->bare, end, "\x48\x83\xc4\x18\x5b\x5d\xc3");
	put_x86_call(w->bare.code, CODE, CALLERS_RA, begin);
	w->bare.stack[SP] = CALLERS_RA;
	w->regs = (struct sframe_regs){ .sp = S(SP), .fp = S(SP + 7) };
	for (i = 0; i < 2; i++) {
		KUNIT_EXPECT_EQ(test, (int)step_from(w, begin + 3), (int)SFRAME_OK);
		KUNIT_EXPECT_EQ(test, w->cur.recalled, i);
	}
	step_from(w, begin - 2);
	KUNIT_EXPECT_EQ(test, w->cur.recalled, 0u);
}

static struct kunit_case straight_way_cases[] = {
	KUNIT_CASE_PARAM(leads_straight, straight_gen_params),
	KUNIT_CASE(leads_far),
	KUNIT_CASE(by_mark_ahead),
	KUNIT_CASE(by_interpreter),
	KUNIT_CASE(without_frame),
	KUNIT_CASE(by_another_way),
	KUNIT_CASE(at_interpreters_return),
	KUNIT_CASE(another_is_there_now),
	KUNIT_CASE(of_the_next_function),
	{}
};

static struct kunit_suite straight_way_suite = {
	.name = "sframe_straight_way",
	.test_cases = straight_way_cases,
};

kunit_test_suite(straight_way_suite);
