/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the files share that follow x86-64 code to where a function is left.
 */
#ifndef SFRAME_ARCH_X86_LEAVE_H
#define SFRAME_ARCH_X86_LEAVE_H

#include "x86.h"

/* Stores to the stack that are remembered. */
#define X86_STORES_MAX	4

/* What is in FP. */
enum x86_fp_is {
	KEPT,		/* what was in it at the PC */
	LOADED,		/* what was in memory at the PC */
	OTHER,
};

/**
 * struct x86_path - how far one way through the code has come
 * @pc: next instruction
 * @sp: SP
 * @fp: FP, if @fp_known
 * @fp_at: LOADED: from there
 * @saved_at: the path itself has put FP there, or 0
 * @new_to: below, the path has pushed what was not there at the PC
 * @store: addresses of words it has stored to
 * @nr_stores: how many
 * @stored_to: below, it has stored to more words
 * @fp_is: what FP holds
 * @saved_is: what it held when it was put at @saved_at
 * @fp_known: @fp holds
 * @sure: no call was passed by, but of what returns
 * @returns: it has come to a return
 * @stored: FP was put at @saved_at by a mov
 */
struct x86_path {
	u64 pc;
	u64 sp;
	u64 fp;
	u64 fp_at;
	u64 saved_at;
	u64 new_to;
	u64 store[X86_STORES_MAX];
	u64 stored_to;
	unsigned int nr_stores;
	enum x86_fp_is fp_is;
	enum x86_fp_is saved_is;
	bool fp_known;
	bool sure;
	bool returns;
	bool stored;
};

/* How a path goes on. */
enum x86_step { GO_ON, ARRIVED, GIVE_UP };

/* Paths that wait to be tried, and what they know. */
#define X86_PATHS_MAX	32
#define X86_STATES_MAX	4
/* Beginnings of paths that are told apart, twice as many. */
#define X86_SEEN_MAX	256
/* Code read at a time. */
#define X86_CHUNK	64

/**
 * struct x86_search - all paths
 * @path: those that wait, the last one next: bytes from @pc on, and what it knows
 * @nr_paths: how many
 * @starved: more would have been tried if it might cost more
 * @waiting: bit N: some of them may be at a PC that is N modulo 64, others are not
 * @state: what paths know but for their PC, most of them the same
 * @nr_states: how many
 * @seen: where paths began, or jumped to: bytes from @pc on, and X86_SEEN_ZERO, in 16
 *	bits; hashed
 * @nr_seen: how many
 * @pc: where they begin
 * @sp: SP there
 * @to: where they are to lead, or 0: out of the function
 * @to_sp: SP there
 * @read: reads code and stack
 * @ctx: handed to @read
 * @code: code read last, and zeroes
 * @code_at: its address
 * @code_len: bytes of it
 * @code_whole: in so many of these begins what is there as a whole, however long
 * @lv: what is asked for; its cost is counted
 */
struct x86_search {
	struct {
		s32 at;
		u32 state;
	} path[X86_PATHS_MAX];
	unsigned int nr_paths;
	bool starved;
	u64 waiting;
	struct x86_path state[X86_STATES_MAX];
	unsigned int nr_states;
	u16 seen[X86_SEEN_MAX];
	unsigned int nr_seen;
	u64 pc;
	u64 sp;
	u64 to;
	u64 to_sp;
	sframe_read_fn read;
	void *ctx;
	u8 code[X86_CHUNK + X86_INSN_MAX];
	u64 code_at;
	unsigned int code_len;
	unsigned int code_whole;
	struct sframe_leave *lv;
};

/* In x86_search.seen, what stands for the PC; 0 is for nothing. */
#define X86_SEEN_ZERO	32768

/* Exact around the PC; farther away, different places are the same now and then. */
static inline u16 sframe_x86_place(const struct x86_search *s, u64 pc)
{
	u64 off = pc - s->pc + X86_SEEN_ZERO;

	if (off >> 16)
		off = off * 0x9e3779b97f4a7c15ull >> 48;
	return off ?: 1;
}

/*
 * Has some path been at @pc? Only where paths begin is told: one that comes to such a
 * place stops there.
 */
static inline bool sframe_x86_seen(const struct x86_search *s, u64 pc)
{
	u16 place = sframe_x86_place(s, pc);
	unsigned int i;

	for (i = place % X86_SEEN_MAX; s->seen[i]; i = (i + 1) % X86_SEEN_MAX) {
		if (s->seen[i] == place)
			return true;
	}
	return false;
}

/* Perhaps paths wait to be tried that begin at @pc. */
static inline bool sframe_x86_may_wait(const struct x86_search *s, u64 pc)
{
	return s->waiting >> pc % 64 & 1;
}

bool sframe_x86_fetch_more(struct x86_search *s, u64 pc);
bool sframe_x86_remember(struct x86_search *s, u64 pc);
bool sframe_x86_other_sp(const struct x86_search *s, const struct x86_path *p);
void sframe_x86_join(const struct x86_search *s, struct x86_path *p);
void sframe_x86_begin_path(struct x86_search *s, const struct x86_path *p, u64 pc);
bool sframe_x86_is_old(const struct x86_path *p, u64 addr);
enum x86_step sframe_x86_push(struct x86_path *p, bool of_fp);
enum x86_step sframe_x86_push_or_pop(struct x86_search *s, struct x86_path *p,
				     const struct x86_insn *in);
enum x86_step sframe_x86_operate(struct x86_search *s, struct x86_path *p,
				 const struct x86_insn *in);

#endif /* SFRAME_ARCH_X86_LEAVE_H */
