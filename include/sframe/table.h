/* SPDX-License-Identifier: GPL-2.0 */
/*
 * One file's rules, in the form that is looked up: immutable, validated,
 * private, and independent of the version they came in.
 *
 * The covered text is cut into blocks of 256 bytes. Row i begins at byte
 * off[i] of its block and holds until row i + 1; rule[id[i]] applies there. Where
 * there are more than 256 rules, each number has another byte, in id_high[i].
 * block[b] is the first row that begins in block b (block[nr_blocks] ends the
 * list), so a lookup reads one block word, the few offsets of that block, one
 * id and one rule. A gap between functions is a row too.
 *
 * Samples come from few call sites again and again, so the addresses looked
 * up last are remembered, one word each. A word depends on nothing but the
 * rest of the table, which never changes: it cannot be stale, and needs no
 * lock.
 */
#ifndef SFRAME_TABLE_H
#define SFRAME_TABLE_H

#include <sframe/decode.h>
#include <sframe/elf.h>

#define SFRAME_BLOCK_SHIFT	8

/* Identifiers of the two rules that every table has. */
#define SFRAME_ID_GAP		0
#define SFRAME_ID_BAD		1

/* Rules that one byte can number. */
#define SFRAME_NARROW_RULES	256

/*
 * Addresses looked up last that are kept: one slot per 16 rows; 16 slots at least, 512
 * at most.
 */
#define SFRAME_SLOT_ROWS	16
#define SFRAME_SLOT_BITS_MIN	4
#define SFRAME_SLOT_BITS_MAX	9

/**
 * struct sframe_table - see above; freed with sframe_table_free()
 * @base: link-time address of block 0, a multiple of the block size
 * @span: bytes covered from @base; every address beyond is a gap
 * @bytes: size of the allocation, and of @kept
 * @nr_rows: entries in @id, @id_high and @off
 * @nr_rules: entries in @rule
 * @slot_shift: @slot has 2 to the power of (32 - @slot_shift) entries
 * @slot: (address + 1) << 16 | index into @rule, by sframe_table_slot();
 *	addresses count from @base; 0 is empty. Written by any lookup
 * @rule: the distinct rules; [SFRAME_ID_GAP] and [SFRAME_ID_BAD] always
 * @block: first row of each block, and one past the last
 * @id: index into @rule per row, the low byte
 * @id_high: the high byte; NULL if @rule has no more than SFRAME_NARROW_RULES
 * @off: offset in its block per row
 * @kept: a table like this one whose rules say of register @kept_reg what others say of
 *	FP: some function's CFA depends on that register, which its callees save.
 *	Looked up only for that. NULL if there is no such function
 * @kept_reg: DWARF number; see @kept
 */
struct sframe_table {
	u64 base;
	u64 span;
	size_t bytes;
	u32 nr_rows;
	u32 nr_rules;
	u32 slot_shift;
	u64 *slot;
	const struct sframe_rule *rule;
	const u32 *block;
	const u8 *id;
	const u8 *id_high;
	const u8 *off;
	const struct sframe_table *kept;
	u8 kept_reg;
};

enum sframe_reason sframe_table_build(const struct sframe_section *sec,
				      const struct sframe_segment *text,
				      unsigned int nr_text, size_t max_bytes,
				      struct sframe_table **table,
				      struct sframe_skips *skips);
const struct sframe_rule *
sframe_table_lookup(const struct sframe_table *table, u64 pc);
const struct sframe_rule *
sframe_table_remember(const struct sframe_table *table, u64 at, u64 *slot);

/**
 * sframe_table_free() - free a table
 * @table: the table, or NULL
 *
 * Context: as sframe_free().
 */
static inline void sframe_table_free(const struct sframe_table *table)
{
	if (table)
		sframe_free((void *)table->kept);
	sframe_free((void *)table);
}

/* The number of a row's rule. */
static inline u32 sframe_table_id(const struct sframe_table *table, size_t row)
{
	u32 id = table->id[row];

	if (unlikely(table->id_high))
		id |= (u32)table->id_high[row] << 8;
	return id;
}

/*
 * The slot for an address, from the table's base. Return addresses lie in regular
 * patterns: functions are aligned, instructions are 4 bytes long or an even number, and
 * functions that call each other are alike and close by. Multiplied by 2^32 over the
 * golden ratio, the high bits of such addresses are spread evenly.
 */
static inline u32 sframe_table_slot(const struct sframe_table *table, u64 at)
{
	/* Most machines shift modulo 32: the mask costs nothing there. */
	return (u32)at * 0x9e3779b1u >> (table->slot_shift & 31);
}

/* How many slots there are. */
static inline u32 sframe_table_slots(const struct sframe_table *table)
{
	return 1u << (32 - table->slot_shift);
}

/**
 * sframe_table_recall() - sframe_table_lookup() by way of the slots
 * @table: the file's table
 * @pc: link-time address
 *
 * An empty slot looks like one for the address right before @table's first, with rule
 * 0: that is the gap, which is right.
 *
 * Context: Any, NMI too.
 * Return: as sframe_table_lookup().
 */
static inline const struct sframe_rule *
sframe_table_recall(const struct sframe_table *table, u64 pc)
{
	u64 at = pc - table->base;
	u64 *slot = &table->slot[sframe_table_slot(table, at)];
	u64 word = sframe_load(slot);

	if (likely(word >> 16 == at + 1))
		return &table->rule[(u16)word];
	return sframe_table_remember(table, at, slot);
}

#endif /* SFRAME_TABLE_H */
