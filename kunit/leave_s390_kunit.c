// SPDX-License-Identifier: GPL-2.0
/*
 * How s390x code says it will be left. The numbers are what an assembler makes
 * of the instructions named beside them, of two, four or six bytes.
 */
#include <kunit/test.h>

#include <sframe/abi.h>

#include "leave.h"
#include "random.h"

#define CODE		0x400040ull
#define BEFORE		64	/* bytes before it that can be read */
#define SP		0x7ff000001000ull
#define FP		0x7ff000001050ull
/* For a search that may look at as much as it ever does. */
#define ALL_LOOKS	.cost_max = ~0u
#define COST_MAX	(704 + LEAVE_OVER_MAX)

#define RETURN		0x07fe			/* br %r14 */
#define IFEQ_RETURN	0x078e			/* ber %r14 */
#define LOAD_ALL	0xeb6ff0d00004		/* lmg %r6,%r15,208(%r15) */
#define SAVE_ALL	0xeb6ff0300024		/* stmg %r6,%r15,48(%r15) */
#define LOAD_SAVED	0xebbef0580004		/* lmg %r11,%r14,88(%r15) */
#define STG_RA_176	0xe3e0f0b00024		/* stg %r14,176(%r15) */
#define LOAD_BY_FP	0xebbfb0f80004		/* lmg %r11,%r15,248(%r11) */
#define LOAD_BY_R1	0xeb6f10d00004		/* lmg %r6,%r15,208(%r1) */
#define SUB_160		0xa7fbff60		/* aghi %r15,-160 */
#define SUB_4096	0xe3f0f000ff71		/* lay %r15,-4096(%r15) */
#define ADD_160		0x41f0f0a0		/* la %r15,160(%r15) */
#define LOAD_SP		0xe3f0f1180004		/* lg %r15,280(%r15) */
#define LOAD_RA		0xe3e0f1100004		/* lg %r14,272(%r15) */
#define SAVE_RA		0xe3e0f1100024		/* stg %r14,272(%r15) */
#define SET_FP		0xb90400bf		/* lgr %r11,%r15 */
#define CALL		0xc0e500000080		/* brasl %r14 */
#define CALL_R1		0x0de1			/* basr %r14,%r1 */
#define LARL		0xc01000000800		/* larl %r1 */
#define LG_R1		0xe31010000004		/* lg %r1,0(%r1) */
#define BR_R1		0x07f1			/* br %r1 */
#define RA_FROM_FPR	0xb3cd00e0		/* lgdr %r14,%f0 */
#define FP_FROM_FPR	0xb3cd00b0		/* lgdr %r11,%f0 */
#define RA_TO_FPR	0xb3c1000e		/* ldgr %f0,%r14 */
#define IF_SKIP_4	0xec280005007c		/* cgije %r2,0,.+10 */
#define IF_SKIP_6	0xec280006007c		/* cgije %r2,0,.+12 */
#define SKIP_4		0xa7f40004		/* j .+8 */
#define SELF		0xa7f40000		/* j . */
#define LOOP		0xa7370000		/* brctg %r3,. */
#define SVC		0x0a01
#define SIGRETURN	0x0aad
#define MVC		0xd2ef10002000		/* mvc 0(240,%r1),0(%r2) */
#define LD_F14		0x68e02008		/* ld %f14,8(%r2) */
#define COMPARE_SP	0xb92000f1		/* cgr %r15,%r1 */
#define RA_WRITTEN	0xb90200ee		/* ltgr %r14,%r14 */
#define R10_R11_WRITTEN	0xb98700a1		/* dlgr %r10,%r1 */
#define MFY_R10		0xe3a01000005c		/* mfy %r10,0(%r1) */
#define KIMD_R10	0xb93e000a		/* kimd %r0,%r10 */
#define KMCTR_R10	0xb92da024		/* kmctr %r2,%r10,%r4 */
#define EPSW_R11	0xb98d002b		/* epsw %r2,%r11 */
#define CUXTR_R10	0xb3ea00a0		/* cuxtr %r10,%f0 */
#define NOPR		0x0707

