// SPDX-License-Identifier: GPL-2.0
/*
 * The cursor and the ABI descriptors: walks with known results, what a call
 * looks like, and what must hold for any walk whatever.
 */
#include <kunit/test.h>

#include <sframe/cursor.h>

#include "kept_answers.h"
#include "simple_world.h"
#include "cursor_cases.h"
#include "cursor_world.h"
#include "cursor_arm64.h"
#include "cursor_s390.h"
#include "cursor_x86.h"
#include "cursor_signals.h"
#include "cursor_kept.h"
#include "cursor_evidence.h"
#include "cursor_left.h"
#include "cursor_borders.h"
#include "cursor_switch.h"

static void check_caller(struct kunit *test, const struct sframe_cursor *cur,
			 const struct caller *want)
{
	KUNIT_EXPECT_EQ(test, cur->pc, want->pc);
	if (want->sp) {
		KUNIT_EXPECT_TRUE(test, cur->sp_known);
		KUNIT_EXPECT_EQ(test, cur->sp, want->sp);
	}
	if (want->fp) {
		KUNIT_EXPECT_TRUE(test, cur->fp_known);
		KUNIT_EXPECT_EQ(test, cur->fp, want->fp);
	}
}

static void check_walk(struct kunit *test)
{
	const struct walk_case *c = test->param_value;
	struct world *w = &the_world;
	struct sframe_cursor *cur = &w->cur;
	const struct caller *want = c->callers;
	u64 pc;

	world_set(w, c);
	KUNIT_EXPECT_EQ(test, cur->pc, c->regs.pc);
	for (; want->pc; want++) {
		KUNIT_ASSERT_EQ(test, (int)sframe_cursor_next(cur),
				(int)SFRAME_OK);
		check_caller(test, cur, want);
	}
	pc = cur->pc;
	KUNIT_EXPECT_EQ(test, (int)sframe_cursor_next(cur), (int)c->end);
	KUNIT_EXPECT_EQ(test, (int)sframe_cursor_next(cur), (int)c->end);
	KUNIT_EXPECT_EQ(test, cur->pc, pc);
	KUNIT_EXPECT_EQ(test, cur->depth, (u32)(want - c->callers));
}

static void known_walk(struct kunit *test)
{
	const struct walk_case *c = test->param_value;

	/* What is known already costs less, and leads farther. */
	if (c->budget)
		check_walk(test);
	else
		kept_answers_rounds(test, check_walk);
}

KUNIT_ARRAY_PARAM_DESC(x86, x86_cases, name);
KUNIT_ARRAY_PARAM_DESC(arm64, arm64_cases, name);
KUNIT_ARRAY_PARAM_DESC(s390, s390_cases, name);
KUNIT_ARRAY_PARAM_DESC(x86_signal, x86_signal_cases, name);
KUNIT_ARRAY_PARAM_DESC(arm64_signal, arm64_signal_cases, name);
KUNIT_ARRAY_PARAM_DESC(s390_signal, s390_signal_cases, name);
KUNIT_ARRAY_PARAM_DESC(kept, kept_cases, name);
KUNIT_ARRAY_PARAM_DESC(evidence, evidence_cases, name);
KUNIT_ARRAY_PARAM_DESC(left, left_cases, name);
KUNIT_ARRAY_PARAM_DESC(border, border_cases, name);
KUNIT_ARRAY_PARAM_DESC(lost, lost_cases, name);
KUNIT_ARRAY_PARAM_DESC(switch, switch_cases, name);

static void mark_ends(bool *seen, const struct walk_case *c, size_t n)
{
	while (n--)
		seen[c[n].end] = true;
}

static void every_end_has_a_walk(struct kunit *test)
{
	bool seen[SFRAME_NR_REASONS] = {};
	int r;

	mark_ends(seen, x86_cases, ARRAY_SIZE(x86_cases));
	mark_ends(seen, arm64_cases, ARRAY_SIZE(arm64_cases));
	mark_ends(seen, s390_cases, ARRAY_SIZE(s390_cases));
	mark_ends(seen, x86_signal_cases, ARRAY_SIZE(x86_signal_cases));
	mark_ends(seen, switch_cases, ARRAY_SIZE(switch_cases));
	for (r = SFRAME_OUTERMOST; r <= SFRAME_FP_HIDDEN_RA; r++)
		KUNIT_EXPECT_TRUE_MSG(test, seen[r], "reason %d", r);
}

