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
 * @code: it was read as code
 *
 * Context: any.
 */
void sframe_step_note(const struct sframe_cursor *cur, u64 addr, const void *buf,
		      unsigned int len, bool code)
{
	if (cur->noted->nr > SFRAME_STEP_PIECES)
		return;
	if (code && cur->ops->is_fixed) {
		cur->noted->paid += NOTE_COST;
		if (cur->ops->is_fixed(cur->ctx, addr, len))
			return;
	}
	note(cur->noted, addr, buf, len, 0);
}

/* 0 for each word that is no address of code. */
void sframe_only_code(const struct sframe_cursor *cur, u64 *words, unsigned int nr)
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

static noinline void note_words(struct sframe_cursor *cur, u64 addr, const u64 *words,
				unsigned int len)
{
	unsigned int nr = len / sizeof(u64);
	u64 code[PIECE_MAX / sizeof(u64)];

	memcpy(code, words, len);
	sframe_only_code(cur, code, nr);
	cur->noted->paid += SFRAME_FIND_COST * nr;
	note(cur->noted, addr, code, len, LEN_WORDS);
}

/**
 * sframe_read_words() - read words of the stack, among which addresses of code are sought
 * @cur: the walk
 * @addr: where
 * @words: filled in
 * @len: bytes, whole words, 128 at most
 *
 * What is no such address does not matter to the caller, and may be something else the
 * next time.
 *
 * Context: as sframe_cursor_next().
 * Return: 0 or -errno.
 */
int sframe_read_words(struct sframe_cursor *cur, u64 addr, u64 *words, unsigned int len)
{
	int error = cur->ops->read(cur->ctx, addr, words, len);

	if (error)
		sframe_step_unnoted(cur);
	else if (cur->noted)
		note_words(cur, addr, words, len);
	return error;
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
	int error = cur->ops->reg(cur->ctx, reg, val);

	if (s && s->nr <= SFRAME_STEP_PIECES) {
		s->hash = sframe_mix(s->hash, error ? 0 : *val);
		add_piece(s, reg, LEN_REG);
	}
	return error;
}

/* It may be code, or on the stack. */
int sframe_read_following(void *cursor, u64 addr, void *buf, unsigned int len)
{
	const struct sframe_cursor *cur = cursor;
	int error = cur->ops->read(cur->ctx, addr, buf, len);

	return sframe_noted(cur, addr, buf, len, true, error);
}
