/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A table made of a few functions of Go's.
 */
#ifndef KUNIT_GO_TRIAL_H
#define KUNIT_GO_TRIAL_H

#include "cfa.h"
#include "go_made.h"

#define TOP	1
#define SPWRITE	2
#define ASM	4
#define SAVED	SFRAME_LOC_SAVED

struct trial {
	struct kunit *test;
	struct go_made m;
	struct sframe_sources src;
	struct sframe_table *table;
	struct sframe_skips skips;
};

static inline struct trial *start(struct kunit *test,
				  const struct sframe_abi *abi, bool big_endian)
{
	static struct trial t;

	memset(&t, 0, sizeof(t));
	t.test = test;
	go_begin(&t.m, abi, big_endian);
	return &t;
}

static inline enum sframe_reason build_of(struct trial *t)
{
	const struct sframe_limits limits = {
		.table_bytes = 1 << 20,
		.build_bytes = 1 << 22,
	};

	return sframe_sources_build(&t->src, &limits, &t->table, &t->skips);
}

static inline enum sframe_reason convert(struct trial *t)
{
	KUNIT_ASSERT_LE(t->test, t->m.rows_len, GO_ROOM);
	KUNIT_ASSERT_LE(t->test, t->m.names_len, GO_ROOM);
	go_end(&t->m);
	go_sources(&t->m, &t->src);
	return build_of(t);
}

static inline void finish(struct trial *t, unsigned int n)
{
	KUNIT_EXPECT_EQ(t->test, all_skips(&t->skips), n);
	sframe_free(t->table);
	t->table = NULL;
}

/* At byte @at of the code, the rule is this one. */
static inline void expect(struct trial *t, u32 at, struct sframe_rule want)
{
	const struct sframe_rule *rule;

	rule = sframe_table_lookup(t->table, GO_TEXT + at);
	KUNIT_EXPECT_EQ(t->test, rule->cfa, want.cfa);
	KUNIT_EXPECT_EQ(t->test, rule->cfa_off, want.cfa_off);
	KUNIT_EXPECT_EQ(t->test, rule->ra, want.ra);
	KUNIT_EXPECT_EQ(t->test, rule->ra_off, want.ra_off);
	KUNIT_EXPECT_EQ(t->test, rule->fp, want.fp);
	KUNIT_EXPECT_EQ(t->test, rule->fp_off, want.fp_off);
	if (rule->flags != want.flags)
		KUNIT_FAIL(t->test, "at %#x: flags %#x, not %#x", at,
			   rule->flags, want.flags);
}

#define RULE(...)	((struct sframe_rule){ __VA_ARGS__ })
#define FLAG(flag)	RULE(.flags = SFRAME_RULE_##flag)
#define X86_SP(off, ...)						\
	RULE(.cfa = SFRAME_LOC_SP, .cfa_off = off, .ra = SAVED,		\
	     .ra_off = -8, __VA_ARGS__)
#define X86_FP_SAVED	.fp = SAVED, .fp_off = -16

#endif /* KUNIT_GO_TRIAL_H */
