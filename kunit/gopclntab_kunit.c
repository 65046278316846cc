// SPDX-License-Identifier: GPL-2.0
/*
 * Go's function tables: which rules follow from a function's rows.
 */
#include <kunit/test.h>

#include "go_trial.h"

/* What Go compiles for amd64, since 1.21 and before. */
static void x86_usual(struct kunit *test)
{
	struct trial *t = start(test, &sframe_abi_x86, false);

	GO_FUNC(&t->m, 0x100, 0x40, "main.f", 0, { 0, 9 }, { 8, 13 },
		{ 0x28, 0x30 }, { 8, 0x31 }, { 0, 0x32 }, { 0x28, 0x3a });
	GO_FUNC(&t->m, 0x140, 0x40, "main.old", 0, { 0, 9 }, { 0x28, 0x30 },
		{ 0, 0x31 }, { 0x28, 0x40 });
	GO_FUNC(&t->m, 0x180, 0x20, "main.leaf", 0, { 0, 0x20 });
	GO_FUNC(&t->m, 0x1a0, 0x20, "type:.eq", 0);
	KUNIT_ASSERT_EQ(test, convert(t), SFRAME_OK);
	expect(t, 0xff, FLAG(NO_FDE));
	expect(t, 0x108, X86_SP(8));
	expect(t, 0x109, X86_SP(16, X86_FP_SAVED));
	expect(t, 0x10d, X86_SP(0x30, X86_FP_SAVED));
	expect(t, 0x131, X86_SP(8));
	expect(t, 0x132, X86_SP(0x30, X86_FP_SAVED));
	expect(t, 0x13a, FLAG(NO_FDE));
	/* It is stored by the first instruction that has a frame. */
	expect(t, 0x149, X86_SP(0x30));
	expect(t, 0x14a, X86_SP(0x30, X86_FP_SAVED));
	expect(t, 0x171, X86_SP(0x30, X86_FP_SAVED));
	expect(t, 0x19f, X86_SP(8));
	expect(t, 0x1a0, FLAG(NO_FDE));
	finish(t, 0);
}

#define ARM_SP(off, ...)						\
	RULE(.cfa = SFRAME_LOC_SP, .cfa_off = off, __VA_ARGS__)

static void arm64_usual(struct kunit *test)
{
	struct trial *t = start(test, &sframe_abi_arm64, false);
	const struct sframe_rule frame = ARM_SP(48, .ra = SAVED, .ra_off = -48,
						.fp = SAVED, .fp_off = -56);

	GO_FUNC(&t->m, 0x100, 0x40, "main.f", 0, { 0, 16 }, { 48, 0x30 },
		{ 0, 0x34 }, { 48, 0x40 });
	/* SP is lowered by hand: RA stays where it is. */
	GO_FUNC(&t->m, 0x140, 0x40, "runtime.callCgoMmap", ASM, { 0, 4 },
		{ 16, 0x20 }, { 32, 0x30 }, { 0, 0x40 });
	/* Who knows where this one saves RA? */
	GO_FUNC(&t->m, 0x180, 0x40, "example.org/a.f", ASM, { 0, 4 },
		{ 64, 0x40 });
	GO_FUNC(&t->m, 0x1c0, 0x20, "example.org/a.leaf", ASM, { 0, 0x20 });
	/* This one stores something else there, too. */
	GO_FUNC(&t->m, 0x1e0, 0x20, "internal/chacha8rand.block", ASM, { 0, 4 },
		{ 32, 0x1c }, { 0, 0x20 });
	KUNIT_ASSERT_EQ(test, convert(t), SFRAME_OK);
	expect(t, 0x10c, ARM_SP(0));
	expect(t, 0x110, ARM_SP(48, .ra = SAVED, .ra_off = -48));
	expect(t, 0x114, frame);
	expect(t, 0x130, ARM_SP(0));
	expect(t, 0x134, frame);
	expect(t, 0x164, ARM_SP(32, .ra = SAVED, .ra_off = -16, .fp = SAVED,
				.fp_off = -24));
	expect(t, 0x180, FLAG(BAD));
	expect(t, 0x1b0, FLAG(BAD));
	expect(t, 0x1c0, ARM_SP(0));
	expect(t, 0x1f0, FLAG(BAD));
	EXPECT_SKIPS(t, GO_STACK, 2);
	finish(t, 2);
}

