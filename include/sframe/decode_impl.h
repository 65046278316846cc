/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the decoder's files share with each other and with nobody else.
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

/* Reads FDE fields that versions 1 and 2 have in common. */
void sframe_fde_get_v12(const struct sframe_section *sec, u64 pos,
			struct sframe_fde *fde, u8 *info);

enum sframe_reason sframe_fde_get_v1(const struct sframe_section *sec, u32 i,
				     struct sframe_fde *fde);
enum sframe_reason sframe_fde_get_v2(const struct sframe_section *sec, u32 i,
				     struct sframe_fde *fde);
enum sframe_reason sframe_fde_get_v3(const struct sframe_section *sec, u32 i,
				     struct sframe_fde *fde);

/* Checks that every version's FDEs share, once @fde is filled. */
enum sframe_reason sframe_fde_check(const struct sframe_section *sec,
				    const struct sframe_fde *fde);

/* The word that holds the CFA's offset, in bytes. */
enum sframe_reason sframe_cfa_off(const struct sframe_abi *abi, s32 word,
				  s32 *off);
/* Base for DWARF register @reg. */
enum sframe_reason sframe_reg_loc(const struct sframe_abi *abi, u32 reg,
				  u8 *loc);

enum sframe_reason sframe_row_flex(const struct sframe_abi *abi,
				   const struct sframe_words *w,
				   struct sframe_rule *rule);

#endif /* SFRAME_DECODE_IMPL_H */
