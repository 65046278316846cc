/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The addresses looked up last in one table, with their rules. Samples come
 * from few call sites again and again; for those a lookup is one load.
 */
#ifndef SFRAME_CACHE_H
#define SFRAME_CACHE_H

#include <sframe/table.h>

#define SFRAME_CACHE_SLOTS	256

/**
 * struct sframe_cache - lookups remembered for one table; zero is empty
 * @slot: (address + 1) << 16 | index of its rule, by the address's low bits;
 *	addresses count from the table's base
 *
 * A slot is one word and depends on nothing but the table, which never
 * changes: it cannot be stale, and readers and writers need no lock, NMIs
 * included.
 */
struct sframe_cache {
	u64 slot[SFRAME_CACHE_SLOTS];
};

/**
 * sframe_cache_lookup() - sframe_table_lookup() with a memory
 * @cache: used for @table alone
 * @table: the file's table
 * @pc: link-time address
 *
 * An empty slot looks like one for the address before the table, with rule 0:
 * and that is the gap, as it should be.
 *
 * Context: Any, NMI too.
 * Return: as sframe_table_lookup().
 */
static inline const struct sframe_rule *
sframe_cache_lookup(struct sframe_cache *cache,
		    const struct sframe_table *table, u64 pc)
{
	u64 at = pc - table->base;
	u64 *slot = &cache->slot[at % SFRAME_CACHE_SLOTS];
	u64 word = sframe_load(slot);
	const struct sframe_rule *rule;

	if (likely(word >> 16 == at + 1))
		return &table->rule[(u16)word];
	rule = sframe_table_lookup(table, pc);
	if (at < table->span)
		sframe_store(slot, (at + 1) << 16 | (rule - table->rule));
	return rule;
}

#endif /* SFRAME_CACHE_H */
