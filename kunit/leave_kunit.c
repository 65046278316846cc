// SPDX-License-Identifier: GPL-2.0
/*
 * How AArch64 code says it will be left. The words are what an assembler makes
 * of the instructions named beside them.
 */
#include <kunit/test.h>

#include <sframe/abi.h>

#include "leave.h"
#include "random.h"

#define CODE		0x400040ull
#define SP		0x7ff000001000ull
#define FP		0x7ff000001050ull
#define COST_MAX	(1024 + LEAVE_OVER_MAX)
/* For a search that may look at as much as it ever does. */
#define ALL_LOOKS	.cost_max = ~0u
#define TEXT_INSNS	300

#define RET		0xd65f03c0
#define NOP		0xd503201f
#define PACIASP		0xd503233f
#define AUTIASP		0xd50323bf
#define BTI_C		0xd503245f
#define PUSH_32		0xa9be7bfd	/* stp x29, x30, [sp, #-32]! */
#define POP_32		0xa8c27bfd	/* ldp x29, x30, [sp], #32 */
#define SAVE_AT_48	0xa9037bfd	/* stp x29, x30, [sp, #48] */
#define LOAD_AT_48	0xa9437bfd	/* ldp x29, x30, [sp, #48] */
#define SUB_80		0xd10143ff	/* sub sp, sp, #80 */
#define ADD_80		0x910143ff	/* add sp, sp, #80 */
#define ADD_4096	0x914007ff	/* add sp, sp, #1, lsl #12 */
#define PUSH_LR		0xf81f0ffe	/* str x30, [sp, #-16]! */
#define POP_LR		0xf84107fe	/* ldr x30, [sp], #16 */
#define SET_FP		0x910003fd	/* mov x29, sp */
#define SP_FROM_FP	0x910003bf	/* mov sp, x29 */
#define PUSH_16		0xa9bf7bfd	/* stp x29, x30, [sp, #-16]! */
#define POP_16		0xa8c17bfd	/* ldp x29, x30, [sp], #16 */
#define LOAD_BY_FP	0xa9407bbd	/* ldp x29, x30, [x29] */
#define LOAD_AT_FP	0xa9457bfd	/* ldp x29, x30, [sp, #80], where x29 points to */
#define DROP_X16	0x8b306fff	/* add sp, sp, x16, lsl #3 */
#define BR_X17		0xd61f0220	/* br x17 */
#define CALL		0x94000100	/* bl */
#define CALL_X3		0xd63f0060	/* blr x3 */
#define SKIP_2		0x14000003	/* b, past two instructions */
#define BACK_2		0x17fffffe	/* b, to the last but one */
#define IF_SKIP_1	0xb4000040	/* cbz x0, past the next instruction */
#define IF_SKIP_2	0xb4000060	/* cbz x0, past two instructions */
#define IFBIT_SKIP_2	0x37180060	/* tbnz w0, #3, likewise */
#define IFEQ_SKIP_2	0x54000060	/* b.eq, likewise */
#define RET_X5		0xd65f00a0	/* ret x5 */
#define LR_TO_X5	0xaa1e03e5	/* mov x5, x30 */
#define LR_FROM_X5	0xaa0503fe	/* mov x30, x5 */
#define BRK		0xd4200020
#define SVC		0xd4000001

/**
 * struct leave_case - one piece of code
 * @name: what it shows
 * @below: is this a caller's frame?
 * @at: which instruction the PC is at
 * @insns: the code, up to 0
 * @found: is a way out found?
 * @unsure: past a call?
 * @no_sp: is SP not known at the PC?
 * @record: is all that is known that the record at x29 is the function's?
 * @before: or that it makes one now?
 * @sp: expected from SP on, bytes
 * @ra: where RA is, from SP on, plus 1; 0: in its register
 * @ra_reg: or in this one
 * @fp: the same for FP
 */
struct leave_case {
	const char *name;
	bool below;
	u8 at;
	u32 insns[20];
	bool found;
	bool unsure;
	bool no_sp;
	bool record;
	bool before;
	s16 sp;
	s16 ra;
	u8 ra_reg;
	s16 fp;
};