/**
 * struct leave_case - one piece of code
 * @name: what it shows
 * @below: is this a caller's frame?
 * @at: offset of the PC
 * @code: its instructions, up to 0
 * @found: is a way out found?
 * @unsure: past a call?
 * @cfa: expected from SP on, bytes
 * @ra: where RA is, from SP on; 0: in its register
 * @fp: the same for FP
 */
struct leave_case {
	const char *name;
	bool below;
	u8 at;
	u64 code[14];
	bool found;
	bool unsure;
	s16 cfa;
	s16 ra;
	s16 fp;
};

#define FOUND(...)	.found = true, __VA_ARGS__
#define ALL_LOADED	.cfa = 320, .ra = 272, .fp = 248

static const struct leave_case leave_cases[] = {
	{ "leaf", .code = { MVC, LD_F14, NOPR, RETURN }, FOUND(.cfa = 160) },
	{ "a caller's leaf", .below = true, .code = { RETURN } },
	{ "epilogue", .code = { LOAD_ALL, RETURN }, FOUND(ALL_LOADED) },
	{ "epilogue of a caller", .below = true, .code = { LOAD_ALL, RETURN },
	  FOUND(ALL_LOADED) },
	{ "after the epilogue", .at = 6, .code = { LOAD_ALL, RETURN },
	  FOUND(.cfa = 160) },
	{ "register by register", .code = { LOAD_RA, LOAD_SP, RETURN },
	  FOUND(.cfa = 320, .ra = 272) },
	{ "nothing saved yet", .code = { SAVE_ALL, SUB_160, LOAD_ALL, RETURN },
	  FOUND(.cfa = 160) },
	{ "saved, no frame yet", .at = 6,
	  .code = { SAVE_ALL, SUB_160, LOAD_ALL, RETURN },
	  FOUND(.cfa = 160, .ra = 112, .fp = 88) },
	{ "saved on the way", .code = { SAVE_RA, RA_FROM_FPR, LOAD_RA, RETURN },
	  FOUND(.cfa = 160) },
	{ "frame added", .code = { ADD_160, RETURN }, FOUND(.cfa = 320) },
	{ "large frame", .code = { SUB_4096, SUB_160, RETURN }, FOUND(.cfa = -4096) },
	{ "by FP", .code = { LOAD_BY_FP, RETURN },
	  FOUND(.cfa = 0x50 + 320, .ra = 0x50 + 272, .fp = 0x50 + 248) },
	{ "by FP, set on the way", .code = { SUB_160, SET_FP, LOAD_BY_FP, RETURN },
	  FOUND(.cfa = 160, .ra = 112, .fp = 88) },
	{ "by FP, which is not known", .code = { FP_FROM_FPR, LOAD_BY_FP, RETURN } },
	{ "by another register", .code = { LOAD_BY_R1, RETURN } },
	{ "past a call", .code = { CALL, LOAD_ALL, RETURN },
	  FOUND(.unsure = true, ALL_LOADED) },
	{ "past a call through a register", .code = { CALL_R1, LOAD_ALL, RETURN },
	  FOUND(.unsure = true, ALL_LOADED) },
	{ "RA overwritten by a call", .code = { CALL, RETURN } },
	{ "RA overwritten", .code = { RA_WRITTEN, RETURN } },
	{ "RA in an FPR", .code = { RA_FROM_FPR, RETURN } },
	{ "RA copied to an FPR", .code = { RA_TO_FPR, RETURN }, FOUND(.cfa = 160) },
	{ "FP in an FPR", .code = { FP_FROM_FPR, RETURN } },
	{ "FP overwritten, one of a pair", .code = { R10_R11_WRITTEN, RETURN } },
	{ "FP overwritten by a product", .code = { MFY_R10, RETURN } },
	{ "FP overwritten by what is left to digest", .code = { KIMD_R10, RETURN } },
	{ "FP overwritten by what is left to encrypt", .code = { KMCTR_R10, RETURN } },
	{ "FP overwritten by half of the PSW", .code = { EPSW_R11, RETURN } },
	{ "FP overwritten by half of a number", .code = { CUXTR_R10, RETURN } },
	{ "SP compared", .code = { COMPARE_SP, RETURN }, FOUND(.cfa = 160) },
	{ "conditional return", .code = { IFEQ_RETURN, SELF }, FOUND(.cfa = 160) },
	{ "jump", .code = { SKIP_4, SELF, RETURN }, FOUND(.cfa = 160) },
	{ "the other way", .code = { IF_SKIP_4, SELF, LOAD_ALL, RETURN },
	  FOUND(ALL_LOADED) },
	{ "the other way, behind many that are the same", .code = { IF_SKIP_4, LD_F14,
	  IF_SKIP_4, LD_F14, IF_SKIP_4, LD_F14, IF_SKIP_4, LD_F14, IF_SKIP_4, SELF, LOAD_ALL,
	  RETURN }, FOUND(ALL_LOADED) },
	{ "loop", .code = { LOOP, RETURN }, FOUND(.cfa = 160) },
	{ "no way out", .code = { SELF } },
	{ "system call", .code = { SVC, RETURN }, FOUND(.cfa = 160) },
	{ "sigreturn", .code = { SIGRETURN, RETURN } },
	{ "stub", .code = { LARL, LG_R1, BR_R1 }, FOUND(.cfa = 160) },
	{ "stub, at its last instruction", .at = 12,
	  .code = { LARL, LG_R1, BR_R1 }, FOUND(.cfa = 160) },
	{ "a jump through r1", .code = { LG_R1, BR_R1 } },
	{ "no instruction", .code = { NOPR } },
	{ "past a call that a branch leads around",
	  .code = { IF_SKIP_6, CALL, LOAD_ALL, RETURN }, FOUND(ALL_LOADED) },
	{ "another function begins behind a call",
	  .code = { CALL, SAVE_ALL, SUB_160, LOAD_ALL, RETURN } },
	{ "RA's register is stored as data behind a call",
	  .code = { CALL, STG_RA_176, LOAD_ALL, RETURN }, FOUND(.unsure = true, ALL_LOADED) },
	{ "saved, and its register stored as data", .code = { SAVE_ALL, RA_FROM_FPR,
	  STG_RA_176, LOAD_SAVED, RETURN }, FOUND(.cfa = 160) },
	{ "another function begins behind a gap",
	  .code = { MVC, NOPR, SAVE_ALL, SUB_160, LOAD_ALL, RETURN } },
	{ "it is jumped to there", .code = { SKIP_4, NOPR, NOPR, SAVE_ALL, SUB_160, LOAD_ALL,
	  RETURN }, FOUND(.cfa = 160) },
};

