// SPDX-License-Identifier: GPL-2.0
/*
 * Callbacks through a libc without tables, below a main with a frame pointer
 * (because of alloca): following it from libc leaves out "sorter" and main.
 *
 * stacks: compare @libc+ (sorter | searcher) main
 * stacks: busy compare @libc+ (sorter | searcher) main
 * stacks: (@plt | @libc+ @plt?) (sorter | searcher) main
 * stacks: (sorter | searcher | busy sorter) main
 * stacks: (@plt | @libc+ @plt?) compare @libc+ (sorter | searcher) main
 * stacks: main
 */
#include <alloca.h>
#include <stdlib.h>

#include "stacks.h"

#define ITEMS 40

/* A pointer: stdlib.h has a bsearch() to be inlined. */
static void *(*volatile search)(const void *, const void *, size_t, size_t,
				int (*)(const void *, const void *)) = bsearch;

FN void busy(void)
{
	burn();
}

FN int compare(const void *a, const void *b)
{
	busy();
	return *(const int *)a - *(const int *)b;
}

FN void sorter(int *items)
{
	int i;

	for (i = 0; i < ITEMS; i++)
		items[i] = (i * 17) % ITEMS;
	qsort(items, ITEMS, sizeof(*items), compare);
	for (i = 0; i < 400; i++)
		busy();
}

FN int searcher(int *items, int key)
{
	int *found = search(&key, items, ITEMS, sizeof(*items), compare);

	return found ? *found : 0;
}

int main(int argc, char **argv)
{
	int *items = alloca((ITEMS + argc) * sizeof(*items));
	int i;

	limit(argc, argv);
	while (time_left()) {
		sorter(items);
		for (i = 0; i < ITEMS; i++)
			searcher(items, i);
	}
	return 0;
}
