// SPDX-License-Identifier: GPL-2.0
/*
 * One table from a file's .sframe, .eh_frame and .gopclntab: builds a table from each,
 * and merges them (table_merge.c). See sframe/sources.h.
 */
#include <sframe/sources.h>

#include "table_impl.h"

/* The sources, in the order in which they are believed. */
enum source {
	FROM_SFRAME,
	FROM_EH_FRAME,
	FROM_GOPCLNTAB,
	NR_SOURCES,
};

/*
 * The second table (sframe_table.kept) is made only if .eh_frame is no longer than
 * this: what needs it, the dynamic linker, is small.
 */
#define KEPT_SECTION_MAX	0x10000

/**
 * struct build - a table being built
 * @src: what it is made from
 * @limits: what it may cost
 * @skips: counts what is left out
 * @table: the table of each source, or NULL
 */
struct build {
	const struct sframe_sources *src;
	const struct sframe_limits *limits;
	struct sframe_skips *skips;
	struct sframe_table *table[NR_SOURCES];
};

/* Bytes that may be allocated beside the tables that are there already. */
static size_t build_room_left(const struct build *b)
{
	size_t used = 0;
	int i;

	for (i = 0; i < NR_SOURCES; i++)
		used += b->table[i] ? b->table[i]->bytes : 0;
	return used < b->limits->build_bytes ? b->limits->build_bytes - used : 0;
}

/* Free a table that is too large by itself. */
static enum sframe_reason check_table_size(const struct build *b,
					   struct sframe_table **table)
{
	if ((*table)->bytes <= b->limits->table_bytes)
		return SFRAME_OK;
	sframe_free(*table);
	*table = NULL;
	return SFRAME_TOO_BIG;
}

static enum sframe_reason build_sframe(struct build *b)
{
	const struct sframe_sources *src = b->src;
	struct sframe_section sec;
	enum sframe_reason reason;

	if (!src->sframe.data)
		return SFRAME_NO_SFRAME;
	reason = sframe_section_init(&sec, src->abi, src->sframe.data,
				     src->sframe.len, src->sframe.va, src->swap);
	if (!reason)
		reason = sframe_table_build(&sec, src->text, src->nr_text,
					    build_room_left(b), &b->table[FROM_SFRAME],
					    b->skips);
	return reason ? reason : check_table_size(b, &b->table[FROM_SFRAME]);
}

#if SFRAME_HAS_EH_FRAME
/* Build a table from .eh_frame for @abi; at most @max_bytes are allocated. */
static enum sframe_reason build_cfi_table(const struct build *b,
					  const struct sframe_abi *abi,
					  size_t max_bytes,
					  struct sframe_skips *skips,
					  struct sframe_table **table)
{
	const struct sframe_sources *src = b->src;
	const struct sframe_eh_frame eh = {
		.data = src->eh_frame.data,
		.len = src->eh_frame.len,
		.va = src->eh_frame.va,
		.hdr_va = src->eh_hdr_va,
		.abi = abi,
		.swap = src->swap,
	};

	return sframe_cfi_table_build(&eh, src->text, src->nr_text, max_bytes,
				      table, skips);
}

static enum sframe_reason build_eh_frame(struct build *b)
{
	enum sframe_reason reason;

	if (!b->src->eh_frame.data)
		return SFRAME_NO_EH_FRAME;
	reason = build_cfi_table(b, b->src->abi, build_room_left(b), b->skips,
				 &b->table[FROM_EH_FRAME]);
	return reason ? reason : check_table_size(b, &b->table[FROM_EH_FRAME]);
}

static enum sframe_reason build_gopclntab(struct build *b)
{
	const struct sframe_sources *src = b->src;
	const struct sframe_gopclntab go = {
		.data = src->gopclntab.data,
		.len = src->gopclntab.len,
		.text = src->go_text,
		.abi = src->abi,
		.swap = src->swap,
	};
	enum sframe_reason reason;

	if (!src->gopclntab.data)
		return SFRAME_NO_GOPCLNTAB;
	reason = sframe_gopclntab_build(&go, src->text, src->nr_text, build_room_left(b),
					&b->table[FROM_GOPCLNTAB], b->skips);
	return reason ? reason : check_table_size(b, &b->table[FROM_GOPCLNTAB]);
}

/*
 * A register that some rule's CFA depends on, and that functions keep for their
 * callers; 0: none.
 */
static u8 find_needed_reg(const struct sframe_table *table, u32 kept_regs)
{
	u32 i;
	u8 reg;

	for (i = 0; i < table->nr_rules; i++) {
		reg = table->rule[i].cfa & SFRAME_LOC_REG_MASK;
		if (sframe_rule_by_go(&table->rule[i]))
			continue;
		if (table->rule[i].cfa & SFRAME_LOC_REG && kept_regs & 1u << reg)
			return reg;
	}
	return 0;
}

/*
 * The dynamic linker, when it binds a function, aligns the stack and finds the CFA by a
 * register that its callees save. Build a second table that says where they do. Why
 * functions are left out of it is not counted.
 */
static enum sframe_reason build_kept_table(const struct build *b,
					   struct sframe_table *table)
{
	u8 reg = find_needed_reg(table, b->src->abi->kept_regs);
	size_t most = b->limits->build_bytes;
	struct sframe_table *kept;
	enum sframe_reason reason;
	struct sframe_abi abi;

