/* SPDX-License-Identifier: GPL-2.0 */
/* A function without a row, and walks that may know what its code has said. */
#ifndef SFRAME_KUNIT_ANSWERS_WORLD_H
#define SFRAME_KUNIT_ANSWERS_WORLD_H

#include <sframe/cursor.h>

#include "bare_world.h"

#define RA		(CODE + 1792)
/* Where the frame without a row is, and what is there instead of instructions to do. */
#define AT		(BARE + 64)
#define NOPS		16
/* SP in it, and where its RA is. */
#define SP_AT		4
#define RA_AT		(SP_AT + 3)

#define ADD_24		"\x48\x83\xc4\x18"
#define RET		"\xc3"
/* To 32 bytes before AT. */
#define JUMP_BACK	"\xeb\xce"
#define ENDS(code)	(code), sizeof(code) - 1

struct answers_world {
	struct bare_world bare;
	struct sframe_cursor cur;
	struct sframe_regs regs;
	struct sframe_answers answers;
	struct sframe_answer branches[SFRAME_BRANCHES_MAX];
	struct sframe_home home;
	u64 fixed_from;
	u64 missing_from;
	bool loses;
	bool moves;
	unsigned int homes;
};

static int answers_read(void *ctx, u64 addr, void *buf, unsigned int len)
{
	struct answers_world *w = ctx;

	if (w->loses && addr - CODE < CODE_LEN)
		w->cur.answers = NULL;
	if (addr - CODE < CODE_LEN && addr + len > w->missing_from)
		return -1;
	return bare_read(&w->bare, addr, buf, len);
}

static struct sframe_answers *answers_of(void *ctx)
{
	struct answers_world *w = ctx;

	return &w->answers;
}

static bool answers_fixed(void *ctx, u64 addr, unsigned int len)
{
	const struct answers_world *w = ctx;

	return addr >= w->fixed_from && addr + len <= CODE + CODE_LEN;
}

static void answers_home(void *ctx, u64 addr, struct sframe_home *home)
{
	struct answers_world *w = ctx;

	*home = w->home;
	/* Only at first: when an answer is to be kept there is none any more. */
	if (w->moves && w->homes++)
		home->key = 0;
	if (addr - home->start >= home->end - home->start)
		*home = (struct sframe_home){ .start = addr, .end = addr + 1 };
}

static const struct sframe_cursor_ops answers_ops = {
	.find = bare_find,
	.find_kept = nothing_kept,
	.read = answers_read,
	.read_code = answers_read,
	.reg = no_register,
	.answers = answers_of,
	.is_fixed = answers_fixed,
	.home = answers_home,
};

/* The function goes on with some nops, and ends with @end. */
static void world_set(struct answers_world *w, const char *end, unsigned int len)
{
	memset(w, 0, sizeof(*w));
	memset(w->bare.code, 0xcc, sizeof(w->bare.code));
	/* It does not begin behind a gap. */
	memset(w->bare.code + (AT - CODE) - 1, 0x90, NOPS + 1);
	memcpy(w->bare.code + (AT - CODE) + NOPS, end, len);
	put_x86_call(w->bare.code, CODE, RA, BARE + 32);
	w->bare.stack[RA_AT] = RA;
	w->regs = (struct sframe_regs){ .pc = AT, .sp = S(SP_AT), .fp = 1 };
	w->fixed_from = BARE;
	w->missing_from = ~0ull;
	w->answers.key = 1;
	w->answers.branches = w->branches;
}

/* Walk: so many answers were known. */
static u32 walk_on(struct kunit *test, struct answers_world *w, const struct sframe_abi *abi)
{
	sframe_cursor_init(&w->cur, abi, &w->regs, 16, &answers_ops, w);
	while (!sframe_cursor_next(&w->cur))
		;
	KUNIT_EXPECT_EQ(test, w->cur.depth, w->regs.pc == CALLED ? 2u : 1u);
	KUNIT_EXPECT_EQ(test, w->cur.pc, RA);
	return w->cur.recalled;
}

static u32 __maybe_unused walk(struct kunit *test, struct answers_world *w)
{
	return walk_on(test, w, &sframe_abi_x86);
}

#endif /* SFRAME_KUNIT_ANSWERS_WORLD_H */
