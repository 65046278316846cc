/* SPDX-License-Identifier: GPL-2.0 */
/* Reads user memory for walks, and faults it in. */
#ifndef SFRAME_READ_USER_H
#define SFRAME_READ_USER_H

#include <linux/string.h>
#include <linux/types.h>
#include <linux/uaccess.h>

int sframe_read_user(u64 addr, void *buf, unsigned int len);
bool sframe_fault_in(u64 addr);

/* As sframe_read_user(), but inline for a word. */
static __always_inline int sframe_read_quickly(u64 addr, void *buf, unsigned int len)
{
	u64 word;
	int ret;

	if (!__builtin_constant_p(len) || len != sizeof(u64))
		return sframe_read_user(addr, buf, len);
	ret = get_user(word, (const u64 __user *)addr);
	memcpy(buf, &word, sizeof(word));
	return ret;
}

#endif /* SFRAME_READ_USER_H */
