// SPDX-License-Identifier: GPL-2.0
/*
 * AArch64: the return address starts in x30 and may carry a PAC; SP is 16-byte
 * aligned; frame records may lie anywhere in a frame.
 */
#include <sframe/abi.h>

#include "arm64.h"

#define ARM64_MOV_X8_SIGRETURN	0xd2801168	/* mov x8, #139 */
#define ARM64_SVC_0		0xd4000001

static bool arm64_after_call(const u8 *code)
{
	return sframe_arm64_is_call(sframe_arm64_insn(code));
}

/* The PC is at either instruction, or behind both (in the system call). */
static bool arm64_sigreturn(const u8 *code)
{
	const u8 *pc = code + SFRAME_SIGRETURN_PC;
	int at;

	for (at = -8; at <= 0; at += 4) {
		if (sframe_arm64_insn(pc + at) == ARM64_MOV_X8_SIGRETURN &&
		    sframe_arm64_insn(pc + at + 4) == ARM64_SVC_0)
			return true;
	}
	return false;
}

const struct sframe_abi sframe_abi_arm64 = {
	.name		= "arm64",
	.e_machine	= 183,
	.id_le		= 2,
	.id_be		= 1,
	.sp_reg		= 31,
	.fp_reg		= 29,
	.ra_reg		= 30,
	.max_reg	= 31,
	.cfa_scale	= 1,
	.cfa_align	= 16,
	.fallback	= SFRAME_FALLBACK_FP,
	.fp_slot	= 0,
	.ra_slot	= 8,
	.call_len	= 4,
	.after_call	= arm64_after_call,
	.sigreturn	= arm64_sigreturn,
	.leave		= sframe_arm64_leave,
};

#if defined(__KERNEL__) && defined(CONFIG_ARM64)

#include <linux/compat.h>
#include <linux/errno.h>
#include <linux/ptrace.h>
#include <linux/uaccess.h>
#include <asm/pointer_auth.h>

#include "../internal.h"

const struct sframe_abi *const sframe_abi_native = &sframe_abi_arm64;

bool sframe_arch_user64(struct pt_regs *regs)
{
	return !compat_user_mode(regs);
}

/* Without pointer authentication the masked bits are zero anyway. */
void sframe_arch_regs(const struct pt_regs *regs, struct sframe_regs *out)
{
	*out = (struct sframe_regs) {
		.pc = regs->pc,
		.sp = regs->sp,
		.fp = regs->regs[29],
		.ra = regs->regs[30],
		.pac_mask = ptrauth_user_pac_mask(),
	};
}

int sframe_arch_reg(const struct pt_regs *regs, unsigned int reg, u64 *val)
{
	if (reg > 31)
		return -EINVAL;
	*val = reg == 31 ? regs->sp : regs->regs[reg];
	return 0;
}

int sframe_arch_read(u64 addr, void *buf, unsigned int len)
{
	return copy_from_user_nofault(buf, (const void __user *)addr, len);
}

#endif
