// SPDX-License-Identifier: GPL-2.0
/* See synth.h. Everything is the same in every run. */
#include <stdio.h>

#include "synth.h"

#define TEXT	0x401000ull
#define SECTION	0x400200ull
#define RBP	2	/* how many registers are pushed before rbp */

/* A row at @at: CFA = SP + @cfa; rbp saved when the third push is done. */
static void row(struct build *b, u32 at, s32 cfa, bool rbp_saved)
{
	unsigned int code = cfa > 127;

	if (rbp_saved)
		build_row(b, at, SFRAME_ROW_BASE_SP, code, 2, cfa,
			  -8 * (RBP + 2));
	else
		build_row(b, at, SFRAME_ROW_BASE_SP, code, 1, cfa);
}

/* Pushes, room for locals, the body, and all that undone before the return. */
static void add_rows(struct build *b, u32 size, u32 pushes, u32 locals)
{
	u32 i, at = 4;

	row(b, 0, 8, false);
	for (i = 0; i < pushes; i++, at += 2)
		row(b, at, 16 + 8 * i, i >= RBP);
	if (locals)
		row(b, at + 4, 8 + 8 * (pushes + locals), pushes > RBP);
	at = size - 2 * pushes - 2;
	for (i = pushes + !!locals; i--; at += 2)
		row(b, at, 8 + 8 * (i < pushes ? i : pushes), i > RBP);
}

static void add_function(struct synth *s, u32 i, u64 start, u64 *state)
{
	static const u8 pushes[] = { 0, 0, 0, 0, 1, 1, 2, 2, 3, 4, 6, 6 };
	u32 n = pushes[rnd_below(state, sizeof(pushes))];
	u32 size = 24 + rnd_below(state, n ? 300 * n : 120) + 6 * n;
	u32 locals = n ? rnd_below(state, 24) * (rnd(state) & 1) : 0;
	u8 type = size < 256 ? 0 : 1;

	s->fns[i] = (struct synth_fn){ .start = start, .size = size };
	build_fde(&s->build, start, size, type, 0, 0);
	add_rows(&s->build, size, n, locals);
}

void synth_make(struct synth *s, u8 version, u32 nr_fns)
{
	u64 start = TEXT, state = 42;
	u8 flags = SFRAME_F_SORTED | SFRAME_F_PCREL;
	u32 i;

	*s = (struct synth){ .nr_fns = nr_fns };
	s->fns = calloc(nr_fns, sizeof(*s->fns));
	build_init(&s->build, &sframe_abi_x86, version, false, flags, SECTION);
	for (i = 0; s->fns && i < nr_fns; i++) {
		add_function(s, i, start, &state);
		start = (start + s->fns[i].size + 15) & ~15ull;
	}
	build_end(&s->build);
	if (!s->fns || s->build.failed) {
		fprintf(stderr, "bench: out of memory\n");
		exit(1);
	}
	s->text = (struct sframe_segment){ .vaddr = TEXT, .size = start - TEXT };
}

void synth_free(struct synth *s)
{
	build_free(&s->build);
	free(s->fns);
}

u64 synth_pc(const struct synth *s, u64 *state)
{
	const struct synth_fn *fn = &s->fns[rnd_below(state, s->nr_fns)];

	return fn->start + 1 + rnd_below(state, fn->size - 1);
}

void synth_stack(struct synth_stack *st, const struct synth *s,
		 const struct sframe_table *table, u64 sp, u64 *state)
{
	const struct sframe_rule *rule;
	u64 at = 0, pc = synth_pc(s, state);
	int i;

	memset(st, 0, sizeof(*st));
	st->pc = pc;
	for (i = 0; i < SYNTH_DEPTH; i++) {
		rule = sframe_table_lookup(table, pc - (i > 0));
		at += rule->cfa_off;
		if (rule->cfa != SFRAME_LOC_SP || at > sizeof(st->words)) {
			fprintf(stderr, "bench: unexpected rule at %#llx\n",
				(unsigned long long)pc);
			exit(1);
		}
		pc = i + 1 < SYNTH_DEPTH ? synth_pc(s, state) : 0;
		st->words[at / sizeof(u64) - 1] = pc;
		if (rule->fp != SFRAME_LOC_SAME)
			st->words[(at + rule->fp_off) / sizeof(u64)] = sp;
	}
}
