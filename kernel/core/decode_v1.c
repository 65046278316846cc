// SPDX-License-Identifier: GPL-2.0
/*
 * Version 1 function descriptors: 17 bytes, starts relative to the section.
 */
#include "decode_impl.h"

/* No block size is recorded; amd64's PLT is the only producer (16 bytes). */
#define V1_AMD64_REP_SIZE	16

/**
 * sframe_fde_get_v12() - read the fields that versions 1 and 2 share
 * @sec: the section
 * @pos: position of the FDE in @sec->data, checked by the caller
 * @fde: start, size, rows and PC type are filled in
 * @info: the info byte
 *
 * Context: Any.
 */
void sframe_fde_get_v12(const struct sframe_section *sec, u64 pos,
			struct sframe_fde *fde, u8 *info)
{
	const u8 *p = sec->data + pos;
	u64 start = (s32)sframe_get32(p + SFRAME_FDE_START, sec->swap);

	if (sec->flags & SFRAME_F_PCREL)
		start += pos;
	*info = p[SFRAME_FDE_INFO];
	fde->start = sec->va + start;
	fde->size = sframe_get32(p + SFRAME_FDE_FUNC_SIZE, sec->swap);
	fde->row_pos = sframe_get32(p + SFRAME_FDE_ROW_OFF, sec->swap);
	fde->num_rows = sframe_get32(p + SFRAME_FDE_NUM_ROWS, sec->swap);
	fde->row_type = SFRAME_FDE_ROW_TYPE(*info);
	fde->pcmask = *info & SFRAME_FDE_PCMASK;
}

/**
 * sframe_fde_get_v1() - sframe_fde_get() for version 1
 * @sec: the section
 * @i: which, less than @sec->num_fdes
 * @fde: filled; start and size are valid whatever is returned
 *
 * Context: Any.
 * Return: as sframe_fde_get().
 */
enum sframe_reason sframe_fde_get_v1(const struct sframe_section *sec, u32 i,
				     struct sframe_fde *fde)
{
	u64 pos = sec->fde_pos + (u64)i * SFRAME_FDE1_SIZE;
	u8 info;

	sframe_fde_get_v12(sec, pos, fde, &info);
	fde->rep_size = 0;
	if (fde->pcmask && sec->abi->id_le == SFRAME_ID_AMD64_LE)
		fde->rep_size = V1_AMD64_REP_SIZE;
	fde->flex = false;
	fde->signal = false;
	return sframe_fde_check(sec, fde);
}
