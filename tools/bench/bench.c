// SPDX-License-Identifier: GPL-2.0
/*
 * What is measured; run it through tools/bench/run. Under callgrind each
 * phase becomes a dump named after it and its number of units; the sizes,
 * which need no valgrind, are printed: "size NAME TABLE_BYTES SECTION_BYTES",
 * and those of eh_frame.c.
 */
#include <stdio.h>
#include <valgrind/callgrind.h>

#include <sframe/cursor.h>
#include <sframe/elf.h>
#include <sframe/table.h>

#include "bench.h"
#include "compare.h"
#include "map_file.h"
#include "synth.h"

#define NR_PCS		20000
#define NR_STACKS	200
#define STACK_AT	0x7ff000000000ull
#define MAX_BYTES	((size_t)1 << 31)

static volatile u64 sink;

size_t alloc_bytes, alloc_peak;

/* The size is kept in front, where nothing is less aligned for it. */
void *sframe_alloc(size_t size)
{
	size_t *p = malloc(size + sizeof(max_align_t));

	if (!p)
		return NULL;
	*p = size;
	alloc_bytes += size;
	if (alloc_bytes > alloc_peak)
		alloc_peak = alloc_bytes;
	return (char *)p + sizeof(max_align_t);
}

void sframe_free(const void *mem)
{
	size_t *p = (size_t *)((char *)mem - sizeof(max_align_t));

	if (!mem)
		return;
	alloc_bytes -= *p;
	free(p);
}

void die(const char *what, const char *name)
{
	fprintf(stderr, "bench: %s: %s\n", name, what);
	exit(1);
}

void phase_begin(void)
{
	CALLGRIND_START_INSTRUMENTATION;
	CALLGRIND_ZERO_STATS;
}

void phase_end(const char *name, const char *program, size_t units)
{
	char text[128];

	CALLGRIND_STOP_INSTRUMENTATION;
	snprintf(text, sizeof(text), "%s %s %zu", name, program, units);
	CALLGRIND_DUMP_STATS_AT(text);
	fprintf(stderr, ".");
}

static struct sframe_table *measure_build(const char *program,
					  const struct sframe_section *sec,
					  const struct sframe_segment *text,
					  unsigned int nr_text)
{
	size_t bytes = sec->fre_pos + sec->fre_len;
	struct sframe_skips skips = {};
	struct sframe_table *table;
	enum sframe_reason reason;

	phase_begin();
	reason = sframe_table_build(sec, text, nr_text, MAX_BYTES, &table,
				    &skips);
	phase_end("build", program, bytes);
	if (reason)
		die(sframe_reason_text(reason), program);
	printf("size %s %zu %zu\n", program, table->bytes, bytes);
	return table;
}

static void measure_lookup(const char *name, const char *program,
			   const struct sframe_table *table, const u64 *pcs)
{
	u64 sum = 0;
	int i;

	phase_begin();
	for (i = 0; i < NR_PCS; i++)
		sum += sframe_table_lookup(table, pcs[i])->cfa_off;
	phase_end(name, program, NR_PCS);
	sink += sum;
}

/* What was remembered before does not count. */
static void forget(const struct sframe_table *table)
{
	memset(table->slot, 0, sframe_table_slots(table) * sizeof(u64));
}

/* The same with the table's memory, as a walk does it. */
static void measure_recall(const char *name, const char *program,
			   const struct sframe_table *table, const u64 *pcs)
{
	u64 sum = 0;
	int i;

	forget(table);
	phase_begin();
	for (i = 0; i < NR_PCS; i++)
		sum += sframe_table_recall(table, pcs[i])->cfa_off;
	phase_end(name, program, NR_PCS);
	sink += sum;
}

/* What the loop around the lookups costs. */
static void measure_loop(const u64 *pcs)
{
	u64 sum = 0;
	int i;

	phase_begin();
	for (i = 0; i < NR_PCS; i++) {
		sum += pcs[i];
		__asm__ volatile("" : "+r"(sum));
	}
	phase_end("loop", "-", NR_PCS);
	sink += sum;
}

/* A walk's surroundings: one file, one stack. */
struct place {
	const struct sframe_table *table;
	const struct sframe_segment *text;
	const u8 *stack;
};

static enum sframe_reason place_find(void *ctx, u64 pc,
				     struct sframe_rule *rule)
{
	const struct place *p = ctx;

	if (pc - p->text->vaddr >= p->text->size)
		return SFRAME_NO_MAPPING;
	*rule = *sframe_table_recall(p->table, pc);
	return SFRAME_OK;
}

static enum sframe_reason place_find_kept(void *ctx, u64 pc, unsigned int reg,
					  struct sframe_rule *rule)
{
	(void)ctx, (void)pc, (void)reg, (void)rule;
	return SFRAME_NO_TABLE;
}

static int place_read(void *ctx, u64 addr, void *buf, unsigned int len)
{
	const struct place *p = ctx;
	u64 at = addr - STACK_AT;

	if (at >= sizeof(((struct synth_stack *)0)->words) || len != sizeof(u64))
		return -1;
	memcpy(buf, p->stack + at, sizeof(u64));
	return 0;
}

