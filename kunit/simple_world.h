/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What walks in made-up worlds have in common: pieces of memory, and no table that says
 * which registers functions keep.
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