	if (!reg || !b->src->eh_frame.data ||
	    b->src->eh_frame.len > KEPT_SECTION_MAX || most < table->bytes)
		return SFRAME_OK;
	abi = *b->src->abi;
	abi.fp_reg = reg;
	reason = build_cfi_table(b, &abi, most - table->bytes, NULL, &kept);
	if (reason)
		return reason == SFRAME_NO_MEMORY ? reason : SFRAME_OK;
	if (table->bytes + kept->bytes > b->limits->table_bytes) {
		sframe_free(kept);
		return SFRAME_OK;
	}
	table->bytes += kept->bytes;
	table->kept = kept;
	table->kept_reg = reg;
	return SFRAME_OK;
}
#else
static enum sframe_reason build_kept_table(const struct build *b,
					   struct sframe_table *table)
{
	return SFRAME_OK;
}

static enum sframe_reason build_eh_frame(struct build *b)
{
	return SFRAME_NO_EH_FRAME;
}

static enum sframe_reason build_gopclntab(struct build *b)
{
	return SFRAME_NO_GOPCLNTAB;
}
#endif

/*
 * Merge @second into @first, which is believed first. If both together cost too much,
 * @first stays.
 */
static enum sframe_reason merge_two_tables(struct build *b, struct sframe_table **first,
					   struct sframe_table **second)
{
	struct sframe_table *both;
	enum sframe_reason reason;

	reason = sframe_table_merge(*first, *second, build_room_left(b), &both, b->skips);
	if (!reason)
		reason = check_table_size(b, &both);
	if (reason == SFRAME_TOO_BIG) {
		b->skips->count[reason]++;
		return SFRAME_OK;
	}
	if (reason)
		return reason;
	sframe_free(*first);
	*first = both;
	return SFRAME_OK;
}

/* Merge the tables that there are. */
static enum sframe_reason merge_all_tables(struct build *b, struct sframe_table **table)
{
	enum sframe_reason reason = SFRAME_OK;
	struct sframe_table **first = NULL;
	int i;

	for (i = 0; !reason && i < NR_SOURCES; i++) {
		if (!b->table[i])
			continue;
		if (!first) {
			first = &b->table[i];
			continue;
		}
		reason = merge_two_tables(b, first, &b->table[i]);
		sframe_free(b->table[i]);
		b->table[i] = NULL;
	}
	if (!reason) {
		*table = *first;
		*first = NULL;
	}
	return reason;
}

/* Why there is no table: the reason of the first source that the file has. */
static enum sframe_reason why_no_table(const struct build *b,
				       const enum sframe_reason *reason)
{
	if (reason[FROM_SFRAME] != SFRAME_NO_SFRAME)
		return reason[FROM_SFRAME];
	if (b->src->eh_frame.data)
		return reason[FROM_EH_FRAME];
	return b->src->gopclntab.data ? reason[FROM_GOPCLNTAB] :
					reason[FROM_SFRAME];
}

static enum sframe_reason build_each_source(struct build *b, struct sframe_table **table)
{
	static enum sframe_reason (*const from[])(struct build *b) = {
		[FROM_SFRAME]		= build_sframe,
		[FROM_EH_FRAME]		= build_eh_frame,
		[FROM_GOPCLNTAB]	= build_gopclntab,
	};
	/* That a file lacks a source is no failure. */
	static const enum sframe_reason none[] = {
		[FROM_SFRAME]		= SFRAME_NO_SFRAME,
		[FROM_EH_FRAME]		= SFRAME_NO_EH_FRAME,
		[FROM_GOPCLNTAB]	= SFRAME_NO_GOPCLNTAB,
	};
	enum sframe_reason reason[NR_SOURCES];
	bool any = false;
	int i;

	for (i = 0; i < NR_SOURCES; i++) {
		reason[i] = from[i](b);
		if (reason[i] == SFRAME_NO_MEMORY)
			return reason[i];
		any |= !reason[i];
	}
	if (!any)
		return why_no_table(b, reason);
	for (i = 0; i < NR_SOURCES; i++)
		if (reason[i] && reason[i] != none[i])
			b->skips->count[reason[i]]++;
	return merge_all_tables(b, table);
}

/* Say in the rule of gaps whether functions there keep frame pointers. */
static enum sframe_reason look_at_gaps(const struct sframe_sources *src,
				       struct sframe_table *table)
{
	struct sframe_rule *gap = (struct sframe_rule *)&table->rule[SFRAME_ID_GAP];
	enum sframe_reason reason;
	bool keep;

	reason = sframe_gaps_keep_fp(src, table, &keep);
	if (keep)
		*gap = sframe_gap_rule_by_fp();
	return reason;
}

enum sframe_reason sframe_sources_build(const struct sframe_sources *src,
					const struct sframe_limits *limits,
					struct sframe_table **table,
					struct sframe_skips *skips)
{
	struct build b = {
		.src = src,
		.limits = limits,
		.skips = skips,
	};
	enum sframe_reason reason;
	int i;

	memset(skips, 0, sizeof(*skips));
	reason = build_each_source(&b, table);
	for (i = 0; i < NR_SOURCES; i++)
		sframe_free(b.table[i]);
	if (reason)
		return reason;
	reason = build_kept_table(&b, *table);
	if (!reason)
		reason = look_at_gaps(src, *table);
	if (reason) {
		sframe_table_free(*table);
		*table = NULL;
	}
	return reason;
}
