// SPDX-License-Identifier: GPL-2.0
/* Finds Go's function table in a file, and the address of the code that it describes. */
#include <linux/minmax.h>
#include <linux/sched.h>

#include <sframe/elf.h>
#include <sframe/env.h>
#include <sframe/gopclntab.h>

#include "limits.h"
#include "sections.h"

/* Bytes of relocations read at a time: whole ones. */
#define RELA_WINDOW	(SFRAME_WINDOW / SFRAME_ELF_RELA_SIZE * \
			 SFRAME_ELF_RELA_SIZE)

/* Search one section for the relocation of the pointer at @at; no more than *@left bytes. */
static enum sframe_reason search_relocations(struct file *file,
					     struct sframe_sections *s,
					     const struct sframe_segment *rela,
					     u64 at, u8 *buf, u64 *left)
{
	u64 pos = 0, size = min(rela->size, *left);
	enum sframe_reason r = SFRAME_OK;
	bool found = false;
	size_t len;

	*left -= size;
	while (!r && !found && pos < size) {
		len = min_t(u64, RELA_WINDOW, size - pos);
		r = sframe_read(file, buf, len, rela->offset + pos,
				SFRAME_FILE_SHORT);
		found = !r && sframe_elf_relocated(&s->elf, buf, len, at,
						   &s->go_text);
		pos += len;
		cond_resched();
	}
	return r;
}

/*
 * Position-independent programs have the address in a relocation of the pointer at @at,
 * among hundreds of thousands of others.
 */
static enum sframe_reason find_relocated_text(struct file *file,
					      struct sframe_sections *s,
					      const struct sframe_shdrs *shdrs, u64 at)
{
	u64 left = READ_ONCE(sframe_max_file_bytes);
	enum sframe_reason r = SFRAME_OK;
	struct sframe_segment rela;
	unsigned int i = 0;
	u8 *buf;

	buf = sframe_alloc(RELA_WINDOW);
	if (!buf)
		return SFRAME_NO_MEMORY;
	while (!r && !s->go_text &&
	       sframe_elf_relocations(&s->elf, shdrs, &i, &rela))
		r = search_relocations(file, s, &rela, at, buf, &left);
	sframe_free(buf);
	return r;
}

/* .gopclntab's header does not say the address of the code: since Go 1.26 it never does. */
static enum sframe_reason find_go_text(struct file *file,
				       struct sframe_sections *s,
				       const struct sframe_shdrs *shdrs)
{
	u64 at = s->gopclntab.vaddr + SFRAME_GO_TEXT_AT;
	u8 module[SFRAME_GO_MODULE_SIZE];
	struct sframe_segment section;
	enum sframe_reason r;

	if (!sframe_elf_go_module(&s->elf, shdrs, &section)) {
		r = sframe_read(file, module, sizeof(module), section.offset,
				SFRAME_FILE_SHORT);
		if (r)
			return r;
		s->go_text = sframe_elf_go_text(&s->elf, module,
						s->gopclntab.vaddr);
		at = section.vaddr + SFRAME_GO_MODULE_TEXT_AT;
	}
	return s->go_text ? SFRAME_OK : find_relocated_text(file, s, shdrs, at);
}

/**
 * sframe_sections_find_go() - find .gopclntab, and Go's code
 * @file: the file
 * @s: filled in, as far as Go is concerned
 * @shdrs: its section headers, as far as they could be read
 *
 * Context: process context, sleeps; killable where the file system's reads are.
 * Return: SFRAME_OK, or why there is none.
 */
enum sframe_reason sframe_sections_find_go(struct file *file,
					   struct sframe_sections *s,
					   const struct sframe_shdrs *shdrs)
{
	enum sframe_reason r;
	u64 text = 0;

	r = sframe_elf_gopclntab(&s->elf, shdrs, &s->gopclntab);
	if (!r)
		r = sframe_read(file, &text, sizeof(text),
				s->gopclntab.offset + SFRAME_GO_TEXT_AT,
				SFRAME_FILE_SHORT);
	if (!r && !text)
		r = find_go_text(file, s, shdrs);
	s->has_gopclntab = !r;
	return r;
}