#define FOUND(...)	.found = true, __VA_ARGS__
#define AT(off)		((off) + 1)
/* Where x29 points to is 80 bytes above SP. */
#define RECORD(...)	.found = true, .record = true, .sp = 96, .ra = AT(88), \
			.fp = AT(80), __VA_ARGS__
#define BEFORE		.found = true, .before = true

static const struct leave_case leave_cases[] = {
	{ "leaf", .insns = { NOP, RET }, FOUND() },
	{ "retaa", .insns = { 0xd65f0bff }, FOUND() },
	{ "a caller's leaf", .below = true, .insns = { RET } },
	{ "epilogue", .insns = { POP_32, AUTIASP, RET },
	  FOUND(.sp = 32, .ra = AT(8), .fp = AT(0)) },
	{ "epilogue of a caller", .below = true, .insns = { NOP, POP_32, RET },
	  FOUND(.sp = 32, .ra = AT(8), .fp = AT(0)) },
	{ "between load and add", .insns = { LOAD_AT_48, ADD_80, RET },
	  .at = 1, FOUND(.sp = 80) },
	{ "no frame pointer", .insns = { POP_LR, RET },
	  FOUND(.sp = 16, .ra = AT(0)) },
	{ "large", .insns = { LOAD_AT_48, ADD_4096, RET },
	  FOUND(.sp = 4096, .ra = AT(56), .fp = AT(48)) },
	{ "past calls", .insns = { CALL, CALL_X3, POP_32, RET },
	  FOUND(.unsure = true, .sp = 32, .ra = AT(8), .fp = AT(0)) },
	{ "calls and never loads RA", .insns = { CALL, RET } },
	{ "from the first instruction on",
	  .insns = { PACIASP, PUSH_32, SET_FP, CALL, POP_32, AUTIASP, RET },
	  FOUND(.unsure = true) },
	{ "within the prologue",
	  .insns = { SUB_80, SAVE_AT_48, CALL, LOAD_AT_48, ADD_80, RET },
	  .at = 1, FOUND(.unsure = true, .sp = 80) },
	{ "past the prologue",
	  .insns = { PUSH_32, SET_FP, SUB_80, NOP, SP_FROM_FP, POP_32, RET },
	  .at = 2, FOUND(.sp = 0x70, .ra = AT(0x58), .fp = AT(0x50)) },
	{ "SP out of x29 + immediate", .insns = { 0xd10043bf, POP_32, RET },
	  FOUND(.sp = 0x60, .ra = AT(0x48), .fp = AT(0x40)) },
	{ "RA by x29", .insns = { 0xf94007be, SP_FROM_FP, ADD_80, RET },
	  FOUND(.sp = 0xa0, .ra = AT(0x58)) },
	{ "RA out of a vector: fmov x30, d0", .insns = { 0x9e66001e, RET } },
	{ "fcvtzs x30, d0", .insns = { 0x9e78001e, RET } },
	{ "fcvtzs x30, d0, 1", .insns = { 0x9e58fc1e, RET } },
	{ "umov x30, v0.d[0]", .insns = { 0x4e083c1e, RET } },
	{ "smov x30, v0.s[0]", .insns = { 0x4e042c1e, RET } },
	{ "cntd x30", .insns = { 0x04e0e3fe, RET } },
	{ "lasta x30, p0, z0.d", .insns = { 0x05e0a01e, RET } },
	{ "cntp x30, p0, p0.b", .insns = { 0x2520801e, RET } },
	{ "into vectors: fadd d30, d0, d0; scvtf d30, x0; fmov d30, x0",
	  .insns = { 0x1e60281e, 0x9e62001e, 0x9e67001e, RET }, FOUND() },
	{ "RA as a base: ld1 {v0.16b}, [x30], 16", .insns = { 0x4cdf73c0, RET } },
	{ "stg x0, [x30], 16", .insns = { 0xd92017c0, RET } },
	{ "SP of 32 bits: add wsp, wsp, 16", .insns = { 0x110043ff, RET } },
	{ "SP and a tag: addg sp, x1, 16, 0", .insns = { 0x9181003f, RET } },
	{ "irg sp, x1", .insns = { 0x9adf103f, RET } },
	{ "at BTI C", .insns = { BTI_C, BRK }, FOUND() },
	{ "at PACIASP, which assembly has elsewhere", .insns = { PACIASP, BRK } },
	{ "tail call", .insns = { POP_32, SKIP_2, BRK, BRK, PACIASP, BRK },
	  FOUND(.sp = 32, .ra = AT(8), .fp = AT(0)) },
	{ "tail call of a function that saves RA itself",
	  .insns = { POP_32, SKIP_2, BRK, BRK, PUSH_LR, CALL, POP_LR, RET },
	  FOUND(.unsure = true, .sp = 32, .ra = AT(8), .fp = AT(0)) },
	{ "past a call that a branch leads around", .insns = { IF_SKIP_1, CALL, POP_32, RET },
	  FOUND(.sp = 32, .ra = AT(8), .fp = AT(0)) },
	{ "the same, with another SP", .insns = { IF_SKIP_2, CALL, POP_32, POP_32, RET },
	  FOUND(.unsure = true, .sp = 64, .ra = AT(40), .fp = AT(32)) },
	{ "saved, and stored somewhere else, too",
	  .insns = { PUSH_32, 0xf90000be /* str x30, [x5] */, CALL, POP_32, RET },
	  FOUND(.unsure = true) },
	{ "saved, and its register stored as data", .insns = { PUSH_32, 0xaa0503fd,
	  0xf9000bfd /* str x29, [sp, #16] */, POP_32, RET }, FOUND() },
	{ "another function after a call that may not return",
	  .below = true, .insns = { CALL, PUSH_32, POP_32, RET } },
	{ "the same, a leaf", .below = true, .insns = { CALL, NOP, RET } },
	{ "cbz that has to be taken", .insns = { IF_SKIP_2, BRK, BRK, RET },
	  FOUND() },
	{ "the same, behind many that need not be", .insns = {
	  IF_SKIP_1, NOP, IF_SKIP_1, NOP, IF_SKIP_1, NOP, IF_SKIP_1, NOP, IF_SKIP_1, NOP,
	  IF_SKIP_1, NOP, IF_SKIP_2, BRK, BRK, RET }, FOUND() },
	{ "tbnz", .insns = { IFBIT_SKIP_2, BRK, BRK, RET }, FOUND() },
	{ "b.eq", .insns = { IFEQ_SKIP_2, BRK, BRK, RET }, FOUND() },
	{ "loops", .insns = { NOP, NOP, BACK_2 } },
	{ "a system call", .insns = { SVC, RET }, FOUND() },
	{ "callee-saved registers and vectors",
	  .insns = { 0xa94153f3, 0x6cc127e8, POP_32, RET },
	  FOUND(.sp = 48, .ra = AT(24), .fp = AT(16)) },
	{ "vectors pushed", .insns = { 0x6dbf27e8, 0x3c9e0fe0, ADD_80, RET },
	  FOUND(.sp = 32) },
	{ "x29 from elsewhere", .insns = { 0xaa0503fd, RET } },
	{ "x30 from elsewhere", .insns = { 0x8b0503fe, RET } },
	{ "x30 from another register", .insns = { LR_FROM_X5, RET }, FOUND(.ra_reg = 5) },
	{ "by another register", .insns = { RET_X5 }, FOUND(.ra_reg = 5) },
	{ "the same, of a caller, past a call", .below = true, .insns = { CALL, NOP, RET_X5 },
	  FOUND(.unsure = true, .ra_reg = 5) },
	{ "the same, from where the function begins",
	  .insns = { LR_TO_X5, CALL, CALL, RET_X5 }, FOUND(.unsure = true) },
	{ "the same, for one call", .insns = { LR_TO_X5, CALL, LR_FROM_X5, RET },
	  FOUND(.unsure = true) },
	{ "the same, of a caller that begins behind a call",
	  .below = true, .insns = { CALL, LR_TO_X5, CALL, RET_X5 } },
	{ "another register than RA was moved to", .insns = { LR_TO_X5, CALL, 0xd65f00c0 },
	  FOUND(.unsure = true, .ra_reg = 6) },
	{ "... is written", .insns = { 0xaa0603e5, RET_X5 } },
	{ "... behind RA", .insns = { LR_TO_X5, 0xaa0603e5, RET_X5 } },
	{ "... is loaded", .insns = { 0xf94007e5, RET_X5 } },
	{ "... with another one", .insns = { 0xa94017e4, RET_X5 } },
	{ "... with half of it", .insns = { 0xb94003e5, RET_X5 } },
	{ "... is a base that moves", .insns = { 0xf84084a0, RET_X5 } },
	{ "... is loaded exclusively", .insns = { 0xc85f7c05, RET_X5 } },
	{ "... says whether it was stored", .insns = { 0xc8057c01, RET_X5 } },
	{ "... is the second of a pair that is compared and swapped",
	  .insns = { 0x48247d06, RET_X5 } },
	{ "... is one of eight that are loaded at once", .insns = { 0xf83fd102, RET_X5 } },
	{ "... is x0, for results", .insns = { 0xd65f0000 } },
	{ "... is x0, moved", .insns = { 0xaa0003fe, RET } },
	{ "... is x17, for linkers", .insns = { 0xd65f0220 } },
	{ "x30 loaded exclusively", .insns = { 0xc85ffc1e, RET } },
	{ "... is a vector's base that moves", .insns = { 0x4cdf70a0, RET_X5 } },
	{ "... is a vector's element", .insns = { 0x4e083c05, RET_X5 } },
	{ "... is a system register", .insns = { 0xd53bd045, RET_X5 } },
	{ "half of x30", .insns = { 0xb94003fe, RET } },
	{ "x30 out of a system register", .insns = { 0xd53bd05e, RET } },
	{ "SP from a register", .insns = { 0x8b2c6bff, RET } },
	{ "exception thrown: neither way is taken for granted",
	  .insns = { POP_32, IF_SKIP_2, 0x8b2563ff, 0xd61f00c0, RET } },
	{ "SP aligned", .insns = { 0x927ced3f, RET } },
	{ "SP moved by a vector load", .insns = { 0x4cdf73e0, RET } },
	{ "SP moved by ADDVL", .insns = { 0x043f503f, RET } },
	{ "SP moved by ADDSVL", .insns = { 0x043f583f, RET } },
	{ "it returns by RETAASPPC", .insns = { 0x5500001f, RET } },
	{ "CBGT", .insns = { 0x74010040, RET } },
	{ "stub", .insns = { 0x90000010, 0xf9400611, 0x91002210, 0xd61f0220 },
	  FOUND() },
	{ "stub, to its last instruction", .at = 4,
	  .insns = { NOP, 0x90000010, 0xf9400611, NOP, 0xd61f0220 }, FOUND() },
	{ "signed stub",
	  .insns = { 0x90000010, 0xf9400611, 0x91002210, 0xd503219f, 0xd61f0220 },
	  FOUND() },
	{ "first stub", .at = 1,
	  .insns = { 0xa9bf7bf0, 0x90000010, 0xf9400611, 0x91002210, 0xd61f0220 } },
	{ "a jump through x17", .insns = { NOP, 0xd61f0220 } },
	{ "a jump through x2", .insns = { 0xd61f0040 } },
	{ "no instruction", .insns = { NOP } },

	{ "arguments dropped", .insns = { SP_FROM_FP, POP_16, DROP_X16, RET }, RECORD() },
	{ "the same, of a caller", .below = true,
	  .insns = { SP_FROM_FP, POP_16, DROP_X16, RET }, RECORD() },
	{ "a function jumped to last, by a register",
	  .insns = { LOAD_BY_FP, ADD_80, BR_X17 }, RECORD() },
	{ "the same, with the record by SP", .insns = { LOAD_AT_FP, NOP, BR_X17 }, RECORD() },
	{ "the same, past a call", .insns = { CALL, LOAD_BY_FP, BR_X17 },
	  RECORD(.unsure = true) },
	{ "the same, with other ways out that are not understood",
	  .insns = { IF_SKIP_2, LOAD_BY_FP, BR_X17, BRK }, RECORD() },
	{ "the same behind a frame in it",
	  .insns = { PUSH_16, SET_FP, SP_FROM_FP, POP_16, LOAD_BY_FP, BR_X17 }, RECORD() },
	{ "a way that is understood says more",
	  .insns = { CALL, IF_SKIP_2, LOAD_BY_FP, BR_X17, LOAD_AT_48, ADD_80, RET },
	  FOUND(.unsure = true, .sp = 80, .ra = AT(56), .fp = AT(48)) },
	{ "x29 and x30 from another place", .insns = { LOAD_AT_48, ADD_80, BR_X17 } },
	{ "x30 of the record alone", .insns = { 0xf94007be, BR_X17 } },
	{ "by a x29 that is not that of the PC",
	  .insns = { 0xaa0503fd, LOAD_BY_FP, BR_X17 } },
	{ "an exception thrown by what loads the record",
	  .insns = { LOAD_BY_FP, 0x8b2563ff, BR_X17 } },
	{ "a jump by a register, nothing loaded", .insns = { NOP, BR_X17 } },

	{ "SP is not known, but x29 tells", .no_sp = true,
	  .insns = { SP_FROM_FP, POP_32, RET },
	  FOUND(.sp = 80 + 32, .ra = AT(88), .fp = AT(80)) },
	{ "SP is not known, the record is by x29", .no_sp = true,
	  .insns = { LOAD_BY_FP, ADD_80, RET }, RECORD() },
	{ "SP is not known, and needed", .no_sp = true, .insns = { POP_32, RET } },
	{ "SP is not known, of a leaf", .no_sp = true, .insns = { NOP, RET } },
	{ "SP is not known, nor x29 from it", .below = true, .no_sp = true,
	  .insns = { SET_FP, LOAD_BY_FP, BR_X17 } },

	{ "at a prologue", .insns = { PUSH_16, SET_FP, BRK }, BEFORE },
	{ "within a prologue", .at = 1, .insns = { PUSH_16, SET_FP, BRK }, BEFORE },
	{ "before one", .insns = { NOP, SUB_80, SAVE_AT_48, 0x9100c3fd, CALL, BRK },
	  BEFORE },
	{ "the same, SP is not known", .no_sp = true, .insns = { PUSH_16, SET_FP, BRK },
	  BEFORE },
	{ "at a prologue, past a call", .insns = { CALL, PUSH_16, SET_FP, BRK } },
	{ "at a prologue, of a caller", .below = true, .insns = { PUSH_16, SET_FP, BRK } },
	{ "x29 set behind the prologue",
	  .insns = { 0xaa0503fd, SET_FP, BRK } },
};

