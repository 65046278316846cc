/* SPDX-License-Identifier: GPL-2.0 */
/* Reads user memory for walks. */
#ifndef SFRAME_READ_USER_H
#define SFRAME_READ_USER_H

#include <linux/types.h>

int sframe_read_user(u64 addr, void *buf, unsigned int len);

#endif /* SFRAME_READ_USER_H */
