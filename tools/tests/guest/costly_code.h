/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Code that takes long to look at.
 */
#ifndef COSTLY_CODE_H
#define COSTLY_CODE_H

#include <string.h>

/* An instruction of which code is full, or what a function ends with. */
struct code {
	unsigned char bytes[14];
	unsigned int len;
};

#ifdef __aarch64__
#define NR_NOPS		700

static const struct code nop = { { 0x1f, 0x20, 0x03, 0xd5 }, 4 };
/* tbz w0, #0, .+16 */
static const struct code branch = { { 0x80, 0x00, 0x00, 0x36 }, 4 };
/*
 * As spin_bare(), but nothing is in x30, which would look like RA. mov x3, sp; mov x4, x29;
 * mov x5, x30; mov sp, x0; mov x29, x1; mov x30, #0; then subs x2, x2, #1; b.ne .-4
 */
static const unsigned int spin_begins[] = {
	0x910003e3, 0xaa1d03e4, 0xaa1e03e5, 0x9100001f, 0xaa0103fd, 0xd280001e,
	0xf1000442, 0x54ffffe1,
};

/* mov sp, x3; mov x29, x4; ret x5 */
static const unsigned int spin_ends[] = { 0x9100007f, 0xaa0403fd, 0xd65f00a0 };
#elif defined(__x86_64__)
/* As long as code can be. */
#define NR_NOPS		310

/* With as many prefixes as compilers use. */
static const struct code nop = {
	{ 0x66, 0x66, 0x66, 0x66, 0x66, 0x66, 0x0f, 0x1f, 0x84, 0, 0, 0, 0, 0 }, 14
};

/* je .+18 */
static const struct code branch = { { 0x74, 0x10 }, 2 };
/* add %eax, (%rcx); je .+118 */
static const struct code add = { { 0x01, 0x01 }, 2 };
static const struct code branch_far = { { 0x74, 0x74 }, 2 };
/* call *%rax */
static const struct code call = { { 0xff, 0xd0 }, 2 };
/* add $LEFT_SIZE - 8, %rsp; ret */
static const struct code leave = { { 0x48, 0x81, 0xc4, 0xf8, 0x03, 0, 0, 0xc3 }, 8 };
#endif

/* @nr times @code; return its end. */
static inline char *put_code(char *at, const struct code *code, unsigned int nr)
{
	for (; nr--; at += code->len)
		memcpy(at, code->bytes, code->len);
	return at;
}

#endif
