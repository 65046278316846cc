// SPDX-License-Identifier: GPL-2.0
/*
 * s390x: the ABI's descriptor, and the machine's registers for the module. The CFA is
 * 160 bytes above the caller's SP; those bytes belong to the callee, which saves RA
 * (r14) and others in them. How functions are left is in s390_code.c.
 */
#include <sframe/abi.h>
#include <sframe/format.h>

#include "s390.h"

#define S390_CALL_LEN	6

/* Calls leave RA in r14 (first operand, high nibble); they may be 2, 4 or 6 bytes long. */
static bool is_brasl(const u8 *end)
{
	return end[-6] == 0xc0 && end[-5] == 0xe5;
}

static bool is_bras(const u8 *end)
{
	return end[-4] == 0xa7 && end[-3] == 0xe5;
}

/* BAS; BASR, which with r0 as the second operand does not branch. */
static bool is_call_of_any(const u8 *end)
{
	return (end[-4] == 0x4d && end[-3] >> 4 == 14) ||
	       (end[-2] == 0x0d && end[-1] >> 4 == 14 && end[-1] & 15);
}

static bool s390_after_call(const u8 *code)
{
	const u8 *end = code + S390_CALL_LEN;

	return is_brasl(end) || is_bras(end) || is_call_of_any(end);
}

/* 0 if the bytes may be one call or another. */
static u64 s390_call_target(const u8 *code, u64 ra)
{
	const u8 *end = code + S390_CALL_LEN;
	struct s390_insn insn = { };
	struct s390_branch br;

	if (is_call_of_any(end) || is_brasl(end) == is_bras(end))
		return 0;
	insn.len = is_brasl(end) ? 6 : 4;
	memcpy(insn.b, end - insn.len, insn.len);
	sframe_s390_branch(&insn, &br);
	return ra - insn.len + br.off;
}

/*
 * The registers are an _sigregs (asm/sigcontext.h): PSW mask, PSW address, GPRs
 * from 16 on, access registers, and FPRs from 216 on, which DWARF numbers in an
 * order of its own.
 */
#define FPR(n)	(216 + 8 * (n))
static const u16 s390_saved[] = {
	16, 24, 32, 40, 48, 56, 64, 72, 80, 88, 96, 104, 112, 120, 128, 136,
	FPR(0), FPR(2), FPR(4), FPR(6), FPR(1), FPR(3), FPR(5), FPR(7),
	FPR(8), FPR(10), FPR(12), FPR(14), FPR(9), FPR(11), FPR(13), FPR(15),
};

/* Above the handler's 160 bytes: a sigset_t and a pointer, then the registers. */
static const struct sframe_sigframe s390_sigframe = {
	.regs	= 160 + 16,
	.pc	= 8,
	.nr	= 32,
	.reg	= s390_saved,
};

/* With SA_SIGINFO: 8 bytes, a siginfo_t, a struct ucontext (asm/ucontext.h). */
static const struct sframe_sigframe s390_rt_sigframe = {
	.regs	= 160 + 8 + 128 + 40,
	.pc	= 8,
	.nr	= 32,
	.reg	= s390_saved,
};

/* svc sigreturn or rt_sigreturn; the PC is at it, or behind it while in the system call. */
static const struct sframe_sigframe *s390_sigreturn(const u8 *code, bool start)
{
	const u8 *pc = code + SFRAME_SIGRETURN_PC;
	int at;

	for (at = start ? 0 : -2; at <= 0; at += 2) {
		if (pc[at] == 0x0a && pc[at + 1] == 119)
			return &s390_sigframe;
		if (pc[at] == 0x0a && pc[at + 1] == 173)
			return &s390_rt_sigframe;
	}
	return NULL;
}

