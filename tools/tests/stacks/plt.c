// SPDX-License-Identifier: GPL-2.0
/*
 * Calls through the PLT into a library that has tables, and from there back
 * into the program through a pointer and through its own PLT.
 *
 * stacks: uncovered V1: @plt
 * stacks: (dso_leaf | dso_mid | dso_tiny) user main
 * stacks: (dso_leaf | dso_tiny | back | own_leaf back) dso_mid user main
 * stacks: own_leaf user main
 * stacks: @plt user main
 * stacks: @plt dso_mid user main
 * stacks: @libc+ (@plt | dso_mid)? user main
 * stacks: user main
 * stacks: main
 */
#include "stacks.h"

int dso_mid(int n, int (*fn)(int));
int dso_leaf(int n);
int dso_tiny(int n);

FN int own_leaf(int n)
{
	burn();
	return n;
}

FN int back(int n)
{
	return own_leaf(n) + 1;
}

FN int user(int n)
{
	int i;

	for (i = 0; i < 3000; i++)
		n += dso_tiny(i);
	return dso_mid(n, back) + dso_leaf(n) + own_leaf(n);
}

int main(int argc, char **argv)
{
#ifdef TAKE_ADDRESS
	/* A function called and compared as well gets its stub in .plt.got. */
	if (dso_tiny == (int (*)(int))(void *)argv || dso_leaf == dso_tiny)
		return 3;
#endif
	limit(argc, argv);
	while (time_left())
		user(argc);
	return 0;
}