/* The caller's SP is 160 bytes below the CFA, and FP is not kept. */
static void s390_usual(struct kunit *test)
{
	struct trial *t = start(test, &sframe_abi_s390, true);

	GO_FUNC(&t->m, 0x100, 0x40, "main.f", 0, { 0, 12 }, { 48, 0x30 },
		{ 0, 0x32 });
	KUNIT_ASSERT_EQ(test, convert(t), SFRAME_OK);
	expect(t, 0x100, RULE(.cfa = SFRAME_LOC_SP, .cfa_off = 160,
			      .fp = SFRAME_LOC_LOST));
	expect(t, 0x10c, RULE(.cfa = SFRAME_LOC_SP, .cfa_off = 208,
			      .ra = SAVED, .ra_off = -208,
			      .fp = SFRAME_LOC_LOST));
	expect(t, 0x132, FLAG(NO_FDE));
	finish(t, 0);
}

#define X86_SWITCH	RULE(.cfa = SFRAME_LOC_FP, .cfa_off = 16, .ra = SAVED, \
			     .ra_off = -8, X86_FP_SAVED,		\
			     .flags = SFRAME_RULE_SWITCH)

/* The runtime's functions that do what others do not, in both versions. */
static void x86_runtime(struct kunit *test, struct trial *t)
{
	GO_FUNC(&t->m, 0x000, 0x20, "runtime.goexit", ASM | TOP, { 0, 7 });
	GO_FUNC(&t->m, 0x020, 0x60, "runtime.mcall", ASM | SPWRITE, { 0, 1 },
		{ 8, 0x30 }, { 16, 0x40 }, { 8, 0x46 });
	GO_FUNC(&t->m, 0x080, 0x80, "runtime.systemstack", ASM | SPWRITE,
		{ 0, 1 }, { 8, 0x40 }, { 0, 0x41 }, { 8, 0x60 });
	GO_FUNC(&t->m, 0x100, 0x80, "runtime.morestack", ASM | SPWRITE,
		{ 0, 0x80 });
	GO_FUNC(&t->m, 0x180, 0x40, "gogo", ASM | SPWRITE, { 0, 0x40 });
	GO_FUNC(&t->m, 0x1c0, 0x40, "runtime.asyncPreempt", ASM, { 0, 1 },
		{ 8, 5 }, { 0x180, 0x40 });
	GO_FUNC(&t->m, 0x200, 0x40, "runtime.sigtramp", ASM | TOP, { 0, 4 },
		{ 0x30, 0x40 });
	GO_FUNC(&t->m, 0x240, 0x20, "runtime.sigreturn__sigaction", ASM,
		{ 0, 9 });
	GO_FUNC(&t->m, 0x260, 0x40, "runtime.sigpanic", 0, { 0, 1 },
		{ 8, 0x40 });
	GO_FUNC(&t->m, 0x2a0, 0x40, "a.push", ASM, { 0, 4 }, { 0x30, 0x40 });
	GO_FUNC(&t->m, 0x2e0, 0x40, "a.switch", ASM | SPWRITE, { 0, 1 },
		{ 8, 0x40 });
	GO_FUNC(&t->m, 0x320, 0x40, "syscall.rawVforkSyscall", ASM, { 0, 0x10 },
		{ -8, 0x14 }, { 0, 0x40 });
	KUNIT_ASSERT_EQ(test, convert(t), SFRAME_OK);
	expect(t, 0x000, FLAG(OUTERMOST));
	expect(t, 0x021, X86_SP(16));
	expect(t, 0x022, X86_SWITCH);
	expect(t, 0x050, FLAG(OUTERMOST));
	expect(t, 0x060, X86_SWITCH);
	expect(t, 0x080, X86_SP(8));
	/* FP is set by the instruction that comes next. */
	expect(t, 0x081, X86_SP(16));
	expect(t, 0x082, X86_SWITCH);
	expect(t, 0x0c0, X86_SP(8));
	expect(t, 0x0c1, X86_SWITCH);
	expect(t, 0x17f, FLAG(OUTERMOST));
	expect(t, 0x180, FLAG(BAD));
	expect(t, 0x1c5, X86_SP(0x188, X86_FP_SAVED,
				.flags = SFRAME_RULE_SIGNAL));
	expect(t, 0x23e, X86_SP(0x38, X86_FP_SAVED));
	/* Where handlers return to is looked up by the byte before. */
	expect(t, 0x23f, FLAG(NO_FDE));
	expect(t, 0x240, FLAG(NO_FDE));
	expect(t, 0x261, X86_SP(16, X86_FP_SAVED, .flags = SFRAME_RULE_SIGNAL));
	/* Not what compilers push. */
	expect(t, 0x2a5, X86_SP(0x38, .fp = SFRAME_LOC_LOST));
	expect(t, 0x2e8, FLAG(BAD));
	expect(t, 0x330, FLAG(BAD));
	expect(t, 0x334, X86_SP(8));
	EXPECT_SKIPS(t, GO_STACK, 2);
	EXPECT_SKIPS(t, GO_DELTA, 1);
	finish(t, 3);
}

