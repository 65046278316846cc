// SPDX-License-Identifier: GPL-2.0
/*
 * libFuzzer's entry for .eh_frame: a table of it is sound and says what reading
 * all functions says, one that is merged says what its sources say, and a walk
 * by either ends.
 */
#include <sframe/sources.h>

#include "cfi.h"
#include "fuzz.h"
#include "fuzz_cfi.h"
#include "quirks.h"
#include "table_impl.h"

/* Functions whose surroundings are looked up. */
#define MAX_FDES	6

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

static struct sframe_cfi_rows rows;

/* Of the table being checked: functions are refused as they say nothing of their frames. */
static bool silent;

/* An FDE that has a place in the table? */
static bool read_fde(const struct input *in, const struct sframe_eh_frame *eh,
		     const struct sframe_cfi_entry *entry,
		     struct sframe_cfi_cie *cie, struct sframe_cfi_fde *fde)
{
	u64 at;

	if (entry->is_cie)
		return false;
	sframe_cfi_cie_read(eh, entry->cie_pos, &rows, cie);
	if (cie->reason || sframe_cfi_fde_read(eh, entry, cie, fde))
		return false;
	at = fde->start - in->text[0].vaddr;
	return at < in->text[0].size && fde->size <= in->text[0].size - at;
}

/* The last function that begins at or before @pc; of equals the last. */
static bool find_fde(const struct input *in, const struct sframe_eh_frame *eh,
		     u64 pc, struct sframe_cfi_entry *best)
{
	struct sframe_cfi_entry entry;
	struct sframe_cfi_cie cie;
	struct sframe_cfi_fde fde;
	u64 pos = 0, start = 0;
	bool found = false;

	while (!sframe_cfi_entry(eh, &pos, &entry)) {
		if (!read_fde(in, eh, &entry, &cie, &fde) || fde.start > pc ||
		    fde.start < start)
			continue;
		*best = entry;
		start = fde.start;
		found = true;
	}
	return found;
}

/* Behind the row of @rows that was read: does the function go on as StgRun() does? */
static bool before_stg_run(const struct input *in, const struct sframe_eh_frame *eh,
			   const struct sframe_cfi_fde *fde,
			   const struct sframe_cfi_entry *entry)
{
	struct sframe_cfi_entry other;
	struct sframe_cfi_row row;
	struct sframe_rule rule;

	return sframe_cfi_rows_next(&rows, &row) && !row.reason &&
	       sframe_cfi_rule(eh->abi, &rows.state, &rule) &&
	       sframe_quirk_stg_run(eh->abi, &rows.state) &&
	       find_fde(in, eh, fde->start + row.start, &other) &&
	       other.body.p == entry->body.p;
}

/* Are there functions of OCaml's, so that those which say nothing are not to be trusted? */
static bool has_ocaml(const struct input *in, const struct sframe_eh_frame *eh)
{
	struct sframe_cfi_entry entry;
	struct sframe_cfi_cie cie;
	struct sframe_cfi_fde fde;
	u64 pos = 0;

	while (!sframe_cfi_entry(eh, &pos, &entry)) {
		if (read_fde(in, eh, &entry, &cie, &fde) && sframe_quirk_is_ocaml(eh->abi, &fde))
			return true;
	}
	return false;
}

/* @got is what the table says. */
static struct sframe_rule naive(const struct input *in,
				const struct sframe_eh_frame *eh, u64 pc,
				const struct sframe_rule *got)
{
	struct sframe_rule gap = { .flags = SFRAME_RULE_NO_FDE }, rule;
	struct sframe_rule bad = { .flags = SFRAME_RULE_BAD };
	struct sframe_cfi_entry entry;
	struct sframe_cfi_cie cie;
	struct sframe_cfi_fde fde;
	struct sframe_cfi_row row;
	u8 plt_from;

	if (!find_fde(in, eh, pc, &entry) ||
	    !read_fde(in, eh, &entry, &cie, &fde) || pc - fde.start >= fde.size)
		return gap;
	if (sframe_cfi_silence(&fde) && has_ocaml(in, eh))
		return bad;
	sframe_cfi_rows_init(&rows, eh, &fde);
	do {
		MUST(sframe_cfi_rows_next(&rows, &row));
		MUST(row.end > row.start && row.end <= fde.size);
	} while (row.end <= pc - fde.start);
	MUST(row.start <= pc - fde.start);
	if (row.reason || sframe_cfi_rule(eh->abi, &rows.state, &rule))
		return bad;
	plt_from = sframe_cfi_plt(&rows.state, &rule);
	if (plt_from && pc % SFRAME_CFI_PLT_ENTRY >= plt_from)
		rule.cfa_off += 8;
	/* Where a PLT's comes before, that may be one row of the table, or several. */
	if (!row.start && before_stg_run(in, eh, &fde, &entry))
		return plt_from ? *got : bad;
	return rule;
}

