/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Functions as they are found in Debian's binaries, and broken ones: what is
 * written, and what rules come of it. The fuzzer begins with them, too.
 */
#ifndef KUNIT_CFI_FORMS_H
#define KUNIT_CFI_FORMS_H

#include "cfi_made.h"

#define SP		SFRAME_LOC_SP
#define FP		SFRAME_LOC_FP
#define CFA		SFRAME_LOC_CFA
#define REG(n)		(SFRAME_LOC_REG | (n))
#define AT(loc)		((loc) | SFRAME_LOC_DEREF)
#define SAME		SFRAME_LOC_SAME

#define X86		(&sframe_abi_x86)
#define ARM64		(&sframe_abi_arm64)
#define S390		(&sframe_abi_s390)

/* amd64's usual return address, and the other machines'. */
#define RA_X86		AT(CFA), -8
#define RA_LR		SAME, 0

#define OP_BREG(n)	(0x70 + (n))
#define OP_DEREF	0x06
#define OP_PLUS_UCONST	0x23
#define OP_LIT(n)	(0x30 + (n))
#define OP_AND		0x1a
#define OP_GE		0x2a
#define OP_SHL		0x24
#define OP_PLUS		0x22

#define ADVANCE(n)	(CFA_ADVANCE_LOC | (n))
#define OFFSET(r)	(CFA_OFFSET | (r))
#define RESTORE(r)	(CFA_RESTORE | (r))

/* What holds from @at on, in bytes from the function's start. */
struct want {
	u32 at;
	struct sframe_rule rule;
};

#define W(at, cfa, cfa_off, ra, fp, fp_off, flags) \
	WANT(at, cfa, cfa_off, ra, fp, fp_off, flags)
#define WANT(at, cfa, cfa_off, ra, ra_off, fp, fp_off, flags) \
	{ at, { cfa_off, ra_off, fp_off, cfa, ra, fp, flags } }
#define FLAG(at, flag)	{ at, { .flags = SFRAME_RULE_##flag } }

/**
 * struct form - a function
 * @name: of the case
 * @abi: its ABI
 * @letters: augmentation of its CIE, "zR" if NULL
 * @insns: its instructions, the usual CIE's come before
 * @len: bytes of them
 * @skips: how many parts are left out
 * @reason: and why
 * @nr: rows expected
 * @want: these
 */
struct form {
	const char *name;
	const struct sframe_abi *abi;
	const char *letters;
	const u8 *insns;
	u32 len;
	u32 skips;
	enum sframe_reason reason;
	u32 nr;
	const struct want *want;
};

#define INSNS(...)	.insns = (const u8[]){ __VA_ARGS__ }, \
			.len = sizeof((const u8[]){ __VA_ARGS__ })
#define WANTS(...)	.want = (const struct want[]){ __VA_ARGS__ }, \
			.nr = sizeof((const struct want[]){ __VA_ARGS__ }) / \
			      sizeof(struct want)
#define SKIPS(n, r)	.skips = n, .reason = SFRAME_##r

/* Rows of amd64 that a push of FP, then FP as the CFA's base, bring. */
#define PUSHED(at)	W(at, SP, 16, RA_X86, AT(CFA), -16, 0)
#define BY_FP(at)	W(at, FP, 16, RA_X86, AT(CFA), -16, 0)
#define ENTRY(at)	W(at, SP, 8, RA_X86, SAME, 0, 0)