KUNIT_ARRAY_PARAM_DESC(leave, leave_cases, name);

/* Code, more than is looked at; and a stack in which r15 is saved wherever that is. */
struct text {
	u8 bytes[1024];
	bool lies;
	unsigned int reads;
};

static int read_text(void *ctx, u64 addr, void *buf, unsigned int len)
{
	struct text *t = ctx;
	u64 at = addr - (CODE - BEFORE), sp = addr - 120 + 8 * t->lies;

	t->reads++;
	if (addr - SP < 4096 && len == sizeof(sp)) {
		memcpy(buf, &sp, len);
		return 0;
	}
	if (at >= sizeof(t->bytes) || sizeof(t->bytes) - at < len)
		return -1;
	memcpy(buf, t->bytes + at, len);
	return 0;
}

static void put_code(struct text *t, const u64 *code)
{
	u8 *to = t->bytes + BEFORE;
	int shift;

	for (; *code; code++) {
		shift = *code >> 32 ? 40 : *code >> 16 ? 24 : 8;
		for (; shift >= 0; shift -= 8)
			*to++ = *code >> shift;
	}
}

static void knows_the_way_out(struct kunit *test)
{
	const struct leave_case *c = test->param_value;
	struct sframe_leave lv = { ALL_LOOKS, .sp = SP, .fp = FP, .topmost = !c->below };
	struct text t = {};
	bool found;

	put_code(&t, c->code);
	found = sframe_abi_s390.leave(&lv, CODE + c->at, read_text, &t);
	KUNIT_ASSERT_EQ(test, found, c->found);
	KUNIT_EXPECT_LE(test, lv.cost, COST_MAX);
	if (!found)
		return;
	KUNIT_EXPECT_EQ(test, lv.sp, SP + c->cfa);
	KUNIT_EXPECT_EQ(test, lv.ra_at, c->ra ? SP + c->ra : 0);
	KUNIT_EXPECT_EQ(test, lv.fp_at, c->fp ? SP + c->fp : 0);
	KUNIT_EXPECT_EQ(test, lv.sure, !c->unsure);
}

