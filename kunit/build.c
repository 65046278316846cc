// SPDX-License-Identifier: GPL-2.0
/*
 * Makes .sframe sections for tests; see build.h.
 */
#include "build.h"
#include "guard.h"

static u8 *grow(struct build *b, struct build_buf *buf, size_t len)
{
	u8 *p;

	if (buf->len + len > buf->room) {
		size_t room = 2 * (buf->len + len) + 64;

		p = sframe_alloc(room);
		if (!p) {
			b->failed = true;
			return NULL;
		}
		if (buf->p)
			memcpy(p, buf->p, buf->len);
		sframe_free(buf->p);
		buf->p = p;
		buf->room = room;
	}
	p = buf->p + buf->len;
	buf->len += len;
	return p;
}

static void put(const struct build *b, u8 *p, unsigned int size, u64 value)
{
	unsigned int i;

	for (i = 0; i < size; i++)
		p[b->big_endian ? size - 1 - i : i] = value >> (8 * i);
}

static void append(struct build *b, struct build_buf *buf, unsigned int size,
		   u64 value)
{
	u8 *p = grow(b, buf, size);

	if (p)
		put(b, p, size, value);
}

u32 build_fde_size(const struct build *b)
{
	return b->version == 1 ? SFRAME_FDE1_SIZE :
	       b->version == 2 ? SFRAME_FDE2_SIZE : SFRAME_FDE3_SIZE;
}

u32 build_fde_pos(const struct build *b, u32 i)
{
	return SFRAME_HDR_SIZE + b->aux_len + i * build_fde_size(b);
}

void build_init(struct build *b, const struct sframe_abi *abi, u8 version,
		bool big_endian, u8 flags, u64 va)
{
	memset(b, 0, sizeof(*b));
	b->abi = abi;
	b->version = version;
	b->big_endian = big_endian;
	b->flags = flags;
	b->va = va;
}

/* The row count is known when the next function begins, or the end comes. */
static void close_fde(struct build *b)
{
	if (!b->num_fdes || b->failed)
		return;
	if (b->version == 3)
		put(b, b->rows.p + b->attr + SFRAME_ATTR_NUM_ROWS, 2,
		    b->fde_rows);
	else
		put(b, b->fdes.p + (b->num_fdes - 1) * build_fde_size(b) +
		    SFRAME_FDE_NUM_ROWS, 4, b->fde_rows);
}

void build_fde(struct build *b, u64 start, u32 size, u8 info, u8 info2,
	       u8 rep_size)
{
	close_fde(b);
	start -= b->va;
	if (b->flags & SFRAME_F_PCREL)
		start -= build_fde_pos(b, b->num_fdes);
	append(b, &b->fdes, b->version == 3 ? 8 : 4, start);
	append(b, &b->fdes, 4, size);
	append(b, &b->fdes, 4, b->rows.len);
	if (b->version == 3) {
		b->attr = b->rows.len;
		append(b, &b->rows, 2, 0);
		append(b, &b->rows, 1, info);
		append(b, &b->rows, 1, info2);
		append(b, &b->rows, 1, rep_size);
	} else {
		append(b, &b->fdes, 4, 0);
		append(b, &b->fdes, 1, info);
		if (b->version == 2) {
			append(b, &b->fdes, 1, rep_size);
			append(b, &b->fdes, 2, 0);
		}
	}
	b->row_type = SFRAME_FDE_ROW_TYPE(info);
	b->num_fdes++;
	b->fde_rows = 0;
}

void build_row_words(struct build *b, u32 start, u8 info, unsigned int code,
		     unsigned int count, const s32 *words)
{
	unsigned int i;

	append(b, &b->rows, b->row_type < 3 ? 1u << b->row_type : 1, start);
	append(b, &b->rows, 1, info | count << 1 | code << 5);
	for (i = 0; i < count; i++)
		append(b, &b->rows, 1u << code, words[i]);
	b->fde_rows++;
	b->num_rows++;
}

void build_raw(struct build *b, const void *bytes, size_t len)
{
	u8 *p = grow(b, &b->rows, len);

	if (p)
		memcpy(p, bytes, len);
}

static void put_header(struct build *b, u8 *p)
{
	put(b, p + SFRAME_AT_MAGIC, 2, SFRAME_MAGIC);
	p[SFRAME_AT_VERSION] = b->version;
	p[SFRAME_AT_FLAGS] = b->flags;
	p[SFRAME_AT_ABI] = b->big_endian ? b->abi->id_be : b->abi->id_le;
	p[SFRAME_AT_FIXED_FP] = b->fixed_fp;
	p[SFRAME_AT_FIXED_RA] = b->abi->fixed_ra;
	p[SFRAME_AT_AUX_LEN] = b->aux_len;
	put(b, p + SFRAME_AT_NUM_FDES, 4, b->num_fdes);
	put(b, p + SFRAME_AT_NUM_FRES, 4, b->num_rows);
	put(b, p + SFRAME_AT_FRE_LEN, 4, b->rows.len);
	put(b, p + SFRAME_AT_FDE_OFF, 4, 0);
	put(b, p + SFRAME_AT_FRE_OFF, 4, b->fdes.len);
}

void build_end(struct build *b)
{
	size_t head = SFRAME_HDR_SIZE + b->aux_len;
	u8 *p;

	close_fde(b);
	b->len = head + b->fdes.len + b->rows.len + b->slack;
	p = b->failed ? NULL : guard_alloc(b->len);
	if (!p) {
		b->failed = true;
		b->len = 0;
		return;
	}
	b->data = p;
	memset(p, 0xe2, b->len);
	put_header(b, p);
	if (b->fdes.len)
		memcpy(p + head, b->fdes.p, b->fdes.len);
	if (b->rows.len)
		memcpy(p + head + b->fdes.len, b->rows.p, b->rows.len);
}

void build_free(struct build *b)
{
	guard_free(b->data, b->len);
	sframe_free(b->fdes.p);
	sframe_free(b->rows.p);
	memset(b, 0, sizeof(*b));
}

void build_put(struct build *b, size_t pos, unsigned int size, u64 value)
{
	put(b, b->data + pos, size, value);
}

enum sframe_reason build_open(const struct build *b, struct sframe_section *sec)
{
	return sframe_section_init(sec, b->abi, b->data, b->len, b->va,
				   build_swap(b));
}
