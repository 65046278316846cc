/* SPDX-License-Identifier: GPL-2.0 */
/* Faults in pages of the stack that are not present. */
#ifndef SFRAME_FAULT_IN_H
#define SFRAME_FAULT_IN_H

#include <linux/types.h>

bool sframe_fault_in(u64 addr);

#endif /* SFRAME_FAULT_IN_H */
