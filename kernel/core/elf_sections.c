// SPDX-License-Identifier: GPL-2.0
/*
 * Finds what only section headers tell: .eh_frame of static programs, .gopclntab, and
 * where Go's code is. See sframe/elf.h.
 */
#include "elf_impl.h"

/* Section header. */
#define SH_NAME			0	/* u32, from the names' beginning */
#define SH_TYPE			4	/* u32 */
#define SH_FLAGS		8	/* u64 */
#define SH_ADDR			16	/* u64 */
#define SH_OFFSET		24	/* u64 */
#define SH_SIZE			32	/* u64 */
#define SHT_PROGBITS		1
#define SHT_STRTAB		3
#define SHT_RELA		4
#define SHT_X86_64_UNWIND	0x70000001
#define SHF_ALLOC		2

/* A relocation with an addend. */
#define R_OFFSET		0	/* u64 */
#define R_INFO			8	/* u64 */
#define R_SYMBOL_SHIFT		32
#define R_ADDEND		16	/* u64 */

/* Section header @i, or NULL. */
static const u8 *section_header(const struct sframe_elf *elf,
				const struct sframe_shdrs *shdrs, unsigned int i)
{
	if (i >= elf->shnum || i >= shdrs->len / SFRAME_ELF_SHDR_SIZE)
		return NULL;
	return (const u8 *)shdrs->data + i * SFRAME_ELF_SHDR_SIZE;
}

/**
 * sframe_elf_names() - find the names of sections
 * @elf: as sframe_elf_phdrs() left it
 * @shdrs: its section headers; their names are not needed
 * @names: set to where they are in the file, cut to SFRAME_ELF_MAX_NAMES bytes
 *
 * Context: Any.
 * Return: SFRAME_OK, or SFRAME_NO_EH_FRAME if there are none.
 */
enum sframe_reason sframe_elf_names(const struct sframe_elf *elf,
				    const struct sframe_shdrs *shdrs,
				    struct sframe_segment *names)
{
	const u8 *p = section_header(elf, shdrs, elf->shstrndx);

	if (!p || sframe_get32(p + SH_TYPE, elf->swap) != SHT_STRTAB)
		return SFRAME_NO_EH_FRAME;
	names->vaddr = 0;
	names->offset = sframe_get64(p + SH_OFFSET, elf->swap);
	names->size = sframe_get64(p + SH_SIZE, elf->swap);
	if (names->size > SFRAME_ELF_MAX_NAMES)
		names->size = SFRAME_ELF_MAX_NAMES;
	return names->offset <= SFRAME_POSITION_MAX - names->size ?
	       SFRAME_OK : SFRAME_NO_EH_FRAME;
}

/* Read a section's place from its header. */
static void read_section_place(const struct sframe_elf *elf, const u8 *p,
			       struct sframe_segment *section)
{
	section->vaddr = sframe_get64(p + SH_ADDR, elf->swap);
	section->offset = sframe_get64(p + SH_OFFSET, elf->swap);
	section->size = sframe_get64(p + SH_SIZE, elf->swap);
}

static bool section_is_loaded(const struct sframe_elf *elf, const u8 *p)
{
	return sframe_get64(p + SH_FLAGS, elf->swap) & SHF_ALLOC;
}

/* Find a loaded section by its name of @len bytes, the terminating one included. */
static bool find_section(const struct sframe_elf *elf,
			 const struct sframe_shdrs *shdrs, const char *name,
			 size_t len, struct sframe_segment *section)
{
	unsigned int i;
	const u8 *p;
	u32 at, type;

	for (i = 0; (p = section_header(elf, shdrs, i)); i++) {
		at = sframe_get32(p + SH_NAME, elf->swap);
		type = sframe_get32(p + SH_TYPE, elf->swap);
		if ((type != SHT_PROGBITS && type != SHT_X86_64_UNWIND) ||
		    !section_is_loaded(elf, p) || shdrs->names_len < len ||
		    at > shdrs->names_len - len ||
		    memcmp((const u8 *)shdrs->names + at, name, len))
			continue;
		read_section_place(elf, p, section);
		if (section->size && sframe_elf_place(elf, section))
			return true;
	}
	return false;
}

/**
 * sframe_elf_eh_frame_section() - find .eh_frame by its name
 * @elf: as sframe_elf_phdrs() left it, without .eh_frame_hdr
 * @shdrs: its section headers
 * @section: set to .eh_frame, cut where its segment ends
 *
 * gcc -static links like this: the program registers the section by itself.
 *
 * Context: Any.
 * Return: SFRAME_OK, or SFRAME_NO_EH_FRAME.
 */
