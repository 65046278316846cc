// SPDX-License-Identifier: GPL-2.0
/*
 * From a file to its table, in a worker: find its sections (sections.c), reserve memory
 * and room, read the sections, have the core build the table (core/sources.c), and
 * publish that in the image.
 */
#include <linux/sizes.h>
#include <linux/slab.h>

#include <sframe/env.h>
#include <sframe/sources.h>
#include <sframe/table.h>

#include "account.h"
#include "arch/native.h"
#include "build.h"
#include "file_key.h"
#include "image.h"
#include "limits.h"
#include "room.h"
#include "sections.h"
#include "stats.h"

/**
 * struct conversion - one file on its way to a table
 * @file: the file
 * @image: gets the segments, and the table
 * @payer: the user who pays
 * @sections: sections of the file to be read
 * @len: bytes of these
 * @limits: what the core may take
 * @is_last: nobody's attempt will have more memory
 */
struct conversion {
	struct file *file;
	struct sframe_image *image;
	struct sframe_payer *payer;
	struct sframe_sections sections;
	size_t len;
	struct sframe_limits limits;
	bool is_last;
};

static void count_skips(const struct sframe_skips *skips)
{
	unsigned int i;

	for (i = 0; i < SFRAME_NR_REASONS; i++)
		if (skips->count[i])
			atomic_long_add(skips->count[i], &sframe_refused[i]);
}

/*
 * Build the table. If the limits were too low even for a part of it, fail, unless this
 * is the last attempt: the caller tries again with more, or another user does.
 */
static enum sframe_reason build_table(struct conversion *c,
				      const struct sframe_sources *src,
				      struct sframe_table **table)
{
	struct sframe_skips skips;
	enum sframe_reason r;

	r = sframe_sources_build(src, &c->limits, table, &skips);
	if (!r && skips.count[SFRAME_TOO_BIG] && !c->is_last) {
		sframe_table_free(*table);
		r = SFRAME_TOO_BIG;
	}
	if (r != SFRAME_TOO_BIG || c->is_last)
		count_skips(&skips);
	return r;
}

/* Build the table with room reserved for it: most tables take less than the sections do. */
static enum sframe_reason build_in_reserved_room(struct conversion *c,
						 const struct sframe_sources *src,
						 struct sframe_table **table)
{
	size_t reserved = min(c->len + SZ_4K, c->limits.table_bytes);
	enum sframe_reason r, held;

	r = sframe_room_reserve(c->payer, reserved);
	if (r)
		return r;
	r = build_table(c, src, table);
	held = sframe_room_settle(c->payer, reserved, r ? 0 : (*table)->bytes);
	if (!r && held)
		sframe_table_free(*table);
	return r ?: held;
}

static enum sframe_reason build_and_publish(struct conversion *c,
					    const struct sframe_sources *src)
{
	struct sframe_table *table;
	enum sframe_reason r;

	r = build_in_reserved_room(c, src, &table);
	if (r || sframe_image_publish(c->image, table, &c->sections.elf, c->payer))
		return r;
	/* Another user's worker has built the same. */
	sframe_account_give(c->payer, SFRAME_RES_TABLES, table->bytes);
	sframe_table_free(table);
	return SFRAME_OK;
}

/* Has the file changed while it was read? Then what was read may be a mixture. */
static enum sframe_reason check_file_unchanged(const struct conversion *c)
{
	struct sframe_file_key now;

	if (sframe_file_key_get(c->file, &now) ||
	    !sframe_file_key_same(&now, &c->image->key))
		return SFRAME_FILE_CHANGED;
	return SFRAME_OK;
}

/* Read a section, if the file has it. One that is cut off is left out, and counted in @nr_short. */
static enum sframe_reason read_section(struct file *file, bool has,
				       const struct sframe_segment *where,
				       struct sframe_bytes *bytes, unsigned int *nr_short)
{
	enum sframe_reason r;
	void *buf;

	if (!has)
		return SFRAME_OK;
	buf = sframe_alloc(where->size);
	if (!buf)
		return SFRAME_NO_MEMORY;
	bytes->data = buf;
	bytes->len = where->size;
	bytes->va = where->vaddr;
	r = sframe_read(file, buf, where->size, where->offset,
			SFRAME_FILE_SHORT);
	if (r != SFRAME_FILE_SHORT)
		return r;
	++*nr_short;
	sframe_free(buf);
	bytes->data = NULL;
	return SFRAME_OK;
}

static enum sframe_reason read_sections(const struct conversion *c,
					struct sframe_sources *src)
{
	const struct sframe_sections *s = &c->sections;
	unsigned int nr_short = 0;
	enum sframe_reason r;

	r = read_section(c->file, s->has_sframe, &s->sframe, &src->sframe, &nr_short);
	if (!r)
		r = read_section(c->file, s->has_eh_frame, &s->eh_frame,
				 &src->eh_frame, &nr_short);
	if (!r)
		r = read_section(c->file, s->has_gopclntab, &s->gopclntab,
				 &src->gopclntab, &nr_short);
	if (r)
		return r;
	/* That is why there is no table, and counted as such. */
	if (!src->sframe.data && !src->eh_frame.data && !src->gopclntab.data)
		return SFRAME_FILE_SHORT;
	while (nr_short--)
		sframe_refuse(SFRAME_FILE_SHORT);
	return check_file_unchanged(c);
}

