// SPDX-License-Identifier: GPL-2.0
/*
 * From functions of .sframe, in ascending order, to one list of (address, rule). Each
 * distinct rule is kept once. Called by table_build.c.
 */
#include "table_impl.h"

/**
 * sframe_rows_prepare() - allocate room for rows and rules
 * @b: measured, so that @b->max_rows is known
 *
 * Context: May sleep.
 * Return: SFRAME_OK, SFRAME_TOO_BIG or SFRAME_NO_MEMORY.
 */
enum sframe_reason sframe_rows_prepare(struct sframe_build *b)
{
	const u64 memo = SFRAME_MEMO_SIZE * sizeof(*b->memo);
	u64 rules, pcs, hash, slots = 4;
	u64 max_rules = b->max_rows + 2;
	enum sframe_reason reason;
	u8 *p;

	if (max_rules > SFRAME_RULES_MAX)
		max_rules = SFRAME_RULES_MAX;
	while (slots < max_rules + max_rules / 2)
		slots *= 2;
	rules = max_rules * sizeof(*b->rules.rule);
	pcs = b->max_rows * sizeof(*b->pc);
	hash = slots * sizeof(*b->rules.hash);
	reason = sframe_alloc_within(&b->avail, memo + rules + pcs + hash +
				     b->max_rows * sizeof(*b->id), &b->scratch);
	if (reason)
		return reason;
	p = b->scratch;
	b->memo = b->scratch;
	b->rules.rule = (struct sframe_rule *)(p + memo);
	b->pc = (u32 *)(p + memo + rules);
	b->rules.hash = (u16 *)(p + memo + rules + pcs);
	b->id = (u16 *)(p + memo + rules + pcs + hash);
	b->rules.hash_mask = slots - 1;
	memset(b->memo, 0, memo);
	memset(b->rules.hash, 0, hash);
	sframe_rule_set_init(&b->rules);
	b->row_budget = b->sec->fre_len / SFRAME_ROW_MIN_SIZE;
	b->repeat_budget = SFRAME_REPEAT_ROWS_MAX;
	b->pc[0] = 0;
	b->id[0] = SFRAME_ID_GAP;
	b->nr_rows = 1;
	return SFRAME_OK;
}

/* Number a rule: the one it has already, or a new one. */
static u16 number_rule(struct sframe_build *b, const struct sframe_rule *rule)
{
	struct sframe_rule_set *set = &b->rules;
	u16 *place = sframe_rule_place(set, rule);

	if (place && *place)
		return *place;
	if (!place || set->nr == SFRAME_RULES_MAX) {
		b->skips->count[SFRAME_RULES_FULL]++;
		return SFRAME_ID_BAD;
	}
	set->rule[set->nr] = *rule;
	*place = set->nr;
	return set->nr++;
}

/*
 * Add a row: from @pc on, rule @id holds. A row of no bytes is dropped, but the first
 * one stays, at address 0.
 */
static void emit_row(struct sframe_build *b, u32 pc, u16 id)
{
	u32 last = b->nr_rows - 1;

	if (b->pc[last] == pc && last)
		last--;
	if (b->pc[last] == pc) {
		b->id[last] = id;
	} else if (b->id[last] != id) {
		last++;
		b->pc[last] = pc;
		b->id[last] = id;
	}
	b->nr_rows = last + 1;
}

/* Refuse everything from @pc on, even if rows were added for it. */
static void emit_refused_row(struct sframe_build *b, u32 pc)
{
	while (b->nr_rows > 1 && b->pc[b->nr_rows - 1] > pc)
		b->nr_rows--;
	emit_row(b, pc, SFRAME_ID_BAD);
}

/**
 * struct block - one run of a function's rows: all of them, or one period if they repeat
 * @fde: the function
 * @origin: address that row starts count from
 * @len: bytes from @origin on that no later function claims
 * @period: rows at or past this offset hold for nothing
 * @budget: rows that may still be read
 * @exhausted: the reason if none may
 */
struct block {
	const struct sframe_fde *fde;
	u32 origin;
	u32 len;
	u32 period;
	u32 *budget;
	enum sframe_reason exhausted;
};

/*
 * All that a row's rule depends on, in one word that is never 0; 0 if the row is too
 * long for that.
 */
static u64 row_key(const struct sframe_fde *fde,
		   const struct sframe_raw_row *raw)
{
	u64 key = 0;
	u32 i;

	if (raw->len > 6)
		return 0;
	for (i = 0; i < raw->len; i++)
		key = key << 8 | raw->words[i];
	return key << 16 | raw->info << 8 | 8 | fde->flex << 2 |
	       fde->signal << 1 | (fde->pcmask && fde->num_rows == 1);
}

/* The number of a row's rule. Most rows are like an earlier one, so each kind is decoded once. */
static u16 row_rule_id(struct sframe_build *b, const struct sframe_fde *fde,
		       const struct sframe_raw_row *raw, bool count)
{
	u64 key = row_key(fde, raw);
	struct sframe_memo *memo = &b->memo[key * 0x9e3779b97f4a7c15ull >> 56];
	enum sframe_reason reason;
	struct sframe_rule rule;
	u16 id;

	if (likely(key && memo->key == key))
		return memo->id;
	reason = sframe_row_rule(b->sec, fde, raw, &rule);
	if (reason) {
		b->skips->count[reason] += count;
		return SFRAME_ID_BAD;
	}
	/* All walks strip a PAC; and with no flag at all a frame is stepped over inline. */
	rule.flags &= ~SFRAME_RULE_MANGLED;
	id = number_rule(b, &rule);
	if (id != SFRAME_ID_BAD) {
		memo->key = key;
		memo->id = id;
	}
	return id;
}

