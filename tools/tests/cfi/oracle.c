// SPDX-License-Identifier: GPL-2.0
/*
 * Our table of a file's .eh_frame beside libdw, by value: for each row that
 * libdw knows, at its first byte, its last and one between, with registers and
 * memory full of random words, both must find the same CFA, return address and
 * frame pointer.
 *
 *	oracle [--mutate] [--go] FILE...
 *
 * One line a file:
 *
 *	FILE abi=A bytes=N rows=N pcs=N different=N uncovered=N REASON=N...
 *
 * With --go, our table is of .gopclntab, theirs of .debug_frame; FP is not compared,
 * and "special" are addresses in functions that switch stacks, were not called, or
 * lower SP by hand, of which Go's CFI knows no more than the rows do.
 *
 * "uncovered" are rows that our table refuses, counted by reason behind. With
 * --mutate, one rule in a thousand is changed before it is compared, and
 * "noticed=N of=N" says how often that showed. The exit status is 1 if
 * anything differs, a mutation passed or a file could not be read.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>

#include "map_file.h"
#include "oracle.h"
#include "plain_alloc.h"
#include "read_elf.h"

#define MAX_BYTES	((size_t)1 << 31)
#define MAX_SHOWN	10
#define MUTATE_EVERY	1000

static bool mutate;
static bool go;

static enum sframe_reason read_elf(struct file *f)
{
	enum sframe_reason reason = read_elf_headers(f->data, f->len, &f->elf);

	return reason == SFRAME_NO_SFRAME ? SFRAME_OK : reason;
}

/* The bytes of @where, or NULL. */
static const u8 *bytes_of(const struct file *f,
			  const struct sframe_segment *where)
{
	return where->offset <= f->len && where->size <= f->len - where->offset ?
	       f->data + where->offset : NULL;
}

static enum sframe_reason read_eh_frame(struct file *f)
{
	const struct sframe_elf *elf = &f->elf;
	struct sframe_segment where;
	enum sframe_reason reason = find_eh_frame(f->data, f->len, elf, &where);

	if (reason)
		return reason;
	struct sframe_eh_frame eh = {
		.data = f->data + where.offset,
		.len = where.size,
		.va = where.vaddr,
		.hdr_va = elf->eh_hdr.vaddr,
		.abi = elf->abi,
		.swap = elf->swap,
	};
	f->section_len = where.size;
	return sframe_cfi_table_build(&eh, elf->text, elf->nr_text, MAX_BYTES, &f->table,
				      &f->skips);
}

static enum sframe_reason read_gopclntab(struct file *f)
{
	const struct sframe_elf *elf = &f->elf;
	struct sframe_shdrs shdrs = {
		.data = f->data + elf->shoff,
		.len = f->len - elf->shoff,
	};
	struct sframe_segment where;
	enum sframe_reason reason;
	unsigned int i = 0;

	if (elf->shoff > f->len)
		return SFRAME_FILE_SHORT;
	reason = sframe_elf_names(elf, &shdrs, &where);
	if (reason)
		return reason;
	shdrs.names = bytes_of(f, &where);
	shdrs.names_len = shdrs.names ? where.size : 0;
	reason = sframe_elf_gopclntab(elf, &shdrs, &where);
	if (reason)
		return reason;
	struct sframe_gopclntab pclntab = {
		.data = bytes_of(f, &where),
		.len = where.size,
		.abi = elf->abi,
		.swap = elf->swap,
	};
	struct sframe_segment module;
	u64 at = where.vaddr + SFRAME_GO_TEXT_AT;

	f->section_len = where.size;
	if (!sframe_elf_go_module(elf, &shdrs, &module) &&
	    bytes_of(f, &module)) {
		pclntab.text = sframe_elf_go_text(elf, bytes_of(f, &module),
						  where.vaddr);
		at = module.vaddr + SFRAME_GO_MODULE_TEXT_AT;
	}
	while (sframe_elf_relocations(elf, &shdrs, &i, &where) &&
	       bytes_of(f, &where) &&
	       !sframe_elf_relocated(elf, bytes_of(f, &where), where.size, at,
				     &pclntab.text))
		;
	return !pclntab.data ? SFRAME_FILE_SHORT :
	       sframe_gopclntab_build(&pclntab, elf->text, elf->nr_text,
				      MAX_BYTES, &f->table, &f->skips);
}

static enum sframe_reason read_tables(struct file *f)
{
	enum sframe_reason reason = read_elf(f);

	if (reason)
		return reason;
	return go ? read_gopclntab(f) : read_eh_frame(f);
}

/* A rule that says something else than it did. */
static void change(struct sframe_rule *rule, unsigned int how)
{
	switch (how % 6) {
	case 0:
		rule->cfa_off += 8;
		break;
	case 1:
		rule->cfa = rule->cfa == SFRAME_LOC_SP ? SFRAME_LOC_FP :
							 SFRAME_LOC_SP;
		break;
	case 2:
		rule->flags ^= SFRAME_RULE_SIGNAL;
		break;
	case 3:
		rule->ra ^= SFRAME_LOC_DEREF;
		rule->ra_off -= 8;
		break;
	case 4:
		rule->fp = rule->fp == SFRAME_LOC_SAME ? SFRAME_LOC_CFA :
							 SFRAME_LOC_SAME;
		break;
	default:
		rule->flags ^= SFRAME_RULE_OUTERMOST;
		break;
	}
}

