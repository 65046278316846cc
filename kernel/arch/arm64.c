// SPDX-License-Identifier: GPL-2.0
/*
 * AArch64: the ABI's descriptor, and the machine's registers for the module. RA starts
 * in x30 and may carry a PAC; SP is 16-byte aligned; frame records may lie anywhere in
 * a frame. How functions are left is in arm64_code.c.
 */
#include <sframe/abi.h>
#include <sframe/format.h>

#include "arm64.h"

#define ARM64_MOV_X8_SIGRETURN	0xd2801168	/* mov x8, #139 */
#define ARM64_MOV_X8_EXIT	0xd2800ba8
#define ARM64_SVC_0		0xd4000001
#define ARM64_RET		0xd65f03c0
#define ARM64_MOV_LR_X1		0xaa0103fe
#define ARM64_ADD_X2_X0_40	0x9100a002	/* add x2, x0, #40: a context's signal mask */
#define CONTEXT_MASK		40
#define CONTEXT_X1		192

static bool arm64_after_call(const u8 *code)
{
	return sframe_arm64_is_call(sframe_arm64_insn(code));
}

/*
 * Is there "adr x30" of the address right behind these bytes, and "br" at their end? V8
 * calls bytecode handlers like this, which then return to another place than behind the
 * call.
 */
static bool arm64_made_ra(const u8 *code)
{
	unsigned int at, last = SFRAME_MADE_RA_LEN - INSN_LEN;
	u32 insn = sframe_arm64_insn(code + last);
	s64 off;

	if ((insn & 0xfffffc1f) != 0xd61f0000)
		return false;
	for (at = 0; at < last; at += INSN_LEN) {
		insn = sframe_arm64_insn(code + at);
		off = a64_field(insn, 5, 19) * INSN_LEN + (insn >> 29 & 3);
		if ((insn & 0x9f00001f) == 0x1000001e &&
		    off == SFRAME_MADE_RA_LEN - (s64)at)
			return true;
	}
	return false;
}

/*
 * glibc's swapcontext(): what it saves goes on at "mov x30, x1; ret", behind a hint, so its RA
 * is what X1 has to be there. X0 points to the context, until X2 does, to the signal mask in it.
 */
static bool arm64_ra_aside(const u8 *code, s64 ahead, struct sframe_aside *aside)
{
	const u8 *own = code + SFRAME_ASIDE_BEFORE;
	s64 before = INSN_LEN;

	if (!sframe_arm64_is_hint(sframe_arm64_insn(own)) ||
	    sframe_arm64_insn(own + INSN_LEN) != ARM64_MOV_LR_X1 ||
	    sframe_arm64_insn(own + 2 * INSN_LEN) != ARM64_RET)
		return false;
	*aside = (struct sframe_aside){ .reg = 1 };
	if (ahead <= 0)
		return true;
	while (sframe_arm64_insn(own - before) != ARM64_ADD_X2_X0_40) {
		before += INSN_LEN;
		if (before > SFRAME_ASIDE_BEFORE)
			return false;
	}
	*aside = (struct sframe_aside){ .off = CONTEXT_X1, .is_saved = true };
	if (ahead < before) {
		aside->reg = 2;
		aside->off -= CONTEXT_MASK;
	}
	return true;
}

static u64 arm64_call_target(const u8 *code, u64 ra)
{
	u32 insn = sframe_arm64_insn(code);

	return sframe_arm64_is_bl(insn) ? sframe_arm64_b_target(insn, ra - INSN_LEN) : 0;
}

/* Is x29 loaded from memory? */
static bool arm64_loads_fp(u32 insn)
{
	if ((insn & 0xfe400000) == 0xa8400000)			/* LDP */
		return (insn & 31) == 29 || (insn >> 10 & 31) == 29;
	return (insn & 0xffc0001f) == 0xf940001d ||		/* LDR */
	       (insn & 0xffe0001f) == 0xf840001d;
}

static bool arm64_begins_function(u32 insn)
{
	return (insn & 0xffc003ff) == 0xd10003ff ||		/* sub sp, sp, #n */
	       (insn & 0xffe00fe0) == 0xf8000fe0 ||		/* str x, [sp, #n]! */
	       (insn & 0xffc003e0) == 0xa98003e0;		/* stp x, y, [sp, #n]! */
}

/* "br", but not by x16 or x17: with BTI, these two are for calls of other functions. */
static unsigned int arm64_chooses(u32 insn)
{
	return (insn & 0xfffffc1f) == 0xd61f0000 && (insn >> 6 & 15) != 8 ?
	       SFRAME_INSN_CHOOSES : 0;
}

/**
 * sframe_arm64_flags() - what an instruction does, as far as following code asks
 * @insn: the instruction
 *
 * Context: any.
 * Return: SFRAME_INSN_*.
 */
