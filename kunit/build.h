/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Makes .sframe sections of any version, ABI and byte order, for the suites
 * and the benchmark:
 *
 *	build_init(&b, &sframe_abi_x86, 2, false, SFRAME_F_SORTED, va);
 *	build_fde(&b, start, size, 0, 0, 0);
 *	build_row(&b, 0, SFRAME_ROW_BASE_SP, 0, 1, 8);
 *	build_row(&b, 1, SFRAME_ROW_BASE_SP, 0, 2, 16, -16);
 *	build_end(&b);
 *	... b.data, b.len ...
 *	build_free(&b);
 *
 * Nothing stops a caller from writing nonsense; the finished bytes may be
 * patched with build_put(). Running out of memory is remembered in @failed.
 */
#ifndef KUNIT_BUILD_H
#define KUNIT_BUILD_H

#include <sframe/decode.h>
#include <sframe/format.h>

struct build_buf {
	u8 *p;
	size_t len;
	size_t room;
};

/**
 * struct build - a section being made
 * @abi: its ABI
 * @version: 1, 2 or 3
 * @big_endian: its byte order
 * @flags: header flags; SFRAME_F_PCREL decides how starts are written
 * @va: link-time address of the section
 * @fixed_fp: header's fixed FP offset; 0 unless set before build_end()
 * @aux_len: bytes of auxiliary header; 0 unless set before build_fde()
 * @slack: bytes of rubbish behind the table; 0 unless set before build_end()
 * @num_fdes: functions so far
 * @num_rows: rows so far, of all functions
 * @fde_rows: rows so far, of the current function
 * @row_type: of the current function
 * @attr: where its attribute is in @rows (version 3)
 * @fdes: FDE table
 * @rows: row area
 * @failed: memory ran out
 * @data: the finished section; it ends at an unmapped page
 * @len: its bytes
 */
struct build {
	const struct sframe_abi *abi;
	u8 version;
	bool big_endian;
	u8 flags;
	u64 va;
	s8 fixed_fp;
	u8 aux_len;
	u32 slack;
	u32 num_fdes;
	u32 num_rows;
	u32 fde_rows;
	u8 row_type;
	size_t attr;
	struct build_buf fdes;
	struct build_buf rows;
	bool failed;
	u8 *data;
	size_t len;
};

/* Is the section in the byte order that is not the machine's? */
static inline bool build_swap(const struct build *b)
{
	return b->big_endian != SFRAME_MACHINE_BE;
}

/* Bytes of one FDE, and the section's position of FDE @i's. */
u32 build_fde_size(const struct build *b);
u32 build_fde_pos(const struct build *b, u32 i);

void build_init(struct build *b, const struct sframe_abi *abi, u8 version,
		bool big_endian, u8 flags, u64 va);
/* @start: link-time address. @info2: version 3. @rep_size: versions 2 and 3. */
void build_fde(struct build *b, u64 start, u32 size, u8 info, u8 info2,
	       u8 rep_size);
/* @count words of code @code are added to @info and follow as s32s. */
void build_row_words(struct build *b, u32 start, u8 info, unsigned int code,
		     unsigned int count, const s32 *words);
#define build_row(b, start, info, code, count, ...)			\
	build_row_words(b, start, info, code, count,			\
			(const s32[]){ __VA_ARGS__ })
/* Any bytes, as part of the row area; the row count is not changed. */
void build_raw(struct build *b, const void *bytes, size_t len);
void build_end(struct build *b);
void build_free(struct build *b);

/* Overwrite @size bytes at @pos of the finished section. */
void build_put(struct build *b, size_t pos, unsigned int size, u64 value);

/* sframe_section_init() on the finished section. */
enum sframe_reason build_open(const struct build *b,
			      struct sframe_section *sec);

/* A small pseudo-random generator, the same everywhere. */
static inline u32 rnd(u64 *state)
{
	*state = *state * 6364136223846793005ull + 1442695040888963407ull;
	return *state >> 33;
}

static inline u32 rnd_below(u64 *state, u32 n)
{
	return rnd(state) % n;
}

#endif /* KUNIT_BUILD_H */
