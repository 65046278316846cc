/* SPDX-License-Identifier: GPL-2.0 */
/* See rbp_pointer.c: x29 points at data on the stack. */

	.text
	.globl	told
	.type	told, %function
told:
	.cfi_startproc
	stp	x29, x30, [sp, #-16]!
	.cfi_adjust_cfa_offset 16
	.cfi_rel_offset x29, 0
	.cfi_rel_offset x30, 8
	add	x29, sp, #80
1:
	subs	w1, w1, #1
	b.ne	1b
	blr	x0
	ldp	x29, x30, [sp], #16
	.cfi_adjust_cfa_offset -16
	.cfi_restore x29
	.cfi_restore x30
	ret
	.cfi_endproc
	.size	told, . - told

	.globl	untold
	.type	untold, %function
untold:
	stp	x29, x30, [sp, #-16]!
	add	x29, sp, #80
1:
	subs	w1, w1, #1
	b.ne	1b
	blr	x0
	ldp	x29, x30, [sp], #16
	ret
	.size	untold, . - untold

	.section .note.GNU-stack, "", %progbits
