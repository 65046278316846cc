// SPDX-License-Identifier: GPL-2.0
/*
 * A static program in two views: what its file says, by libelf and by the table that the
 * module would make of it; and what it is doing, by QEMU.
 */
#include <byteswap.h>
#include <err.h>
#include <gelf.h>
#include <stdio.h>
#include <string.h>

#include <sframe/sources.h>

#include "map_file.h"
#include "program.h"
#include "read_elf.h"

/* Far more than any table of these programs needs. */
#define MAX_BYTES	((size_t)1 << 30)

/* Of QEMU's registers of x86-64, in its order, the first by their DWARF numbers. */
static const s8 x86_order[] = { 0, 3, 2, 1, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15 };
#define X86_PC		16
#define ARM64_PC	32
#define S390_PC		1
#define S390_GPRS	2
/* Those for floating point, where functions save others: by DWARF number - 16. */
static const u8 s390_fprs[] = { 0, 2, 4, 6, 1, 3, 5, 7, 8, 10, 12, 14, 9, 11, 13, 15 };
#define S390_FPR0	35

static struct sframe_table *build_table(const struct program *p)
{
	const struct sframe_limits limits = { MAX_BYTES, MAX_BYTES };
	const struct sframe_elf *elf = &p->elf;
	struct sframe_sources sources = {
		.abi = elf->abi, .swap = elf->swap, .eh_hdr_va = elf->eh_hdr.vaddr,
		.text = elf->text, .nr_text = elf->nr_text,
	};
	struct sframe_skips skips = {};
	struct sframe_table *table;
	struct sframe_segment where;

	if (!elf->has_eh_hdr || find_eh_frame(p->data, p->len, elf, &where))
		return NULL;
	sources.eh_frame = (struct sframe_bytes){ p->data + where.offset, where.size,
						  where.vaddr };
	return sframe_sources_build(&sources, &limits, &table, &skips) ? NULL : table;
}

void program_close(struct program *p)
{
	remote_end(p->remote);
	sframe_table_free(p->table);
}

/* The function called @name, or, if that is NULL, around @addr. */
static bool find_symbol(const struct program *p, const char *name, u64 addr, GElf_Sym *found,
			char *called, size_t size)
{
	Elf *elf = elf_memory((char *)p->data, p->len);
	Elf_Scn *scn = NULL;
	bool is_it = false;
	const char *text;
	GElf_Shdr shdr;
	size_t i;

	while (!is_it && (scn = elf_nextscn(elf, scn))) {
		gelf_getshdr(scn, &shdr);
		if (shdr.sh_type != SHT_SYMTAB)
			continue;
		for (i = 0; !is_it && i < shdr.sh_size / shdr.sh_entsize; i++) {
			gelf_getsym(elf_getdata(scn, NULL), i, found);
			text = elf_strptr(elf, shdr.sh_link, found->st_name);
			if (GELF_ST_TYPE(found->st_info) == STT_FUNC)
				is_it = name ? !strcmp(name, text) :
					       addr - found->st_value < found->st_size;
		}
	}
	if (is_it && called)
		snprintf(called, size, "%s", text);
	elf_end(elf);
	return is_it;
}

u64 program_symbol(const struct program *p, const char *name, u64 *size)
{
	GElf_Sym sym;

	if (!find_symbol(p, name, 0, &sym, NULL, 0))
		errx(2, "the program has no %s", name);
	if (size)
		*size = sym.st_size;
	return sym.st_value;
}

const char *program_place(const struct program *p, u64 addr)
{
	static char text[256];
	char name[200];
	GElf_Sym sym;

	if (find_symbol(p, NULL, addr, &sym, name, sizeof(name)))
		snprintf(text, sizeof(text), "%s+0x%lx", name, (long)(addr - sym.st_value));
	else
		snprintf(text, sizeof(text), "0x%lx", (long)addr);
	return text;
}

/* The registers, when it has stopped. */
static void read_registers(struct program *p)
{
	const struct sframe_abi *abi = p->elf.abi;
	u64 got[64] = {};
	size_t i;

	if (remote_registers(p->remote, (u8 *)got, sizeof(got)) < 17 * sizeof(*got))
		errx(2, "QEMU tells no registers");
	if (abi == &sframe_abi_x86) {
		for (i = 0; i < ARRAY_SIZE(x86_order); i++)
			p->reg[x86_order[i]] = got[i];
		p->pc = got[X86_PC];
	} else if (abi == &sframe_abi_arm64) {
		memcpy(p->reg, got, sizeof(p->reg));
		p->pc = got[ARM64_PC];
	} else {
		for (i = 0; i < 16; i++)
			p->reg[i] = bswap_64(got[S390_GPRS + i]);
		p->pc = bswap_64(got[S390_PC]);
	}
	p->step++;
}

u64 program_reg(struct program *p, int reg)
{
	if (reg < 0 || reg >= NR_REGS)
		return 0;
	if (p->elf.abi == &sframe_abi_s390 && reg >= 16)
		return bswap_64(remote_register(p->remote, S390_FPR0 + s390_fprs[reg - 16]));
	return p->reg[reg];
}

void program_open(struct program *p, const char *qemu, const char *path)
{
	enum sframe_reason reason;

	p->data = map_file(path, &p->len);
	if (!p->data)
		err(2, "%s", path);
	reason = read_elf_headers(p->data, p->len, &p->elf);
	if (reason && reason != SFRAME_NO_SFRAME)
		errx(2, "%s: %s", path, sframe_reason_text(reason));
	p->table = build_table(p);
	if (!p->table)
		errx(2, "%s: no table", path);
	elf_version(EV_CURRENT);
	p->remote = remote_start(qemu, path);
	read_registers(p);
	p->start = program_sp(p);
}

bool program_step(struct program *p)
{
	if (!remote_step(p->remote))
		return false;
	read_registers(p);
	return true;
}

void program_run_to(struct program *p, u64 addr)
{
	remote_run_to(p->remote, addr);
	read_registers(p);
	if (p->pc != addr)
		errx(2, "the program is at 0x%lx instead of 0x%lx", (long)p->pc, (long)addr);
}

bool program_is_code(const struct program *p, u64 addr)
{
	size_t i;

	for (i = 0; i < p->elf.nr_text; i++)
		if (addr - p->elf.text[i].vaddr < p->elf.text[i].size)
			return true;
	return false;
}

static const struct page *get_page(struct program *p, u64 addr)
{
	struct page *page = &p->pages[addr / PAGE_BYTES * 2654435761u % NR_PAGES];
	bool fresh = page->step == p->step || (page->step && program_is_code(p, addr));

	if (page->addr != addr || !fresh) {
		page->addr = addr;
		page->step = p->step;
		page->there = remote_read(p->remote, addr, page->bytes, PAGE_BYTES);
	}
	return page;
}

bool program_read(struct program *p, u64 addr, void *buf, size_t len)
{
	const struct page *page;
	size_t part;

	for (; len; len -= part, addr += part, buf = (u8 *)buf + part) {
		page = get_page(p, addr / PAGE_BYTES * PAGE_BYTES);
		if (!page->there)
			return false;
		part = PAGE_BYTES - addr % PAGE_BYTES;
		if (part > len)
			part = len;
		memcpy(buf, page->bytes + addr % PAGE_BYTES, part);
	}
	return true;
}

u64 program_word(struct program *p, u64 addr)
{
	u64 word;

	if (!program_read(p, addr, &word, sizeof(word)))
		return 0;
	return p->elf.swap ? bswap_64(word) : word;
}
