/* SPDX-License-Identifier: GPL-2.0 */
/* What the files about x86-64 share. */
#ifndef SFRAME_ARCH_X86_H
#define SFRAME_ARCH_X86_H

#include <sframe/abi.h>

#define X86_INSN_MAX	15	/* longest instruction */
#define X86_CALL_LEN	7	/* longest call without its prefixes */
#define X86_REX_W	0x48	/* both operands are of 8 bytes */

/* Numbers of registers, in instructions. */
#define X86_SP	4
#define X86_FP	5

/**
 * struct x86_insn - an instruction, as far as it was read
 * @code: its bytes
 * @len: how many of them were read
 * @map: of its opcode; 0: one byte, 1: 0F, 2: 0F 38, 3: 0F 3A
 * @rex: a REX prefix, or 0
 * @high: what makes registers of ModRM and SIB R8 to R15, as in a REX prefix
 * @other: VEX's third register
 * @op: opcode
 * @modrm: ModRM, 0xc0 if it has none
 * @sib: SIB, 0x24 if it has none
 * @rep: the last F2 or F3, or 0
 * @vex: VEX or EVEX
 * @has_modrm: it has a ModRM
 * @half: operand size 16
 * @moved: addresses are of 32 bits, or in another segment
 * @disp: what is added to addresses
 */
struct x86_insn {
	const u8 *code;
	unsigned int len;
	unsigned int map;
	u8 rex;
	u8 high;
	u8 other;
	u8 op;
	u8 modrm;
	u8 sib;
	u8 rep;
	bool vex;
	bool has_modrm;
	bool half;
	bool moved;
	s32 disp;
};

/**
 * struct x86_plain - an instruction that is quickly read
 * @len: how many bytes it has
 * @rex: a REX prefix, or 0
 * @op: opcode; one byte, without a prefix but REX
 * @modrm: ModRM, 0xc0 if it has none
 * @has_modrm: it has a ModRM
 */
struct x86_plain {
	unsigned int len;
	u8 rex;
	u8 op;
	u8 modrm;
	bool has_modrm;
};

/* ENDBR64, with which functions begin that may be called by a pointer. */
#define X86_ENDBR64_LEN	4
#define X86_ENDBR64	{ 0xf3, 0x0f, 0x1e, 0xfa }

static inline bool sframe_x86_is_endbr64(const u8 *code)
{
	static const u8 endbr64[X86_ENDBR64_LEN] = X86_ENDBR64;

	return !memcmp(code, endbr64, sizeof(endbr64));
}

/*
 * pop 8(%rbp): so begins what SBCL compiles. Its caller has made the record, and FP point
 * to it, but has left to it where the RA goes.
 */
static inline bool sframe_x86_is_lisp_entry(const u8 *code)
{
	return code[0] == 0x8f && code[1] == 0x45 && code[2] == 0x08;
}

static inline u32 sframe_x86_u32(const u8 *p)
{
	return p[0] | p[1] << 8 | p[2] << 16 | (u32)p[3] << 24;
}

/* The immediate operand, if that is the last four bytes of the instruction. */
static inline s32 sframe_x86_imm32(const struct x86_insn *in)
{
	return (s32)sframe_x86_u32(in->code + in->len - 4);
}

/* The numbers of the registers that ModRM names, and of the one in the opcode itself. */
static inline unsigned int sframe_x86_reg(const struct x86_insn *in)
{
	return (in->modrm >> 3 & 7) | (in->high & 4) << 1;
}

static inline unsigned int sframe_x86_rm(const struct x86_insn *in)
{
	return (in->modrm & 7) | (in->high & 1) << 3;
}

static inline unsigned int sframe_x86_op_reg(const struct x86_insn *in)
{
	return (in->op & 7) | (in->high & 1) << 3;
}

/* Does ModRM name a register there, and no memory? */
static inline bool sframe_x86_is_direct(const struct x86_insn *in)
{
	return in->modrm >= 0xc0;
}

bool sframe_x86_decode(const u8 *code, struct x86_insn *in);
bool sframe_x86_read_plain(const u8 *code, struct x86_plain *it);
void sframe_x86_plain_insn(const u8 *code, u64 pc, const struct x86_plain *it,
			   struct sframe_insn *insn);
u8 sframe_x86_flags(const struct x86_insn *in);
u32 sframe_x86_written(const struct x86_insn *in);
bool sframe_x86_sp_step(const u8 *code, u64 pc, struct sframe_sp_step *step);
void sframe_x86_insn_of(const struct x86_insn *in, u64 pc, struct sframe_insn *insn);
bool sframe_x86_follow(struct sframe_leave *lv, u64 pc, sframe_read_fn read,
		       void *ctx);
bool sframe_x86_enter(struct sframe_leave *lv, u64 from, u64 pc, u64 sp,
		      sframe_read_fn read, void *ctx);
u64 sframe_x86_record_depth(const u8 *code, u32 *looks);
bool sframe_x86_after_call(const u8 *code);
unsigned int sframe_x86_call_len(const u8 *code);
enum sframe_resume sframe_x86_resumes(const u8 *code);
bool sframe_x86_go_back(const u8 *code, struct sframe_go_back *back);
bool sframe_x86_first_call(const u8 *code);
bool sframe_x86_ends_thread(const u8 *code);
bool sframe_x86_stg_run(const u8 *code, struct sframe_stg_run *run);
u32 sframe_x86_stg_pops(const u8 *code);
u32 sframe_x86_call_mark(const u8 *code);
u32 sframe_x86_find_call_mark(const u8 *code, u32 len);
u64 sframe_x86_frame_made(const u8 *code);
bool sframe_x86_is_rpython_call(const u8 *code);
enum sframe_lisp sframe_x86_lisp(const u8 *code, u32 *looks);
u64 sframe_x86_call_target(const u8 *code, u64 ra);
bool sframe_x86_calls_register(const u8 *code);
u64 sframe_x86_far_call_target(const u8 *code);
u64 sframe_x86_stub_slot(const u8 *code, u64 pc);
bool sframe_x86_insn(const u8 *code, u64 pc, struct sframe_insn *insn);
enum sframe_fp_use sframe_x86_fp_use(const struct x86_insn *in);
bool sframe_x86_makes_record(const u8 *code, u64 pc, u32 *looks);
bool sframe_x86_leave(struct sframe_leave *lv, u64 pc, sframe_read_fn read,
		      void *ctx);

#endif /* SFRAME_ARCH_X86_H */