/* For &sframe_sources.read_code. If the file has changed, this image is nobody's any more. */
static enum sframe_reason read_code(void *file, u64 offset, void *buf, unsigned int len)
{
	return sframe_read(file, buf, len, offset, SFRAME_FILE_SHORT);
}

static enum sframe_reason convert_sections(struct conversion *c)
{
	struct sframe_sources src = {
		.abi = sframe_abi_native,
		.go_text = c->sections.go_text,
		.eh_hdr_va = c->sections.elf.eh_hdr.vaddr,
		.text = c->sections.elf.text,
		.nr_text = c->sections.elf.nr_text,
		.read_code = read_code,
		.ctx = c->file,
	};
	enum sframe_reason r;

	r = read_sections(c, &src);
	if (!r)
		r = build_and_publish(c, &src);
	sframe_free(src.sframe.data);
	sframe_free(src.eh_frame.data);
	sframe_free(src.gopclntab.data);
	return r;
}

static enum sframe_reason convert_within_memory(struct conversion *c, size_t max)
{
	size_t bytes = c->len + max;
	enum sframe_reason r;

	c->limits.build_bytes = max;
	r = sframe_build_memory_take(c->payer, bytes);
	if (r)
		return r;
	r = convert_sections(c);
	sframe_build_memory_give(c->payer, bytes);
	return r;
}

/*
 * Convert with enough memory for what linkers make. If that is too little, try once
 * more with all that is allowed: what the sections leave of the user's share. If it is
 * the share that is too small, even for a part of the table, say so: another user may have
 * a larger one.
 */
static enum sframe_reason convert_found_sections(struct conversion *c)
{
	size_t share = sframe_account_most(c->payer, SFRAME_RES_BUILD);
	size_t left = share > c->len ? share - c->len : 0;
	size_t most = min(2 * min(c->limits.table_bytes, share), left);
	size_t guess = min(4 * c->len + SZ_64K, most);
	bool for_all = most < left || sframe_payer_is_root(c->payer);
	enum sframe_reason r;

	if (left < SZ_64K)
		return SFRAME_SHARE;
	c->is_last = guess == most && for_all;
	r = convert_within_memory(c, guess);
	if (r == SFRAME_TOO_BIG && guess < most) {
		c->is_last = for_all;
		r = convert_within_memory(c, most);
	}
	return r == SFRAME_TOO_BIG && most == left ? SFRAME_SHARE : r;
}

/* Do without a section that is too large by itself. True if it was. */
static bool drop_section_if_larger(bool *has, const struct sframe_segment *where,
				   size_t most)
{
	if (!*has || where->size <= most)
		return false;
	*has = false;
	return true;
}

/* Bytes of the file that are to be read. */
static size_t sections_len(const struct sframe_sections *s)
{
	return (s->has_sframe ? s->sframe.size : 0) +
	       (s->has_eh_frame ? s->eh_frame.size : 0) +
	       (s->has_gopclntab ? s->gopclntab.size : 0);
}

static enum sframe_reason drop_too_large_sections(struct conversion *c)
{
	struct sframe_sections *s = &c->sections;
	size_t most = c->limits.table_bytes;
	bool any;

	any = drop_section_if_larger(&s->has_sframe, &s->sframe, most);
	any |= drop_section_if_larger(&s->has_eh_frame, &s->eh_frame, most);
	any |= drop_section_if_larger(&s->has_gopclntab, &s->gopclntab, most);
	if (any && !s->has_sframe && !s->has_eh_frame && !s->has_gopclntab)
		return SFRAME_TOO_BIG;
	if (any)
		sframe_refuse(SFRAME_TOO_BIG);
	return SFRAME_OK;
}

/**
 * sframe_convert() - read a file, build its table, and publish it in its image
 * @image: the image; if several workers build for it, the first one's table is taken
 * @file: the file
 * @payer: the user who pays for it
 *
 * Context: process context, sleeps; killable where the file system's reads are. The
 *	caller has set the credentials to read with, and the memory cgroup to charge.
 * Return: SFRAME_OK, or why there is no table.
 */
enum sframe_reason sframe_convert(struct sframe_image *image, struct file *file,
				  struct sframe_payer *payer)
{
	struct conversion *c = kzalloc(sizeof(*c), GFP_KERNEL_ACCOUNT);
	enum sframe_reason r;

	if (!c)
		return SFRAME_NO_MEMORY;
	c->file = file;
	c->image = image;
	c->payer = payer;
	c->limits.table_bytes = READ_ONCE(sframe_max_file_bytes);
	r = sframe_sections_find(file, &c->sections);
	if (r == SFRAME_NO_SFRAME && !check_file_unchanged(c))
		WRITE_ONCE(image->is_program, true);
	if (!r)
		r = drop_too_large_sections(c);
	if (!r) {
		c->len = sections_len(&c->sections);
		r = convert_found_sections(c);
	}
	kfree(c);
	return r;
}
