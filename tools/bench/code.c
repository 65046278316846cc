// SPDX-License-Identifier: GPL-2.0
/*
 * What it takes to follow code that a user has made to be dear to follow, beside what a walk
 * pays for that: such code must not take much longer than the budget allows.
 */
#include <stdio.h>
#include <string.h>

#include <sframe/abi.h>

#include "bench.h"
#include "follow.h"

#define CODE		0x10000000ull
#define STACK		0x7ff000000000ull
#define CODE_SIZE	65536
/* As many instructions as a copy of 64 bytes of a user's memory takes, about. */
#define READ_INSNS	80
/* What walks in place have, see &sframe_leave.cost. */
#define COST_MAX	(SFRAME_BUDGET_INPLACE / SFRAME_FOLLOW_COST)
#define QUESTIONS	20

/* Instructions by turns. */
static const struct pattern {
	const char *name;
	const struct sframe_abi *abi;
	const char *insns;
	unsigned int len;
} patterns[] = {
#define PATTERN(cpu, code, abi_, insns_)				\
	{ cpu "-" code, &(abi_), insns_, sizeof(insns_) - 1 }
#define X86(code, insns_)	PATTERN("x86_64", code, sframe_abi_x86, insns_)
	X86("nops", "\x66\x66\x66\x66\x66\x66\x0f\x1f\x84\x00\x00\x00\x00\x00"),
	X86("branches", "\x74\x10"),
	X86("far-branches", "\x0f\x84\x10\x00\x00\x00"),
	X86("jumps", "\xeb\x7e"),
	X86("calls", "\xe8\x00\x10\x00\x00\xff\xd0"),
	X86("stores", "\x48\x89\x6c\x24\x08\x48\x83\xc4\x10\x48\x83\xec\x10"),
	X86("branches-and-pushes", "\x74\x20\x50\x74\x40\x58"),
#define ARM64(code, insns_)	PATTERN("aarch64", code, sframe_abi_arm64, insns_)
	ARM64("pairs", "\xe2\x0f\x40\xa9"),
	ARM64("branches", "\x80\x00\x00\x36"),
	ARM64("bits-and-branches", "\x00\x08\x00\x54\xe0\x03\x01\xaa"),
	ARM64("jumps", "\x20\x00\x00\x14"),
	ARM64("calls", "\x00\x02\x3f\xd6"),
	ARM64("constants", "\x10\x00\x80\xd2\xff\x63\x30\xcb"),
	ARM64("saves", "\xfd\x7b\xbf\xa9\xfd\x7b\xc1\xa8"),
#define S390(code, insns_)	PATTERN("s390x", code, sframe_abi_s390, insns_)
	S390("nops", "\x07\x07"),
	S390("branches", "\xa7\x84\x00\x08"),
	S390("far-branches", "\xc0\x84\x00\x00\x00\x20"),
	S390("jumps", "\xa7\xf4\x00\x40"),
	S390("calls", "\xc0\xe5\x00\x00\x10\x00"),
	S390("saves", "\xeb\x6f\xf0\x30\x00\x24\xeb\xbe\xf0\x30\x00\x04"),
	S390("saves-and-branches", "\xeb\x6f\xf0\x30\x00\x24\xa7\x84\x00\x10"),
	{}
};

static u8 code[CODE_SIZE];

static int read_code(void *ctx, u64 addr, void *buf, unsigned int len)
{
	unsigned int i;

	(void)ctx;
	for (i = 0; i < READ_INSNS / 4; i++)
		__asm__ volatile("nop");
	if (addr - CODE < CODE_SIZE && len <= CODE_SIZE - (addr - CODE))
		memcpy(buf, code + (addr - CODE), len);
	else if (addr - STACK < CODE_SIZE)
		memset(buf, 0, len);
	else
		return -1;
	return 0;
}

static void measure_pattern(const struct pattern *p)
{
	u32 charged = 0;
	unsigned int i;

	for (i = 0; i < CODE_SIZE; i++)
		code[i] = p->insns[i % p->len];
	phase_begin();
	/* From different places of the pages that are read. */
	for (i = 0; i < QUESTIONS; i++) {
		struct sframe_leave lv = {
			.sp = STACK + 4096, .fp = STACK + 8192, .cost_max = COST_MAX,
			.far = true, .topmost = i % 2, .want_sp = i % 4 / 2,
		};

		p->abi->leave(&lv, CODE + CODE_SIZE / 2 + i * 4 * p->len, read_code, NULL);
		charged += lv.cost * SFRAME_FOLLOW_COST;
	}
	phase_end("follow", p->name, charged);
}

void measure_code(void)
{
	const struct pattern *p;

	for (p = patterns; p->name; p++)
		measure_pattern(p);
}
