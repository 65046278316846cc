/* SPDX-License-Identifier: GPL-2.0 */
/* See steps.c: correct CFI, and a block boundary after every instruction. */

	.macro	step
	jmp	.Lnext\@
.Lnext\@:
	.endm

	.macro	save reg
	push	%\reg
	.cfi_adjust_cfa_offset 8
	.cfi_rel_offset %\reg, 0
	step
	.endm

	.macro	restore reg
	pop	%\reg
	.cfi_adjust_cfa_offset -8
	.cfi_restore %\reg
	step
	.endm

	.text
	.globl	step_push
	.type	step_push, @function
step_push:
	.cfi_startproc
	step
	save	rbp
	save	rbx
	save	r12
	save	r13
	save	r14
	save	r15
	sub	$1000, %rsp
	.cfi_adjust_cfa_offset 1000
	step
	xor	%ebp, %ebp
	step
	add	$1000, %rsp
	.cfi_adjust_cfa_offset -1000
	step
	restore	r15
	restore	r14
	restore	r13
	restore	r12
	restore	rbx
	restore	rbp
	ret
	.cfi_endproc
	.size	step_push, . - step_push

	.globl	step_frame
	.type	step_frame, @function
step_frame:
	.cfi_startproc
	step
	save	rbp
	mov	%rsp, %rbp
	.cfi_def_cfa_register %rbp
	step
	push	%rbx
	.cfi_offset %rbx, -24
	step
	sub	$40, %rsp
	step
	call	burn_here
	step
	mov	-8(%rbp), %rbx
	.cfi_restore %rbx
	step
	leave
	.cfi_def_cfa %rsp, 8
	.cfi_restore %rbp
	step
	ret
	.cfi_endproc
	.size	step_frame, . - step_frame

	.section .note.GNU-stack, "", @progbits
