/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A table made of a few amd64 functions whose CFI says SP+8, then something
 * else.
 */
#ifndef KUNIT_CFI_TRIAL_H
#define KUNIT_CFI_TRIAL_H

#include "cfa.h"
#include "cfi_made.h"

#define FN		(CFI_TEXT + 0x100)
#define ADVANCE(n)	(CFA_ADVANCE_LOC | (n))

/* A section being tried, on amd64. */
struct trial {
	struct kunit *test;
	struct cfi_made m;
	struct sframe_sources src;
	struct sframe_limits limits;
	struct sframe_table *table;
	struct sframe_skips skips;
};

static inline struct trial *start(struct kunit *test)
{
	static struct trial t;

	memset(&t, 0, sizeof(t));
	t.test = test;
	t.limits.table_bytes = 1 << 20;
	t.limits.build_bytes = 1 << 22;
	cfi_begin(&t.m, &sframe_abi_x86, false);
	return &t;
}

static inline enum sframe_reason convert(struct trial *t)
{
	KUNIT_ASSERT_LT(t->test, t->m.len, CFI_ROOM);
	cfi_sources(&t->m, &t->src);
	return sframe_sources_build(&t->src, &t->limits, &t->table, &t->skips);
}

/* A function whose rows say SP+8 and, from its byte @at on, SP+@off. */
static inline void function(struct trial *t, u64 pc, u64 size, u8 at, u8 off)
{
	cfi_fde(&t->m, pc, size, CFA_ADVANCE_LOC1, at, CFA_DEF_CFA_OFFSET, off);
}

static inline void finish(struct trial *t, unsigned int n)
{
	KUNIT_EXPECT_EQ(t->test, all_skips(&t->skips), n);
	sframe_table_free(t->table);
}

#endif /* KUNIT_CFI_TRIAL_H */
