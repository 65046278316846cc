// SPDX-License-Identifier: GPL-2.0
/*
 * Has the kernel fail, in turn, every single thing that can fail (allocations,
 * copies from and to user space) in what this process asks of it.
 *
 * usage: failing module FILE		insert the module, and take it away again
 *        failing life FILE		map FILE, run, fork, exit
 *
 * Prints how many there are, and how many made what was asked for fail. Ends
 * when some rounds in a row met no failure any more: not all are alike.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "burn.h"

#define MAX_FAILURES	20000
#define QUIET_ROUNDS	20

static int control;

static void fail_nth(unsigned int n)
{
	char text[16];
	int len = snprintf(text, sizeof(text), "%u", n);

	/* The first attempt may be what fails. */
	if (pwrite(control, text, len, 0) != len &&
	    pwrite(control, text, len, 0) != len)
		exit(3);
}

/* How many things are left until one would fail; 0 if one did. */
static unsigned int left(void)
{
	char text[16] = "";

	if (pread(control, text, sizeof(text) - 1, 0) <= 0 &&
	    pread(control, text, sizeof(text) - 1, 0) <= 0)
		exit(4);
	return atoi(text);
}

/* All of a file, and its length. */
static void *read_file(const char *path, size_t *len)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct stat st;
	void *p;

	if (fd < 0 || fstat(fd, &st))
		return NULL;
	*len = st.st_size;
	p = malloc(*len);
	if (p && read(fd, p, *len) != st.st_size)
		return NULL;
	close(fd);
	return p;
}

/*
 * 0, or -1 if it was not inserted. From memory: a kernel that finds none to
 * read a file into says so with a stack trace.
 */
static int module(void *image, size_t len)
{
	return syscall(SYS_init_module, image, len, "");
}

static void remove_module(void)
{
	if (!syscall(SYS_delete_module, "sframe", O_NONBLOCK))
		return;
	perror("delete_module");
	exit(5);
}

/* A mapping that is noticed, samples of this program, a child. 0, or -1. */
static int life(const char *path)
{
	size_t page = sysconf(_SC_PAGESIZE), len = 4 * page;
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	long end = cpu_ms() + 3;
	pid_t pid;
	char *p;

	if (fd < 0)
		return -1;
	p = mmap(NULL, len, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0);
	close(fd);
	if (p == MAP_FAILED)
		return -1;
	while (cpu_ms() < end)
		burn(1000);
	pid = fork();
	if (!pid) {
		burn(100000);
		_exit(0);
	}
	mprotect(p, page, PROT_READ);
	munmap(p, len);
	if (pid < 0)
		return -1;
	while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
		;
	return 0;
}

int main(int argc, char **argv)
{
	unsigned int n = 1, rest, quiet = 0, failed = 0;
	void *image = NULL;
	size_t len = 0;
	int ret = 0;

	if (argc != 3)
		return 2;
	if (!strcmp(argv[1], "module")) {
		image = read_file(argv[2], &len);
		if (!image)
			return 2;
	}
	control = open("/proc/self/fail-nth", O_RDWR | O_CLOEXEC);
	if (control < 0)
		return 6;
	while (n < MAX_FAILURES && quiet < QUIET_ROUNDS) {
		fail_nth(n);
		ret = image ? module(image, len) : life(argv[2]);
		rest = left();
		fail_nth(0);
		failed += !!ret;
		if (image && !ret)
			remove_module();
		quiet = rest ? quiet + 1 : 0;
		n += !rest;
	}
	printf("%s: %u things can fail, %u of them are fatal\n", argv[1], n - 1,
	       failed);
	return n == 1 || n == MAX_FAILURES || ret;
}