static int place_reg(void *ctx, unsigned int reg, u64 *val)
{
	(void)ctx, (void)reg, (void)val;
	return -1;
}

static const struct sframe_cursor_ops place_ops = {
	.find = place_find,
	.find_kept = place_find_kept,
	.read = place_read,
	.read_code = place_read,
	.reg = place_reg,
};

static u32 walk(struct place *p, u64 pc)
{
	struct sframe_regs regs = { .pc = pc, .sp = STACK_AT };
	struct sframe_cursor cur;

	sframe_cursor_init(&cur, &sframe_abi_x86, &regs, 2 * SYNTH_DEPTH,
			   &place_ops, p);
	while (sframe_cursor_next_with(&cur, &place_ops) == SFRAME_OK)
		;
	return cur.depth;
}

/* Walk all @nr stacks, NR_STACKS walks in all. */
static void measure_frames(const char *name, const char *program,
			   struct place *p, const struct synth_stack *stacks,
			   int nr)
{
	size_t frames = 0;
	int i;

	forget(p->table);
	phase_begin();
	for (i = 0; i < NR_STACKS; i++) {
		p->stack = (const u8 *)stacks[i % nr].words;
		frames += walk(p, stacks[i % nr].pc);
	}
	phase_end(name, program, frames);
	if (frames != (size_t)NR_STACKS * (SYNTH_DEPTH - 1))
		die("walks did not reach the end", program);
}

static void measure_synthetic(const char *program, u8 version, u32 nr_fns)
{
	static struct synth_stack stacks[NR_STACKS];
	struct place p;
	static u64 pcs[NR_PCS];
	struct sframe_section sec;
	struct sframe_table *table;
	struct synth s;
	u64 state = 7;
	int i;

	synth_make(&s, version, nr_fns);
	if (build_open(&s.build, &sec))
		die("section not accepted", program);
	table = measure_build(program, &sec, &s.text, 1);
	for (i = 0; i < NR_PCS; i++)
		pcs[i] = synth_pc(&s, &state);
	for (i = 0; i < NR_STACKS; i++)
		synth_stack(&stacks[i], &s, table, STACK_AT, &state);
	if (version == 2 && nr_fns == 1000)
		measure_loop(pcs);
	measure_lookup("lookup-cold", program, table, pcs);
	measure_recall("recall-cold", program, table, pcs);
	for (i = 64; i < NR_PCS; i++)
		pcs[i] = pcs[i % 64];
	measure_recall("recall-hot", program, table, pcs);
	p.table = table;
	p.text = &s.text;
	measure_frames("frame-cold", program, &p, stacks, NR_STACKS);
	measure_frames("frame-hot", program, &p, stacks, 1);
	sframe_free(table);
	synth_free(&s);
}

/* A real program: building and size. */
static void measure_file(const char *name, const char *path)
{
	struct sframe_section sec;
	struct sframe_elf elf;
	enum sframe_reason reason;
	size_t len;
	u8 *map = map_file(path, &len);

	if (!map)
		die("cannot be read", path);
	reason = sframe_elf_header(&elf, &sframe_abi_x86, map, len, false);
	if (!reason && elf.phoff + elf.phnum * SFRAME_ELF_PHDR_SIZE > len)
		reason = SFRAME_ELF_PHDRS;
	if (!reason)
		reason = sframe_elf_phdrs(&elf, map + elf.phoff,
					  elf.phnum * SFRAME_ELF_PHDR_SIZE);
	if (!reason && elf.table.offset + elf.table.size > len)
		reason = SFRAME_ELF_PHDRS;
	if (!reason)
		reason = sframe_section_init(&sec, &sframe_abi_x86,
					     map + elf.table.offset,
					     elf.table.size, elf.table.vaddr,
					     false);
	if (reason)
		die(sframe_reason_text(reason), path);
	sframe_free(measure_build(name, &sec, elf.text, elf.nr_text));
	munmap(map, len);
}

static void measure_other(const char *name, long (*walk)(void))
{
	long n;

	compare_deep(COMPARE_DEPTH, walk);	/* fill caches */
	phase_begin();
	n = compare_deep(COMPARE_DEPTH, walk);
	phase_end(name, "-", n);
	if (n != COMPARE_DEPTH)
		die("stack not walked to its end", name);
}

int main(int argc, char **argv)
{
	int i;

	measure_synthetic("V2-1k", 2, 1000);
	measure_synthetic("V2-30k", 2, 30000);
	measure_synthetic("V2-1M", 2, 1000000);
	measure_synthetic("V3-1k", 3, 1000);
	measure_synthetic("V3-30k", 3, 30000);
	for (i = 1; i + 1 < argc; i += 2)
		if (!strncmp(argv[i], "eh_frame:", 9))
			measure_eh_frame(argv[i] + 9, argv[i + 1]);
		else
			measure_file(argv[i], argv[i + 1]);
	measure_code();
	measure_other("libunwind-step", compare_libunwind);
	measure_other("libunwind-backtrace", compare_libunwind_backtrace);
	measure_other("frame-pointers", compare_frame_pointers);
	return 0;
}
