// SPDX-License-Identifier: GPL-2.0
/* A plug-in of dlopen.c: large frames. */
#include "stacks.h"

void inner_b(void);
void plug_b(void);

FN void inner_b(void)
{
	volatile char room[700];

	room[1] = 1;
	burn();
	room[2] = 2;
}

FN void plug_b(void)
{
	volatile char room[5000];

	room[1] = 1;
	burn();
	inner_b();
	burn();
	room[2] = 2;
}