unsigned int sframe_arm64_flags(u32 insn)
{
	if (sframe_arm64_is_call(insn))
		return SFRAME_INSN_CALLS;
	if (sframe_arm64_is_b(insn))
		return SFRAME_INSN_STOPS | SFRAME_INSN_JUMPS;
	if ((insn & 0x7c000000) == 0x34000000 ||
	    (insn & 0xff000000) == 0x54000000)
		return SFRAME_INSN_JUMPS;
	if ((insn & 0xff000000) == 0xd4000000)			/* SVC; BRK and so on */
		return (insn & 31) == 1 ? SFRAME_INSN_CALLS : SFRAME_INSN_STOPS;
	if (insn >> 16 == 0xd65f)				/* RET */
		return SFRAME_INSN_STOPS;
	if ((insn & 0xfe000000) == 0xd6000000)			/* BR, ERET */
		return SFRAME_INSN_STOPS | SFRAME_INSN_ANYWHERE | arm64_chooses(insn);
	if (sframe_arm64_is_new_branch(insn))
		return SFRAME_INSN_STOPS | SFRAME_INSN_ANYWHERE;
	if (!(insn >> 16))					/* UDF; 0 fills gaps */
		return SFRAME_INSN_STOPS | SFRAME_INSN_FILLS;
	if (insn == ARM64_NOP)
		return SFRAME_INSN_FILLS;
	if (insn == ARM64_PACIASP || insn == ARM64_PACIBSP || insn == ARM64_BTI_C)
		return SFRAME_INSN_BEGINS | SFRAME_INSN_ENTERED;
	if (insn == ARM64_BTI_J || insn == ARM64_BTI_JC)
		return SFRAME_INSN_ARM;
	if (arm64_begins_function(insn))
		return SFRAME_INSN_BEGINS;
	return arm64_loads_fp(insn) ? SFRAME_INSN_RESTORES : 0;
}

static bool arm64_insn(const u8 *code, u64 pc, struct sframe_insn *insn)
{
	u32 word = sframe_arm64_insn(code);

	insn->len = INSN_LEN;
	insn->flags = sframe_arm64_flags(word);
	insn->target = sframe_arm64_jump_target(word, pc);
	return pc % INSN_LEN == 0;
}

/* Of a load or store; those that may move x29, their base, count as writing to it. */
static enum sframe_fp_use arm64_access_fp_use(u32 insn, s64 *pop_at)
{
	/* ldp x29, x30, [sp, #n] and the like; "[sp], #n" takes them from SP */
	if ((insn & 0xfe407fff) == 0xa8407bfd) {
		*pop_at = insn >> 24 & 1 ? a64_field(insn, 15, 7) * 8 : 0;
		return SFRAME_FP_POPPED;
	}
	/* Stores of x29 count, too, but not vectors' registers. */
	if (((insn & 31) == A64_FP && !(insn >> 26 & 1)) || arm64_loads_fp(insn))
		return SFRAME_FP_WRITTEN;
	/* A literal has no base. */
	if ((insn >> 5 & 31) != A64_FP || (insn & 0x3b000000) == 0x18000000)
		return SFRAME_FP_UNUSED;
	return (insn & 0x3b800000) == 0x29000000 || (insn & 0x3b000000) == 0x39000000 ||
	       (insn & 0x3b200c00) == 0x38000000 ? SFRAME_FP_BASE : SFRAME_FP_WRITTEN;
}

static enum sframe_fp_use arm64_fp_use(const u8 *code, s64 *pop_at)
{
	u32 insn = sframe_arm64_insn(code);

	if (sframe_arm64_is_branch(insn))
		return SFRAME_FP_UNUSED;
	if ((insn & 0x0a000000) == 0x08000000)
		return arm64_access_fp_use(insn, pop_at);
	if ((insn & 31) == A64_FP &&
	    (sframe_arm64_is_arithmetic(insn) || sframe_arm64_writes_gpr(insn)))
		return SFRAME_FP_WRITTEN;
	/* ADD, SUB of an immediate */
	if ((insn & 0x3f800000) == 0x11000000 && (insn >> 5 & 31) == A64_FP)
		return (insn & 31) == 31 ? SFRAME_FP_LEFT : SFRAME_FP_BASE;
	return SFRAME_FP_UNUSED;
}

/* "add x29, sp, #n" or "mov x29, sp"; in Go "sub x29, sp, #8". */
static bool arm64_makes_record(const u8 *code, u64 pc, u32 *looks)
{
	u32 insn = sframe_arm64_insn(code);

	(void)looks;
	return pc % INSN_LEN == 0 && ((insn & 0xffc003ff) == 0x910003fd ||
				      (insn & 0xffc003ff) == 0xd10003fd);
}

/*
 * At SP lie a siginfo_t (128 bytes) and a struct ucontext (asm/ucontext.h), whose
 * struct sigcontext (asm/sigcontext.h) begins at 176, its regs[] 8 bytes later; then
 * come sp, DWARF number 31, and pc.
 */
