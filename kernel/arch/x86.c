// SPDX-License-Identifier: GPL-2.0
/*
 * x86-64: the ABI's descriptor, and the machine's registers for the module. RA is
 * always on the stack, just below the CFA. How functions are left is in x86_code.c and
 * x86_leave.c.
 */
#include <sframe/abi.h>
#include <sframe/format.h>

#include "x86.h"

/*
 * The kernel pushes the address of the trampoline, which the handler's return pops,
 * then a struct ucontext (asm-generic/ucontext.h) with a struct sigcontext_64
 * (asm/sigcontext.h). In the order of DWARF numbers:
 */
static const u16 x86_saved[] = {
	104, 96, 112, 88,	/* ax, dx, cx, bx */
	72, 64, 80, 120,	/* si, di, bp, sp */
	0, 8, 16, 24, 32, 40, 48, 56,
};

static const struct sframe_sigframe x86_sigframe = {
	.regs	= 40,		/* ucontext.uc_mcontext */
	.pc	= 128,
	.nr	= 16,
	.reg	= x86_saved,
};

/*
 * "mov $15, %rax; syscall", with the long or the short form of the move. The PC may be
 * at either instruction, or behind both while in the system call.
 */
static const struct sframe_sigframe *x86_sigreturn(const u8 *code, bool start)
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

	for (at = places; start ? at->pos > 0 : at->pos; at++) {
		const u8 *p = code + SFRAME_SIGRETURN_PC + at->pos;

		if (!memcmp(p, tail, sizeof(tail)) &&
		    ((at->by_long && p[-1] == 0xc0) ||
		     (at->by_short && p[-1] == 0xb8)))
			return &x86_sigframe;
	}
	return NULL;
}

const struct sframe_abi sframe_abi_x86 = {
	.name		= "x86-64",
	.e_machine	= 62,
	.id_le		= SFRAME_ID_AMD64_LE,
	.sp_reg		= 7,
	.fp_reg		= 6,
	.ra_reg		= -1,
	.pc_reg		= 16,
	.max_reg	= 15,
	.kept_regs	= 0xf008,	/* rbx, r12 to r15 */
	.fixed_ra	= -8,
	.cfa_scale	= 1,
	.cfa_align	= 8,
	.min_cfa	= 8,
	.fallback	= SFRAME_FALLBACK_FP_CFA,
	.ra_slot	= 8,
	.call_len	= X86_CALL_LEN,
	.after_call	= sframe_x86_after_call,
	.resumes	= sframe_x86_resumes,
	.jump_reg	= 0,		/* rax */
	.call_target	= sframe_x86_call_target,
	.calls_register	= sframe_x86_calls_register,
	.far_call_target = sframe_x86_far_call_target,
	.stub_slot	= sframe_x86_stub_slot,
	.insn		= sframe_x86_insn,
	.gap_fill	= 0xcc,		/* int3 */
	.sp_step	= sframe_x86_sp_step,
	.makes_record	= sframe_x86_makes_record,
	.record_mark	= X86_REX_W,
	.record_mark_mask = 0xff,
	.sigreturn	= x86_sigreturn,
	.leave		= sframe_x86_leave,
	.enter		= sframe_x86_enter,
	.record_depth	= sframe_x86_record_depth,
	.mark		= 0xf3,
	.is_mark	= sframe_x86_is_endbr64,
	.go_back	= sframe_x86_go_back,
	.go_reg		= 14,
	.stg_run	= sframe_x86_stg_run,
	.stg_pops	= sframe_x86_stg_pops,
	.stg_ra		= 16384 + 48,
	.stg_sp_reg	= 6,
	.stg_base_reg	= 13,
	.stg_limit_reg	= 15,
	.first_call	= sframe_x86_first_call,
	.ends_thread	= sframe_x86_ends_thread,
	.call_mark	= sframe_x86_call_mark,
	.find_call_mark	= sframe_x86_find_call_mark,
	.frame_made	= sframe_x86_frame_made,
	.is_sure_call	= sframe_x86_is_rpython_call,
	.lisp		= sframe_x86_lisp,
	.insn_align	= 1,
};

/* User mode Linux has this machine's name, but not its registers. */
#if defined(__KERNEL__) && defined(CONFIG_X86_64) && !defined(CONFIG_UML)

#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/ptrace.h>
#include <linux/uaccess.h>
#include <asm/perf_event.h>
#include <asm/sigframe.h>

#include <sframe/cursor.h>

#include "native.h"

/* Check what x86_sigframe says. At the trampoline SP is above rt_sigframe.pretcode. */
static_assert(offsetof(struct rt_sigframe, uc) == sizeof(u64));
static_assert(offsetof(struct ucontext, uc_mcontext) == 40);
static_assert(offsetof(struct sigcontext, ip) == 128);
static_assert(offsetof(struct sigcontext, sp) == 120);
static_assert(offsetof(struct sigcontext, ax) == 104);
static_assert(offsetof(struct sigcontext, di) == 64);
static_assert(offsetof(struct sigcontext, r15) == 56);

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

/*
 * An interrupt may come while another address space than the task's is loaded: between
 * two tasks, or while the kernel patches its code. Whether it is so is not exported,
 * but copy_from_user_nofault() checks: if that can read the stack, so may we, as
 * nothing is switched before we return.
 */
bool sframe_arch_may_read(u64 sp)
{
	u8 byte;

	return !copy_from_user_nofault(&byte, (const void __user *)sp, 1);
}

/*
 * Only asked if the stack could not be read, as other memory may be readable. Where
 * get_user() may be used, this would find no more than that did.
 */
int sframe_arch_read(u64 addr, void *buf, unsigned int len, bool tried)
{
	return tried ? -EFAULT :
	       copy_from_user_nofault(buf, (const void __user *)addr, len);
}

#endif