/* r15 from anywhere but the caller's save area says nothing. */
static void sp_has_its_place(struct kunit *test)
{
	static const u64 code[] = { LOAD_ALL, RETURN, 0 };
	struct sframe_leave lv = { ALL_LOOKS, .sp = SP, .fp = FP };
	struct text t = { .lies = true };

	put_code(&t, code);
	KUNIT_EXPECT_FALSE(test, sframe_abi_s390.leave(&lv, CODE, read_text, &t));
}

static void no_more_than_is_left(struct kunit *test)
{
	static const u64 code[] = { LOAD_ALL, RETURN, 0 };
	struct sframe_leave lv = { .cost_max = 5, .sp = SP, .fp = FP };
	struct text t = {};

	put_code(&t, code);
	KUNIT_EXPECT_FALSE(test, sframe_abi_s390.leave(&lv, CODE, read_text, &t));
	/* To read code, and SP from the stack, costs too. */
	KUNIT_EXPECT_EQ(test, lv.cost, 6u);
	lv.cost_max = 9;
	KUNIT_EXPECT_TRUE(test, sframe_abi_s390.leave(&lv, CODE, read_text, &t));
}

static void odd_or_unreadable(struct kunit *test)
{
	static const u64 code[] = { RETURN, 0 };
	struct sframe_leave lv = { ALL_LOOKS, .sp = SP, .fp = FP, .topmost = true };
	struct text t = {};

	put_code(&t, code);
	KUNIT_EXPECT_TRUE(test, sframe_abi_s390.leave(&lv, CODE, read_text, &t));
	KUNIT_EXPECT_FALSE(test, sframe_abi_s390.leave(&lv, CODE + 1, read_text, &t));
	KUNIT_EXPECT_FALSE(test, sframe_abi_s390.leave(&lv, 0, read_text, &t));
	KUNIT_EXPECT_FALSE(test, sframe_abi_s390.leave(&lv, -2ull, read_text, &t));
}

/* Whatever the code is, it costs no more than it may. */
static void any_code_ends(struct kunit *test)
{
	u64 rng = 7;
	u32 round, i, worst = 0;

	for (round = 0; round < 4000; round++) {
		struct sframe_leave lv = { ALL_LOOKS, .sp = SP, .fp = FP, .topmost = true };
		struct text t = {};

		for (i = 0; i < sizeof(t.bytes); i++)
			t.bytes[i] = rnd(&rng);
		/* Branches on conditions, among what does nothing. */
		for (i = BEFORE; round & 1 && i + 4 <= sizeof(t.bytes); i += 4) {
			t.bytes[i] = 0xa7;
			t.bytes[i + 1] = rnd_below(&rng, 4) ? 0x18 : 0x84;
			t.bytes[i + 2] = 0;
			t.bytes[i + 3] = rnd_below(&rng, 64) & ~1u;
		}
		sframe_abi_s390.leave(&lv, CODE, read_text, &t);
		KUNIT_ASSERT_LE(test, lv.cost, COST_MAX);
		KUNIT_ASSERT_LE(test, t.reads, COST_MAX);
		if (lv.cost > worst)
			worst = lv.cost;
	}
	KUNIT_EXPECT_GT(test, worst, (u32)COST_MAX / 2);
}

static struct kunit_case leave_test_cases[] = {
	KUNIT_CASE_PARAM(knows_the_way_out, leave_gen_params),
	KUNIT_CASE(sp_has_its_place),
	KUNIT_CASE(no_more_than_is_left),
	KUNIT_CASE(odd_or_unreadable),
	KUNIT_CASE(any_code_ends),
	{}
};

static struct kunit_suite leave_suite = {
	.name = "sframe_leave_s390",
	.test_cases = leave_test_cases,
};

kunit_test_suite(leave_suite);
