/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Just enough ELF64: where the SFrame table and other sources of tables are, and which
 * addresses are executable. Takes bytes; the caller reads the file (kernel/sections.c).
 */
#ifndef SFRAME_ELF_H
#define SFRAME_ELF_H

#include <sframe/abi.h>
#include <sframe/reason.h>

#define SFRAME_ELF_EHDR_SIZE	64
#define SFRAME_ELF_PHDR_SIZE	56
/* A file with more program headers than this is refused. */
#define SFRAME_ELF_MAX_PHDRS	512
/* Executable segments beyond this many are ignored. */
#define SFRAME_ELF_MAX_TEXT	8
/* And readable segments, in which tables may lie. */
#define SFRAME_ELF_MAX_LOAD	8
/* Bytes of .eh_frame_hdr that say where .eh_frame is. */
#define SFRAME_EH_HDR_SIZE	12

#define SFRAME_ELF_SHDR_SIZE	64
#define SFRAME_ELF_RELA_SIZE	24

/*
 * Bytes of Go's runtime.firstmoduledata, up to and with the address of the code's first
 * byte. All of its fields before that are words, or slices of three words.
 */
#define SFRAME_GO_MODULE_TEXT_AT	176
#define SFRAME_GO_MODULE_SIZE		184
/* A file with more section headers than this counts as one without. */
#define SFRAME_ELF_MAX_SHDRS	1024
/* Names of sections beyond that are not read. */
#define SFRAME_ELF_MAX_NAMES	65536

/**
 * struct sframe_segment - a part of a file that is loaded
 * @vaddr: link-time address
 * @offset: position in the file, bytes
 * @size: bytes in the file (p_filesz)
 */
struct sframe_segment {
	u64 vaddr;
	u64 offset;
	u64 size;
};

/**
 * struct sframe_elf - what the core needs to know of an ELF file
 * @abi: the ABI it was checked against
 * @swap: the file's byte order is not the machine's
 * @big_endian: the file's byte order
 * @phoff: file position of the program headers
 * @phnum: how many
 * @shoff: file position of the section headers
 * @shnum: how many; 0 if they are of no use
 * @shstrndx: index of the section with their names
 * @table: PT_GNU_SFRAME, valid if @has_table; its size may exceed the table
 * @eh_hdr: PT_GNU_EH_FRAME (.eh_frame_hdr), valid if @has_eh_hdr
 * @has_table: there is one
 * @has_eh_hdr: there is one, of SFRAME_EH_HDR_SIZE bytes or more
 * @nr_load: entries in @load
 * @load: readable PT_LOAD segments, in file order
 * @nr_text: entries in @text
 * @text: executable PT_LOAD segments, in file order
 */
struct sframe_elf {
	const struct sframe_abi *abi;
	bool swap;
	bool big_endian;
	bool has_table;
	bool has_eh_hdr;
	u16 phnum;
	u16 shnum;
	u16 shstrndx;
	u64 phoff;
	u64 shoff;
	struct sframe_segment table;
	struct sframe_segment eh_hdr;
	unsigned int nr_load;
	struct sframe_segment load[SFRAME_ELF_MAX_LOAD];
	unsigned int nr_text;
	struct sframe_segment text[SFRAME_ELF_MAX_TEXT];
};

/**
 * struct sframe_shdrs - section headers as they were read
 * @data: their bytes
 * @len: how many
 * @names: the section that sframe_elf_names() found
 * @names_len: bytes of that
 */
struct sframe_shdrs {
	const void *data;
	size_t len;
	const void *names;
	size_t names_len;
};

/*
 * By program headers: sframe_elf_header(), then sframe_elf_phdrs(), then sframe_elf_eh_frame().
 * By section headers, what these do not tell: all others. Any context.
 */
enum sframe_reason sframe_elf_header(struct sframe_elf *elf,
				     const struct sframe_abi *abi,
				     const void *ehdr, size_t len,
				     bool foreign_ok);
enum sframe_reason sframe_elf_phdrs(struct sframe_elf *elf, const void *phdrs,
				    size_t len);
enum sframe_reason sframe_elf_eh_frame(const struct sframe_elf *elf,
				       const void *hdr, size_t len,
				       struct sframe_segment *section);
enum sframe_reason sframe_elf_names(const struct sframe_elf *elf,
				    const struct sframe_shdrs *shdrs,
				    struct sframe_segment *names);
enum sframe_reason
sframe_elf_eh_frame_section(const struct sframe_elf *elf,
			    const struct sframe_shdrs *shdrs,
			    struct sframe_segment *section);
enum sframe_reason sframe_elf_gopclntab(const struct sframe_elf *elf,
					const struct sframe_shdrs *shdrs,
					struct sframe_segment *section);
enum sframe_reason sframe_elf_go_module(const struct sframe_elf *elf,
					const struct sframe_shdrs *shdrs,
					struct sframe_segment *section);
u64 sframe_elf_go_text(const struct sframe_elf *elf, const void *module,
		       u64 pclntab);
bool sframe_elf_relocations(const struct sframe_elf *elf,
			    const struct sframe_shdrs *shdrs, unsigned int *i,
			    struct sframe_segment *section);
bool sframe_elf_relocated(const struct sframe_elf *elf, const void *rela,
			  size_t len, u64 at, u64 *to);

#endif /* SFRAME_ELF_H */
