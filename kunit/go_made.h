/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Makes .gopclntab sections: functions, each with rows.
 */
#ifndef KUNIT_GO_MADE_H
#define KUNIT_GO_MADE_H

#include <sframe/sources.h>

#define GO_FUNCS	24
#define GO_ROOM		512
#define GO_TEXT		0x400000ull
#define GO_TEXT_SIZE	0x10000
#define GO_HDR		72

/* In a function's row: SP is lowered by @delta up to byte @end. */
struct go_row {
	s64 delta;
	u32 end;
};

/**
 * struct go_made - a section being made
 * @abi: of the file
 * @big_endian: its byte order
 * @version: 18 or 20, of Go 1
 * @quantum: unit of addresses
 * @nr: functions
 * @end: where the last one ends, from GO_TEXT
 * @start: where each begins
 * @name: positions of names in @names
 * @row: positions of rows in @rows; 0: none
 * @flags: of each
 * @names: their names
 * @rows: their rows; the first byte is nobody's
 * @data: the section
 */
struct go_made {
	const struct sframe_abi *abi;
	bool big_endian;
	u8 version;
	u8 quantum;
	u32 nr;
	u32 end;
	u32 start[GO_FUNCS];
	u32 name[GO_FUNCS];
	u32 row[GO_FUNCS];
	u8 flags[GO_FUNCS];
	u32 names_len;
	u32 rows_len;
	u32 len;
	u8 names[GO_ROOM];
	u8 rows[GO_ROOM];
	u8 data[GO_HDR + 2 * GO_ROOM + GO_FUNCS * 64];
};

static inline void go_begin(struct go_made *m, const struct sframe_abi *abi,
			    bool big_endian)
{
	memset(m, 0, sizeof(*m));
	m->abi = abi;
	m->big_endian = big_endian;
	m->version = 20;
	m->quantum = abi == &sframe_abi_x86 ? 1 : abi == &sframe_abi_s390 ? 2 : 4;
	m->rows_len = 1;
}

static inline void go_number(struct go_made *m, u64 value)
{
	do {
		m->rows[m->rows_len++] = (value & 0x7f) |
					 (value > 0x7f ? 0x80 : 0);
		value >>= 7;
	} while (value);
}

/* A function behind the last one, from @start on, of @n rows. */
static inline void go_func(struct go_made *m, u32 start, u32 size,
			   const char *name, u8 flags,
			   const struct go_row *rows, u32 n)
{
	u32 len = strlen(name) + 1, i, at = 0;
	s64 delta = -1;

	m->start[m->nr] = start;
	m->name[m->nr] = m->names_len;
	m->flags[m->nr] = flags;
	memcpy(m->names + m->names_len, name, len);
	m->names_len += len;
	if (n) {
		m->row[m->nr] = m->rows_len;
		for (i = 0; i < n; i++) {
			s64 up = rows[i].delta - delta;

			go_number(m, up < 0 ? (u64)-up * 2 - 1 : (u64)up * 2);
			go_number(m, (rows[i].end - at) / m->quantum);
			delta = rows[i].delta;
			at = rows[i].end;
		}
		go_number(m, 0);
	}
	m->nr++;
	m->end = start + size;
}

#define GO_FUNC(m, start, size, name, flags, ...)			\
	go_func(m, start, size, name, flags,				\
		(const struct go_row[]){ __VA_ARGS__ },			\
		sizeof((const struct go_row[]){ __VA_ARGS__ }) /	\
		sizeof(struct go_row))

static inline void go_put(struct go_made *m, u32 at, u8 bytes, u64 value)
{
	u8 i;

	for (i = 0; i < bytes; i++)
		m->data[at + (m->big_endian ? bytes - 1 - i : i)] =
			value >> 8 * i;
}

/* Where function @i's record is in the section. */
static inline u32 go_record(const struct go_made *m, u32 i)
{
	return GO_HDR + 2 * GO_ROOM + 8 * m->nr + 4 + 48 * i;
}

static inline void go_end(struct go_made *m)
{
	u32 funcs = GO_HDR + 2 * GO_ROOM, i, at, flags_at;

	flags_at = m->version == 18 ? 37 : 41;
	go_put(m, 0, 4, m->version == 18 ? 0xfffffff0 : 0xfffffff1);
	m->data[6] = m->quantum;
	m->data[7] = 8;
	go_put(m, 8, 8, m->nr);
	go_put(m, 24, 8, GO_TEXT);
	go_put(m, 32, 8, GO_HDR);
	go_put(m, 56, 8, GO_HDR + GO_ROOM);
	go_put(m, 64, 8, funcs);
	memcpy(m->data + GO_HDR, m->names, GO_ROOM);
	memcpy(m->data + GO_HDR + GO_ROOM, m->rows, GO_ROOM);
	for (i = 0; i < m->nr; i++) {
		at = go_record(m, i);
		go_put(m, funcs + 8 * i, 4, m->start[i]);
		go_put(m, funcs + 8 * i + 4, 4, at - funcs);
		go_put(m, at, 4, m->start[i]);
		go_put(m, at + 4, 4, m->name[i]);
		go_put(m, at + 16, 4, m->row[i]);
		/* Its number; that of sigpanic() is all that tells that one. */
		m->data[at + flags_at - 1] = 1;
		m->data[at + flags_at] = m->flags[i];
	}
	go_put(m, funcs + 8 * m->nr, 4, m->end);
	m->len = go_record(m, m->nr);
}

static const struct sframe_segment go_text = {
	.vaddr = GO_TEXT, .size = GO_TEXT_SIZE,
};

static inline void go_sources(const struct go_made *m,
			      struct sframe_sources *src)
{
	*src = (struct sframe_sources){
		.abi = m->abi,
		.swap = m->big_endian != SFRAME_MACHINE_BE,
		.gopclntab = { m->data, m->len, 0x700000 },
		.text = &go_text,
		.nr_text = 1,
	};
}

#endif /* KUNIT_GO_MADE_H */
