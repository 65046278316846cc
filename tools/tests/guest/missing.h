/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Memory whose pages user space ought to bring (userfaultfd).
 */
#ifndef MISSING_H
#define MISSING_H

#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

/*
 * The middle of @size bytes; who touches them waits until somebody answers @fd. 0 if
 * there are none to be had.
 */
static inline unsigned long missing_stack(unsigned long size, int *fd)
{
	struct uffdio_register reg = { .mode = UFFDIO_REGISTER_MODE_MISSING };
	struct uffdio_api api = { .api = UFFD_API };
	void *p = mmap(NULL, size, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	*fd = syscall(SYS_userfaultfd, O_CLOEXEC);
	reg.range.start = (unsigned long)p;
	reg.range.len = size;
	if (*fd < 0 || p == MAP_FAILED || ioctl(*fd, UFFDIO_API, &api) ||
	    ioctl(*fd, UFFDIO_REGISTER, &reg))
		return 0;
	return reg.range.start + size / 2;
}

#endif