static void fallbacks_are_counted(struct kunit *test)
{
	static const struct walk_case c = {
		.abi = &sframe_abi_x86,
		.regs = { .pc = AT(0), .sp = S(0), .fp = S(2) },
		.fns = { KIND(NO_TABLE), RULE(CFA_SP(16), RA_CFA(-8)),
			 FLAGS(NO_FDE), FLAGS(OUTERMOST) },
		.words = { { S(2), S(6) }, { S(3), RET(1) }, { S(5), RET(2) },
			   { S(7), RET(3) } },
	};
	struct world *w = &the_world;

	world_set(w, &c);
	while (sframe_cursor_next(&w->cur) == SFRAME_OK)
		;
	KUNIT_EXPECT_EQ(test, w->cur.depth, 3u);
	KUNIT_EXPECT_EQ(test, w->cur.fallbacks, 2u);
	KUNIT_EXPECT_EQ(test, w->cur.cfa, S(8));
}

/* A walk in place has a budget for all frames by rules, and their lookups. */
static void rules_fit_the_budget(struct kunit *test)
{
	static const struct walk_case c = {
		.abi = &sframe_abi_x86,
		.regs = { .pc = AT(0), .sp = S(0) },
		.max_depth = 126,
		.budget = SFRAME_BUDGET_INPLACE,
		.fns = { X86_SP(16) },
		.fill = RET(0),
	};
	struct world *w = &the_world;
	enum sframe_reason end;

	world_set(w, &c);
	w->lookup_cost = 224;
	do
		end = sframe_cursor_next(&w->cur);
	while (!end);
	KUNIT_EXPECT_EQ(test, (int)end, (int)SFRAME_DEPTH);
	KUNIT_EXPECT_EQ(test, w->cur.depth, 126u);
}

#define DENSE_FNS(...)							\
	.abi = &sframe_abi_x86, .max_depth = 126,			\
	.budget = SFRAME_BUDGET_INPLACE,				\
	.regs = { .pc = AT(1), .sp = S(0), .fp = S(0) },		\
	.fns = { BARE(.ends = true), BARE(.record = true, __VA_ARGS__), BARE() }

/*
 * Whatever lies between frame records, or how dense they are, a walk in place reads
 * no more than a few thousand bytes.
 */
static void work_fits_the_budget(struct kunit *test)
{
	static const struct walk_case cases[] = {
		{ DENSE_FNS() },
		{ DENSE_FNS(), .fill = WILD },
		{ DENSE_FNS(), .fill = AT(2) },
		{ DENSE_FNS(.calls = CALL_BY_REG), .fill = RET(2) },
	};
	static const unsigned int steps[] = { 2, 4, 8, 64, 510 };
	struct world *w = &the_world;
	unsigned int i, k, n;

	for (i = 0; i < ARRAY_SIZE(cases) * ARRAY_SIZE(steps); i++) {
		k = steps[i % ARRAY_SIZE(steps)];
		world_set(w, &cases[i / ARRAY_SIZE(steps)]);
		for (n = 0; n + k < STACK_WORDS; n += k) {
			w->stack[n] = S(n + k);
			w->stack[n + 1] = RET(1);
		}
		while (!sframe_cursor_next(&w->cur))
			;
		KUNIT_EXPECT_TRUE_MSG(test, w->bytes_read <=
				      SFRAME_BUDGET_INPLACE / 5, "%u", i);
	}
}

static u64 next_random(u64 *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state;
}

