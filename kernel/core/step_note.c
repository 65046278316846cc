// SPDX-License-Identifier: GPL-2.0
/*
 * What a step reads, and how that is noted. A step is noted while it is made: each piece
 * of memory that it asks for, unless it has been asked for already, goes into the hash.
 */
#include "step_cache_impl.h"

/* Instructions to note what is read, without its bytes. */
#define NOTE_COST	128
/* Pieces do not grow beyond that. */
#define LEN_MAX		4096

/* Does @addr go on where the last piece ends? */
static bool is_behind(const struct sframe_step *s, u64 addr, u16 kind)
{
	unsigned int bytes;

	if (!s->nr || s->len[s->nr - 1] == LEN_REG || (s->len[s->nr - 1] & LEN_WORDS) != kind)
		return false;
	bytes = sframe_piece_bytes(s->len[s->nr - 1]);
	return addr == s->addr[s->nr - 1] + bytes && bytes % sizeof(u64) == 0 &&
	       bytes < LEN_MAX;
}

static bool is_noted(const struct sframe_step *s, u64 addr, unsigned int len, u16 kind)
{
	unsigned int i, bytes;

	for (i = 0; i < s->nr; i++) {
		bytes = sframe_piece_bytes(s->len[i]);
		if ((s->len[i] & LEN_WORDS) == kind && addr - s->addr[i] < bytes &&
		    len <= bytes - (addr - s->addr[i]))
			return true;
	}
	return false;
}

static void add_piece(struct sframe_step *s, u64 addr, u16 len)
{
	if (s->nr < SFRAME_STEP_PIECES) {
		s->addr[s->nr] = addr;
		s->len[s->nr] = len;
	}
	s->nr++;
}

static void note(struct sframe_step *s, u64 addr, const void *buf, unsigned int len, u16 kind)
{
	if (s->nr > SFRAME_STEP_PIECES)
		return;
	s->paid += NOTE_COST + 8 * s->nr + len;
	if (is_noted(s, addr, len, kind))
		return;
	s->hash = sframe_mix_bytes(s->hash, buf, len);
	if (is_behind(s, addr, kind))
		s->len[s->nr - 1] += len;
	else
		add_piece(s, addr, len | kind);
}

/**
 * sframe_step_note() - a step that is noted has read something
 * @cur: the walk
 * @addr: where
 * @buf: what
 * @len: bytes
 *
 * Context: any.
 */
void sframe_step_note(const struct sframe_cursor *cur, u64 addr, const void *buf,
		      unsigned int len)
{
	if (cur->noted->nr > SFRAME_STEP_PIECES)
		return;
	cur->noted->paid += NOTE_COST;
	if (!cur->ops->is_fixed || !cur->ops->is_fixed(cur->ctx, addr, len))
		note(cur->noted, addr, buf, len, 0);
}

/* 0 for each word that is no address of code. */
void sframe_leave_code(const struct sframe_cursor *cur, u64 *words, unsigned int nr)
{
	struct sframe_rule rule __uninitialized;
	unsigned int i;
	u64 word;

	for (i = 0; i < nr; i++) {
		word = words[i] & cur->ra_bits;
		if (!word || !sframe_maybe_executable(cur->ops->find(cur->ctx, word - 1, &rule)))
			words[i] = 0;
	}
}

/**
 * sframe_read_words() - read those words of the stack that could be addresses of code
 * @cur: the walk
 * @addr: where
 * @words: filled in, 0 for others
 * @len: bytes, whole words, 128 at most
 *
 * What else is there does not matter, and may be something else the next time.
 *
 * Context: as sframe_cursor_next().
 * Return: 0 or -errno.
 */
int sframe_read_words(struct sframe_cursor *cur, u64 addr, u64 *words, unsigned int len)
{
	int error = cur->ops->read(cur->ctx, addr, words, len);

	if (error) {
		sframe_step_unnoted(cur);
		return error;
	}
	sframe_leave_code(cur, words, len / sizeof(*words));
	if (cur->noted)
		note(cur->noted, addr, words, len, LEN_WORDS);
	return 0;
}

/* A register that could not be had is as one that is 0. */
u64 sframe_mix_reg(const struct sframe_cursor *cur, u64 hash, unsigned int reg)
{
	u64 val = 0;

	if (cur->ops->reg(cur->ctx, reg, &val))
		val = 0;
	return sframe_mix(hash, val);
}

/**
 * sframe_topmost_reg() - a register that the walk began with
 * @cur: the walk
 * @reg: DWARF number
 * @val: set to its value
 *
 * Context: as sframe_cursor_next().
 * Return: 0, or -errno if it cannot be had.
 */
int sframe_topmost_reg(const struct sframe_cursor *cur, unsigned int reg, u64 *val)
{
	struct sframe_step *s = cur->noted;

	if (s && s->nr <= SFRAME_STEP_PIECES) {
		s->hash = sframe_mix_reg(cur, s->hash, reg);
		add_piece(s, reg, LEN_REG);
	}
	return cur->ops->reg(cur->ctx, reg, val);
}

int sframe_read_for(void *cursor, u64 addr, void *buf, unsigned int len)
{
	return sframe_read(cursor, addr, buf, len);
}
