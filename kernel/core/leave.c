// SPDX-License-Identifier: GPL-2.0
/*
 * Code is followed to where its function is left: what was read of it, which ways through
 * it have been tried, and which wait.
 */
#include "leave.h"

#define PAGE		4096
/*
 * What is looked at for one unit of &sframe_leave.cost, beside the instructions themselves:
 * places where paths have been, paths that wait. And in such units, what it takes to read
 * code, to begin a path, and to compare what it knows.
 */
#define SEEN_EACH	8
#define WAITING_EACH	8
#define READ_COST	2
#define BEGIN_COST	3
#define STATE_COST	2
/* 2^16, divided by the golden ratio. */
#define SEEN_HASH	40503u

/**
 * sframe_leave_read_code() - read code
 * @code: where to
 * @pc: from there on, up to the end of the page at the least
 * @insn_max: bytes of the longest instruction, no more than %LEAVE_INSN_MAX
 *
 * Context: any that @code->read allows.
 * Return: could it be read?
 */
bool sframe_leave_read_code(struct leave_code *code, u64 pc, unsigned int insn_max)
{
	unsigned int want = LEAVE_CHUNK, left = PAGE - pc % PAGE;

	if (code->cost)
		*code->cost += READ_COST;
	code->at = pc;
	code->len = 0;
	code->whole = 0;
	if (code->read(code->ctx, pc, code->bytes, want)) {
		want = left;
		if (left >= LEAVE_CHUNK || code->read(code->ctx, pc, code->bytes, want))
			return false;
	}
	/* An instruction may be looked at before it is known that it is not all there. */
	memset(code->bytes + want, 0, LEAVE_INSN_MAX);
	code->len = want;
	if (want >= insn_max)
		code->whole = want - insn_max + 1;
	return true;
}

/**
 * sframe_leave_read_aside() - read code away from the path
 * @s: the search; its cost is counted
 * @addr: from there on
 * @buf: filled in
 * @len: bytes
 * @cost: of it
 *
 * Context: any that @s->code.read allows.
 * Return: false if it cannot be read, or too little is left for it.
 */
bool sframe_leave_read_aside(struct leave_search *s, u64 addr, void *buf, unsigned int len,
			     u32 cost)
{
	struct sframe_leave *lv = s->lv;

	cost += lv->cost;
	if (cost > lv->cost_max || cost > s->cost_max) {
		s->starved = true;
		return false;
	}
	lv->cost = cost;
	return !s->code.read(s->code.ctx, addr, buf, len);
}

/*
 * Where in @s->seen is @place, or would be? Code can be made so that many of its places come
 * after one another there, so they are paid for.
 */
static unsigned int find_seen(const struct leave_search *s, u16 place)
{
	unsigned int first = (u16)(place * SEEN_HASH) >> 8, n;

	static_assert(LEAVE_SEEN_MAX == 1 << 8, "as many as eight bits tell apart");
	for (n = 0; s->seen[(first + n) % LEAVE_SEEN_MAX]; n++) {
		if (s->seen[(first + n) % LEAVE_SEEN_MAX] == place)
			break;
	}
	s->lv->cost += n / SEEN_EACH;
	return (first + n) % LEAVE_SEEN_MAX;
}

/**
 * sframe_leave_was_at() - has some path been at a place?
 * @s: the search
 * @place: leave_place() of it
 *
 * Context: any.
 * Return: true if so.
 */
bool sframe_leave_was_at(const struct leave_search *s, u16 place)
{
	return s->seen[find_seen(s, place)];
}

/**
 * sframe_leave_remember() - a path comes to where a block begins
 * @s: the search
 * @pc: where: no path has been there
 *
 * Context: any.
 * Return: false if too many have.
 */
bool sframe_leave_remember(struct leave_search *s, u64 pc)
{
	u16 place = leave_place(s, pc);

	if (s->nr_seen == LEAVE_SEEN_MAX / 2)
		return false;
	s->seen[find_seen(s, place)] = place;
	s->seen_bits |= leave_bit(pc);
	s->nr_seen++;
	return true;
}

static bool is_same_state(const struct leave_path *p, const struct leave_path *q)
{
	return p->sp == q->sp &&
	       !memcmp(&p->sp, &q->sp, sizeof(*p) - offsetof(struct leave_path, sp));
}

static void drop_first_path(struct leave_search *s)
{
	s->nr_paths--;
	memmove(s->at, s->at + 1, s->nr_paths * sizeof(s->at[0]));
	memmove(s->knows, s->knows + 1, s->nr_paths);
}