/* Mostly what a stack holds: stack addresses, code addresses, small numbers. */
static u64 random_word(u64 *state)
{
	u64 r = next_random(state), n = next_random(state);

	switch (r % 16) {
	case 0 ... 2:
		return S(n % STACK_WORDS) & ~(u64)(r & 64 ? 15 : 0);
	case 3 ... 10:
		return RET(n % NR_FNS) | (r & 0x1c0 ? 0 : PAC(0));
	case 11:
		return AT(n % NR_FNS);
	case 12:
		return n % 256;
	case 13:
		return 0;
	case 14:
		return -(n % 4096);
	default:
		return n;
	}
}

static u8 random_loc(u64 *state)
{
	static const u8 locs[] = {
		SFRAME_LOC_SAME, SFRAME_LOC_CFA, SFRAME_LOC_SP, SFRAME_LOC_FP,
		SFRAME_LOC_REG | 10, ON_STACK, ON_STACK, ON_STACK,
	};
	u64 r = next_random(state);

	return locs[r % ARRAY_SIZE(locs)] |
	       (r & 0xf00 ? 0 : SFRAME_LOC_DEREF);
}

/* A frame's size, but one in eight is anything. */
static s32 random_offset(u64 *state)
{
	u64 r = next_random(state), n = next_random(state);

	return r & 7 ? (s32)(160 + n % 8 * 16) : (s32)n;
}

#define CHAIN_STEP	24

/* Any words; in every second world, a chain of frame records and a few. */
static void random_stack(struct world *w, u64 *state)
{
	unsigned int i, step = next_random(state) & 1 ? 1 : CHAIN_STEP;

	memset(w->stack, 0, sizeof(w->stack));
	for (i = 0; i < STACK_WORDS; i += step)
		w->stack[i] = random_word(state);
	if (step == 1)
		return;
	for (i = 0; i < STACK_WORDS - CHAIN_STEP; i += CHAIN_STEP) {
		if (next_random(state) & 15)
			w->stack[i] = S(i + CHAIN_STEP);
		w->stack[i + w->abi->ra_slot / 8] =
			RET(next_random(state) % NR_FNS);
	}
}

static void random_world(struct world *w, u64 *state)
{
	static const u8 kinds[16] = {	/* the others are FN_TABLE */
		FN_UNMAPPED, FN_CHANGED, FN_UNREADABLE, FN_SIGRETURN, FN_NO_TABLE,
		FN_NO_TABLE, FN_NO_TABLE, FN_NO_TABLE, FN_NOT_YET,
	};
	int i;

	for (i = 0; i < NR_FNS; i++) {
		struct fn *fn = &w->random_fns[i];
		u64 r = next_random(state);

		*fn = (struct fn){ .kind = kinds[r >> 8 & 15] };
		fn->rule = (struct sframe_rule){
			.cfa = r & 0x70000 ? SFRAME_LOC_SP : random_loc(state),
			.cfa_off = random_offset(state),
			.ra = r & 0x380000 ? ON_STACK : random_loc(state),
			.ra_off = -8 * (s32)(next_random(state) % 8),
			.fp = random_loc(state),
			.fp_off = -8 * (s32)(next_random(state) % 8),
			.flags = r & 0x3c00000 ? 0 : r >> 32 & 31,
		};
	}
	random_stack(w, state);
	w->fns = w->random_fns;
	w->reg10 = random_word(state);
	w->hole = next_random(state) & 3 ? 0 : random_word(state);
	write_code(w);
}

/* What must hold after a step to what a signal interrupted. */
static void check_signal(struct kunit *test, struct world *w)
{
	const struct sframe_cursor *cur = &w->cur;
	struct sframe_rule rule;

	KUNIT_EXPECT_TRUE(test, cur->topmost);
	KUNIT_EXPECT_TRUE(test, cur->sp_known && cur->fp_known);
	KUNIT_EXPECT_NE(test, (int)world_find(w, cur->pc, &rule),
			(int)SFRAME_NO_MAPPING);
	KUNIT_EXPECT_LE(test, cur->signals, 8u);
}

