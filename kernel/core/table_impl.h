/* SPDX-License-Identifier: GPL-2.0 */
/* What the files that build tables share with each other and with nobody else. */
#ifndef SFRAME_TABLE_IMPL_H
#define SFRAME_TABLE_IMPL_H

#include <sframe/table.h>

#include "decode_impl.h"
#include "table_write.h"

/* Rows that may be read for all PCMASK functions together: enough for a PLT of 128k entries. */
#define SFRAME_REPEAT_ROWS_MAX	262144

/*
 * The block index takes 4 bytes for each 256 of text that functions span. So that a few
 * bytes of input cannot take megabytes: this much is free, and beyond it this many
 * bytes for each of the section's. GHC's programs have .eh_frame for C's functions
 * alone: pandoc 75 KB for 92 MB of text.
 */
#define SFRAME_INDEX_FREE	0x100000
#define SFRAME_INDEX_PER_BYTE	32

/* Steps between two calls of sframe_relax(). */
#define SFRAME_TICKS		4096

/* Entries of the cache of rules by the bytes of their rows. */
#define SFRAME_MEMO_SIZE	256

struct sframe_sources;

struct sframe_memo {
	u64 key;	/* 0: none */
	u16 id;
};

/* An entry of the list of functions in order of address. */
struct sframe_order {
	u64 start;
	u32 fde;
};

/**
 * struct sframe_build - a table being built
 * @sec: input
 * @text: executable segments
 * @nr_text: how many
 * @skips: counts what is left out
 * @avail: bytes that may still be allocated
 * @base: link-time address of the table's first block
 * @end: link-time address past the last function that was measured
 * @span: bytes from @base to the end of the last function
 * @nr_funcs: functions with a place in the table
 * @unsorted: their FDEs do not ascend
 * @max_rows: no more rows than this are collected
 * @order: the functions by address, if @unsorted
 * @scratch: one allocation that holds the arrays below
 * @rules: distinct rules; its arrays are in @scratch
 * @memo: rules of rows that were seen before, hashed
 * @pc: where each row begins, from @base
 * @id: index into @rules of each row
 * @nr_rows: entries in @pc and @id
 * @row_budget: rows that may still be read
 * @repeat_budget: rows that may still be read for PCMASK functions
 * @distrust_plt: version 1's PLT data is known to be wrong in this section
 * @ticks: counts towards the next sframe_relax()
 */
struct sframe_build {
	const struct sframe_section *sec;
	const struct sframe_segment *text;
	unsigned int nr_text;
	struct sframe_skips *skips;
	size_t avail;
	u64 base;
	u64 end;
	u64 span;
	u32 nr_funcs;
	bool unsorted;
	bool distrust_plt;
	u64 max_rows;
	struct sframe_order *order;
	void *scratch;
	struct sframe_rule_set rules;
	struct sframe_memo *memo;
	u32 *pc;
	u16 *id;
	u32 nr_rows;
	u32 row_budget;
	u32 repeat_budget;
	u32 ticks;
};

/* To be called in each step of a long loop: lets others run every SFRAME_TICKS steps. */
static inline void sframe_tick(u32 *ticks)
{
	if (unlikely(++*ticks % SFRAME_TICKS == 0))
		sframe_relax();
}

/* How many blocks @span bytes are cut into. */
static inline u32 sframe_nr_blocks(u64 span)
{
	return (span + (1u << SFRAME_BLOCK_SHIFT) - 1) >> SFRAME_BLOCK_SHIFT;
}

/* Fill in @row: it begins at byte @off of its block, with rule @id. */
static inline void sframe_table_set_row(struct sframe_table *table, u32 row,
					u8 off, u16 id)
{
	((u8 *)table->off)[row] = off;
	((u8 *)table->id)[row] = id;
	if (unlikely(table->id_high))
		((u8 *)table->id_high)[row] = id >> 8;
}

enum sframe_reason sframe_alloc_within(size_t *avail, size_t bytes, void **mem);
enum sframe_reason sframe_table_alloc(u64 span, u32 nr_rows,
				      const struct sframe_rule_set *rules,
				      size_t *avail, struct sframe_table **table);
enum sframe_reason sframe_table_merge(const struct sframe_table *first,
				      const struct sframe_table *second,
				      size_t max_bytes,
				      struct sframe_table **table,
				      struct sframe_skips *skips);
bool sframe_in_text(const struct sframe_segment *text, unsigned int nr_text,
		    u64 start, u64 size);
bool sframe_index_too_big(u64 span, u64 len);
enum sframe_reason sframe_table_assemble(struct sframe_build *b,
					 struct sframe_table **table);
enum sframe_reason sframe_rows_prepare(struct sframe_build *b);
void sframe_rows_collect(struct sframe_build *b, const struct sframe_fde *fde,
			 enum sframe_reason refused, u32 len);
u32 sframe_rows_period(const struct sframe_build *b,
		       const struct sframe_fde *fde);

enum sframe_reason sframe_gaps_keep_fp(const struct sframe_sources *src,
				       const struct sframe_table *table, bool *keep);

#endif /* SFRAME_TABLE_IMPL_H */
