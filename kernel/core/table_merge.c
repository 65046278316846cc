// SPDX-License-Identifier: GPL-2.0
/*
 * Merges two tables of one file into one: walks both in order of address, and writes
 * what holds, twice (table_write.h). Called by sources.c.
 */
#include "quirks.h"
#include "table_impl.h"

/**
 * struct side - a position in one of the two tables
 * @table: the table
 * @row: next row
 * @block: the block that @row is in
 * @at: link-time address where @row begins; past the last row, where the table ends;
 *	then ~0
 * @rule: what holds before @at
 */
struct side {
	const struct sframe_table *table;
	u32 row;
	u32 block;
	u64 at;
	const struct sframe_rule *rule;
};

/* Set @at to where @row begins. */
static void side_find(struct side *s)
{
	const struct sframe_table *t = s->table;

	if (s->row >= t->nr_rows) {
		s->at = s->row == t->nr_rows ? t->base + t->span : ~0ull;
		return;
	}
	while (t->block[s->block + 1] <= s->row)
		s->block++;
	s->at = t->base + ((u64)s->block << SFRAME_BLOCK_SHIFT) +
		t->off[s->row];
}

static void side_init(struct side *s, const struct sframe_table *table)
{
	*s = (struct side){
		.table = table,
		.rule = &table->rule[SFRAME_ID_GAP],
	};
	side_find(s);
}

/* Go past the row that begins at @at, or the table's end, if it is there. */
static void side_pass(struct side *s, u64 at)
{
	const struct sframe_table *t = s->table;

	if (s->at != at)
		return;
	s->rule = &t->rule[s->row < t->nr_rows ? sframe_table_id(t, s->row) :
						 SFRAME_ID_GAP];
	s->row++;
	side_find(s);
}

/**
 * struct merge - two tables that become one
 * @first: holds wherever it has a usable row, but for sframe_quirk_says_less()
 * @second: holds where @first has a gap or a refused row
 * @skips: counts rows that there was no room for; NULL in the second round
 * @silent: functions are known to say nothing of their frames: where @second refuses a row,
 *	@first is not believed
 * @writer: the table of both
 */
struct merge {
	const struct sframe_table *first;
	const struct sframe_table *second;
	struct sframe_skips *skips;
	bool silent;
	struct sframe_writer writer;
};

static bool rule_is_usable(const struct sframe_rule *rule)
{
	return !(rule->flags & (SFRAME_RULE_NO_FDE | SFRAME_RULE_BAD));
}

/* The number of the rule that holds where one table says @first and the other @second. */
static u16 merged_id(struct merge *m, const struct sframe_rule *first,
		     const struct sframe_rule *second)
{
	const struct sframe_rule *rule = first;
	u16 id;

	if (!rule_is_usable(first) || sframe_quirk_says_less(first, second) ||
	    (m->silent && second->flags & SFRAME_RULE_BAD))
		rule = second;
	if (!rule_is_usable(rule))
		return (first->flags | second->flags) & SFRAME_RULE_BAD ?
		       SFRAME_ID_BAD : SFRAME_ID_GAP;
	id = sframe_writer_rule(&m->writer, rule);
	if (m->skips && id == SFRAME_ID_BAD)
		m->skips->count[SFRAME_RULES_FULL]++;
	return id;
}

static enum sframe_reason merge_rows(void *ctx, bool first)
{
	struct merge *m = ctx;
	struct side a, b;
	u32 ticks = 0;
	u64 at;

	if (!first)
		m->skips = NULL;
	side_init(&a, m->first);
	side_init(&b, m->second);
	while (a.at != ~0ull || b.at != ~0ull) {
		/* Even if all these rows become a single one. */
		sframe_tick(&ticks);
		at = a.at < b.at ? a.at : b.at;
		side_pass(&a, at);
		side_pass(&b, at);
		sframe_writer_add(&m->writer, at - m->writer.base,
				  merged_id(m, a.rule, b.rule));
	}
	return SFRAME_OK;
}

/**
 * sframe_table_merge() - make one table from two
 * @first: holds wherever it has a usable row, but for sframe_quirk_says_less()
 * @second: holds where @first has a gap or a refused row
 * @max_bytes: no more is allocated at any time, the result included
 * @table: the table
 * @skips: counts rows that there was no room for; where functions of @second were refused
 *	as %SFRAME_CFI_SILENT, @first is not believed where @second has a refused row
 *
 * Context: May sleep.
 * Return: SFRAME_OK, SFRAME_TOO_BIG or SFRAME_NO_MEMORY.
 */
enum sframe_reason sframe_table_merge(const struct sframe_table *first,
				      const struct sframe_table *second,
				      size_t max_bytes,
				      struct sframe_table **table,
				      struct sframe_skips *skips)
{
	u64 base = first->base < second->base ? first->base : second->base;
	u64 end = first->base + first->span, other = second->base + second->span;
	struct merge m = {
		.first = first,
		.second = second,
		.skips = skips,
		.silent = skips->count[SFRAME_CFI_SILENT],
	};

	if (other > end)
		end = other;
	/* Each is dense enough by itself, but between them may be a large gap. */
	return sframe_writer_run(&m.writer, base, end - base, first->bytes + second->bytes,
				 &max_bytes, merge_rows, &m, table);
}
