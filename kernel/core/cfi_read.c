// SPDX-License-Identifier: GPL-2.0
/*
 * Numbers and pointers of .eh_frame. Nothing is read past the end given;
 * whatever is missing reads as zero and is remembered.
 */
#include "cfi.h"

/* Bytes of a LEB128 number beyond which it does not fit in 64 bits. */
#define LEB128_MAX	10

/**
 * sframe_cfi_skip() - go over some bytes
 * @r: position
 * @bytes: how many
 *
 * Context: Any.
 */
void sframe_cfi_skip(struct sframe_cfi_reader *r, u64 bytes)
{
	if (unlikely(bytes > (u64)(r->end - r->p))) {
		r->bad = true;
		r->p = r->end;
		return;
	}
	r->p += bytes;
}

/**
 * sframe_cfi_uint() - read a number of fixed size
 * @r: position
 * @size: 1, 2, 4 or 8 bytes
 *
 * Context: Any.
 * Return: the number, or 0 if it is not there.
 */
u64 sframe_cfi_uint(struct sframe_cfi_reader *r, unsigned int size)
{
	const u8 *p = r->p;

	if (unlikely((u64)(r->end - p) < size)) {
		r->bad = true;
		r->p = r->end;
		return 0;
	}
	r->p += size;
	switch (size) {
	case 1:
		return *p;
	case 2:
		return sframe_get16(p, r->swap);
	case 4:
		return sframe_get32(p, r->swap);
	default:
		return sframe_get64(p, r->swap);
	}
}

/* Read a LEB128 number of @bits bits. Returns its last byte, which has the sign. */
static u8 read_leb128(struct sframe_cfi_reader *r, u64 *value, unsigned int *bits)
{
	unsigned int i;
	u8 byte = 0;

	*value = 0;
	*bits = 0;
	for (i = 0; i < LEB128_MAX && r->p < r->end; i++) {
		byte = *r->p++;
		*value |= (u64)(byte & 0x7f) << *bits;
		*bits += 7;
		if (!(byte & 0x80))
			return byte;
	}
	r->bad = true;
	*value = 0;
	return 0;
}

/**
 * sframe_cfi_uleb_long() - read an unsigned LEB128 number of any length
 * @r: position
 *
 * Context: Any.
 * Return: the number, or 0 if it is cut off or longer than 10 bytes.
 */
u64 sframe_cfi_uleb_long(struct sframe_cfi_reader *r)
{
	unsigned int bits;
	u64 value;

	read_leb128(r, &value, &bits);
	return value;
}

/**
 * sframe_cfi_sleb() - read a signed LEB128 number
 * @r: position
 *
 * Context: Any.
 * Return: the number, or 0 if it is cut off or longer than 10 bytes.
 */
s64 sframe_cfi_sleb(struct sframe_cfi_reader *r)
{
	unsigned int bits;
	u64 value;
	u8 last = read_leb128(r, &value, &bits);

	if (last & 0x40 && bits < 64)
		value |= ~0ull << bits;
	return value;
}

/* False if the format is not known. */
static bool read_pointer_format(struct sframe_cfi_reader *r, u8 format, u64 *value)
{
	switch (format) {
	case SFRAME_PE_ABSPTR:
	case SFRAME_PE_UDATA8:
	case SFRAME_PE_SDATA8:
		*value = sframe_cfi_uint(r, 8);
		return true;
	case SFRAME_PE_UDATA2:
		*value = sframe_cfi_uint(r, 2);
		return true;
	case SFRAME_PE_UDATA4:
		*value = sframe_cfi_uint(r, 4);
		return true;
	case SFRAME_PE_SDATA2:
		*value = (s64)(s16)sframe_cfi_uint(r, 2);
		return true;
	case SFRAME_PE_SDATA4:
		*value = (s64)(s32)sframe_cfi_uint(r, 4);
		return true;
	case SFRAME_PE_ULEB128:
		*value = sframe_cfi_uleb(r);
		return true;
	case SFRAME_PE_SLEB128:
		*value = sframe_cfi_sleb(r);
		return true;
	default:
		return false;
	}
}

/**
 * sframe_cfi_pointer() - read an encoded pointer
 * @r: position, in @eh
 * @encoding: SFRAME_PE_*
 * @eh: the section
 * @value: the pointer, a link-time address
 *
 * A pointer that is zero before anything is added to it is none: it stays zero.
 *
 * Context: Any.
 * Return: false if the encoding is not one that link-time addresses have.
 * What is cut off is remembered by @r alone.
 */
bool sframe_cfi_pointer(struct sframe_cfi_reader *r, u8 encoding,
			const struct sframe_eh_frame *eh, u64 *value)
{
	u64 from = 0;

	switch (encoding & ~SFRAME_PE_FORMAT) {
	case 0:
		break;
	case SFRAME_PE_PCREL:
		from = eh->va + (r->p - eh->data);
		break;
	case SFRAME_PE_DATAREL:
		from = eh->hdr_va;
		break;
	default:
		return false;
	}
	if (!read_pointer_format(r, encoding & SFRAME_PE_FORMAT, value))
		return false;
	if (*value)
		*value += from;
	return true;
}
