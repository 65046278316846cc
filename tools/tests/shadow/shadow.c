// SPDX-License-Identifier: GPL-2.0
/*
 * Walks beside a shadow stack: a static program is single-stepped, each call and return is
 * noted, and the stack is walked now and then and compared, frame by frame.
 *
 *	shadow STEPS QEMU PROGRAM
 *
 * In all ways that there are to know of a file: by its .eh_frame; without anything, as a
 * file that has no tables, with all the time that a deferred walk has, now and then with
 * what code said kept of it (a lesson), and with the budget of a walk in place, which knows
 * that; and where a table has a gap. One line a way:
 *
 *	PROGRAM WAY walks=N frames=N found=N wrong=N
 *
 * "frames" are those that there were, "found" those that were walked, "wrong" walks with a
 * caller that is none, or with another SP; of these the first few are shown. Nothing here
 * decodes instructions: a call is what leaves a return address behind it.
 */
#include <byteswap.h>
#include <err.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <sframe/answers.h>

#include "plain_alloc.h"
#include "program.h"

#define MAX_FRAMES	200
/* Steps between two walks are 1 to twice as many. */
#define WALK_EVERY	8
#define MAX_SHOWN	5
/* Walks in place for each lesson (kernel/lesson.c). */
#define LESSON_EVERY	16
/* The longest of x86-64. */
#define MAX_INSN	15

/* A call that has not returned: SP before it, which it returns with, and where to. */
struct call {
	u64 sp;
	u64 ra;
};

enum way {
	BY_TABLE,
	BARE,
	LESSON,
	BARE_INPLACE,
	IN_GAP,
	NR_WAYS
};

static const char *const way_names[] = {
	[BY_TABLE] = "eh_frame", [BARE] = "bare", [LESSON] = "lesson",
	[BARE_INPLACE] = "bare-inplace", [IN_GAP] = "gap",
};

struct counts {
	unsigned long walks;
	unsigned long frames;
	unsigned long found;
	unsigned long wrong;
	unsigned long cut_off;
};

static struct program program;
static enum way way;
static struct counts counts[NR_WAYS];
static struct call calls[4096];
static unsigned int nr_calls;
/* Where _setjmp() was called from, which longjmp() goes back to. */
static struct call jump_back;
static unsigned int nr_calls_then;

static struct sframe_answers answers = { .key = 1 };
static struct sframe_checked checked[SFRAME_CHECKED_MAX];
static struct sframe_answer branches[SFRAME_BRANCHES_MAX];
static struct sframe_known_step known_steps[SFRAME_STEPS_MAX];
static struct sframe_known_way known_ways[SFRAME_WAYS_MAX];

static enum sframe_reason find(void *ctx, u64 pc, struct sframe_rule *rule)
{
	(void)ctx;
	if (!program_is_code(&program, pc))
		return SFRAME_NO_MAPPING;
	if (way != BY_TABLE && way != IN_GAP)
		return SFRAME_NO_TABLE;
	*rule = way == BY_TABLE ? *sframe_table_recall(program.table, pc) :
				  (struct sframe_rule){ .flags = SFRAME_RULE_NO_FDE };
	return SFRAME_OK;
}

static enum sframe_reason find_kept(void *ctx, u64 pc, unsigned int reg,
				    struct sframe_rule *rule)
{
	const struct sframe_table *table = program.table;

	(void)ctx;
	if (way != BY_TABLE || !table->kept || table->kept_reg != reg ||
	    !program_is_code(&program, pc))
		return SFRAME_NO_TABLE;
	*rule = *sframe_table_lookup(table->kept, pc);
	return SFRAME_OK;
}

static int read_code(void *ctx, u64 addr, void *buf, unsigned int len)
{
	(void)ctx;
	return program_read(&program, addr, buf, len) ? 0 : -1;
}

