// SPDX-License-Identifier: GPL-2.0
/* Writes a table whose rows come in order of address, in two rounds; see table_write.h. */
#include "table_impl.h"

/* Rules that there is room for at first; the room doubles. */
#define RULES_FIRST	256
/* Steps of a search in the hash; a rule that is not found by then counts as one too many. */
#define PROBES_MAX	64

/**
 * sframe_rule_set_init() - put in the two rules that every table has
 * @set: its arrays have room for them; @hash is empty
 *
 * Context: Any.
 */
void sframe_rule_set_init(struct sframe_rule_set *set)
{
	memset(set->rule, 0, 2 * sizeof(*set->rule));
	set->rule[SFRAME_ID_GAP].flags = SFRAME_RULE_NO_FDE;
	set->rule[SFRAME_ID_BAD].flags = SFRAME_RULE_BAD;
	set->nr = 2;
}

static size_t rule_set_bytes(u32 room)
{
	return room * (sizeof(struct sframe_rule) + 2 * sizeof(u16));
}

static u32 rule_hash(const struct sframe_rule *rule)
{
	u64 v[2], h;

	memcpy(v, rule, sizeof(v));
	h = (v[0] ^ (v[1] * 0x9e3779b97f4a7c15ull)) * 0xd6e8feb86659fd93ull;
	return h >> 32 ^ h >> 47;
}

/**
 * sframe_rule_place() - find a rule, or a free place for it
 * @set: the rules
 * @rule: a rule
 *
 * Context: Any.
 * Return: a place in the hash, free or holding the rule's number; NULL if there is none
 *	near.
 */
u16 *sframe_rule_place(const struct sframe_rule_set *set,
		       const struct sframe_rule *rule)
{
	u32 slot = rule_hash(rule);
	unsigned int i;

	for (i = 0; i < PROBES_MAX; i++, slot++) {
		u16 *place = &set->hash[slot & set->hash_mask];

		if (!*place || !memcmp(&set->rule[*place], rule, sizeof(*rule)))
			return place;
	}
	return NULL;
}

/* Double the room for rules, or make the first. */
static enum sframe_reason rule_set_grow(struct sframe_rule_set *set, size_t *avail)
{
	u32 room = set->rule ? set->hash_mask + 1 : RULES_FIRST;
	struct sframe_rule_set old = *set;
	enum sframe_reason reason;
	u16 *place;
	void *mem;
	u32 i;

	reason = sframe_alloc_within(avail, rule_set_bytes(room), &mem);
	if (reason)
		return reason;
	set->rule = mem;
	set->hash = (u16 *)(set->rule + room);
	set->hash_mask = 2 * room - 1;
	memset(set->hash, 0, 2 * room * sizeof(u16));
	for (i = 0; i < old.nr; i++) {
		set->rule[i] = old.rule[i];
		place = i > SFRAME_ID_BAD ? sframe_rule_place(set, &set->rule[i]) :
					    NULL;
		if (place)
			*place = i;
	}
	if (old.rule)
		*avail += rule_set_bytes(room / 2);
	sframe_free(old.rule);
	return SFRAME_OK;
}

/* Begin the first round. */
static enum sframe_reason init_writer(struct sframe_writer *w, u64 base, u64 span, size_t *avail)
{
	enum sframe_reason reason;

	memset(w, 0, sizeof(*w));
	w->base = base;
	w->span = span;
	w->avail = avail;
	reason = rule_set_grow(&w->rules, avail);
	if (reason)
		return reason;
	sframe_rule_set_init(&w->rules);
	return SFRAME_OK;
}

/**
 * sframe_writer_rule() - number a rule
 * @w: the table
 * @rule: a rule; neither the gap nor the refused one
 *
 * Context: May sleep.
 * Return: its number, new or known; SFRAME_ID_BAD if there are too many, or no
 *	memory, which @w->failed remembers. In the second round the same as in
 *	the first, unless that had no place for it.
 */
