/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The call frame information of an .eh_frame section, as a table. It is read
 * when the table is built, and never in a walk: its programs have no loops,
 * each instruction takes bytes, and expressions are compared with the few
 * forms that compilers and linkers write.
 */
#ifndef SFRAME_CFI_H
#define SFRAME_CFI_H

#include <sframe/elf.h>
#include <sframe/table.h>

/**
 * struct sframe_eh_frame - the bytes of an .eh_frame section
 * @data: its first byte
 * @len: bytes from there to the end of its segment: the section may end
 *	before, at its terminator
 * @va: link-time address of @data
 * @hdr_va: link-time address of .eh_frame_hdr, to which pointers can be
 *	relative
 * @abi: the file's ABI
 * @swap: the file's byte order is not the machine's
 */
struct sframe_eh_frame {
	const u8 *data;
	size_t len;
	u64 va;
	u64 hdr_va;
	const struct sframe_abi *abi;
	bool swap;
};

/**
 * sframe_cfi_table_build() - convert an .eh_frame section into a table
 * @eh: the section
 * @text: the file's executable segments; functions outside are left out
 * @nr_text: how many
 * @max_bytes: no more is allocated at any time, the result included
 * @table: the table, to be freed with sframe_free()
 * @skips: counts what was left out, per reason; counts are added
 *
 * Of functions that overlap, the earlier one ends where the later one begins.
 * Where rows cannot be used the table says SFRAME_RULE_BAD. Time and memory are
 * linear in the section's length.
 *
 * Context: May sleep.
 * Return: SFRAME_OK, SFRAME_NO_FUNCTIONS, SFRAME_TOO_BIG or SFRAME_NO_MEMORY.
 */
enum sframe_reason sframe_cfi_table_build(const struct sframe_eh_frame *eh,
					  const struct sframe_segment *text,
					  unsigned int nr_text,
					  size_t max_bytes,
					  struct sframe_table **table,
					  struct sframe_skips *skips);

#endif /* SFRAME_CFI_H */
