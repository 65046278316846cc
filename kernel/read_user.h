/* SPDX-License-Identifier: GPL-2.0 */
/*
 * How a walk reads the task's memory: included by walk.c alone, so that a word takes one
 * instruction there.
 */
#ifndef SFRAME_READ_USER_H
#define SFRAME_READ_USER_H

#include <linux/errno.h>
#include <linux/uaccess.h>
#include <linux/unaligned.h>

/* What one instruction can read, between the two user_access_...() below. */
#define READ_PIECE(type)						\
do {									\
	type word_;							\
									\
	unsafe_get_user(word_, (const type __user *)addr, fault);	\
	put_unaligned(word_, (type *)buf);				\
	buf += sizeof(type);						\
	addr += sizeof(type);						\
} while (0)

/*
 * By what get_user() is made of: addresses that are not the user's are refused,
 * and with page faults disabled it fails where no page is present, as
 * copy_from_user_nofault() does. What that has besides is a check of the context,
 * which walk_start() makes, and of hardened usercopy, which guards against copying
 * more to a buffer than it holds: here the core's buffers are on the stack, and
 * have room for what it asks for.
 */
static noinline int read_pieces(u64 addr, void *buf, unsigned int len)
{
	if (!user_access_begin((const void __user *)addr, len))
		return -EFAULT;
	for (; len >= sizeof(u64); len -= sizeof(u64))
		READ_PIECE(u64);
	if (len & sizeof(u32))
		READ_PIECE(u32);
	if (len & sizeof(u16))
		READ_PIECE(u16);
	if (len & sizeof(u8))
		READ_PIECE(u8);
	user_access_end();
	return 0;

fault:
	user_access_end();
	return -EFAULT;
}

static __always_inline int read_direct(u64 addr, void *buf, unsigned int len)
{
	u64 word;
	int ret;

	if (!__builtin_constant_p(len) || len != sizeof(u64))
		return read_pieces(addr, buf, len);
	ret = get_user(word, (const u64 __user *)addr);
	memcpy(buf, &word, sizeof(word));
	return ret;
}

#endif /* SFRAME_READ_USER_H */
