// SPDX-License-Identifier: GPL-2.0
/*
 * Code that may change, as programs make it at run time: which of it an answer comes from
 * (answers.c), and whether that is as it was.
 */
#include "answers_impl.h"
#include "cursor_impl.h"

/* Prices: of reading some bytes, and of each word of them for the checksum. */
#define READ_COST	SFRAME_COST_CODE
#define WORD_COST	8

/* A range grows by what is read that near to it. */
#define GAP_MAX		128
/* As &sframe_code_ranges.len can say. */
#define RANGE_MAX	65535
/* Bytes read at once. */
#define CHUNK		96

/**
 * sframe_mix_sum() - add a word to a checksum
 * @sum: the checksum
 * @word: the word
 *
 * Context: any.
 * Return: the new checksum.
 */
u64 sframe_mix_sum(u64 sum, u64 word)
{
	sum = (sum ^ word) * 0x9e3779b97f4a7c15ull;
	return sum << 32 | sum >> 32;
}

/* Would @len bytes at @at be one with range @i? Then it has grown by them. */
static bool range_grows(struct sframe_code_ranges *code, u32 i, s64 at, u32 len)
{
	s64 begin = code->at[i], end = begin + code->len[i];

	if (at > end + GAP_MAX || at + len + GAP_MAX < begin)
		return false;
	if (at < begin)
		begin = at;
	if (at + len > end)
		end = at + len;
	if (end - begin > RANGE_MAX)
		return false;
	code->at[i] = begin;
	code->len[i] = end - begin;
	return true;
}

/* Can the distance from the base be noted? */
static bool is_in_reach(s64 at, u32 len)
{
	return at == (s32)at && at + len == (s32)(at + len);
}

/**
 * sframe_ranges_grow() - note code that is near to what was noted
 * @code: all of it
 * @base: address that it counts from
 * @at: address of the first byte
 * @len: bytes
 *
 * Context: any.
 * Return: true if it is; else it is to be added.
 */
bool sframe_ranges_grow(struct sframe_code_ranges *code, u64 base, u64 at, u32 len)
{
	s64 from = at - base;
	u32 i;

	if (!is_in_reach(from, len))
		return false;
	/* Mostly that which was begun last. */
	for (i = code->nr; i; i--) {
		if (range_grows(code, i - 1, from, len))
			return true;
	}
	return false;
}

/**
 * sframe_ranges_add() - note code that is not near to what was noted
 * @code: all of it
 * @base: address that it counts from
 * @at: address of the first byte
 * @len: bytes, at most 128
 *
 * Context: any.
 * Return: false if there is no room, or it is too far from @base.
 */
bool sframe_ranges_add(struct sframe_code_ranges *code, u64 base, u64 at, u32 len)
{
	s64 from = at - base;

	if (code->nr == SFRAME_RANGES_MAX || !is_in_reach(from, len))
		return false;
	code->at[code->nr] = from;
	code->len[code->nr++] = len;
	return true;
}

static u32 price_of_sum(u32 len)
{
	return (len + CHUNK - 1) / CHUNK * READ_COST + len / sizeof(u64) * WORD_COST;
}

/**
 * sframe_ranges_price() - what does it cost to compare code?
 * @code: all of it
 *
 * Context: any.
 * Return: instructions, about.
 */
u32 sframe_ranges_price(const struct sframe_code_ranges *code)
{
	u32 i, price = 0;

	for (i = 0; i < code->nr; i++)
		price += price_of_sum(code->len[i]);
	return price;
}

/* The checksum of @len bytes at @at. False if they cannot be read, or that costs too much. */
static bool sum_code(struct sframe_cursor *cur, u64 at, u32 len, u32 *sum)
{
	u64 buf[CHUNK / sizeof(u64)], all = len;
	u32 now, i;

	for (; len; len -= now, at += now) {
		now = len < CHUNK ? len : CHUNK;
		buf[(now - 1) / sizeof(u64)] = 0;
		if (!sframe_spend(cur, price_of_sum(now)) ||
		    cur->ops->read_code(cur->ctx, at, buf, now))
			return false;
		for (i = 0; i * sizeof(u64) < now; i++)
			all = sframe_mix_sum(all, buf[i]);
	}
	*sum = all;
	return true;
}

/**
 * sframe_ranges_sum() - make checksums of code
 * @cur: the walk
 * @code: all of it; @sum is filled in
 * @base: address that it counts from
 *
 * Context: as sframe_cursor_next().
 * Return: false if it cannot be read, or costs too much.
 */
bool sframe_ranges_sum(struct sframe_cursor *cur, struct sframe_code_ranges *code, u64 base)
{
	u32 i;

	for (i = 0; i < code->nr; i++) {
		if (!sum_code(cur, base + code->at[i], code->len[i], &code->sum[i]))
			return false;
	}
	return true;
}

/**
 * sframe_ranges_same() - is code as it was?
 * @cur: the walk
 * @code: all of it
 * @base: address that it counts from
 *
 * Context: as sframe_cursor_next().
 * Return: false if not, or if it cannot be read, or costs too much.
 */
bool sframe_ranges_same(struct sframe_cursor *cur, const struct sframe_code_ranges *code,
			u64 base)
{
	u32 i, sum;

	for (i = 0; i < code->nr; i++) {
		if (!sum_code(cur, base + code->at[i], code->len[i], &sum) ||
		    sum != code->sum[i])
			return false;
	}
	return true;
}
