// SPDX-License-Identifier: GPL-2.0
/*
 * Reads .gopclntab, as Go writes it since 1.18: a header; the functions in order of
 * address; a record for each; and lists of numbers that hold from one address to
 * another, of which one says how far SP has gone down.
 */
#include "gopclntab.h"

/* Positions and values in the header. */
#define H_MAGIC			0	/* u32 */
#define MAGIC_1_18		0xfffffff0
#define MAGIC_1_20		0xfffffff1
#define H_ZERO			4	/* u16 */
#define H_QUANTUM		6	/* u8 */
#define H_POINTER		7	/* u8 */
#define H_NR_FUNCS		8	/* u64, and so are the following */
#define H_NAMES			32
#define H_ROWS			56
#define H_FUNCS			64

/* An entry of the list of functions: its address, then its record's position. */
#define ENTRY_SIZE		8
#define ENTRY_RECORD		4

/* Positions in a record. */
#define R_NAME			4	/* u32 */
#define R_SP_ROWS		16	/* u32 */
#define R_FLAGS_1_18		37	/* u8, behind what kind of function it is */
#define R_FLAGS_1_20		41

/* No frame may be larger, bytes; the runtime has a function with one of 1 GiB. */
#define DELTA_MAX		0x7fff0000

/**
 * sframe_go_header() - check a section's header, and find its parts
 * @go: the section
 * @h: filled
 *
 * Context: Any.
 * Return: SFRAME_OK; SFRAME_GO_HEADER if the version is unknown, or a part is outside
 *	the section; SFRAME_GO_TEXT if it does not say where the code is.
 */
enum sframe_reason sframe_go_header(const struct sframe_gopclntab *go,
				    struct sframe_go_header *h)
{
	const u8 *p = go->data;
	u32 magic;

	if (go->len < SFRAME_GO_HDR_SIZE)
		return SFRAME_GO_HEADER;
	magic = sframe_get32(p + H_MAGIC, go->swap);
	h->go = go;
	h->nr = sframe_get64(p + H_NR_FUNCS, go->swap);
	h->text = go->text ?: sframe_get64(p + SFRAME_GO_TEXT_AT, go->swap);
	h->names = sframe_get64(p + H_NAMES, go->swap);
	h->rows = sframe_get64(p + H_ROWS, go->swap);
	h->funcs = sframe_get64(p + H_FUNCS, go->swap);
	h->quantum = p[H_QUANTUM];
	h->flags_at = magic == MAGIC_1_18 ? R_FLAGS_1_18 : R_FLAGS_1_20;
	if ((magic != MAGIC_1_18 && magic != MAGIC_1_20) ||
	    sframe_get16(p + H_ZERO, go->swap) ||
	    (h->quantum != 1 && h->quantum != 2 && h->quantum != 4) ||
	    p[H_POINTER] != sizeof(u64) || h->names > go->len ||
	    h->rows > go->len || h->funcs > go->len - ENTRY_RECORD ||
	    h->nr > (go->len - ENTRY_RECORD - h->funcs) / ENTRY_SIZE)
		return SFRAME_GO_HEADER;
	return h->text ? SFRAME_OK : SFRAME_GO_TEXT;
}

/* Copy a function's name, cut off: special functions are told by it. */
static void read_function_name(const struct sframe_go_header *h, u32 at,
			       struct sframe_go_func *f)
{
	u64 left = h->go->len - h->names;

	if (at >= left)
		return;
	left -= at;
	if (left > sizeof(f->name) - 1)
		left = sizeof(f->name) - 1;
	memcpy(f->name, h->go->data + h->names + at, left);
}

/**
 * sframe_go_func() - read a function's record
 * @h: the section
 * @i: its number, less than @h->nr
 * @f: filled in; start and size are valid whatever is returned
 *
 * The name is filled in only for functions that are special in some way.
 *
 * Context: Any.
 * Return: SFRAME_OK; SFRAME_GO_ORDER if the next one begins before it; SFRAME_GO_RECORD
 *	if its record is outside the section, or another one's.
 */
enum sframe_reason sframe_go_func(const struct sframe_go_header *h, u64 i,
				  struct sframe_go_func *f)
{
	const struct sframe_gopclntab *go = h->go;
	const u8 *entry = go->data + h->funcs + i * ENTRY_SIZE;
	u32 at = sframe_get32(entry, go->swap);
	u32 next = sframe_get32(entry + ENTRY_SIZE, go->swap);
	u32 record = sframe_get32(entry + ENTRY_RECORD, go->swap);
	u64 left = go->len - h->funcs;
	const u8 *p;

	memset(f, 0, sizeof(*f));
	f->start = h->text + at;
	f->size = next - at;
	if (next < at)
		return SFRAME_GO_ORDER;
	if (record > left || left - record <= h->flags_at)
		return SFRAME_GO_RECORD;
	p = go->data + h->funcs + record;
	if (sframe_get32(p, go->swap) != at)
		return SFRAME_GO_RECORD;
	f->rows = sframe_get32(p + R_SP_ROWS, go->swap);
	if (f->rows)
		f->rows += h->rows;
	if (f->rows > go->len)
		return SFRAME_GO_RECORD;
	f->flags = p[h->flags_at];
	/* The runtime numbers special functions, each version anew: so names tell. */
	if (f->flags || p[h->flags_at - 1])
		read_function_name(h, sframe_get32(p + R_NAME, go->swap), f);
	return SFRAME_OK;
}

/**
 * sframe_go_rows_init() - go to a function's first row
 * @h: the section
 * @f: a function; it has rows
 * @rows: filled
 *
 * Context: Any.
 */
void sframe_go_rows_init(const struct sframe_go_header *h,
			 const struct sframe_go_func *f,
			 struct sframe_go_rows *rows)
{
	*rows = (struct sframe_go_rows){
		.r.p = h->go->data + f->rows,
		.r.end = h->go->data + h->go->len,
		.quantum = h->quantum,
		.delta = -1,
	};
}

/**
 * sframe_go_rows_next() - read a function's next row
 * @rows: the position, moved on; rows adjoin, and none is empty
 * @reason: set to SFRAME_OK, or SFRAME_GO_ROWS if it cannot be read
 *
 * Context: Any.
 * Return: false if there was no further row, or it cannot be read.
 */
bool sframe_go_rows_next(struct sframe_go_rows *rows,
			 enum sframe_reason *reason)
{
	u64 change = sframe_cfi_uleb(&rows->r), bytes;

	*reason = SFRAME_OK;
	if (!change && rows->any && !rows->r.bad)
		return false;
	rows->any = true;
	bytes = sframe_cfi_uleb(&rows->r);
	if (rows->r.bad || !bytes || (bytes | change) > ~0u) {
		*reason = SFRAME_GO_ROWS;
		return false;
	}
	rows->end += bytes * rows->quantum;
	rows->delta += change & 1 ? -(s64)(change >> 1) - 1 :
				    (s64)(change >> 1);
	if (rows->delta < -DELTA_MAX || rows->delta > DELTA_MAX)
		*reason = SFRAME_GO_ROWS;
	return !*reason;
}
