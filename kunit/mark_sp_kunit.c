// SPDX-License-Identifier: GPL-2.0
/*
 * The topmost function is one that HotSpot has compiled, which has SP elsewhere at the PC than
 * where it calls: the code from there on says where.
 */
#include <kunit/test.h>

#include "cursor_impl.h"
#include "marked_world.h"

/* SP where the function calls, and its RA. */
#define AT		24
#define TOP		(AT + SIZE)
/* Where another caller of the function is returned to. */
#define OLDER		(RA + 64)

/**
 * struct sp_case - code of the function
 * @name: what it shows
 * @code: at LOOP
 * @len: bytes of it
 * @pc: the PC, from there on
 * @sp: words that SP is below where the function has it
 * @found: the caller is
 */
struct sp_case {
	const char *name;
	const char *code;
	unsigned int len;
	unsigned int pc;
	unsigned int sp;
	bool found;
};

#define CODE_OF(bytes)	(bytes), sizeof(bytes) - 1

/* add $64,%rsp; pop %rbp; cmp 40(%r15),%rsp; ja +16; ret */
#define TAKEN_DOWN	"\x48\x83\xc4\x40\x5d\x49\x3b\x67\x28\x0f\x87\x10\0\0\0\xc3"
/*
 * push %rcx; test %edx,%edx; je 1f; 2: dec %edx; jne 2b; jmp 2b; 1: pop %rcx; jmp .: what is
 * compared in a loop, of which only the branch leads to the end.
 */
#define COMPARES	"\x51\x85\xd2\x74\x06\xff\xca\x75\xfc\xeb\xfa\x59\xeb\xfe"

static const struct sp_case sp_cases[] = {
	{ "its frame is taken down", CODE_OF("\x90" TAKEN_DOWN), 0, 0, true },
	{ "half of that is done", CODE_OF("\x90" TAKEN_DOWN), 5, 0, false },
	{ "a word is going to be pushed", CODE_OF(COMPARES), 0, 0, true },
	{ "it is pushed", CODE_OF(COMPARES), 1, 1, true },
	{ "that is so in a loop", CODE_OF(COMPARES), 5, 1, false },
	{ "it is about to be popped", CODE_OF(COMPARES), 11, 1, true },
	{ "room is made", CODE_OF("\x90\x48\x83\xc4\x20\xeb\xf0"), 0, 4, true },
	{ "by many pushes", CODE_OF("\x90\x58\x59\x5a\x41\x5b\xeb\xf0"), 0, 4, true },
	{ "some are still to come", CODE_OF("\x50\x51\x59\x58\x5a\x41\x5b\xeb\xf0"), 0, 2, true },
	{ "less is popped than there is", CODE_OF("\x90\x58\x59\xeb\xf0"), 0, 4, false },
	{ "room is made as large as the frame", CODE_OF("\x48\x83\xc4\x48\xeb\xf0"), 0, 9, false },
	{ "or larger", CODE_OF("\x48\x83\xc4\x50\xeb\xf0"), 0, 10, false },
	{ "nobody knows where SP is put", CODE_OF("\x48\x89\xdc\xeb\xf0"), 0, 0, false },
	{ "nor by how much it is moved", CODE_OF("\x48\x01\xdc\xeb\xf0"), 0, 0, false },
	{ "that is popped", CODE_OF("\x5c\xeb\xf0"), 0, 0, false },
	{ "it is aligned", CODE_OF("\x48\x83\xe4\xf0\xeb\xf0"), 0, 0, false },
	{ "only its lower half is moved", CODE_OF("\x83\xc4\x10\xeb\xf0"), 0, 2, false },
	{ "there is room at the end", CODE_OF("\x50\x50\xeb\xf0"), 0, 0, false },
};

KUNIT_ARRAY_PARAM_DESC(sp, sp_cases, name);

/* The function, and what has called it. */
static void put_called(struct bare_world *w)
{
	put_function(w, MARKED, BACK);
	put_call(w, ENTRY);
}

/* Ask for the next mark alone: following code would find some of these, too. */
static bool step_on(struct bare_world *w, u64 pc, unsigned int sp, struct sframe_frame *to)
{
	struct sframe_regs regs = { .pc = pc, .sp = S(sp), .fp = NOT_FP };
	struct sframe_cursor cur;

	sframe_cursor_init(&cur, &sframe_abi_x86, &regs, 16, &bare_ops, w);
	return sframe_step_by_mark_ahead(&cur, to);
}

