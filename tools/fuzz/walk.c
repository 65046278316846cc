// SPDX-License-Identifier: GPL-2.0
/*
 * Walks a stack that the fuzzer controls, by the table that it made.
 */
#include <sframe/answers.h>
#include <sframe/trail.h>

#include "fuzz.h"

/* Code repeats itself in memory, and has the most that is read in one go behind it. */
#define CODE_SIZE	65536
#define READ_MAX	128

struct world {
	const struct input *in;
	const struct sframe_table *table;
	const u8 *code;
	bool coming;		/* some tables are not there yet */
	bool keeps_fp;		/* functions without a row keep frame pointers */
	struct sframe_answers *answers;	/* or NULL */
	u64 changing;		/* what has any of these bits in its address may change */
	u64 changed;		/* address of a byte that has, or 0 */
};

/* Bytes from @addr to the end of the segment that it is in, or 0. */
static u64 left_of(u64 addr, u64 va, u64 size)
{
	return addr - va < size ? size - (addr - va) : 0;
}

static u64 left_of_text(const struct world *w, u64 addr)
{
	const struct sframe_segment *text = w->in->text;
	unsigned int i;
	u64 left = 0;

	for (i = 0; !left && i < w->in->nr_text; i++)
		left = left_of(addr, text[i].vaddr, text[i].size);
	return left;
}

static bool is_mapped(const struct world *w, u64 addr, u64 len)
{
	u64 left;

	for (;; addr += left, len -= left) {
		left = left_of_text(w, addr) ?: left_of(addr, BARE_VA, BARE_SIZE);
		if (left >= len)
			return true;
		if (!left)
			return false;
	}
}

static enum sframe_reason world_find(void *ctx, u64 pc, struct sframe_rule *rule)
{
	const struct world *w = ctx;

	if (!left_of_text(w, pc))
		return is_mapped(w, pc, 1) ? SFRAME_NO_TABLE : SFRAME_NO_MAPPING;
	if (w->coming && pc & 64)
		return SFRAME_NOT_YET;
	*rule = *sframe_table_recall(w->table, pc);
	if (w->keeps_fp && rule->flags & SFRAME_RULE_NO_FDE)
		*rule = sframe_gap_rule_by_fp();
	return SFRAME_OK;
}

static enum sframe_reason world_find_kept(void *ctx, u64 pc, unsigned int reg,
					  struct sframe_rule *rule)
{
	const struct world *w = ctx;
	enum sframe_reason reason = world_find(ctx, pc, rule);

	if (reason)
		return reason;
	if (!w->table->kept || w->table->kept_reg != reg)
		return SFRAME_NO_TABLE;
	*rule = *sframe_table_lookup(w->table->kept, pc);
	return SFRAME_OK;
}

static int world_read(void *ctx, u64 addr, void *buf, unsigned int len)
{
	const struct world *w = ctx;
	u64 at = addr - STACK_VA, size = w->in->stack_words * sizeof(u64);
	u8 *to = buf;

	MUST(len && len <= READ_MAX);
	if (at < size) {
		if (len > size - at)
			return -1;
		memcpy(buf, (const u8 *)w->in->stack + at, len);
		return 0;
	}
	if (!is_mapped(w, addr, len))
		return -1;
	memcpy(to, w->code + addr % CODE_SIZE, len);
	if (w->changed - addr < len)
		to[w->changed - addr] ^= 1;
	return 0;
}

static bool world_peek_begin(void *ctx)
{
	(void)ctx;
	return true;
}

static int world_peek(void *ctx, u64 addr, u64 *word)
{
	return world_read(ctx, addr, word, sizeof(*word));
}

static void world_peek_end(void *ctx)
{
	(void)ctx;
}

static int world_reg(void *ctx, unsigned int reg, u64 *val)
{
	const struct world *w = ctx;

	MUST(reg <= w->in->target->abi->max_reg);
	if (!w->in->stack_words || reg & 1)
		return -1;
	*val = w->in->stack[reg % w->in->stack_words];
	return 0;
}

static struct sframe_answers *world_answers(void *ctx)
{
	const struct world *w = ctx;

	return w->answers;
}

