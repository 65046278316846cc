// SPDX-License-Identifier: GPL-2.0
/*
 * From .eh_frame to a table. The functions, in order of address (cfi_order.c), are read
 * twice: to count rows and collect rules, then to write them (table_write.h).
 */
#include "cfi_build.h"
#include "quirks.h"

/* Rows that PLT expressions may add in a file: enough for 128k entries. */
#define PLT_ROWS_MAX	SFRAME_REPEAT_ROWS_MAX

/* Number a row's rule; counts if there are too many. */
static u16 number_row_rule(struct sframe_cfi_build *b, const struct sframe_rule *rule)
{
	u16 id = sframe_writer_rule(&b->writer, rule);

	if (unlikely(id == SFRAME_ID_BAD))
		sframe_cfi_count(b, SFRAME_RULES_FULL);
	return id;
}

/* Write a PLT from @at to @end: two rows for each entry. */
static void write_plt_rows(struct sframe_cfi_build *b, struct sframe_rule *rule,
			   u8 plt_from, u64 at, u64 end)
{
	u16 before = number_row_rule(b, rule), from;

	rule->cfa_off += sizeof(u64);
	from = number_row_rule(b, rule);
	while (at < end) {
		u64 place = at % SFRAME_CFI_PLT_ENTRY;
		bool pushed = place >= plt_from;

		if (!b->plt_rows) {
			sframe_writer_add(&b->writer, at, SFRAME_ID_BAD);
			sframe_cfi_count(b, SFRAME_CFI_REPEAT);
			return;
		}
		b->plt_rows--;
		sframe_writer_add(&b->writer, at, pushed ? from : before);
		at += (pushed ? SFRAME_CFI_PLT_ENTRY : plt_from) - place;
	}
}

/* The place for the rule of a state, which may hold another one's. */
static struct sframe_cfi_memo *memo_of_state(struct sframe_cfi_build *b,
					     const struct sframe_cfi_state *s)
{
	u64 word[sizeof(*s) / sizeof(u64)], h;

	memcpy(word, s, sizeof(*s));
	h = word[0] * 3 + word[1] * 5 + word[2] * 7 + word[3] + word[4];
	return &b->memo[h * 0x9e3779b97f4a7c15ull >> 56];
}

/*
 * Write a row whose state's rule is not at @memo. The function begins at @start, and
 * @len of its bytes are no later function's.
 */
static void write_new_state_row(struct sframe_cfi_build *b, struct sframe_cfi_memo *memo,
				u64 start, const struct sframe_cfi_row *row, u64 len)
{
	u64 at = start + row->start, end = start + (row->end < len ? row->end : len);
	const struct sframe_cfi_state *state = &b->rows.state;
	enum sframe_reason reason;
	struct sframe_rule rule;
	u16 id = SFRAME_ID_BAD;
	u8 plt_from;

	reason = sframe_cfi_rule(b->eh->abi, state, &rule);
	sframe_cfi_count(b, reason);
	if (reason && row->start && b->writer.pc == start &&
	    sframe_quirk_stg_run(b->eh->abi, state))
		sframe_writer_add(&b->writer, start, SFRAME_ID_BAD);
	if (!reason) {
		plt_from = sframe_cfi_plt(state, &rule);
		if (plt_from) {
			write_plt_rows(b, &rule, plt_from, at, end);
			return;
		}
		id = number_row_rule(b, &rule);
	}
	if (id != SFRAME_ID_BAD) {
		memo->state = *state;
		memo->id = id;
	}
	sframe_writer_add(&b->writer, at, id);
}

/* Write a function's rows; @len of its bytes are no later function's. */
static void write_function_rows(struct sframe_cfi_build *b,
				const struct sframe_cfi_fde *fde, u64 len)
{
	u64 start = fde->start - b->writer.base;
	struct sframe_cfi_row row;
	struct sframe_cfi_memo *memo;

	if (b->ocaml && sframe_cfi_silence(fde)) {
		sframe_cfi_count(b, SFRAME_CFI_SILENT);
		sframe_writer_add(&b->writer, start, SFRAME_ID_BAD);
		sframe_writer_add(&b->writer, start + len, SFRAME_ID_GAP);
		return;
	}
	sframe_cfi_rows_init(&b->rows, b->eh, fde);
	while (sframe_cfi_rows_next(&b->rows, &row) && row.start < len) {
		sframe_tick(&b->ticks);
		if (unlikely(row.reason)) {
			sframe_cfi_count(b, row.reason);
			sframe_writer_add(&b->writer, start + row.start,
					  SFRAME_ID_BAD);
			break;
		}
		memo = memo_of_state(b, &b->rows.state);
		if (likely(memo->id && !memcmp(&memo->state, &b->rows.state,
					       sizeof(memo->state))))
			sframe_writer_add(&b->writer, start + row.start,
					  memo->id);
		else
			write_new_state_row(b, memo, start, &row, len);
	}
	if (b->rows.skip != row.reason)
		sframe_cfi_count(b, b->rows.skip);
	sframe_writer_add(&b->writer, start + len, SFRAME_ID_GAP);
}

/*
 * Write all functions, each up to where the next one begins. Fails if CIEs are read too often.
 * What is left out is counted in the first of two rounds.
 */
static enum sframe_reason write_all_functions(void *ctx, bool first)
{
	struct sframe_cfi_build *b = ctx;
	struct sframe_cfi_entry entry;
	struct sframe_cfi_fde fde;
	u64 len, pos;
	u32 i;

	if (!first)
		b->skips = NULL;
	b->plt_rows = PLT_ROWS_MAX;
	for (i = 0; i < b->nr && !sframe_cfi_reads_too_much(b); i++) {
		/* Even if all functions begin at one address: then none but the last has rows. */
		sframe_tick(&b->ticks);
		pos = b->order[i].pos;
		if (sframe_cfi_entry(b->eh, &pos, &entry) ||
		    sframe_cfi_fde_of(b, &entry, &fde))
			continue;
		len = fde.size;
		if (i + 1 < b->nr &&
		    len > b->order[i + 1].start - b->order[i].start) {
			len = b->order[i + 1].start - b->order[i].start;
			sframe_cfi_count(b, SFRAME_CFI_OVERLAP);
		}
		if (len)
			write_function_rows(b, &fde, len);
	}
	return i < b->nr ? SFRAME_CFI_CIE : SFRAME_OK;
}

static enum sframe_reason build_cfi_table(struct sframe_cfi_build *b,
					  struct sframe_table **table)
{
	const u64 mask = (1ull << SFRAME_BLOCK_SHIFT) - 1;
	enum sframe_reason reason = sframe_cfi_order(b);
	u64 base;

	if (reason)
		return reason;
	base = (b->low + b->order[0].start) & ~mask;
	return sframe_writer_run(&b->writer, base, b->end - base, b->len, &b->avail,
				 write_all_functions, b, table);
}

enum sframe_reason sframe_cfi_table_build(const struct sframe_eh_frame *eh,
					  const struct sframe_segment *text,
					  unsigned int nr_text,
					  size_t max_bytes,
					  struct sframe_table **table,
					  struct sframe_skips *skips)
{
	enum sframe_reason reason;
	struct sframe_cfi_build *b;
	void *mem;

	reason = sframe_alloc_within(&max_bytes, sizeof(*b), &mem);
	if (reason)
		return reason;
	b = mem;
	memset(b, 0, sizeof(*b));
	b->eh = eh;
	b->text = text;
	b->nr_text = nr_text;
	b->avail = max_bytes;
	b->skips = skips;
	reason = build_cfi_table(b, table);
	sframe_free(b->order);
	sframe_free(b);
	return reason;
}
