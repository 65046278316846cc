// SPDX-License-Identifier: GPL-2.0
/*
 * Lists the functions of .eh_frame by address, for cfi_table.c. The sorted list in
 * .eh_frame_hdr is not used: checking it would take as long as sorting.
 */
#include "cfi_build.h"
#include "quirks.h"

/* Digits in an address that counts from the first segment. */
#define DIGITS		3

static const struct sframe_cfi_cie *get_cie_at(struct sframe_cfi_build *b, u32 pos)
{
	struct sframe_cfi_cie *cie = &b->cie[(pos ^ pos >> 6) / 4 % SFRAME_CFI_CIES];

	if (unlikely(cie->pos != (u64)pos + 1)) {
		sframe_cfi_cie_read(b->eh, pos, &b->rows, cie);
		b->cie_bytes += cie->bytes;
	}
	return cie;
}

/**
 * sframe_cfi_fde_of() - read an FDE, if it can have a place in the table
 * @b: the table
 * @entry: the FDE
 * @fde: filled if SFRAME_OK is returned
 *
 * Context: Any.
 * Return: SFRAME_OK, or why it cannot.
 */
enum sframe_reason sframe_cfi_fde_of(struct sframe_cfi_build *b,
				     const struct sframe_cfi_entry *entry,
				     struct sframe_cfi_fde *fde)
{
	const struct sframe_cfi_cie *cie = get_cie_at(b, entry->cie_pos);
	enum sframe_reason reason = cie->reason;

	if (!reason)
		reason = sframe_cfi_fde_read(b->eh, entry, cie, fde);
	if (!reason && (!sframe_in_text(b->text, b->nr_text, fde->start,
					fde->size) ||
			fde->start + fde->size - b->low > ~0u))
		reason = SFRAME_CFI_RANGE;
	return reason;
}

/* Find where the section ends, and how many FDEs it has at most; allocate the list. */
static enum sframe_reason count_entries(struct sframe_cfi_build *b)
{
	struct sframe_cfi_entry entry;
	enum sframe_reason reason;
	void *mem;

	while (!sframe_cfi_entry(b->eh, &b->len, &entry)) {
		b->room += !entry.is_cie;
		sframe_tick(&b->ticks);
	}
	/* Positions have 32 bits. */
	if (b->len > ~0u)
		return SFRAME_TOO_BIG;
	if (!b->room)
		return SFRAME_NO_FUNCTIONS;
	reason = sframe_alloc_within(&b->avail, b->room * sizeof(*b->order),
				     &mem);
	if (!reason)
		b->order = mem;
	return reason;
}

/* List all functions that can have a place in the table. */
static enum sframe_reason list_functions(struct sframe_cfi_build *b)
{
	struct sframe_cfi_entry entry;
	struct sframe_cfi_fde fde;
	enum sframe_reason reason;
	u64 pos = 0, at = 0, prev = 0;

	while (!(reason = sframe_cfi_entry(b->eh, &pos, &entry)) && !sframe_cfi_reads_too_much(b)) {
		sframe_tick(&b->ticks);
		reason = entry.is_cie ? SFRAME_OK : sframe_cfi_fde_of(b, &entry, &fde);
		sframe_cfi_count(b, reason);
		if (!entry.is_cie && !reason) {
			b->ocaml |= sframe_quirk_is_ocaml(b->eh->abi, &fde);
			b->unsorted |= fde.start < prev;
			prev = fde.start;
			if (fde.start + fde.size > b->end)
				b->end = fde.start + fde.size;
			b->order[b->nr].start = fde.start - b->low;
			b->order[b->nr++].pos = at;
		}
		at = pos;
	}
	if (reason != SFRAME_NO_FUNCTIONS)
		sframe_cfi_count(b, reason);
	if (sframe_cfi_reads_too_much(b))
		return SFRAME_CFI_CIE;
	return b->nr ? SFRAME_OK : SFRAME_NO_FUNCTIONS;
}

/* One pass of the radix sort, stable, from @from to @to. */
static void sort_by_digit(struct sframe_cfi_build *b,
			  const struct sframe_cfi_order *from,
			  struct sframe_cfi_order *to, unsigned int shift)
{
	const u32 mask = (1 << SFRAME_CFI_DIGIT_BITS) - 1;
	u32 i, sum = 0;

	memset(b->digit, 0, sizeof(b->digit));
	for (i = 0; i < b->nr; i++, sframe_tick(&b->ticks))
		b->digit[from[i].start >> shift & mask]++;
	for (i = 0; i <= mask; i++) {
		u32 n = b->digit[i];

		b->digit[i] = sum;
		sum += n;
	}
	for (i = 0; i < b->nr; i++, sframe_tick(&b->ticks))
		to[b->digit[from[i].start >> shift & mask]++] = from[i];
}

/* Sort the functions by address, those at the same one by position. */
static enum sframe_reason sort_functions(struct sframe_cfi_build *b)
{
	enum sframe_reason reason;
	struct sframe_cfi_order *other, *swap;
	unsigned int digit;
	size_t bytes = b->room * sizeof(*b->order);
	void *mem;

	if (!b->unsorted)
		return SFRAME_OK;
	reason = sframe_alloc_within(&b->avail, bytes, &mem);
	if (reason)
		return reason;
	other = mem;
	for (digit = 0; digit < DIGITS; digit++) {
		sort_by_digit(b, b->order, other, digit * SFRAME_CFI_DIGIT_BITS);
		swap = b->order;
		b->order = other;
		other = swap;
	}
	sframe_free(other);
	b->avail += bytes;
	return SFRAME_OK;
}

/**
 * sframe_cfi_order() - list the functions by address, and count what is left out
 * @b: the table; low, end, len, order and nr are set
 *
 * Context: May sleep.
 * Return: SFRAME_OK, SFRAME_NO_FUNCTIONS, SFRAME_CFI_CIE if CIEs are read too often,
 *	SFRAME_TOO_BIG or SFRAME_NO_MEMORY.
 */
enum sframe_reason sframe_cfi_order(struct sframe_cfi_build *b)
{
	enum sframe_reason reason;
	unsigned int i;

	b->low = ~0ull;
	for (i = 0; i < b->nr_text; i++)
		if (b->text[i].vaddr < b->low)
			b->low = b->text[i].vaddr;
	reason = count_entries(b);
	if (!reason)
		reason = list_functions(b);
	if (!reason)
		reason = sort_functions(b);
	return reason;
}
