// SPDX-License-Identifier: GPL-2.0
/*
 * libFuzzer's entry for a comparison: what our decoder accepts, libsframe must
 * read the same way, function by function and row by row.
 *
 * LIBSFRAME is the version of the format that the library linked here has as
 * its own: 1 (binutils 2.40), 2 (2.44) or 3 (sid). libsframe hardly checks
 * bounds, so it is shown only what our decoder has gone through. Not compared:
 *
 *  - an auxiliary header, an FDE table that does not follow the header at
 *    once: libsframe's arithmetic passes over both; 2.40's over rows that do not
 *    follow the FDE table at once, too;
 *  - s390x before version 3: the library knows neither its scale nor its
 *    registers in odd words;
 *  - the one row SP+16 of a repeated function on amd64 (.plt.got), where ld is
 *    known to be wrong and we say SP+8;
 *  - rows of arm64 that OCaml is known to get wrong;
 *  - values that the header fixes: 2.40 says of them that there are none;
 *  - a row without words: before version 3 libsframe takes it for corrupt.
 */
#include <sframe-api.h>

/* The one name that both have. */
#undef SFRAME_F_FRAME_POINTER

#include <sframe/format.h>

#include "fuzz.h"

/* libsframe searches a function's rows from the first each time. */
#define MAX_ROWS	64

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

/* What was compared, that a run may not be about nothing. */
static unsigned long nr_fdes, nr_rows;

struct theirs {
	sframe_decoder_ctx *dctx;
	uint32_t num_rows;
	uint32_t size;
	int64_t start;
	unsigned char info;
	unsigned char info2;
	uint8_t rep_size;
};

static void say_counts(void)
{
	fprintf(stderr, "stat::functions_compared: %lu\n", nr_fdes);
	fprintf(stderr, "stat::rows_compared: %lu\n", nr_rows);
}

static bool their_fde(struct theirs *t, u32 i)
{
#if LIBSFRAME == 3
	return !sframe_decoder_get_funcdesc_v3(t->dctx, i, &t->num_rows,
					       &t->size, &t->start, &t->info,
					       &t->info2, &t->rep_size);
#else
	int32_t start = 0;
	int err;

	t->info2 = 0;
#if LIBSFRAME == 2
	err = sframe_decoder_get_funcdesc_v2(t->dctx, i, &t->num_rows,
					     &t->size, &start, &t->info,
					     &t->rep_size);
#else
	err = sframe_decoder_get_funcdesc(t->dctx, i, &t->num_rows, &t->size,
					  &start, &t->info);
#endif
	t->start = start;
	return !err;
#endif
}

#if LIBSFRAME == 3
#define THEIR(what, t, fre, err)					\
	sframe_fre_get_ ## what ## _offset((t)->dctx, fre, (t)->info2 & 31, err)
#else
#define THEIR(what, t, fre, err)					\
	sframe_fre_get_ ## what ## _offset((t)->dctx, fre, err)
#endif

/* A value that is loaded from beside the CFA, or is not saved at all. */
static void same_slot(u8 loc, s32 off, s32 theirs, int err)
{
	if (loc == SFRAME_LOC_SAVED)
		MUST(!err && off == theirs);
	else if (loc == SFRAME_LOC_SAME)
		MUST(err || !theirs);
}

static void same_default(const struct input *in, struct theirs *t,
			 sframe_frame_row_entry *fre,
			 const struct sframe_rule *rule)
{
	int err = 0, value = sframe_fre_get_base_reg_id(fre, &err);

	MUST(!err && rule->cfa == (value ? SFRAME_LOC_SP : SFRAME_LOC_FP));
	value = THEIR(cfa, t, fre, &err);
	MUST(!err && rule->cfa_off == value);
	value = THEIR(ra, t, fre, &err);
	if (LIBSFRAME > 1 || !in->target->abi->fixed_ra)
		same_slot(rule->ra, rule->ra_off, value, err);
	err = 0;
	value = THEIR(fp, t, fre, &err);
	if (LIBSFRAME > 1 || !in->sec.fixed_fp)
		same_slot(rule->fp, rule->fp_off, value, err);
	if (!in->target->abi->fixed_ra)
		MUST(!!(rule->flags & SFRAME_RULE_MANGLED) == fre->fre_info >> 7);
}

#if LIBSFRAME == 3
/* The register that a control word names, as a place. */
static u8 flex_loc(const struct sframe_abi *abi, u32 ctrl)
{
	u32 reg = ctrl >> 3;
	u8 loc = SFRAME_LOC_CFA;

	if (ctrl & 1)
		loc = reg == (u32)abi->sp_reg ? SFRAME_LOC_SP :
		      reg == (u32)abi->fp_reg ? SFRAME_LOC_FP :
						SFRAME_LOC_REG | reg;
	return ctrl & 2 ? loc | SFRAME_LOC_DEREF : loc;
}

static void same_flex(const struct input *in, struct theirs *t,
		      sframe_frame_row_entry *fre,
		      const struct sframe_rule *rule)
{
	const struct sframe_abi *abi = in->target->abi;
	unsigned int count = SFRAME_ROW_COUNT(fre->fre_info);
	int err = 0, value = THEIR(cfa, t, fre, &err);

	MUST(!err && rule->cfa_off == value);
	MUST(rule->cfa == flex_loc(abi, sframe_get_fre_udata(fre, 0, &err)));
	if (count == 4 || count == 6) {
		MUST(rule->ra_off == THEIR(ra, t, fre, &err));
		MUST(rule->ra == flex_loc(abi, sframe_get_fre_udata(fre, 2,
								    &err)));
	}
	if (count >= 5) {
		MUST(rule->fp_off == THEIR(fp, t, fre, &err));
		MUST(rule->fp == flex_loc(abi, sframe_get_fre_udata(fre,
								    count - 2,
								    &err)));
	}
	MUST(!err);
}
#endif