static bool step(struct bare_world *w, u64 pc, unsigned int sp, struct sframe_frame *to)
{
	w->stack[TOP - 1] = OLD_FP;
	w->stack[TOP] = RA;
	return step_on(w, pc, sp, to);
}

static bool is_likely(struct bare_world *w, u64 pc)
{
	struct sframe_regs regs = { .pc = pc, .sp = S(AT), .fp = NOT_FP };
	struct sframe_cursor cur;

	sframe_cursor_init(&cur, &sframe_abi_x86, &regs, 16, &bare_ops, w);
	return sframe_mark_is_likely(&cur);
}

static void expect_step(struct kunit *test, struct bare_world *w, u64 pc, unsigned int sp)
{
	struct sframe_frame to;

	KUNIT_ASSERT_TRUE(test, step(w, pc, sp, &to));
	KUNIT_EXPECT_EQ(test, to.ra, RA);
	KUNIT_EXPECT_TRUE(test, to.sp_known && to.fp_known);
	KUNIT_EXPECT_EQ(test, to.sp, S(TOP + 1));
	KUNIT_EXPECT_EQ(test, to.fp, OLD_FP);
}

static void step_with_sp_moved(struct kunit *test)
{
	const struct sp_case *c = test->param_value;
	static struct bare_world w;
	struct sframe_frame to;

	put_called(&w);
	put_code(&w, LOOP, c->code, c->len);
	if (c->found)
		expect_step(test, &w, LOOP + c->pc, AT - c->sp);
	else
		KUNIT_EXPECT_FALSE(test, step(&w, LOOP + c->pc, AT - c->sp, &to));
}

static void sp_is_moved(struct kunit *test)
{
	kept_answers_rounds(test, step_with_sp_moved);
}

/* Where RA would be if no SP were moved, the function's own call has left its RA. */
static void own_call_is_no_caller(struct kunit *test)
{
	static const struct {
		const char *code;
		unsigned int len;
		unsigned int sp;
	} cases[] = {
		{ CODE_OF("\x48\x83\xc4\x50\x90\xeb\xf0"), 10 },
		{ CODE_OF("\x48\x83\xc4\x48\x58\xeb\xf0"), 10 },
		{ CODE_OF("\x48\x83\xc4\x30\xeb\xf0"), 6 },
	};
	static struct bare_world w;
	struct sframe_frame to;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		put_function(&w, MARKED, BACK);
		put_u32(&w, MARKED - 4, (u32)(ENTRY - MARKED));
		put_code(&w, LOOP, cases[i].code, cases[i].len);
		put_call(&w, ENTRY);
		w.stack[AT - cases[i].sp + SIZE] = MARKED;
		if (step(&w, LOOP, AT - cases[i].sp, &to))
			KUNIT_EXPECT_EQ(test, to.ra, RA);
	}
}

/* Where SP is doubtful, a RA farther up is none of the running function's if it is its caller's. */
static void calls_itself(struct kunit *test)
{
	static const struct {
		unsigned int at;	/* of the caller's RA, above that of the function */
		bool found;
	} cases[] = { { SIZE + 1, true }, { SIZE, false }, { 4, false } };
	static struct bare_world w;
	struct sframe_frame to;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		put_function(&w, MARKED, BACK);
		put_u32(&w, MARKED - 4, (u32)(ENTRY - MARKED));
		/* je 1f; jmp LOOP; nop; 1: no instruction */
		put_insns(&w, LOOP, "\x74\x03\xeb\xfc\x90\x06");
		put_call(&w, ENTRY);
		w.stack[AT + SIZE] = MARKED;
		w.stack[AT + SIZE + cases[i].at] = RA;
		KUNIT_EXPECT_EQ(test, step_on(&w, LOOP, AT, &to), cases[i].found);
	}
}

/* A part that is longer than looked at: SP may still be moved back behind that, or not. */
static void part_is_long(struct kunit *test)
{
	static struct bare_world w;
	struct sframe_frame to;
	unsigned int i;

	for (i = 0; i < 3; i++) {
		put_function(&w, MARKED + 0x100, BACK + 0x100);
		put_insns(&w, LOOP, "\x90\x90");
		put_call(&w, ENTRY);
		if (i)
			put_code(&w, LOOP + 4, "\x58\x59", i);
		if (i < 2)
			expect_step(test, &w, LOOP, AT - i);
		else
			KUNIT_EXPECT_FALSE(test, step(&w, LOOP, AT - 2, &to));
	}
}