u16 sframe_writer_rule(struct sframe_writer *w, const struct sframe_rule *rule)
{
	struct sframe_rule_set *set = &w->rules;
	u16 *place = sframe_rule_place(set, rule);

	if (place && *place)
		return *place;
	if (w->table || w->failed || set->nr == SFRAME_RULES_MAX)
		return SFRAME_ID_BAD;
	if (set->nr > set->hash_mask / 2) {
		w->failed = rule_set_grow(set, w->avail);
		if (w->failed)
			return SFRAME_ID_BAD;
		place = sframe_rule_place(set, rule);
	}
	if (!place)
		return SFRAME_ID_BAD;
	set->rule[set->nr] = *rule;
	*place = set->nr;
	return set->nr++;
}

/*
 * There is no room for a row, where it should end the one written last: so from where that
 * begins, nothing is known.
 */
static void refuse_last_row(struct sframe_table *t)
{
	u32 last = t->nr_rows - 1;

	sframe_table_set_row(t, last, t->off[last], SFRAME_ID_BAD);
}

/**
 * sframe_writer_put() - write the row that was added last
 * @w: the table
 *
 * A row that says the same as the one before is left out, but for the first.
 *
 * Context: May sleep.
 */
void sframe_writer_put(struct sframe_writer *w)
{
	struct sframe_table *t = w->table;

	if (w->nr_rows && w->id == w->last)
		return;
	sframe_tick(&w->ticks);
	if (t) {
		/*
		 * A rule that collided with too many others may have got a place once
		 * the set had grown, so this round may have more rows than the first.
		 */
		if (unlikely(w->nr_rows == t->nr_rows)) {
			refuse_last_row(t);
			return;
		}
		while (w->next_block <= w->pc >> SFRAME_BLOCK_SHIFT)
			((u32 *)t->block)[w->next_block++] = w->nr_rows;
		sframe_table_set_row(t, w->nr_rows, w->pc, w->id);
	}
	w->last = w->id;
	w->nr_rows++;
}

/* Write the row that was added last, if it is inside the table. */
static void put_last_row(struct sframe_writer *w)
{
	if (w->pc < w->span)
		sframe_writer_put(w);
}

/* Begin the second round: all rows were added once. */
static enum sframe_reason begin_writing(struct sframe_writer *w)
{
	enum sframe_reason reason = w->failed;

	put_last_row(w);
	if (!reason)
		reason = sframe_table_alloc(w->span, w->nr_rows, &w->rules,
					    w->avail, &w->table);
	w->nr_rows = 0;
	w->pc = 0;
	w->id = SFRAME_ID_GAP;
	return reason;
}

/* The table is complete: all rows were added twice. */
static void end_writing(struct sframe_writer *w, struct sframe_table **table)
{
	struct sframe_table *t = w->table;
	u32 blocks = sframe_nr_blocks(w->span);

	put_last_row(w);
	while (w->next_block <= blocks)
		((u32 *)t->block)[w->next_block++] = w->nr_rows;
	t->base = w->base;
	t->nr_rows = w->nr_rows;
	*table = t;
	w->table = NULL;
}

/**
 * sframe_writer_run() - write a table
 * @w: filled in here; for sframe_writer_add() and sframe_writer_rule()
 * @base: link-time address of its first block, a multiple of the block size
 * @span: bytes that it covers
 * @len: bytes of what it is made from: see sframe_index_too_big()
 * @avail: bytes that may be allocated at any time from now on
 * @add_rows: adds all rows; called twice
 * @ctx: handed to @add_rows
 * @table: the table, to be freed with sframe_table_free()
 *
 * Context: May sleep.
 * Return: SFRAME_OK, SFRAME_TOO_BIG, SFRAME_NO_MEMORY, or why rows could not be added.
 */
enum sframe_reason sframe_writer_run(struct sframe_writer *w, u64 base, u64 span, u64 len,
				     size_t *avail, sframe_rows_fn add_rows, void *ctx,
				     struct sframe_table **table)
{
	enum sframe_reason reason;

	if (sframe_index_too_big(span, len))
		return SFRAME_TOO_BIG;
	reason = init_writer(w, base, span, avail);
	if (!reason)
		reason = add_rows(ctx, true);
	if (!reason)
		reason = begin_writing(w);
	if (!reason)
		reason = add_rows(ctx, false);
	if (!reason)
		end_writing(w, table);
	sframe_free(w->rules.rule);
	sframe_free(w->table);
	return reason;
}
