/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the two ways to leave a frame share: by its rule, by a frame record.
 */
#ifndef SFRAME_CURSOR_IMPL_H
#define SFRAME_CURSOR_IMPL_H

#include <sframe/cursor.h>

/* What one walk may spend on verifying frame records; see record.c. */
#define SFRAME_SCAN_BUDGET	8192

/**
 * struct sframe_frame - the caller's registers, as a step finds them
 * @cfa: of the frame that is left
 * @sp: stack pointer, if @sp_known
 * @fp: frame pointer, if @fp_known
 * @ra: return address, a PAC still in it
 * @sp_known: @sp is exact
 * @fp_known: @fp may be used
 */
struct sframe_frame {
	u64 cfa;
	u64 sp;
	u64 fp;
	u64 ra;
	bool sp_known;
	bool fp_known;
};

static inline bool sframe_add(u64 base, s64 off, u64 *sum)
{
	return !__builtin_add_overflow(base, off, sum);
}

static inline bool sframe_read_word(const struct sframe_cursor *cur, u64 addr,
				    u64 *val)
{
	return !cur->ops->read(cur->ctx, addr, val, sizeof(*val));
}

static inline bool sframe_executable(enum sframe_reason found)
{
	return found == SFRAME_OK || found == SFRAME_NO_TABLE;
}

enum sframe_reason sframe_step_by_record(struct sframe_cursor *cur,
					 enum sframe_reason no_row,
					 struct sframe_frame *to);

#endif /* SFRAME_CURSOR_IMPL_H */
