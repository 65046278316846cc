/* SPDX-License-Identifier: GPL-2.0 */
/*
 * All that the portable core sees of the world: fixed-width types, byte access, the
 * allocator, and a pause while a table is built. With it the same core files compile
 * into the module and into user space.
 */
#ifndef SFRAME_ENV_H
#define SFRAME_ENV_H

#ifdef __KERNEL__

#include <linux/build_bug.h>
#include <linux/compiler.h>
#include <linux/sort.h>
#include <linux/string.h>
#include <linux/types.h>

/*
 * Reading headers is most of what it takes to compile the core: what needs larger ones
 * than these, as it allocates or sleeps, is in kernel/env.c.
 */

/* Called every few thousand steps of a long loop, where it may sleep. */
void sframe_relax(void);

#define sframe_sort(base, num, size, cmp) \
	sort(base, num, size, cmp, NULL)

/* A word that others may read and write at the same time, without a lock. */
#define sframe_load(p)		READ_ONCE(*(p))
#define sframe_store(p, v)	WRITE_ONCE(*(p), v)

#else /* user space */

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <assert.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

typedef uint8_t u8;
typedef uint16_t u16;
typedef uint32_t u32;
typedef uint64_t u64;
typedef int8_t s8;
typedef int16_t s16;
typedef int32_t s32;
typedef int64_t s64;

#define likely(x)	__builtin_expect(!!(x), 1)
#define unlikely(x)	__builtin_expect(!!(x), 0)

#ifndef noinline
#define noinline	__attribute__((noinline))
#endif

/* Need not be cleared, as it is written before it is read. */
#ifndef __uninitialized
#define __uninitialized
#endif

#ifndef __always_inline
#define __always_inline	inline __attribute__((always_inline))
#endif

/* A program may define it, to count how often others could have run. */
void sframe_relaxed(void) __attribute__((weak));

static inline void sframe_relax(void)
{
	if (sframe_relaxed)
		sframe_relaxed();
}

#define sframe_sort(base, num, size, cmp)	qsort(base, num, size, cmp)

#define sframe_load(p)		__atomic_load_n(p, __ATOMIC_RELAXED)
#define sframe_store(p, v)	__atomic_store_n(p, v, __ATOMIC_RELAXED)

#endif /* __KERNEL__ */

/*
 * Memory to build a table, in process context; %NULL without. Each program has its own,
 * so that tests can fail each allocation in turn.
 */
void *sframe_alloc(size_t size);
void sframe_free(const void *p);

/* Is the machine big-endian? */
#define SFRAME_MACHINE_BE	(__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__)

/*
 * Unaligned loads in the file's byte order. @swap is true when that is not
 * the machine's own; the kernel only ever passes false.
 */
static inline u16 sframe_get16(const u8 *p, bool swap)
{
	u16 v;

	memcpy(&v, p, sizeof(v));
	return swap ? __builtin_bswap16(v) : v;
}

static inline u32 sframe_get32(const u8 *p, bool swap)
{
	u32 v;

	memcpy(&v, p, sizeof(v));
	return swap ? __builtin_bswap32(v) : v;
}

static inline u64 sframe_get64(const u8 *p, bool swap)
{
	u64 v;

	memcpy(&v, p, sizeof(v));
	return swap ? __builtin_bswap64(v) : v;
}

#endif /* SFRAME_ENV_H */
