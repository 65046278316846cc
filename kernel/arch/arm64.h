/* SPDX-License-Identifier: GPL-2.0 */
/* What the files about AArch64 share. */
#ifndef SFRAME_ARCH_ARM64_H
#define SFRAME_ARCH_ARM64_H

#include <sframe/abi.h>

#define INSN_LEN	4

/* With which functions begin that sign RA, or that may be called by a pointer. */
#define ARM64_PACIASP	0xd503233f
#define ARM64_PACIBSP	0xd503237f
#define ARM64_BTI_C	0xd503245f
#define ARM64_BTI_J	0xd503249f
#define ARM64_BTI_JC	0xd50324df
#define ARM64_NOP	0xd503201f

/* Bytes of code read at a time; aligned, so that no page is crossed. */
#define A64_CHUNK	64
/* Where no code is. */
#define A64_NO_CODE	1

/**
 * struct a64_code - code that is read
 * @read: reads it
 * @ctx: handed to @read
 * @at: address of what was read last, or %A64_NO_CODE
 * @chunk: that
 */
struct a64_code {
	sframe_read_fn read;
	void *ctx;
	u64 at;
	u8 chunk[A64_CHUNK];
};

/**
 * enum a64_origin - what a register holds
 * @LOST: nothing that is known
 * @KEPT: what it held at the PC
 * @LOADED: what was loaded from &struct a64_value.at
 * @MOVED: what another register held at the PC, whose number is &struct a64_value.at
 */
enum a64_origin { LOST, KEPT, LOADED, MOVED };

/**
 * struct a64_value - x29 or x30 along the path
 * @origin: what it holds
 * @at: address it was loaded from, or a register
 * @saved: where on the path it was stored, or 0
 * @saved_origin: what it held then
 * @saved_at: likewise
 */
struct a64_value {
	enum a64_origin origin;
	enum a64_origin saved_origin;
	u64 at;
	u64 saved;
	u64 saved_at;
};

/**
 * struct a64_path - where one path has got to
 * @pc: the next instruction
 * @landed: where it jumped to last, or 0
 * @sp: SP, if @sp_known
 * @fp: x29
 * @lr: x30
 * @fp_value: of x29, if @fp_known
 * @kept_fp: of x29 at the PC
 * @sp_known: is it known as a number?
 * @fp_known: likewise
 * @sure: see &struct sframe_leave
 * @by_fp: some place was found from what was in x29 at the PC
 * @makes_record: x29 was pointed to the stack while both it and x30 were what they were
 *	at the PC
 * @copied: register that has what was in x30 at the PC, 0 for none
 * @changed: registers below x29 that may hold something else than at the PC
 */
struct a64_path {
	u64 pc;
	u64 landed;
	u64 sp;
	struct a64_value fp;
	struct a64_value lr;
	u64 fp_value;
	u64 kept_fp;
	bool sp_known;
	bool fp_known;
	bool sure;
	bool by_fp;
	bool makes_record;
	u8 copied;
	u32 changed;
};

/**
 * enum a64_step - what one instruction does to the path
 * @GO_ON: nothing that matters
 * @GIVE_UP: it is not understood
 * @ARRIVED: it leaves the function
 * @UNWINDS: the function is one that throws an exception, and its frame will be
 *	left for another one's caller
 */
enum a64_step { GO_ON, GIVE_UP, ARRIVED, UNWINDS };

static inline s64 a64_field(u32 insn, unsigned int low, unsigned int bits)
{
	return (s64)((u64)insn << (64 - low - bits)) >> (64 - bits);
}

/* Instructions are little-endian, whatever the byte order of data. */
static inline u32 sframe_arm64_insn(const u8 *code)
{
	return code[0] | code[1] << 8 | code[2] << 16 | (u32)code[3] << 24;
}

static inline bool sframe_arm64_is_call(u32 insn)
{
	return (insn & 0xfc000000) == 0x94000000 ||	/* BL */
	       (insn & 0xfffffc1f) == 0xd63f0000 ||	/* BLR */
	       (insn & 0xfffff81f) == 0xd63f081f ||	/* BLRAAZ, BLRABZ */
	       (insn & 0xfffff800) == 0xd73f0800;	/* BLRAA, BLRAB */
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

unsigned int sframe_arm64_flags(u32 insn);
bool sframe_arm64_fetch(struct a64_code *code, u64 pc, u32 *insn);
enum a64_step sframe_arm64_execute(struct a64_path *p, u32 insn);
void sframe_arm64_call(struct a64_path *p);
void sframe_arm64_return_by(struct a64_path *p, unsigned int reg);
void sframe_arm64_system(struct a64_path *p, u32 insn);
bool sframe_arm64_leave(struct sframe_leave *lv, u64 pc, sframe_read_fn read,
			void *ctx);
bool sframe_arm64_prologue(struct sframe_leave *lv, u64 from, u64 pc, sframe_read_fn read,
			   void *ctx);
enum sframe_resume sframe_arm64_resumes(const u8 *code);
bool sframe_arm64_go_back(const u8 *code, struct sframe_go_back *back);

#endif /* SFRAME_ARCH_ARM64_H */
