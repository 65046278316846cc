/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A table made of a few amd64 functions whose rows say SP+8, SP+16, ...
 */
#ifndef KUNIT_TRIAL_H
#define KUNIT_TRIAL_H

#include "table_impl.h"

#include "build.h"
#include "cfa.h"

#define VA	0x600000ull
#define TEXT	0x10000ull
#define ENOUGH	(64u << 20)
#define SP_ROW	SFRAME_ROW_BASE_SP
#define PCMASK	SFRAME_FDE_PCMASK

static const struct sframe_segment text[] = {
	{ .vaddr = 0x1000, .size = 0x1000 },
	{ .vaddr = TEXT, .size = VA - TEXT },
};

/* A table being tried, with all that belongs to it. */
struct trial {
	struct kunit *test;
	struct build b;
	struct sframe_section sec;
	struct sframe_table *table;
	struct sframe_skips skips;
};

static inline void start(struct kunit *test, struct trial *t, u8 version)
{
	memset(t, 0, sizeof(*t));
	t->test = test;
	build_init(&t->b, &sframe_abi_x86, version, false, 0, VA);
}

static inline enum sframe_reason convert(struct trial *t, size_t max_bytes)
{
	build_end(&t->b);
	KUNIT_ASSERT_FALSE(t->test, t->b.failed);
	KUNIT_ASSERT_EQ(t->test, build_open(&t->b, &t->sec), SFRAME_OK);
	return sframe_table_build(&t->sec, text, 2, max_bytes, &t->table,
				  &t->skips);
}

/* A function of @size bytes with rows at @starts: SP+8, SP+16, ... */
static inline void function(struct trial *t, u64 at, u32 size, u8 info, u8 rep,
			    unsigned int n, const u32 *starts)
{
	unsigned int i;

	build_fde(&t->b, at, size, info, 0, rep);
	for (i = 0; i < n; i++)
		build_row(&t->b, starts[i], SP_ROW, 0, 1, 8 * (i + 1));
}

#define FUNCTION(t, at, size, info, rep, n, ...)			\
	function(t, at, size, info, rep, n, (const u32[]){ __VA_ARGS__ })

/* All skips are expected ones: @n in sum. Then let go of everything. */
static inline void finish(struct trial *t, unsigned int n)
{
	KUNIT_EXPECT_EQ(t->test, all_skips(&t->skips), n);
	sframe_free(t->table);
	build_free(&t->b);
}

#endif /* KUNIT_TRIAL_H */
