/* SPDX-License-Identifier: GPL-2.0 */
/* See steps.c: correct CFI, and a block boundary after every instruction. */

	.macro	step
	b	.Lnext\@
.Lnext\@:
	.endm

	.macro	save_record size
	stp	x29, x30, [sp, #-\size]!
	.cfi_adjust_cfa_offset \size
	.cfi_rel_offset x29, 0
	.cfi_rel_offset x30, 8
	step
	.endm

	.macro	load_record size
	ldp	x29, x30, [sp], #\size
	.cfi_adjust_cfa_offset -\size
	.cfi_restore x29
	.cfi_restore x30
	step
	.endm

	.text
	.globl	step_push
	.type	step_push, %function
step_push:
	.cfi_startproc
	step
	save_record 48
	stp	x19, x20, [sp, #16]
	.cfi_rel_offset x19, 16
	.cfi_rel_offset x20, 24
	step
	stp	x21, x22, [sp, #32]
	.cfi_rel_offset x21, 32
	.cfi_rel_offset x22, 40
	step
	sub	sp, sp, #1008
	.cfi_adjust_cfa_offset 1008
	step
	mov	x29, #0
	step
	mov	x30, #0
	step
	add	sp, sp, #1008
	.cfi_adjust_cfa_offset -1008
	step
	ldp	x21, x22, [sp, #32]
	.cfi_restore x21
	.cfi_restore x22
	step
	ldp	x19, x20, [sp, #16]
	.cfi_restore x19
	.cfi_restore x20
	step
	load_record 48
	ret
	.cfi_endproc
	.size	step_push, . - step_push

	.globl	step_frame
	.type	step_frame, %function
step_frame:
	.cfi_startproc
	step
	save_record 32
	mov	x29, sp
	.cfi_def_cfa_register x29
	step
	str	x19, [sp, #16]
	.cfi_offset x19, -16
	step
	sub	sp, sp, #48
	step
	bl	burn_here
	step
	mov	sp, x29
	step
	ldr	x19, [sp, #16]
	.cfi_restore x19
	.cfi_def_cfa_register sp
	step
	load_record 32
	ret
	.cfi_endproc
	.size	step_frame, . - step_frame

	.section .note.GNU-stack, "", %progbits
