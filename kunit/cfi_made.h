/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Makes .eh_frame sections of any ABI and byte order, for the suites:
 *
 *	cfi_begin(&m, &sframe_abi_x86, false);
 *	cfi_cie(&m, "zR", 1, -8, 16, 8, initial...);
 *	cfi_fde(&m, start, size, instructions...);
 *	cfi_end(&m);			the terminator
 *	... m.data, m.len ...
 *
 * Pointers are 32 bits from where they are, as ld writes them, unless
 * m.encoding says otherwise.
 */
#ifndef KUNIT_CFI_MADE_H
#define KUNIT_CFI_MADE_H

#include <sframe/sources.h>

#include "cfi.h"
#include "cfi_insn.h"

#define CFI_VA		0x700000ull
#define CFI_HDR_VA	0x6ff000ull
#define CFI_TEXT	0x10000ull
#define CFI_TEXT_SIZE	0x100000ull
#define CFI_ROOM	4096

/**
 * struct cfi_made - a section being made
 * @abi: its ABI
 * @big_endian: its byte order
 * @encoding: of pointers
 * @version: of CIEs
 * @wide: entries have 64-bit lengths; with 8, identifiers too
 * @cie: position of the CIE that FDEs refer to
 * @sized: it has an augmentation
 * @len: bytes so far
 * @data: the section
 */
struct cfi_made {
	const struct sframe_abi *abi;
	bool big_endian;
	u8 encoding;
	u8 version;
	u8 wide;
	u32 cie;
	bool sized;
	u32 len;
	u8 data[CFI_ROOM];
};

static inline void cfi_begin(struct cfi_made *m, const struct sframe_abi *abi,
			     bool big_endian)
{
	memset(m, 0, sizeof(*m));
	m->abi = abi;
	m->big_endian = big_endian;
	m->encoding = SFRAME_PE_PCREL | SFRAME_PE_SDATA4;
	m->version = 1;
}

static inline void cfi_put_at(struct cfi_made *m, u32 pos, unsigned int size,
			      u64 value)
{
	unsigned int i;

	for (i = 0; i < size; i++)
		m->data[pos + (m->big_endian ? size - 1 - i : i)] =
			value >> (8 * i);
}

static inline void cfi_put(struct cfi_made *m, unsigned int size, u64 value)
{
	if (m->len + size > CFI_ROOM)
		return;
	cfi_put_at(m, m->len, size, value);
	m->len += size;
}

static inline void cfi_bytes(struct cfi_made *m, const u8 *p, u32 n)
{
	while (n--)
		cfi_put(m, 1, *p++);
}

static inline void cfi_uleb(struct cfi_made *m, u64 n)
{
	for (; n > 0x7f; n >>= 7)
		cfi_put(m, 1, n | 0x80);
	cfi_put(m, 1, n);
}

static inline void cfi_sleb(struct cfi_made *m, s64 n)
{
	for (; n < -64 || n > 63; n >>= 7)
		cfi_put(m, 1, (n & 0x7f) | 0x80);
	cfi_put(m, 1, n & 0x7f);
}

/* A pointer as m->encoding says; only what the suites need. */
static inline void cfi_pointer(struct cfi_made *m, u64 value, bool size)
{
	u8 from = size ? 0 : m->encoding & SFRAME_PE_FROM;

	if (from == SFRAME_PE_PCREL)
		value -= CFI_VA + m->len;
	else if (from == SFRAME_PE_DATAREL)
		value -= CFI_HDR_VA;
	switch (m->encoding & SFRAME_PE_FORMAT) {
	case SFRAME_PE_ULEB128:
		cfi_uleb(m, value);
		break;
	case SFRAME_PE_SLEB128:
		cfi_sleb(m, value);
		break;
	case SFRAME_PE_UDATA2:
	case SFRAME_PE_SDATA2:
		cfi_put(m, 2, value);
		break;
	case SFRAME_PE_UDATA4:
	case SFRAME_PE_SDATA4:
		cfi_put(m, 4, value);
		break;
	default:
		cfi_put(m, 8, value);
		break;
	}
}

/* Begin an entry with identifier 0 (CIE) or a reference to m->cie. */
static inline u32 cfi_open(struct cfi_made *m, bool cie)
{
	u32 at;

	if (m->wide) {
		cfi_put(m, 4, 0xffffffff);
		cfi_put(m, 8, 0);
	} else {
		cfi_put(m, 4, 0);
	}
	at = m->len;
	cfi_put(m, m->wide == 8 ? 8 : 4, cie ? 0 : at - m->cie);
	return at;
}