static bool usable(const struct sframe_rule *rule)
{
	return !(rule->flags & (SFRAME_RULE_NO_FDE | SFRAME_RULE_BAD));
}

static const char *compare_rule(const struct file *f,
				const struct sframe_rule *rule,
				struct theirs *their, u64 pc)
{
	return go ? go_differs(f->elf.abi, rule, their, pc) :
		    differs(f->elf.abi, rule, their, pc);
}

/* At one address: returns false if the row is not in our table. */
static bool compare(struct file *f, struct theirs *their, u64 pc)
{
	struct sframe_rule rule = *sframe_table_lookup(f->table, pc);
	const char *what;

	f->pcs++;
	if (!usable(&rule))
		return false;
	if (go && go_is_special(f->elf.abi, &rule, their)) {
		f->special++;
		return true;
	}
	/* A trampoline whose rules cannot be kept is one, and no more. */
	if (mutate && rule.cfa && f->pcs % MUTATE_EVERY == 0) {
		struct sframe_rule changed = rule;

		change(&changed, go ? 3 * f->mutated++ : f->mutated++);
		f->noticed += !!compare_rule(f, &changed, their, pc);
	}
	what = compare_rule(f, &rule, their, pc);
	if (!what)
		return true;
	if (f->different++ >= MAX_SHOWN)
		return true;
	fprintf(stderr, "%s: %#" PRIx64 ": %s differs: ", f->path, pc, what);
	fprintf(stderr, "cfa %#x%+d ra %#x%+d fp %#x%+d flags %#x\n", rule.cfa,
		rule.cfa_off, rule.ra, rule.ra_off, rule.fp, rule.fp_off,
		rule.flags);
	return true;
}

/* One of their rows; returns where it ends. */
static u64 compare_row(struct file *f, struct theirs *their)
{
	u64 pcs[] = {
		their->start, their->start + (their->end - their->start) / 2,
		their->end - 1,
	};
	bool covered = true;
	unsigned int i;

	f->rows++;
	for (i = 0; i < 3; i++)
		covered &= compare(f, their, pcs[i]);
	if (covered)
		return their->end;
	f->uncovered++;
	if (f->uncovered <= MAX_SHOWN)
		fprintf(stderr, "%s: %#" PRIx64 "-%#" PRIx64 ": uncovered%s\n",
			f->path, their->start, their->end,
			their_sp_is_odd(f->elf.abi, their) ? " (SP)" : "");
	return their->end;
}

/* All that libdw finds, address by address. */
static void compare_all(struct file *f, struct libdw *dw)
{
	unsigned int i;

	for (i = 0; i < f->elf.nr_text; i++) {
		u64 pc = f->elf.text[i].vaddr;
		u64 end = pc + f->elf.text[i].size;

		while (pc < end) {
			struct theirs their;

			if (!libdw_row(dw, pc, &their)) {
				pc++;
				continue;
			}
			pc = compare_row(f, &their);
			libdw_row_free(&their);
		}
	}
}

static void report(const struct file *f)
{
	unsigned int i;

	printf("%s abi=%s bytes=%zu table=%zu rows=%" PRIu64 " pcs=%" PRIu64
	       " different=%" PRIu64 " uncovered=%" PRIu64, f->path,
	       f->elf.abi->name, f->section_len, f->table->bytes, f->rows, f->pcs,
	       f->different, f->uncovered);
	if (go)
		printf(" special=%" PRIu64, f->special);
	if (mutate)
		printf(" noticed=%u of=%u", f->noticed, f->mutated);
	for (i = 0; i < SFRAME_NR_REASONS; i++)
		if (f->skips.count[i])
			printf(" %s=%u", sframe_reason_name(i),
			       f->skips.count[i]);
	putchar('\n');
}

static int check_file(const char *path)
{
	struct file f = { .path = path };
	enum sframe_reason reason;
	struct libdw dw;

	f.data = map_file(path, &f.len);
	if (!f.data) {
		fprintf(stderr, "%s: %s\n", path, strerror(errno));
		return 1;
	}
	reason = read_tables(&f);
	if (reason) {
		printf("%s refused:%s\n", path, sframe_reason_name(reason));
		munmap((void *)f.data, f.len);
		return 1;
	}
	if (!libdw_open(&dw, path, go)) {
		fprintf(stderr, "%s: libdw finds no CFI\n", path);
		return 1;
	}
	compare_all(&f, &dw);
	libdw_close(&dw);
	report(&f);
	sframe_table_free(f.table);
	munmap((void *)f.data, f.len);
	return f.different || !f.rows || f.noticed != f.mutated;
}

int main(int argc, char **argv)
{
	int i, err = 0;

	for (i = 1; i < argc; i++) {
		if (!strcmp(argv[i], "--mutate"))
			mutate = true;
		else if (!strcmp(argv[i], "--go"))
			go = true;
		else
			err |= check_file(argv[i]);
		fflush(stdout);
	}
	return err;
}