static void runtime_of_x86(struct kunit *test)
{
	u8 version;

	for (version = 18; version <= 20; version += 2) {
		struct trial *t = start(test, &sframe_abi_x86, version == 18);

		t->m.version = version;
		x86_runtime(test, t);
	}
}

#define X86_BY_CODE	RULE(.cfa = SFRAME_LOC_REG | 14, .cfa_off = 8,	\
			     .ra = SAVED, .ra_off = -8,			\
			     .flags = SFRAME_RULE_SWITCH)

/* Without a frame, only code tells where these were called from, if anything does. */
static void runtime_without_frames(struct kunit *test)
{
	struct trial *t = start(test, &sframe_abi_x86, false);

	t->m.version = 18;
	GO_FUNC(&t->m, 0x000, 0x40, "runtime.systemstack", ASM | SPWRITE,
		{ 0, 0x40 });
	GO_FUNC(&t->m, 0x040, 0x40, "runtime.mcall", ASM | SPWRITE, { 0, 0x20 },
		{ 8, 0x30 }, { 0, 0x40 });
	GO_FUNC(&t->m, 0x080, 0x40, "runtime.sigfwd", ASM | SPWRITE,
		{ 0, 0x14 }, { 8, 0x40 });
	GO_FUNC(&t->m, 0x0c0, 0x80, "time.now", ASM | SPWRITE, { 0, 4 },
		{ 24, 0x80 });
	GO_FUNC(&t->m, 0x140, 0x40, "runtime.asmcgocall", ASM | SPWRITE,
		{ 0, 0x20 }, { 64, 0x40 });
	KUNIT_ASSERT_EQ(test, convert(t), SFRAME_OK);
	expect(t, 0x000, X86_BY_CODE);
	expect(t, 0x03f, X86_BY_CODE);
	expect(t, 0x040, FLAG(BAD));
	expect(t, 0x060, FLAG(OUTERMOST));
	expect(t, 0x06f, FLAG(OUTERMOST));
	expect(t, 0x070, FLAG(BAD));
	expect(t, 0x080, FLAG(BAD));
	expect(t, 0x0a0, FLAG(BAD));
	/* FP is stored, then set. */
	expect(t, 0x0c3, X86_SP(8));
	expect(t, 0x0cc, X86_SP(32));
	expect(t, 0x0cd, X86_SWITCH);
	expect(t, 0x140, X86_BY_CODE);
	expect(t, 0x160, X86_BY_CODE);
	expect(t, 0x17f, X86_BY_CODE);
	EXPECT_SKIPS(t, GO_STACK, 3);
	finish(t, 3);
}

