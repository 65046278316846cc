// SPDX-License-Identifier: GPL-2.0
/*
 * libFuzzer's entry for Go's function tables.
 *
 * An input is HEAD bytes that choose what it is, then ENTRY bytes for each function,
 * then rows. Unless it is to be raw, a section is made of them: with a header, with
 * names that matter, and with records that belong to the functions.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <sframe/sources.h>

#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

enum {
	HEAD_WHAT,	/* bits 0-1 target, 2 raw, 3 Go 1.18, 4-7 allocation to fail */
	HEAD_FUNCS,	/* how many */
	HEAD,
};

enum {
	ENTRY_GAP,	/* bytes up to the function, in instructions; from 240 on back */
	ENTRY_NAME,
	ENTRY_FLAGS,
	ENTRY_ROWS,	/* where its rows are */
	ENTRY,
};

#define HDR		SFRAME_GO_HDR_SIZE
#define RECORD		44

static const char names[] = "main.f\0runtime.goexit\0runtime.mcall\0gogo\0"
	"runtime.systemstack\0runtime.nanotime1\0runtime.morestack\0time.now\0"
	"runtime.asyncPreempt\0runtime.sigpanic\0runtime.sigtramp\0runtime.clone\0"
	"runtime.sigreturn__sigaction\0runtime.debugCallV2\0a.name.without.an.end";

/* The functions, whose entries are at @entry, and their records. */
static void put_functions(const struct target *t, bool old, u8 *funcs,
			  const u8 *entry, u32 nr, u32 quantum)
{
	u32 i, at = 0, record = 8 * nr + 4;

	for (i = 0; i < nr; i++, entry += ENTRY, record += RECORD) {
		u8 *p = funcs + record;

		put_bytes(funcs + 8 * i, t->big_endian, 4, at);
		put_bytes(funcs + 8 * i + 4, t->big_endian, 4, record);
		put_bytes(p, t->big_endian, 4, at);
		put_bytes(p + 4, t->big_endian, 4, entry[ENTRY_NAME] % sizeof(names));
		put_bytes(p + 16, t->big_endian, 4, entry[ENTRY_ROWS]);
		p[old ? 36 : 40] = 1;
		p[old ? 37 : 41] = entry[ENTRY_FLAGS];
		at += entry[ENTRY_GAP] < 240 ? entry[ENTRY_GAP] * quantum : -64;
	}
	put_bytes(funcs + 8 * nr, t->big_endian, 4, at);
}

/* A section of the input's functions; *@size is its length. */
static u8 *make_section(const struct target *t, const u8 *data, size_t len,
			size_t *size)
{
	u32 room = (len - HEAD) / ENTRY, nr = data[HEAD_FUNCS] % 64;
	const u8 *rows = data + HEAD;
	bool old = data[HEAD_WHAT] & 8;
	u32 quantum = t->abi->ra_reg < 0 ? 1 : t->abi->has_pac ? 4 : 2;
	u32 funcs;
	u8 *p;

	nr = nr < room ? nr : room;
	rows += nr * ENTRY;
	funcs = HDR + sizeof(names) + nr * (8 + RECORD) + 4;
	*size = funcs + (data + len - rows);
	p = calloc(1, *size);
	put_bytes(p, t->big_endian, 4, old ? 0xfffffff0 : 0xfffffff1);
	p[6] = quantum;
	p[7] = 8;
	put_bytes(p + 8, t->big_endian, 8, nr);
	put_bytes(p + 24, t->big_endian, 8, TEXT_VA);
	put_bytes(p + 32, t->big_endian, 8, HDR);
	/* Position 0 would be none. */
	put_bytes(p + 56, t->big_endian, 8, funcs - 1);
	put_bytes(p + 64, t->big_endian, 8, HDR + sizeof(names));
	memcpy(p + HDR, names, sizeof(names));
	put_functions(t, old, p + HDR + sizeof(names), data + HEAD, nr, quantum);
	memcpy(p + funcs, rows, data + len - rows);
	return p;
}

/* What rules of Go's functions can be. */
static void check_rule(const struct sframe_abi *abi,
		       const struct sframe_rule *rule)
{
	const u8 alone = SFRAME_RULE_NO_FDE | SFRAME_RULE_BAD |
			 SFRAME_RULE_OUTERMOST;
	bool switches = rule->flags & SFRAME_RULE_SWITCH &&
			!sframe_rule_injected(rule);
	u8 other = sframe_rule_by_go(rule) ? SFRAME_LOC_REG | abi->go_reg :
					     SFRAME_LOC_FP;

	if (rule->flags & alone) {
		MUST(!(rule->flags & ~alone) && !rule->cfa && !rule->ra &&
		     !rule->fp);
		return;
	}
	MUST(rule->cfa == (switches ? other : SFRAME_LOC_SP));
	MUST(!(rule->cfa_off % abi->cfa_align) || switches);
	MUST(rule->ra == SFRAME_LOC_SAVED || (abi->ra_reg >= 0 && !rule->ra));
	MUST(rule->ra != SFRAME_LOC_SAVED || rule->ra_off < 0);
	MUST(rule->fp == SFRAME_LOC_SAME || rule->fp == SFRAME_LOC_LOST ||
	     (rule->fp == SFRAME_LOC_SAVED && rule->fp_off < rule->ra_off));
}

static void check(const struct sframe_abi *abi, const struct sframe_table *table)
{
	u64 pc;
	u32 i;

	check_arrays(table);
	for (i = 0; i < table->nr_rules; i++)
		check_rule(abi, &table->rule[i]);
	for (pc = table->base; pc < TEXT_VA; pc++)
		MUST(sframe_table_lookup(table, pc)->flags == SFRAME_RULE_NO_FDE);
	MUST(table->base + table->span <= TEXT_VA + TEXT_SIZE);
}

static void try(const struct target *t, const u8 *section, size_t len,
		unsigned int fail_at)
{
	const struct sframe_segment text = { .vaddr = TEXT_VA, .size = TEXT_SIZE };
	const struct sframe_limits limits = { 1 << 20, 1 << 22 };
	const struct sframe_sources src = {
		.abi = t->abi,
		.swap = t->big_endian != SFRAME_MACHINE_BE,
		.gopclntab = { section, len, 0x700000 },
		.text = &text,
		.nr_text = 1,
	};
	struct sframe_table *table = NULL;
	struct sframe_skips skips;
	enum sframe_reason reason;

	alloc_fail_at = fail_at;
	reason = sframe_sources_build(&src, &limits, &table, &skips);
	alloc_fail_at = 0;
	MUST(alloc_live == !reason);
	if (reason)
		return;
	check(t->abi, table);
	sframe_free(table);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	const struct target *t;
	size_t size;
	u8 *section;

	if (len <= HEAD)
		return 0;
	t = &targets[data[HEAD_WHAT] & 3];
	if (data[HEAD_WHAT] & 4) {
		size = len - HEAD;
		section = malloc(size);
		memcpy(section, data + HEAD, size);
	} else {
		section = make_section(t, data, len, &size);
	}
	try(t, section, size, data[HEAD_WHAT] >> 4);
	free(section);
	return 0;
}
