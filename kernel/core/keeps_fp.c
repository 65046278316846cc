// SPDX-License-Identifier: GPL-2.0
/*
 * Do functions of a file of which nothing is known keep frame pointers? Large programs are built
 * so that they do, and have CFI of a few functions only (Chromium: 8,800 of some 670,000). Then the
 * record at FP is the running function's own, and the walk need not ask how its code leaves it:
 * kept_fp.c. Asked once, when the file's table is built (sources.c), of code that is read here and
 * there.
 */
#include <sframe/sources.h>

#include "table_impl.h"

/* So many places are looked at, evenly distributed, and so many bytes at each. */
#define PLACES		64
#define PLACE_LEN	4096
/* At least so many of them must be in gaps of the table: few files have any there. */
#define PLACES_MIN	32
/* A function calls (the kernel, too), or makes its record, within so many, or does not count. */
#define INSNS_MAX	32
/* So many functions make a record first; and for each that calls without one, so many do. */
#define RECORDS_MIN	64
#define RECORDS_EACH	40

/**
 * struct survey - what functions without a row do
 * @src: the file
 * @table: its table
 * @code: %PLACE_LEN bytes of it
 * @va: their link-time address
 * @records: functions that make a record before they call anybody
 * @bare_calls: functions that call, and have made none
 */
struct survey {
	const struct sframe_sources *src;
	const struct sframe_table *table;
	u8 *code;
	u64 va;
	u32 records;
	u32 bare_calls;
};

static bool is_in_gap(const struct sframe_table *table, u64 pc)
{
	return sframe_table_lookup(table, pc)->flags & SFRAME_RULE_NO_FDE;
}

/* The function begins at @code[@at]. */
static void survey_function(struct survey *s, unsigned int at)
{
	const struct sframe_abi *abi = s->src->abi;
	struct sframe_insn insn;
	unsigned int i;
	u32 looks = 0;

	for (i = 0; i < INSNS_MAX && at + SFRAME_CODE_AFTER <= PLACE_LEN; i++, at += insn.len) {
		if (abi->makes_record(s->code + at, s->va + at, &looks)) {
			s->records++;
			return;
		}
		if (!abi->insn(s->code + at, s->va + at, &insn) || insn.flags & SFRAME_INSN_STOPS)
			return;
		if (insn.flags & SFRAME_INSN_CALLS) {
			s->bare_calls++;
			return;
		}
	}
}

/*
 * Functions begin behind what stops, or fills a gap, as functions do. Where the first instruction
 * begins is not known: what is read from the wrong byte on is soon in step with the code.
 */
static void survey_place(struct survey *s)
{
	const struct sframe_abi *abi = s->src->abi;
	unsigned int at = SFRAME_CODE_BEFORE;
	struct sframe_insn insn;
	bool ended = false;

	for (; at + SFRAME_CODE_AFTER <= PLACE_LEN; at += insn.len) {
		if (!abi->insn(s->code + at, s->va + at, &insn)) {
			insn.len = abi->insn_align;
			ended = false;
			continue;
		}
		if (ended && insn.flags & SFRAME_INSN_BEGINS && is_in_gap(s->table, s->va + at))
			survey_function(s, at);
		if (insn.flags & SFRAME_INSN_STOPS && !(insn.flags & SFRAME_INSN_JUMPS))
			ended = true;
		else if (!(insn.flags & SFRAME_INSN_FILLS))
			ended = false;
	}
}

/* The place that is @at bytes into the executable segments; false if it is not all in one. */
static bool find_place(const struct sframe_sources *src, u64 at, struct sframe_segment *place)
{
	unsigned int i;

	for (i = 0; i < src->nr_text && at >= src->text[i].size; i++)
		at -= src->text[i].size;
	if (i == src->nr_text || src->text[i].size - at < PLACE_LEN)
		return false;
	place->vaddr = src->text[i].vaddr + at;
	place->offset = src->text[i].offset + at;
	place->size = PLACE_LEN;
	return true;
}

/* The place number @i, if it is in a gap, by its ends. */
static bool choose_place(const struct survey *s, unsigned int i, struct sframe_segment *place)
{
	u64 total = 0, step;
	unsigned int k;

	for (k = 0; k < s->src->nr_text; k++)
		total += s->src->text[k].size;
	step = total / PLACES & ~(u64)(SFRAME_CODE_AFTER - 1);
	return step >= PLACE_LEN && find_place(s->src, i * step, place) &&
	       is_in_gap(s->table, place->vaddr) &&
	       is_in_gap(s->table, place->vaddr + PLACE_LEN - 1);
}

/*
 * Look at the code at all places in gaps; if the file ends before one, there is none. Another
 * failure is one of who asks: for somebody else it may be there.
 */
static enum sframe_reason survey_places(struct survey *s)
{
	struct sframe_segment place;
	enum sframe_reason reason;
	unsigned int i;

	for (i = 0; i < PLACES; i++) {
		if (!choose_place(s, i, &place))
			continue;
		s->va = place.vaddr;
		reason = s->src->read_code(s->src->ctx, place.offset, s->code, PLACE_LEN);
		if (!reason)
			survey_place(s);
		else if (reason != SFRAME_FILE_SHORT)
			return reason;
		sframe_relax();
	}
	return SFRAME_OK;
}

/**
 * sframe_gaps_keep_fp() - do functions of which a file's table says nothing keep frame pointers?
 * @src: the file; its code is read by @src->read_code
 * @table: its table
 * @keep: set to whether nearly all that call others do
 *
 * Context: may sleep. Asks for 256 KB at most, of files that have more than that without a row.
 * Return: SFRAME_OK; SFRAME_NO_MEMORY, or why the code could not be read: then it is not known.
 *	Of arm64's files nothing is said, nor of those of s390x, which has no such records.
 */
enum sframe_reason sframe_gaps_keep_fp(const struct sframe_sources *src,
				       const struct sframe_table *table, bool *keep)
{
	struct survey s = { .src = src, .table = table };
	struct sframe_segment place;
	enum sframe_reason reason;
	unsigned int i, nr = 0;

	*keep = false;
	/* Elsewhere a record does not tell the caller's SP, which code may. */
	if (!src->read_code || src->abi->fallback != SFRAME_FALLBACK_FP_CFA || src->swap)
		return SFRAME_OK;
	for (i = 0; i < PLACES; i++)
		nr += choose_place(&s, i, &place);
	if (nr < PLACES_MIN)
		return SFRAME_OK;
	s.code = sframe_alloc(PLACE_LEN);
	if (!s.code)
		return SFRAME_NO_MEMORY;
	reason = survey_places(&s);
	sframe_free(s.code);
	*keep = !reason && s.records >= RECORDS_MIN &&
		s.records >= RECORDS_EACH * (u64)s.bare_calls;
	return reason;
}
