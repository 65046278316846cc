/* SPDX-License-Identifier: GPL-2.0 */
/* Finds in a file what its table is made from. */
#ifndef SFRAME_SECTIONS_H
#define SFRAME_SECTIONS_H

#include <linux/sizes.h>
#include <linux/types.h>

#include <sframe/elf.h>
#include <sframe/reason.h>

struct file;

/**
 * struct sframe_sections - the sections of a file that its table is made from
 * @elf: its ELF headers
 * @has_sframe: there is .sframe
 * @has_eh_frame: there is .eh_frame, and the parameter eh_frame is set
 * @has_gopclntab: there is .gopclntab, and the parameter eh_frame is set
 * @sframe: .sframe; it ends where its own header says
 * @eh_frame: .eh_frame; it ends with its last entry
 * @gopclntab: .gopclntab
 * @go_text: address of Go's code, if .gopclntab does not say it, or 0
 */
struct sframe_sections {
	struct sframe_elf elf;
	bool has_sframe;
	bool has_eh_frame;
	bool has_gopclntab;
	struct sframe_segment sframe;
	struct sframe_segment eh_frame;
	struct sframe_segment gopclntab;
	u64 go_text;
};

/* Bytes of a section that are searched at a time. */
#define SFRAME_WINDOW	SZ_64K

enum sframe_reason sframe_sections_find(struct file *file,
					struct sframe_sections *s);
enum sframe_reason sframe_read(struct file *file, void *buf, size_t len,
			       u64 offset, enum sframe_reason eof);
enum sframe_reason sframe_sections_find_go(struct file *file,
					   struct sframe_sections *s,
					   const struct sframe_shdrs *shdrs);

#endif /* SFRAME_SECTIONS_H */