/* See sframe_quirk_not_saved() and sframe_quirk_saves_all(). */
static bool put_right_for_ocaml(const struct input *in, unsigned int words,
				const struct sframe_rule *rule)
{
	return in->target->abi == &sframe_abi_arm64 && (words == 3 || words == 6) &&
	       (rule->ra == SFRAME_LOC_SAME ||
		(rule->flags & SFRAME_RULE_SIGNAL && rule->ra_off == -152 &&
		 rule->fp_off == -160));
}

static bool known_to_differ(const struct input *in, const struct theirs *t,
			    const sframe_frame_row_entry *fre,
			    const struct sframe_rule *rule)
{
	unsigned int words = SFRAME_ROW_COUNT(fre->fre_info);

	return !words || put_right_for_ocaml(in, words, rule) ||
	       (t->info & SFRAME_FDE_PCMASK && t->num_rows == 1 &&
		in->target->abi == &sframe_abi_x86);
}

static void same_row(const struct input *in, struct theirs *t, u32 i, u32 n,
		     const struct sframe_row *row)
{
	sframe_frame_row_entry fre = {};

	if (sframe_decoder_get_fre(t->dctx, i, n, &fre))
		return;
	nr_rows++;
	MUST(fre.fre_start_addr == row->start);
	if (known_to_differ(in, t, &fre, &row->rule))
		return;
#if LIBSFRAME == 3
	if (t->info2 & 31) {
		same_flex(in, t, &fre, &row->rule);
		return;
	}
#endif
	same_default(in, t, &fre, &row->rule);
}

/*
 * All rows of a function are sound, and not too many. libsframe copies as many
 * words as a row says it has, and dies of a row that begins at the function's
 * end, which gas writes (PR 33131).
 */
static bool rows_sound(const struct input *in, const struct sframe_fde *fde)
{
	struct sframe_rows rows;
	struct sframe_row row;

	if (fde->num_rows > MAX_ROWS)
		return false;
	sframe_rows_init(&rows, &in->sec, fde);
	while (rows.left)
		if (sframe_rows_next(&rows, &row) || row.reason ||
		    row.start >= fde->size)
			return false;
	return true;
}

static void same_function(const struct input *in, struct theirs *t, u32 i,
			  const struct sframe_fde *fde)
{
	static const u8 fde_size[] = { SFRAME_FDE1_SIZE, SFRAME_FDE2_SIZE,
				       SFRAME_FDE3_SIZE };
	u64 from = in->sec.va;
	struct sframe_rows rows;
	struct sframe_row row;
	u32 n;

	if (!their_fde(t, i))
		return;
	nr_fdes++;
	if (in->sec.flags & SFRAME_F_PCREL)
		from += in->sec.fde_pos + (u64)i * fde_size[LIBSFRAME - 1];
	MUST(fde->start == from + t->start);
	MUST(fde->size == t->size && fde->num_rows == t->num_rows);
	MUST(fde->pcmask == !!(t->info & SFRAME_FDE_PCMASK));
	MUST(fde->row_type == SFRAME_FDE_ROW_TYPE(t->info));
	MUST(LIBSFRAME == 1 || fde->rep_size == t->rep_size);
	sframe_rows_init(&rows, &in->sec, fde);
	for (n = 0; rows.left; n++) {
		MUST(!sframe_rows_next(&rows, &row));
		same_row(in, t, i, n, &row);
	}
}

/* Is FDE @i, and all that it points to, sound? */
static bool sound(const struct input *in, u32 i, struct sframe_fde *fde)
{
	return !sframe_fde_get(&in->sec, i, fde) && rows_sound(in, fde);
}

static bool comparable(const struct input *in)
{
	const struct sframe_section *sec = &in->sec;
	struct sframe_fde fde;
	u32 i;

	if (sec->version != LIBSFRAME || sec->fde_pos != SFRAME_HDR_SIZE ||
	    (LIBSFRAME == 1 &&
	     sec->fre_pos != sec->fde_pos + (u64)sec->num_fdes * SFRAME_FDE1_SIZE) ||
	    (LIBSFRAME < 3 && sec->abi == &sframe_abi_s390))
		return false;
	/*
	 * libsframe reads all attributes of version 3 beforehand, and to turn
	 * bytes round it goes through the rows as well.
	 */
	for (i = 0; i < sec->num_fdes; i++)
		if ((LIBSFRAME == 3 &&
		     sframe_fde_get(sec, i, &fde) == SFRAME_FDE_BOUNDS) ||
		    (sec->swap && !sound(in, i, &fde)))
			return false;
	return true;
}

static void compare(const struct input *in)
{
	struct theirs t = {};
	struct sframe_fde fde;
	int err = 0;
	u32 i;

	t.dctx = sframe_decode((const char *)in->sec.data, in->sec.len, &err);
	if (!t.dctx)
		return;
	MUST(sframe_decoder_get_num_fidx(t.dctx) == in->sec.num_fdes);
	for (i = 0; i < in->sec.num_fdes; i++)
		if (sound(in, i, &fde))
			same_function(in, &t, i, &fde);
	sframe_decoder_free(&t.dctx);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	static bool ready;
	struct input in;
	u8 *own;

	if (!ready)
		atexit(say_counts);
	ready = true;
	if (len < KNOBS)
		return 0;
	own = malloc(len);
	MUST(own);
	memcpy(own, data, len);
	own[KNOB_WHAT] = (own[KNOB_WHAT] & ~0xc) | LIBSFRAME << 2;
	if (input_open(&in, own, len) && comparable(&in))
		compare(&in);
	input_close(&in);
	free(own);
	return 0;
}