KUNIT_ARRAY_PARAM_DESC(leave, leave_cases, name);

/* 64 bytes before the code, and what follows it, can be read as well. */
struct text {
	u8 bytes[64 + 4 * TEXT_INSNS];
	unsigned int reads;
};

static int read_text(void *ctx, u64 addr, void *buf, unsigned int len)
{
	struct text *t = ctx;
	u64 at = addr - (CODE - 64);

	t->reads++;
	if (at >= sizeof(t->bytes) || sizeof(t->bytes) - at < len)
		return -1;
	memcpy(buf, t->bytes + at, len);
	return 0;
}

static void put_insn(struct text *t, unsigned int i, u32 insn)
{
	unsigned int byte;

	for (byte = 0; byte < 4; byte++)
		t->bytes[64 + 4 * i + byte] = insn >> 8 * byte;
}

static void knows_the_way_out(struct kunit *test)
{
	const struct leave_case *c = test->param_value;
	struct sframe_leave lv = { ALL_LOOKS, .sp = SP, .fp = FP, .topmost = !c->below,
				   .sp_lost = c->no_sp };
	struct text t = {};
	unsigned int i;
	bool found;

	for (i = 0; c->insns[i]; i++)
		put_insn(&t, i, c->insns[i]);
	found = sframe_abi_arm64.leave(&lv, CODE + 4 * c->at, read_text, &t);
	KUNIT_ASSERT_EQ(test, found, c->found);
	KUNIT_EXPECT_LE(test, lv.cost, COST_MAX);
	if (!found)
		return;
	KUNIT_EXPECT_EQ(test, lv.sp, SP + c->sp);
	KUNIT_EXPECT_EQ(test, lv.ra_at, c->ra ? SP + c->ra - 1 : 0);
	KUNIT_EXPECT_EQ(test, lv.ra_reg, c->ra_reg);
	KUNIT_EXPECT_EQ(test, lv.fp_at, c->fp ? SP + c->fp - 1 : 0);
	KUNIT_EXPECT_EQ(test, lv.sp_lost, c->record || c->before);
	KUNIT_EXPECT_EQ(test, lv.ra_before_calls, c->before);
	if (!c->before)
		KUNIT_EXPECT_EQ(test, lv.sure, !c->unsure);
}

