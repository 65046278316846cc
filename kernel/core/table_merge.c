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

static bool rule_is_usable(const struct sframe_rule *rule)
{
	return !(rule->flags & (SFRAME_RULE_NO_FDE | SFRAME_RULE_BAD));
}

/*
 * The number of the rule that holds where one table says @first and the other @second. If
 * @silent, functions are known to say nothing of their frames: where the second table refuses
 * them, the first one has what they say.
 */
static u16 merged_id(struct sframe_writer *w, const struct sframe_rule *first,
		     const struct sframe_rule *second, bool silent, u32 *full)
{
	const struct sframe_rule *rule = first;
	u16 id;

	if (!rule_is_usable(first) || sframe_quirk_says_less(first, second) ||
	    (silent && second->flags & SFRAME_RULE_BAD))
		rule = second;
	if (!rule_is_usable(rule))
		return (first->flags | second->flags) & SFRAME_RULE_BAD ?
		       SFRAME_ID_BAD : SFRAME_ID_GAP;
	id = sframe_writer_rule(w, rule);
	*full += id == SFRAME_ID_BAD;
	return id;
}

/*
 * Write all rows, one of two rounds. Returns how many are refused, as there are too
 * many rules.
 */
static u32 merge_rows(struct sframe_writer *w, const struct sframe_table *first,
		      const struct sframe_table *second, bool silent)
{
	struct side a, b;
	u32 full = 0, ticks = 0;
	u64 at;

	side_init(&a, first);
	side_init(&b, second);
	while (a.at != ~0ull || b.at != ~0ull) {
		/* Even if all these rows become a single one. */
		sframe_tick(&ticks);
		at = a.at < b.at ? a.at : b.at;
		side_pass(&a, at);
		side_pass(&b, at);
		sframe_writer_add(w, at - w->base,
				  merged_id(w, a.rule, b.rule, silent, &full));
	}
	return full;
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
	bool silent = skips->count[SFRAME_CFI_SILENT];
	enum sframe_reason reason;
	struct sframe_writer w;

	if (other > end)
		end = other;
	/* Each is dense enough by itself, but between them may be a large gap. */
	if (sframe_index_too_big(end - base, first->bytes + second->bytes))
		return SFRAME_TOO_BIG;
	reason = sframe_writer_init(&w, base, end - base, &max_bytes);
	if (!reason) {
		skips->count[SFRAME_RULES_FULL] += merge_rows(&w, first, second, silent);
		reason = sframe_writer_begin(&w);
	}
	if (!reason) {
		merge_rows(&w, first, second, silent);
		sframe_writer_end(&w, table);
	}
	sframe_writer_free(&w);
	return reason;
}
