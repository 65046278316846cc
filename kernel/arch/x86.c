// SPDX-License-Identifier: GPL-2.0
/*
 * x86-64: the return address is always on the stack, just below the CFA.
 */
#include <sframe/abi.h>

#define X86_CALL_LEN	7	/* longest call without its prefixes */

/* Bytes of an indirect near call (FF /2) by its ModRM and SIB bytes. */
static unsigned int indirect_call_len(u8 modrm, u8 sib)
{
	unsigned int mod = modrm >> 6, rm = modrm & 7;
	unsigned int len = 2 + (mod != 3 && rm == 4);

	if (mod == 1)
		return len + 1;
	if (mod == 2)
		return len + 4;
	if (mod == 0 && (rm == 5 || (rm == 4 && (sib & 7) == 5)))
		return len + 4;
	return len;
}

/*
 * Prefixes (REX, segment, NOTRACK, operand size) come first and change no
 * length here, so it is enough that the last bytes are a call without them.
 */
static bool x86_after_call(const u8 *code)
{
	const u8 *end = code + X86_CALL_LEN;
	unsigned int len;

	if (end[-5] == 0xe8)
		return true;
	for (len = 2; len <= X86_CALL_LEN; len++) {
		const u8 *op = end - len;

		if (op[0] == 0xff && ((op[1] >> 3) & 7) == 2 &&
		    indirect_call_len(op[1], len > 2 ? op[2] : 0) == len)
			return true;
	}
	return false;
}

/*
 * "mov $15, %rax; syscall", by the long or the short form of the move. The
 * PC can be at either instruction, or behind both when the system call itself
 * is being sampled.
 */
static bool x86_sigreturn(const u8 *code)
{
	static const u8 tail[] = { 15, 0, 0, 0, 0x0f, 0x05 };
	static const struct {
		s8 pos;		/* of the constant, from the PC */
		bool by_long;
		bool by_short;
	} places[] = {
		{ 3, true, false }, { 1, false, true },
		{ -4, true, true }, { -6, true, true }, {}
	}, *at;

	for (at = places; at->pos; at++) {
		const u8 *p = code + SFRAME_SIGRETURN_PC + at->pos;

		if (!memcmp(p, tail, sizeof(tail)) &&
		    ((at->by_long && p[-1] == 0xc0) ||
		     (at->by_short && p[-1] == 0xb8)))
			return true;
	}
	return false;
}

const struct sframe_abi sframe_abi_x86 = {
	.name		= "x86-64",
	.e_machine	= 62,
	.id_le		= 3,
	.sp_reg		= 7,
	.fp_reg		= 6,
	.ra_reg		= -1,
	.max_reg	= 15,
	.fixed_ra	= -8,
	.cfa_scale	= 1,
	.cfa_align	= 8,
	.min_cfa	= 8,
	.fallback	= SFRAME_FALLBACK_FP_CFA,
	.fp_slot	= 0,
	.ra_slot	= 8,
	.call_len	= X86_CALL_LEN,
	.after_call	= x86_after_call,
	.sigreturn	= x86_sigreturn,
};

/* User mode Linux has this machine's name, but not its registers. */
#if defined(__KERNEL__) && defined(CONFIG_X86_64) && !defined(CONFIG_UML)

#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/ptrace.h>
#include <linux/uaccess.h>
#include <asm/perf_event.h>

#include "../internal.h"

const struct sframe_abi *const sframe_abi_native = &sframe_abi_x86;

bool sframe_arch_user64(struct pt_regs *regs)
{
	return user_64bit_mode(regs) &&
	       !(regs->flags & (X86_VM_MASK | PERF_EFLAGS_VM));
}

void sframe_arch_regs(const struct pt_regs *regs, struct sframe_regs *out)
{
	*out = (struct sframe_regs) {
		.pc = regs->ip,
		.sp = regs->sp,
		.fp = regs->bp,
	};
}

/* pt_regs by DWARF number (psABI, figure 3.36). */
static const u8 dwarf_to_pt_regs[] = {
	offsetof(struct pt_regs, ax), offsetof(struct pt_regs, dx),
	offsetof(struct pt_regs, cx), offsetof(struct pt_regs, bx),
	offsetof(struct pt_regs, si), offsetof(struct pt_regs, di),
	offsetof(struct pt_regs, bp), offsetof(struct pt_regs, sp),
	offsetof(struct pt_regs, r8), offsetof(struct pt_regs, r9),
	offsetof(struct pt_regs, r10), offsetof(struct pt_regs, r11),
	offsetof(struct pt_regs, r12), offsetof(struct pt_regs, r13),
	offsetof(struct pt_regs, r14), offsetof(struct pt_regs, r15),
};

int sframe_arch_reg(const struct pt_regs *regs, unsigned int reg, u64 *val)
{
	if (reg >= ARRAY_SIZE(dwarf_to_pt_regs))
		return -EINVAL;
	*val = *(const unsigned long *)((const char *)regs +
					dwarf_to_pt_regs[reg]);
	return 0;
}

int sframe_arch_read(u64 addr, void *buf, unsigned int len)
{
	return copy_from_user_nofault(buf, (const void __user *)addr, len);
}

#endif