static bool usable(const struct sframe_rule *rule)
{
	return !(rule->flags & (SFRAME_RULE_NO_FDE | SFRAME_RULE_BAD));
}

/* @first is NULL if there is no .sframe, or no table of it. */
static void check_pc(const struct input *in, const struct sframe_eh_frame *eh,
		     const struct sframe_table *first,
		     const struct sframe_table *table, u64 pc)
{
	const struct sframe_rule *got = sframe_table_lookup(table, pc);
	struct sframe_rule want = naive(in, eh, pc, got), other;

	MUST(sframe_table_recall(table, pc) == got);
	if (first) {
		other = *sframe_table_lookup(first, pc);
		if ((usable(&other) && !sframe_quirk_says_less(&other, &want) &&
		     !(silent && want.flags & SFRAME_RULE_BAD)) ||
		    (!usable(&want) && other.flags & SFRAME_RULE_BAD))
			want = other;
	}
	if (memcmp(got, &want, sizeof(want)))
		fprintf(stderr, "at %#llx\n", (unsigned long long)pc);
	MUST(!memcmp(got, &want, sizeof(want)));
}

/* Around some functions; a walk begins in one of them. */
static void check_functions(struct input *in, const struct sframe_eh_frame *eh,
			    const struct sframe_table *first,
			    const struct sframe_table *table)
{
	struct sframe_cfi_entry entry;
	struct sframe_cfi_cie cie;
	struct sframe_cfi_fde fde;
	u64 pos = 0;
	u32 n = 0;

	while (n < MAX_FDES && !sframe_cfi_entry(eh, &pos, &entry)) {
		if (!read_fde(in, eh, &entry, &cie, &fde))
			continue;
		check_pc(in, eh, first, table, fde.start - 1);
		check_pc(in, eh, first, table, fde.start);
		check_pc(in, eh, first, table, fde.start + fde.size / 2);
		check_pc(in, eh, first, table, fde.start +
			 in->knobs[KNOB_PC] % fde.size);
		check_pc(in, eh, first, table, fde.start + fde.size - 1);
		check_pc(in, eh, first, table, fde.start + fde.size);
		if (in->knobs[KNOB_PC] % MAX_FDES == n++)
			in->pc = fde.start + in->knobs[KNOB_RA] % fde.size;
	}
}

/* The section's bytes, over and over: more code than a table has rows for. */
static enum sframe_reason read_code(void *ctx, u64 offset, void *buf, unsigned int len)
{
	const struct input *in = ctx;
	u8 *to = buf;
	unsigned int i;

	for (i = 0; i < len; i++)
		to[i] = in->file[(offset + i) % in->file_len];
	return SFRAME_OK;
}

/* Is anything read of such code but what is there? */
static void check_code(struct input *in, const struct sframe_table *table)
{
	const struct sframe_segment text = { .vaddr = BARE_VA, .size = 1 << 20 };
	const struct sframe_sources src = {
		.abi = in->target->abi, .text = &text, .nr_text = 1,
		.read_code = read_code, .ctx = in,
	};
	bool keep;

	MUST(!sframe_gaps_keep_fp(&src, table, &keep));
}

static void check_all(struct input *in, const struct sframe_eh_frame *eh,
		      const struct sframe_table *first,
		      const struct sframe_table *table,
		      const struct sframe_skips *skips)
{
	silent = skips->count[SFRAME_CFI_SILENT];
	check_arrays(table);
	if (!skips->count[SFRAME_RULES_FULL] && !skips->count[SFRAME_TOO_BIG] &&
	    !skips->count[SFRAME_CFI_REPEAT])
		check_functions(in, eh, first, table);
	/* It takes most of the time, where it follows code, which is for code.c to try. */
	if (input_lot(in) == 1)
		check_walk(in, table);
	if (input_lot(in) == 2 && in->file_len)
		check_code(in, table);
}