#define INJECTED	(SFRAME_RULE_SIGNAL | SFRAME_RULE_SWITCH)

/*
 * Some that switch stacks leave FP alone; of others the code tells. What was not called
 * begins below a word that was put there.
 */
static void runtime_of_arm64(struct kunit *test)
{
	struct trial *t = start(test, &sframe_abi_arm64, true);

	GO_FUNC(&t->m, 0x000, 0x40, "runtime.systemstack", ASM | SPWRITE,
		{ 0, 4 }, { 16, 0x38 }, { 0, 0x40 });
	GO_FUNC(&t->m, 0x040, 0x40, "runtime.nanotime1", ASM | SPWRITE,
		{ 0, 4 }, { 48, 0x40 });
	GO_FUNC(&t->m, 0x080, 0x40, "runtime.mcall", ASM | SPWRITE, { 0, 0x20 },
		{ 16, 0x40 });
	GO_FUNC(&t->m, 0x0c0, 0x40, "runtime.asyncPreempt", ASM, { 0, 8 },
		{ 496, 0x38 }, { -16, 0x40 });
	GO_FUNC(&t->m, 0x100, 0x40, "runtime.sigpanic", 0, { 0, 4 },
		{ 16, 0x40 });
	GO_FUNC(&t->m, 0x140, 0x40, "main.raises", 0, { 0, 4 }, { -16, 0x20 },
		{ 16, 0x40 });
	GO_FUNC(&t->m, 0x180, 0x40, "runtime.sigfwd", ASM | SPWRITE,
		{ 0, 4 }, { 16, 0x40 });
	KUNIT_ASSERT_EQ(test, convert(t), SFRAME_OK);
	expect(t, 0x000, ARM_SP(0));
	expect(t, 0x004, ARM_SP(16, .ra = SAVED, .ra_off = -16));
	expect(t, 0x020, RULE(.cfa = SFRAME_LOC_REG | 28, .cfa_off = 16,
			      .ra = SAVED, .ra_off = -16, .fp = SAVED,
			      .fp_off = -24, .flags = SFRAME_RULE_SWITCH));
	expect(t, 0x03c, ARM_SP(0));
	expect(t, 0x044, ARM_SP(48, .ra = SAVED, .ra_off = -48));
	expect(t, 0x04c, RULE(.cfa = SFRAME_LOC_FP, .cfa_off = 56, .ra = SAVED,
			      .ra_off = -48, .fp = SAVED, .fp_off = -56,
			      .flags = SFRAME_RULE_SWITCH));
	expect(t, 0x090, FLAG(BAD));
	expect(t, 0x0b0, FLAG(OUTERMOST));
	expect(t, 0x0c0, ARM_SP(16, .flags = INJECTED));
	expect(t, 0x0c8, ARM_SP(512, .ra = SAVED, .ra_off = -512,
				.flags = INJECTED));
	expect(t, 0x0d0, ARM_SP(512, .ra = SAVED, .ra_off = -512, .fp = SAVED,
				.fp_off = -520, .flags = INJECTED));
	expect(t, 0x0fc, FLAG(BAD));
	expect(t, 0x120, ARM_SP(32, .ra = SAVED, .ra_off = -32, .fp = SAVED,
				.fp_off = -40, .flags = INJECTED));
	expect(t, 0x150, FLAG(BAD));
	/* Where RA is that nobody has saved, who knows? */
	expect(t, 0x170, FLAG(BAD));
	expect(t, 0x1a0, FLAG(BAD));
	EXPECT_SKIPS(t, GO_STACK, 2);
	EXPECT_SKIPS(t, GO_DELTA, 3);
	finish(t, 5);
}

