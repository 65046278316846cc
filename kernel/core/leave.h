/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Code is followed to where its function is left: what is the same for all machines. What
 * one instruction does to a path (leave_path.h) is for kernel/arch to say.
 *
 * However control gets from a PC to a return, the frame is taken down in the same way. So
 * it is enough to find one path: along jumps, over calls, and at first past conditional
 * branches. What a path does not know, it gives up; then one that waits is tried.
 */
#ifndef SFRAME_LEAVE_H
#define SFRAME_LEAVE_H

#include "leave_path.h"

/* Paths that wait to be tried, and the different things that they know. */
#define LEAVE_PATHS_MAX		32
#define LEAVE_STATES_MAX	4
/*
 * Places that are told apart, twice as many; a path that comes to one more ends. So many of
 * them may be behind branches, which need not be remembered.
 */
#define LEAVE_SEEN_MAX		256
#define LEAVE_BEHIND_MAX	96
/* In leave_search.seen, what stands for the PC; 0 is for nothing. */
#define LEAVE_SEEN_PC		32768
/* Bytes of code read at a time, and the longest instruction of all machines. */
#define LEAVE_CHUNK		64
#define LEAVE_INSN_MAX		15
/*
 * See &sframe_leave.cost: of reading a few words of code or stack; and as that is looked at
 * before each instruction, what its last one may cost more than was left.
 */
#define LEAVE_READ_COST		1
#define LEAVE_OVER_MAX		72

/**
 * struct leave_code - code that is read
 * @read: reads it, and the stack
 * @ctx: handed to @read
 * @cost: NULL, or counts what it costs, see &sframe_leave.cost
 * @at: address of what was read last
 * @len: bytes of it
 * @whole: in so many of these begins what is there as a whole, however long
 * @bytes: what was read last, and zeroes
 */
struct leave_code {
	sframe_read_fn read;
	void *ctx;
	u32 *cost;
	u64 at;
	unsigned int len;
	unsigned int whole;
	u8 bytes[LEAVE_CHUNK + LEAVE_INSN_MAX];
};

/**
 * struct leave_search - all paths
 * @at: where those wait that are to be tried, the last one next: bytes from @pc on
 * @knows: and what they know: which of @state
 * @nr_paths: how many
 * @nr_states: how many of @state there are
 * @nr_seen: how many of @seen
 * @behind_max: up to so many, places behind branches are remembered, too
 * @state: what paths know but for their PC, most of them the same
 * @waiting: leave_bit() of where they are, and perhaps of others
 * @seen: where paths have been, of each block the first instruction: bytes from @pc on,
 *	and LEAVE_SEEN_PC, in 16 bits; hashed
 * @seen_bits: leave_bit() of them
 * @cost_max: what they may cost together, whatever is left
 * @starved: more would have been tried if more was left
 * @pc: where they begin
 * @block: where the last block begins that is to be remembered
 * @landed: where a path jumped to last
 * @code: what is followed
 * @lv: what is asked for; its cost is counted
 */
struct leave_search {
	s32 at[LEAVE_PATHS_MAX];
	u8 knows[LEAVE_PATHS_MAX];
	u16 nr_paths;
	u16 nr_states;
	u16 nr_seen;
	u16 behind_max;
	struct leave_path state[LEAVE_STATES_MAX];
	u64 waiting;
	u16 seen[LEAVE_SEEN_MAX];
	u64 seen_bits;
	u32 cost_max;
	bool starved;
	u64 pc;
	u64 block;
	u64 landed;
	struct leave_code code;
	struct sframe_leave *lv;
};

bool sframe_leave_read_code(struct leave_code *code, u64 pc, unsigned int insn_max);
bool sframe_leave_was_at(const struct leave_search *s, u16 place);
bool sframe_leave_remember(struct leave_search *s, u64 pc);
void sframe_leave_begin_path(struct leave_search *s, const struct leave_path *p, u64 pc);
bool sframe_leave_next_path(struct leave_search *s, struct leave_path *p);
bool sframe_leave_other_sp(const struct leave_search *s, const struct leave_path *p);
bool sframe_leave_read_aside(struct leave_search *s, u64 addr, void *buf, unsigned int len,
			     u32 cost);