/* Which mark was found is remembered; but another function may be there by now. */
static void mark_has_gone(struct kunit *test)
{
	static struct bare_world w;
	struct sframe_frame to;

	kept_answers_begin(CHECKED_NEW);
	put_called(&w);
	expect_step(test, &w, LOOP, AT);
	/* The same, but it calls later. */
	put_function(&w, MARKED + 64, BACK + 64);
	put_call(&w, ENTRY);
	expect_step(test, &w, LOOP, AT);
	/* What calls there now begins behind the loop; what loops calls before that. */
	put_function(&w, MARKED + 64, 16);
	put_insns(&w, MARKED - 5, "\xe8\1\2\3\4\x0f\x1f\x84\x00");
	put_u32(&w, MARKED + 4, BACK);
	put_call(&w, ENTRY);
	expect_step(test, &w, LOOP, AT);
	put_insns(&w, MARKED, "\x90\x90");
	KUNIT_EXPECT_FALSE(test, step(&w, LOOP, AT, &to));
	kept_answers_begin(ANSWERS_NONE);
}

/* Likewise where the frame is made: another function may have one of another size, elsewhere. */
static void frame_is_made_elsewhere(struct kunit *test)
{
	static struct bare_world w;

	kept_answers_begin(CHECKED_NEW);
	put_called(&w);
	expect_step(test, &w, LOOP, AT);
	/* mov %eax,-...(%rsp); push %rbp; sub $32,%rsp, 128 bytes before; no longer there. */
	put_insns(&w, ENTRY, "\x90\x90\x90\x90\x90\x90\x90\x90\x90\x90\x90\x90");
	put_insns(&w, ENTRY - 128, "\x89\x84\x24\x00\xc0\xfe\xff\x55\x48\x83\xec\x20");
	put_call(&w, ENTRY - 128);
	expect_step(test, &w, LOOP, TOP - 5);
	kept_answers_begin(ANSWERS_NONE);
}

/* Where one was found, others are looked for first; not where there was none. */
static void mark_is_likely(struct kunit *test)
{
	static struct bare_world w;
	struct sframe_frame to;

	kept_answers_begin(CHECKED_NEW);
	put_called(&w);
	KUNIT_EXPECT_FALSE(test, is_likely(&w, LOOP));
	expect_step(test, &w, LOOP, AT);
	KUNIT_EXPECT_TRUE(test, is_likely(&w, LOOP));
	KUNIT_EXPECT_TRUE(test, is_likely(&w, MARKED + 0x100));
	KUNIT_EXPECT_FALSE(test, step(&w, MARKED + 0x100, AT, &to));
	KUNIT_EXPECT_FALSE(test, is_likely(&w, MARKED + 0x100));
	KUNIT_EXPECT_TRUE(test, is_likely(&w, LOOP));
	/* Nor for walks that have no hints. */
	kept_answers_begin(ANSWERS_NONE);
	KUNIT_EXPECT_FALSE(test, is_likely(&w, LOOP));
}

/*
 * C2's search for a string (string_indexof()): four words are pushed, SP among them, and from its
 * loop on code goes back before that is popped. Where RA would be by that SP, an older call of the
 * same function, by another caller, has left its RA in a word that the frame does not use.
 */
static void put_search(struct bare_world *w, unsigned int sp, u64 older)
{
	put_function(w, MARKED, BACK);
	/*
	 * push %rcx; push %rax; push %rdi; push %rdx; 1: test %ecx,%ecx; jb 3f; sub $8,%ecx;
	 * jle 3f; cmp $8,%ecx; jge 1b; 2: add $-8,%ecx; jmp 1b; 3: pop %rsp; jmp .
	 */
	put_insns(w, LOOP, "\x51\x50\x57\x52"
			    "\x85\xc9\x72\x0f\x83\xe9\x08\x7e\x0a\x83\xf9\x08\x7d\xf2"
			    "\x83\xc1\xf8\xeb\xed\x5c\xeb\xfe");
	put_call(w, ENTRY);
	/* The other caller. */
	put_insns(w, OLDER - 5, "\xe8");
	put_u32(w, OLDER - 4, (u32)(ENTRY - OLDER));
	w->stack[AT - 4] = S(AT);
	w->stack[TOP - 1] = OLD_FP;
	w->stack[TOP] = RA;
	w->stack[sp + SIZE] = older;
}

