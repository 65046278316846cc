/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The machine we run on: its ABI, the registers of the current task, which tasks are
 * 64-bit, and how user memory may be read. Implemented at the end of x86.c, arm64.c and
 * s390.c.
 */
#ifndef SFRAME_NATIVE_H
#define SFRAME_NATIVE_H

#include <linux/types.h>

#include <sframe/abi.h>

struct pt_regs;
struct sframe_regs;

extern const struct sframe_abi *const sframe_abi_native;

/* Do the user registers belong to a 64-bit context that we can walk? */
bool sframe_arch_user64(struct pt_regs *regs);
void sframe_arch_regs(const struct pt_regs *regs, struct sframe_regs *out);
int sframe_arch_reg(const struct pt_regs *regs, unsigned int reg, u64 *val);
/*
 * May get_user() be used, with page faults disabled, until this interrupt or section
 * with preemption off ends? @sp is where the task's stack should be.
 */
bool sframe_arch_may_read(u64 sp);
/*
 * Read what get_user() could not (@tried), or must not be asked for: 0 or -EFAULT. If
 * it must not, and this succeeds, get_user() may be used from then on. Any context;
 * page faults are disabled.
 */
int sframe_arch_read(u64 addr, void *buf, unsigned int len, bool tried);

#endif /* SFRAME_NATIVE_H */
