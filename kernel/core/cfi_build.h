/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What cfi_order.c, which lists the functions of .eh_frame, and cfi_table.c, which
 * writes the table, share.
 */
#ifndef SFRAME_CORE_CFI_BUILD_H
#define SFRAME_CORE_CFI_BUILD_H

#include "cfi.h"
#include "table_impl.h"

/* CIEs that are kept: files have some tens, used in turn. */
#define SFRAME_CFI_CIES		64

/*
 * Bytes of CIEs that may be read: so many for each byte of the section, and so many more. If
 * each function has a CIE of its own, the three rounds take less. Short functions that take
 * turns with long CIEs may not have a worker read sixty times as much as there is.
 */
#define SFRAME_CFI_CIE_SHARE	4
#define SFRAME_CFI_CIE_BYTES	65536

/* Bits of the address that one pass of the radix sort looks at. */
#define SFRAME_CFI_DIGIT_BITS	11

/* States whose rules are kept, so that most rows need not be turned into a rule. */
#define SFRAME_CFI_MEMOS	256

/**
 * struct sframe_cfi_memo - the rule of a state, kept
 * @state: the state
 * @id: the rule's number in the table; 0: nothing is kept here
 */
struct sframe_cfi_memo {
	struct sframe_cfi_state state;
	u16 id;
};

/* An entry of the list of functions in order of address. */
struct sframe_cfi_order {
	u32 start;	/* from sframe_cfi_build.low */
	u32 pos;	/* of its FDE */
};

/**
 * struct sframe_cfi_build - a table being built
 * @eh: input
 * @text: executable segments
 * @nr_text: how many
 * @skips: counts what is left out; NULL in the second round
 * @avail: bytes that may still be allocated
 * @low: link-time address of the first segment
 * @end: link-time address past the end of the last function
 * @len: bytes of the section up to its end
 * @cie_bytes: what was read of CIEs, all rounds together
 * @order: the functions, by address
 * @nr: how many
 * @room: entries that @order has room for
 * @plt_rows: rows that PLT expressions may still add
 * @ocaml: OCaml's for s390x are among them, sframe_quirk_is_ocaml()
 * @unsorted: @order does not ascend as it was listed
 * @ticks: counts towards the next sframe_relax()
 * @writer: the table
 * @rows: position in a function's rows
 * @cie: CIEs that are kept, hashed by position
 * @memo: rules of states that were seen before, hashed
 * @digit: sort: how often each digit occurs
 */
struct sframe_cfi_build {
	const struct sframe_eh_frame *eh;
	const struct sframe_segment *text;
	unsigned int nr_text;
	struct sframe_skips *skips;
	size_t avail;
	u64 low;
	u64 end;
	u64 len;
	u64 cie_bytes;
	struct sframe_cfi_order *order;
	u32 nr;
	u32 room;
	u32 plt_rows;
	bool ocaml;
	bool unsorted;
	u32 ticks;
	struct sframe_writer writer;
	struct sframe_cfi_rows rows;
	struct sframe_cfi_cie cie[SFRAME_CFI_CIES];
	struct sframe_cfi_memo memo[SFRAME_CFI_MEMOS];
	u32 digit[1 << SFRAME_CFI_DIGIT_BITS];
};

static inline void sframe_cfi_count(struct sframe_cfi_build *b, enum sframe_reason reason)
{
	if (b->skips && reason)
		b->skips->count[reason]++;
}

/* Was more read of CIEs than what any linker writes needs? */
static inline bool sframe_cfi_reads_too_much(const struct sframe_cfi_build *b)
{
	return b->cie_bytes > SFRAME_CFI_CIE_SHARE * b->len + SFRAME_CFI_CIE_BYTES;
}

enum sframe_reason sframe_cfi_order(struct sframe_cfi_build *b);
enum sframe_reason sframe_cfi_fde_of(struct sframe_cfi_build *b,
				     const struct sframe_cfi_entry *entry,
				     struct sframe_cfi_fde *fde);

#endif /* SFRAME_CORE_CFI_BUILD_H */