static void unaligned_or_unreadable(struct kunit *test)
{
	struct sframe_leave lv = { ALL_LOOKS, .sp = SP, .fp = FP, .topmost = true };
	struct text t = {};

	put_insn(&t, 0, RET);
	KUNIT_EXPECT_TRUE(test, sframe_abi_arm64.leave(&lv, CODE, read_text, &t));
	KUNIT_EXPECT_FALSE(test, sframe_abi_arm64.leave(&lv, CODE + 2, read_text, &t));
	KUNIT_EXPECT_FALSE(test, sframe_abi_arm64.leave(&lv, 0, read_text, &t));
	KUNIT_EXPECT_FALSE(test, sframe_abi_arm64.leave(&lv, -4ull, read_text, &t));
}

static void long_functions_cost_no_more(struct kunit *test)
{
	struct sframe_leave lv = { ALL_LOOKS, .sp = SP, .fp = FP, .topmost = true };
	struct text t = {};
	unsigned int i;

	/* Of branches, which cost most. */
	for (i = 0; i < TEXT_INSNS; i++)
		put_insn(&t, i, IF_SKIP_2);
	KUNIT_EXPECT_FALSE(test, sframe_abi_arm64.leave(&lv, CODE, read_text, &t));
	KUNIT_EXPECT_LE(test, lv.cost, COST_MAX);
	KUNIT_EXPECT_GE(test, lv.cost, COST_MAX - LEAVE_OVER_MAX);
	/* To read code, and fourteen that do nothing. */
	for (i = 0; i < TEXT_INSNS; i++)
		put_insn(&t, i, NOP);
	lv.cost_max = 32;
	KUNIT_EXPECT_FALSE(test, sframe_abi_arm64.leave(&lv, CODE, read_text, &t));
	KUNIT_EXPECT_EQ(test, lv.cost, 30u);
}

