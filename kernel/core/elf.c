// SPDX-License-Identifier: GPL-2.0
/*
 * Reads ELF64 headers, as far as needed to find the SFrame table, .eh_frame and the
 * executable segments; see sframe/elf.h. elf_sections.c goes by section headers.
 */
#include <sframe/format.h>

#include "elf_impl.h"

/* ELF identification and header: positions and values. */
#define EI_CLASS		4
#define EI_DATA			5
#define CLASS_64		2
#define DATA_LE			1
#define DATA_BE			2
#define E_MACHINE		18	/* u16 */
#define E_PHOFF			32	/* u64 */
#define E_SHOFF			40	/* u64 */
#define E_PHENTSIZE		54	/* u16 */
#define E_PHNUM			56	/* u16 */
#define E_SHENTSIZE		58	/* u16 */
#define E_SHNUM			60	/* u16 */
#define E_SHSTRNDX		62	/* u16 */

/* Program header. */
#define P_TYPE			0	/* u32 */
#define P_FLAGS			4	/* u32 */
#define P_OFFSET		8	/* u64 */
#define P_VADDR			16	/* u64 */
#define P_FILESZ		32	/* u64 */
#define PT_LOAD			1
#define SEG_EXEC		1
#define SEG_READ		4

/* .eh_frame_hdr: positions, and encodings of the pointer in it. */
#define EH_HDR_VERSION		1	/* u8, first */
#define EH_HDR_PTR_ENC		1	/* u8 */
#define EH_HDR_PTR		4
#define ENC_FORMAT		0x0f
#define ENC_ABSPTR		0x00
#define ENC_UDATA4		0x03
#define ENC_UDATA8		0x04
#define ENC_SDATA4		0x0b
#define ENC_SDATA8		0x0c
#define ENC_PCREL		0x10
#define ENC_DATAREL		0x30

/* Note where section headers are. A program runs without: if in doubt, it has none. */
static void note_section_headers(struct sframe_elf *elf, const u8 *ehdr)
{
	u16 nr = sframe_get16(ehdr + E_SHNUM, elf->swap);

	elf->shoff = sframe_get64(ehdr + E_SHOFF, elf->swap);
	elf->shstrndx = sframe_get16(ehdr + E_SHSTRNDX, elf->swap);
	if (sframe_get16(ehdr + E_SHENTSIZE, elf->swap) == SFRAME_ELF_SHDR_SIZE &&
	    nr <= SFRAME_ELF_MAX_SHDRS && elf->shstrndx < nr &&
	    elf->shoff <= SFRAME_POSITION_MAX - nr * SFRAME_ELF_SHDR_SIZE)
		elf->shnum = nr;
}

/**
 * sframe_elf_header() - check an ELF header and find the program headers
 * @elf: filled on success (all but the table and the text segments)
 * @abi: the ABI that the file must be of
 * @ehdr: the file's first bytes
 * @len: how many; SFRAME_ELF_EHDR_SIZE are needed
 * @foreign_ok: accept the byte order that is not the machine's (tools)
 *
 * Context: Any.
 * Return: SFRAME_OK, SFRAME_NOT_ELF, SFRAME_ELF_CLASS, SFRAME_ELF_ORDER,
 *	SFRAME_ELF_MACHINE or SFRAME_ELF_PHDRS.
 */
