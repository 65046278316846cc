// SPDX-License-Identifier: GPL-2.0
/*
 * Takes so many MiB of memory, all of it, for a second.
 *
 * usage: hog MIB
 */
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#define MIB	(1024l * 1024)

int main(int argc, char **argv)
{
	long size = argc == 2 ? atol(argv[1]) * MIB : 0, i;
	char *p;

	if (size <= 0)
		return 2;
	p = mmap(NULL, size, PROT_READ | PROT_WRITE,
		 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (p == MAP_FAILED)
		return 1;
	for (i = 0; i < size; i += 4096)
		p[i] = 1;
	sleep(1);
	return 0;
}
