/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A static program: its ELF file, and where it is when it is single-stepped.
 */
#ifndef SHADOW_PROGRAM_H
#define SHADOW_PROGRAM_H

#include <sframe/cursor.h>
#include <sframe/elf.h>
#include <sframe/table.h>

#include "remote.h"

#define ARRAY_SIZE(a)	(sizeof(a) / sizeof((a)[0]))

#define NR_REGS		32
#define NR_PAGES	4096
#define PAGE_BYTES	1024

/* What was read of its memory: code stays, the rest until the next step. */
struct page {
	u64 addr;
	u64 step;
	bool there;
	u8 bytes[PAGE_BYTES];
};

struct program {
	const u8 *data;
	size_t len;
	struct sframe_elf elf;
	struct sframe_table *table;
	struct remote *remote;
	u64 step;
	u64 reg[NR_REGS];
	u64 pc;
	/* Its SP when it was started. */
	u64 start;
	struct page pages[NR_PAGES];
};

void program_open(struct program *p, const char *qemu, const char *path);
void program_close(struct program *p);

/* A function's address, and its length if @size is not NULL. */
u64 program_symbol(const struct program *p, const char *name, u64 *size);
/* The function's name, and how far into it. */
const char *program_place(const struct program *p, u64 addr);

bool program_step(struct program *p);
void program_run_to(struct program *p, u64 addr);
bool program_read(struct program *p, u64 addr, void *buf, size_t len);
/* A word of its stack, in our byte order; 0 if there is none. */
u64 program_word(struct program *p, u64 addr);

/* The register with a DWARF number; none (-1) is 0. */
u64 program_reg(struct program *p, int reg);

static inline u64 program_sp(struct program *p)
{
	return program_reg(p, p->elf.abi->sp_reg);
}

bool program_is_code(const struct program *p, u64 addr);

#endif /* SHADOW_PROGRAM_H */
