// SPDX-License-Identifier: GPL-2.0
/*
 * Sections that binutils wrote, decoded and looked up, beside what binutils
 * says they mean.
 */
#include <kunit/test.h>

#include <sframe/format.h>
#include <sframe/table.h>

#include "vectors/all.h"

#define MAX_BYTES	(4u << 20)

KUNIT_ARRAY_PARAM_DESC(vector, vectors, name);

static void open_vector(struct kunit *test, const struct vector *v,
			struct sframe_section *sec)
{
	bool swap = v->big_endian != SFRAME_MACHINE_BE;

	KUNIT_ASSERT_EQ(test, (int)SFRAME_OK,
			(int)sframe_section_init(sec, v->abi, v->bytes, v->len,
						 v->va, swap));
	KUNIT_EXPECT_EQ(test, sec->version, v->version);
	KUNIT_ASSERT_EQ(test, sec->num_fdes, v->nr_fdes);
}

static void expect_rows(struct kunit *test, const struct sframe_section *sec,
			const struct sframe_fde *fde,
			const struct vector_row *want)
{
	struct sframe_rows rows;
	struct sframe_row row;
	bool bad;

	sframe_rows_init(&rows, sec, fde);
	for (; rows.left; want++) {
		KUNIT_ASSERT_EQ(test, (int)SFRAME_OK,
				(int)sframe_rows_next(&rows, &row));
		KUNIT_EXPECT_EQ_MSG(test, row.start, want->start,
				    "function %#llx",
				    (unsigned long long)fde->start);
		bad = want->rule.flags & SFRAME_RULE_BAD;
		KUNIT_EXPECT_EQ(test, row.reason != SFRAME_OK, bad);
		KUNIT_EXPECT_TRUE_MSG(test, !memcmp(&row.rule, &want->rule,
						    sizeof(row.rule)),
				      "function %#llx, row %#x",
				      (unsigned long long)fde->start,
				      row.start);
	}
}

/* Every function and every row is what binutils says. */
static void decodes(struct kunit *test)
{
	const struct vector *v = test->param_value;
	struct sframe_section sec;
	struct sframe_fde fde;
	unsigned int i;

	open_vector(test, v, &sec);
	for (i = 0; i < v->nr_fdes; i++) {
		const struct vector_fde *f = &v->fdes[i];
		enum sframe_reason reason = sframe_fde_get(&sec, i, &fde);

		KUNIT_EXPECT_EQ(test, fde.start, f->start);
		KUNIT_EXPECT_EQ(test, fde.size, f->size);
		KUNIT_ASSERT_EQ(test, (int)reason, (int)(f->size ? SFRAME_OK :
							 SFRAME_FDE_EMPTY));
		if (!reason) {
			KUNIT_ASSERT_EQ(test, fde.num_rows, f->num_rows);
			KUNIT_EXPECT_EQ(test, fde.pcmask ? fde.rep_size : 0,
					f->rep_size);
			KUNIT_EXPECT_EQ(test, fde.flex, f->flex);
			KUNIT_EXPECT_EQ(test, fde.signal, f->signal);
			expect_rows(test, &sec, &fde, f->rows);
		}
	}
}

/* What a lookup @off bytes into @f must find. */
static struct sframe_rule expected(const struct vector *v,
				   const struct vector_fde *f, u32 off)
{
	struct sframe_rule rule = { .flags = SFRAME_RULE_OUTERMOST };
	unsigned int i;

	if (v->plt_unused && f->plt)
		return (struct sframe_rule){ .flags = SFRAME_RULE_BAD };
	if (f->signal)
		rule.flags = SFRAME_RULE_SIGNAL;
	if (f->rep_size)
		off %= f->rep_size;
	for (i = 0; i < f->num_rows && f->rows[i].start <= off; i++)
		rule = f->rows[i].rule;
	rule.flags &= ~SFRAME_RULE_MANGLED;
	return rule;
}

/* Where the function at @i ends, or the next one begins (binutils sorts). */
static u64 end_of(const struct vector *v, unsigned int i)
{
	u64 end = v->fdes[i].start + v->fdes[i].size;

	while (++i < v->nr_fdes)
		if (v->fdes[i].size && v->fdes[i].start < end)
			end = v->fdes[i].start;
	return end;
}

static void expect_lookups(struct kunit *test, const struct sframe_table *table,
			   const struct vector *v, unsigned int i)
{
	const struct vector_fde *f = &v->fdes[i];
	const struct sframe_rule *got;
	u64 end = end_of(v, i);
	struct sframe_rule want;
	u32 off;

	for (off = 0; f->start + off < end; off++) {
		want = expected(v, f, off);
		got = sframe_table_lookup(table, f->start + off);
		KUNIT_ASSERT_TRUE_MSG(test, !memcmp(got, &want, sizeof(want)),
				      "function %#llx + %#x",
				      (unsigned long long)f->start, off);
	}
}

/* Every address of every function finds the rule of its row. */
static void looks_up(struct kunit *test)
{
	const struct vector *v = test->param_value;
	struct sframe_skips skips = {};
	struct sframe_section sec;
	struct sframe_table *table;
	unsigned int i;

	open_vector(test, v, &sec);
	KUNIT_ASSERT_EQ(test, (int)SFRAME_OK,
			(int)sframe_table_build(&sec, v->text, v->nr_text,
						MAX_BYTES, &table, &skips));
	for (i = 0; i < v->nr_fdes; i++)
		expect_lookups(test, table, v, i);
	KUNIT_EXPECT_EQ(test, skips.count[SFRAME_FDE_RANGE], 0);
	sframe_free(table);
}

static struct kunit_case vector_cases[] = {
	KUNIT_CASE_PARAM(decodes, vector_gen_params),
	KUNIT_CASE_PARAM(looks_up, vector_gen_params),
	{}
};

static struct kunit_suite vectors_suite = {
	.name = "sframe_vectors",
	.test_cases = vector_cases,
};

kunit_test_suite(vectors_suite);
