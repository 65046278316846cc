// SPDX-License-Identifier: GPL-2.0
/*
 * s390x: matches how GHC's runtime enters what was compiled from Haskell, for core/stg_run.c;
 * and how that jumps.
 */
#include <sframe/abi.h>

#include "s390.h"

/* Where StgRun() saves r14 and r11, from its caller's SP on. */
#define SAVED_RA	80
#define SAVED_FP	56
/* Position in the code below of what is added to SP. */
#define LOWER_AT	40

/**
 * sframe_s390_stg_run() - &sframe_abi.stg_run
 * @code: %SFRAME_STG_RUN_LEN bytes
 * @run: filled in
 *
 * Context: any.
 * Return: true if this is StgRun().
 */
bool sframe_s390_stg_run(const u8 *code, struct sframe_stg_run *run)
{
	static const u8 stg_run[] = {
		0xeb, 0x6e, 0xf0, 0x10, 0x00, 0x24,	/* stmg %r6,%r14,16(%r15) */
		0x60, 0x80, 0xf0, 0x58,			/* std %f8,88(%r15), and others */
		0x60, 0x90, 0xf0, 0x60, 0x60, 0xa0, 0xf0, 0x68,
		0x60, 0xb0, 0xf0, 0x70, 0x60, 0xc0, 0xf0, 0x78,
		0x60, 0xd0, 0xf0, 0x80, 0x60, 0xe0, 0xf0, 0x88,
		0x60, 0xf0, 0xf0, 0x90,
		0xa7, 0xfb, 0, 0,			/* aghi %r15,... */
		0xb9, 0x04, 0x00, 0x73,			/* lgr %r7,%r3 */
		0x07, 0xf2,				/* br %r2 */
	};
	const unsigned int behind = LOWER_AT + sizeof(u16);
	s16 lower = code[LOWER_AT] << 8 | code[LOWER_AT + 1];

	if (memcmp(code, stg_run, LOWER_AT) ||
	    memcmp(code + behind, stg_run + behind, sizeof(stg_run) - behind))
		return false;
	run->sp = -(s64)lower;
	run->ra = run->sp + SAVED_RA;
	run->fp = run->sp + SAVED_FP;
	return true;
}

/**
 * sframe_s390_call_is_jump() - &sframe_abi.call_is_jump
 * @code: as there
 *
 * GHC's code jumps by calls: brasl %r14, function; br %r14. Whoever has called, and is returned
 * to here, does not go on by r14, which is this very address. But behind a call of what never
 * returns, another function may begin so: that has an FDE.
 *
 * Context: any.
 * Return: is it that "br"?
 */
bool sframe_s390_call_is_jump(const u8 *code)
{
	return code[0] == 0x07 && code[1] == 0xfe;
}
