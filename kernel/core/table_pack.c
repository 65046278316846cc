// SPDX-License-Identifier: GPL-2.0
/* Packs rows into one allocation, in the form that is looked up (sframe/table.h). */
#include "table_impl.h"

/**
 * sframe_in_text() - does a function lie inside one executable segment?
 * @text: the segments
 * @nr_text: how many
 * @start: link-time address of the function
 * @size: its bytes
 *
 * Context: Any.
 * Return: true if it does.
 */
bool sframe_in_text(const struct sframe_segment *text, unsigned int nr_text,
		    u64 start, u64 size)
{
	unsigned int i;

	for (i = 0; i < nr_text; i++) {
		u64 at = start - text[i].vaddr;

		if (at < text[i].size && size <= text[i].size - at)
			return true;
	}
	return false;
}

/**
 * sframe_index_too_big() - is the block index out of proportion?
 * @span: bytes of text from the first function to the end of the last
 * @len: bytes of the section that describes them
 *
 * Context: Any.
 * Return: true if a table of so few functions in so much text is refused.
 */
bool sframe_index_too_big(u64 span, u64 len)
{
	u64 index = (span >> SFRAME_BLOCK_SHIFT) * sizeof(u32);

	return span > ~0u || (index > SFRAME_INDEX_FREE &&
			      index / SFRAME_INDEX_PER_BYTE > len);
}

/* Offsets of a table's arrays in its allocation, and the size of it all. */
struct layout {
	size_t slot;
	size_t rule;
	size_t block;
	size_t id;
	size_t id_high;
	size_t off;
	size_t bytes;
};

static void lay_out_table(struct layout *l, u32 nr_slots, u32 nr_rules,
			  u32 nr_blocks, u32 nr_rows)
{
	l->slot = sizeof(struct sframe_table);
	l->rule = l->slot + (size_t)nr_slots * sizeof(u64);
	l->block = l->rule + (size_t)nr_rules * sizeof(struct sframe_rule);
	l->id = l->block + ((size_t)nr_blocks + 1) * sizeof(u32);
	l->id_high = l->id + nr_rows;
	l->off = l->id_high + (nr_rules > SFRAME_NARROW_RULES ? nr_rows : 0);
	l->bytes = l->off + nr_rows;
}

/**
 * sframe_alloc_within() - allocate within a limit
 * @avail: bytes that may be allocated; what is taken is subtracted
 * @bytes: how many
 * @mem: uninitialised memory
 *
 * Context: May sleep.
 * Return: SFRAME_OK, SFRAME_TOO_BIG or SFRAME_NO_MEMORY.
 */
enum sframe_reason sframe_alloc_within(size_t *avail, size_t bytes, void **mem)
{
	if (bytes > *avail)
		return SFRAME_TOO_BIG;
	*mem = sframe_alloc(bytes);
	if (!*mem)
		return SFRAME_NO_MEMORY;
	*avail -= bytes;
	return SFRAME_OK;
}

/**
 * sframe_table_alloc() - allocate a table, and fill in all but its rows
 * @span: bytes that it covers; its base, blocks, identifiers and offsets are not set
 * @nr_rows: entries in its identifiers and offsets
 * @rules: its rules, which are copied
 * @avail: bytes that may be allocated
 * @table: the table
 *
 * Context: May sleep.
 * Return: SFRAME_OK, SFRAME_TOO_BIG or SFRAME_NO_MEMORY.
 */
enum sframe_reason sframe_table_alloc(u64 span, u32 nr_rows,
				      const struct sframe_rule_set *rules,
				      size_t *avail, struct sframe_table **table)
{
	enum sframe_reason reason;
	struct sframe_table *t;
	struct layout l;
	u32 bits = SFRAME_SLOT_BITS_MIN;
	void *mem;
	u8 *p;

	while (bits < SFRAME_SLOT_BITS_MAX &&
	       1u << bits < nr_rows / SFRAME_SLOT_ROWS)
		bits++;
	lay_out_table(&l, 1u << bits, rules->nr, sframe_nr_blocks(span), nr_rows);
	reason = sframe_alloc_within(avail, l.bytes, &mem);
	if (reason)
		return reason;
	t = mem;
	p = mem;
	t->span = span;
	t->bytes = l.bytes;
	t->nr_rows = nr_rows;
	t->nr_rules = rules->nr;
	t->slot_shift = 32 - bits;
	t->slot = (u64 *)(p + l.slot);
	t->rule = (struct sframe_rule *)(p + l.rule);
	t->block = (u32 *)(p + l.block);
	t->id = p + l.id;
	t->id_high = l.off > l.id_high ? p + l.id_high : NULL;
	t->off = p + l.off;
	t->kept = NULL;
	t->kept_reg = 0;
	memset(p + l.slot, 0, l.rule - l.slot);
	memcpy(p + l.rule, rules->rule, l.block - l.rule);
	*table = t;
	return SFRAME_OK;
}

/* Fill the block index and all rows. */
static void fill_blocks(struct sframe_build *b, struct sframe_table *t)
{
	u8 *off = (u8 *)t->off, *id = (u8 *)t->id, *id_high = (u8 *)t->id_high;
	const u32 nr_rows = b->nr_rows, nr_blocks = sframe_nr_blocks(b->span);
	const u32 *pc = b->pc;
	const u16 *from = b->id;
	u32 *block = (u32 *)t->block;
	u32 i, row = 0;

	for (i = 0; i < nr_blocks; i++) {
		block[i] = row;
		for (; row < nr_rows && pc[row] >> SFRAME_BLOCK_SHIFT == i; row++) {
			off[row] = pc[row];
			id[row] = from[row];
			if (id_high)
				id_high[row] = from[row] >> 8;
		}
		sframe_tick(&b->ticks);
	}
	block[nr_blocks] = row;
}

/**
 * sframe_table_assemble() - make the table from the rows that were collected
 * @b: all rows and rules are there; the first row is at address 0
 * @table: the table
 *
 * Context: May sleep.
 * Return: SFRAME_OK, SFRAME_TOO_BIG or SFRAME_NO_MEMORY.
 */
enum sframe_reason sframe_table_assemble(struct sframe_build *b,
					 struct sframe_table **table)
{
	enum sframe_reason reason;
	struct sframe_table *t;

	reason = sframe_table_alloc(b->span, b->nr_rows, &b->rules, &b->avail,
				    &t);
	if (reason)
		return reason;
	t->base = b->base;
	fill_blocks(b, t);
	*table = t;
	return SFRAME_OK;
}
