// SPDX-License-Identifier: GPL-2.0
/*
 * AArch64: code that looks like HotSpot's interpreter or what it compiles, and is not; and
 * where the topmost function is the one that has made the last call, and is not.
 */
#include <kunit/test.h>

#include <sframe/cursor.h>

#include "kept_answers.h"
#include "simple_world.h"

/* Nothing is known of what is from CODE on; callers are in a file with a table. */
#define CODE		0x400000ull
#define CALLER		(CODE + 4096)
#define OUTER		(CODE + 4608)
#define CODE_LEN	5120
#define STACK		0x7ff000000000ull
#define STACK_WORDS	64
#define S(n)		(STACK + 8ull * (n))
#define REG_LR		30

/* A function, what it calls, and who has called it: where these are returned to. */
#define F		(CODE + 512)
#define G		(CODE + 1024)
#define R		(OUTER + 64)
#define CALLERS_MAX	4

#define CALL		0xd63f0100	/* blr x8 */
#define RET		0xd65f03c0
#define NOP		0xd503201f
#define ADD_X1		0x91000421	/* add x1, x1, #1 */
#define LOAD_X20	0xf85f03b4	/* ldur x20, [x29, #-16] */
#define CLEAR		0xf81f03bf	/* stur xzr, [x29, #-16] */
#define MOVK(n)		(0xf280001f | (n) << 5)

struct alike_world {
	u8 code[CODE_LEN];
	u64 stack[STACK_WORDS];
	u64 lr;
};

static enum sframe_reason alike_find(void *ctx, u64 pc, struct sframe_rule *rule)
{
	(void)ctx;
	if (pc - CODE >= CODE_LEN)
		return SFRAME_NO_MAPPING;
	if (pc < CALLER)
		return SFRAME_NO_TABLE;
	*rule = (struct sframe_rule){ .flags = SFRAME_RULE_OUTERMOST };
	if (pc < OUTER)
		*rule = rule_by_sp(32);
	return SFRAME_OK;
}

static int alike_read(void *ctx, u64 addr, void *buf, unsigned int len)
{
	const struct alike_world *w = ctx;

	return read_array(addr, buf, len, CODE, w->code) ||
	       read_array(addr, buf, len, STACK, w->stack) ? 0 : -1;
}

static int alike_reg(void *ctx, unsigned int reg, u64 *val)
{
	const struct alike_world *w = ctx;

	*val = reg == REG_LR ? w->lr : 0;
	return 0;
}

static const struct sframe_cursor_ops alike_ops = {
	.find = alike_find,
	.find_kept = nothing_kept,
	.read = alike_read,
	.read_code = alike_read,
	.reg = alike_reg,
	.answers = kept_answers,
	.is_fixed = kept_answers_not_fixed,
};

static void put(struct alike_world *w, u64 at, const u32 *insn, unsigned int nr)
{
	unsigned int i;

	for (i = 0; i < 4 * nr; i++)
		w->code[at - CODE + i] = insn[i / 4] >> i % 4 * 8;
}

static void put_one(struct alike_world *w, u64 at, u32 insn)
{
	put(w, at, &insn, 1);
}

/* Functions are long, and calls end at these. */
static struct alike_world *world_with_calls(const u64 *ra)
{
	static struct alike_world w;
	u64 at;

	memset(&w, 0, sizeof(w));
	for (at = CODE; at < CODE + CODE_LEN; at += 4)
		put_one(&w, at, ADD_X1);
	for (; *ra; ra++)
		put_one(&w, *ra - 4, CALL);
	return &w;
}

/* The callers found are these; there may be fewer, but no others. Return: how many. */
static unsigned int walk(struct kunit *test, struct alike_world *w, u64 pc, u64 sp, u64 fp,
			 u64 lr, const u64 *ra)
{
	struct sframe_regs regs = { .pc = pc, .sp = sp, .fp = fp, .ra = lr };
	struct sframe_cursor cur;
	unsigned int n;

	w->lr = lr;
	sframe_cursor_init(&cur, &sframe_abi_arm64, &regs, 16, &alike_ops, w);
	for (n = 0; !sframe_cursor_next(&cur); n++) {
		KUNIT_EXPECT_TRUE(test, n < CALLERS_MAX && ra[n]);
		if (n == CALLERS_MAX || !ra[n])
			break;
		KUNIT_EXPECT_EQ(test, cur.pc, ra[n]);
	}
	return n;
}

