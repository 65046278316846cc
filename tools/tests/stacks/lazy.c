// SPDX-License-Identifier: GPL-2.0
/*
 * A plug-in whose calls are bound when they are made for the first time: then the
 * dynamic linker is called by whoever calls, and aligns the stack.
 *
 * stacks: covered: @libc
 * stacks: @plt? call_all use main
 * stacks: @libc+ call_all use main
 * stacks: @libc+ (@plt | use | load)? main
 * stacks: @plt? @libc+ (use | load)? main
 * stacks: @plt (use | load)? main
 * stacks: (use | load)? main
 */
#include <dlfcn.h>
#include <stdlib.h>

#include "stacks.h"

static void *lib;

FN void load(void)
{
	lib = dlopen("liblazy_plug.so", RTLD_LAZY);
	if (!lib)
		exit(3);
}

FN void use(void)
{
	void (*call)(void) = (void (*)(void))dlsym(lib, "call_all");

	if (!call)
		exit(4);
	call();
}

int main(int argc, char **argv)
{
	/* With this nothing would be left to bind later. */
	if (getenv("LD_BIND_NOW"))
		return 6;
	load();
	limit(argc, argv);
	while (time_left()) {
		use();
		if (dlclose(lib))
			return 5;
		load();
	}
	return 0;
}
