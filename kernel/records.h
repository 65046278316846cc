/* SPDX-License-Identifier: GPL-2.0 */
/* Writes the records of deferred chains. */
#ifndef SFRAME_RECORDS_H
#define SFRAME_RECORDS_H

#include <linux/types.h>

void sframe_records_write(u64 cookie, const u64 *ips, u32 nr);

#endif /* SFRAME_RECORDS_H */
