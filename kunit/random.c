// SPDX-License-Identifier: GPL-2.0
/*
 * Random sections; see random.h.
 */
#include "random.h"

static bool one_in(u64 *rng, u32 n)
{
	return !rnd_below(rng, n);
}

/* A control word that names something sensible, most of the time. */
static s32 random_ctrl(struct build *b, u64 *rng, bool need_reg)
{
	static const u8 modes[] = { SFRAME_CTRL_REG, SFRAME_CTRL_DEREF,
				    SFRAME_CTRL_REG | SFRAME_CTRL_DEREF };
	u8 mode = modes[need_reg ? 2 * rnd_below(rng, 2) : rnd_below(rng, 3)];
	u8 regs[] = { b->abi->sp_reg, b->abi->fp_reg,
		      rnd_below(rng, b->abi->max_reg + 1) };

	if (!(mode & SFRAME_CTRL_REG))
		return mode;
	return mode | regs[rnd_below(rng, 3)] << 3;
}

static void random_flex_row(struct build *b, u64 *rng, u32 start)
{
	static const u8 counts[] = { 0, 2, 2, 4, 5, 6 };
	unsigned int count = counts[rnd_below(rng, 6)], i = 2;
	s32 w[SFRAME_MAX_WORDS] = { 0 };

	w[0] = random_ctrl(b, rng, true);
	w[1] = rnd_below(rng, 100);
	if (count == 5) {
		i = 3;
	} else {
		w[2] = random_ctrl(b, rng, false);
		w[3] = -(s32)rnd_below(rng, 100);
		i = 4;
	}
	if (count >= 5) {
		w[i] = random_ctrl(b, rng, false);
		w[i + 1] = -(s32)rnd_below(rng, 100);
	}
	build_row_words(b, start, 0, rnd_below(rng, 3), count, w);
}

static void random_row(struct build *b, u64 *rng, u32 start, bool flex,
		       bool hostile)
{
	unsigned int max = b->abi->fixed_ra ? 2 : 3, count;
	u8 info = rnd_below(rng, 2);
	s32 w[15] = { 0 };
	unsigned int i;

	if (hostile && one_in(rng, 8)) {
		build_row_words(b, start, rnd(rng), rnd_below(rng, 3),
				rnd_below(rng, 16), w);
		return;
	}
	if (flex) {
		random_flex_row(b, rng, start);
		return;
	}
	count = 1 + rnd_below(rng, max);
	if (b->version > 1 && one_in(rng, 20))
		count = 0;
	if (!b->abi->fixed_ra && one_in(rng, 4))
		info |= SFRAME_ROW_MANGLED;
	w[0] = rnd_below(rng, 16) * 8;
	for (i = 1; i < max; i++)
		w[i] = -(s32)rnd_below(rng, 16) * 8;
	build_row_words(b, start, info, rnd_below(rng, 3), count, w);
}

/* Starts increase; the last one may be the function's size, or beyond. */
static void random_rows(struct build *b, u64 *rng, u32 limit, bool flex,
			bool hostile)
{
	u32 i, n = rnd_below(rng, 12), start = 0;

	if (one_in(rng, 8))
		start = rnd_below(rng, 5);
	for (i = 0; i < n && start <= limit; i++) {
		random_row(b, rng, start, flex, hostile);
		start += 1 + rnd_below(rng, 2 * limit / n + 1);
		if (hostile && one_in(rng, 8))
			start -= rnd_below(rng, start);
	}
	if (hostile && one_in(rng, 8))
		random_row(b, rng, rnd(rng), flex, hostile);
	if (hostile && one_in(rng, 8))
		b->fde_rows += rnd_below(rng, 3);
}

u64 random_functions(struct build *b, u64 *rng, u64 start, u32 nr_funcs,
		     bool hostile)
{
	u64 end = start;
	u32 i;

	for (i = 0; i < nr_funcs; i++) {
		u32 size = one_in(rng, 4) ? rnd_below(rng, 2000) :
					    rnd_below(rng, 100);
		bool flex = b->version == 3 && one_in(rng, 3);
		u8 rep = 1 + rnd_below(rng, 40);
		u8 info = rnd_below(rng, 3);
		bool pcmask = one_in(rng, 4);

		if (hostile && one_in(rng, 8))
			info = rnd(rng);
		if (hostile && one_in(rng, 8))
			rep = 0;
		if (pcmask)
			info |= SFRAME_FDE_PCMASK;
		if (b->version == 3 && one_in(rng, 10))
			info |= SFRAME_FDE_SIGNAL;
		build_fde(b, start, size, info, flex, rep);
		random_rows(b, rng, pcmask ? rep : size, flex, hostile);
		if (start + size > end)
			end = start + size;
		start = end;
		if (one_in(rng, 3))
			start += rnd_below(rng, 600);
		if (hostile && one_in(rng, 6))
			start -= rnd_below(rng, 300);
	}
	return end;
}
