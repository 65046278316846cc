// SPDX-License-Identifier: GPL-2.0
/* The same as hostile.c's spin_sp(), in a library without tables of any kind. */
#include "burn.h"
#include "spin.h"

FN void spin_bare(unsigned long sp, unsigned long fp, unsigned long n)
{
	SPIN(sp, fp, n);
}

/* For an address behind a call, here. */
FN void bare_call(void (*fn)(void))
{
	fn();
	burn(1);
}