/* Words are the machine's: as ours. */
static int read_stack(void *ctx, u64 addr, void *buf, unsigned int len)
{
	u64 word;
	unsigned int i;

	if (read_code(ctx, addr, buf, len))
		return -1;
	for (i = 0; program.elf.swap && !program_is_code(&program, addr) &&
	     i + sizeof(word) <= len; i += sizeof(word)) {
		memcpy(&word, (u8 *)buf + i, sizeof(word));
		word = bswap_64(word);
		memcpy((u8 *)buf + i, &word, sizeof(word));
	}
	return 0;
}

static int read_reg(void *ctx, unsigned int reg, u64 *val)
{
	(void)ctx;
	if (reg >= NR_REGS)
		return -1;
	*val = program_reg(&program, reg);
	return 0;
}

static struct sframe_answers *take_answers(void *ctx)
{
	(void)ctx;
	return way == LESSON || way == BARE_INPLACE ? &answers : NULL;
}

static bool is_fixed(void *ctx, u64 addr, unsigned int len)
{
	(void)ctx;
	return program_is_code(&program, addr) && program_is_code(&program, addr + len - 1);
}

static const struct sframe_cursor_ops ops = {
	.find = find, .find_kept = find_kept, .read = read_stack, .read_code = read_code,
	.reg = read_reg, .answers = take_answers, .is_fixed = is_fixed,
};

static void begin_walk(struct sframe_cursor *cur)
{
	const struct sframe_abi *abi = program.elf.abi;
	struct sframe_regs regs = {
		.pc = program.pc,
		.sp = program_sp(&program),
		.fp = program_reg(&program, abi->fp_reg),
		.ra = program_reg(&program, abi->ra_reg),
		/* Of 48 bits of address, 47 in a program. */
		.pac_mask = abi->has_pac ? ~0ull << 48 : 0,
	};

	sframe_cursor_init(cur, abi, &regs, MAX_FRAMES, &ops, NULL);
	cur->start = program.start;
	if (way == BARE_INPLACE)
		sframe_cursor_set_budget(cur, SFRAME_BUDGET_INPLACE);
}

static void show(struct sframe_cursor *last, const char *what)
{
	struct sframe_cursor cur;
	u32 depth;

	printf("# %s, %s, after %lu steps:\n", what, way_names[way], (long)program.step);
	begin_walk(&cur);
	for (depth = 0; depth <= last->depth && depth <= nr_calls; depth++) {
		printf("#   %-40s sp 0x%lx%s fp 0x%lx%s", program_place(&program, cur.pc),
		       (long)cur.sp, cur.sp_known ? "" : "?", (long)cur.fp,
		       cur.fp_known ? "" : "?");
		if (depth)
			printf(", is %s", program_place(&program, calls[nr_calls - depth].ra));
		printf("\n");
		if (sframe_cursor_next(&cur))
			break;
	}
}

/* Is this frame one that there is, and at its place? */
static bool is_right(const struct sframe_cursor *cur)
{
	const struct call *call;

	if (cur->depth > nr_calls)
		return false;
	call = &calls[nr_calls - cur->depth];
	return cur->pc == call->ra && (!cur->sp_known || cur->sp == call->sp);
}

static void walk(struct sframe_cursor *cur)
{
	struct counts *count = &counts[way];
	enum sframe_reason reason;

	count->walks++;
	count->frames += nr_calls;
	while (!(reason = sframe_cursor_next(cur))) {
		if (!is_right(cur)) {
			if (++count->wrong <= MAX_SHOWN)
				show(cur, "wrong");
			return;
		}
		count->found++;
	}
	if (cur->depth < nr_calls && way == BY_TABLE && ++count->cut_off <= MAX_SHOWN)
		show(cur, sframe_reason_text(reason));
}

static void walk_in_all_ways(void)
{
	struct sframe_cursor cur;

	for (way = 0; way < NR_WAYS; way++) {
		if (way == LESSON && counts[BARE_INPLACE].walks % LESSON_EVERY)
			continue;
		begin_walk(&cur);
		walk(&cur);
	}
}