void sframe_leave_join_sure(const struct leave_search *s, struct leave_path *p);

/* The code at @pc: of the bytes of the longest instruction, @insn_max, @len or more are there. */
static inline const u8 *leave_code_at(struct leave_code *code, u64 pc, unsigned int insn_max,
				      unsigned int *len)
{
	u64 off = pc - code->at;

	if (off >= code->whole) {
		if (!sframe_leave_read_code(code, pc, insn_max))
			return NULL;
		off = 0;
	}
	*len = code->len - off;
	return code->bytes + off;
}

/* Code or stack at @addr, wherever paths are. */
static inline bool leave_read(const struct leave_search *s, u64 addr, void *buf, unsigned int len)
{
	s->lv->cost += LEAVE_READ_COST;
	return !s->code.read(s->code.ctx, addr, buf, len);
}

/* One of the 64 sets that PCs are in, so that most need not be looked for. */
static inline u64 leave_bit(u64 pc)
{
	return 1ull << pc / 4 % 64;
}

/* Exact around the PC; farther away, different places are the same now and then. */
static inline u16 leave_place(const struct leave_search *s, u64 pc)
{
	u64 off = pc - s->pc + LEAVE_SEEN_PC;

	if (off >> 16)
		off = off * 0x9e3779b97f4a7c15ull >> 48;
	return off ?: 1;
}

/*
 * Has some path been at @pc? Only where blocks begin is told: one that comes to such a
 * place stops there.
 */
static inline bool leave_was_there(const struct leave_search *s, u64 pc)
{
	return s->seen_bits & leave_bit(pc) && sframe_leave_was_at(s, leave_place(s, pc));
}

/* Perhaps paths wait to be tried that begin at @pc. */
static inline bool leave_may_wait(const struct leave_search *s, u64 pc)
{
	return s->waiting & leave_bit(pc);
}

/* Past a call: does a path that passed none lead here, too? Then this goes on as that. */
static inline void leave_join_sure(const struct leave_search *s, struct leave_path *p)
{
	if (!p->sure && leave_may_wait(s, p->pc))
		sframe_leave_join_sure(s, p);
}

/* Control always goes to @pc. */
static inline void leave_jump(struct leave_search *s, struct leave_path *p, u64 pc)
{
	p->pc = pc;
	s->landed = pc;
	s->block = pc;
}

/* May one more instruction be looked at? */
static inline bool leave_may_look(struct leave_search *s, const struct leave_path *p,
				  u32 insn_cost)
{
	struct sframe_leave *lv = s->lv;

	if (lv->cost + insn_cost > lv->cost_max) {
		s->starved = true;
		return false;
	}
	return lv->cost + insn_cost <= s->cost_max && !leave_was_there(s, p->pc) &&
	       (p->pc != s->block || sframe_leave_remember(s, p->pc));
}

/**
 * leave_follow() - follow a path
 * @s: the search
 * @p: the path
 * @insn_cost: of an instruction, see &sframe_leave.cost
 * @look: reads and follows one, and counts what it costs
 *
 * Inlined with @look, as most of the time of walks that need it goes by here.
 *
 * Return: where it has led: %ARRIVED, %GIVE_UP or %UNWINDS.
 */
static __always_inline enum leave_step
leave_follow(struct leave_search *s, struct leave_path *p, u32 insn_cost,
	     enum leave_step (*look)(struct leave_search *s, struct leave_path *p))
{
	enum leave_step step = GO_ON;

	s->block = p->pc;
	while (step == GO_ON) {
		if (!leave_may_look(s, p, insn_cost))
			return GIVE_UP;
		step = look(s, p);
	}
	return step;
}

/* Would it have been the same with more left? See &sframe_leave.lasts. */
static inline bool leave_lasts(const struct leave_search *s)
{
	return !s->starved || s->lv->cost_max >= s->cost_max;
}

#endif /* SFRAME_LEAVE_H */
