// SPDX-License-Identifier: GPL-2.0
/*
 * From .gopclntab to a table. The functions, which come in order of address, are read
 * twice: to count rows and collect rules, then to write them (table_write.h).
 */
#include "gopclntab.h"
#include "table_impl.h"

/**
 * struct build - a table being built
 * @h: the section
 * @text: executable segments
 * @nr_text: how many
 * @funcs: counts functions that are left out; NULL but while they are measured
 * @rows: counts rows that are left out; NULL but in the first round
 * @row_budget: rows that may still be read in this round. Functions share rows: without
 *	a limit, a few bytes could be the rows of hundreds of megabytes of code
 * @ticks: counts towards the next sframe_relax()
 * @writer: the table
 */
struct build {
	struct sframe_go_header h;
	const struct sframe_segment *text;
	unsigned int nr_text;
	struct sframe_skips *funcs;
	struct sframe_skips *rows;
	u64 row_budget;
	u32 ticks;
	struct sframe_writer writer;
};

static void count_skipped(struct sframe_skips *skips, enum sframe_reason reason)
{
	if (skips && reason)
		skips->count[reason]++;
}

/*
 * Read the next function that has a place in the table, from number *@i on; the one
 * before ends at @end.
 */
static bool read_next_function(struct build *b, u64 *i, u64 end,
			       struct sframe_go_func *f)
{
	enum sframe_reason reason;

	for (; *i < b->h.nr; ++*i) {
		sframe_tick(&b->ticks);
		reason = sframe_go_func(&b->h, *i, f);
		if (!reason && f->start < end)
			reason = SFRAME_GO_ORDER;
		if (!reason && !sframe_in_text(b->text, b->nr_text, f->start,
					       f->size))
			reason = SFRAME_GO_RANGE;
		count_skipped(b->funcs, reason);
		/* Functions without a byte mark sections' ends. */
		if (!reason && f->size) {
			++*i;
			return true;
		}
	}
	return false;
}

static enum sframe_reason measure_functions(struct build *b, u64 *base, u64 *span)
{
	const u64 mask = (1ull << SFRAME_BLOCK_SHIFT) - 1;
	struct sframe_go_func f;
	u64 i = 0, end = 0;

	while (read_next_function(b, &i, end, &f)) {
		if (!end)
			*base = f.start & ~mask;
		end = f.start + f.size;
	}
	if (!end)
		return SFRAME_NO_FUNCTIONS;
	*span = end - *base;
	return SFRAME_OK;
}

static void write_row_rule(struct build *b, const struct sframe_go_frame *frame,
			   u64 at, s64 delta, bool prologue)
{
	enum sframe_reason reason;
	struct sframe_rule rule;
	u16 id = SFRAME_ID_BAD;

	reason = sframe_go_rule(frame, delta, prologue, &rule);
	if (!reason) {
		id = sframe_writer_rule(&b->writer, &rule);
		if (id == SFRAME_ID_BAD)
			reason = SFRAME_RULES_FULL;
	}
	/* A reason is counted once a row: with the row's rest. */
	if (!prologue)
		count_skipped(b->rows, reason);
	sframe_writer_add(&b->writer, at, id);
}

/* Read a function's next row, as sframe_go_rows_next() does, if the budget has one more. */
static bool read_next_row(struct build *b, struct sframe_go_rows *rows,
			  enum sframe_reason *reason)
{
	sframe_tick(&b->ticks);
	if (unlikely(!b->row_budget)) {
		*reason = SFRAME_GO_REPEAT;
		return false;
	}
	b->row_budget--;
	return sframe_go_rows_next(rows, reason);
}

/*
 * Bytes that the rows lower SP by first of all, and where, from the function's start; 0
 * if not.
 */
static s64 read_frame_size(struct build *b, const struct sframe_go_func *f, u64 *at)
{
	enum sframe_reason reason;
	struct sframe_go_rows rows;

	*at = 0;
	if (!f->rows)
		return 0;
	sframe_go_rows_init(&b->h, f, &rows);
	while (read_next_row(b, &rows, &reason) && !rows.delta && rows.end < f->size)
		*at = rows.end;
	return reason ? 0 : rows.delta;
}

/*
 * Write the first @len bytes' rows of a function, with the prologue as a row of its
 * own. Returns where they end.
 */