static void search_pushes_words(struct kunit *test)
{
	static struct bare_world w;
	struct sframe_cursor cur;
	static const u8 pcs[] = { 4, 6, 8, 11, 13, 16, 18, 21 };
	unsigned int i, round;

	for (round = 0; round < 2; round++) {
		kept_answers_begin(round ? CHECKED_NEW : ANSWERS_NONE);
		/* A first walk, by which marks are likely. */
		put_search(&w, AT - 4, 0);
		(void)first_step(&w, &cur, LOOP, AT, NOT_FP);
		for (i = 0; i < ARRAY_SIZE(pcs); i++) {
			put_search(&w, AT - 4, OLDER);
			if (!first_step(&w, &cur, LOOP + pcs[i], AT - 4, NOT_FP)) {
				KUNIT_EXPECT_EQ(test, cur.pc, RA);
				KUNIT_EXPECT_EQ(test, cur.sp, S(TOP + 1));
			}
		}
	}
	kept_answers_begin(ANSWERS_NONE);
}

/*
 * An exception leaves the frame (C2's, as the code cache has no segments, or its own one is full,
 * so stubs may lie ahead): pop %rbp; jmp rethrow_stub; and that: pop %rdx; jmp *%rax. The caller is
 * the function itself, so where its RA would be lies one, too, by which a caller is skipped.
 */
static void leaves_by_jump_ahead(struct kunit *test)
{
	static struct bare_world w;
	struct sframe_frame to;
	unsigned int i;

	for (i = 0; i < 2; i++) {
		put_function(&w, MARKED, BACK);
		put_u32(&w, MARKED - 4, (u32)(ENTRY - MARKED));
		put_insns(&w, LOOP, "\x5d\xe9");
		put_u32(&w, LOOP + 2, OTHER - (LOOP + 6));
		put_insns(&w, OTHER, "\x5a\xff\xe0");
		put_call(&w, ENTRY);
		w.stack[16] = OLD_FP;
		w.stack[17] = MARKED;
		/* The caller's: SP is S(18). */
		w.stack[18 + SIZE - 1] = OLD_FP;
		w.stack[18 + SIZE] = RA;
		if (step(&w, LOOP + i, 16 + i, &to)) {
			KUNIT_EXPECT_EQ(test, to.ra, MARKED);
			KUNIT_EXPECT_EQ(test, to.sp, S(18));
		}
	}
}

/* The CPU's hints are of other programs' walks: no mark was found in this one. */
static void others_hints_say_nothing(struct kunit *test)
{
	struct sframe_regs regs = { .pc = LOOP, .sp = S(AT), .fp = S(AT + 8) };
	static struct bare_world w;
	struct sframe_cursor cur;
	u32 left[2];
	unsigned int i, j;

	/* A function of another compiler's, with a record: push %rbp; mov %rsp,%rbp. */
	memset(&w, 0, sizeof(w));
	memset(w.code, 0x90, sizeof(w.code));
	put_insns(&w, ENTRY, "\x55\x48\x89\xe5");
	put_insns(&w, LOOP, "\xeb\xfe");
	put_call(&w, ENTRY);
	w.stack[AT + 8] = OLD_FP;
	w.stack[AT + 9] = RA;
	for (i = 0; i < 2; i++) {
		kept_answers_begin(CHECKED_NEW);
		for (j = 0; j < SFRAME_HINTS_MAX; j++)
			kept_answers(NULL)->hint[j] = i ? 0x1c0 : 0;
		KUNIT_EXPECT_FALSE(test, is_likely(&w, LOOP));
		sframe_cursor_init(&cur, &sframe_abi_x86, &regs, 16, &bare_ops, &w);
		sframe_cursor_set_budget(&cur, SFRAME_BUDGET_INPLACE);
		KUNIT_EXPECT_EQ(test, (int)sframe_cursor_next(&cur), (int)SFRAME_OK);
		KUNIT_EXPECT_EQ(test, cur.pc, RA);
		left[i] = cur.budget;
	}
	KUNIT_EXPECT_EQ(test, left[1], left[0]);
	kept_answers_begin(ANSWERS_NONE);
}

static struct kunit_case sp_test_cases[] = {
	KUNIT_CASE(search_pushes_words),
	KUNIT_CASE(others_hints_say_nothing),
	KUNIT_CASE(leaves_by_jump_ahead),
	KUNIT_CASE_PARAM(sp_is_moved, sp_gen_params),
	KUNIT_CASE(own_call_is_no_caller),
	KUNIT_CASE(calls_itself),
	KUNIT_CASE(part_is_long),
	KUNIT_CASE(mark_has_gone),
	KUNIT_CASE(mark_is_likely),
	KUNIT_CASE(frame_is_made_elsewhere),
	{}
};

static struct kunit_suite sp_suite = {
	.name = "sframe_mark_sp",
	.test_cases = sp_test_cases,
};

kunit_test_suite(sp_suite);
