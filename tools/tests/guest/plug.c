// SPDX-License-Identifier: GPL-2.0
/* A library to load, unload and overwrite: plug() burns two levels deep. */
#include "burn.h"

FN int plug_leaf(int n)
{
	burn(20000);
	return n + 1;
}

FN int plug(int n)
{
	return plug_leaf(n) + 1;
}
