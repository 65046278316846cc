// SPDX-License-Identifier: GPL-2.0
/*
 * The core's allocator: counts, and fails when told to.
 */
#include "fuzz.h"

long alloc_fail_at;
long alloc_live;

void *sframe_alloc(size_t size)
{
	void *p;

	if (alloc_fail_at && !--alloc_fail_at)
		return NULL;
	p = malloc(size);
	alloc_live += !!p;
	return p;
}

void sframe_free(const void *p)
{
	alloc_live -= !!p;
	free((void *)p);
}
