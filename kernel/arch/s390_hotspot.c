// SPDX-License-Identifier: GPL-2.0
/*
 * s390x: where HotSpot's interpreter goes on when a function returns that it has jumped to;
 * where what HotSpot compiles has no frame.
 */
#include <sframe/abi.h>

#include "s390.h"

/**
 * sframe_s390_chain_resumes() - &sframe_abi.chain_resumes
 * @code: %SFRAME_CHAIN_RESUME_LEN bytes
 *
 * Its frame ends where the backchain leads; there is the SP that it has had.
 *
 * Return: true if it is there.
 */
bool sframe_s390_chain_resumes(const u8 *code)
{
	static const u8 resume[SFRAME_CHAIN_RESUME_LEN] = {
		0xe3, 0x90, 0xf0, 0x00, 0x00, 0x04,	/* lg %r9,0(%r15) */
		0xe3, 0xd0, 0x9f, 0xe0, 0xff, 0x04,	/* lg %r13,-32(%r9) */
	};

	return !memcmp(code, resume, sizeof(resume));
}

/* Behind where SP is the caller's again: a poll, which loads %r1, and br %r14. */
static bool has_ended(const u8 *code)
{
	if (code[0] == 0xe3 && code[1] >> 4 == 1 && code[5] == 0x04)
		code += 6;
	if (code[0] == 0x91)
		code += 4;
	return code[0] == 0x07 && code[1] == 0xfe;
}

/* stg %r14,8(%r15) */
static const u8 save[] = { 0xe3, 0xe0, 0xf0, 0x08, 0x00, 0x24 };

/* Does code go straight on, or past conditional jumps, to where a function saves RA? */
static bool leads_to_save(const u8 *code)
{
	unsigned int at, len;

	for (at = 0; at + sizeof(save) <= SFRAME_CHAIN_AT_LEN; at += len) {
		const u8 *in = code + at;

		if (!memcmp(in, save, sizeof(save)))
			return true;
		len = in[0] < 0x40 ? 2 : in[0] < 0xc0 ? 4 : 6;
		/* Zeros; br, j, jg; basr, bras, brasl. */
		if (!in[0] || (in[0] == 0x07 && in[1] >> 4 == 15) ||
		    ((in[0] == 0xa7 || in[0] == 0xc0) && in[1] == 0xf4) || in[0] == 0x0d ||
		    (in[0] == 0xa7 && (in[1] & 15) == 5) || (in[0] == 0xc0 && (in[1] & 15) == 5))
			return false;
	}
	return false;
}

/**
 * sframe_s390_chain_at() - &sframe_abi.chain_at
 * @code: %SFRAME_CHAIN_AT_LEN bytes
 *
 * A function may check first what it was called for, and touch the stack below, to see that
 * there is room. Then it saves RA beside its caller's backchain, and SP in its own.
 *
 * Return: as there.
 */
enum sframe_chain_at sframe_s390_chain_at(const u8 *code)
{
	/* lgr %r0,%r15; aghi %r15,...; stg %r0,0(%r15) */
	static const u8 copy[] = { 0xb9, 0x04, 0x00, 0x0f };
	static const u8 lower[] = { 0xa7, 0xfb };
	static const u8 chain[] = { 0xe3, 0x00, 0xf0, 0x00, 0x00, 0x24 };

	if (has_ended(code) || leads_to_save(code))
		return SFRAME_CHAIN_UNMADE;
	if (!memcmp(code, chain, sizeof(chain)))
		return SFRAME_CHAIN_UNLINKED;
	if (!memcmp(code, copy, sizeof(copy)))
		code += sizeof(copy);
	return !memcmp(code, lower, sizeof(lower)) && code[2] & 0x80 &&
	       !memcmp(code + 4, chain, sizeof(chain)) ? SFRAME_CHAIN_UNMADE :
							SFRAME_CHAIN_UNKNOWN;
}
