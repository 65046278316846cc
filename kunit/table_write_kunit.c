// SPDX-License-Identifier: GPL-2.0
/*
 * Tables that are written in two rounds, of which each finds the same rules, as far as
 * there is a place for them near to where their hash says.
 */
#include <kunit/test.h>

#include "cfa.h"
#include "table_impl.h"

#define BASE		0x10000ull
#define ROW		4
/* Rules whose hash begins at one place: as many as are looked at, and one more. */
#define CROWD		65
/* More than the first room for rules. */
#define OTHERS		300
/* Rows that there are only in the second round. */
#define LATE		7
#define TAIL		16
#define ROWS		(CROWD - 1 + 3 * LATE + OTHERS + 1 + 2 * TAIL + 1)

static struct sframe_rule plain_rule(s32 off)
{
	return (struct sframe_rule){ .cfa = SFRAME_LOC_SP, .cfa_off = off };
}

/* Find rules whose hash begins at one place, in a set of the size that a new table's has. */
static void find_crowd(struct kunit *test, struct sframe_writer *w, s32 *off)
{
	const struct sframe_rule_set *set = &w->rules;
	unsigned int n = 0;
	s32 i;

	for (i = 0x10000; n < CROWD; i++) {
		const struct sframe_rule rule = plain_rule(i);

		KUNIT_ASSERT_LT(test, i, 0x10000 + 2 * CROWD * (set->hash_mask + 1));
		if (sframe_rule_place(set, &rule) == set->hash + set->hash_mask / 2)
			off[n++] = i;
	}
}

/* Append a row at the end of those whose CFA is noted in @want. */
static void add_row(struct sframe_writer *w, s32 off, s32 *want, u32 *n)
{
	const struct sframe_rule rule = plain_rule(off);

	want[*n] = off;
	sframe_writer_add(w, ROW * (*n)++, off == GAP ? SFRAME_ID_GAP :
			  off == REFUSED ? SFRAME_ID_BAD : sframe_writer_rule(w, &rule));
}

/* What is written, and the CFA of each row. */
struct crowded {
	struct kunit *test;
	struct sframe_writer writer;
	s32 crowd[CROWD];
	s32 want[ROWS];
};

/* One of two rounds: the last of the crowd has a place only once there is more room. */
static enum sframe_reason add_all_rows(void *ctx, bool first)
{
	struct crowded *c = ctx;
	struct sframe_writer *w = &c->writer;
	s32 *crowd = c->crowd, *want = c->want;
	u32 i, n = 0;

	if (first)
		find_crowd(c->test, w, crowd);
	for (i = 0; i < CROWD - 1; i++)
		add_row(w, crowd[i], want, &n);
	for (i = 0; i < LATE; i++) {
		add_row(w, crowd[CROWD - 1], want, &n);
		add_row(w, REFUSED, want, &n);
		add_row(w, crowd[0], want, &n);
	}
	for (i = 0; i < OTHERS; i++)
		add_row(w, 8 * i, want, &n);
	add_row(w, crowd[CROWD - 1], want, &n);
	for (i = 0; i < TAIL; i++) {
		add_row(w, 8 * i, want, &n);
		add_row(w, GAP, want, &n);
	}
	add_row(w, GAP, want, &n);
	return SFRAME_OK;
}

/* No row is longer than it was said to be, however many there are in the second round. */
static void crowded_rules(struct kunit *test)
{
	static struct crowded c;
	struct sframe_table *table;
	size_t avail = 1 << 20;
	u32 i, refused = 0;
	int got;

	c.test = test;
	KUNIT_ASSERT_EQ(test, sframe_writer_run(&c.writer, BASE, ROW * ROWS, ROW * ROWS, &avail,
						add_all_rows, &c, &table), SFRAME_OK);
	for (i = 0; i < ROWS; i++) {
		got = cfa_at(table, BASE + ROW * i);
		KUNIT_EXPECT_TRUE_MSG(test, got == c.want[i] || got == REFUSED,
				      "row %u says %d, not %d", i, got, c.want[i]);
		refused += got != c.want[i];
	}
	KUNIT_EXPECT_GT(test, refused, 0);
	KUNIT_EXPECT_LT(test, refused, ROWS / 10);
	sframe_table_free(table);
}

static struct kunit_case table_write_cases[] = {
	KUNIT_CASE(crowded_rules),
	{}
};

static struct kunit_suite table_write_suite = {
	.name = "sframe_table_write",
	.test_cases = table_write_cases,
};

kunit_test_suite(table_write_suite);
