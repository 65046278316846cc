// SPDX-License-Identifier: GPL-2.0
/*
 * A table is sound, and says what reading the section naively says.
 */
#include "fuzz.h"
#include "naive.h"

/* Functions and rows whose surroundings are looked up. */
#define MAX_FDES	4
#define MAX_ROWS	4

void check_arrays(const struct sframe_table *t)
{
	u32 blocks = (t->span + (1u << SFRAME_BLOCK_SHIFT) - 1) >>
		     SFRAME_BLOCK_SHIFT;
	const u8 *end = (const u8 *)t + t->bytes - (t->kept ? t->kept->bytes : 0);
	u32 b, i;

	MUST(t->nr_rules >= 2 && t->nr_rules <= 65536);
	MUST(!t->id_high == (t->nr_rules <= SFRAME_NARROW_RULES));
	MUST(t->off + t->nr_rows == end);
	MUST(t->block[0] == 0 && t->block[blocks] == t->nr_rows);
	for (b = 0; b < blocks; b++) {
		MUST(t->block[b] <= t->block[b + 1]);
		for (i = t->block[b] + 1; i < t->block[b + 1]; i++)
			MUST(t->off[i - 1] < t->off[i]);
	}
	for (i = 0; i < t->nr_rows; i++)
		MUST(sframe_table_id(t, i) < t->nr_rules);
	/* The very first address has a row, or lookups would run off. */
	MUST(t->nr_rows && t->off[0] == 0 && t->block[1] > 0);
	if (t->kept)
		check_arrays(t->kept);
}

/* Where limits on work or doubts about PLTs cut in, naive reading differs. */
static bool comparable(const struct sframe_skips *skips)
{
	return !skips->count[SFRAME_FDE_BUDGET] &&
	       !skips->count[SFRAME_FDE_REPEAT] &&
	       !skips->count[SFRAME_FDE_PLT] &&
	       !skips->count[SFRAME_RULES_FULL];
}

static void check_pc(const struct input *in, const struct sframe_table *table,
		     u64 pc, bool compare)
{
	const struct sframe_rule *rule = sframe_table_lookup(table, pc);
	struct sframe_rule want;

	MUST(rule >= table->rule && rule < table->rule + table->nr_rules);
	MUST(sframe_table_recall(table, pc) == rule);
	MUST(sframe_table_recall(table, pc) == rule);
	if (!compare)
		return;
	want = naive_lookup(&in->sec, in->text, in->nr_text, pc);
	if (memcmp(rule, &want, sizeof(want)))
		fprintf(stderr, "at %#llx\n", (unsigned long long)pc);
	MUST(!memcmp(rule, &want, sizeof(want)));
}

static void check_function(const struct input *in,
			   const struct sframe_table *table,
			   const struct sframe_fde *fde, bool compare)
{
	struct sframe_rows rows;
	struct sframe_row row;
	u32 n;

	check_pc(in, table, fde->start - 1, compare);
	check_pc(in, table, fde->start, compare);
	check_pc(in, table, fde->start + fde->size / 2, compare);
	check_pc(in, table, fde->start + fde->size - 1, compare);
	check_pc(in, table, fde->start + fde->size, compare);
	sframe_rows_init(&rows, &in->sec, fde);
	for (n = 0; rows.left && n < MAX_ROWS; n++) {
		if (sframe_rows_next(&rows, &row))
			break;
		check_pc(in, table, fde->start + row.start - 1, compare);
		check_pc(in, table, fde->start + row.start, compare);
	}
}

void check_table(const struct input *in, const struct sframe_table *table,
		 const struct sframe_skips *skips)
{
	bool compare = comparable(skips);
	struct sframe_fde fde;
	u32 i, n;

	check_arrays(table);
	check_pc(in, table, 0, compare);
	check_pc(in, table, ~0ull, compare);
	check_pc(in, table, table->base, compare);
	check_pc(in, table, table->base + table->span, compare);
	n = in->sec.num_fdes < MAX_FDES ? in->sec.num_fdes : MAX_FDES;
	for (i = 0; i < n; i++) {
		u32 pick = (in->knobs[KNOB_PC] + 5 * i) % in->sec.num_fdes;

		if (sframe_fde_get(&in->sec, pick, &fde))
			check_pc(in, table, fde.start, compare);
		else
			check_function(in, table, &fde, compare);
	}
}