const struct sframe_abi sframe_abi_s390 = {
	.name		= "s390x",
	.e_machine	= 22,
	.id_be		= SFRAME_ID_S390X_BE,
	.sp_reg		= 15,
	.fp_reg		= 11,
	.ra_reg		= 14,
	.max_reg	= 31,
	.kept_regs	= 0x37c0,	/* r6 to r10, r12, r13 */
	.cfa_scale	= 8,
	.cfa_bias	= 160,
	.sp_bias	= -160,
	.cfa_align	= 8,
	.min_cfa	= 160,
	.ra_word_zero	= true,
	.reg_in_word	= true,
	.fallback	= SFRAME_FALLBACK_BACKCHAIN,
	.ra_slot	= S390_SLOT(14),
	.sp_slot	= S390_SLOT(15),
	.call_len	= S390_CALL_LEN,
	.after_call	= s390_after_call,
	.call_is_jump	= sframe_s390_call_is_jump,
	.call_target	= s390_call_target,
	.insn		= sframe_s390_insn,
	.stg_run	= sframe_s390_stg_run,
	.stg_ra		= 16384 + 160 + 80,
	.stg_sp_reg	= 8,
	.stg_base_reg	= 7,
	.stg_limit_reg	= 9,
	.is_sure_call	= sframe_s390_is_rpython_call,
	.sigreturn	= s390_sigreturn,
	.leave		= sframe_s390_leave,
	.near_costs	= true,
	.prologue	= sframe_s390_prologue,
	.mark		= 0xeb,
	.is_mark	= sframe_s390_is_mark,
	.ocaml_frame	= sframe_s390_ocaml_frame,
	.go_back	= sframe_s390_go_back,
	.go_reg		= 13,
	.insn_align	= 2,
	.chain_resumes	= sframe_s390_chain_resumes,
	.chain_at	= sframe_s390_chain_at,
};

#if defined(__KERNEL__) && defined(CONFIG_S390)

#include <linux/errno.h>
#include <linux/highmem.h>
#include <linux/mm.h>
#include <linux/preempt.h>
#include <linux/ptrace.h>
#include <linux/sched.h>
#include <linux/uaccess.h>
#include <asm/fpu.h>
#include <asm/ucontext.h>

#include <sframe/cursor.h>

#include "native.h"

/* Check what s390_sigframe and s390_rt_sigframe say. */
static_assert(sizeof(struct sigcontext) == 16 && sizeof(siginfo_t) == 128);
static_assert(offsetof(struct ucontext_extended, uc_mcontext) == 40);
static_assert(offsetof(_sigregs, regs.psw.addr) == 8);
static_assert(offsetof(_sigregs, regs.gprs) == 16);
static_assert(offsetof(_sigregs, fpregs.fprs) == 216);

const struct sframe_abi *const sframe_abi_native = &sframe_abi_s390;

/* 31-bit tasks run with the extended addressing bit off. */
bool sframe_arch_user64(struct pt_regs *regs)
{
	return regs->psw.mask & PSW_MASK_EA;
}

void sframe_arch_regs(const struct pt_regs *regs, struct sframe_regs *out)
{
	*out = (struct sframe_regs) {
		.pc = regs->psw.addr,
		.sp = regs->gprs[15],
		.fp = regs->gprs[11],
		.ra = regs->gprs[14],
	};
}

/*
 * DWARF numbers the FPRs in an order of its own. The task's FPRs may still be
 * in the CPU, or saved because the kernel is using the CPU's: only after
 * save_user_fpu_regs(), which works in any context, is the save area current.
 */
static u64 user_fpr(unsigned int reg)
{
	static const u8 fpr[] = {
		0, 2, 4, 6, 1, 3, 5, 7, 8, 10, 12, 14, 9, 11, 13, 15,
	};

	save_user_fpu_regs();
	return current->thread.ufpu.vxrs[fpr[reg]].high;
}

int sframe_arch_reg(const struct pt_regs *regs, unsigned int reg, u64 *val)
{
	if (reg > 31)
		return -EINVAL;
	*val = reg < 16 ? regs->gprs[reg] : user_fpr(reg - 16);
	return 0;
}

/* Reading fails by itself where the task's address space is not attached. */
bool sframe_arch_may_read(u64 sp)
{
	return true;
}

/*
 * Between a switch of tasks and the attachment of the new one's address space, user
 * space cannot be accessed. But interrupts come there, more than elsewhere, as they
 * were off before: walk the task's page tables.
 */
int sframe_arch_read(u64 addr, void *buf, unsigned int len, bool tried)
{
	struct page *page;

	if (!in_hardirq() || offset_in_page(addr) + len > PAGE_SIZE ||
	    !get_user_page_fast_only(addr, 0, &page))
		return -EFAULT;
	memcpy_from_page(buf, page, offset_in_page(addr), len);
	put_page(page);
	return 0;
}

#endif