static inline void cfi_close(struct cfi_made *m, u32 at)
{
	while (m->len % 4)
		cfi_put(m, 1, 0);
	if (m->wide)
		cfi_put_at(m, at - 8, 8, m->len - at);
	else
		cfi_put_at(m, at - 4, 4, m->len - at);
}

static inline void cfi_cie_bytes(struct cfi_made *m, const char *letters,
				 u32 code, s32 data, u32 ra, const u8 *insns,
				 u32 n)
{
	u32 cie = m->len, at = cfi_open(m, true);

	cfi_put(m, 1, m->version);
	cfi_bytes(m, (const u8 *)letters, strlen(letters) + 1);
	if (m->version == 4) {
		cfi_put(m, 1, 8);
		cfi_put(m, 1, 0);
	}
	cfi_uleb(m, code);
	cfi_sleb(m, data);
	cfi_uleb(m, ra);
	m->sized = letters[0] == 'z';
	if (m->sized) {
		u32 len = 0;
		const char *p;

		for (p = letters + 1; *p; p++)
			len += *p == 'R' || *p == 'L' ? 1 : *p == 'P' ? 5 : 0;
		cfi_uleb(m, len);
		for (p = letters + 1; *p; p++) {
			if (*p == 'R')
				cfi_put(m, 1, m->encoding);
			else if (*p == 'L')
				cfi_put(m, 1, SFRAME_PE_OMIT);
			if (*p != 'P')
				continue;
			/* As compilers do: indirect, from here, 32 bits. */
			cfi_put(m, 1, SFRAME_PE_INDIRECT | SFRAME_PE_PCREL |
				      SFRAME_PE_SDATA4);
			cfi_put(m, 4, 0x1234);
		}
	}
	cfi_bytes(m, insns, n);
	cfi_close(m, at);
	m->cie = cie;
}

static inline void cfi_fde_bytes(struct cfi_made *m, u64 start, u64 size,
				 const u8 *insns, u32 n)
{
	u32 at = cfi_open(m, false);

	cfi_pointer(m, start, false);
	cfi_pointer(m, size, true);
	if (m->sized)
		cfi_uleb(m, 0);
	cfi_bytes(m, insns, n);
	cfi_close(m, at);
}

#define CFI_BYTES(...)	((const u8[]){ __VA_ARGS__ }), \
			sizeof((const u8[]){ __VA_ARGS__ })
#define cfi_cie(m, letters, code, data, ra, ...)			\
	cfi_cie_bytes(m, letters, code, data, ra, CFI_BYTES(__VA_ARGS__))
#define cfi_fde(m, start, size, ...)					\
	cfi_fde_bytes(m, start, size, CFI_BYTES(__VA_ARGS__))

static inline void cfi_end(struct cfi_made *m)
{
	cfi_put(m, 4, 0);
}

static const struct sframe_segment cfi_text = {
	.vaddr = CFI_TEXT, .size = CFI_TEXT_SIZE,
};

static inline void cfi_sources(const struct cfi_made *m,
			       struct sframe_sources *src)
{
	*src = (struct sframe_sources){
		.abi = m->abi,
		.swap = m->big_endian != SFRAME_MACHINE_BE,
		.eh_frame = { m->data, m->len, CFI_VA },
		.eh_hdr_va = CFI_HDR_VA,
		.text = &cfi_text,
		.nr_text = 1,
	};
}

/* The usual CIE of each ABI: CFA at SP, RA where a call leaves it. */
static inline void cfi_usual_cie(struct cfi_made *m, const char *letters)
{
	if (m->abi == &sframe_abi_x86)
		cfi_cie(m, letters, 1, -8, 16, CFA_DEF_CFA, 7, 8,
			CFA_OFFSET | 16, 1);
	else if (m->abi == &sframe_abi_arm64)
		cfi_cie(m, letters, 4, -8, 30, CFA_DEF_CFA, 31, 0);
	else
		cfi_cie(m, letters, 2, -8, 14, CFA_DEF_CFA, 15, 0xa0, 1);
}

#endif /* KUNIT_CFI_MADE_H */
