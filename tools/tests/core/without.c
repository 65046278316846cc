// SPDX-License-Identifier: GPL-2.0
/*
 * A program with all of the core but the readers of .eh_frame and .gopclntab: that it can be
 * linked is what matters.
 */
#include <sframe/sources.h>

#include "plain_alloc.h"

int main(void)
{
	const struct sframe_sources none = { .abi = &sframe_abi_x86 };
	const struct sframe_limits limits = { 0 };
	struct sframe_table *table;
	struct sframe_skips skips;

	return sframe_sources_build(&none, &limits, &table, &skips) != SFRAME_NO_SFRAME;
}
