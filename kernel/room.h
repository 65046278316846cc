/* SPDX-License-Identifier: GPL-2.0 */
/* Room for tables, and memory to build them, in what their users may hold. */
#ifndef SFRAME_ROOM_H
#define SFRAME_ROOM_H

#include <linux/types.h>

#include <sframe/reason.h>

struct sframe_payer;

enum sframe_reason sframe_build_memory_take(struct sframe_payer *payer,
					    size_t bytes);
void sframe_build_memory_give(struct sframe_payer *payer, size_t bytes);
enum sframe_reason sframe_room_reserve(struct sframe_payer *payer,
				       size_t bytes);
enum sframe_reason sframe_room_settle(struct sframe_payer *payer,
				      size_t reserved, size_t used);

#endif /* SFRAME_ROOM_H */
