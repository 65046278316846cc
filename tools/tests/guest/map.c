// SPDX-License-Identifier: GPL-2.0
/*
 * Maps files executable, one after the other, whatever they hold, and burns
 * at a known place (main > one > two > three) while each is mapped.
 *
 * usage: map MILLISECONDS FILE...
 */
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "burn.h"

static long limit;

FN int three(int n)
{
	burn(10000);
	return n + 1;
}

FN int two(int n)
{
	while (cpu_ms() < limit)
		n = three(n);
	return n + 1;
}

FN int one(int n)
{
	return two(n) + 1;
}

static int map_one(const char *path, long ms)
{
	int fd = open(path, O_RDONLY);
	struct stat st;
	void *p;

	if (fd < 0 || fstat(fd, &st))
		return 1;
	p = mmap(NULL, st.st_size, PROT_READ | PROT_EXEC,
		 MAP_PRIVATE | MAP_NORESERVE, fd, 0);
	close(fd);
	if (p == MAP_FAILED)
		return 1;
	limit = cpu_ms() + ms;
	one(0);
	return munmap(p, st.st_size) ? 1 : 0;
}

int main(int argc, char **argv)
{
	int i, bad = 0;

	if (argc < 3)
		return 2;
	for (i = 2; i < argc; i++)
		bad |= map_one(argv[i], atol(argv[1]));
	return bad;
}
