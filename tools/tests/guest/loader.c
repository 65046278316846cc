// SPDX-License-Identifier: GPL-2.0
/*
 * Loads a library and calls it for so many milliseconds of CPU time.
 *
 * usage: loader FILE MILLISECONDS
 */
#include <dlfcn.h>
#include <stdlib.h>

#include "burn.h"

int main(int argc, char **argv)
{
	void *dl = argc == 3 ? dlopen(argv[1], RTLD_NOW) : NULL;
	int (*plug)(int) = dl ? (int (*)(int))dlsym(dl, "plug") : NULL;

	if (!plug)
		return 2;
	while (cpu_ms() < atol(argv[2]))
		plug(0);
	return 0;
}