/* What must hold after each other step, wherever it came from. */
static void check_step(struct kunit *test, struct world *w, u64 cfa)
{
	const struct sframe_cursor *cur = &w->cur;
	struct sframe_rule rule;

	KUNIT_EXPECT_GT(test, cur->cfa, cfa);
	KUNIT_EXPECT_EQ(test, cur->cfa % 8, 0ull);
	KUNIT_EXPECT_NE(test, (int)world_find(w, cur->pc - 1, &rule),
			(int)SFRAME_NO_MAPPING);
	KUNIT_EXPECT_FALSE(test, cur->topmost);
	if (cur->sp_known)
		KUNIT_EXPECT_EQ(test, cur->sp, cur->cfa + w->abi->sp_bias);
}

/* Any rules, stack and registers: it ends, rises, and stays in code. */
static void random_walks(struct kunit *test)
{
	static const struct sframe_abi * const abis[] = {
		&sframe_abi_x86, &sframe_abi_arm64, &sframe_abi_s390,
	};
	struct world *w = &the_world;
	u64 state = 0x5f3759df5f3759dfull, steps = 0, fallbacks = 0, cfa;
	u64 signals = 0;
	enum sframe_reason end;
	unsigned int i, j;

	for (i = 0; i < 10000; i++) {
		struct sframe_regs regs = {
			.pc = AT(next_random(&state) % NR_FNS),
			.sp = S(next_random(&state) % 8 * CHAIN_STEP),
			.fp = i & 4 ? S(8 * CHAIN_STEP) : random_word(&state),
			.ra = random_word(&state),
			.pac_mask = i & 1 ? PAC_MASK : 0,
		};

		w->abi = abis[i % ARRAY_SIZE(abis)];
		random_world(w, &state);
		sframe_cursor_init(&w->cur, w->abi, &regs, 40, &world_ops, w);
		for (j = 0; j <= 40; j++) {
			u32 before = w->cur.signals;

			cfa = w->cur.cfa;
			end = sframe_cursor_next(&w->cur);
			if (end)
				break;
			if (w->cur.signals != before)
				check_signal(test, w);
			else
				check_step(test, w, cfa);
		}
		KUNIT_ASSERT_NE(test, (int)end, (int)SFRAME_OK);
		KUNIT_EXPECT_LE(test, (int)end, (int)SFRAME_FP_HIDDEN_RA);
		KUNIT_EXPECT_EQ(test, w->cur.depth, j);
		steps += w->cur.depth;
		fallbacks += w->cur.fallbacks;
		signals += w->cur.signals;
	}
	/* Not all of them ended at once. */
	KUNIT_EXPECT_GT(test, steps, 1000ull);
	KUNIT_EXPECT_GT(test, fallbacks, 10ull);
	KUNIT_EXPECT_GT(test, signals, 10ull);
}

static struct kunit_case cursor_test_cases[] = {
	KUNIT_CASE_PARAM(known_walk, x86_gen_params),
	KUNIT_CASE_PARAM(known_walk, arm64_gen_params),
	KUNIT_CASE_PARAM(known_walk, s390_gen_params),
	KUNIT_CASE_PARAM(known_walk, x86_signal_gen_params),
	KUNIT_CASE_PARAM(known_walk, arm64_signal_gen_params),
	KUNIT_CASE_PARAM(known_walk, s390_signal_gen_params),
	KUNIT_CASE_PARAM(known_walk, kept_gen_params),
	KUNIT_CASE_PARAM(known_walk, evidence_gen_params),
	KUNIT_CASE_PARAM(known_walk, left_gen_params),
	KUNIT_CASE_PARAM(known_walk, border_gen_params),
	KUNIT_CASE_PARAM(known_walk, lost_gen_params),
	KUNIT_CASE_PARAM(known_walk, switch_gen_params),
	KUNIT_CASE(every_end_has_a_walk),
	KUNIT_CASE(fallbacks_are_counted),
	KUNIT_CASE(rules_fit_the_budget),
	KUNIT_CASE(work_fits_the_budget),
	KUNIT_CASE(random_walks),
	{}
};

static struct kunit_suite cursor_suite = {
	.name = "sframe_cursor",
	.test_cases = cursor_test_cases,
};

kunit_test_suite(cursor_suite);
