// SPDX-License-Identifier: GPL-2.0
/*
 * Version 3: 16-byte index entries with 64-bit starts, 5-byte attributes in
 * front of the rows, and flexible rows made of control words and offsets.
 */
#include "decode_impl.h"
#include "quirks.h"

/**
 * sframe_fde_get_v3() - sframe_fde_get() for version 3
 * @sec: the section
 * @i: which, less than @sec->num_fdes
 * @fde: filled; start and size are valid whatever is returned
 *
 * Context: Any.
 * Return: as sframe_fde_get().
 */
enum sframe_reason sframe_fde_get_v3(const struct sframe_section *sec, u32 i,
				     struct sframe_fde *fde)
{
	u64 pos = sec->fde_pos + (u64)i * SFRAME_FDE3_SIZE;
	const u8 *p = sec->data + pos;
	u64 start = sframe_get64(p + SFRAME_FDE3_START, sec->swap);
	u32 attr = sframe_get32(p + SFRAME_FDE3_ATTR_OFF, sec->swap);
	u8 kind;

	if (sec->flags & SFRAME_F_PCREL)
		start += pos;
	memset(fde, 0, sizeof(*fde));
	fde->start = sec->va + start;
	fde->size = sframe_get32(p + SFRAME_FDE3_FUNC_SIZE, sec->swap);
	if (sec->fre_len < SFRAME_ATTR_SIZE ||
	    attr > sec->fre_len - SFRAME_ATTR_SIZE)
		return SFRAME_FDE_BOUNDS;

	p = sec->data + sec->fre_pos + attr;
	kind = SFRAME_FDE_KIND(p[SFRAME_ATTR_INFO2]);
	if (kind > SFRAME_FDE_KIND_FLEX)
		return SFRAME_FDE_TYPE;
	fde->num_rows = sframe_get16(p + SFRAME_ATTR_NUM_ROWS, sec->swap);
	fde->row_pos = attr + SFRAME_ATTR_SIZE;
	fde->row_type = SFRAME_FDE_ROW_TYPE(p[SFRAME_ATTR_INFO]);
	fde->pcmask = p[SFRAME_ATTR_INFO] & SFRAME_FDE_PCMASK;
	fde->signal = p[SFRAME_ATTR_INFO] & SFRAME_FDE_SIGNAL;
	fde->rep_size = p[SFRAME_ATTR_REP_SIZE];
	fde->flex = kind == SFRAME_FDE_KIND_FLEX;
	return sframe_fde_check(sec, fde);
}

/* Decode a control word and the offset behind it: base + offset, loaded if it says so. */
static enum sframe_reason decode_flex_pair(const struct sframe_abi *abi,
					   const struct sframe_words *w,
					   unsigned int i, u8 *loc, s32 *off)
{
	u32 ctrl = sframe_word_u(w, i);
	enum sframe_reason reason = SFRAME_OK;

	if (ctrl & SFRAME_CTRL_UNUSED)
		return SFRAME_ROW_REGISTER;
	*loc = SFRAME_LOC_CFA;
	if (ctrl & SFRAME_CTRL_REG)
		reason = sframe_reg_loc(abi, SFRAME_CTRL_REGNUM(ctrl), loc);
	if (ctrl & SFRAME_CTRL_DEREF)
		*loc |= SFRAME_LOC_DEREF;
	*off = sframe_word_s(w, i + 1);
	return reason;
}

/*
 * The CFA comes from a register; its offset is scaled like a default row's,
 * whatever the register.
 */
static enum sframe_reason decode_flex_cfa(const struct sframe_abi *abi,
					  const struct sframe_words *w,
					  struct sframe_rule *rule)
{
	enum sframe_reason reason;
	s32 word;

	reason = decode_flex_pair(abi, w, 0, &rule->cfa, &word);
	if (reason)
		return reason;
	if ((rule->cfa & ~SFRAME_LOC_DEREF) == SFRAME_LOC_CFA)
		return SFRAME_ROW_REGISTER;
	return sframe_cfa_off(abi, word, &rule->cfa_off);
}

/*
 * Decode RA: a pair of words; or, with FP behind it, a word 0 for the default. @i is
 * the first word's index, and is moved past what was read.
 */
static enum sframe_reason decode_flex_ra(const struct sframe_abi *abi,
					 const struct sframe_words *w,
					 unsigned int *i, struct sframe_rule *rule)
{
	enum sframe_reason reason;

	if (w->count == 2)
		return SFRAME_OK;
	if (w->count == 5) {
		*i += 1;
		return sframe_word_u(w, *i - 1) ? SFRAME_ROW_WORDS : SFRAME_OK;
	}
	reason = decode_flex_pair(abi, w, *i, &rule->ra, &rule->ra_off);
	*i += 2;
	if (reason)
		return reason;
	/* An RA that is an address on the stack is nonsense. */
	if (rule->ra == SFRAME_LOC_CFA)
		return SFRAME_ROW_REGISTER;
	return sframe_quirk_cut_offset(abi, rule->ra, rule->ra_off) ?
	       SFRAME_ROW_OFFSET : SFRAME_OK;
}

/**
 * sframe_row_flex() - rule of a flexible row
 * @sec: the section
 * @p: the row's words, at least one, all inside the section
 * @info: the row's info byte
 * @rule: RA holds the ABI's default, all else is zero; filled in
 *
 * Words are (CFA), (CFA, RA), (CFA, 0, FP) or (CFA, RA, FP), each a pair but
 * for the pad 0.
 *
 * Context: Any.
 * Return: SFRAME_OK, SFRAME_ROW_WORDS, SFRAME_ROW_REGISTER or
 *	SFRAME_ROW_OFFSET.
 */
enum sframe_reason sframe_row_flex(const struct sframe_section *sec,
				   const u8 *p, u8 info,
				   struct sframe_rule *rule)
{
	const struct sframe_words w = sframe_words_at(sec, p, info);
	const struct sframe_abi *abi = sec->abi;
	enum sframe_reason reason;
	unsigned int i = 2;

	if (w.count != 2 && (w.count < 4 || w.count > SFRAME_MAX_WORDS))
		return SFRAME_ROW_WORDS;
	reason = decode_flex_cfa(abi, &w, rule);
	if (!reason)
		reason = decode_flex_ra(abi, &w, &i, rule);
	if (!reason && i < w.count)
		reason = decode_flex_pair(abi, &w, i, &rule->fp, &rule->fp_off);
	return reason;
}
