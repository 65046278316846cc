// SPDX-License-Identifier: GPL-2.0
/*
 * Code is searched backwards for marks and gaps, which is not done again where it was in vain.
 */
#include <kunit/test.h>

#include "answers_impl.h"
#include "bare_world.h"
#include "cursor_impl.h"

/* So much code, without a mark or a gap; farther than is searched. */
#define LEN		32768
#define PC		(CODE + 28672)
#define ENDBR64		"\xf3\x0f\x1e\xfa"

struct vain_world {
	u8 code[LEN];
	u64 unreadable;
	struct sframe_answers answers;
	struct sframe_cursor cur;
};

static struct vain_world the_world;

static enum sframe_reason find(void *ctx, u64 pc, struct sframe_rule *rule)
{
	(void)ctx;
	(void)rule;
	return pc - CODE < LEN ? SFRAME_NO_TABLE : SFRAME_NO_MAPPING;
}

static int read_code(void *ctx, u64 addr, void *buf, unsigned int len)
{
	const struct vain_world *w = ctx;

	if (w->unreadable && addr < w->unreadable)
		return -1;
	return read_array(addr, buf, len, CODE, w->code) ? 0 : -1;
}

static struct sframe_answers *answers_of(void *ctx)
{
	struct vain_world *w = ctx;

	return &w->answers;
}

static const struct sframe_cursor_ops ops = {
	.find = find,
	.find_kept = nothing_kept,
	.read = read_code,
	.read_code = read_code,
	.reg = no_register,
	.answers = answers_of,
	.is_fixed = kept_answers_not_fixed,
};

static struct vain_world *vain_world_new(void)
{
	struct vain_world *w = &the_world;

	memset(w, 0, sizeof(*w));
	memset(w->code, 0x90, sizeof(w->code));
	w->answers.key = 1;
	return w;
}

typedef bool (*search_fn)(struct sframe_cursor *cur, u64 *place);

/* What it costs to search from @pc on; *place is set. */
static u32 search(struct vain_world *w, search_fn fn, u64 pc, u64 *place)
{
	struct sframe_regs regs = { .pc = pc, .sp = STACK };
	u32 before;

	sframe_cursor_init(&w->cur, &sframe_abi_x86, &regs, 16, &ops, w);
	before = w->cur.budget;
	fn(&w->cur, place);
	return before - w->cur.budget;
}

static const search_fn searches[] = { sframe_find_mark, sframe_find_begin };

/* Nor from behind there, once it has come to a block from which it was in vain. */
static void not_again(struct kunit *test)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(searches); i++) {
		struct vain_world *w = vain_world_new();
		u64 place = 1, first = search(w, searches[i], PC, &place);

		KUNIT_EXPECT_EQ(test, place, 0ull);
		KUNIT_EXPECT_LT(test, search(w, searches[i], PC, &place) * 8ull, first);
		KUNIT_EXPECT_LT(test, search(w, searches[i], PC + 2048, &place) * 4ull, first);
		KUNIT_EXPECT_EQ(test, place, 0ull);
		/* Before there, more is still to be searched; and for others, all of it. */
		KUNIT_EXPECT_GT(test, search(w, searches[i], PC - 4096, &place) * 2ull, first);
		w->answers.key = 2;
		KUNIT_EXPECT_EQ(test, search(w, searches[i], PC, &place), first);
	}
}

static void one_does_for_one(struct kunit *test)
{
	struct vain_world *w = vain_world_new();
	u64 place, first = search(w, sframe_find_begin, PC, &place);

	search(w, sframe_find_mark, PC, &place);
	KUNIT_EXPECT_LT(test, search(w, sframe_find_begin, PC, &place) * 8ull, first);
	w = vain_world_new();
	search(w, sframe_find_mark, PC, &place);
	KUNIT_EXPECT_EQ(test, search(w, sframe_find_begin, PC, &place), first);
}

/* What lies between the PC and such a block is found. */
static void behind_it(struct kunit *test)
{
	struct vain_world *w = vain_world_new();
	u64 place;

	search(w, sframe_find_mark, PC, &place);
	memcpy(w->code + (PC + 100 - CODE), ENDBR64, 4);
	search(w, sframe_find_mark, PC + 2048, &place);
	KUNIT_EXPECT_EQ(test, place, PC + 100);
	memset(w->code + (PC + 256 - CODE), 0xcc, 16);
	search(w, sframe_find_begin, PC + 2048, &place);
	KUNIT_EXPECT_EQ(test, place, PC + 272);
}

/* That the budget was too small, or code not in memory, says nothing. */
static void cut_short(struct kunit *test)
{
	struct vain_world *w = vain_world_new();
	u64 place, first = search(w, sframe_find_mark, PC, &place);
	struct sframe_regs regs = { .pc = PC, .sp = STACK };

	w = vain_world_new();
	sframe_cursor_init(&w->cur, &sframe_abi_x86, &regs, 16, &ops, w);
	sframe_cursor_set_budget(&w->cur, SFRAME_BUDGET_INPLACE);
	KUNIT_EXPECT_FALSE(test, sframe_find_mark(&w->cur, &place));
	KUNIT_EXPECT_EQ(test, search(w, sframe_find_mark, PC, &place), first);
	w = vain_world_new();
	w->unreadable = PC - 512;
	search(w, sframe_find_mark, PC, &place);
	w->unreadable = 0;
	KUNIT_EXPECT_EQ(test, search(w, sframe_find_mark, PC, &place), first);
}

/* Where a mapping begins, there is nothing before. */
static void to_where_code_begins(struct kunit *test)
{
	struct vain_world *w = vain_world_new();
	u64 place, first = search(w, sframe_find_mark, CODE + 4096, &place);

	KUNIT_EXPECT_LT(test, search(w, sframe_find_mark, CODE + 4096, &place) * 4ull, first);
}

/* More may be there by now: after some thousand walks it is looked at again. */
static void for_a_while(struct kunit *test)
{
	struct vain_world *w = vain_world_new();
	u64 place, first = search(w, sframe_find_mark, PC, &place);

	w->answers.walk = 100;
	KUNIT_EXPECT_LT(test, search(w, sframe_find_mark, PC, &place) * 8ull, first);
	w->answers.walk = 5000;
	KUNIT_EXPECT_EQ(test, search(w, sframe_find_mark, PC, &place), first);
}

static struct kunit_case vain_test_cases[] = {
	KUNIT_CASE(not_again),
	KUNIT_CASE(one_does_for_one),
	KUNIT_CASE(behind_it),
	KUNIT_CASE(cut_short),
	KUNIT_CASE(to_where_code_begins),
	KUNIT_CASE(for_a_while),
	{}
};

static struct kunit_suite vain_suite = {
	.name = "sframe_vain",
	.test_cases = vain_test_cases,
};

kunit_test_suite(vain_suite);