/*
 * clang 14 -O2 -fno-asynchronous-unwind-tables: a function with an array of variable size
 * spills x20 to where the interpreter stores its SP; above that is a pointer into the stack
 * of a caller's caller.
 */
static void spills_x20(struct kunit *test)
{
	static const u32 code[] = {
		0xa9bc7bfd, 0xa9015ff8, 0x910003fd, 0xa90257f6, 0xa9034ff4, 0xd10043ff,
		0x91003c69, 0x910003e8, 0x927ced29, 0x910003f7, 0xcb090115, 0xf81f83a2,
		0x910002bf, 0xf100043f, 0x540001eb, 0xaa0103f3, 0xaa0003f4, 0xaa1f03f8,
		0xaa1f03f6, 0xd10023a0, 0xd10043a1, 0xaa1503e2, 0xf81f03b4, 0x94000000,
		0x8b160316, 0x91000718, 0xeb18027f, 0x54ffff01, 0x14000002, 0xaa1f03f6,
		0x910002ff, 0xaa1603e0, 0x910003bf, 0xa9434ff4, 0xa94257f6, 0xa9415ff8,
		0xa8c47bfd, 0xd65f03c0,
	};
	static const u64 ra[] = { CALLER + 64, CALLER + 128, R, 0 };
	struct alike_world *w = world_with_calls(ra);

	put(w, CODE + 256, code, ARRAY_SIZE(code));
	w->stack[3] = S(16);
	w->stack[4] = S(30);
	w->stack[5] = ra[0];
	w->stack[15] = ra[1];
	w->stack[19] = ra[2];
	walk(test, w, CODE + 256 + 0x4c, S(0), S(4), CODE + 256 + 0x60, ra);
}

/*
 * clang 14 -O2 -mcpu=apple-m1 of C++: behind a call, unique_ptr::release() does to a local
 * variable what the interpreter does to its SP. @lr, or else the stack, has the RA.
 */
static void releases(struct kunit *test, u64 lr)
{
	static const u64 ra[] = { F, R, 0 };
	struct alike_world *w = world_with_calls(ra);

	put_one(w, F, LOAD_X20);
	put_one(w, F + 4, CLEAR);
	w->stack[3] = lr ? 0 : F;
	w->stack[8] = S(30);
	w->stack[9] = R;
	walk(test, w, G, S(2), S(8), lr, ra);
}

static void releases_what_a_leaf_made(struct kunit *test)
{
	releases(test, F);
}

static void releases_what_another_made(struct kunit *test)
{
	releases(test, 0);
}

/* The same, as a caller of what has a table; below its record is a pointer into the stack. */
static void releases_as_a_caller(struct kunit *test)
{
	static const u32 code[] = { LOAD_X20, CLEAR, 0xa9417bfd, 0x910083ff, RET };
	static const u64 ra[] = { F, CALLER + 64, CALLER + 128, R };
	static const u64 calls[] = { F, CALLER + 64, CALLER + 128, R, 0 };
	struct alike_world *w = world_with_calls(calls);

	put(w, F, code, 2);
	w->stack[3] = F;
	w->stack[7] = S(14);
	w->stack[8] = S(30);
	w->stack[9] = ra[1];
	w->stack[13] = ra[2];
	w->stack[17] = R;
	walk(test, w, CALLER + 256, S(0), S(8), 0, ra);
}

/* An endless loop without a record, right behind the interpreter's jump by its table. */
static void loops_behind_dispatch(struct kunit *test)
{
	/* add w9, w8, #1024; ldr x9, [x21, w9, uxtw #3]; br x9; nop; b .-4 */
	static const u32 code[] = { 0x11100109, 0xf8695aa9, 0xd61f0120, NOP, 0x17ffffff };
	static const u64 ra[] = { F, R, 0 };
	struct alike_world *w = world_with_calls(ra);

	put(w, G, code, ARRAY_SIZE(code));
	w->stack[7] = S(12);
	w->stack[8] = S(30);
	w->stack[9] = R;
	walk(test, w, G + 12, S(2), S(8), F, ra);
}

