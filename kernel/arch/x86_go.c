// SPDX-License-Identifier: GPL-2.0
/*
 * x86-64: matches the code by which Go's runtime, before 1.21, goes back from its
 * scheduler's stack to a goroutine's (&sframe_abi.go_back). Since then its functions
 * have frames that FP points to.
 */
#include <sframe/abi.h>

#include "x86.h"

#define STACK_END	8	/* of a goroutine's stack, in the goroutine */

/* A position in code; @ok as long as everything has matched. */
struct place {
	const u8 *p;
	bool ok;
};

static void expect_bytes(struct place *at, const u8 *want, unsigned int len)
{
	at->ok = at->ok && !memcmp(at->p, want, len);
	at->p += len;
}

#define EXPECT(at, ...)							\
	expect_bytes(at, (const u8[]){ __VA_ARGS__ },				\
		     sizeof((const u8[]){ __VA_ARGS__ }))

static bool skip_bytes(struct place *at, const u8 *what, unsigned int len)
{
	if (memcmp(at->p, what, len))
		return false;
	at->p += len;
	return true;
}

/* Go's get_tls(CX) is nothing, or mov $-8, %rcx, or mov ...(%rip), %rcx. */
static void skip_get_tls(struct place *at)
{
	static const u8 constant[] = { 0x48, 0xc7, 0xc1, 0xf8, 0xff, 0xff, 0xff },
			load[] = { 0x48, 0x8b, 0x0d };

	if (!skip_bytes(at, constant, sizeof(constant)) && skip_bytes(at, load, sizeof(load)))
		at->p += sizeof(u32);
}

/* mov @reg, %fs:-8 or mov @reg, %fs:(%rcx) */
static void expect_to_tls(struct place *at, u8 reg)
{
	const u8 direct[] = {
		0x64, 0x48, 0x89, reg << 3 | 4, 0x25, 0xf8, 0xff, 0xff, 0xff,
	};

	if (!skip_bytes(at, direct, sizeof(direct)))
		EXPECT(at, 0x64, 0x48, 0x89, reg << 3 | 1);
}

static u32 read_disp8(struct place *at)
{
	u8 val = *at->p++;

	at->ok = at->ok && val < 0x80;
	return val;
}

static u32 read_disp32(struct place *at)
{
	at->p += sizeof(u32);
	return sframe_x86_u32(at->p - sizeof(u32));
}

/*
 * systemstack(): mov m(%rax), %rbx; mov curg(%rbx), %rax; mov %rax, %fs:...;
 * mov sp(%rax), %rsp
 */
static bool match_by_scheduler(const u8 *code, struct sframe_go_back *back)
{
	struct place at = { code, true };

	back->way = SFRAME_GO_BY_SCHEDULER;
	EXPECT(&at, 0x48, 0x8b, 0x58);
	if (!at.ok)
		return false;
	back->m = read_disp8(&at);
	EXPECT(&at, 0x48, 0x8b, 0x83);
	back->curg = read_disp32(&at);
	expect_to_tls(&at, 0);
	EXPECT(&at, 0x48, 0x8b, 0x60);
	back->sp = read_disp8(&at);
	return at.ok && back->curg;
}

/*
 * asmcgocall(): mov g(%rsp), %rdi; mov 8(%rdi), %rsi; sub depth(%rsp), %rsi;
 * mov %rdi, %fs:...; mov %rsi, %rsp
 */
static bool match_by_depth(const u8 *code, struct sframe_go_back *back)
{
	struct place at = { code, true };

	back->way = SFRAME_GO_BY_DEPTH;
	skip_get_tls(&at);
	EXPECT(&at, 0x48, 0x8b, 0x7c, 0x24);
	if (!at.ok)
		return false;
	back->g = read_disp8(&at);
	EXPECT(&at, 0x48, 0x8b, 0x77, STACK_END, 0x48, 0x2b, 0x74, 0x24);
	back->sp = read_disp8(&at);
	expect_to_tls(&at, 7);
	EXPECT(&at, 0x48, 0x89, 0xf4);
	return at.ok;
}

/* And where it has not left the stack: mov sp(%rsp), %rsi; mov %rsi, %rsp */
static bool match_by_copy(const u8 *code, struct sframe_go_back *back)
{
	struct place at = { code, true };

	back->way = SFRAME_GO_BY_COPY;
	EXPECT(&at, 0x48, 0x8b, 0x74, 0x24);
	if (!at.ok)
		return false;
	back->sp = read_disp8(&at);
	EXPECT(&at, 0x48, 0x89, 0xf4);
	return at.ok;
}

/**
 * sframe_x86_go_back() - &sframe_abi.go_back
 * @code: instructions
 * @back: filled in if it is
 *
 * Context: any.
 * Return: true if it is a way back that is known.
 */
bool sframe_x86_go_back(const u8 *code, struct sframe_go_back *back)
{
	/* All begin like this; most code does not. */
	return code[0] == 0x48 &&
	       (match_by_scheduler(code, back) || match_by_depth(code, back) ||
		match_by_copy(code, back));
}
