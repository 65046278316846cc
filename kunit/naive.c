// SPDX-License-Identifier: GPL-2.0
/*
 * The reference that tables are compared with; see naive.h.
 */
#include "naive.h"

static const struct sframe_rule gap = { .flags = SFRAME_RULE_NO_FDE };
static const struct sframe_rule bad = { .flags = SFRAME_RULE_BAD };

static bool inside(u64 start, u64 size, const struct sframe_segment *seg)
{
	return start >= seg->vaddr && size <= seg->size &&
	       start - seg->vaddr <= seg->size - size;
}

/* The last function that starts at or before @pc; the last of equals. */
static bool find_function(const struct sframe_section *sec,
			  const struct sframe_segment *text,
			  unsigned int nr_text, u64 pc, struct sframe_fde *best,
			  enum sframe_reason *best_reason)
{
	enum sframe_reason reason;
	struct sframe_fde fde;
	bool found = false;
	unsigned int t;
	u32 i;

	for (i = 0; i < sec->num_fdes; i++) {
		reason = sframe_fde_get(sec, i, &fde);
		if (!fde.size || fde.start > pc ||
		    (found && fde.start < best->start))
			continue;
		for (t = 0; t < nr_text; t++)
			if (inside(fde.start, fde.size, &text[t]))
				break;
		if (t == nr_text)
			continue;
		*best = fde;
		*best_reason = reason;
		found = true;
	}
	return found && pc - best->start < best->size;
}

/*
 * The last row that starts at or before @off. The whole list must be in
 * order, up to where rows stop to matter; where it breaks off, its last row
 * counts as broken too.
 */
static struct sframe_rule find_row(const struct sframe_section *sec,
				   const struct sframe_fde *fde, u32 off,
				   u32 limit)
{
	struct sframe_rule found = gap;
	struct sframe_rows rows;
	struct sframe_row row;
	u32 n, last = 0;

	sframe_rows_init(&rows, sec, fde);
	for (n = 0; n < fde->num_rows; n++) {
		if (sframe_rows_next(&rows, &row))
			return n == 0 || off >= last ? bad : found;
		if (n && row.start <= last)
			return bad;
		if (row.start >= limit)
			break;
		last = row.start;
		if (row.start <= off)
			found = row.reason ? bad : row.rule;
		found.flags &= ~SFRAME_RULE_MANGLED;
	}
	return found;
}

struct sframe_rule naive_lookup(const struct sframe_section *sec,
				const struct sframe_segment *text,
				unsigned int nr_text, u64 pc)
{
	struct sframe_rule whole = { .flags = SFRAME_RULE_OUTERMOST };
	enum sframe_reason reason = SFRAME_OK;
	struct sframe_fde fde;
	u32 off, limit;

	if (!find_function(sec, text, nr_text, pc, &fde, &reason))
		return gap;
	if (reason)
		return bad;
	if (!fde.num_rows && (sec->version < 3 || fde.flex))
		return gap;
	if (fde.signal)
		whole.flags = SFRAME_RULE_SIGNAL;
	if (!fde.num_rows)
		return whole;
	off = pc - fde.start;
	limit = fde.size;
	if (fde.pcmask) {
		off %= fde.rep_size;
		if (fde.rep_size < limit)
			limit = fde.rep_size;
	}
	return find_row(sec, &fde, off, limit);
}
