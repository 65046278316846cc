/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Every combination of ABI, version, byte order and addressing that the
 * format allows, as a parameter of cases.
 */
#ifndef KUNIT_FORMATS_H
#define KUNIT_FORMATS_H

#include "build.h"

struct format {
	const char *name;
	const struct sframe_abi *abi;
	u8 version;
	bool big_endian;
	u8 flags;
};

static const struct format formats[] = {
	{ "x86-64 V1", &sframe_abi_x86, 1, false, 0 },
	{ "x86-64 V2", &sframe_abi_x86, 2, false, 0 },
	{ "x86-64 V2 pcrel", &sframe_abi_x86, 2, false, SFRAME_F_PCREL },
	{ "x86-64 V3", &sframe_abi_x86, 3, false, 0 },
	{ "x86-64 V3 pcrel", &sframe_abi_x86, 3, false, SFRAME_F_PCREL },
	{ "arm64 V1", &sframe_abi_arm64, 1, false, 0 },
	{ "arm64 V2", &sframe_abi_arm64, 2, false, 0 },
	{ "arm64 V3 pcrel", &sframe_abi_arm64, 3, false, SFRAME_F_PCREL },
	{ "arm64be V1", &sframe_abi_arm64, 1, true, 0 },
	{ "arm64be V2 pcrel", &sframe_abi_arm64, 2, true, SFRAME_F_PCREL },
	{ "arm64be V3 pcrel", &sframe_abi_arm64, 3, true, SFRAME_F_PCREL },
	{ "s390x V2 pcrel", &sframe_abi_s390, 2, true, SFRAME_F_PCREL },
	{ "s390x V3 pcrel", &sframe_abi_s390, 3, true, SFRAME_F_PCREL },
};

KUNIT_ARRAY_PARAM_DESC(format, formats, name);

static inline void build_format(struct build *b, const struct format *f, u64 va)
{
	build_init(b, f->abi, f->version, f->big_endian, f->flags, va);
}

/* Two functions from @text on; the first with one row, the second with two. */
static inline void build_two(struct build *b, const struct format *f, u64 va, u64 text)
{
	build_format(b, f, va);
	b->aux_len = 5;
	b->slack = 7;
	b->fixed_fp = -16;
	build_fde(b, text, 16, 0, 0, 0);
	build_row(b, 0, SFRAME_ROW_BASE_SP, 0, 1, 8);
	build_fde(b, text + 16, 0x12345, 2 | SFRAME_FDE_PCMASK, 0, 32);
	build_row(b, 0, SFRAME_ROW_BASE_SP, 0, 1, 8);
	build_row(b, 4, SFRAME_ROW_BASE_SP, 0, 1, 16);
	build_end(b);
}

#endif /* KUNIT_FORMATS_H */