/* What is allocated of a table, or of none. */
static long blocks(const struct sframe_table *table)
{
	return !table ? 0 : table->kept ? 2 : 1;
}

/* By itself, with little memory and allocations that fail. */
static void try_alone(struct input *in, const struct sframe_sources *src,
		      const struct sframe_eh_frame *eh)
{
	struct sframe_limits limits = {
		.table_bytes = 1 << 20,
		.build_bytes = 32768ul << (in->knobs[KNOB_MEMORY] & 7),
	};
	struct sframe_table *table = NULL;
	struct sframe_skips skips;
	enum sframe_reason reason;

	alloc_fail_at = in->knobs[KNOB_MEMORY] >> 6;
	reason = sframe_sources_build(src, &limits, &table, &skips);
	alloc_fail_at = 0;
	MUST(reason == SFRAME_OK || reason == SFRAME_NO_FUNCTIONS ||
	     reason == SFRAME_CFI_CIE || reason == SFRAME_TOO_BIG ||
	     reason == SFRAME_NO_MEMORY);
	MUST(!table == !!reason && alloc_live == blocks(table));
	if (!reason)
		check_all(in, eh, NULL, table, &skips);
	sframe_table_free(table);
}

/* Is .eh_frame refused as a whole, as its CIEs would be read too often? */
static bool takes_turns(struct sframe_sources src, const struct sframe_limits *limits)
{
	struct sframe_table *table = NULL;
	struct sframe_skips skips;
	enum sframe_reason reason;

	src.sframe.data = NULL;
	reason = sframe_sources_build(&src, limits, &table, &skips);
	sframe_table_free(table);
	return reason == SFRAME_CFI_CIE;
}

/* The same bytes as .sframe and .eh_frame; @other is what they were before. */
static void try_both(struct input *in, struct sframe_sources *src,
		     const struct sframe_eh_frame *eh, struct input *other)
{
	const struct sframe_limits limits = {
		.table_bytes = 8 << 20, .build_bytes = 32 << 20,
	};
	struct sframe_table *first = NULL, *table = NULL;
	struct sframe_skips skips;
	enum sframe_reason reason;

	if (sframe_table_build(&other->sec, in->text, 1, 32 << 20, &first,
			       &skips))
		return;
	src->sframe = (struct sframe_bytes){
		other->sec.data, other->sec.len, other->sec.va,
	};
	alloc_fail_at = in->knobs[KNOB_MEMORY] >> 6 ?
			in->knobs[KNOB_MEMORY] >> 4 : 0;
	reason = sframe_sources_build(src, &limits, &table, &skips);
	alloc_fail_at = 0;
	MUST(reason == SFRAME_OK || reason == SFRAME_NO_MEMORY);
	MUST(!table == !!reason && alloc_live == 1 + blocks(table));
	if (!reason && !(skips.count[SFRAME_CFI_CIE] && takes_turns(*src, &limits)))
		check_all(in, eh, first, table, &skips);
	sframe_free(first);
	sframe_table_free(table);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	struct input in, other = { 0 };
	struct sframe_eh_frame eh;
	struct sframe_sources src;
	uint8_t what;

	if (!input_begin(&in, data, len))
		return 0;
	what = in.knobs[KNOB_WHAT];
	if (!(what & CFI_RAW))
		cfi_shape(&in);
	src = (struct sframe_sources){
		.abi = in.target->abi,
		.swap = in.target->big_endian != SFRAME_MACHINE_BE,
		.eh_frame = { in.file, in.file_len, EH_VA },
		.eh_hdr_va = EH_HDR_VA,
		.text = in.text,
		.nr_text = 1,
	};
	eh = (struct sframe_eh_frame){
		.data = in.file, .len = in.file_len, .va = EH_VA,
		.hdr_va = EH_HDR_VA, .abi = src.abi, .swap = src.swap,
	};
	if (!(what & CFI_BOTH))
		try_alone(&in, &src, &eh);
	else if (input_section(&other, data, len))
		try_both(&in, &src, &eh, &other);
	MUST(!alloc_live);
	input_close(&other);
	input_close(&in);
	return 0;
}
