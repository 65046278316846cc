/* SPDX-License-Identifier: GPL-2.0 */
/* See asm_nofp.c: neither CFI nor a frame pointer. */

	.text
	.globl	asm_bare
	.type	asm_bare, @function
asm_bare:
	push	%rbx
	sub	$64, %rsp
	mov	%esi, %ecx
1:
	dec	%ecx
	jnz	1b
	call	*%rdi
	add	$64, %rsp
	pop	%rbx
	ret
	.size	asm_bare, . - asm_bare

	.section .note.GNU-stack, "", @progbits
