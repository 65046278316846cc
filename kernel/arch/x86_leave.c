// SPDX-License-Identifier: GPL-2.0
/*
 * x86-64: how a function without a table, and without a frame record, will be left,
 * read from its code. Such are those that were written by hand (nasm), and what some
 * compilers make at run time.
 *
 * However control gets from a PC to a return, the stack is taken down in the same
 * way. So it is enough to find one path: along jumps, over calls, and at first past
 * conditional branches. What a path does not know, it gives up.
 */
#include "x86_leave.h"

/* Instructions looked at; paths that wait to be tried. */
#define COST_MAX	(320 * INSN_COST)
#define PATHS_MAX	4
/* What one takes more than one of arm64 does, see sframe_leave.cost. */
#define INSN_COST	5
/* Instructions that are told apart. */
#define SEEN_MAX	4096
/* Code read at a time. */
#define CHUNK		64
#define PAGE		4096

/**
 * struct search - all paths
 * @path: those that wait, the last one next
 * @nr_paths: how many
 * @seen: where some path has been, by the low bits of the address
 * @sp: SP at the PC
 * @read: reads code and stack
 * @ctx: handed to @read
 * @code: code read last, and zeroes
 * @code_at: its address
 * @code_len: bytes of it
 */
struct search {
	struct x86_path path[PATHS_MAX];
	unsigned int nr_paths;
	u64 seen[SEEN_MAX / 64];
	u64 sp;
	sframe_read_fn read;
	void *ctx;
	u8 code[CHUNK + X86_INSN_MAX];
	u64 code_at;
	unsigned int code_len;
};

/* Bytes from @pc on: as many as there are up to the end of the page. */
static bool fetch(struct search *s, u64 pc, const u8 **code, unsigned int *len)
{
	unsigned int want = CHUNK, left = PAGE - pc % PAGE;

	if (pc < s->code_at || pc - s->code_at + X86_INSN_MAX > s->code_len) {
		s->code_at = pc;
		s->code_len = 0;
		memset(s->code, 0, sizeof(s->code));
		if (s->read(s->ctx, pc, s->code, want)) {
			want = left;
			if (left >= CHUNK || s->read(s->ctx, pc, s->code, want))
				return false;
		}
		s->code_len = want;
	}
	*code = s->code + (pc - s->code_at);
	*len = s->code_len - (pc - s->code_at);
	return true;
}

static u64 *seen_word(struct search *s, u64 pc, u64 *bit)
{
	*bit = 1ull << pc % 64;
	return &s->seen[pc % SEEN_MAX / 64];
}

/* Perhaps the other way has to be taken. */
static void begin_path(struct search *s, const struct x86_path *p, u64 pc)
{
	u64 bit;

	if (*seen_word(s, pc, &bit) & bit)
		return;
	/* The oldest has the least chance: it was passed by with all others. */
	if (s->nr_paths == PATHS_MAX)
		memmove(s->path, s->path + 1, --s->nr_paths * sizeof(s->path[0]));
	s->path[s->nr_paths] = *p;
	s->path[s->nr_paths++].pc = pc;
}

/* Was this reached by a push of a word at a fixed place, as in the first stub of all? */
static bool is_pushed_before(const struct search *s, u64 at)
{
	u8 code[2];

	return !s->read(s->ctx, at - 6, code, sizeof(code)) && code[0] == 0xff &&
	       code[1] == 0x35;
}

/*
 * To where a word says that lies at a fixed place: to another function, as what
 * chooses among places in one has a table of them. Where the stack is as it was
 * found, this is a stub of the linker's.
 */
static enum x86_step jump_through_slot(const struct search *s, struct x86_path *p,
				       const struct x86_insn *in)
{
	if (p->sp != s->sp)
		p->sure = false;
	else if (is_pushed_before(s, p->pc - in->len))
		return GIVE_UP;
	return ARRIVED;
}

static enum x86_step call_or_jump(struct search *s, struct x86_path *p, const struct x86_insn *in)
{
	unsigned int group = in->modrm >> 3 & 7;
	u64 target;
	struct sframe_insn insn;

