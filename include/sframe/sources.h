/* SPDX-License-Identifier: GPL-2.0 */
/*
 * One table from all that a file says about its stack frames: .sframe comes first;
 * where that has no row, .eh_frame is asked, and then .gopclntab. Implemented in
 * core/sources.c.
 */
#ifndef SFRAME_SOURCES_H
#define SFRAME_SOURCES_H

#include <sframe/cfi.h>
#include <sframe/elf.h>
#include <sframe/gopclntab.h>
#include <sframe/table.h>

/**
 * struct sframe_bytes - a section as it was read
 * @data: its bytes, NULL if the file has none
 * @len: how many; may be more than the section has
 * @va: link-time address of @data
 */
struct sframe_bytes {
	const void *data;
	size_t len;
	u64 va;
};

/**
 * struct sframe_sources - what a table is made from
 * @abi: the file's ABI
 * @swap: its byte order is not the machine's
 * @sframe: .sframe, or none
 * @eh_frame: .eh_frame, or none; as sframe_elf_eh_frame() found it
 * @gopclntab: .gopclntab, or none
 * @go_text: link-time address of Go's code, if .gopclntab does not say it, or 0
 * @eh_hdr_va: link-time address of .eh_frame_hdr
 * @text: executable segments; functions outside of them are left out
 * @nr_text: how many
 * @read_code: read @len bytes of the file from @offset on: SFRAME_OK, SFRAME_FILE_SHORT, or why
 *	not. May sleep. NULL: its code is not looked at
 * @ctx: for that
 */
struct sframe_sources {
	const struct sframe_abi *abi;
	bool swap;
	struct sframe_bytes sframe;
	struct sframe_bytes eh_frame;
	struct sframe_bytes gopclntab;
	u64 go_text;
	u64 eh_hdr_va;
	const struct sframe_segment *text;
	unsigned int nr_text;
	enum sframe_reason (*read_code)(void *ctx, u64 offset, void *buf, unsigned int len);
	void *ctx;
};

/**
 * struct sframe_limits - what a table may cost
 * @table_bytes: no table may be larger
 * @build_bytes: no more may be allocated at any time during the build, the result
 *	included
 */
struct sframe_limits {
	size_t table_bytes;
	size_t build_bytes;
};

/**
 * sframe_sources_build() - one table from all sources
 * @src: the sources; nothing of them is kept
 * @limits: what it may cost
 * @table: the table, to be freed with sframe_table_free()
 * @skips: set to counts of what was left out, by reason; a source that is of no use at
 *	all counts by its reason, if another one gives a table
 *
 * A refused row counts as none, so the next source is asked. If two sources together
 * cost too much, the first one alone is used. Of large gaps the code is looked at, whether it
 * keeps frame pointers.
 *
 * Context: May sleep. Time and memory are linear in the sources' bytes.
 * Return: SFRAME_OK; or why there is no table: .sframe's reason if the file has that.
 *	SFRAME_NO_MEMORY if memory was short anywhere, or @read_code's reason, so that
 *	another attempt may do better.
 */
enum sframe_reason sframe_sources_build(const struct sframe_sources *src,
					const struct sframe_limits *limits,
					struct sframe_table **table,
					struct sframe_skips *skips);

#endif /* SFRAME_SOURCES_H */
