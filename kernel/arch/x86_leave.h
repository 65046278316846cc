/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the files share that follow x86-64 code to where a function is left.
 */
#ifndef SFRAME_ARCH_X86_LEAVE_H
#define SFRAME_ARCH_X86_LEAVE_H

#include "../core/leave.h"
#include "x86.h"

bool sframe_x86_is_old(const struct leave_path *p, u64 addr);
enum leave_step sframe_x86_push(struct leave_path *p, bool of_fp);
enum leave_step sframe_x86_push_or_pop(struct leave_search *s, struct leave_path *p,
				       const struct x86_insn *in);
enum leave_step sframe_x86_operate(struct leave_search *s, struct leave_path *p,
				   const struct x86_insn *in);
enum leave_step sframe_x86_jump_away(const struct leave_search *s, struct leave_path *p,
				     const struct x86_insn *in);

#endif /* SFRAME_ARCH_X86_LEAVE_H */
