/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The function table by which Go's runtime unwinds (.gopclntab), as a table of ours.
 * Every program that Go has linked has one, stripped or not: for each function it says
 * how far below its value at the entry SP is.
 */
#ifndef SFRAME_GOPCLNTAB_H
#define SFRAME_GOPCLNTAB_H

#include <sframe/elf.h>
#include <sframe/table.h>

/* Bytes of its header, and where in that the code's address is, which may be relocated. */
#define SFRAME_GO_HDR_SIZE	72
#define SFRAME_GO_TEXT_AT	24

/**
 * struct sframe_gopclntab - the bytes of a .gopclntab section
 * @data: its first byte
 * @len: how many
 * @text: link-time address of Go's code; 0: the header says it
 * @abi: the file's ABI
 * @swap: the file's byte order is not the machine's
 */
struct sframe_gopclntab {
	const u8 *data;
	size_t len;
	u64 text;
	const struct sframe_abi *abi;
	bool swap;
};

/**
 * sframe_gopclntab_build() - convert a .gopclntab section into a table
 * @go: the section
 * @text: the file's executable segments; functions outside are left out
 * @nr_text: how many
 * @max_bytes: no more is allocated at any time, the result included
 * @table: the table, to be freed with sframe_free()
 * @skips: counts what was left out, per reason; counts are added
 *
 * Time and memory are linear in the section's length.
 *
 * Context: May sleep.
 * Return: SFRAME_OK, SFRAME_GO_HEADER, SFRAME_GO_TEXT, SFRAME_NO_FUNCTIONS,
 *	SFRAME_TOO_BIG or SFRAME_NO_MEMORY.
 */
enum sframe_reason sframe_gopclntab_build(const struct sframe_gopclntab *go,
					  const struct sframe_segment *text,
					  unsigned int nr_text,
					  size_t max_bytes,
					  struct sframe_table **table,
					  struct sframe_skips *skips);

#endif /* SFRAME_GOPCLNTAB_H */