/*
 * Read one run of rows. Returns why that ended early; then from @from on nothing is
 * certain: a row that cannot be read might begin anywhere after the last one that
 * could, so that one is doubtful, too; rows out of order make all of them doubtful.
 */
static enum sframe_reason read_block_rows(struct sframe_build *b, struct block *bl,
					  bool count, u32 *from)
{
	enum sframe_reason reason;
	u32 left = *bl->budget;
	struct sframe_raw_row raw;
	struct sframe_rows rows;
	bool first;

	*from = 0;
	for (sframe_rows_init(&rows, b->sec, bl->fde); rows.left;) {
		if (unlikely(!left))
			return bl->exhausted;
		*bl->budget = --left;
		if (unlikely(left % SFRAME_TICKS == 0))
			sframe_relax();
		first = rows.left == bl->fde->num_rows;
		reason = sframe_rows_raw(&rows, &raw);
		if (unlikely(reason))
			return reason;
		if (unlikely(!first && raw.start <= *from)) {
			*from = 0;
			return SFRAME_ROW_ORDER;
		}
		if (unlikely(raw.start >= bl->period)) {
			if (raw.start > bl->period && count)
				b->skips->count[SFRAME_ROW_PAST_END]++;
			break;
		}
		*from = raw.start;
		if (raw.start < bl->len)
			emit_row(b, bl->origin + raw.start,
				 row_rule_id(b, bl->fde, &raw, count));
	}
	return SFRAME_OK;
}

/* Add one run of rows; where reading ended early, the rest is refused. */
static enum sframe_reason emit_block_rows(struct sframe_build *b, struct block *bl,
					  bool count)
{
	enum sframe_reason reason;
	u32 from;

	reason = read_block_rows(b, bl, count, &from);
	if (reason && from < bl->len)
		emit_refused_row(b, bl->origin + from);
	return reason;
}

/**
 * sframe_rows_period() - after how many bytes a function's rows repeat
 * @b: the table
 * @fde: a valid function
 *
 * Context: Any.
 * Return: its size if they do not, or need not be: a PCMASK function whose
 *	only row holds for all of it, or that is no longer than one block.
 */
u32 sframe_rows_period(const struct sframe_build *b,
		       const struct sframe_fde *fde)
{
	struct sframe_rows rows;
	struct sframe_row row;

	if (!fde->pcmask || fde->rep_size >= fde->size)
		return fde->size;
	sframe_rows_init(&rows, b->sec, fde);
	if (fde->num_rows == 1 && !sframe_rows_next(&rows, &row) && !row.start)
		return fde->size;
	return fde->rep_size;
}

/* Add a function's rows, period after period if they repeat. */
static void emit_blocks(struct sframe_build *b, const struct sframe_fde *fde,
			u32 start, u32 end)
{
	enum sframe_reason reason = SFRAME_OK;
	u32 period = sframe_rows_period(b, fde);
	struct block bl = {
		.fde = fde,
		.period = period,
		.budget = &b->row_budget,
		.exhausted = SFRAME_FDE_BUDGET,
	};
	u64 at;

	if (period != fde->size) {
		bl.budget = &b->repeat_budget;
		bl.exhausted = SFRAME_FDE_REPEAT;
	}
	for (at = start; at < end && reason != bl.exhausted; at += period) {
		bl.origin = at;
		bl.len = end - at;
		if (at > start)
			emit_row(b, at, SFRAME_ID_GAP);
		reason = emit_block_rows(b, &bl, at == start);
		if (reason && (at == start || reason == bl.exhausted))
			b->skips->count[reason]++;
	}
}

/**
 * sframe_rows_collect() - add a function's rows
 * @b: the table; holds only functions with starts not above this one's
 * @fde: the function
 * @refused: SFRAME_OK, or why its rows cannot be used
 * @len: bytes of it that no later function claims
 *
 * A function without rows: in version 3 it is a signal trampoline, if it says so, or
 * has no caller; in earlier versions it has no rules.
 *
 * Context: May sleep.
 */
void sframe_rows_collect(struct sframe_build *b, const struct sframe_fde *fde,
			 enum sframe_reason refused, u32 len)
{
	u32 start = fde->start - b->base;
	struct sframe_rule whole = {
		.flags = fde->signal ? SFRAME_RULE_SIGNAL :
				       SFRAME_RULE_OUTERMOST,
	};

	emit_row(b, start, SFRAME_ID_GAP);
	if (refused)
		emit_row(b, start, SFRAME_ID_BAD);
	else if (fde->num_rows)
		emit_blocks(b, fde, start, start + len);
	else if (b->sec->version == SFRAME_VERSION_3 && !fde->flex)
		emit_row(b, start, number_rule(b, &whole));
	emit_row(b, start + len, SFRAME_ID_GAP);
}
