// SPDX-License-Identifier: GPL-2.0
/*
 * Frames of a size known only at run time: a VLA, alloca() in a loop, and a
 * frame-less function between them.
 *
 * stacks: touch (vla | plain vla | grow plain vla) main
 * stacks: grow plain vla main
 * stacks: plain vla main
 * stacks: vla main
 * stacks: main
 */
#include <alloca.h>

#include "stacks.h"

FN void touch(char *p, int n)
{
	p[n - 1] = (char)n;
	burn();
}

FN void grow(int n)
{
	int i;

	for (i = 1; i < n; i++) {
		char *p = alloca(16 * i);

		touch(p, 16 * i);
	}
}

FN int plain(int n)
{
	char small[40];

	touch(small, 40);
	grow(n);
	return small[39];
}

FN int vla(int n)
{
	char buf[n];

	touch(buf, n);
	plain(n / 100);
	touch(buf, n);
	return buf[n - 1];
}

int main(int argc, char **argv)
{
	limit(argc, argv);
	while (time_left())
		vla(500);
	return 0;
}
