// SPDX-License-Identifier: GPL-2.0
/*
 * Decodes .sframe, all that does not depend on the version: the header, and the rows of
 * functions. FDEs are read by decode_v12.c and decode_v3.c; see sframe/decode.h.
 */
#include "decode_impl.h"
#include "quirks.h"

static const struct {
	u8 flags;
	u8 fde_size;
	u8 max_id;
} versions[] = {
	[SFRAME_VERSION_1] = { SFRAME_F_V1_MASK, SFRAME_FDE1_SIZE,
			       SFRAME_ID_AMD64_LE },
	[SFRAME_VERSION_2] = { SFRAME_F_V2_MASK, SFRAME_FDE2_SIZE,
			       SFRAME_ID_S390X_BE },
	[SFRAME_VERSION_3] = { SFRAME_F_V3_MASK, SFRAME_FDE3_SIZE,
			       SFRAME_ID_S390X_BE },
};

/* Check the header's fixed values: magic, version, flags and ABI. */
static enum sframe_reason header_check(struct sframe_section *sec)
{
	const u8 *p = sec->data;
	u16 magic = sframe_get16(p + SFRAME_AT_MAGIC, sec->swap);
	bool be = sec->swap != SFRAME_MACHINE_BE;
	u8 id = be ? sec->abi->id_be : sec->abi->id_le;

	if (magic == SFRAME_MAGIC_SWAPPED)
		return SFRAME_HDR_ORDER;
	if (magic != SFRAME_MAGIC)
		return sframe_quirk_empty(p, SFRAME_HDR_SIZE) ?
		       SFRAME_EMPTY : SFRAME_HDR_MAGIC;
	sec->version = p[SFRAME_AT_VERSION];
	if (sec->version < SFRAME_VERSION_1 || sec->version > SFRAME_VERSION_3)
		return SFRAME_HDR_VERSION;
	sec->flags = p[SFRAME_AT_FLAGS];
	if (sec->flags & ~versions[sec->version].flags)
		return SFRAME_HDR_FLAGS;
	if (!id || id > versions[sec->version].max_id ||
	    p[SFRAME_AT_ABI] != id)
		return SFRAME_HDR_ABI;
	if ((s8)p[SFRAME_AT_FIXED_RA] != sec->abi->fixed_ra)
		return SFRAME_HDR_FIXED;
	sec->fixed_fp = (s8)p[SFRAME_AT_FIXED_FP];
	return SFRAME_OK;
}

/* Find the FDEs and the rows, and check that they are inside the section. */
static enum sframe_reason header_bounds(struct sframe_section *sec)
{
	const u8 *p = sec->data;
	u64 fde_off = sframe_get32(p + SFRAME_AT_FDE_OFF, sec->swap);
	u64 fre_off = sframe_get32(p + SFRAME_AT_FRE_OFF, sec->swap);
	u64 end = SFRAME_HDR_SIZE + p[SFRAME_AT_AUX_LEN];

	sec->num_fdes = sframe_get32(p + SFRAME_AT_NUM_FDES, sec->swap);
	sec->fre_len = sframe_get32(p + SFRAME_AT_FRE_LEN, sec->swap);
	sec->fde_pos = end + fde_off;
	sec->fre_pos = end + fre_off;
	if (sec->fde_pos + (u64)sec->num_fdes * versions[sec->version].fde_size
	    > sec->fre_pos || sec->fre_pos + sec->fre_len > sec->len)
		return SFRAME_HDR_BOUNDS;
	return SFRAME_OK;
}

/**
 * sframe_section_init() - check a section's header
 * @sec: filled; keeps a pointer to @data
 * @abi: the ABI that the section must be of
 * @data: the section; any alignment
 * @len: its bytes, may be more than the table takes (trailing slack)
 * @va: link-time address of @data
 * @swap: the section's byte order is not the machine's
 *
 * Context: Any.
 * Return: SFRAME_OK; SFRAME_EMPTY for the zeros that ld leaves without input;
 *	SFRAME_HDR_TRUNCATED, SFRAME_HDR_ORDER, SFRAME_HDR_MAGIC,
 *	SFRAME_HDR_VERSION, SFRAME_HDR_FLAGS, SFRAME_HDR_ABI, SFRAME_HDR_FIXED
 *	or SFRAME_HDR_BOUNDS.
 */
enum sframe_reason sframe_section_init(struct sframe_section *sec,
				       const struct sframe_abi *abi,
				       const void *data, size_t len, u64 va,
				       bool swap)
{
	enum sframe_reason reason;

	memset(sec, 0, sizeof(*sec));
	sec->abi = abi;
	sec->data = data;
	sec->len = len;
	sec->va = va;
	sec->swap = swap;
	if (len < SFRAME_HDR_SIZE)
		return sframe_quirk_empty(data, len) ? SFRAME_EMPTY :
						       SFRAME_HDR_TRUNCATED;
	reason = header_check(sec);
	return reason ? reason : header_bounds(sec);
}

