// SPDX-License-Identifier: GPL-2.0
/*
 * x86-64: which ways through the code have been tried, and which wait.
 */
#include "x86_leave.h"

#define PAGE		4096

/**
 * sframe_x86_fetch_more() - read code
 * @s: the search
 * @pc: from there on, up to the end of the page at the least
 *
 * Return: could it be read?
 */
bool sframe_x86_fetch_more(struct x86_search *s, u64 pc)
{
	unsigned int want = X86_CHUNK, left = PAGE - pc % PAGE;

	s->code_at = pc;
	s->code_len = 0;
	s->code_whole = 0;
	if (s->read(s->ctx, pc, s->code, want)) {
		want = left;
		if (left >= X86_CHUNK || s->read(s->ctx, pc, s->code, want))
			return false;
	}
	/* An instruction may be looked at before it is known that it is not all there. */
	memset(s->code + want, 0, X86_INSN_MAX);
	s->code_len = want;
	if (want >= X86_INSN_MAX)
		s->code_whole = want - X86_INSN_MAX + 1;
	return true;
}

/**
 * sframe_x86_remember() - a path begins, or has jumped
 * @s: the search
 * @pc: where, or where to: no path has been there
 *
 * Return: false if too many have.
 */
bool sframe_x86_remember(struct x86_search *s, u64 pc)
{
	u16 place = sframe_x86_place(s, pc);
	unsigned int i = place % X86_SEEN_MAX;

	if (s->nr_seen == X86_SEEN_MAX / 2)
		return false;
	while (s->seen[i])
		i = (i + 1) % X86_SEEN_MAX;
	s->seen[i] = place;
	s->nr_seen++;
	return true;
}

static bool same_state(const struct x86_path *p, const struct x86_path *q)
{
	unsigned int i;

	if (p->sp != q->sp || p->fp != q->fp || p->fp_at != q->fp_at ||
	    p->saved_at != q->saved_at || p->new_to != q->new_to ||
	    p->stored_to != q->stored_to ||
	    p->nr_stores != q->nr_stores || p->fp_is != q->fp_is ||
	    p->saved_is != q->saved_is || p->fp_known != q->fp_known ||
	    p->sure != q->sure || p->stored != q->stored)
		return false;
	for (i = 0; i < X86_STORES_MAX; i++) {
		if (p->store[i] != q->store[i])
			return false;
	}
	return true;
}

/* The oldest has the least chance: paths with it were passed by with all others. */
static void drop_oldest_state(struct x86_search *s)
{
	unsigned int i, left = 0;

	for (i = 0; i < s->nr_paths; i++) {
		if (!s->path[i].state)
			continue;
		s->path[left] = s->path[i];
		s->path[left++].state--;
	}
	s->nr_paths = left;
	memmove(s->state, s->state + 1, --s->nr_states * sizeof(s->state[0]));
}

static unsigned int find_state(struct x86_search *s, const struct x86_path *p)
{
	unsigned int i;

	for (i = s->nr_states; i; i--) {
		if (same_state(&s->state[i - 1], p))
			return i - 1;
	}
	if (s->nr_states == X86_STATES_MAX)
		drop_oldest_state(s);
	s->state[s->nr_states] = *p;
	return s->nr_states++;
}

/**
 * sframe_x86_other_sp() - is another SP known at a PC?
 * @s: the search
 * @p: a path that has come there; if past a call, that may never return
 *
 * Return: true if a branch leads there with another SP.
 */
bool sframe_x86_other_sp(const struct x86_search *s, const struct x86_path *p)
{
	unsigned int i;

	if (!sframe_x86_may_wait(s, p->pc))
		return false;
	for (i = 0; i < s->nr_paths; i++) {
		if (s->pc + s->path[i].at == p->pc &&
		    s->state[s->path[i].state].sp != p->sp)
			return true;
	}
	return false;
}

/**
 * sframe_x86_join() - past a call: does a path that passed none lead here, too?
 * @s: the search
 * @p: the path that has come here; if so, it goes on as the other one
 */
void sframe_x86_join(const struct x86_search *s, struct x86_path *p)
{
	unsigned int i;
	u64 pc = p->pc;

	for (i = 0; i < s->nr_paths; i++) {
		const struct x86_path *other = &s->state[s->path[i].state];

		if (s->pc + s->path[i].at != pc || !other->sure || other->sp != p->sp)
			continue;
		*p = *other;
		p->pc = pc;
		return;
	}
}

static bool waits(const struct x86_search *s, u64 pc, unsigned int state)
{
	unsigned int i;

	if (!sframe_x86_may_wait(s, pc))
		return false;
	for (i = 0; i < s->nr_paths; i++) {
		if (s->pc + s->path[i].at == pc && s->path[i].state == state)
			return true;
	}
	return false;
}

/**
 * sframe_x86_begin_path() - perhaps the other way has to be taken
 * @s: the search
 * @p: the path that is taken first, and what it knows
 * @pc: where the other one leads
 */
void sframe_x86_begin_path(struct x86_search *s, const struct x86_path *p, u64 pc)
{
	unsigned int state;

	if (sframe_x86_seen(s, pc) || pc - s->pc != (u64)(s32)(pc - s->pc))
		return;
	state = find_state(s, p);
	if (waits(s, pc, state))
		return;
	if (s->nr_paths == X86_PATHS_MAX)
		memmove(s->path, s->path + 1, --s->nr_paths * sizeof(s->path[0]));
	if (!s->nr_paths)
		s->waiting = 0;
	s->waiting |= 1ull << pc % 64;
	s->path[s->nr_paths].at = pc - s->pc;
	s->path[s->nr_paths++].state = state;
}
