/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The process that an input stands for, as a walk sees it.
 */
#ifndef FUZZ_WORLD_H
#define FUZZ_WORLD_H

#include <sframe/answers.h>
#include <sframe/trail.h>

#include "fuzz.h"

struct world {
	const struct input *in;
	const struct sframe_table *table;
	const u8 *code;		/* world_code() */
	bool coming;		/* some tables are not there yet */
	bool keeps_fp;		/* functions without a row keep frame pointers */
	struct sframe_answers *answers;	/* or NULL */
	u64 changing;		/* what has any of these bits in its address may change */
	u64 changed;		/* address of a byte that has, or 0 */
};

/* Of a walk; its ctx is a struct world. */
extern const struct sframe_cursor_ops world_ops;
extern const struct sframe_peek_ops world_peeks;

/* The code that all inputs of an ABI have. */
const u8 *world_code(const struct sframe_abi *abi);
bool world_is_mapped(const struct world *w, u64 addr, u64 len);

#endif /* FUZZ_WORLD_H */
