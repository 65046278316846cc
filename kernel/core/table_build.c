// SPDX-License-Identifier: GPL-2.0
/*
 * From .sframe to a table: measure the functions, put them in order, collect their rows
 * (table_rows.c), pack those (table_pack.c). Work and memory are linear in the
 * section's bytes, whatever its counts say.
 */
#include <sframe/format.h>

#include "quirks.h"
#include "table_impl.h"

/*
 * Read function @i. Returns false, and @reason, if it has no place in the table. If it
 * has one, but its rows cannot be used, @reason says why.
 */
static bool read_function(const struct sframe_build *b, u32 i,
			  struct sframe_fde *fde, enum sframe_reason *reason)
{
	*reason = sframe_fde_get(b->sec, i, fde);
	if (!fde->size) {
		*reason = SFRAME_FDE_EMPTY;
		return false;
	}
	if (!sframe_in_text(b->text, b->nr_text, fde->start, fde->size)) {
		*reason = SFRAME_FDE_RANGE;
		return false;
	}
	if (b->distrust_plt && !*reason && sframe_quirk_plt_v1(b->sec, fde))
		*reason = SFRAME_FDE_PLT;
	return true;
}

/* Rows that a function whose rows repeat may add, with a gap in each period. */
static u64 repeat_rows(const struct sframe_fde *fde)
{
	u32 rows = fde->num_rows < fde->rep_size ? fde->num_rows :
						   fde->rep_size;

	return ((u64)fde->size / fde->rep_size + 1) * (rows + 1);
}

/* Sums over all functions. */
struct measure {
	u64 rows;
	u64 repeated;
	u64 prev;
	u32 plts;
	u32 plt0s;
};

static void measure_function(struct sframe_build *b, struct measure *m,
			     const struct sframe_fde *fde,
			     enum sframe_reason refused)
{
	if (fde->start < m->prev)
		b->unsorted = true;
	m->prev = fde->start;
	if (!b->nr_funcs || fde->start < b->base)
		b->base = fde->start;
	if (fde->start + fde->size > b->end)
		b->end = fde->start + fde->size;
	b->nr_funcs++;
	if (!refused && sframe_quirk_plt_v1(b->sec, fde)) {
		m->plts++;
		m->plt0s += !fde->pcmask;
	}
	if (refused)
		b->skips->count[refused]++;
	else if (sframe_rows_period(b, fde) != fde->size)
		m->repeated += repeat_rows(fde);
	else
		m->rows += fde->num_rows;
}

/*
 * Find out how many functions there are, in what order, where, and how many rows they
 * can add at most: no more are read than the row area can hold, and each function may
 * add a gap before and behind it.
 */
static enum sframe_reason measure_all_functions(struct sframe_build *b)
{
	const u32 budget = b->sec->fre_len / SFRAME_ROW_MIN_SIZE;
	enum sframe_reason reason;
	struct measure m = { 0 };
	struct sframe_fde fde;
	u32 i;

	for (i = 0; i < b->sec->num_fdes; i++) {
		sframe_tick(&b->ticks);
		if (read_function(b, i, &fde, &reason))
			measure_function(b, &m, &fde, reason);
		else
			b->skips->count[reason]++;
	}
	if (!b->nr_funcs)
		return SFRAME_NO_FUNCTIONS;
	if (m.plt0s > 1) {
		b->distrust_plt = true;
		b->skips->count[SFRAME_FDE_PLT] = m.plts;
	}
	b->base &= ~((1ull << SFRAME_BLOCK_SHIFT) - 1);
	if (sframe_index_too_big(b->end - b->base, b->sec->len))
		return SFRAME_TOO_BIG;
	if (m.rows > budget)
		m.rows = budget;
	if (m.repeated > 2 * SFRAME_REPEAT_ROWS_MAX)
		m.repeated = 2 * SFRAME_REPEAT_ROWS_MAX;
	b->max_rows = m.rows + m.repeated + 2 * (u64)b->nr_funcs + 1;
	return SFRAME_OK;
}

