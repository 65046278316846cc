/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What walks in made-up worlds have in common: pieces of memory, frames by SP alone, and
 * no table that says which registers functions keep.
 */
#ifndef SFRAME_KUNIT_SIMPLE_WORLD_H
#define SFRAME_KUNIT_SIMPLE_WORLD_H

#include <sframe/cursor.h>

/* Read from what is @mem here, of @size bytes, and at @at there: are all @len there? */
static inline bool read_piece(u64 addr, void *buf, unsigned int len, u64 at,
			      const void *mem, size_t size)
{
	if (addr - at >= size || len > size - (addr - at))
		return false;
	memcpy(buf, (const u8 *)mem + (addr - at), len);
	return true;
}

/* @mem at @at: an array that a world has, for its sframe_cursor_ops.read(). */
#define read_array(addr, buf, len, at, mem)	\
	read_piece(addr, buf, len, at, mem, sizeof(mem))

/* An x86-64 call, that ends at @ra, of @target; or of what RAX says, if that is 0. */
static inline void put_x86_call(u8 *code, u64 code_at, u64 ra, u64 target)
{
	static const u8 call_rax[] = { 0xff, 0xd0 };
	u8 *end = code + (ra - code_at);
	u32 rel = target - ra;
	unsigned int i;

	if (!target) {
		memcpy(end - sizeof(call_rax), call_rax, sizeof(call_rax));
		return;
	}
	end[-5] = 0xe8;
	for (i = 0; i < sizeof(rel); i++)
		end[i - sizeof(rel)] = rel >> 8 * i;
}

/* jmp @target, at @at. */
static inline void put_x86_jump(u8 *code, u64 code_at, u64 at, u64 target)
{
	/* As a direct call, but for the opcode. */
	put_x86_call(code, code_at, at + 5, target);
	code[at - code_at] = 0xe9;
}

/* A frame of @size bytes, with the RA where x86-64 puts it, that leaves FP alone. */
static inline struct sframe_rule rule_by_sp(s32 size)
{
	return (struct sframe_rule){
		.cfa = SFRAME_LOC_SP, .cfa_off = size,
		.ra = SFRAME_LOC_SAVED, .ra_off = -8,
	};
}

static inline enum sframe_reason nothing_kept(void *ctx, u64 pc, unsigned int reg,
					      struct sframe_rule *rule)
{
	(void)ctx, (void)pc, (void)reg, (void)rule;
	return SFRAME_NO_TABLE;
}

static inline int no_register(void *ctx, unsigned int reg, u64 *val)
{
	(void)ctx, (void)reg, (void)val;
	return -1;
}

#endif /* SFRAME_KUNIT_SIMPLE_WORLD_H */
