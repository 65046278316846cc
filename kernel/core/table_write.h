/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Writes a table whose rows come in order of address, in two rounds: the first
 * counts rows and collects rules, so that the second can write into a table of
 * the right size. Whoever has the rows produces them twice, for sframe_writer_run().
 */
#ifndef SFRAME_CORE_TABLE_WRITE_H
#define SFRAME_CORE_TABLE_WRITE_H

#include <sframe/table.h>

/* No more rules than a u16 can number, the gap and the bad one included. */
#define SFRAME_RULES_MAX	65536

/**
 * struct sframe_rule_set - the distinct rules of a table
 * @rule: the rules, the gap and the refused one first
 * @hash: open-addressed index into @rule; 0 is free
 * @hash_mask: entries in @hash, less one; for more than @rule has room for
 * @nr: rules
 */
struct sframe_rule_set {
	struct sframe_rule *rule;
	u16 *hash;
	u32 hash_mask;
	u32 nr;
};

/**
 * struct sframe_writer - a table being written
 * @rules: its rules
 * @avail: bytes that may still be allocated; shared with whoever else does so
 * @table: the table; NULL in the first round
 * @base: link-time address of its first block
 * @span: bytes from @base on that it covers
 * @pc: from this address on, counted from @base, ...
 * @id: ... this rule applies: the row that is not written yet
 * @last: rule of the row written last
 * @nr_rows: rows written
 * @next_block: first block that has no row yet
 * @ticks: counts towards the next sframe_relax()
 * @failed: why memory for rules could not be had, or SFRAME_OK
 */
struct sframe_writer {
	struct sframe_rule_set rules;
	size_t *avail;
	struct sframe_table *table;
	u64 base;
	u64 span;
	u32 pc;
	u16 id;
	u16 last;
	u32 nr_rows;
	u32 next_block;
	u32 ticks;
	enum sframe_reason failed;
};

/* Adds all rows, by sframe_writer_add(), in one of two rounds: SFRAME_OK, or why it cannot. */
typedef enum sframe_reason (*sframe_rows_fn)(void *ctx, bool first);

void sframe_rule_set_init(struct sframe_rule_set *set);
u16 *sframe_rule_place(const struct sframe_rule_set *set,
		       const struct sframe_rule *rule);
u16 sframe_writer_rule(struct sframe_writer *w, const struct sframe_rule *rule);
void sframe_writer_put(struct sframe_writer *w);
enum sframe_reason sframe_writer_run(struct sframe_writer *w, u64 base, u64 span, u64 len,
				     size_t *avail, sframe_rows_fn add_rows, void *ctx,
				     struct sframe_table **table);

/**
 * sframe_writer_add() - add a row: from an address on, a rule holds
 * @w: the table
 * @pc: the address, from the table's base; not below those added before
 * @id: the rule's number. It replaces that of an earlier row at the same address
 *
 * Context: May sleep.
 */
static inline void sframe_writer_add(struct sframe_writer *w, u32 pc, u16 id)
{
	if (pc != w->pc)
		sframe_writer_put(w);
	w->pc = pc;
	w->id = id;
}

#endif /* SFRAME_CORE_TABLE_WRITE_H */