/* The oldest has the least chance: paths with it were passed by with all others. */
static void drop_oldest_state(struct leave_search *s)
{
	unsigned int i, left = 0;

	for (i = 0; i < s->nr_paths; i++) {
		if (!s->knows[i])
			continue;
		s->at[left] = s->at[i];
		s->knows[left++] = s->knows[i] - 1;
	}
	s->nr_paths = left;
	memmove(s->state, s->state + 1, --s->nr_states * sizeof(s->state[0]));
}

static unsigned int find_state(struct leave_search *s, const struct leave_path *p)
{
	unsigned int i;

	for (i = s->nr_states; i; i--) {
		s->lv->cost += STATE_COST;
		if (is_same_state(&s->state[i - 1], p))
			return i - 1;
	}
	if (s->nr_states == LEAVE_STATES_MAX)
		drop_oldest_state(s);
	s->state[s->nr_states] = *p;
	return s->nr_states++;
}

/* All paths that wait are looked at. */
static void pay_for_waiting(const struct leave_search *s)
{
	s->lv->cost += s->nr_paths / WAITING_EACH;
}

/**
 * sframe_leave_other_sp() - is another SP known at a PC?
 * @s: the search
 * @p: a path that has come there; if past a call, that may never return
 *
 * Context: any.
 * Return: true if a branch leads there with another SP.
 */
bool sframe_leave_other_sp(const struct leave_search *s, const struct leave_path *p)
{
	unsigned int i;

	if (!leave_may_wait(s, p->pc))
		return false;
	pay_for_waiting(s);
	for (i = 0; i < s->nr_paths; i++) {
		if (s->pc + s->at[i] == p->pc && s->state[s->knows[i]].sp != p->sp)
			return true;
	}
	return false;
}

/**
 * sframe_leave_join_sure() - past a call: does a path that passed none lead here, too?
 * @s: the search
 * @p: the path that has come here; if so, it goes on as the other one
 *
 * Context: any.
 */
void sframe_leave_join_sure(const struct leave_search *s, struct leave_path *p)
{
	const struct leave_path *other;
	u64 pc = p->pc, at = pc - s->pc;
	unsigned int i;

	pay_for_waiting(s);
	for (i = 0; i < s->nr_paths; i++) {
		if (s->at[i] != (s64)at)
			continue;
		other = &s->state[s->knows[i]];
		if (!other->sure || other->sp != p->sp)
			continue;
		*p = *other;
		p->pc = pc;
		return;
	}
}

static bool waits_already(const struct leave_search *s, u64 pc, unsigned int state)
{
	unsigned int i;

	if (!leave_may_wait(s, pc))
		return false;
	pay_for_waiting(s);
	for (i = 0; i < s->nr_paths; i++) {
		if (s->pc + s->at[i] == pc && s->knows[i] == state)
			return true;
	}
	return false;
}

/**
 * sframe_leave_begin_path() - perhaps the other way has to be taken
 * @s: the search
 * @p: the path that is taken first, and what it knows
 * @pc: where the other one leads
 *
 * Context: any.
 */
void sframe_leave_begin_path(struct leave_search *s, const struct leave_path *p, u64 pc)
{
	unsigned int state;

	s->lv->cost += BEGIN_COST;
	/* What is behind the branch is a block, too. */
	if (s->nr_seen < s->behind_max)
		s->block = p->pc;
	if (leave_was_there(s, pc) || pc - s->pc != (u64)(s32)(pc - s->pc))
		return;
	state = find_state(s, p);
	if (waits_already(s, pc, state))
		return;
	if (s->nr_paths == LEAVE_PATHS_MAX)
		drop_first_path(s);
	if (!s->nr_paths)
		s->waiting = 0;
	s->waiting |= leave_bit(pc);
	s->at[s->nr_paths] = pc - s->pc;
	s->knows[s->nr_paths++] = state;
}

/**
 * sframe_leave_next_path() - a path has led nowhere
 * @s: the search
 * @p: filled in: the next one
 *
 * Context: any.
 * Return: false if none waits.
 */
bool sframe_leave_next_path(struct leave_search *s, struct leave_path *p)
{
	if (!s->nr_paths)
		return false;
	s->nr_paths--;
	*p = s->state[s->knows[s->nr_paths]];
	p->pc = s->pc + s->at[s->nr_paths];
	return true;
}
