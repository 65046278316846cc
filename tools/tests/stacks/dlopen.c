// SPDX-License-Identifier: GPL-2.0
/*
 * Two plug-ins whose frames differ, opened and closed in turn: they land at
 * the same address, so a table kept too long gives wrong frames. What a plug-in does
 * when it is closed calls libc through its own PLT.
 *
 * stacks: (inner_a | @plt)? plug_a use main
 * stacks: (inner_b | @plt)? plug_b use main
 * stacks: @libc+ (@plt | use) main
 * stacks: @plt? @libc+ use main
 * stacks: @plt use main
 * stacks: use main
 * stacks: main
 */
#include <dlfcn.h>
#include <stdlib.h>

#include "stacks.h"

FN void use(const char *file, const char *symbol)
{
	void *lib = dlopen(file, RTLD_NOW);
	void (*plug)(void);
	int i;

	if (!lib)
		exit(3);
	plug = (void (*)(void))dlsym(lib, symbol);
	if (!plug)
		exit(4);
	for (i = 0; i < 10; i++)
		plug();
	if (dlclose(lib))
		exit(5);
}

int main(int argc, char **argv)
{
	limit(argc, argv);
	while (time_left()) {
		use("libplug_a.so", "plug_a");
		use("libplug_b.so", "plug_b");
	}
	return 0;
}
