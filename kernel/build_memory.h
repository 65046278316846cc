/* SPDX-License-Identifier: GPL-2.0 */
/* Limits the memory that is only needed while tables are built. */
#ifndef SFRAME_BUILD_MEMORY_H
#define SFRAME_BUILD_MEMORY_H

#include <linux/types.h>

#include <sframe/reason.h>

struct sframe_payer;

enum sframe_reason sframe_build_memory_take(struct sframe_payer *payer,
					    size_t bytes);
void sframe_build_memory_give(struct sframe_payer *payer, size_t bytes);

#endif /* SFRAME_BUILD_MEMORY_H */
