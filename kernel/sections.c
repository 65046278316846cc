// SPDX-License-Identifier: GPL-2.0
/*
 * Finds in a file what its table is made from: reads its headers, and then no more than
 * they say there is, whatever sizes the file claims its sections to have. Called by
 * convert.c, in a worker.
 */
#include <linux/fs.h>
#include <linux/sched/signal.h>
#include <linux/sizes.h>

#include <sframe/decode.h>
#include <sframe/elf.h>
#include <sframe/env.h>
#include <sframe/format.h>

#include "arch/native.h"
#include "file_key.h"
#include "limits.h"
#include "sections.h"
#include "stats.h"

/* Bytes read without checking whether to go on. */
#define READ_AT_ONCE	SZ_1M

/* .eh_frame: an entry begins with its length, which does not count itself. */
#define EH_LENGTH		4
#define EH_LENGTH_EXTENDED	0xffffffffu
#define EH_LENGTH_BOTH		12

static enum sframe_reason read_file_chunk(struct file *file, void *buf, size_t len,
					  loff_t *pos, enum sframe_reason eof)
{
	ssize_t n;

	/* F_SETFL may have made it one that must not be read. */
	if (fatal_signal_pending(current) || sframe_file_readable(file))
		return SFRAME_READ_FAILED;
	n = kernel_read(file, buf, min_t(size_t, len, READ_AT_ONCE), pos);
	if (n < 0)
		return SFRAME_READ_FAILED;
	return n ? SFRAME_OK : eof;
}

/**
 * sframe_read() - read a part of a file
 * @file: the file
 * @buf: filled in
 * @len: bytes
 * @offset: position in the file
 * @eof: the reason to return if the file ends too early
 *
 * Context: process context, sleeps; killable where the file system's reads are.
 * Return: SFRAME_OK, SFRAME_READ_FAILED or @eof.
 */
enum sframe_reason sframe_read(struct file *file, void *buf, size_t len,
			       u64 offset, enum sframe_reason eof)
{
	u64 size = i_size_read(file_inode(file));
	enum sframe_reason r = SFRAME_OK;
	loff_t pos = offset;

	if (len > size || offset > size - len)
		return eof;
	while (!r && pos < offset + len)
		r = read_file_chunk(file, buf + (pos - offset), offset + len - pos,
				    &pos, eof);
	return r;
}

static enum sframe_reason read_phdrs(struct file *file, struct sframe_elf *elf)
{
	size_t len = elf->phnum * SFRAME_ELF_PHDR_SIZE;
	void *buf = sframe_alloc(len);
	enum sframe_reason r;

	if (!buf)
		return SFRAME_NO_MEMORY;
	r = sframe_read(file, buf, len, elf->phoff, SFRAME_ELF_PHDRS);
	if (!r)
		r = sframe_elf_phdrs(elf, buf, len);
	sframe_free(buf);
	return r;
}

static enum sframe_reason read_elf(struct file *file, struct sframe_elf *elf)
{
	u8 ehdr[SFRAME_ELF_EHDR_SIZE];
	enum sframe_reason r;

	r = sframe_read(file, ehdr, sizeof(ehdr), 0, SFRAME_NOT_ELF);
	if (!r)
		r = sframe_elf_header(elf, sframe_abi_native, ehdr,
				      sizeof(ehdr), false);
	return r ?: read_phdrs(file, elf);
}

/* Find .sframe. If its header is bad, only that is read later, which gives the reason. */
static enum sframe_reason find_sframe(struct file *file,
				      struct sframe_sections *s)
{
	struct sframe_segment *where = &s->sframe;
	u8 header[SFRAME_HDR_SIZE];
	struct sframe_section sec;
	enum sframe_reason r;

	if (!s->elf.has_table)
		return SFRAME_NO_SFRAME;
	*where = s->elf.table;
	where->size = min_t(u64, where->size, SFRAME_HDR_SIZE);
	r = sframe_read(file, header, where->size, where->offset,
			SFRAME_FILE_SHORT);
	if (r)
		return r;
	s->has_sframe = true;
	r = sframe_section_init(&sec, sframe_abi_native, header, where->size,
				where->vaddr, false);
	/* Only the header was read: what it refers to is out of bounds. */
	if (r && r != SFRAME_HDR_BOUNDS)
		return SFRAME_OK;
	where->size = min(s->elf.table.size,
			  sframe_section_size(header, false));
	return SFRAME_OK;
}

/* Size of the .eh_frame entry that begins at @p; 0 for the terminator. */
static u64 eh_entry_size(const u8 *p)
{
	u32 len = sframe_get32(p, false);
	u64 extended;

	if (len != EH_LENGTH_EXTENDED)
		return len ? (u64)len + EH_LENGTH : 0;
	extended = sframe_get64(p + EH_LENGTH, false);
	return extended < S64_MAX - EH_LENGTH_BOTH ? extended + EH_LENGTH_BOTH :
						     S64_MAX;
}

/*
 * Skip entries from *@pos on as far as their lengths are in @buf, the @len bytes of the
 * section at *@pos. False if the entries end.
 */
static bool skip_eh_entries(const u8 *buf, size_t len, u64 *pos)
{
	u64 at = 0, size;

	while (at + EH_LENGTH_BOTH <= len) {
		size = eh_entry_size(buf + at);
		at += size;
		if (!size || at > S64_MAX / 2)
			break;
	}
	*pos += at;
	return at && at + EH_LENGTH_BOTH > len && at <= S64_MAX / 2;
}

