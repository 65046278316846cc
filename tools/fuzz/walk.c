// SPDX-License-Identifier: GPL-2.0
/*
 * Walks a stack that the fuzzer controls, by the table that it made.
 */
#include "fuzz.h"
#include "world.h"

static void registers(const struct input *in, struct sframe_regs *regs)
{
	const u8 *k = in->knobs;
	u32 words = in->stack_words;
	struct sframe_fde fde;

	memset(regs, 0, sizeof(*regs));
	regs->sp = STACK_VA + k[KNOB_SP] % 16 * 8;
	regs->fp = STACK_VA + k[KNOB_FP] % 64 * 8;
	if (words) {
		if (k[KNOB_SP] & 0x80)
			regs->sp = in->stack[k[KNOB_SP] % words];
		if (k[KNOB_FP] & 0x80)
			regs->fp = in->stack[k[KNOB_FP] % words];
		regs->ra = in->stack[k[KNOB_RA] % words];
	}
	if (k[KNOB_RA] & 0x80)
		regs->pac_mask = 0x007f000000000000ull;
	regs->pc = BARE_VA + k[KNOB_PC];
	if (in->sec.num_fdes && k[KNOB_PC] & 7) {
		sframe_fde_get(&in->sec, k[KNOB_PC] / 8 % in->sec.num_fdes,
			       &fde);
		regs->pc = fde.start + (fde.size ? k[KNOB_RA] % fde.size : 0);
	}
	if (in->pc)
		regs->pc = in->pc;
}

static void check_same(const struct sframe_cursor *a,
		       const struct sframe_cursor *b)
{
	MUST(a->pc == b->pc && a->sp == b->sp && a->cfa == b->cfa);
	MUST(a->sp_known == b->sp_known && a->fp_known == b->fp_known);
	MUST(!a->fp_known || a->fp == b->fp);
	MUST(a->depth == b->depth && a->fallbacks == b->fallbacks);
	MUST((a->called_depth == a->depth) == (b->called_depth == b->depth));
	MUST(a->pending == b->pending && a->topmost == b->topmost);
	MUST(a->signals == b->signals && (!a->topmost || a->ra == b->ra));
	MUST(!a->topmost || (a->saved.at == b->saved.at &&
			     a->saved.frame == b->saved.frame));
	MUST(!memcmp(&a->rule, &b->rule, sizeof(a->rule)));
}

/* From @cur to the end with what is known from the walk before, and without. */
static void check_trail(struct sframe_cursor plain, struct sframe_trail *trail)
{
	struct sframe_cursor cur = plain;
	u64 pcs[130], *pc = pcs;
	struct sframe_trail_place place;
	enum sframe_reason end, want;

	sframe_trail_begin(trail, 1);
	place = sframe_trail_place(trail);
	do {
		end = sframe_trail_next_with(&trail, &place, &cur, &world_ops,
					     &world_peeks, &pc);
	} while (!end);
	MUST(pc - pcs == cur.depth);
	pc = pcs;
	do {
		want = sframe_cursor_next(&plain);
		/* What is known costs less: that one may have gone farther, or elsewhere. */
		if (sframe_cursor_spent(&plain))
			return;
		MUST(want || *pc++ == plain.pc);
	} while (!want);
	MUST(end == want);
	check_same(&cur, &plain);
}

/*
 * The same walk before all tables are there and when they are, and once where a word of
 * the stack is another one.
 */
static void check_trails(const struct input *in, const struct sframe_cursor *cur)
{
	static struct sframe_trail trail;
	struct world *w = cur->ctx;
	u32 at;

	trail.key = 0;
	w->coming = true;
	check_trail(*cur, &trail);
	w->coming = false;
	check_trail(*cur, &trail);
	check_trail(*cur, &trail);
	if (!in->stack_words)
		return;
	at = in->knobs[KNOB_MEMORY] % in->stack_words;
	in->stack[at] ^= 16;
	check_trail(*cur, &trail);
	in->stack[at] ^= 16;
	check_trail(*cur, &trail);
}

/*
 * Has a walk gone on from @was to @known by the record at FP, where another one ends? It does where
 * that was seen to be its own, in code made at run time, whatever words lie below it.
 */
static bool went_by_record(const struct sframe_cursor *was, const struct sframe_cursor *known)
{
	u64 ra;

	return !was->ops->is_fixed(was->ctx, was->pc, 1) && known->depth == was->depth + 1 &&
	       !was->ops->read(was->ctx, was->fp + was->abi->ra_slot, &ra, sizeof(ra)) &&
	       (ra & was->ra_bits) == known->pc;
}

