// SPDX-License-Identifier: GPL-2.0
/*
 * The naive lookup: walk the functions and rows as the format says, and
 * compare with sframe_table_lookup() at every address from one before the
 * first function to one past the last, gaps included.
 */
#include <inttypes.h>

#include <sframe/table.h>

#include "oracle.h"

#define MAX_TABLE	(256u << 20)
#define MAX_SHOWN	10

struct func {
	struct sframe_fde fde;
	struct sframe_row *rows;
	u32 nr_rows;
};

struct funcs {
	const struct sframe_section *sec;
	struct func *func;
	u32 nr;
	bool plt_doubtful;
};

static bool in_text(const struct sframe_elf *elf, const struct sframe_fde *fde)
{
	unsigned int i;

	for (i = 0; i < elf->nr_text; i++) {
		const struct sframe_segment *seg = &elf->text[i];

		if (fde->start >= seg->vaddr &&
		    fde->start - seg->vaddr <= seg->size &&
		    fde->size <= seg->size - (fde->start - seg->vaddr))
			return true;
	}
	return false;
}

static int by_start(const void *a, const void *b)
{
	const struct func *x = a, *y = b;

	return x->fde.start < y->fde.start ? -1 : x->fde.start > y->fde.start;
}

static void load_rows(const struct sframe_section *sec, struct func *fn)
{
	struct sframe_rows rows;

	fn->rows = calloc(fn->fde.num_rows + 1, sizeof(*fn->rows));
	if (!fn->rows)
		abort();
	sframe_rows_init(&rows, sec, &fn->fde);
	/* Tables do not say that RA is signed. */
	while (rows.left && !sframe_rows_next(&rows, &fn->rows[fn->nr_rows]))
		fn->rows[fn->nr_rows++].rule.flags &= ~SFRAME_RULE_MANGLED;
}

/* Does it say what is true of the first entry of amd64's .plt only? */
static bool is_plt0(const struct func *fn)
{
	return !fn->fde.pcmask && fn->fde.size == 16 && fn->nr_rows == 2 &&
	       fn->rows[0].rule.cfa_off == 16 && fn->rows[1].start == 6 &&
	       fn->rows[1].rule.cfa_off == 24;
}

/*
 * ld 2.40 uses it for the first entry of .plt.sec as well; where that shows,
 * no PLT function is to be believed.
 */
static void judge_plt(struct funcs *fns)
{
	u32 i, plt0s = 0;

	if (fns->sec->version != 1 || fns->sec->abi != &sframe_abi_x86)
		return;
	for (i = 0; i < fns->nr; i++)
		plt0s += is_plt0(&fns->func[i]);
	fns->plt_doubtful = plt0s > 1;
}

/* All functions that have a range, in order of address. */
static void load(struct funcs *fns, const struct sframe_elf *elf,
		 const struct sframe_section *sec)
{
	u32 i;

	fns->sec = sec;
	fns->func = calloc(sec->num_fdes + 1, sizeof(*fns->func));
	if (!fns->func)
		abort();
	for (i = 0; i < sec->num_fdes; i++) {
		struct func *fn = &fns->func[fns->nr];

		if (sframe_fde_get(sec, i, &fn->fde) || !in_text(elf, &fn->fde))
			continue;
		load_rows(sec, fn);
		fns->nr++;
	}
	qsort(fns->func, fns->nr, sizeof(*fns->func), by_start);
	judge_plt(fns);
}

static void unload(struct funcs *fns)
{
	u32 i;

	for (i = 0; i < fns->nr; i++)
		free(fns->func[i].rows);
	free(fns->func);
}