static int compare_order(const void *a, const void *b)
{
	const struct sframe_order *x = a, *y = b;

	sframe_relax();
	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	return x->fde < y->fde ? -1 : x->fde > y->fde;
}

/* List the functions in ascending order, if their FDEs are not. */
static enum sframe_reason sort_functions(struct sframe_build *b)
{
	enum sframe_reason reason;
	struct sframe_fde fde;
	void *mem;
	u32 i, n = 0;

	if (!b->unsorted)
		return SFRAME_OK;
	reason = sframe_alloc_within(&b->avail, (size_t)b->nr_funcs *
				     sizeof(*b->order), &mem);
	if (reason)
		return reason;
	b->order = mem;
	for (i = 0; i < b->sec->num_fdes; i++) {
		sframe_tick(&b->ticks);
		if (!read_function(b, i, &fde, &reason))
			continue;
		b->order[n].start = fde.start;
		b->order[n++].fde = i;
	}
	sframe_sort(b->order, n, sizeof(*b->order), compare_order);
	return SFRAME_OK;
}

/* A function whose rows are not collected until the next one's start is known. */
struct pending {
	struct sframe_fde fde;
	enum sframe_reason refused;
	bool any;
};

/* Collect the rows of the pending function, cut at @next. */
static void flush_pending_rows(struct sframe_build *b, const struct pending *p, u64 next)
{
	u32 len = p->fde.size;

	if (!p->any)
		return;
	if (len > next - p->fde.start) {
		len = next - p->fde.start;
		b->skips->count[SFRAME_FDE_OVERLAP]++;
	}
	if (len)
		sframe_rows_collect(b, &p->fde, p->refused, len);
}

/* Collect all rows; a PC belongs to the last function that starts before it. */
static void collect_all_rows(struct sframe_build *b)
{
	u32 i, n = b->order ? b->nr_funcs : b->sec->num_fdes;
	struct pending now, next;

	now.any = false;
	for (i = 0; i < n; i++) {
		sframe_tick(&b->ticks);
		if (!read_function(b, b->order ? b->order[i].fde : i,
				   &next.fde, &next.refused))
			continue;
		next.any = true;
		flush_pending_rows(b, &now, next.fde.start);
		now = next;
	}
	flush_pending_rows(b, &now, now.fde.start + now.fde.size);
	b->span = now.fde.start + now.fde.size - b->base;
	while (b->pc[b->nr_rows - 1] >= b->span)
		b->nr_rows--;
}

static enum sframe_reason build_section_table(struct sframe_build *b,
					      struct sframe_table **table)
{
	enum sframe_reason reason;

	reason = measure_all_functions(b);
	if (!reason)
		reason = sort_functions(b);
	if (!reason)
		reason = sframe_rows_prepare(b);
	if (reason)
		return reason;
	collect_all_rows(b);
	return sframe_table_assemble(b, table);
}

/**
 * sframe_table_build() - convert a section into a table
 * @sec: a section that sframe_section_init() accepted
 * @text: the file's executable segments; functions outside are left out
 * @nr_text: how many
 * @max_bytes: no more is allocated at any time, the result included
 * @table: the table, to be freed with sframe_table_free()
 * @skips: set to what was left out, per reason
 *
 * Of functions that overlap, the earlier one ends where the later one begins.
 * Where rows are unusable the table says SFRAME_RULE_BAD, never the rule of
 * the row before.
 *
 * Context: May sleep.
 * Return: SFRAME_OK, SFRAME_NO_FUNCTIONS, SFRAME_TOO_BIG or SFRAME_NO_MEMORY.
 */
enum sframe_reason sframe_table_build(const struct sframe_section *sec,
				      const struct sframe_segment *text,
				      unsigned int nr_text, size_t max_bytes,
				      struct sframe_table **table,
				      struct sframe_skips *skips)
{
	struct sframe_build b = {
		.sec = sec,
		.text = text,
		.nr_text = nr_text,
		.avail = max_bytes,
		.skips = skips,
	};
	enum sframe_reason reason;

	memset(skips, 0, sizeof(*skips));
	reason = build_section_table(&b, table);
	sframe_free(b.scratch);
	sframe_free(b.order);
	return reason;
}
