/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Sections as binutils wrote them, and what binutils itself says they mean.
 * The data is in the headers beside this one; scripts/gen-vectors makes it.
 */
#ifndef KUNIT_VECTORS_H
#define KUNIT_VECTORS_H

#include <sframe/decode.h>
#include <sframe/elf.h>

/**
 * struct vector_row - a row as it must be decoded
 * @start: bytes from the function's, or the repeated block's, first byte
 * @rule: the rule; for a row to be refused only its flag
 */
struct vector_row {
	u32 start;
	struct sframe_rule rule;
};

/**
 * struct vector_fde - a function as it must be decoded
 * @start: link-time address
 * @size: bytes
 * @rows: its rows, which other functions may have, too
 * @num_rows: how many
 * @rep_size: bytes after which the rows repeat, 0 if they do not
 * @flex: rows hold control words
 * @signal: a signal trampoline
 * @plt: of a PLT
 */
struct vector_fde {
	u64 start;
	u32 size;
	const struct vector_row *rows;
	u32 num_rows;
	u8 rep_size;
	bool flex;
	bool signal;
	bool plt;
};

/**
 * struct vector - a section and its meaning
 * @name: file and binutils release it comes from
 * @abi: its ABI
 * @version: 1, 2 or 3
 * @big_endian: its byte order
 * @va: link-time address
 * @text: executable segments
 * @nr_text: how many
 * @bytes: the section
 * @len: its size
 * @fdes: functions, in the section's order
 * @nr_fdes: how many
 * @plt_unused: what it says of its PLT is wrong and must not be used
 */
struct vector {
	const char *name;
	const struct sframe_abi *abi;
	u8 version;
	bool big_endian;
	u64 va;
	struct sframe_segment text[2];
	unsigned int nr_text;
	const u8 *bytes;
	size_t len;
	const struct vector_fde *fdes;
	unsigned int nr_fdes;
	bool plt_unused;
};

/* Where a value is; AT_: it is loaded from there. */
#define VECTOR_SAME	SFRAME_LOC_SAME
#define VECTOR_CFA	SFRAME_LOC_CFA
#define VECTOR_SP	SFRAME_LOC_SP
#define VECTOR_FP	SFRAME_LOC_FP
#define VECTOR_REG	SFRAME_LOC_REG
#define VECTOR_AT_CFA	SFRAME_LOC_SAVED
#define VECTOR_AT_SP	(SFRAME_LOC_SP | SFRAME_LOC_DEREF)
#define VECTOR_AT_FP	(SFRAME_LOC_FP | SFRAME_LOC_DEREF)
#define VECTOR_AT_REG	(SFRAME_LOC_REG | SFRAME_LOC_DEREF)

#define VECTOR_ROW(at, cfa, cfa_off, ra, ra_off, fp, fp_off, flags) \
	{ (at), { (cfa_off), (ra_off), (fp_off), VECTOR_##cfa, \
		  VECTOR_##ra, VECTOR_##fp, (flags) } }
#define VECTOR_NO_RULE(at, flag) \
	{ (at), { .flags = (flag) } }

#define VECTOR_FDE(start, size, rows, rep_size, flex, signal, plt) \
	{ (start), (size), (rows), ARRAY_SIZE(rows), (rep_size), (flex), (signal), (plt) }

#endif /* KUNIT_VECTORS_H */