/**
 * sframe_section_size() - how long a section is, by its header
 * @header: its first SFRAME_HDR_SIZE bytes
 * @swap: the section's byte order is not the machine's
 *
 * Context: Any.
 * Return: bytes from the header to the end of the row area, if the header is
 * one that sframe_section_init() accepts.
 */
u64 sframe_section_size(const void *header, bool swap)
{
	const u8 *p = header;

	return SFRAME_HDR_SIZE + (u64)p[SFRAME_AT_AUX_LEN] +
	       sframe_get32(p + SFRAME_AT_FRE_OFF, swap) +
	       sframe_get32(p + SFRAME_AT_FRE_LEN, swap);
}

/**
 * sframe_fde_check() - check what FDEs of every version must satisfy
 * @sec: the section
 * @fde: complete
 *
 * Context: Any.
 * Return: SFRAME_OK or a skip reason.
 */
enum sframe_reason sframe_fde_check(const struct sframe_section *sec,
				    const struct sframe_fde *fde)
{
	if (!fde->size)
		return SFRAME_FDE_EMPTY;
	if (fde->row_type > SFRAME_FDE_ROW_TYPE_MAX)
		return SFRAME_FDE_TYPE;
	if (fde->row_pos > sec->fre_len)
		return SFRAME_FDE_BOUNDS;
	if (fde->pcmask && !fde->rep_size)
		return SFRAME_FDE_REPEAT;
	return SFRAME_OK;
}

/**
 * sframe_fde_get() - read one function descriptor
 * @sec: a section that sframe_section_init() accepted
 * @i: which, less than @sec->num_fdes
 * @fde: filled; start and size are valid whatever is returned
 *
 * A num_rows that the row area cannot hold is not refused here: reading the
 * rows ends with SFRAME_ROW_BOUNDS.
 *
 * Context: Any.
 * Return: SFRAME_OK, SFRAME_FDE_EMPTY, SFRAME_FDE_TYPE, SFRAME_FDE_BOUNDS or
 *	SFRAME_FDE_REPEAT.
 */
enum sframe_reason sframe_fde_get(const struct sframe_section *sec, u32 i,
				  struct sframe_fde *fde)
{
	return sec->version == SFRAME_VERSION_3 ? sframe_fde_get_v3(sec, i, fde) :
						  sframe_fde_get_v12(sec, i, fde);
}

/**
 * sframe_cfa_off() - offset of the CFA from its base
 * @abi: the section's ABI (s390x scales and biases)
 * @word: as stored
 * @off: bytes
 *
 * Context: Any.
 * Return: SFRAME_OK, or SFRAME_ROW_OFFSET if it leaves 32 bits.
 */
enum sframe_reason sframe_cfa_off(const struct sframe_abi *abi, s32 word,
				  s32 *off)
{
	s64 v = (s64)word * abi->cfa_scale + abi->cfa_bias;

	*off = (s32)v;
	return *off == v ? SFRAME_OK : SFRAME_ROW_OFFSET;
}

/**
 * sframe_reg_loc() - where the value of a register is
 * @abi: the section's ABI
 * @reg: DWARF number
 * @loc: enum sframe_loc
 *
 * Context: Any.
 * Return: SFRAME_OK, or SFRAME_ROW_REGISTER if the ABI has no such register.
 */
enum sframe_reason sframe_reg_loc(const struct sframe_abi *abi, u32 reg,
				  u8 *loc)
{
	if (reg > abi->max_reg)
		return SFRAME_ROW_REGISTER;
	if (reg == (u32)abi->sp_reg)
		*loc = SFRAME_LOC_SP;
	else if (reg == (u32)abi->fp_reg)
		*loc = SFRAME_LOC_FP;
	else
		*loc = SFRAME_LOC_REG | reg;
	return SFRAME_OK;
}

/*
 * Where RA or FP is saved: at an offset from the CFA. On s390x all of these are even,
 * and in version 2 an odd word names the register that holds the value.
 */
static enum sframe_reason decode_saved_loc(const struct sframe_section *sec, s32 word,
					   u8 *loc, s32 *off)
{
	if (sec->abi->reg_in_word && word & 1) {
		if (sec->version != SFRAME_VERSION_2)
			return SFRAME_ROW_REGISTER;
		*off = 0;
		/* A negative word becomes a number that no register has. */
		return sframe_reg_loc(sec->abi, (u32)word >> 1, loc);
	}
	*loc = SFRAME_LOC_SAVED;
	*off = word;
	return SFRAME_OK;
}

/*
 * A default row's words: CFA, RA, FP, of which the last ones may be absent; no RA where
 * its place is fixed (amd64). @rule->ra already holds the ABI's default.
 */
static enum sframe_reason decode_default_row(const struct sframe_section *sec,
					     const u8 *p, u8 info,
					     struct sframe_rule *rule)
{
	const struct sframe_words w = sframe_words_at(sec, p, info);
	const struct sframe_abi *abi = sec->abi;
	enum sframe_reason reason;
	unsigned int i = 1;
	s32 word;