/* Its table is trusted to know the way from main() out. */
static void begin_shadow(void)
{
	struct sframe_cursor cur;
	unsigned int i;

	program_run_to(&program, program_symbol(&program, "main", NULL));
	way = BY_TABLE;
	for (begin_walk(&cur); !sframe_cursor_next(&cur);)
		calls[nr_calls++] = (struct call){ .sp = cur.sp, .ra = cur.pc };
	if (nr_calls != 3)
		errx(2, "%u frames beyond main()", nr_calls);
	for (i = 0; i < nr_calls / 2; i++) {
		struct call last = calls[nr_calls - 1 - i];

		calls[nr_calls - 1 - i] = calls[i];
		calls[i] = last;
	}
}

/* Of the instruction at @pc, where a link register is. */
static unsigned int insn_len(u64 pc)
{
	u8 first;

	if (program.elf.abi != &sframe_abi_s390)
		return 4;
	program_read(&program, pc, &first, 1);
	return first < 0x40 ? 2 : first < 0xc0 ? 4 : 6;
}

/* Was the instruction at @pc, with @sp, a call? Then @ra is set. */
static bool was_call(u64 pc, u64 sp, u64 *ra)
{
	const struct sframe_abi *abi = program.elf.abi;

	if (abi->ra_reg >= 0) {
		*ra = program_reg(&program, abi->ra_reg);
		return *ra == pc + insn_len(pc) && program.pc != *ra;
	}
	*ra = program_word(&program, sp - 8);
	return program_sp(&program) == sp - 8 && *ra - pc - 1 < MAX_INSN;
}

static bool has_returned(const struct call *call)
{
	u64 sp = program_sp(&program);

	/* Without RA on the stack, a function may have the SP that it was called with. */
	return sp > call->sp || (sp == call->sp && (program.elf.abi->ra_reg < 0 ||
						    program.pc == call->ra));
}

/* A step was made from @pc, where SP was @sp. */
static void note_step(u64 pc, u64 sp, u64 setjmp_addr)
{
	struct call call = { .sp = sp };

	if (was_call(pc, sp, &call.ra)) {
		if (nr_calls == ARRAY_SIZE(calls))
			errx(2, "the program is %u calls deep", nr_calls);
		if (program.pc == setjmp_addr) {
			jump_back = call;
			nr_calls_then = nr_calls;
		}
		calls[nr_calls++] = call;
		return;
	}
	if (program.pc == jump_back.ra && program_sp(&program) == jump_back.sp)
		nr_calls = nr_calls_then;
	while (nr_calls && has_returned(&calls[nr_calls - 1]))
		nr_calls--;
}

static unsigned int next_pause(void)
{
	static u32 seed = 1;

	seed = seed * 1103515245 + 12345;
	return 1 + (seed >> 16) % (2 * WALK_EVERY);
}

int main(int argc, char **argv)
{
	unsigned int pause = 1;
	long steps;
	u64 setjmp_addr, longjmp_addr, longjmp_size, pc, sp;

	if (argc != 4)
		errx(2, "usage: shadow STEPS QEMU PROGRAM");
	answers.checked = checked;
	answers.branches = branches;
	answers.steps = known_steps;
	answers.ways = known_ways;
	program_open(&program, argv[2], argv[3]);
	setjmp_addr = program_symbol(&program, "_setjmp", NULL);
	longjmp_addr = program_symbol(&program, "__longjmp", &longjmp_size);
	begin_shadow();
	for (steps = strtol(argv[1], NULL, 10); steps; steps--) {
		pc = program.pc;
		sp = program_sp(&program);
		if (!program_step(&program))
			errx(2, "%s has ended", argv[3]);
		note_step(pc, sp, setjmp_addr);
		if (--pause)
			continue;
		pause = next_pause();
		/* It has registers of its caller and of who goes on. */
		if (program.pc - longjmp_addr < longjmp_size)
			continue;
		walk_in_all_ways();
	}
	for (way = 0; way < NR_WAYS; way++)
		printf("%s %s walks=%lu frames=%lu found=%lu wrong=%lu\n", argv[3],
		       way_names[way], counts[way].walks, counts[way].frames,
		       counts[way].found, counts[way].wrong);
	program_close(&program);
	return 0;
}
