/* SPDX-License-Identifier: GPL-2.0 */
/* What the files about AArch64 share. */
#ifndef SFRAME_ARCH_ARM64_H
#define SFRAME_ARCH_ARM64_H

#include <sframe/abi.h>

#include "../core/leave.h"

#define INSN_LEN	4
/* What following one takes, see &sframe_leave.cost; and if it has nothing to do with frames. */
#define A64_INSN_COST	3
#define A64_PLAIN_COST	2
#define A64_FP		29
/* The immediate operand of ADD and SUB. */
#define A64_IMM12	(0xfffu << 10)

/* add sp, sp, x0 and the like */
#define ADD_SP_REG	0x8b2063ff
/* mov x0, x30 and the like */
#define A64_MOV_FROM_LR	0xaa1e03e0

/* With which functions begin that sign RA, or that may be called by a pointer. */
#define ARM64_PACIASP	0xd503233f
#define ARM64_PACIBSP	0xd503237f
#define ARM64_BTI_C	0xd503245f
#define ARM64_BTI_J	0xd503249f
#define ARM64_BTI_JC	0xd50324df
#define ARM64_NOP	0xd503201f

static inline s64 a64_field(u32 insn, unsigned int low, unsigned int bits)
{
	return (s64)((u64)insn << (64 - low - bits)) >> (64 - bits);
}

/* Instructions are little-endian, whatever the byte order of data. */
static inline u32 sframe_arm64_insn(const u8 *code)
{
	return code[0] | code[1] << 8 | code[2] << 16 | (u32)code[3] << 24;
}

static inline bool sframe_arm64_is_b(u32 insn)
{
	return (insn & 0xfc000000) == 0x14000000;
}

static inline bool sframe_arm64_is_bl(u32 insn)
{
	return (insn & 0xfc000000) == 0x94000000;
}

/* To where B or BL at @pc leads. */
static inline u64 sframe_arm64_b_target(u32 insn, u64 pc)
{
	return pc + a64_field(insn, 0, 26) * INSN_LEN;
}

/* To where a jump at @pc may lead; 0: the instruction does not say. */
static inline u64 sframe_arm64_jump_target(u32 insn, u64 pc)
{
	if (sframe_arm64_is_b(insn))
		return sframe_arm64_b_target(insn, pc);
	if ((insn & 0x7e000000) == 0x36000000)			/* TBZ, TBNZ */
		return pc + a64_field(insn, 5, 14) * INSN_LEN;
	if ((insn & 0x7e000000) == 0x34000000 ||		/* CBZ, CBNZ */
	    (insn & 0xff000000) == 0x54000000)			/* B.cond, BC.cond */
		return pc + a64_field(insn, 5, 19) * INSN_LEN;
	return 0;
}

/*
 * Does an instruction of floating point, vectors or SVE write a general register, the one that it
 * names first? Some that have a vector there pass for such.
 */
static inline bool sframe_arm64_writes_gpr(u32 insn)
{
	/* FCVT, also to fixed point, and FMOV; SCVTF, UCVTF and FMOV go the other way. */
	if ((insn & 0x5f20fc00) == 0x1e200000 || (insn & 0x5f200000) == 0x1e000000)
		return (insn >> 17 & 3) != 1 && (insn >> 16 & 7) != 7;
	return (insn & 0xbfe0ec00) == 0x0e002c00 ||	/* UMOV, SMOV */
	       (insn & 0xff20c000) == 0x0420c000 ||	/* CNT, INC and DEC by elements */
	       (insn & 0xff20e000) == 0x0520a000 ||	/* LAST, CLAST */
	       (insn & 0xff20c000) == 0x25208000;	/* CNTP, INCP, DECP */
}

static inline bool sframe_arm64_is_call(u32 insn)
{
	return sframe_arm64_is_bl(insn) ||
	       (insn & 0xfffffc1f) == 0xd63f0000 ||	/* BLR */
	       (insn & 0xfffff81f) == 0xd63f081f ||	/* BLRAAZ, BLRABZ */
	       (insn & 0xfffff800) == 0xd73f0800;	/* BLRAA, BLRAB */
}

/* The instruction at @pc; false if it is not there, or that is no address of one. */
static inline bool sframe_arm64_fetch(struct leave_code *code, u64 pc, u32 *insn)
{
	const u8 *bytes;
	unsigned int len;

	if (pc % INSN_LEN)
		return false;
	bytes = leave_code_at(code, pc, INSN_LEN, &len);
	if (bytes)
		*insn = sframe_arm64_insn(bytes);
	return bytes;
}

/* RETAASPPC and the like, and those that compare and branch: they are not followed. */
static inline bool sframe_arm64_is_new_branch(u32 insn)
{
	return (insn & 0xff000000) == 0x55000000 || (insn & 0x7e000000) == 0x74000000;
}

/* Arithmetic, with an immediate or with registers only. */
static inline bool sframe_arm64_is_arithmetic(u32 insn)
{
	return (insn & 0x1c000000) == 0x10000000 || (insn & 0x0e000000) == 0x0a000000;
}

/* Branches, exceptions and system instructions. */
static inline bool sframe_arm64_is_branch(u32 insn)
{
	return (insn & 0x1c000000) == 0x14000000;
}

/* Instructions that tell a processor something: NOP, BTI, and those that sign RA. */
static inline bool sframe_arm64_is_hint(u32 insn)
{
	return (insn & 0xfffff01f) == ARM64_NOP;
}

/* A register may be written. */
static inline void a64_change_reg(struct leave_path *p, unsigned int reg)
{
	p->link.changed |= 1u << reg;
	if (reg == p->link.copied) {
		p->link.copied = 0;
		p->link.loaded_from = 0;
	}
}

unsigned int sframe_arm64_flags(u32 insn);
bool sframe_arm64_moves_sp(struct sframe_leave *lv, struct leave_code *code,
			   struct leave_path *p, u64 at, u32 insn);
enum leave_step sframe_arm64_execute(struct sframe_leave *lv, struct leave_path *p, u32 insn);
void sframe_arm64_load_x17(struct leave_path *p);
void sframe_arm64_call(struct leave_path *p);
void sframe_arm64_return_by(struct leave_path *p, unsigned int reg);
void sframe_arm64_system(struct leave_path *p, u32 insn);
bool sframe_arm64_is_guard(struct leave_search *s, u64 target);
bool sframe_arm64_rpython_call(struct leave_search *s, u64 ra, u64 *to);
bool sframe_arm64_is_qemu_epilogue(struct leave_search *s, u64 pc);
bool sframe_arm64_is_exit_of_block(struct leave_search *s, u64 pc);
bool sframe_arm64_is_rpython_call(const u8 *code);
bool sframe_arm64_leave(struct sframe_leave *lv, u64 pc, sframe_read_fn read,
			void *ctx);
bool sframe_arm64_prologue(struct sframe_leave *lv, u64 from, u64 pc, sframe_read_fn read,
			   void *ctx);
enum sframe_resume sframe_arm64_resumes(const u8 *code);
u32 sframe_arm64_call_mark(const u8 *code);
u64 sframe_arm64_frame_made(const u8 *code);
bool sframe_arm64_lisp_entry(const u8 *code, struct sframe_stg_run *run);
bool sframe_arm64_stg_run(const u8 *code, struct sframe_stg_run *run);
bool sframe_arm64_go_back(const u8 *code, struct sframe_go_back *back);

#endif /* SFRAME_ARCH_ARM64_H */
