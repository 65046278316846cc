/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What noting a step and making it again share: how what was read is hashed.
 */
#ifndef SFRAME_STEP_CACHE_IMPL_H
#define SFRAME_STEP_CACHE_IMPL_H

#include <sframe/step_cache.h>

#include "cursor_impl.h"

/* As much is read at once. */
#define PIECE_MAX	128
/* Instructions to find out whether a word is an address of code. */
#define SFRAME_FIND_COST	48
/* In a length: only those words were asked for that could be addresses of code. */
#define LEN_WORDS	0x8000
/* What stands for a length if it is no memory, but the register of that number. */
#define LEN_REG		0xffff

static inline u64 sframe_mix(u64 hash, u64 word)
{
	hash = (hash ^ word) * 0x9e3779b97f4a7c15ull;
	return hash << 32 | hash >> 32;
}

/* Two pieces one behind the other are as one, if the first is whole words. */
static inline u64 sframe_mix_bytes(u64 hash, const u8 *buf, unsigned int len)
{
	u64 word;

	for (; len >= sizeof(word); len -= sizeof(word), buf += sizeof(word)) {
		memcpy(&word, buf, sizeof(word));
		hash = sframe_mix(hash, word);
	}
	if (len) {
		word = 0;
		memcpy(&word, buf, len);
		hash = sframe_mix(hash, word);
	}
	return hash;
}

static inline unsigned int sframe_piece_bytes(u16 len)
{
	return len == LEN_REG ? 0 : len & ~LEN_WORDS;
}

void sframe_only_code(const struct sframe_cursor *cur, u64 *words, unsigned int nr);

#endif /* SFRAME_STEP_CACHE_IMPL_H */
