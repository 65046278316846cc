// SPDX-License-Identifier: GPL-2.0
/*
 * The lookup in a finished table, which is all that runs in NMI. The format is
 * described in sframe/table.h; tables are made by table_build.c, table_rows.c and
 * table_pack.c, or by table_write.c.
 */
#include <sframe/table.h>

/*
 * The number of the rule for @at, an offset from the table's base that is inside the
 * table. One word finds the rows of the address's block, then a binary search without
 * unpredictable branches the last one that begins at or before the address. If none
 * does, the row before the block's first still holds.
 */
static __always_inline u32 rule_id_at(const struct sframe_table *table, u64 at)
{
	const u32 *block = &table->block[at >> SFRAME_BLOCK_SHIFT];
	const u8 *off = table->off;
	size_t row = block[0];
	size_t len, half, next;
	u8 key = at;

	for (len = block[1] - row; len; len -= half) {
		half = (len + 1) / 2;
		next = row + half;
		/* Meant to become a conditional move. */
		row = off[next - 1] <= key ? next : row;
	}
	return sframe_table_id(table, row - 1);
}

/**
 * sframe_table_lookup() - find the rule for an address
 * @table: the file's table
 * @pc: link-time address
 *
 * Context: Any, NMI too.
 * Return: the rule, as long-lived as @table. Never NULL: outside all functions
 *	it says SFRAME_RULE_NO_FDE, where a row was refused SFRAME_RULE_BAD.
 */
const struct sframe_rule *
sframe_table_lookup(const struct sframe_table *table, u64 pc)
{
	u64 at = pc - table->base;

	return &table->rule[at < table->span ? rule_id_at(table, at) :
					       SFRAME_ID_GAP];
}

/**
 * sframe_table_remember() - find the rule for an address that its slot does not hold,
 *	and put it there
 * @table: the file's table
 * @at: the address, from @table's base on
 * @slot: the address's slot; left alone if the address lies outside the table, as it
 *	may be too large for the slot, and then be taken for one inside
 *
 * Context: Any, NMI too.
 * Return: as sframe_table_lookup().
 */
const struct sframe_rule *
sframe_table_remember(const struct sframe_table *table, u64 at, u64 *slot)
{
	u32 id;

	if (unlikely(at >= table->span))
		return &table->rule[SFRAME_ID_GAP];
	id = rule_id_at(table, at);
	sframe_store(slot, (at + 1) << 16 | id);
	return &table->rule[id];
}