enum sframe_reason sframe_elf_header(struct sframe_elf *elf,
				     const struct sframe_abi *abi,
				     const void *ehdr, size_t len,
				     bool foreign_ok)
{
	const u8 *p = ehdr;

	if (len < SFRAME_ELF_EHDR_SIZE || memcmp(p, "\177ELF", 4))
		return SFRAME_NOT_ELF;
	if (p[EI_CLASS] != CLASS_64)
		return SFRAME_ELF_CLASS;
	if (p[EI_DATA] != DATA_LE && p[EI_DATA] != DATA_BE)
		return SFRAME_ELF_ORDER;

	memset(elf, 0, sizeof(*elf));
	elf->abi = abi;
	elf->big_endian = p[EI_DATA] == DATA_BE;
	elf->swap = elf->big_endian != SFRAME_MACHINE_BE;
	if (elf->swap && !foreign_ok)
		return SFRAME_ELF_ORDER;
	if (sframe_get16(p + E_MACHINE, elf->swap) != abi->e_machine)
		return SFRAME_ELF_MACHINE;
	if (!(elf->big_endian ? abi->id_be : abi->id_le))
		return SFRAME_ELF_ORDER;

	elf->phoff = sframe_get64(p + E_PHOFF, elf->swap);
	elf->phnum = sframe_get16(p + E_PHNUM, elf->swap);
	if (sframe_get16(p + E_PHENTSIZE, elf->swap) != SFRAME_ELF_PHDR_SIZE ||
	    !elf->phnum || elf->phnum > SFRAME_ELF_MAX_PHDRS ||
	    elf->phoff > SFRAME_POSITION_MAX - elf->phnum * SFRAME_ELF_PHDR_SIZE)
		return SFRAME_ELF_PHDRS;
	note_section_headers(elf, p);
	return SFRAME_OK;
}

/* Read a segment's place; false if it wraps around the address space or the file. */
static bool read_segment(struct sframe_segment *seg, const u8 *p, bool swap)
{
	seg->offset = sframe_get64(p + P_OFFSET, swap);
	seg->vaddr = sframe_get64(p + P_VADDR, swap);
	seg->size = sframe_get64(p + P_FILESZ, swap);
	return seg->offset <= SFRAME_POSITION_MAX &&
	       seg->size <= SFRAME_POSITION_MAX - seg->offset &&
	       seg->vaddr + seg->size >= seg->vaddr;
}

/**
 * sframe_elf_place() - does a table begin inside a readable segment? Cut it to that
 * @elf: the file
 * @table: address and file position must match; its size is cut where the segment ends,
 *	as the linker's slack may reach beyond
 *
 * Context: Any.
 * Return: true if it does.
 */
bool sframe_elf_place(const struct sframe_elf *elf,
		      struct sframe_segment *table)
{
	unsigned int i;

	for (i = 0; i < elf->nr_load; i++) {
		const struct sframe_segment *load = &elf->load[i];
		u64 at = table->vaddr - load->vaddr;

		if (table->vaddr < load->vaddr || at >= load->size ||
		    table->offset != load->offset + at)
			continue;
		if (table->size > load->size - at)
			table->size = load->size - at;
		return true;
	}
	return false;
}

/* Note a segment, if it is one that matters. */
static void note_segment(struct sframe_elf *elf, u32 type, u32 flags,
			 const struct sframe_segment *seg)
{
	switch (type) {
	case SFRAME_PT_GNU_SFRAME:
		if (!elf->has_table)
			elf->table = *seg;
		elf->has_table = true;
		break;
	case SFRAME_PT_GNU_EH_FRAME:
		if (!elf->has_eh_hdr)
			elf->eh_hdr = *seg;
		elf->has_eh_hdr = true;
		break;
	case PT_LOAD:
		if (flags & SEG_EXEC && elf->nr_text < SFRAME_ELF_MAX_TEXT)
			elf->text[elf->nr_text++] = *seg;
		if (flags & SEG_READ && elf->nr_load < SFRAME_ELF_MAX_LOAD)
			elf->load[elf->nr_load++] = *seg;
		break;
	}
}

/**
 * sframe_elf_phdrs() - find the table and the executable segments
 * @elf: as sframe_elf_header() left it
 * @phdrs: the program headers
 * @len: their length in bytes; @elf->phnum headers are needed
 *
 * Only the first PT_GNU_SFRAME counts. It must begin inside a readable
 * PT_LOAD, unless it is empty, and is cut where that ends.
 *
 * Context: Any.
 * Return: SFRAME_OK; SFRAME_NO_SFRAME (@elf is valid but has no table); or
 *	SFRAME_ELF_PHDRS for headers that are malformed or fewer than promised.
 */