/* The rule at @off bytes into a function; flags say when there is none. */
static struct sframe_rule rule_at(const struct funcs *fns,
				  const struct func *fn, u64 off)
{
	struct sframe_rule rule = { .flags = SFRAME_RULE_BAD };
	u32 i;

	if (fns->plt_doubtful && (fn->fde.pcmask || is_plt0(fn)))
		return rule;
	if (!fn->fde.num_rows && fns->sec->version == 3)
		rule.flags = fn->fde.signal ? SFRAME_RULE_SIGNAL :
					      SFRAME_RULE_OUTERMOST;
	if (fn->fde.pcmask)
		off %= fn->fde.rep_size;
	for (i = 0; i < fn->nr_rows && fn->rows[i].start <= off; i++)
		rule = fn->rows[i].rule;
	return rule;
}

static bool unusable(const struct sframe_rule *rule)
{
	return rule->flags & (SFRAME_RULE_NO_FDE | SFRAME_RULE_BAD);
}

static bool same(const struct sframe_rule *a, const struct sframe_rule *b)
{
	if (unusable(a) || unusable(b))
		return unusable(a) && unusable(b);
	return !memcmp(a, b, sizeof(*a));
}

static void show(u64 pc, const struct sframe_rule *want,
		 const struct sframe_rule *got)
{
	struct sframe_row row = { .rule = *want };

	fprintf(stderr, "  pc %#" PRIx64 ": scan says ", pc);
	oracle_print_rule(stderr, &row);
	row.rule = *got;
	fprintf(stderr, ", lookup says ");
	oracle_print_rule(stderr, &row);
	fputc('\n', stderr);
}

/* Returns how many addresses differ. */
static u64 compare(const struct funcs *fns, const struct sframe_table *table,
		   u64 *pcs)
{
	u64 first = fns->func[0].fde.start - 1, end = 0, wrong = 0, pc;
	const struct func *fn = NULL;
	u32 i, next = 0;

	for (i = 0; i < fns->nr; i++)
		if (fns->func[i].fde.start + fns->func[i].fde.size > end)
			end = fns->func[i].fde.start + fns->func[i].fde.size;
	for (pc = first; pc <= end + 1; pc++) {
		const struct sframe_rule *got = sframe_table_lookup(table, pc);
		struct sframe_rule want = { .flags = SFRAME_RULE_NO_FDE };

		while (next < fns->nr && fns->func[next].fde.start <= pc)
			fn = &fns->func[next++];
		if (fn && pc - fn->fde.start < fn->fde.size)
			want = rule_at(fns, fn, pc - fn->fde.start);
		if (!same(&want, got) && wrong++ < MAX_SHOWN)
			show(pc, &want, got);
	}
	*pcs = end + 2 - first;
	return wrong;
}

/**
 * oracle_scan() - compare every lookup with a scan, print a "scan" line
 * @elf: the file
 * @sec: its table
 * @path: for messages
 *
 * Return: 0 if they agree everywhere, else 1.
 */
int oracle_scan(const struct sframe_elf *elf, const struct sframe_section *sec,
		const char *path)
{
	struct sframe_table *table = NULL;
	struct sframe_skips skips = { 0 };
	enum sframe_reason reason;
	struct funcs fns = { 0 };
	u64 pcs = 0, wrong = 0;

	load(&fns, elf, sec);
	reason = sframe_table_build(sec, elf->text, elf->nr_text, MAX_TABLE,
				    &table, &skips);
	if (!reason && fns.nr) {
		wrong = compare(&fns, table, &pcs);
	} else if (fns.nr || reason != SFRAME_NO_FUNCTIONS) {
		fprintf(stderr, "%s: table refused: %s\n", path,
			sframe_reason_text(reason));
		wrong = 1;
	}
	printf("scan functions=%u pcs=%" PRIu64 " wrong=%" PRIu64, fns.nr, pcs,
	       wrong);
	for (reason = 0; reason < SFRAME_NR_REASONS; reason++)
		if (skips.count[reason])
			printf(" %s=%u", sframe_reason_name(reason),
			       skips.count[reason]);
	putchar('\n');
	sframe_free(table);
	unload(&fns);
	return wrong != 0;
}
