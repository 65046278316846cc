// SPDX-License-Identifier: GPL-2.0
/*
 * The lookup in a finished table, and its assembly from a list of rows.
 */
#include <sframe/table_impl.h>

/**
 * sframe_table_lookup() - find the rule for an address
 * @table: the file's table
 * @pc: link-time address
 *
 * One word finds the rows of the address's block, a binary search without
 * unpredictable branches the last of them that begins at or before the
 * address; if none does, the row before the block's first still holds.
 *
 * Context: Any, NMI too.
 * Return: the rule, as long-lived as @table. Never NULL: outside all functions
 *	it says SFRAME_RULE_NO_FDE, where a row was refused SFRAME_RULE_BAD.
 */
const struct sframe_rule *
sframe_table_lookup(const struct sframe_table *table, u64 pc)
{
	u64 at = pc - table->base;
	const u32 *block;
	const u8 *off;
	u32 len, half;
	u8 key = at;

	if (unlikely(at >= table->span))
		return &table->rule[SFRAME_ID_GAP];
	block = &table->block[at >> SFRAME_BLOCK_SHIFT];
	off = table->off + block[0];
	for (len = block[1] - block[0]; len; len -= half) {
		half = (len + 1) / 2;
		off += off[half - 1] <= key ? half : 0;
	}
	return &table->rule[table->id[off - table->off - 1]];
}

/* Offsets of a table's arrays in its allocation, and the size of it all. */
struct layout {
	size_t slot;
	size_t rule;
	size_t block;
	size_t id;
	size_t off;
	size_t bytes;
};

static void layout_of(struct layout *l, u32 nr_slots, u32 nr_rules,
		      u32 nr_blocks, u32 nr_rows)
{
	l->slot = sizeof(struct sframe_table);
	l->rule = l->slot + (size_t)nr_slots * sizeof(u64);
	l->block = l->rule + (size_t)nr_rules * sizeof(struct sframe_rule);
	l->id = l->block + ((size_t)nr_blocks + 1) * sizeof(u32);
	l->off = l->id + (size_t)nr_rows * sizeof(u16);
	l->bytes = l->off + nr_rows;
}

/* Fill the block index and the offsets from the rows' addresses. */
static void fill_blocks(struct sframe_build *b, u32 *block, u8 *off,
			u32 nr_blocks)
{
	u32 i, row = 0;

	for (i = 0; i < nr_blocks; i++) {
		block[i] = row;
		for (; row < b->nr_rows &&
		     b->pc[row] >> SFRAME_BLOCK_SHIFT == i; row++)
			off[row] = b->pc[row];
		sframe_build_tick(b);
	}
	block[nr_blocks] = row;
}

/**
 * sframe_table_assemble() - make the table from the collected rows
 * @b: all rows and rules are there; the first row is at address 0
 * @table: the table
 *
 * Return: SFRAME_OK, SFRAME_TOO_BIG or SFRAME_NO_MEMORY.
 */
enum sframe_reason sframe_table_assemble(struct sframe_build *b,
					 struct sframe_table **table)
{
	u32 nr_blocks = (b->span + (1u << SFRAME_BLOCK_SHIFT) - 1) >>
			SFRAME_BLOCK_SHIFT;
	enum sframe_reason reason;
	struct sframe_table *t;
	struct layout l;
	u32 slots = 1;
	void *mem;
	u8 *p;

	while (slots < SFRAME_SLOTS_MAX &&
	       slots < b->nr_rows / SFRAME_SLOT_ROWS)
		slots *= 2;
	layout_of(&l, slots, b->nr_rules, nr_blocks, b->nr_rows);
	reason = sframe_build_alloc(b, l.bytes, &mem);
	if (reason)
		return reason;
	t = mem;
	p = mem;
	t->base = b->base;
	t->span = b->span;
	t->bytes = l.bytes;
	t->nr_rows = b->nr_rows;
	t->nr_rules = b->nr_rules;
	t->slot_mask = slots - 1;
	t->slot = (u64 *)(p + l.slot);
	t->rule = (struct sframe_rule *)(p + l.rule);
	t->block = (u32 *)(p + l.block);
	t->id = (u16 *)(p + l.id);
	t->off = p + l.off;
	memset(p + l.slot, 0, l.rule - l.slot);
	memcpy(p + l.rule, b->rule, l.block - l.rule);
	memcpy(p + l.id, b->id, l.off - l.id);
	fill_blocks(b, (u32 *)(p + l.block), p + l.off, nr_blocks);
	*table = t;
	return SFRAME_OK;
}