enum sframe_reason
sframe_elf_eh_frame_section(const struct sframe_elf *elf,
			    const struct sframe_shdrs *shdrs,
			    struct sframe_segment *section)
{
	static const char name[] = ".eh_frame";

	return find_section(elf, shdrs, name, sizeof(name), section) ?
	       SFRAME_OK : SFRAME_NO_EH_FRAME;
}

/**
 * sframe_elf_gopclntab() - find .gopclntab
 * @elf: as sframe_elf_phdrs() left it
 * @shdrs: its section headers
 * @section: set to .gopclntab, cut where its segment ends
 *
 * Context: Any.
 * Return: SFRAME_OK, or SFRAME_NO_GOPCLNTAB.
 */
enum sframe_reason sframe_elf_gopclntab(const struct sframe_elf *elf,
					const struct sframe_shdrs *shdrs,
					struct sframe_segment *section)
{
	static const char name[] = ".gopclntab";
	static const char pie_name[] = ".data.rel.ro.gopclntab";

	return find_section(elf, shdrs, name, sizeof(name), section) ||
	       find_section(elf, shdrs, pie_name, sizeof(pie_name), section) ?
	       SFRAME_OK : SFRAME_NO_GOPCLNTAB;
}

/**
 * sframe_elf_go_module() - find .go.module, what Go's runtime knows of the program
 * @elf: as sframe_elf_phdrs() left it
 * @shdrs: its section headers
 * @section: set to .go.module
 *
 * Context: Any.
 * Return: SFRAME_OK, or SFRAME_NO_GOPCLNTAB.
 */
enum sframe_reason sframe_elf_go_module(const struct sframe_elf *elf,
					const struct sframe_shdrs *shdrs,
					struct sframe_segment *section)
{
	static const char name[] = ".go.module";

	return find_section(elf, shdrs, name, sizeof(name), section) &&
	       section->size >= SFRAME_GO_MODULE_SIZE ?
	       SFRAME_OK : SFRAME_NO_GOPCLNTAB;
}

/**
 * sframe_elf_go_text() - the address of Go's code, as .go.module says
 * @elf: the file
 * @module: the first %SFRAME_GO_MODULE_SIZE bytes of .go.module
 * @pclntab: link-time address of .gopclntab, with which .go.module begins if it belongs
 *	to it
 *
 * Context: Any.
 * Return: the link-time address; 0 if it is of another table, or there by relocation.
 */
u64 sframe_elf_go_text(const struct sframe_elf *elf, const void *module,
		       u64 pclntab)
{
	const u8 *p = module;

	if (sframe_get64(p, elf->swap) != pclntab)
		return 0;
	return sframe_get64(p + SFRAME_GO_MODULE_TEXT_AT, elf->swap);
}

/**
 * sframe_elf_relocations() - find the next section of relocations
 * @elf: as sframe_elf_phdrs() left it
 * @shdrs: its section headers
 * @i: number of the header to begin at; set to the one behind the section found
 * @section: set to its place
 *
 * Context: Any.
 * Return: false if there is none.
 */
bool sframe_elf_relocations(const struct sframe_elf *elf,
			    const struct sframe_shdrs *shdrs, unsigned int *i,
			    struct sframe_segment *section)
{
	const u8 *p;

	while ((p = section_header(elf, shdrs, (*i)++))) {
		if (sframe_get32(p + SH_TYPE, elf->swap) != SHT_RELA ||
		    !section_is_loaded(elf, p))
			continue;
		read_section_place(elf, p, section);
		if (sframe_elf_place(elf, section))
			return true;
	}
	return false;
}

/**
 * sframe_elf_relocated() - what will a pointer be, once the file is relocated?
 * @elf: the file
 * @rela: relocations
 * @len: their length in bytes
 * @at: link-time address of a pointer into the file itself
 * @to: set to the link-time address that it points to
 *
 * Context: Any.
 * Return: false if it is in none of these relocations.
 */
bool sframe_elf_relocated(const struct sframe_elf *elf, const void *rela,
			  size_t len, u64 at, u64 *to)
{
	const u8 *p = rela, *end = p + len / SFRAME_ELF_RELA_SIZE *
				   SFRAME_ELF_RELA_SIZE;

	for (; p < end; p += SFRAME_ELF_RELA_SIZE) {
		/* No symbol: relative to where the file is mapped. */
		if (sframe_get64(p + R_OFFSET, elf->swap) != at ||
		    sframe_get64(p + R_INFO, elf->swap) >> R_SYMBOL_SHIFT)
			continue;
		*to = sframe_get64(p + R_ADDEND, elf->swap);
		return true;
	}
	return false;
}