static u64 write_rows(struct build *b, const struct sframe_go_func *f,
		      const struct sframe_go_frame *frame, u64 len)
{
	u64 prologue = sframe_go_prologue(frame), at = 0;
	u64 start = f->start - b->writer.base;
	enum sframe_reason reason = SFRAME_OK;
	struct sframe_go_rows rows;

	sframe_go_rows_init(&b->h, f, &rows);
	while (at < len && read_next_row(b, &rows, &reason)) {
		if (rows.delta > 0 && prologue) {
			write_row_rule(b, frame, start + at, rows.delta, true);
			at += prologue;
			prologue = 0;
		}
		if (at < rows.end && at < len)
			write_row_rule(b, frame, start + at, rows.delta, false);
		at = rows.end;
	}
	count_skipped(b->rows, reason);
	if (!reason || at >= len)
		return at < len ? at : len;
	sframe_writer_add(&b->writer, start + at, SFRAME_ID_BAD);
	return len;
}

/*
 * The rule of a function that is one row: outermost; a gap, as for a signal trampoline
 * or where there are no rows; or refused.
 */
static u16 only_row_id(struct build *b, const struct sframe_go_func *f,
		       const struct sframe_go_frame *frame)
{
	const struct sframe_rule first = { .flags = SFRAME_RULE_OUTERMOST };

	if (frame->kind == SFRAME_GO_FIRST)
		return sframe_writer_rule(&b->writer, &first);
	if (frame->kind == SFRAME_GO_SIGRETURN || !f->rows)
		return SFRAME_ID_GAP;
	count_skipped(b->rows, SFRAME_GO_STACK);
	return SFRAME_ID_BAD;
}

static void write_function(struct build *b, const struct sframe_go_func *f,
			   u64 len)
{
	u64 start = f->start - b->writer.base, at;
	s64 size = read_frame_size(b, f, &at);
	struct sframe_go_frame frame;

	sframe_go_frame_init(&frame, b->h.go->abi, f, size, at);
	if (!f->rows || frame.kind == SFRAME_GO_FIRST ||
	    frame.kind == SFRAME_GO_SIGRETURN || frame.kind == SFRAME_GO_REFUSED)
		sframe_writer_add(&b->writer, start, only_row_id(b, f, &frame));
	else
		len = write_rows(b, f, &frame, len);
	sframe_writer_add(&b->writer, start + len, SFRAME_ID_GAP);
}

/*
 * Write all functions, one of two rounds. What a signal handler returns to is looked up
 * by the byte before it, which must not be the last one of another function: so that is
 * cut off.
 */
static enum sframe_reason write_functions(void *ctx, bool first)
{
	struct build *b = ctx;
	const struct sframe_abi *abi = b->h.go->abi;
	struct sframe_go_func f, next;
	bool more;
	u64 i = 0;

	if (!first)
		b->rows = NULL;
	/* Go's linker writes one row for each twenty bytes of the section. */
	b->row_budget = b->h.go->len;
	more = read_next_function(b, &i, 0, &f);
	while (more) {
		u64 len = f.size;

		more = read_next_function(b, &i, f.start + f.size, &next);
		if (more && next.start == f.start + f.size &&
		    sframe_go_kind(abi, &next) == SFRAME_GO_SIGRETURN)
			len--;
		write_function(b, &f, len);
		f = next;
	}
	return SFRAME_OK;
}

static enum sframe_reason build_go_table(struct build *b, size_t max_bytes,
					 struct sframe_skips *skips,
					 struct sframe_table **table)
{
	enum sframe_reason reason;
	u64 base, span;

	b->funcs = skips;
	reason = measure_functions(b, &base, &span);
	b->funcs = NULL;
	b->rows = skips;
	return reason ? reason : sframe_writer_run(&b->writer, base, span, b->h.go->len,
						   &max_bytes, write_functions, b, table);
}

enum sframe_reason sframe_gopclntab_build(const struct sframe_gopclntab *go,
					  const struct sframe_segment *text,
					  unsigned int nr_text,
					  size_t max_bytes,
					  struct sframe_table **table,
					  struct sframe_skips *skips)
{
	struct build b = {
		.text = text,
		.nr_text = nr_text,
	};
	enum sframe_reason reason;

	reason = sframe_go_header(go, &b.h);
	return reason ? reason : build_go_table(&b, max_bytes, skips, table);
}