static bool world_is_fixed(void *ctx, u64 addr, unsigned int len)
{
	const struct world *w = ctx;

	return !((addr | (addr + len - 1)) & w->changing) && is_mapped(w, addr, 1) &&
	       is_mapped(w, addr + len - 1, 1);
}

static const struct sframe_cursor_ops world_ops = {
	.find = world_find,
	.find_kept = world_find_kept,
	.read = world_read,
	.read_code = world_read,
	.reg = world_reg,
	.answers = world_answers,
	.is_fixed = world_is_fixed,
};

static const struct sframe_peek_ops world_peeks = {
	.begin = world_peek_begin,
	.word = world_peek,
	.end = world_peek_end,
};

/* Code where most multiples of 16 follow a call, and some are trampolines. */
static void write_code(const struct sframe_abi *abi, u8 *code)
{
	static const u8 calls[3][6] = {
		{ 0x90, 0xe8, 1, 2, 3, 4 },
		{ 0, 0, 0x40, 0, 0, 0x94 },
		{ 0xc0, 0xe5, 0, 0, 1, 2 },
	};
	static const u8 returns[3][9] = {
		{ 0x48, 0xc7, 0xc0, 15, 0, 0, 0, 0x0f, 0x05 },
		{ 0x68, 0x11, 0x80, 0xd2, 1, 0, 0, 0xd4 },
		{ 0x0a, 173 },
	};
	int kind = abi == &sframe_abi_x86 ? 0 : abi == &sframe_abi_arm64 ? 1 : 2;
	unsigned int i;

	for (i = 0; i < CODE_SIZE; i += 16) {
		if (i / 16 % 8 != 7)
			memcpy(code + i + 10, calls[kind], 6);
		if (i / 16 % 32 == 5)
			memcpy(code + i, returns[kind], sizeof(returns[0]));
	}
}

static const u8 *code_of(const struct sframe_abi *abi)
{
	static const struct sframe_abi *made[3];
	static u8 code[3][CODE_SIZE + READ_MAX];
	int i;

	for (i = 0; made[i] && made[i] != abi; i++)
		;
	if (!made[i]) {
		write_code(abi, code[i]);
		memcpy(code[i] + CODE_SIZE, code[i], READ_MAX);
		made[i] = abi;
	}
	return code[i];
}

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
	for (pc = pcs; !(want = sframe_cursor_next(&plain)); pc++)
		MUST(*pc == plain.pc);
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

/* From @cur to the end with what code has said before, and without. */
static void check_known(const struct sframe_cursor *cur, struct sframe_answers *answers)
{
	struct sframe_cursor plain = *cur, known = *cur;
	struct world *w = cur->ctx;
	enum sframe_reason end, want;

	/* What is known costs less: nothing may be too costly. */
	sframe_cursor_set_budget(&plain, 1u << 30);
	sframe_cursor_set_budget(&known, 1u << 30);
	do {
		w->answers = NULL;
		want = sframe_cursor_next(&plain);
		w->answers = answers;
		end = sframe_cursor_next(&known);
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
	static struct sframe_answers answers = { .checked = checked, .branches = branches };
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
		.code = code_of(in->target->abi),
		.keeps_fp = in->target->abi->fp_use && input_lot(in) & 16,
	};
	struct sframe_cursor fast, slow;
	enum sframe_reason a, b;
	struct sframe_regs regs;
	u32 steps, signals, budget, depth = 1u << (in->knobs[KNOB_MEMORY] >> 3 & 7);
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
		MUST(a == b);
		if (a)
			break;
		check_same(&fast, &slow);
		MUST(fast.cfa > cfa || fast.signals > signals);
		MUST(fast.cfa % in->target->abi->cfa_align == 0 ||
		     fast.fallbacks || fast.topmost);
		MUST(is_mapped(&w, fast.pc - 1, 1) || is_mapped(&w, fast.pc, 1));
	}
	MUST(a >= SFRAME_OUTERMOST && a <= SFRAME_FP_HIDDEN_RA);
	MUST(fast.pc == pc && fast.cfa == cfa && fast.depth == steps);
	/* What ends a walk ends it again, if it may cost as much. */
	sframe_cursor_set_budget(&fast, budget);
	MUST(sframe_cursor_next(&fast) == a);
}