/* Whatever the code is, it costs no more than it may. */
static void any_code_ends(struct kunit *test)
{
	static const u32 likely_insns[] = {
		IF_SKIP_2, IFBIT_SKIP_2, IFEQ_SKIP_2, SKIP_2, BACK_2, NOP,
		0xb4ffffa0 /* cbz x0, back */, 0x91002210 /* add x16 */,
		0xf9400611 /* ldr x17 */, 0xd61f0220 /* br x17 */,
	};
	struct sframe_leave lv;
	u64 rng = 3;
	u32 round, i, found = 0;

	for (round = 0; round < 2000; round++) {
		struct text t = {};

		for (i = 0; i < TEXT_INSNS; i++)
			put_insn(&t, i, round & 1 ? rnd(&rng) :
				 likely_insns[rnd_below(&rng, ARRAY_SIZE(likely_insns))]);
		lv = (struct sframe_leave){ ALL_LOOKS, .sp = SP, .fp = FP, .topmost = true };
		found += sframe_abi_arm64.leave(&lv, CODE, read_text, &t);
		KUNIT_ASSERT_LE(test, lv.cost, COST_MAX);
		KUNIT_ASSERT_LE(test, t.reads, COST_MAX / 2);
	}
	KUNIT_EXPECT_NE(test, found, 0u);
}

static struct kunit_case leave_test_cases[] = {
	KUNIT_CASE_PARAM(knows_the_way_out, leave_gen_params),
	KUNIT_CASE(unaligned_or_unreadable),
	KUNIT_CASE(long_functions_cost_no_more),
	KUNIT_CASE(any_code_ends),
	{}
};

static struct kunit_suite leave_suite = {
	.name = "sframe_leave",
	.test_cases = leave_test_cases,
};

kunit_test_suite(leave_suite);
