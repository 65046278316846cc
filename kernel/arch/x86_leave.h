/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the files share that follow x86-64 code to where a function is left.
 */
#ifndef SFRAME_ARCH_X86_LEAVE_H
#define SFRAME_ARCH_X86_LEAVE_H

#include "../core/leave.h"
#include "x86.h"

/*
 * Some 2,000 instructions. Nothing is remembered behind branches (leave_search.behind_max):
 * where a path runs past a call of what never returns, SP is another one from there on, and
 * those that come later with the right one have to get through.
 */
#define X86_COST_MAX	12000
/* Functions are aligned to that, unless they are compiled to be small. */
#define FUNCTION_ALIGN	16
/* And SP, at calls. */
#define CALL_ALIGN	16
/* What following an instruction takes, see &sframe_leave.cost. */
#define X86_INSN_COST	5

/**
 * struct x86_search - all paths
 * @all: the paths, first
 * @to: where they are to lead, or 0: out of the function
 * @to_sp: SP there
 * @constant: an address that the path has put into a register
 * @constant_reg: that register's number; 0: it has not
 * @called: the path has passed a call, and nothing but a gap behind it
 * @filled: and such a gap
 * @rpython: it is code of RPython's
 * @branched: a path has come to a branch
 * @branched_by_fp: and had FP there as it was at the PC
 * @far_default: paths that wait, the last of them at what may be no part of the function, see
 *	sframe_x86_note_default(); 0 if there is none
 * @popped: bytes that its return takes off the stack above RA
 */
struct x86_search {
	struct leave_search all;
	u64 to;
	u64 to_sp;
	u64 constant;
	u8 constant_reg;
	bool called;
	bool filled;
	bool rpython;
	bool branched;
	bool branched_by_fp;
	u16 popped;
	u32 far_default;
};

/* add $imm32, %rsp */
static inline bool sframe_x86_is_add_to_sp(const struct x86_insn *in)
{
	return in->op == 0x81 && !in->map && in->modrm == 0xc4;
}

bool sframe_x86_is_known(struct x86_search *s, struct leave_path *p, u64 branch);
void sframe_x86_check_branch(const struct x86_search *s);
void sframe_x86_note_default(struct x86_search *s, const struct leave_path *p,
			     const struct x86_insn *in, u64 target);
enum leave_step sframe_x86_drop_default(struct x86_search *s, enum leave_step step);
bool sframe_x86_search_paths(struct x86_search *s, struct leave_path *p);
void sframe_x86_follow_constant(struct x86_search *s, const struct x86_insn *in);
u64 sframe_x86_constant_in(const struct x86_search *s, const struct x86_insn *in);
u64 sframe_x86_jump_target(struct x86_search *s, u64 next, const struct x86_insn *in);
bool sframe_x86_is_qemu_epilogue(struct leave_search *s, u64 pc);
bool sframe_x86_is_guard(struct leave_search *s, u64 target);
bool sframe_x86_is_sure_call(struct leave_search *s, u64 ra);
bool sframe_x86_is_old(const struct leave_path *p, u64 addr);
enum leave_step sframe_x86_push(struct leave_path *p, bool of_fp);
enum leave_step sframe_x86_push_or_pop(struct leave_search *s, struct leave_path *p,
				       const struct x86_insn *in);
enum leave_step sframe_x86_operate(struct leave_search *s, struct leave_path *p,
				   const struct x86_insn *in);
enum leave_step sframe_x86_jump_away(struct leave_search *s, struct leave_path *p,
				     const struct x86_insn *in);

#endif /* SFRAME_ARCH_X86_LEAVE_H */
