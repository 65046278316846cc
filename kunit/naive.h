/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The lookup as the format describes it, by reading everything each time.
 */
#ifndef KUNIT_NAIVE_H
#define KUNIT_NAIVE_H

#include <sframe/table.h>

/*
 * naive_lookup(): what sframe_table_lookup() should find for @pc, but for the
 * limits on work: every function of @sec is looked at, then every row of the
 * one that holds @pc.
 */
struct sframe_rule naive_lookup(const struct sframe_section *sec,
				const struct sframe_segment *text,
				unsigned int nr_text, u64 pc);

#endif /* KUNIT_NAIVE_H */
