/* SPDX-License-Identifier: GPL-2.0 */
/* See rbp_pointer.c: rbp points at data on the stack. */

	.text
	.globl	told
	.type	told, @function
told:
	.cfi_startproc
	push	%rbp
	.cfi_adjust_cfa_offset 8
	.cfi_rel_offset %rbp, 0
	lea	80(%rsp), %rbp
	mov	%esi, %ecx
1:
	dec	%ecx
	jnz	1b
	call	*%rdi
	pop	%rbp
	.cfi_adjust_cfa_offset -8
	.cfi_restore %rbp
	ret
	.cfi_endproc
	.size	told, . - told

	.globl	untold
	.type	untold, @function
untold:
	push	%rbp
	lea	80(%rsp), %rbp
	mov	%esi, %ecx
1:
	dec	%ecx
	jnz	1b
	call	*%rdi
	pop	%rbp
	ret
	.size	untold, . - untold

	.section .note.GNU-stack, "", @progbits
