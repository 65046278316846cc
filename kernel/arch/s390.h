/* SPDX-License-Identifier: GPL-2.0 */
/* What the files about s390x share. */
#ifndef SFRAME_ARCH_S390_H
#define SFRAME_ARCH_S390_H

#include <sframe/abi.h>

#include "../core/leave.h"

#define S390_INSN_MAX	6	/* longest instruction */

/**
 * struct s390_insn - an instruction
 * @b: its bytes
 * @len: how many: 2, 4 or 6
 */
struct s390_insn {
	u8 b[S390_INSN_MAX];
	u8 len;
};

/* What following an instruction takes, see &sframe_leave.cost. */
#define S390_INSN_COST	3
/* A function may save GPRs above the SP it is called with, each in its place. */
#define S390_SLOT(reg)	(8 * (reg))

/**
 * enum s390_branch_kind - where a branch goes
 * @S390_NOWHERE: not known
 * @S390_CALL: somewhere from where it returns
 * @S390_JUMP: always by &s390_branch.off
 * @S390_MAYBE: by that, or to the next instruction
 * @S390_TO_REG: to where &s390_branch.reg points, perhaps only sometimes
 */
enum s390_branch_kind {
	S390_NOWHERE,
	S390_CALL,
	S390_JUMP,
	S390_MAYBE,
	S390_TO_REG,
};

/**
 * struct s390_branch - a branch
 * @kind: where it goes
 * @len: of the instruction
 * @reg: see &S390_TO_REG
 * @off: bytes from the instruction
 * @regs: GPRs it writes, calls aside, a bit each
 */
struct s390_branch {
	enum s390_branch_kind kind;
	u8 len;
	u8 reg;
	s64 off;
	u32 regs;
};

/* What an instruction does with memory and r11, r14 or r15. */
enum s390_memory_kind { S390_NEITHER, S390_LOAD, S390_STORE, S390_SET };

/**
 * struct s390_memory - operands of a load or store of GPRs; of a register set
 *	to an address
 * @regs: the GPRs, a bit each
 * @first: the one at the address; the others follow
 * @base: register the address is made from
 * @off: and what is added
 * @index: one more register is added
 */
struct s390_memory {
	u32 regs;
	u8 first;
	u8 base;
	s32 off;
	bool index;
};

/* The first two bits of an instruction tell its length. */
static inline unsigned int sframe_s390_len(u8 first)
{
	return first < 0x40 ? 2 : first < 0xc0 ? 4 : 6;
}

/* Sets of GPRs, a bit each. */
static inline u32 s390_one(unsigned int reg)
{
	return 1u << reg;
}

static inline u32 s390_pair(unsigned int reg)
{
	return 3u << (reg & 14);
}

/* From @first up to @last, around the end if need be. */
static inline u32 s390_range(unsigned int first, unsigned int last)
{
	u32 regs = s390_one(last);

	for (; first != last; first = (first + 1) & 15)
		regs |= s390_one(first);
	return regs;
}

bool sframe_s390_fetch(struct leave_code *code, u64 pc, struct s390_insn *insn);
bool sframe_s390_branch(const struct s390_insn *insn, struct s390_branch *br);
enum s390_memory_kind sframe_s390_memory(const struct s390_insn *insn,
					 struct s390_memory *m);
u32 sframe_s390_written(const struct s390_insn *insn);
u64 sframe_s390_constant_in_r14(struct leave_search *s, u64 pc);
bool sframe_s390_is_guard(struct leave_search *s, u64 target);
bool sframe_s390_is_rpython_call(const u8 *code);
bool sframe_s390_is_sure_call(struct leave_search *s, u64 ra);
bool sframe_s390_is_qemu_epilogue(struct leave_search *s, u64 pc);
bool sframe_s390_is_exit_of_block(struct leave_search *s, u64 pc);
bool sframe_s390_leave(struct sframe_leave *lv, u64 pc, sframe_read_fn read,
		       void *ctx);
bool sframe_s390_insn(const u8 *code, u64 pc, struct sframe_insn *insn);
bool sframe_s390_chain_resumes(const u8 *code);
enum sframe_chain_at sframe_s390_chain_at(const u8 *code);
bool sframe_s390_is_mark(const u8 *code);
u32 sframe_s390_ocaml_frame(const u8 *code);
bool sframe_s390_prologue(struct sframe_leave *lv, u64 from, u64 pc, sframe_read_fn read,
			  void *ctx);
bool sframe_s390_call_is_jump(const u8 *code);
bool sframe_s390_stg_run(const u8 *code, struct sframe_stg_run *run);
bool sframe_s390_go_back(const u8 *code, struct sframe_go_back *back);

#endif /* SFRAME_ARCH_S390_H */
