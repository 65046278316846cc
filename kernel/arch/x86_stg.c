// SPDX-License-Identifier: GPL-2.0
/*
 * x86-64: matches how GHC's runtime enters what was compiled from Haskell, and how that
 * calls C; for core/stg_run.c.
 */
#include <sframe/abi.h>

#include "x86.h"

/*
 * Positions in the code below: of the bytes that registers are saved in, and of those
 * reserved below them.
 */
#define SAVED_AT	3
#define RESERVED_AT	10
/* FP is saved in the second word. */
#define SAVED_FP	8

/**
 * sframe_x86_stg_run() - &sframe_abi.stg_run
 * @code: %SFRAME_STG_RUN_LEN bytes
 * @run: filled in
 *
 * Context: any.
 * Return: true if this is StgRun().
 */
bool sframe_x86_stg_run(const u8 *code, struct sframe_stg_run *run)
{
	static const u8 stg_run[] = {
		0x48, 0x83, 0xec, 0x30,		/* sub $48,%rsp */
		0x48, 0x89, 0xe0,		/* mov %rsp,%rax */
		0x48, 0x81, 0xec, 0, 0, 0, 0,	/* sub $...,%rsp */
		0x48, 0x89, 0x18,		/* mov %rbx,(%rax) */
		0x48, 0x89, 0x68, SAVED_FP,	/* mov %rbp,8(%rax) */
		0x4c, 0x89, 0x60, 0x10,		/* mov %r12,16(%rax) */
		0x4c, 0x89, 0x68, 0x18,		/* mov %r13,24(%rax) */
		0x4c, 0x89, 0x70, 0x20,		/* mov %r14,32(%rax) */
		0x4c, 0x89, 0x78, 0x28,		/* mov %r15,40(%rax) */
		0x49, 0x89, 0xf5,		/* mov %rsi,%r13 */
		0x48, 0x89, 0xf8,		/* mov %rdi,%rax */
		0xff, 0xe0,			/* jmp *%rax */
	};
	const unsigned int behind = RESERVED_AT + sizeof(u32);
	u32 reserved = sframe_x86_u32(code + RESERVED_AT);

	if (memcmp(code, stg_run, RESERVED_AT) ||
	    memcmp(code + behind, stg_run + behind, sizeof(stg_run) - behind))
		return false;
	run->ra = reserved + stg_run[SAVED_AT];
	run->sp = run->ra + sizeof(u64);
	run->fp = reserved + SAVED_FP;
	return true;
}

/**
 * sframe_x86_stg_pops() - &sframe_abi.stg_pops
 * @code: %SFRAME_STG_POPS_LEN bytes
 *
 * Context: any.
 * Return: how much "add $...,%rsp" adds, 0 if it is another instruction.
 */
u32 sframe_x86_stg_pops(const u8 *code)
{
	static const u8 add[] = { 0x48, 0x83, 0xc4 };

	return memcmp(code, add, sizeof(add)) || code[sizeof(add)] >> 7 ? 0 :
	       code[sizeof(add)];
}
