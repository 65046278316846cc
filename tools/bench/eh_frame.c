// SPDX-License-Identifier: GPL-2.0
/*
 * What a table from .eh_frame costs: instructions for each byte, and memory:
 * "eh_frame NAME TABLE_BYTES PEAK_BYTES SECTION_BYTES HDR_BYTES".
 */
#include <stdio.h>

#include "bench.h"
#include "cfi.h"
#include "map_file.h"
#include "read_elf.h"

#define MAX_BYTES	((size_t)1 << 31)

struct file {
	const char *path;
	const u8 *data;
	size_t len;
	struct sframe_elf elf;
	struct sframe_eh_frame eh;
};

static void read_elf(struct file *f)
{
	enum sframe_reason reason = read_elf_headers(f->data, f->len, &f->elf);

	if (reason && reason != SFRAME_NO_SFRAME)
		die(sframe_reason_text(reason), f->path);
}

/* The section without what follows it in its segment. */
static void read_eh_frame(struct file *f)
{
	struct sframe_cfi_entry entry;
	struct sframe_segment seg;
	u64 pos = 0;

	if (find_eh_frame(f->data, f->len, &f->elf, &seg))
		die("no .eh_frame", f->path);
	f->eh = (struct sframe_eh_frame){
		.data = f->data + seg.offset,
		.len = seg.size,
		.va = seg.vaddr,
		.hdr_va = f->elf.eh_hdr.vaddr,
		.abi = f->elf.abi,
		.swap = f->elf.swap,
	};
	while (!sframe_cfi_entry(&f->eh, &pos, &entry))
		;
	f->eh.len = pos;
}

void measure_eh_frame(const char *name, const char *path)
{
	struct file f = { .path = path };
	struct sframe_skips skips = {};
	struct sframe_table *table;
	enum sframe_reason reason;
	size_t before;

	f.data = map_file(path, &f.len);
	if (!f.data)
		die("cannot be read", path);
	read_elf(&f);
	read_eh_frame(&f);
	before = alloc_bytes;
	alloc_peak = before;
	phase_begin();
	reason = sframe_cfi_table_build(&f.eh, f.elf.text, f.elf.nr_text,
					MAX_BYTES, &table, &skips);
	phase_end("eh_frame", name, f.eh.len);
	if (reason)
		die(sframe_reason_text(reason), path);
	printf("eh_frame %s %zu %zu %zu %zu\n", name, table->bytes,
	       alloc_peak - before, f.eh.len, (size_t)f.elf.eh_hdr.size);
	sframe_table_free(table);
	munmap((void *)f.data, f.len);
}