static void runtime_of_s390(struct kunit *test)
{
	struct trial *t = start(test, &sframe_abi_s390, true);

	GO_FUNC(&t->m, 0x000, 0x40, "runtime.systemstack", ASM | SPWRITE,
		{ 0, 12 }, { 8, 0x38 }, { 0, 0x40 });
	GO_FUNC(&t->m, 0x040, 0x40, "runtime.asmcgocall", ASM | SPWRITE,
		{ 0, 14 }, { 8, 0x40 });
	GO_FUNC(&t->m, 0x080, 0x40, "runtime.asyncPreempt", ASM, { 0, 14 },
		{ 248, 0x40 });
	GO_FUNC(&t->m, 0x0c0, 0x40, "runtime.cgocallback", ASM | SPWRITE,
		{ 0, 12 }, { 32, 0x40 });
	GO_FUNC(&t->m, 0x100, 0x40, "runtime.nanotime1", ASM | SPWRITE,
		{ 0, 12 }, { 40, 0x40 });
	KUNIT_ASSERT_EQ(test, convert(t), SFRAME_OK);
	expect(t, 0x000, RULE(.cfa = SFRAME_LOC_SP, .cfa_off = 160,
			      .fp = SFRAME_LOC_LOST));
	expect(t, 0x120, RULE(.cfa = SFRAME_LOC_REG | 13, .cfa_off = 200,
			      .ra = SAVED, .ra_off = -200,
			      .fp = SFRAME_LOC_LOST,
			      .flags = SFRAME_RULE_SWITCH));
	expect(t, 0x020, RULE(.cfa = SFRAME_LOC_REG | 13, .cfa_off = 168,
			      .ra = SAVED, .ra_off = -168,
			      .fp = SFRAME_LOC_LOST,
			      .flags = SFRAME_RULE_SWITCH));
	/* Not as Go makes a frame. */
	expect(t, 0x050, FLAG(BAD));
	expect(t, 0x090, RULE(.cfa = SFRAME_LOC_SP, .cfa_off = 416,
			      .ra = SAVED, .ra_off = -416,
			      .fp = SFRAME_LOC_LOST,
			      .flags = INJECTED));
	expect(t, 0x0d0, FLAG(BAD));
	EXPECT_SKIPS(t, GO_STACK, 2);
	finish(t, 2);
}

/* SP is above where it was at the entry, or in the middle of the frame: nobody knows why. */
static void somewhere_else(struct kunit *test)
{
	struct trial *t = start(test, &sframe_abi_x86, false);

	GO_FUNC(&t->m, 0x000, 0x40, "runtime.systemstack", ASM | SPWRITE, { 0, 0x20 },
		{ -8, 0x40 });
	GO_FUNC(&t->m, 0x040, 0x40, "runtime.mcall", ASM | SPWRITE, { 0, 1 }, { 8, 0x20 },
		{ -8, 0x40 });
	GO_FUNC(&t->m, 0x080, 0x40, "main.f", 0, { 0, 9 }, { 0x28, 0x20 }, { 8, 0x40 });
	KUNIT_ASSERT_EQ(test, convert(t), SFRAME_OK);
	expect(t, 0x01f, X86_BY_CODE);
	expect(t, 0x020, FLAG(BAD));
	expect(t, 0x05f, X86_SWITCH);
	expect(t, 0x060, FLAG(BAD));
	expect(t, 0x09f, X86_SP(0x30, X86_FP_SAVED));
	expect(t, 0x0a0, FLAG(BAD));
	EXPECT_SKIPS(t, GO_DELTA, 3);
	finish(t, 3);
}

