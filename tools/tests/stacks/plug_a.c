// SPDX-License-Identifier: GPL-2.0
/* A plug-in of dlopen.c: small frames. */
#include "stacks.h"

void inner_a(void);
void plug_a(void);

FN void inner_a(void)
{
	burn();
}

FN void plug_a(void)
{
	burn();
	inner_a();
	burn();
}