/* Find out where .eh_frame ends, as its segment goes on with something else. */
static enum sframe_reason measure_eh_frame(struct file *file,
					   struct sframe_segment *where)
{
	void *buf = sframe_alloc(SFRAME_WINDOW);
	enum sframe_reason r = SFRAME_OK;
	u64 pos = 0;
	size_t len;
	bool more;

	if (!buf)
		return SFRAME_NO_MEMORY;
	do {
		len = min_t(u64, SFRAME_WINDOW, where->size - pos);
		r = sframe_read(file, buf, len, where->offset + pos,
				SFRAME_FILE_SHORT);
		more = !r && skip_eh_entries(buf, len, &pos);
		cond_resched();
	} while (more && pos < where->size &&
		 pos <= READ_ONCE(sframe_max_file_bytes));
	sframe_free(buf);
	/* With the terminator. */
	where->size = min(where->size, pos + EH_LENGTH_BOTH);
	return r;
}

static enum sframe_reason find_eh_frame_by_header(struct file *file,
						  struct sframe_sections *s)
{
	u8 hdr[SFRAME_EH_HDR_SIZE];
	enum sframe_reason r;

	r = sframe_read(file, hdr, sizeof(hdr), s->elf.eh_hdr.offset,
			SFRAME_FILE_SHORT);
	return r ?: sframe_elf_eh_frame(&s->elf, hdr, sizeof(hdr), &s->eh_frame);
}

/* Read the section headers and their names, if there are any, into one buffer, @shdrs->data. */
static enum sframe_reason read_shdrs(struct file *file,
				     const struct sframe_elf *elf,
				     struct sframe_shdrs *shdrs)
{
	size_t len = elf->shnum * SFRAME_ELF_SHDR_SIZE;
	struct sframe_segment names;
	enum sframe_reason r;
	void *buf;

	memset(shdrs, 0, sizeof(*shdrs));
	if (!len)
		return SFRAME_OK;
	buf = sframe_alloc(len + SFRAME_ELF_MAX_NAMES);
	if (!buf)
		return SFRAME_NO_MEMORY;
	shdrs->data = buf;
	r = sframe_read(file, buf, len, elf->shoff, SFRAME_NO_EH_FRAME);
	if (r)
		return r;
	shdrs->len = len;
	r = sframe_elf_names(elf, shdrs, &names);
	if (!r)
		r = sframe_read(file, buf + len, names.size, names.offset,
				SFRAME_NO_EH_FRAME);
	if (r)
		return r;
	shdrs->names = buf + len;
	shdrs->names_len = names.size;
	return SFRAME_OK;
}

/*
 * Find .eh_frame. Static programs have no .eh_frame_hdr, but section headers, unless
 * stripped of them.
 */
static enum sframe_reason find_eh_frame(struct file *file,
					struct sframe_sections *s,
					const struct sframe_shdrs *shdrs)
{
	enum sframe_reason r;

	r = s->elf.has_eh_hdr ? find_eh_frame_by_header(file, s) :
		sframe_elf_eh_frame_section(&s->elf, shdrs, &s->eh_frame);
	if (!r)
		r = measure_eh_frame(file, &s->eh_frame);
	s->has_eh_frame = !r;
	return r;
}

/* May the file have more than was seen of it? */
static bool failure_may_pass(enum sframe_reason r)
{
	return r == SFRAME_NO_MEMORY || r == SFRAME_READ_FAILED;
}

/*
 * Find .eh_frame and .gopclntab. Sets for each of them why it is not there; returns a
 * reason only if the file may have more than was seen of it.
 */
static enum sframe_reason find_eh_frame_and_go(struct file *file,
					       struct sframe_sections *s,
					       enum sframe_reason *eh_frame,
					       enum sframe_reason *go)
{
	struct sframe_shdrs shdrs;
	enum sframe_reason r;

	*eh_frame = SFRAME_NO_EH_FRAME;
	*go = SFRAME_NO_GOPCLNTAB;
	if (!sframe_eh_frame)
		return SFRAME_OK;
	r = read_shdrs(file, &s->elf, &shdrs);
	if (!failure_may_pass(r)) {
		*eh_frame = find_eh_frame(file, s, &shdrs);
		*go = sframe_sections_find_go(file, s, &shdrs);
		r = failure_may_pass(*eh_frame) ? *eh_frame :
		    failure_may_pass(*go) ? *go : SFRAME_OK;
	}
	sframe_free(shdrs.data);
	return r;
}

/**
 * sframe_sections_find() - find the sections that a file's table is made from
 * @file: the file
 * @s: filled in
 *
 * Context: process context, sleeps; killable where the file system's reads are.
 * Return: SFRAME_OK if there is any; else why there is none; .sframe's reason if the
 *	file has that.
 */
enum sframe_reason sframe_sections_find(struct file *file,
					struct sframe_sections *s)
{
	enum sframe_reason r, eh_frame, go;

	memset(s, 0, sizeof(*s));
	r = read_elf(file, &s->elf);
	if (r && r != SFRAME_NO_SFRAME)
		return r;
	r = find_sframe(file, s);
	if (!failure_may_pass(r)) {
		enum sframe_reason other = find_eh_frame_and_go(file, s, &eh_frame, &go);

		if (other)
			r = other;
	}
	if (failure_may_pass(r))
		return r;
	if (r && eh_frame && go)
		return r == SFRAME_NO_SFRAME && eh_frame != SFRAME_NO_EH_FRAME ?
		       eh_frame : r;
	if (r && r != SFRAME_NO_SFRAME)
		sframe_refuse(r);
	if (eh_frame && eh_frame != SFRAME_NO_EH_FRAME)
		sframe_refuse(eh_frame);
	if (go && go != SFRAME_NO_GOPCLNTAB)
		sframe_refuse(go);
	return SFRAME_OK;
}
