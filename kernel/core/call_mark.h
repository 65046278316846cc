/* SPDX-License-Identifier: GPL-2.0 */
/* What those share that leave frames by the marks behind HotSpot's calls. */
#ifndef SFRAME_CALL_MARK_H
#define SFRAME_CALL_MARK_H

#include <sframe/cursor.h>

struct sframe_frame;

/* Entry points of functions are aligned to that. */
#define MARKED_ENTRY_ALIGN	16

u64 sframe_read_call_mark(struct sframe_cursor *cur, u64 ra);
bool sframe_read_frame_size(struct sframe_cursor *cur, u64 at, u64 to, u64 *size);
u64 sframe_find_frame_size(struct sframe_cursor *cur, u64 from, u64 to);
bool sframe_leave_marked_frame(struct sframe_cursor *cur, u64 sp, u64 size, u64 fp_at,
			       struct sframe_frame *to);

#endif /* SFRAME_CALL_MARK_H */