	if (in->op == 0xff && group == 6)
		return sframe_x86_push_or_pop(p, in);
	if (in->op == 0xff && group == 4 && (in->modrm & 0xc7) == 5)
		return jump_through_slot(s, p, in);
	if (in->op == 0xff && group < 2)
		return sframe_x86_operate(p, in, s->read, s->ctx);
	/* Of what follows: that is how code learns where it is. */
	if (in->op == 0xe8 && sframe_x86_imm32(in) == 0)
		return sframe_x86_push(p, false);
	if (in->op == 0xe8 || (in->op == 0xff && group == 2)) {
		p->sure = false;
		return GO_ON;
	}
	if (in->op == 0xff || !sframe_x86_insn(in->code, p->pc - in->len, &insn))
		return GIVE_UP;
	target = insn.target;
	if (in->op == 0xe9 || in->op == 0xeb)
		p->pc = target;
	else
		begin_path(s, p, target);
	return GO_ON;
}

/* Instructions whose opcode is one byte. */
static enum x86_step execute_1(struct search *s, struct x86_path *p, const struct x86_insn *in)
{
	switch (in->op) {
	case 0xc2 ... 0xc3:
		return ARRIVED;
	case 0x50 ... 0x5f: case 0x68: case 0x6a: case 0x8f: case 0x9c ... 0x9d:
	case 0xc9:
		return sframe_x86_push_or_pop(p, in);
	case 0x70 ... 0x7f: case 0xe0 ... 0xe3: case 0xe8 ... 0xe9: case 0xeb:
	case 0xff:
		return call_or_jump(s, p, in);
	case 0xc8: case 0xca ... 0xcd: case 0xcf: case 0xf4:
		return GIVE_UP;
	}
	return sframe_x86_operate(p, in, s->read, s->ctx);
}

static enum x86_step execute(struct search *s, struct x86_path *p, const struct x86_insn *in)
{
	if (!in->map)
		return execute_1(s, p, in);
	if (in->map == 1 && !in->vex) {
		switch (in->op) {
		case 0x05:			/* syscall: exit_group()? */
			p->sure = false;
			return GO_ON;
		case 0x0b: case 0xa0 ... 0xa1: case 0xa8 ... 0xa9: case 0xb9:
		case 0xff:
			return GIVE_UP;
		case 0x80 ... 0x8f:
			return call_or_jump(s, p, in);
		}
	}
	return sframe_x86_operate(p, in, s->read, s->ctx);
}

/* %ARRIVED if this path leads out of the function. */
static enum x86_step follow(struct search *s, struct x86_path *p,
			    struct sframe_leave *lv)
{
	enum x86_step step = GO_ON;
	struct x86_insn in;
	unsigned int len;
	const u8 *code;
	u64 *seen, bit;

	while (step == GO_ON) {
		seen = seen_word(s, p->pc, &bit);
		if (*seen & bit || lv->cost >= lv->cost_max || lv->cost >= COST_MAX ||
		    !fetch(s, p->pc, &code, &len) ||
		    !sframe_x86_decode(code, &in) || in.len > len)
			return GIVE_UP;
		*seen |= bit;
		p->pc += in.len;
		lv->cost += INSN_COST;
		step = execute(s, p, &in);
	}
	/* At address 0 there is no stack, and a place of 0 means another thing. */
	if (step == ARRIVED && (!p->sp || !sframe_x86_is_old(p, p->sp)))
		return GIVE_UP;
	return step;
}

/**
 * sframe_x86_follow() - &sframe_abi.leave, for a function of any kind
 * @lv: see &struct sframe_leave
 * @pc: the PC
 * @read: reads code and stack
 * @ctx: handed to @read
 *
 * Context: any that @read allows, NMI included.
 * Return: was a way out found?
 */
bool sframe_x86_follow(struct sframe_leave *lv, u64 pc, sframe_read_fn read,
		       void *ctx)
{
	struct search s = {
		.path[0] = {
			.pc = pc,
			.sp = lv->sp,
			.fp = lv->fp,
			.new_to = lv->sp,
			.fp_known = true,
			/* Else there was one just before the PC. */
			.sure = lv->topmost,
		},
		.nr_paths = 1,
		.sp = lv->sp,
		.read = read,
		.ctx = ctx,
	};
	enum x86_step end = GIVE_UP;
	struct x86_path p;

	lv->cost = 0;
	while (end != ARRIVED && s.nr_paths) {
		p = s.path[--s.nr_paths];
		end = follow(&s, &p, lv);
	}
	if (end != ARRIVED)
		return false;
	lv->ra_at = p.sp;
	lv->sp = p.sp + 8;
	lv->fp_at = p.fp_is == LOADED ? p.fp_at : 0;
	lv->fp_lost = p.fp_is == OTHER;
	lv->sure = p.sure;
	return true;
}