/* From @cur to the end with what code has said before, and without. */
static void check_known(const struct sframe_cursor *cur, struct sframe_answers *answers)
{
	struct sframe_cursor plain = *cur, known = *cur, was;
	struct world *w = cur->ctx;
	enum sframe_reason end, want;

	/* What is known costs less: nothing may be too costly. */
	sframe_cursor_set_budget(&plain, 1u << 30);
	sframe_cursor_set_budget(&known, 1u << 30);
	do {
		w->answers = NULL;
		want = sframe_cursor_next(&plain);
		w->answers = answers;
		was = known;
		end = sframe_cursor_next(&known);
		MUST(!known.asking);
		if (want && went_by_record(&was, &known))
			break;
		/* What was searched for in vain may be there by now. */
		if (!want && end && w->changed)
			break;
		MUST(end == want);
		check_same(&known, &plain);
	} while (!end);
	w->answers = NULL;
}

/* The same walk twice, and where words of the stack, or its place, are other ones. */
static void check_answers(const struct input *in, const struct sframe_cursor *cur)
{
	static struct sframe_checked checked[SFRAME_CHECKED_MAX];
	static struct sframe_answer branches[SFRAME_BRANCHES_MAX];
	static struct sframe_known_step steps[SFRAME_STEPS_MAX];
	static struct sframe_known_way ways[SFRAME_WAYS_MAX];
	static struct sframe_answers answers = { .checked = checked, .branches = branches,
						 .steps = steps, .ways = ways };
	struct sframe_cursor moved = *cur;
	struct world *w = cur->ctx;
	unsigned int i;
	u32 at;

	answers.key++;
	w->changing = in->knobs[KNOB_MEMORY] & 1 ? ~0ull : 1024;
	check_known(cur, &answers);
	check_known(cur, &answers);
	for (i = 0; i < 4; i++) {
		w->changed = (cur->pc + 16 * i + in->knobs[i] % 16) | (w->changing & 1024);
		check_known(cur, &answers);
		w->changed = 0;
	}
	for (i = 0; in->stack_words && i < 4; i++) {
		at = in->knobs[i % KNOBS] % in->stack_words;
		in->stack[at] ^= 16;
		check_known(cur, &answers);
		in->stack[at] ^= 16;
		moved.sp = cur->sp + 8 * (i + 1);
		moved.fp = cur->fp + 8 * (i % 2);
		check_known(&moved, &answers);
	}
}

unsigned int input_lot(const struct input *in)
{
	u64 sum = 0;
	u32 i;

	for (i = 0; i < in->stack_words; i++)
		sum += in->stack[i];
	for (i = 0; i < KNOBS; i++)
		sum += in->knobs[i];
	return sum * 0x9e3779b97f4a7c15ull >> 58;
}

void check_walk(const struct input *in, const struct sframe_table *table)
{
	struct world w = {
		.in = in,
		.table = table,
		.code = world_code(in->target->abi),
		.keeps_fp = in->target->abi->sp_step && input_lot(in) & 16,
	};
	struct sframe_cursor fast, slow;
	enum sframe_reason a, b;
	struct sframe_regs regs;
	u32 steps, signals, budget, depth = 1u << (in->knobs[KNOB_MEMORY] >> 3 & 7);
	bool same;
	u64 cfa, pc;

	registers(in, &regs);
	sframe_cursor_init(&fast, in->target->abi, &regs, depth, &world_ops, &w);
	if (in->knobs[KNOB_FP] & 0x40)
		fast.start = STACK_VA + in->stack_words * sizeof(u64);
	/* They are eight and two dozen walks more: a few inputs are enough. */
	if (input_lot(in) % 8 == 0)
		check_trails(in, &fast);
	if (input_lot(in) % 32 == 1)
		check_answers(in, &fast);
	slow = fast;
	for (steps = 0; ; steps++) {
		MUST(steps <= depth);
		cfa = fast.cfa;
		pc = fast.pc;
		signals = fast.signals;
		budget = fast.budget;
		a = sframe_cursor_next(&fast);
		b = sframe_cursor_next_slow(&slow);
		/* It charges more. */
		same = !sframe_cursor_spent(&slow);
		MUST(a == b || !same);
		if (a)
			break;
		if (same)
			check_same(&fast, &slow);
		MUST(fast.cfa > cfa || fast.signals > signals);
		MUST(fast.cfa % in->target->abi->cfa_align == 0 ||
		     fast.fallbacks || fast.topmost);
		MUST(world_is_mapped(&w, fast.pc - 1, 1) || world_is_mapped(&w, fast.pc, 1));
	}
	MUST(a >= SFRAME_OUTERMOST && a <= SFRAME_FP_HIDDEN_RA);
	MUST(fast.pc == pc && fast.cfa == cfa && fast.depth == steps);
	/* What ends a walk ends it again, if it may cost as much. */
	sframe_cursor_set_budget(&fast, budget);
	MUST(sframe_cursor_next(&fast) == a);
}
