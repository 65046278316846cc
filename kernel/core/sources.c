// SPDX-License-Identifier: GPL-2.0
/*
 * One table from a file's .sframe and .eh_frame.
 */
#include <sframe/sources.h>

#include "table_impl.h"

/**
 * struct build - a table being built
 * @src: from this
 * @limits: at this cost
 * @skips: what was left out
 * @first: table of .sframe
 * @second: table of .eh_frame
 */
struct build {
	const struct sframe_sources *src;
	const struct sframe_limits *limits;
	struct sframe_skips *skips;
	struct sframe_table *first;
	struct sframe_table *second;
};

/* What may be allocated beside the tables that are there already. */
static size_t room(const struct build *b)
{
	size_t used = (b->first ? b->first->bytes : 0) +
		      (b->second ? b->second->bytes : 0);

	return used < b->limits->build_bytes ? b->limits->build_bytes - used : 0;
}

/* Let go of a table that is too large by itself. */
static enum sframe_reason check_size(const struct build *b,
				     struct sframe_table **table)
{
	if ((*table)->bytes <= b->limits->table_bytes)
		return SFRAME_OK;
	sframe_free(*table);
	*table = NULL;
	return SFRAME_TOO_BIG;
}

static enum sframe_reason build_sframe(struct build *b)
{
	const struct sframe_sources *src = b->src;
	struct sframe_section sec;
	enum sframe_reason reason;

	if (!src->sframe.data)
		return SFRAME_NO_SFRAME;
	reason = sframe_section_init(&sec, src->abi, src->sframe.data,
				     src->sframe.len, src->sframe.va, src->swap);
	if (!reason)
		reason = sframe_table_build(&sec, src->text, src->nr_text,
					    room(b), &b->first, b->skips);
	return reason ? reason : check_size(b, &b->first);
}

#if SFRAME_HAS_EH_FRAME
static enum sframe_reason build_eh_frame(struct build *b)
{
	const struct sframe_sources *src = b->src;
	const struct sframe_eh_frame eh = {
		.data = src->eh_frame.data,
		.len = src->eh_frame.len,
		.va = src->eh_frame.va,
		.hdr_va = src->eh_hdr_va,
		.abi = src->abi,
		.swap = src->swap,
	};
	enum sframe_reason reason;

	if (!src->eh_frame.data)
		return SFRAME_NO_EH_FRAME;
	reason = sframe_cfi_table_build(&eh, src->text, src->nr_text, room(b),
					&b->second, b->skips);
	return reason ? reason : check_size(b, &b->second);
}
#else
static enum sframe_reason build_eh_frame(struct build *b)
{
	return SFRAME_NO_EH_FRAME;
}
#endif

/* Both tables are there: make one of them. */
static enum sframe_reason build_both(struct build *b,
				     struct sframe_table **table)
{
	enum sframe_reason reason;

	reason = sframe_table_merge(b->first, b->second, room(b), table,
				    b->skips);
	if (!reason)
		reason = check_size(b, table);
	if (reason == SFRAME_TOO_BIG) {
		b->skips->count[reason]++;
		*table = b->first;
		b->first = NULL;
		return SFRAME_OK;
	}
	return reason;
}

static enum sframe_reason build(struct build *b, struct sframe_table **table)
{
	enum sframe_reason reason, other;

	reason = build_sframe(b);
	other = reason == SFRAME_NO_MEMORY ? reason : build_eh_frame(b);
	if (reason == SFRAME_NO_MEMORY || other == SFRAME_NO_MEMORY)
		return SFRAME_NO_MEMORY;
	if (!reason && !other)
		return build_both(b, table);
	if (reason && other)
		return reason == SFRAME_NO_SFRAME && b->src->eh_frame.data ?
		       other : reason;
	/* To have but one of them is nothing that went wrong. */
	if (reason && reason != SFRAME_NO_SFRAME)
		b->skips->count[reason]++;
	if (other && other != SFRAME_NO_EH_FRAME)
		b->skips->count[other]++;
	*table = reason ? b->second : b->first;
	b->first = NULL;
	b->second = NULL;
	return SFRAME_OK;
}

enum sframe_reason sframe_sources_build(const struct sframe_sources *src,
					const struct sframe_limits *limits,
					struct sframe_table **table,
					struct sframe_skips *skips)
{
	struct build b = {
		.src = src,
		.limits = limits,
		.skips = skips,
	};
	enum sframe_reason reason;

	memset(skips, 0, sizeof(*skips));
	reason = build(&b, table);
	sframe_free(b.first);
	sframe_free(b.second);
	return reason;
}
