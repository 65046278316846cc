// SPDX-License-Identifier: GPL-2.0
/*
 * From the fuzzer's bytes to entries of .eh_frame: lengths, identifiers,
 * versions, starts and sizes are put right, and all else is the fuzzer's.
 */
#include "cfi.h"
#include "fuzz.h"
#include "fuzz_cfi.h"

/* Entries are no longer than this, and CIEs that FDEs refer to so many. */
#define ENTRY_MAX	0x7c
#define CIES		8

/* A CIE: version, augmentation "zR" or "zRS", alignments, column, data. */
static void put_cie(const struct input *in, u8 *p, u32 len)
{
	const struct sframe_abi *abi = in->target->abi;
	const u8 head[] = { 1, 'z', 'R', 'S', 0, 1, 0x78,
			    abi->ra_reg < 0 ? 16 : abi->ra_reg, 1, 0x1b };
	bool signal = p[4] == 'S' || p[3] == 'S';
	u8 *to = p + 4, column = p[4 + 6 + signal];
	u32 i;

	put(in, p, 4, 0);
	if (len < 4 + sizeof(head) || p[4] == 0xff)
		return;
	for (i = 0; i < sizeof(head); i++)
		if (signal || i != 3)
			*to++ = head[i];
	/* Most columns are the usual one. */
	if ((column & 0xc0) == 0x40)
		to[-3] = column & 0x1f;
}

static void put_fde(const struct input *in, u32 pos, u8 *p, u32 len, u32 cie)
{
	u32 start = sframe_get16(p + 4, false), size = p[8];

	put(in, p, 4, pos - cie);
	if (len < 14)
		return;
	put(in, p + 4, 4, TEXT_VA + start - (EH_VA + pos + 4));
	put(in, p + 8, 4, size & 0x80 ? size << 4 : size);
	p[12] = 0;
}

void cfi_shape(struct input *in)
{
	u32 pos = 0, nr = 0, cie[CIES];

	while (in->file_len - pos >= 16) {
		u8 *p = in->file + pos;
		u32 left = in->file_len - pos - 4;
		u32 len = (p[0] | p[3]) & ENTRY_MAX, kind = p[4] ^ p[7];

		if (p[1] == 0xff)
			return;		/* as it is from here on */
		if (len < 12)
			len = 12;
		if (len > left)
			len = left;
		put(in, p, 4, len);
		if (!nr || !kind) {
			put_cie(in, p + 4, len);
			cie[nr++ % CIES] = pos;
		} else {
			put_fde(in, pos + 4, p + 4, len,
				cie[kind % (nr < CIES ? nr : CIES)]);
		}
		pos += 4 + len;
	}
}
