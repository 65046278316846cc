/* SPDX-License-Identifier: GPL-2.0 */
/*
 * One file's rules, in the form that is looked up: immutable, validated,
 * private, and independent of the version they came in.
 *
 * The covered text is cut into blocks of 256 bytes. Row i begins at byte
 * off[i] of its block and holds until row i + 1; rule[id[i]] applies there.
 * block[b] is the first row that begins in block b (block[nr_blocks] ends the
 * list), so a lookup reads one block word, the few offsets of that block, one
 * id and one rule. A gap between functions is a row too.
 */
#ifndef SFRAME_TABLE_H
#define SFRAME_TABLE_H

#include <sframe/decode.h>
#include <sframe/elf.h>

#define SFRAME_BLOCK_SHIFT	8

/**
 * struct sframe_table - see above; one allocation, freed with sframe_free()
 * @base: link-time address of block 0, a multiple of the block size
 * @span: bytes covered from @base; every address beyond is a gap
 * @bytes: size of the allocation
 * @nr_rows: entries in @id and @off
 * @nr_rules: entries in @rule
 * @rule: the distinct rules; [0] is the gap, [1] the refused row
 * @block: first row of each block, and one past the last
 * @id: index into @rule per row
 * @off: offset in its block per row
 */
struct sframe_table {
	u64 base;
	u64 span;
	size_t bytes;
	u32 nr_rows;
	u32 nr_rules;
	const struct sframe_rule *rule;
	const u32 *block;
	const u16 *id;
	const u8 *off;
};

/*
 * sframe_table_build(): convert @sec. Functions must lie inside one of the
 * @nr_text segments of @text (link-time addresses). At most @max_bytes are
 * allocated at any time. Sets @skips to what was left out. May sleep.
 * Returns SFRAME_OK and the table, or SFRAME_NO_FUNCTIONS, SFRAME_TOO_BIG,
 * SFRAME_NO_MEMORY.
 *
 * sframe_table_lookup(): the rule for link-time address @pc; never NULL, the
 * result lives as long as the table; look at its flags. Any context, NMI too.
 */
enum sframe_reason sframe_table_build(const struct sframe_section *sec,
				      const struct sframe_segment *text,
				      unsigned int nr_text, size_t max_bytes,
				      struct sframe_table **table,
				      struct sframe_skips *skips);
const struct sframe_rule *
sframe_table_lookup(const struct sframe_table *table, u64 pc);

#endif /* SFRAME_TABLE_H */
