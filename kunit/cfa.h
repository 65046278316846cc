/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What a table says of an address, as one number, and what was left out of it.
 * For cases that have their struct kunit in @test and a struct trial with @table
 * and @skips.
 */
#ifndef KUNIT_CFA_H
#define KUNIT_CFA_H

#include <sframe/table.h>

#define GAP	(-1)
#define REFUSED	(-2)
#define LAST	(-3)

/* The CFA's distance from its base at @pc, or GAP, REFUSED, LAST. */
static inline int cfa_at(const struct sframe_table *table, u64 pc)
{
	const struct sframe_rule *rule = sframe_table_lookup(table, pc);

	if (rule->flags & SFRAME_RULE_NO_FDE)
		return GAP;
	if (rule->flags & SFRAME_RULE_BAD)
		return REFUSED;
	if (rule->flags & SFRAME_RULE_OUTERMOST)
		return LAST;
	return rule->cfa_off;
}

static inline unsigned int all_skips(const struct sframe_skips *skips)
{
	unsigned int i, sum = 0;

	for (i = 0; i < SFRAME_NR_REASONS; i++)
		sum += skips->count[i];
	return sum;
}

#define EXPECT_CFA(t, pc, want) \
	KUNIT_EXPECT_EQ(test, cfa_at((t)->table, pc), want)
#define EXPECT_SKIPS(t, reason, n) \
	KUNIT_EXPECT_EQ(test, (t)->skips.count[SFRAME_##reason], n)

#endif /* KUNIT_CFA_H */
