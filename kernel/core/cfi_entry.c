// SPDX-License-Identifier: GPL-2.0
/*
 * The entries of an .eh_frame section: what functions have in common (CIEs),
 * and the functions (FDEs).
 */
#include "cfi.h"

#define EXTENDED_LENGTH		0xffffffffu

/*
 * Size of the identifier behind a 64-bit length: 32 bits by the Linux Standard Base, 64
 * by other readers. In 64 bits it is zero or the distance back to the CIE; 32 bits with
 * something else behind them are too large a number for that.
 */
static unsigned int entry_id_size(const struct sframe_eh_frame *eh, u64 at, u64 len,
				  bool extended)
{
	u64 id;

	if (!extended || len < 8)
		return 4;
	id = sframe_get64(eh->data + at, eh->swap);
	return id <= at ? 8 : 4;
}

/**
 * sframe_cfi_entry() - find the entry at a position, and the next one
 * @eh: the section
 * @pos: position of the entry; moved to the next one
 * @entry: filled if SFRAME_OK is returned
 *
 * Context: Any.
 * Return: SFRAME_OK; SFRAME_NO_FUNCTIONS at the section's end or terminator;
 *	SFRAME_CFI_ENTRY for an entry that reaches beyond the section.
 */
enum sframe_reason sframe_cfi_entry(const struct sframe_eh_frame *eh, u64 *pos,
				    struct sframe_cfi_entry *entry)
{
	u64 at = *pos, len, id;
	unsigned int size;
	bool extended;

	if (at > eh->len || eh->len - at < 4)
		return SFRAME_NO_FUNCTIONS;
	len = sframe_get32(eh->data + at, eh->swap);
	at += 4;
	if (!len)
		return SFRAME_NO_FUNCTIONS;
	extended = len == EXTENDED_LENGTH;
	if (extended) {
		if (eh->len - at < 8)
			return SFRAME_CFI_ENTRY;
		len = sframe_get64(eh->data + at, eh->swap);
		at += 8;
	}
	if (len < 4 || len > eh->len - at)
		return SFRAME_CFI_ENTRY;
	*pos = at + len;
	size = entry_id_size(eh, at, len, extended);
	id = size == 8 ? sframe_get64(eh->data + at, eh->swap) :
			 sframe_get32(eh->data + at, eh->swap);
	/* A distance that leads before the section becomes a position behind it. */
	entry->is_cie = !id;
	entry->cie_pos = id <= at ? at - id : ~0u;
	entry->body = (struct sframe_cfi_reader){
		.p = eh->data + at + size,
		.end = eh->data + at + len,
		.swap = eh->swap,
	};
	return SFRAME_OK;
}

/* Read what the letters of the augmentation describe; @r is at the data. */
static bool read_augmentation_data(const struct sframe_eh_frame *eh,
				   struct sframe_cfi_reader *r, const u8 *letters,
				   struct sframe_cfi_cie *cie)
{
	u64 pointer;
	u8 encoding;

	for (; *letters; letters++) {
		switch (*letters) {
		case 'L':
			sframe_cfi_uint(r, 1);
			break;
		case 'P':
			encoding = sframe_cfi_uint(r, 1);
			if (!sframe_cfi_pointer(r, encoding & ~SFRAME_PE_INDIRECT,
						eh, &pointer))
				return false;
			break;
		case 'R':
			cie->encoding = sframe_cfi_uint(r, 1);
			break;
		case 'S':
			cie->initial.signal = true;
			break;
		case 'B':	/* arm64: signed with the B key */
		case 'G':	/* arm64: tagged frames */
			break;
		default:
			return false;
		}
	}
	return true;
}

static enum sframe_reason read_augmentation(const struct sframe_eh_frame *eh,
					    struct sframe_cfi_reader *r,
					    const u8 *letters,
					    struct sframe_cfi_cie *cie)
{
	struct sframe_cfi_reader data = *r;
	u64 len;

	if (!*letters)
		return SFRAME_OK;
	if (*letters != 'z')
		return SFRAME_CFI_AUGMENTATION;
	cie->sized = true;
	len = sframe_cfi_uleb(r);
	data.p = r->p;
	sframe_cfi_skip(r, len);
	if (r->bad)
		return SFRAME_CFI_CIE;
	data.end = r->p;
	if (!read_augmentation_data(eh, &data, letters + 1, cie))
		return SFRAME_CFI_AUGMENTATION;
	return data.bad ? SFRAME_CFI_CIE : SFRAME_OK;
}

