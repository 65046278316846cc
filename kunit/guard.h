/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Memory that ends where an unmapped page begins, so that reading one byte
 * too many is a fault.
 */
#ifndef KUNIT_GUARD_H
#define KUNIT_GUARD_H

#include <sframe/env.h>

#ifdef __KERNEL__

#include <linux/vmalloc.h>

/* vmalloc() leaves an unmapped page behind every area. */
static inline void *guard_map(size_t size)
{
	return vmalloc(size);
}

static inline void guard_unmap(void *area, size_t size)
{
	vfree(area);
}

#define GUARD_PAGE	PAGE_SIZE

#else

#include <sys/mman.h>

#define GUARD_PAGE	65536ul

static inline void *guard_map(size_t size)
{
	char *p = mmap(NULL, size + GUARD_PAGE, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (p == MAP_FAILED)
		return NULL;
	mprotect(p + size, GUARD_PAGE, PROT_NONE);
	return p;
}

static inline void guard_unmap(void *area, size_t size)
{
	munmap(area, size + GUARD_PAGE);
}

#endif /* __KERNEL__ */

static inline size_t guard_area(size_t len)
{
	return (len + GUARD_PAGE) / GUARD_PAGE * GUARD_PAGE;
}

/* @len bytes that end at an unmapped page, or NULL. */
static inline u8 *guard_alloc(size_t len)
{
	u8 *p = guard_map(guard_area(len));

	return p ? p + guard_area(len) - len : NULL;
}

static inline void guard_free(u8 *mem, size_t len)
{
	if (mem)
		guard_unmap(mem + len - guard_area(len), guard_area(len));
}

#endif /* KUNIT_GUARD_H */
