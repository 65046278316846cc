// SPDX-License-Identifier: GPL-2.0
/*
 * What the walks of walk.c ask for: tables, code, a stack, and registers, of an input.
 */
#include "fuzz.h"
#include "world.h"

/* Code repeats itself in memory, and has the most that is read in one go behind it. */
#define CODE_SIZE	65536
#define READ_MAX	128
#define HOME_SIZE	1024
#define HOME_KEY	0x8000000000000000ull

/* Bytes from @addr to the end of the segment that it is in, or 0. */
static u64 left_of(u64 addr, u64 va, u64 size)
{
	return addr - va < size ? size - (addr - va) : 0;
}

static u64 left_of_text(const struct world *w, u64 addr)
{
	const struct sframe_segment *text = w->in->text;
	unsigned int i;
	u64 left = 0;

	for (i = 0; !left && i < w->in->nr_text; i++)
		left = left_of(addr, text[i].vaddr, text[i].size);
	return left;
}

bool world_is_mapped(const struct world *w, u64 addr, u64 len)
{
	u64 left;

	for (;; addr += left, len -= left) {
		left = left_of_text(w, addr) ?: left_of(addr, BARE_VA, BARE_SIZE);
		if (left >= len)
			return true;
		if (!left)
			return false;
	}
}

static enum sframe_reason world_find(void *ctx, u64 pc, struct sframe_rule *rule)
{
	const struct world *w = ctx;

	if (!left_of_text(w, pc))
		return world_is_mapped(w, pc, 1) ? SFRAME_NO_TABLE : SFRAME_NO_MAPPING;
	if (w->coming && pc & 64)
		return SFRAME_NOT_YET;
	*rule = *sframe_table_recall(w->table, pc);
	if (w->keeps_fp && rule->flags & SFRAME_RULE_NO_FDE)
		*rule = sframe_gap_rule_by_fp();
	return SFRAME_OK;
}

static enum sframe_reason world_find_kept(void *ctx, u64 pc, unsigned int reg,
					  struct sframe_rule *rule)
{
	const struct world *w = ctx;
	enum sframe_reason reason = world_find(ctx, pc, rule);

	if (reason)
		return reason;
	if (!w->table->kept || w->table->kept_reg != reg)
		return SFRAME_NO_TABLE;
	*rule = *sframe_table_lookup(w->table->kept, pc);
	return SFRAME_OK;
}

static int world_read(void *ctx, u64 addr, void *buf, unsigned int len)
{
	const struct world *w = ctx;
	u64 at = addr - STACK_VA, size = w->in->stack_words * sizeof(u64);
	u8 *to = buf;

	MUST(len && len <= READ_MAX);
	if (at < size) {
		if (len > size - at)
			return -1;
		memcpy(buf, (const u8 *)w->in->stack + at, len);
		return 0;
	}
	if (!world_is_mapped(w, addr, len))
		return -1;
	memcpy(to, w->code + addr % CODE_SIZE, len);
	if (w->changed - addr < len)
		to[w->changed - addr] ^= 1;
	return 0;
}

static bool world_peek_begin(void *ctx)
{
	(void)ctx;
	return true;
}

static int world_peek(void *ctx, u64 addr, u64 *word)
{
	return world_read(ctx, addr, word, sizeof(*word));
}

static void world_peek_end(void *ctx)
{
	(void)ctx;
}

static int world_reg(void *ctx, unsigned int reg, u64 *val)
{
	const struct world *w = ctx;

	MUST(reg <= w->in->target->abi->max_reg);
	if (!w->in->stack_words || reg & 1)
		return -1;
	*val = w->in->stack[reg % w->in->stack_words];
	return 0;
}

static struct sframe_answers *world_answers(void *ctx)
{
	const struct world *w = ctx;

	return w->answers;
}

static bool world_is_fixed(void *ctx, u64 addr, unsigned int len)
{
	const struct world *w = ctx;

	return !((addr | (addr + len - 1)) & w->changing) && world_is_mapped(w, addr, 1) &&
	       world_is_mapped(w, addr + len - 1, 1);
}

/* Code that does not change lies in blocks, and is the same in each of many processes. */
static void world_home(void *ctx, u64 addr, struct sframe_home *home)
{
	const struct world *w = ctx;
	u64 block = addr & ~(u64)(HOME_SIZE - 1);

	*home = (struct sframe_home){
		.start = block,
		.end = block + HOME_SIZE,
		.place = block - block % CODE_SIZE,
	};
	if (!(addr & w->changing) && world_is_mapped(w, block, HOME_SIZE))
		home->key = w->answers->key | HOME_KEY;
}

const struct sframe_cursor_ops world_ops = {
	.find = world_find,
	.find_kept = world_find_kept,
	.read = world_read,
	.read_code = world_read,
	.reg = world_reg,
	.answers = world_answers,
	.is_fixed = world_is_fixed,
	.home = world_home,
};

const struct sframe_peek_ops world_peeks = {
	.begin = world_peek_begin,
	.word = world_peek,
	.end = world_peek_end,
};

/* Code where most multiples of 16 follow a call, and some are trampolines. */
static void write_code(const struct sframe_abi *abi, u8 *code)
{
	static const u8 calls[3][6] = {
		{ 0x90, 0xe8, 1, 2, 3, 4 },
		{ 0, 0, 0x40, 0, 0, 0x94 },
		{ 0xc0, 0xe5, 0, 0, 1, 2 },
	};
	static const u8 returns[3][9] = {
		{ 0x48, 0xc7, 0xc0, 15, 0, 0, 0, 0x0f, 0x05 },
		{ 0x68, 0x11, 0x80, 0xd2, 1, 0, 0, 0xd4 },
		{ 0x0a, 173 },
	};
	int kind = abi == &sframe_abi_x86 ? 0 : abi == &sframe_abi_arm64 ? 1 : 2;
	unsigned int i;

	for (i = 0; i < CODE_SIZE; i += 16) {
		if (i / 16 % 8 != 7)
			memcpy(code + i + 10, calls[kind], 6);
		if (i / 16 % 32 == 5)
			memcpy(code + i, returns[kind], sizeof(returns[0]));
	}
}

const u8 *world_code(const struct sframe_abi *abi)
{
	static const struct sframe_abi *made[3];
	static u8 code[3][CODE_SIZE + READ_MAX];
	int i;

	for (i = 0; made[i] && made[i] != abi; i++)
		;
	if (!made[i]) {
		write_code(abi, code[i]);
		memcpy(code[i] + CODE_SIZE, code[i], READ_MAX);
		made[i] = abi;
	}
	return code[i];
}
