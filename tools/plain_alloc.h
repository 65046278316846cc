/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The core's allocator, for programs that want nothing of it; included once.
 */
#include <stdlib.h>

#include <sframe/env.h>

void *sframe_alloc(size_t size)
{
	return malloc(size);
}

void sframe_free(const void *p)
{
	free((void *)p);
}