static const u16 arm64_saved[] = {
	0, 8, 16, 24, 32, 40, 48, 56, 64, 72, 80, 88, 96, 104, 112, 120,
	128, 136, 144, 152, 160, 168, 176, 184, 192, 200, 208, 216, 224, 232,
	240, 248,
};

static const struct sframe_sigframe arm64_sigframe = {
	.regs	= 128 + 176 + 8,
	.pc	= 256,
	.nr	= 32,
	.reg	= arm64_saved,
};

/* The PC may be at either instruction, or behind both while in the system call. */
static const struct sframe_sigframe *arm64_sigreturn(const u8 *code, bool start)
{
	const u8 *pc = code + SFRAME_SIGRETURN_PC;
	int at;

	for (at = start ? 0 : -8; at <= 0; at += 4) {
		if (sframe_arm64_insn(pc + at) == ARM64_MOV_X8_SIGRETURN &&
		    sframe_arm64_insn(pc + at + 4) == ARM64_SVC_0)
			return &arm64_sigframe;
	}
	return NULL;
}

static bool arm64_is_mark(const u8 *code)
{
	return sframe_arm64_insn(code) == ARM64_PACIASP;
}

/* mov x8, #__NR_exit; svc #0 */
static bool arm64_ends_thread(const u8 *code)
{
	return sframe_arm64_insn(code) == ARM64_MOV_X8_EXIT &&
	       sframe_arm64_insn(code + INSN_LEN) == ARM64_SVC_0;
}

const struct sframe_abi sframe_abi_arm64 = {
	.name		= "arm64",
	.e_machine	= 183,
	.id_le		= SFRAME_ID_ARM64_LE,
	.id_be		= SFRAME_ID_ARM64_BE,
	.sp_reg		= 31,
	.fp_reg		= 29,
	.ra_reg		= 30,
	.max_reg	= 31,
	.kept_regs	= 0x1ff80000,	/* x19 to x28 */
	.cfa_scale	= 1,
	.cfa_align	= 16,
	.fallback	= SFRAME_FALLBACK_FP,
	.ra_slot	= 8,
	.has_pac	= true,
	.call_len	= 4,
	.after_call	= arm64_after_call,
	.made_ra	= arm64_made_ra,
	.ra_aside	= arm64_ra_aside,
	.resumes	= sframe_arm64_resumes,
	.jump_reg	= 30,
	.call_mark	= sframe_arm64_call_mark,
	.frame_made	= sframe_arm64_frame_made,
	.call_target	= arm64_call_target,
	.arms_marked	= true,
	.insn		= arm64_insn,
	.fp_use		= arm64_fp_use,
	.makes_record	= arm64_makes_record,
	.record_mark	= 0x91,
	.record_mark_at	= 3,
	.record_mark_mask = 0xbf,
	.stg_run	= sframe_arm64_stg_run,
	.stg_ra		= 16384 + 160 + 8,
	.stg_sp_reg	= 20,
	.stg_base_reg	= 19,
	.stg_limit_reg	= 28,
	.lisp_entry	= sframe_arm64_lisp_entry,
	.lisp_ra	= 88,
	.ends_thread	= arm64_ends_thread,
	.is_sure_call	= sframe_arm64_is_rpython_call,
	.sigreturn	= arm64_sigreturn,
	.leave		= sframe_arm64_leave,
	.near_costs	= true,
	.prologue	= sframe_arm64_prologue,
	.mark		= ARM64_PACIASP & 0xff,
	.is_mark	= arm64_is_mark,
	.go_back	= sframe_arm64_go_back,
	.go_reg		= 28,
	.insn_align	= INSN_LEN,
};

#if defined(__KERNEL__) && defined(CONFIG_ARM64)

#include <linux/compat.h>
#include <linux/errno.h>
#include <linux/ptrace.h>
#include <linux/uaccess.h>
#include <asm/pointer_auth.h>
#include <asm/ucontext.h>

#include <sframe/cursor.h>

#include "native.h"

/* Check what arm64_sigframe says. */
static_assert(sizeof(siginfo_t) == 128);
static_assert(offsetof(struct ucontext, uc_mcontext.regs) == 176 + 8);
static_assert(offsetof(struct sigcontext, sp) -
	      offsetof(struct sigcontext, regs) == 248);
static_assert(offsetof(struct sigcontext, pc) -
	      offsetof(struct sigcontext, regs) == 256);

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

/*
 * Another address space than the task's is loaded only with interrupts off, so only a pseudo-NMI
 * could see one; copy_from_user_nofault() does not check for that either.
 */
bool sframe_arch_may_read(u64 sp)
{
	return true;
}

int sframe_arch_read(u64 addr, void *buf, unsigned int len, bool tried)
{
	return -EFAULT;
}

#endif
