// SPDX-License-Identifier: GPL-2.0
/*
 * Version 2 function descriptors: 20 bytes; starts are relative to the
 * section, or to the field itself (errata 1, SFRAME_F_PCREL).
 */
#include "decode_impl.h"

/**
 * sframe_fde_get_v2() - sframe_fde_get() for version 2
 * @sec: the section
 * @i: which, less than @sec->num_fdes
 * @fde: filled; start and size are valid whatever is returned
 *
 * Context: Any.
 * Return: as sframe_fde_get().
 */
enum sframe_reason sframe_fde_get_v2(const struct sframe_section *sec, u32 i,
				     struct sframe_fde *fde)
{
	u64 pos = sec->fde_pos + (u64)i * SFRAME_FDE2_SIZE;
	u8 info;

	sframe_fde_get_v12(sec, pos, fde, &info);
	fde->rep_size = sec->data[pos + SFRAME_FDE2_REP_SIZE];
	fde->flex = false;
	fde->signal = false;
	return sframe_fde_check(sec, fde);
}
