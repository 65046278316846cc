// SPDX-License-Identifier: GPL-2.0
/* Reads user memory for walks, without faulting. */
#include <linux/uaccess.h>
#include <linux/unaligned.h>

#include "read_user.h"

/* Read as much as one instruction can, inside of user_access_begin() and _end(). */
#define READ_PIECE(type)						\
do {									\
	type word_;							\
									\
	unsafe_get_user(word_, (const type __user *)addr, fault);	\
	put_unaligned(word_, (type *)buf);				\
	buf += sizeof(type);						\
	addr += sizeof(type);						\
} while (0)

/**
 * sframe_read_user() - copy the current task's memory, as far as it is present
 * @addr: user address
 * @buf: filled in
 * @len: bytes
 *
 * Uses what get_user() is made of: addresses that are not the user's are refused, and
 * with page faults disabled a page that is not present makes it fail, as in
 * copy_from_user_nofault(). That one also checks the context, which sframe_arch_may_read()
 * does here, and, by hardened usercopy, that the buffer is large enough: the core's
 * buffers are on the stack, and have room for what it asks for.
 *
 * Context: any, NMI included, if the caller has disabled page faults.
 * Return: 0, or -EFAULT if not all of it can be read.
 */
int sframe_read_user(u64 addr, void *buf, unsigned int len)
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
