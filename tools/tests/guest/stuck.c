// SPDX-License-Identifier: GPL-2.0
/*
 * Burns with its stack and frame pointer in memory whose pages user space
 * ought to bring (userfaultfd), and never does: who reads it there waits for
 * ever. Prints a line when it is about to begin.
 *
 * usage: stuck
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "burn.h"
#include "spin.h"

#define SIZE	(64 * 1024ul)

FN void spin_sp(unsigned long sp, unsigned long fp, unsigned long n)
{
	SPIN(sp, fp, n);
}

int main(void)
{
	struct uffdio_register reg = { .mode = UFFDIO_REGISTER_MODE_MISSING };
	struct uffdio_api api = { .api = UFFD_API };
	int fd = syscall(SYS_userfaultfd, O_CLOEXEC);
	void *p = mmap(NULL, SIZE, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	reg.range.start = (unsigned long)p;
	reg.range.len = SIZE;
	if (fd < 0 || p == MAP_FAILED || ioctl(fd, UFFDIO_API, &api) ||
	    ioctl(fd, UFFDIO_REGISTER, &reg))
		return 2;
	puts("stuck");
	fflush(stdout);
	for (;;)
		spin_sp(reg.range.start + SIZE / 2, reg.range.start + SIZE / 2,
			1ul << 30);
}