	if (unlikely(w.count > (abi->fixed_ra ? 2 : 3)))
		return SFRAME_ROW_WORDS;
	rule->cfa = info & SFRAME_ROW_BASE_SP ? SFRAME_LOC_SP : SFRAME_LOC_FP;
	reason = sframe_cfa_off(abi, sframe_word_s(&w, 0), &rule->cfa_off);
	if (unlikely(reason))
		return reason;
	if (!abi->fixed_ra && i < w.count) {
		word = sframe_word_s(&w, i++);
		if (word || !abi->ra_word_zero)
			reason = decode_saved_loc(sec, word, &rule->ra, &rule->ra_off);
		if (unlikely(reason))
			return reason;
	}
	if (i < w.count)
		reason = decode_saved_loc(sec, sframe_word_s(&w, i), &rule->fp,
					  &rule->fp_off);
	if (sec->fixed_fp) {
		rule->fp = SFRAME_LOC_SAVED;
		rule->fp_off = sec->fixed_fp;
	}
	return reason;
}

/*
 * Fill in @rule, which is all zero. A row without words says that there is no caller;
 * version 1 has none such.
 */
static enum sframe_reason decode_row(const struct sframe_section *sec,
				     const struct sframe_fde *fde,
				     const struct sframe_raw_row *raw,
				     struct sframe_rule *rule)
{
	enum sframe_reason reason;

	if (!raw->len) {
		rule->flags = SFRAME_RULE_OUTERMOST;
		return sec->version == SFRAME_VERSION_1 ? SFRAME_ROW_WORDS :
							  SFRAME_OK;
	}
	if (sec->abi->fixed_ra) {
		rule->ra = SFRAME_LOC_SAVED;
		rule->ra_off = sec->abi->fixed_ra;
	}
	if (raw->info & SFRAME_ROW_MANGLED)
		rule->flags = SFRAME_RULE_MANGLED;
	reason = fde->flex ? sframe_row_flex(sec, raw->words, raw->info, rule) :
			     decode_default_row(sec, raw->words, raw->info, rule);
	if (fde->pcmask)
		sframe_quirk_plt_got(sec, fde, rule);
	return reason;
}

/**
 * sframe_row_rule() - understand a row
 * @sec: the section
 * @fde: the function
 * @raw: as sframe_rows_raw() found it
 * @rule: filled; SFRAME_RULE_BAD if the row is refused
 *
 * The rule depends on nothing but the row's info byte and words, and on the
 * function's type, signal, PCMASK and number of rows.
 *
 * Context: Any.
 * Return: SFRAME_OK, SFRAME_ROW_WORDS, SFRAME_ROW_REGISTER or
 *	SFRAME_ROW_OFFSET.
 */
enum sframe_reason sframe_row_rule(const struct sframe_section *sec,
				   const struct sframe_fde *fde,
				   const struct sframe_raw_row *raw,
				   struct sframe_rule *rule)
{
	enum sframe_reason reason;

	memset(rule, 0, sizeof(*rule));
	reason = decode_row(sec, fde, raw, rule);
	sframe_quirk_not_saved(sec->abi, rule);
	sframe_quirk_ra_above(sec->abi, rule);
	if (fde->signal) {
		rule->flags |= SFRAME_RULE_SIGNAL;
		sframe_quirk_saves_all(sec->abi, rule);
	}
	if (unlikely(reason)) {
		memset(rule, 0, sizeof(*rule));
		rule->flags = SFRAME_RULE_BAD;
	}
	return reason;
}

/**
 * sframe_rows_init() - go to a function's first row
 * @rows: filled; keeps pointers to @sec and @fde
 * @sec: the section
 * @fde: a function that sframe_fde_get() returned with SFRAME_OK
 *
 * Context: Any.
 */
void sframe_rows_init(struct sframe_rows *rows,
		      const struct sframe_section *sec,
		      const struct sframe_fde *fde)
{
	rows->sec = sec;
	rows->fde = fde;
	rows->pos = fde->row_pos;
	rows->left = fde->num_rows;
}

/**
 * sframe_rows_next() - read a function's next row
 * @rows: the position, moved on; @rows->left must not be 0
 * @row: filled if SFRAME_OK is returned. A row whose own content is refused
 *	is one too: it says so in @row.reason and its rule is SFRAME_RULE_BAD
 *
 * Row starts are returned as they are: whether they increase and lie inside
 * the function is for the caller to check.
 *
 * Context: Any.
 * Return: SFRAME_OK; or SFRAME_ROW_BOUNDS or SFRAME_ROW_WORDS where no further
 *	row can be found (@rows->left is 0 then).
 */
enum sframe_reason sframe_rows_next(struct sframe_rows *rows,
				    struct sframe_row *row)
{
	struct sframe_raw_row raw;
	enum sframe_reason reason;

	reason = sframe_rows_raw(rows, &raw);
	if (reason) {
		rows->left = 0;
		return reason;
	}
	row->start = raw.start;
	row->reason = sframe_row_rule(rows->sec, rows->fde, &raw, &row->rule);
	return SFRAME_OK;
}
