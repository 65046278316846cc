// SPDX-License-Identifier: GPL-2.0
/*
 * Prints what the core makes of the SFrame table of ELF files, function by
 * function and row by row, and checks that a lookup in the converted table
 * gives the same as a naive scan for every address (scan.c).
 *
 *	dump [--no-scan] FILE...
 *
 * Exit status: 0, or 1 if a file has no usable table or a lookup differs.
 */
#include <errno.h>
#include <inttypes.h>

#include "map_file.h"
#include "oracle.h"
#include "plain_alloc.h"
#include "read_elf.h"

struct file {
	const char *path;
	const u8 *data;
	size_t len;
};

/* One of CFA, RA, FP: "u", "c-16", "r10+0", or "*(fp-16)" where it is loaded. */
static void print_loc(FILE *out, const char *name, u8 loc, s32 off)
{
	u8 base = loc & ~SFRAME_LOC_DEREF;
	bool deref = loc & SFRAME_LOC_DEREF;

	fprintf(out, "%s=", name);
	if (loc == SFRAME_LOC_SAME) {
		fputc('u', out);
		return;
	}
	if (deref)
		fputs("*(", out);
	if (base & SFRAME_LOC_REG)
		fprintf(out, "r%u", base & SFRAME_LOC_REG_MASK);
	else
		fputs(base == SFRAME_LOC_CFA ? "c" :
		      base == SFRAME_LOC_SP ? "sp" : "fp", out);
	fprintf(out, "%+d%s", off, deref ? ")" : "");
}

/* The canonical text of a row's rule, without a newline. */
void oracle_print_rule(FILE *out, const struct sframe_row *row)
{
	const struct sframe_rule *rule = &row->rule;

	if (row->reason || rule->flags & SFRAME_RULE_BAD) {
		fprintf(out, "bad:%s", sframe_reason_name(row->reason));
	} else if (rule->flags & SFRAME_RULE_OUTERMOST) {
		fputs("outermost", out);
	} else {
		print_loc(out, "cfa", rule->cfa, rule->cfa_off);
		print_loc(out, " ra", rule->ra, rule->ra_off);
		print_loc(out, " fp", rule->fp, rule->fp_off);
	}
	if (rule->flags & SFRAME_RULE_MANGLED)
		fputs(" mangled", out);
	if (rule->flags & SFRAME_RULE_SIGNAL)
		fputs(" signal", out);
}

static void print_fde(const struct sframe_section *sec, u32 i)
{
	struct sframe_rows rows;
	struct sframe_fde fde;
	struct sframe_row row;
	enum sframe_reason reason = sframe_fde_get(sec, i, &fde);

	printf("fde %u start=%#" PRIx64 " size=%u", i, fde.start, fde.size);
	if (reason) {
		printf(" skipped:%s\n", sframe_reason_name(reason));
		return;
	}
	printf(" rows=%u", fde.num_rows);
	if (fde.pcmask)
		printf(" repeat=%u", fde.rep_size);
	if (fde.flex)
		printf(" flex");
	if (fde.signal)
		printf(" signal");
	putchar('\n');
	sframe_rows_init(&rows, sec, &fde);
	while (rows.left) {
		reason = sframe_rows_next(&rows, &row);
		if (reason) {
			printf("row end:%s\n", sframe_reason_name(reason));
			break;
		}
		printf("row %#x ", row.start);
		oracle_print_rule(stdout, &row);
		putchar('\n');
	}
}

/* Open the SFrame table of a file of any ABI and byte order. */
static enum sframe_reason open_table(const struct file *f,
				     struct sframe_elf *elf,
				     struct sframe_section *sec)
{
	enum sframe_reason reason = read_elf_headers(f->data, f->len, elf);

	if (reason)
		return reason;
	if (elf->table.offset > f->len ||
	    elf->table.size > f->len - elf->table.offset)
		return SFRAME_ELF_PHDRS;
	return sframe_section_init(sec, elf->abi, f->data + elf->table.offset,
				   elf->table.size, elf->table.vaddr, elf->swap);
}

static int dump(struct file *f, bool scan)
{
	struct sframe_section sec;
	enum sframe_reason reason;
	struct sframe_elf elf;
	u32 i;

	f->data = map_file(f->path, &f->len);
	if (!f->data) {
		fprintf(stderr, "%s: %s\n", f->path, strerror(errno));
		return 1;
	}
	reason = open_table(f, &elf, &sec);
	if (reason) {
		printf("file %s refused:%s\n", f->path,
		       sframe_reason_name(reason));
		return 1;
	}
	printf("file %s version=%u abi=%s flags=%#x fdes=%u bytes=%" PRIu64 "\n",
	       f->path, sec.version, sec.abi->name, sec.flags, sec.num_fdes,
	       sec.fre_pos + sec.fre_len);
	for (i = 0; i < sec.num_fdes; i++)
		print_fde(&sec, i);
	return scan ? oracle_scan(&elf, &sec, f->path) : 0;
}

int main(int argc, char **argv)
{
	bool scan = true;
	int i, err = 0;

	for (i = 1; i < argc; i++) {
		struct file f = { .path = argv[i] };

		if (!strcmp(argv[i], "--no-scan")) {
			scan = false;
			continue;
		}
		err |= dump(&f, scan);
		if (f.data)
			munmap((void *)f.data, f.len);
	}
	return err;
}
