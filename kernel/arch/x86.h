/* SPDX-License-Identifier: GPL-2.0 */
/* What the files about x86-64 share. */
#ifndef SFRAME_ARCH_X86_H
#define SFRAME_ARCH_X86_H

#include <sframe/abi.h>

#define X86_INSN_MAX	15	/* longest instruction */
#define X86_CALL_LEN	7	/* longest call without its prefixes */
#define X86_REX_W	0x48	/* both operands are of 8 bytes */

bool sframe_x86_after_call(const u8 *code);
u64 sframe_x86_call_target(const u8 *code, u64 ra);
bool sframe_x86_insn(const u8 *code, u64 pc, struct sframe_insn *insn);
bool sframe_x86_makes_record(const u8 *code, u64 pc, u32 *looks);
bool sframe_x86_leave(struct sframe_leave *lv, u64 pc, sframe_read_fn read,
		      void *ctx);

#endif /* SFRAME_ARCH_X86_H */
