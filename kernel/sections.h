/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What is read of a file.
 */
#ifndef SFRAME_SECTIONS_H
#define SFRAME_SECTIONS_H

#include <linux/types.h>

#include <sframe/elf.h>
#include <sframe/reason.h>

struct file;

/**
 * struct sframe_sections - which bytes of a file its table is made from
 * @elf: what its headers say
 * @has_sframe: there is .sframe
 * @has_eh_frame: there is .eh_frame, and it is asked for
 * @sframe: .sframe; ends where its own header says that it does
 * @eh_frame: .eh_frame; ends with its last entry
 */
struct sframe_sections {
	struct sframe_elf elf;
	bool has_sframe;
	bool has_eh_frame;
	struct sframe_segment sframe;
	struct sframe_segment eh_frame;
};

enum sframe_reason sframe_sections_find(struct file *file,
					struct sframe_sections *s);
enum sframe_reason sframe_read(struct file *file, void *buf, size_t len,
			       u64 offset, enum sframe_reason eof);
void *sframe_read_buffer(size_t len);

#endif /* SFRAME_SECTIONS_H */