/*
 * One that HotSpot has compiled begins at CODE + 256, another one at G; @last is where the
 * first one's last call has returned to, or will. Its frame is at S(4).
 */
static struct alike_world *two_compiled(u64 last)
{
	/* sub x9, sp, #81920; str xzr, [x9]; sub sp, sp, #64; stp x29, x30, [sp, #48] */
	static const u32 begin[] = { 0xd14053e9, 0xf900013f, 0xd10103ff, 0xa9037bfd };
	const u32 mark[] = { NOP, MOVK((u32)(last - CODE - 256)), MOVK(0) };
	const u64 calls[] = { last, R, 0 };
	struct alike_world *w = world_with_calls(calls);

	put(w, CODE + 256, begin, ARRAY_SIZE(begin));
	put(w, G, begin, ARRAY_SIZE(begin));
	put(w, last, mark, ARRAY_SIZE(mark));
	put_one(w, CODE + 900, 0x14000000 | (-100 & 0x3ffffff));	/* a loop */
	put_one(w, CODE + 3000, RET);
	w->stack[11] = R;
	return w;
}

static void last_call_was_the_function_s(struct kunit *test)
{
	static const u64 ra[] = { R, 0 };

	KUNIT_EXPECT_EQ(test, walk(test, two_compiled(F + 4), CODE + 700, S(4), 7, F + 4, ra), 1u);
	KUNIT_EXPECT_EQ(test, walk(test, two_compiled(F + 4), CODE + 400, S(4), 7, F + 4, ra), 1u);
}

/* At its first instruction; before it makes a frame; without a frame, behind the caller. */
static void last_call_was_of_the_function(struct kunit *test)
{
	static const u64 last[] = { F, F + 4 };
	static const u64 pc[] = { G, G + 8, CODE + 1000 };
	unsigned int i, j;

	for (i = 0; i < ARRAY_SIZE(last); i++) {
		const u64 ra[] = { last[i], R, 0 };

		for (j = 0; j < ARRAY_SIZE(pc); j++)
			walk(test, two_compiled(last[i]), pc[j], S(4), 7, last[i], ra);
	}
}

/* With room for what a walk in place may cost, records that lead on do so. */
static void records_suffice(struct kunit *test)
{
	static const u32 mark[] = { NOP, MOVK(256u), MOVK(0) };
	static const u64 calls[] = { F, R, 0 };
	struct sframe_regs regs = { .pc = G, .sp = S(0), .fp = S(4) };
	struct alike_world *w = world_with_calls(calls);
	struct sframe_cursor cur;

	put(w, F, mark, ARRAY_SIZE(mark));
	w->stack[4] = S(14);
	w->stack[5] = F;
	w->stack[15] = R;
	sframe_cursor_init(&cur, &sframe_abi_arm64, &regs, 16, &alike_ops, w);
	sframe_cursor_set_budget(&cur, SFRAME_BUDGET_INPLACE);
	KUNIT_EXPECT_EQ(test, (int)sframe_cursor_next(&cur), (int)SFRAME_OK);
	KUNIT_EXPECT_EQ(test, (int)sframe_cursor_next(&cur), (int)SFRAME_OK);
	KUNIT_EXPECT_EQ(test, cur.pc, R);
}

static struct kunit_case alike_test_cases[] = {
	KUNIT_CASE(spills_x20),
	KUNIT_CASE(releases_what_a_leaf_made),
	KUNIT_CASE(releases_what_another_made),
	KUNIT_CASE(releases_as_a_caller),
	KUNIT_CASE(loops_behind_dispatch),
	KUNIT_CASE(last_call_was_the_function_s),
	KUNIT_CASE(last_call_was_of_the_function),
	KUNIT_CASE(records_suffice),
	{}
};

static struct kunit_suite alike_suite = {
	.name = "sframe_hotspot_alike",
	.test_cases = alike_test_cases,
};

kunit_test_suite(alike_suite);