enum sframe_reason sframe_elf_phdrs(struct sframe_elf *elf, const void *phdrs,
				    size_t len)
{
	struct sframe_segment seg;
	unsigned int i;

	elf->has_table = false;
	elf->has_eh_hdr = false;
	elf->nr_text = 0;
	elf->nr_load = 0;
	if (len < (size_t)elf->phnum * SFRAME_ELF_PHDR_SIZE)
		return SFRAME_ELF_PHDRS;

	for (i = 0; i < elf->phnum; i++) {
		const u8 *p = (const u8 *)phdrs + i * SFRAME_ELF_PHDR_SIZE;
		u32 type = sframe_get32(p + P_TYPE, elf->swap);

		if (type != PT_LOAD && type != SFRAME_PT_GNU_SFRAME &&
		    type != SFRAME_PT_GNU_EH_FRAME)
			continue;
		if (read_segment(&seg, p, elf->swap))
			note_segment(elf, type,
				     sframe_get32(p + P_FLAGS, elf->swap), &seg);
		else if (type != SFRAME_PT_GNU_EH_FRAME)
			return SFRAME_ELF_PHDRS;
	}
	if (elf->has_eh_hdr && (!sframe_elf_place(elf, &elf->eh_hdr) ||
				elf->eh_hdr.size < SFRAME_EH_HDR_SIZE))
		elf->has_eh_hdr = false;
	if (!elf->has_table)
		return SFRAME_NO_SFRAME;
	if (sframe_elf_place(elf, &elf->table))
		return SFRAME_OK;
	elf->has_table = false;
	/* If .sframe is removed (objcopy -R), its header keeps the address alone. */
	return elf->table.size ? SFRAME_ELF_PHDRS : SFRAME_NO_SFRAME;
}

/* Read the pointer to .eh_frame, at EH_HDR_PTR: pcrel|sdata4 in practice. */
static bool read_eh_hdr_pointer(const struct sframe_elf *elf, const u8 *hdr, u64 *va)
{
	const u8 *p = hdr + EH_HDR_PTR;

	switch (hdr[EH_HDR_PTR_ENC] & ENC_FORMAT) {
	case ENC_ABSPTR:
	case ENC_UDATA8:
	case ENC_SDATA8:
		*va = sframe_get64(p, elf->swap);
		break;
	case ENC_UDATA4:
		*va = sframe_get32(p, elf->swap);
		break;
	case ENC_SDATA4:
		*va = (s64)(s32)sframe_get32(p, elf->swap);
		break;
	default:
		return false;
	}
	switch (hdr[EH_HDR_PTR_ENC] & ~ENC_FORMAT) {
	case 0:
		return true;
	case ENC_PCREL:
		*va += elf->eh_hdr.vaddr + EH_HDR_PTR;
		return true;
	case ENC_DATAREL:
		*va += elf->eh_hdr.vaddr;
		return true;
	default:
		return false;
	}
}

/**
 * sframe_elf_eh_frame() - find .eh_frame
 * @elf: as sframe_elf_phdrs() left it, whether or not there is a SFrame table
 * @hdr: the first bytes of .eh_frame_hdr
 * @len: how many; SFRAME_EH_HDR_SIZE are needed
 * @section: set to what begins with .eh_frame and ends with its segment
 *
 * Nothing else that .eh_frame_hdr says is used.
 *
 * Context: Any.
 * Return: SFRAME_OK; SFRAME_NO_EH_FRAME if there is no PT_GNU_EH_FRAME inside a
 *	readable segment; SFRAME_EH_FRAME_HDR if it does not lead into one.
 */
enum sframe_reason sframe_elf_eh_frame(const struct sframe_elf *elf,
				       const void *hdr, size_t len,
				       struct sframe_segment *section)
{
	const u8 *p = hdr;
	unsigned int i;
	u64 va;

	if (!elf->has_eh_hdr)
		return SFRAME_NO_EH_FRAME;
	if (len < SFRAME_EH_HDR_SIZE || p[0] != EH_HDR_VERSION ||
	    !read_eh_hdr_pointer(elf, p, &va))
		return SFRAME_EH_FRAME_HDR;
	for (i = 0; i < elf->nr_load; i++) {
		u64 at = va - elf->load[i].vaddr;

		if (at >= elf->load[i].size)
			continue;
		section->vaddr = va;
		section->offset = elf->load[i].offset + at;
		section->size = elf->load[i].size - at;
		return SFRAME_OK;
	}
	return SFRAME_EH_FRAME_HDR;
}
