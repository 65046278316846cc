// SPDX-License-Identifier: GPL-2.0
/*
 * Burns with its stack and frame pointer in memory whose pages user space
 * ought to bring (userfaultfd), and never does: who reads it there waits for
 * ever. Prints a line when it is about to begin.
 *
 * usage: stuck
 */
#define _GNU_SOURCE
#include <stdio.h>

#include "burn.h"
#include "missing.h"
#include "spin.h"

#define SIZE	(64 * 1024ul)

FN void spin_sp(unsigned long sp, unsigned long fp, unsigned long n)
{
	SPIN(sp, fp, n);
}

int main(void)
{
	int fd;
	unsigned long at = missing_stack(SIZE, &fd);

	if (!at)
		return 2;
	puts("stuck");
	fflush(stdout);
	for (;;)
		spin_sp(at, at, 1ul << 30);
}
