// SPDX-License-Identifier: GPL-2.0
/*
 * Just enough of ELF64 to find the SFrame table and the executable segments.
 */
#include <sframe/elf.h>
#include <sframe/format.h>

/* ELF identification and header: positions and values. */
#define EI_CLASS		4
#define EI_DATA			5
#define CLASS_64		2
#define DATA_LE			1
#define DATA_BE			2
#define E_MACHINE		18	/* u16 */
#define E_PHOFF			32	/* u64 */
#define E_PHENTSIZE		54	/* u16 */
#define E_PHNUM			56	/* u16 */

/* Program header. */
#define P_TYPE			0	/* u32 */
#define P_FLAGS			4	/* u32 */
#define P_OFFSET		8	/* u64 */
#define P_VADDR			16	/* u64 */
#define P_FILESZ		32	/* u64 */
#define PT_LOAD			1
#define SEG_EXEC		1
#define SEG_READ		4

/* No offset in a file is larger (loff_t is signed). */
#define POSITION_MAX		(~0ull >> 1)

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
	    elf->phoff > POSITION_MAX - elf->phnum * SFRAME_ELF_PHDR_SIZE)
		return SFRAME_ELF_PHDRS;
	return SFRAME_OK;
}

/* False if the segment wraps around the address space or the file. */
static bool segment_get(struct sframe_segment *seg, const u8 *p, bool swap)
{
	seg->offset = sframe_get64(p + P_OFFSET, swap);
	seg->vaddr = sframe_get64(p + P_VADDR, swap);
	seg->size = sframe_get64(p + P_FILESZ, swap);
	return seg->offset <= POSITION_MAX &&
	       seg->size <= POSITION_MAX - seg->offset &&
	       seg->vaddr + seg->size >= seg->vaddr;
}

/*
 * Does @table begin inside @load, at matching address and file position? Then
 * cut it where @load ends: the linker's slack may reach beyond.
 */
static bool table_within(struct sframe_segment *table,
			 const struct sframe_segment *load)
{
	u64 at = table->vaddr - load->vaddr;

	if (table->vaddr < load->vaddr || at >= load->size ||
	    table->offset != load->offset + at)
		return false;
	if (table->size > load->size - at)
		table->size = load->size - at;
	return true;
}

/* Place the table found in @elf in one of the readable segments. */
static bool table_place(struct sframe_elf *elf, const u8 *phdrs)
{
	struct sframe_segment load;
	unsigned int i;

	for (i = 0; i < elf->phnum; i++) {
		const u8 *p = phdrs + i * SFRAME_ELF_PHDR_SIZE;

		if (sframe_get32(p + P_TYPE, elf->swap) == PT_LOAD &&
		    sframe_get32(p + P_FLAGS, elf->swap) & SEG_READ &&
		    segment_get(&load, p, elf->swap) &&
		    table_within(&elf->table, &load))
			return true;
	}
	return false;
}

/**
 * sframe_elf_phdrs() - find the table and the executable segments
 * @elf: as sframe_elf_header() left it
 * @phdrs: the program headers
 * @len: their length in bytes; @elf->phnum headers are needed
 *
 * Only the first PT_GNU_SFRAME counts. It must begin inside a readable
 * PT_LOAD and is cut where that ends.
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
	elf->nr_text = 0;
	if (len < (size_t)elf->phnum * SFRAME_ELF_PHDR_SIZE)
		return SFRAME_ELF_PHDRS;

	for (i = 0; i < elf->phnum; i++) {
		const u8 *p = (const u8 *)phdrs + i * SFRAME_ELF_PHDR_SIZE;
		u32 type = sframe_get32(p + P_TYPE, elf->swap);

		if (type != PT_LOAD && type != SFRAME_PT_GNU_SFRAME)
			continue;
		if (!segment_get(&seg, p, elf->swap))
			return SFRAME_ELF_PHDRS;
		if (type == SFRAME_PT_GNU_SFRAME) {
			if (!elf->has_table)
				elf->table = seg;
			elf->has_table = true;
		} else if (sframe_get32(p + P_FLAGS, elf->swap) & SEG_EXEC &&
			   elf->nr_text < SFRAME_ELF_MAX_TEXT) {
			elf->text[elf->nr_text++] = seg;
		}
	}
	if (!elf->has_table)
		return SFRAME_NO_SFRAME;
	if (!table_place(elf, phdrs)) {
		elf->has_table = false;
		return SFRAME_ELF_PHDRS;
	}
	return SFRAME_OK;
}