static const struct form forms[] = {
	{ "usual prologue and epilogue", X86,
	  INSNS(ADVANCE(1), CFA_DEF_CFA_OFFSET, 16, OFFSET(6), 2,
		ADVANCE(3), CFA_DEF_CFA_REGISTER, 6,
		ADVANCE(40), CFA_DEF_CFA, 7, 8, RESTORE(6)),
	  WANTS(ENTRY(0), PUSHED(1), BY_FP(4), ENTRY(44)) },
	{ "nothing said", X86, INSNS(CFA_NOP), WANTS(ENTRY(0)) },
	{ "remembered state", X86,
	  INSNS(ADVANCE(1), CFA_DEF_CFA_OFFSET, 16, OFFSET(6), 2,
		ADVANCE(3), CFA_REMEMBER_STATE, ADVANCE(8), CFA_DEF_CFA, 7, 8,
		RESTORE(6), ADVANCE(1), CFA_RESTORE_STATE),
	  WANTS(ENTRY(0), PUSHED(1), ENTRY(12), PUSHED(13)) },
	{ "PLT", X86,
	  INSNS(CFA_DEF_CFA_OFFSET, 16, ADVANCE(6), CFA_DEF_CFA_OFFSET, 24,
		ADVANCE(10), CFA_DEF_CFA_EXPRESSION, 11, OP_BREG(7), 8,
		OP_BREG(16), 0, OP_LIT(15), OP_AND, OP_LIT(11), OP_GE,
		OP_LIT(3), OP_SHL, OP_PLUS),
	  WANTS(W(0, SP, 16, RA_X86, SAME, 0, 0),
		W(6, SP, 24, RA_X86, SAME, 0, 0), ENTRY(16),
		W(27, SP, 16, RA_X86, SAME, 0, 0), ENTRY(32),
		W(43, SP, 16, RA_X86, SAME, 0, 0), ENTRY(48),
		W(59, SP, 16, RA_X86, SAME, 0, 0)) },
	{ "realigned stack (DRAP)", X86,
	  INSNS(ADVANCE(5), CFA_DEF_CFA, 10, 0, ADVANCE(8), CFA_EXPRESSION, 6,
		2, OP_BREG(6), 0, ADVANCE(3), CFA_DEF_CFA_EXPRESSION, 3,
		OP_BREG(6), 0x78, OP_DEREF, ADVANCE(20), CFA_DEF_CFA, 10, 0,
		ADVANCE(5), CFA_DEF_CFA, 7, 8),
	  WANTS(ENTRY(0), W(5, REG(10), 0, RA_X86, SAME, 0, 0),
		W(13, REG(10), 0, RA_X86, AT(FP), 0, 0),
		W(16, AT(FP), -8, RA_X86, AT(FP), 0, 0),
		W(36, REG(10), 0, RA_X86, AT(FP), 0, 0),
		W(41, SP, 8, RA_X86, AT(FP), 0, 0)) },
	{ "SP saved on the stack (OpenSSL)", X86,
	  INSNS(ADVANCE(9), CFA_DEF_CFA_EXPRESSION, 6, OP_BREG(7), 0x98, 0x01,
		OP_DEREF, OP_PLUS_UCONST, 8, OFFSET(6), 3,
		ADVANCE(9), CFA_DEF_CFA_EXPRESSION, 5, OP_BREG(7), 16,
		OP_DEREF, OP_LIT(8), OP_PLUS),
	  WANTS(ENTRY(0),
		W(9, AT(SP), SFRAME_CFA_ABOVE(152, 8), RA_X86, AT(CFA), -24, SFRAME_RULE_CFA_ABOVE),
		W(18, AT(SP), SFRAME_CFA_ABOVE(16, 8), RA_X86, AT(CFA), -24,
		  SFRAME_RULE_CFA_ABOVE)) },
	{ "the other stack's SP, and words above (OCaml)", X86,
	  INSNS(ADVANCE(9), CFA_DEF_CFA_EXPRESSION, 6, OP_BREG(7), 16,
		OP_DEREF, OP_PLUS_UCONST, 0xd0, 0,
		ADVANCE(9), CFA_DEF_CFA_EXPRESSION, 6, OP_BREG(7), 0x78,
		OP_DEREF, OP_PLUS_UCONST, 0xf8, 0x0f,
		ADVANCE(9), CFA_DEF_CFA_EXPRESSION, 9, OP_BREG(7), 16,
		OP_DEREF, OP_PLUS_UCONST, 0xe0, 0, OP_PLUS_UCONST, 0xe0, 0),
	  WANTS(ENTRY(0),
		W(9, AT(SP), SFRAME_CFA_ABOVE(16, 80), RA_X86, SAME, 0, SFRAME_RULE_CFA_ABOVE),
		W(18, AT(SP), SFRAME_CFA_ABOVE(-8, 2040), RA_X86, SAME, 0, SFRAME_RULE_CFA_ABOVE),
		W(27, AT(SP), SFRAME_CFA_ABOVE(16, 192), RA_X86, SAME, 0, SFRAME_RULE_CFA_ABOVE)) },
	{ "words above that are too many, or none, or not whole", X86,
	  INSNS(ADVANCE(9), CFA_DEF_CFA_EXPRESSION, 6, OP_BREG(7), 16,
		OP_DEREF, OP_PLUS_UCONST, 0x80, 0x10,
		ADVANCE(9), CFA_DEF_CFA_EXPRESSION, 5, OP_BREG(7), 16,
		OP_DEREF, OP_PLUS_UCONST, 0,
		ADVANCE(9), CFA_DEF_CFA_EXPRESSION, 5, OP_BREG(7), 16,
		OP_DEREF, OP_PLUS_UCONST, 12),
	  WANTS(ENTRY(0), FLAG(9, BAD)), SKIPS(3, CFI_EXPRESSION) },
	{ "words above what is far from SP", X86,
	  INSNS(ADVANCE(9), CFA_DEF_CFA_EXPRESSION, 7, OP_BREG(7), 0x80, 0x80, 2,
		OP_DEREF, OP_PLUS_UCONST, 8),
	  WANTS(ENTRY(0), FLAG(9, BAD)), SKIPS(1, CFI_OFFSET) },
	{ "stack probe by r11", X86,
	  INSNS(ADVANCE(7), CFA_DEF_CFA, 11, 0x88, 0x80, 1,
		ADVANCE(20), CFA_DEF_CFA_REGISTER, 7),
	  WANTS(ENTRY(0), W(7, REG(11), 16392, RA_X86, SAME, 0, 0),
		W(27, SP, 16392, RA_X86, SAME, 0, 0)) },
	{ "signal trampoline of glibc", X86, "zRS",
	  INSNS(CFA_DEF_CFA_EXPRESSION, 4, OP_BREG(7), 0xa0, 0x01, OP_DEREF,
		CFA_EXPRESSION, 6, 3, OP_BREG(7), 0xf8, 0x00,
		CFA_EXPRESSION, 7, 3, OP_BREG(7), 0xa0, 0x01,
		CFA_EXPRESSION, 16, 3, OP_BREG(7), 0xa8, 0x01),
	  WANTS(WANT(0, AT(SP), 160, AT(SP), 168, AT(SP), 120,
		     SFRAME_RULE_SIGNAL)) },
	{ "signal trampoline that says no more", X86, "zRS",
	  INSNS(CFA_DEF_CFA_EXPRESSION, 1, 0x03), WANTS(FLAG(0, SIGNAL)) },
	{ "outermost", X86, INSNS(CFA_UNDEFINED, 16),
	  WANTS(FLAG(0, OUTERMOST)) },
	{ "outermost later", X86, INSNS(ADVANCE(2), CFA_UNDEFINED, 16),
	  WANTS(ENTRY(0), FLAG(2, OUTERMOST)) },
	{ "arguments on the stack", X86,
	  INSNS(CFA_GNU_ARGS_SIZE, 0x80, 2, ADVANCE(1), CFA_DEF_CFA_OFFSET, 16,
		CFA_GNU_ARGS_SIZE, 0),
	  WANTS(ENTRY(0), W(1, SP, 16, RA_X86, SAME, 0, 0)) },
	{ "rare instructions", X86,
	  INSNS(CFA_ADVANCE_LOC1, 1, CFA_DEF_CFA_SF, 7, 0x7e,
		CFA_OFFSET_EXTENDED, 6, 2, CFA_OFFSET_EXTENDED_SF, 3, 0x7f,
		CFA_GNU_NEGATIVE_OFFSET, 12, 1, CFA_ADVANCE_LOC1, 1,
		CFA_DEF_CFA_OFFSET_SF, 0x7d, CFA_RESTORE_EXTENDED, 6,
		CFA_ADVANCE_LOC1, 1, CFA_REGISTER, 6, 12, CFA_ADVANCE_LOC1, 1,
		CFA_VAL_OFFSET, 6, 4, CFA_ADVANCE_LOC1, 1,
		CFA_VAL_OFFSET_SF, 6, 0x7f, CFA_ADVANCE_LOC1, 1,
		CFA_VAL_EXPRESSION, 6, 3, OP_BREG(3), 8, OP_DEREF,
		CFA_ADVANCE_LOC1, 1, CFA_SAME_VALUE, 6, CFA_VAL_OFFSET, 7, 0),
	  WANTS(ENTRY(0), PUSHED(1), W(2, SP, 24, RA_X86, SAME, 0, 0),
		W(3, SP, 24, RA_X86, REG(12), 0, 0),
		W(4, SP, 24, RA_X86, CFA, -32, 0),
		W(5, SP, 24, RA_X86, CFA, 8, 0),
		W(6, SP, 24, RA_X86, AT(REG(3)), 8, 0),
		W(7, SP, 24, RA_X86, SAME, 0, 0)) },
	{ "longjmp", X86,
	  INSNS(ADVANCE(8), CFA_EXPRESSION, 7, 2, OP_BREG(5), 48,
		ADVANCE(8), CFA_REGISTER, 7, 8, ADVANCE(8), RESTORE(7)),
	  WANTS(ENTRY(0), FLAG(8, BAD), ENTRY(24)), SKIPS(2, CFI_SP) },
	{ "StgRun() of GHC", X86,
	  INSNS(ADVANCE(37), CFA_DEF_CFA, 7, 0, CFA_OFFSET_EXTENDED_SF, 6, 0xff, 0x6f,
		CFA_OFFSET_EXTENDED_SF, 16, 0xfa, 0x6f,
		CFA_VAL_EXPRESSION, 7, 4, OP_BREG(7), 0xb8, 0x80, 1),
	  WANTS(FLAG(0, BAD)), SKIPS(1, CFI_SP) },
	{ "StgRun(), and a row between", X86,
	  INSNS(ADVANCE(4), CFA_DEF_CFA_OFFSET, 56, ADVANCE(33), CFA_DEF_CFA, 7, 0,
		CFA_OFFSET_EXTENDED_SF, 16, 0xfa, 0x6f,
		CFA_VAL_EXPRESSION, 7, 4, OP_BREG(7), 0xb8, 0x80, 1),
	  WANTS(ENTRY(0), W(4, SP, 56, RA_X86, SAME, 0, 0), FLAG(37, BAD)),
	  SKIPS(1, CFI_SP) },
	{ "setcontext", X86,
	  INSNS(ADVANCE(8), CFA_DEF_CFA, 5, 0, CFA_OFFSET_EXTENDED_SF, 16, 0x50,
		CFA_OFFSET_EXTENDED_SF, 7, 0x51),
	  WANTS(ENTRY(0), FLAG(8, BAD)), SKIPS(1, CFI_SP) },
	{ "expression of another form", X86,
	  INSNS(ADVANCE(4), CFA_DEF_CFA_EXPRESSION, 6, OP_BREG(7), 8,
		OP_BREG(9), 0, OP_PLUS, OP_DEREF, ADVANCE(4),
		CFA_DEF_CFA, 7, 8),
	  WANTS(ENTRY(0), FLAG(4, BAD), ENTRY(8)), SKIPS(1, CFI_EXPRESSION) },
	{ "unknown instruction", X86,
	  INSNS(ADVANCE(4), CFA_DEF_CFA_OFFSET, 16, ADVANCE(4), 0x3e,
		ADVANCE(4)),
	  WANTS(ENTRY(0), W(4, SP, 16, RA_X86, SAME, 0, 0), FLAG(8, BAD)),
	  SKIPS(1, CFI_OPCODE) },
	{ "restored once too often", X86,
	  INSNS(CFA_REMEMBER_STATE, CFA_RESTORE_STATE, ADVANCE(4),
		CFA_RESTORE_STATE),
	  WANTS(ENTRY(0), FLAG(4, BAD)), SKIPS(1, CFI_STATES) },
	{ "remembered too often", X86,
	  INSNS(ADVANCE(1), CFA_REMEMBER_STATE, CFA_REMEMBER_STATE,
		CFA_REMEMBER_STATE, CFA_REMEMBER_STATE, CFA_REMEMBER_STATE,
		CFA_REMEMBER_STATE, CFA_REMEMBER_STATE, CFA_REMEMBER_STATE,
		CFA_REMEMBER_STATE),
	  WANTS(ENTRY(0), FLAG(1, BAD)), SKIPS(1, CFI_STATES) },
	{ "past its end", X86,
	  INSNS(ADVANCE(8), CFA_DEF_CFA_OFFSET, 16, CFA_ADVANCE_LOC4, 0xff,
		0xff, 0xff, 0xff, CFA_DEF_CFA_OFFSET, 24),
	  WANTS(ENTRY(0), W(8, SP, 16, RA_X86, SAME, 0, 0)),
	  SKIPS(1, CFI_ORDER) },
	{ "to its end", X86,
	  INSNS(ADVANCE(0x20), ADVANCE(0x20), CFA_DEF_CFA_OFFSET, 24),
	  WANTS(ENTRY(0)) },
	{ "register that there is not", X86,
	  INSNS(ADVANCE(8), CFA_DEF_CFA, 17, 8),
	  WANTS(ENTRY(0), FLAG(8, BAD)), SKIPS(1, CFI_REGISTER) },
	{ "FP is lost", X86, INSNS(ADVANCE(8), CFA_UNDEFINED, 6),
	  WANTS(ENTRY(0), FLAG(8, BAD)), SKIPS(1, CFI_REGISTER) },
	{ "RA is a number", X86, INSNS(ADVANCE(8), CFA_VAL_OFFSET, 16, 1),
	  WANTS(ENTRY(0), FLAG(8, BAD)), SKIPS(1, CFI_REGISTER) },
	{ "RA is where it cannot be", X86, INSNS(ADVANCE(8), CFA_SAME_VALUE, 16),
	  WANTS(ENTRY(0), FLAG(8, BAD)), SKIPS(1, CFI_REGISTER) },
	{ "offset of 40 bits", X86,
	  INSNS(ADVANCE(8), CFA_DEF_CFA_OFFSET, 0x80, 0x80, 0x80, 0x80, 0x80, 1),
	  WANTS(ENTRY(0), FLAG(8, BAD)), SKIPS(1, CFI_OFFSET) },
	{ "offset that overflows", X86,
	  INSNS(ADVANCE(8), CFA_DEF_CFA_OFFSET_SF, 0x80, 0x80, 0x80, 0x80, 0x80,
		0x80, 0x80, 0x80, 0x80, 1),
	  WANTS(ENTRY(0), FLAG(8, BAD)), SKIPS(1, CFI_OFFSET) },
	{ "PAC of another machine", X86, INSNS(ADVANCE(8), CFA_NEGATE_RA_STATE),
	  WANTS(ENTRY(0), FLAG(8, BAD)), SKIPS(1, CFI_OPCODE) },
	{ "offset of an expression", X86,
	  INSNS(CFA_DEF_CFA_EXPRESSION, 3, OP_BREG(6), 0x78, OP_DEREF,
		ADVANCE(8), CFA_DEF_CFA_OFFSET, 16),
	  WANTS(W(0, AT(FP), -8, RA_X86, SAME, 0, 0), FLAG(8, BAD)),
	  SKIPS(1, CFI_OPCODE) },
	{ "offset of an expression that is a sum", X86,
	  INSNS(CFA_DEF_CFA_EXPRESSION, 2, OP_BREG(3), 24, ADVANCE(8),
		CFA_DEF_CFA, 7, 24, CFA_DEF_CFA_OFFSET, 32, ADVANCE(8),
		CFA_DEF_CFA_EXPRESSION, 2, OP_BREG(7), 40, CFA_DEF_CFA_OFFSET, 48),
	  WANTS(W(0, REG(3), 24, RA_X86, SAME, 0, 0), W(8, SP, 32, RA_X86, SAME, 0, 0),
		FLAG(16, BAD)),
	  SKIPS(1, CFI_OPCODE) },
	{ "register of an expression that is a sum", X86,
	  INSNS(CFA_DEF_CFA_EXPRESSION, 2, OP_BREG(7), 24,
		ADVANCE(8), CFA_DEF_CFA_REGISTER, 6),
	  WANTS(W(0, SP, 24, RA_X86, SAME, 0, 0), FLAG(8, BAD)),
	  SKIPS(1, CFI_OPCODE) },

	{ "frame record", ARM64,
	  INSNS(ADVANCE(1), CFA_DEF_CFA_OFFSET, 48, OFFSET(29), 6,
		OFFSET(30), 5, ADVANCE(1), CFA_DEF_CFA_REGISTER, 29,
		ADVANCE(10), RESTORE(30), RESTORE(29), CFA_DEF_CFA, 31, 0),
	  WANTS(W(0, SP, 0, RA_LR, SAME, 0, 0),
		WANT(4, SP, 48, AT(CFA), -40, AT(CFA), -48, 0),
		WANT(8, FP, 48, AT(CFA), -40, AT(CFA), -48, 0),
		W(48, SP, 0, RA_LR, SAME, 0, 0)) },
	{ "RA below SP", ARM64,
	  INSNS(OFFSET(29), 2, OFFSET(30), 1, ADVANCE(1), CFA_DEF_CFA_OFFSET, 16),
	  WANTS(W(0, SP, 0, RA_LR, SAME, 0, 0),
		WANT(4, SP, 16, AT(CFA), -8, AT(CFA), -16, 0)) },
	{ "setcontext()", ARM64,
	  INSNS(ADVANCE(11), CFA_DEF_CFA, 0, 0, CFA_OFFSET_EXTENDED_SF, 29, 0x4c,
		CFA_OFFSET_EXTENDED_SF, 30, 0x4b),
	  WANTS(W(0, SP, 0, RA_LR, SAME, 0, 0), FLAG(44, BAD)), SKIPS(1, CFI_SP) },
	{ "longjmp()", ARM64,
	  INSNS(ADVANCE(1), CFA_DEF_CFA, 0, 0, CFA_OFFSET_EXTENDED_SF, 29, 0x76,
		CFA_OFFSET_EXTENDED_SF, 30, 0x75, ADVANCE(13), CFA_SAME_VALUE, 29,
		CFA_SAME_VALUE, 30),
	  WANTS(W(0, SP, 0, RA_LR, SAME, 0, 0), FLAG(4, BAD)), SKIPS(2, CFI_SP) },
	{ "CFA from a register that probes leave alone", ARM64,
	  INSNS(ADVANCE(1), CFA_DEF_CFA_REGISTER, 11),
	  WANTS(W(0, SP, 0, RA_LR, SAME, 0, 0), W(4, REG(11), 0, RA_LR, SAME, 0, 0)) },
	{ "OCaml saves all registers", ARM64, "zRS",
	  INSNS(ADVANCE(4), CFA_DEF_CFA_OFFSET, 0xa0, 1, OFFSET(29), 0,
		CFA_OFFSET_EXTENDED_SF, 30, 0x7f),
	  WANTS(W(0, SP, 0, RA_LR, SAME, 0, SFRAME_RULE_SIGNAL),
		WANT(16, SP, 160, AT(CFA), -152, AT(CFA), -160, SFRAME_RULE_SIGNAL)) },
	{ "the vDSO's trampoline has a record", ARM64, "zRS",
	  INSNS(CFA_DEF_CFA, 29, 0, OFFSET(29), 0, CFA_OFFSET_EXTENDED_SF, 30, 0x7f),
	  WANTS(WANT(0, FP, 0, AT(CFA), 8, AT(CFA), 0,
		     SFRAME_RULE_SIGNAL | SFRAME_RULE_RA_ABOVE)) },
	{ "RA was pushed by the PLT", ARM64,
	  INSNS(CFA_OFFSET_EXTENDED_SF, 30, 0x7f, ADVANCE(1),
		CFA_DEF_CFA_OFFSET, 96),
	  WANTS(WANT(0, SP, 0, AT(CFA), 8, SAME, 0, SFRAME_RULE_RA_ABOVE),
		WANT(4, SP, 96, AT(CFA), 8, SAME, 0, SFRAME_RULE_RA_ABOVE)) },
	{ "signed return address", ARM64, "zRB",
	  INSNS(ADVANCE(1), CFA_NEGATE_RA_STATE, ADVANCE(1),
		CFA_DEF_CFA_OFFSET, 16, OFFSET(30), 2, ADVANCE(4),
		CFA_REMEMBER_STATE, RESTORE(30), CFA_DEF_CFA_OFFSET, 0,
		ADVANCE(1), CFA_NEGATE_RA_STATE_WITH_PC, ADVANCE(1),
		CFA_RESTORE_STATE),
	  WANTS(W(0, SP, 0, RA_LR, SAME, 0, 0),
		W(4, SP, 0, RA_LR, SAME, 0, 0),
		WANT(8, SP, 16, AT(CFA), -16, SAME, 0, 0),
		W(24, SP, 0, RA_LR, SAME, 0, 0),
		W(28, SP, 0, RA_LR, SAME, 0, 0),
		WANT(32, SP, 16, AT(CFA), -16, SAME, 0, 0)) },
	{ "vector registers and their length", ARM64,
	  INSNS(CFA_OFFSET_EXTENDED, 72, 2, ADVANCE(2), CFA_DEF_CFA_EXPRESSION,
		8, OP_BREG(31), 32, 0x92, 46, 0, OP_LIT(8), 0x1e, OP_PLUS),
	  WANTS(W(0, SP, 0, RA_LR, SAME, 0, 0), FLAG(8, BAD)),
	  SKIPS(1, CFI_EXPRESSION) },

	{ "registers in the caller's frame", S390,
	  INSNS(ADVANCE(3), OFFSET(11), 9, OFFSET(14), 6, OFFSET(15), 5,
		ADVANCE(2), CFA_DEF_CFA_OFFSET, 0xc0, 2, ADVANCE(4),
		CFA_DEF_CFA_REGISTER, 11),
	  WANTS(W(0, SP, 160, RA_LR, SAME, 0, 0),
		WANT(6, SP, 160, AT(CFA), -48, AT(CFA), -72, 0),
		WANT(10, SP, 320, AT(CFA), -48, AT(CFA), -72, 0),
		WANT(18, FP, 320, AT(CFA), -48, AT(CFA), -72, 0)) },
	{ "C enters OCaml", S390,
	  INSNS(OFFSET(14), 0, CFA_DEF_CFA_EXPRESSION, 5, OP_BREG(15), 16, OP_DEREF,
		OP_PLUS_UCONST, 88, ADVANCE(2), CFA_DEF_CFA_EXPRESSION, 5, OP_BREG(15), 16,
		OP_DEREF, OP_PLUS_UCONST, 96, ADVANCE(2), CFA_DEF_CFA_EXPRESSION, 4,
		OP_BREG(15), 0xa8, 1, OP_DEREF),
	  WANTS(WANT(0, AT(SP), SFRAME_CFA_ABOVE(16, 504), AT(CFA), -256, AT(CFA), -280,
		     SFRAME_RULE_CFA_ABOVE),
		WANT(4, AT(SP), SFRAME_CFA_ABOVE(16, 96), AT(CFA), 0, SAME, 0,
		     SFRAME_RULE_CFA_ABOVE | SFRAME_RULE_RA_ABOVE),
		WANT(8, AT(SP), 168, AT(CFA), 0, SAME, 0, SFRAME_RULE_RA_ABOVE)) },
	{ "OCaml calls C", S390,
	  INSNS(OFFSET(14), 0, CFA_DEF_CFA_EXPRESSION, 3, OP_BREG(15), 0xa8, 6, ADVANCE(2),
		CFA_DEF_CFA_EXPRESSION, 3, OP_BREG(12), 0xa8, 6, ADVANCE(2),
		CFA_DEF_CFA_EXPRESSION, 3, OP_BREG(15), 0xa0, 6, ADVANCE(2),
		OFFSET(14), 1, CFA_DEF_CFA_EXPRESSION, 3, OP_BREG(15), 0xa8, 6),
	  WANTS(WANT(0, AT(SP), 168, AT(CFA), 0, SAME, 0, SFRAME_RULE_RA_ABOVE),
		WANT(4, AT(REG(12)), 168, AT(CFA), 0, SAME, 0, SFRAME_RULE_RA_ABOVE),
		WANT(8, SP, 800, AT(CFA), 0, SAME, 0, SFRAME_RULE_RA_ABOVE),
		WANT(12, SP, 808, AT(CFA), -8, SAME, 0, 0)) },
	{ "registers in FPRs", S390,
	  INSNS(ADVANCE(2), CFA_REGISTER, 11, 16, CFA_REGISTER, 14, 17,
		CFA_REGISTER, 15, 18, ADVANCE(4), RESTORE(14)),
	  WANTS(W(0, SP, 160, RA_LR, SAME, 0, 0),
		WANT(4, SP, 160, REG(17), 0, REG(16), 0, 0),
		W(12, SP, 160, RA_LR, REG(16), 0, 0)) },
};

#endif /* KUNIT_CFI_FORMS_H */
