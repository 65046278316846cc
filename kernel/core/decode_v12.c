// SPDX-License-Identifier: GPL-2.0
/*
 * Function descriptors of version 1, 17 bytes, and of version 2, 20 bytes. Starts are relative to
 * the section, or to the field itself (version 2, errata 1, SFRAME_F_PCREL).
 */
#include "decode_impl.h"

/* No block size is recorded; amd64's PLT is the only producer (16 bytes). */
#define V1_AMD64_REP_SIZE	16

/**
 * sframe_fde_get_v12() - sframe_fde_get() for versions 1 and 2
 * @sec: the section
 * @i: which, less than @sec->num_fdes
 * @fde: filled; start and size are valid whatever is returned
 *
 * Context: Any.
 * Return: as sframe_fde_get().
 */
enum sframe_reason sframe_fde_get_v12(const struct sframe_section *sec, u32 i,
				      struct sframe_fde *fde)
{
	bool v1 = sec->version == SFRAME_VERSION_1;
	u64 pos = sec->fde_pos + (u64)i * (v1 ? SFRAME_FDE1_SIZE : SFRAME_FDE2_SIZE);
	const u8 *p = sec->data + pos;
	u64 start = (s32)sframe_get32(p + SFRAME_FDE_START, sec->swap);
	u8 info = p[SFRAME_FDE_INFO];

	if (sec->flags & SFRAME_F_PCREL)
		start += pos;
	fde->start = sec->va + start;
	fde->size = sframe_get32(p + SFRAME_FDE_FUNC_SIZE, sec->swap);
	fde->row_pos = sframe_get32(p + SFRAME_FDE_ROW_OFF, sec->swap);
	fde->num_rows = sframe_get32(p + SFRAME_FDE_NUM_ROWS, sec->swap);
	fde->row_type = SFRAME_FDE_ROW_TYPE(info);
	fde->pcmask = info & SFRAME_FDE_PCMASK;
	fde->flex = false;
	fde->signal = false;
	if (!v1)
		fde->rep_size = p[SFRAME_FDE2_REP_SIZE];
	else
		fde->rep_size = fde->pcmask && sec->abi->id_le == SFRAME_ID_AMD64_LE ?
				V1_AMD64_REP_SIZE : 0;
	return sframe_fde_check(sec, fde);
}
