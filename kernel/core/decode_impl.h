/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What decode.c and the files for each version share; and with table_rows.c, which reads raw
 * rows, and cfi_value.c.
 */
#ifndef SFRAME_DECODE_IMPL_H
#define SFRAME_DECODE_IMPL_H

#include <sframe/decode.h>
#include <sframe/format.h>

/* Words of the longest valid row (flexible: CFA, RA and FP pairs). */
#define SFRAME_MAX_WORDS	6

/**
 * struct sframe_words - the data words of one row
 * @p: first word, inside the section
 * @count: how many, all of them inside the section
 * @code: 0, 1, 2 for words of 1, 2, 4 bytes
 * @swap: bytes are in foreign order
 */
struct sframe_words {
	const u8 *p;
	unsigned int count;
	unsigned int code;
	bool swap;
};

static inline struct sframe_words
sframe_words_at(const struct sframe_section *sec, const u8 *p, u8 info)
{
	return (struct sframe_words){
		.p = p,
		.count = SFRAME_ROW_COUNT(info),
		.code = SFRAME_ROW_WORD_CODE(info),
		.swap = sec->swap,
	};
}

/* Word @i, zero-extended. */
static inline u32 sframe_word_u(const struct sframe_words *w, unsigned int i)
{
	if (w->code == 0)
		return w->p[i];
	if (w->code == 1)
		return sframe_get16(w->p + 2 * i, w->swap);
	return sframe_get32(w->p + 4 * i, w->swap);
}

/* Word @i, sign-extended. */
static inline s32 sframe_word_s(const struct sframe_words *w, unsigned int i)
{
	if (w->code == 0)
		return (s8)w->p[i];
	if (w->code == 1)
		return (s16)sframe_get16(w->p + 2 * i, w->swap);
	return (s32)sframe_get32(w->p + 4 * i, w->swap);
}

/**
 * struct sframe_raw_row - a row whose words were not read yet
 * @start: first byte it holds for
 * @info: its info byte
 * @len: bytes of its words
 * @words: the words, inside the section
 */
struct sframe_raw_row {
	u32 start;
	u8 info;
	u8 len;
	const u8 *words;
};

/*
 * Find the next row, and where the one after it begins: SFRAME_OK, SFRAME_ROW_BOUNDS or
 * SFRAME_ROW_WORDS. On failure @rows->left is stale. Inline, for the loop over all rows
 * of a file.
 */
static inline enum sframe_reason sframe_rows_raw(struct sframe_rows *rows,
						 struct sframe_raw_row *raw)
{
	const struct sframe_section *sec = rows->sec;
	const u8 *p = sec->data + sec->fre_pos + rows->pos;
	unsigned int addr = 1u << rows->fde->row_type;
	u32 have = sec->fre_len - rows->pos;
	unsigned int code;

	if (unlikely(!rows->left || have < addr + 1))
		return SFRAME_ROW_BOUNDS;
	raw->info = p[addr];
	code = SFRAME_ROW_WORD_CODE(raw->info);
	if (unlikely(code > SFRAME_ROW_WORD_CODE_MAX))
		return SFRAME_ROW_WORDS;
	raw->len = SFRAME_ROW_COUNT(raw->info) << code;
	if (unlikely(have < addr + 1 + raw->len))
		return SFRAME_ROW_BOUNDS;
	raw->words = p + addr + 1;
	raw->start = addr == 1 ? p[0] : addr == 2 ?
		     sframe_get16(p, sec->swap) : sframe_get32(p, sec->swap);
	rows->pos += addr + 1 + raw->len;
	rows->left--;
	return SFRAME_OK;
}

/* The rule of a row: SFRAME_OK, or why it is SFRAME_RULE_BAD. */
enum sframe_reason sframe_row_rule(const struct sframe_section *sec,
				   const struct sframe_fde *fde,
				   const struct sframe_raw_row *raw,
				   struct sframe_rule *rule);

enum sframe_reason sframe_fde_get_v12(const struct sframe_section *sec, u32 i,
				      struct sframe_fde *fde);
enum sframe_reason sframe_fde_get_v3(const struct sframe_section *sec, u32 i,
				     struct sframe_fde *fde);

/* Checks that every version's FDEs share, once @fde is filled. */
enum sframe_reason sframe_fde_check(const struct sframe_section *sec,
				    const struct sframe_fde *fde);

/* The CFA's offset in bytes, from the word that holds it. */
enum sframe_reason sframe_cfa_off(const struct sframe_abi *abi, s32 word,
				  s32 *off);
/* enum sframe_loc for DWARF register @reg. */
enum sframe_reason sframe_reg_loc(const struct sframe_abi *abi, u32 reg,
				  u8 *loc);

enum sframe_reason sframe_row_flex(const struct sframe_section *sec,
				   const u8 *p, u8 info,
				   struct sframe_rule *rule);

#endif /* SFRAME_DECODE_IMPL_H */