/* Read a CIE up to its initial instructions, which @r is left at. */
static enum sframe_reason read_cie_header(const struct sframe_eh_frame *eh,
					  struct sframe_cfi_reader *r,
					  struct sframe_cfi_cie *cie)
{
	const u8 *letters;
	u8 version;

	version = sframe_cfi_uint(r, 1);
	if (version != 1 && version != 3 && version != 4)
		return SFRAME_CFI_CIE;
	letters = r->p;
	while (sframe_cfi_uint(r, 1))
		;
	if (r->bad)
		return SFRAME_CFI_CIE;
	if (version == 4 && (sframe_cfi_uint(r, 1) != 8 ||
			     sframe_cfi_uint(r, 1)))
		return SFRAME_CFI_CIE;
	cie->code_align = sframe_cfi_uleb(r);
	cie->data_align = sframe_cfi_sleb(r);
	cie->ra_reg = version == 1 ? sframe_cfi_uint(r, 1) : sframe_cfi_uleb(r);
	if (r->bad)
		return SFRAME_CFI_CIE;
	cie->initial.foreign_ra = eh->abi->ra_reg < 0 ||
				  cie->ra_reg != (u64)eh->abi->ra_reg;
	return read_augmentation(eh, r, letters, cie);
}

/**
 * sframe_cfi_cie_read() - read a CIE
 * @eh: the section
 * @pos: its position
 * @rows: room to carry out its instructions
 * @cie: filled; @cie->reason says whether it can be used
 *
 * Context: Any.
 */
void sframe_cfi_cie_read(const struct sframe_eh_frame *eh, u32 pos,
			 struct sframe_cfi_rows *rows,
			 struct sframe_cfi_cie *cie)
{
	struct sframe_cfi_entry entry;
	struct sframe_cfi_fde whole;
	u64 next = pos;

	memset(cie, 0, sizeof(*cie));
	cie->pos = (u64)pos + 1;
	cie->reason = SFRAME_CFI_CIE;
	if (sframe_cfi_entry(eh, &next, &entry) || !entry.is_cie ||
	    entry.body.end - entry.body.p > SFRAME_CFI_CIE_MAX)
		return;
	cie->bytes = next - pos;
	cie->reason = read_cie_header(eh, &entry.body, cie);
	if (cie->reason)
		return;
	whole = (struct sframe_cfi_fde){
		.cie = cie,
		.program = entry.body,
	};
	cie->reason = sframe_cfi_initial(rows, eh, &whole);
	cie->initial = rows->state;
}

/**
 * sframe_cfi_fde_read() - read an FDE
 * @eh: the section
 * @entry: the FDE
 * @cie: its CIE, which can be used
 * @fde: filled if SFRAME_OK is returned
 *
 * Context: Any.
 * Return: SFRAME_OK; SFRAME_CFI_POINTER; SFRAME_CFI_ENTRY for one that is cut
 *	off; SFRAME_CFI_EMPTY for one of no bytes; SFRAME_CFI_RANGE for one
 *	that was discarded, or passes the end of the address space.
 */
enum sframe_reason sframe_cfi_fde_read(const struct sframe_eh_frame *eh,
				       const struct sframe_cfi_entry *entry,
				       const struct sframe_cfi_cie *cie,
				       struct sframe_cfi_fde *fde)
{
	struct sframe_cfi_reader r = entry->body;

	fde->cie = cie;
	if (!sframe_cfi_pointer(&r, cie->encoding, eh, &fde->start) ||
	    !sframe_cfi_pointer(&r, cie->encoding & SFRAME_PE_FORMAT, eh,
				&fde->size))
		return SFRAME_CFI_POINTER;
	if (cie->sized)
		sframe_cfi_skip(&r, sframe_cfi_uleb(&r));
	if (r.bad)
		return SFRAME_CFI_ENTRY;
	if (!fde->size)
		return SFRAME_CFI_EMPTY;
	/* No pointer: the function was discarded. A segment may begin there, but no code. */
	if (!fde->start || fde->start + fde->size < fde->start)
		return SFRAME_CFI_RANGE;
	fde->program = r;
	return SFRAME_OK;
}
