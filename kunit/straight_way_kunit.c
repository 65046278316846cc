// SPDX-License-Identifier: GPL-2.0
/*
 * Where the PC of the topmost function just happens to be, its frame is left as it was from
 * wherever else code leads straight to the same place.
 */
#include <kunit/test.h>

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

static struct kunit_case straight_way_cases[] = {
	KUNIT_CASE_PARAM(leads_straight, straight_gen_params),
	KUNIT_CASE(leads_far),
	{}
};

static struct kunit_suite straight_way_suite = {
	.name = "sframe_straight_way",
	.test_cases = straight_way_cases,
};

kunit_test_suite(straight_way_suite);