/* Whose names alone say how they treat the stack: flags of the rule in their frame. */
static const struct {
	const struct sframe_abi *abi;
	const char *name;
	u8 flags;
	u8 want;
} named[] = {
	{ &sframe_abi_arm64, "runtime.memmove", ASM },
	{ &sframe_abi_arm64, "reflect.makeFuncStub", ASM },
	{ &sframe_abi_arm64, "internal/bytealg.Count", ASM },
	{ &sframe_abi_arm64, "crypto/sha256.block", ASM },
	{ &sframe_abi_arm64, "syscall.rawVforkSyscall", ASM },
	{ &sframe_abi_arm64, "time.now", ASM },
	{ &sframe_abi_arm64, "gcWriteBarrier", ASM },
	{ &sframe_abi_arm64, "callRet", ASM },
	{ &sframe_abi_arm64, "example.org/a.f", ASM, SFRAME_RULE_BAD },
	{ &sframe_abi_arm64, "internal/chacha8rand.block", ASM, SFRAME_RULE_BAD },
	{ &sframe_abi_x86, "internal/chacha8rand.block", ASM },
	{ &sframe_abi_arm64, "time.now", ASM | SPWRITE, SFRAME_RULE_SWITCH },
	{ &sframe_abi_arm64, "runtime.nanotime1", ASM | SPWRITE, SFRAME_RULE_SWITCH },
	{ &sframe_abi_arm64, "runtime.walltime", ASM | SPWRITE, SFRAME_RULE_SWITCH },
	{ &sframe_abi_arm64, "runtime.vgetrandom1", ASM | SPWRITE, SFRAME_RULE_SWITCH },
	{ &sframe_abi_arm64, "runtime.cgocallback", ASM | SPWRITE, SFRAME_RULE_SWITCH },
	{ &sframe_abi_arm64, "runtime.sigfwd", ASM | SPWRITE, SFRAME_RULE_BAD },
	{ &sframe_abi_x86, "runtime.sigfwd", ASM | SPWRITE, SFRAME_RULE_SWITCH },
	{ &sframe_abi_s390, "runtime.nanotime1", ASM | SPWRITE, SFRAME_RULE_SWITCH },
	{ &sframe_abi_s390, "runtime.walltime", ASM | SPWRITE, SFRAME_RULE_SWITCH },
	{ &sframe_abi_s390, "time.now", ASM | SPWRITE, SFRAME_RULE_BAD },
	{ &sframe_abi_x86, "runtime.debugCallV2", ASM, SFRAME_RULE_BAD },
	{ &sframe_abi_x86, "runtime.sigreturn", ASM, SFRAME_RULE_NO_FDE },
	{ &sframe_abi_x86, "runtime.sigreturn__sigaction", ASM, SFRAME_RULE_NO_FDE },
	{ &sframe_abi_arm64, "runtime.switchToCrashStack0", ASM, SFRAME_RULE_OUTERMOST },
	{ &sframe_abi_arm64, "runtime.morestack", ASM, SFRAME_RULE_OUTERMOST },
	{ &sframe_abi_arm64, "runtime.rt0_go", ASM | TOP, SFRAME_RULE_OUTERMOST },
	{ &sframe_abi_arm64, "runtime.sigtramp", ASM | TOP },
};

static void known_by_name(struct kunit *test)
{
	const struct sframe_rule *rule;
	struct trial *t;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(named); i++) {
		t = start(test, named[i].abi, named[i].abi == &sframe_abi_s390);
		/* A rule is behind it, so there is a table. */
		GO_FUNC(&t->m, 0x100, 0x40, named[i].name, named[i].flags, { 0, 4 }, { 48, 0x40 });
		GO_FUNC(&t->m, 0x140, 0x40, "main.leaf", 0, { 0, 0x40 });
		KUNIT_ASSERT_EQ(test, convert(t), SFRAME_OK);
		rule = sframe_table_lookup(t->table, GO_TEXT + 0x120);
		KUNIT_EXPECT_EQ_MSG(test, (int)rule->flags, (int)named[i].want, "%s: %s",
				    named[i].abi->name, named[i].name);
		sframe_free(t->table);
	}
}

static struct kunit_case gopclntab_cases[] = {
	KUNIT_CASE(x86_usual),
	KUNIT_CASE(arm64_usual),
	KUNIT_CASE(s390_usual),
	KUNIT_CASE(runtime_of_x86),
	KUNIT_CASE(runtime_without_frames),
	KUNIT_CASE(runtime_of_arm64),
	KUNIT_CASE(runtime_of_s390),
	KUNIT_CASE(somewhere_else),
	KUNIT_CASE(known_by_name),
	{ }
};

static struct kunit_suite gopclntab_suite = {
	.name = "sframe_gopclntab",
	.test_cases = gopclntab_cases,
};

kunit_test_suite(gopclntab_suite);
