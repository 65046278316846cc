/* SPDX-License-Identifier: GPL-2.0 */
/* See asm_fp.c: a frame pointer and no CFI at all. */

	.text
	.globl	asm_frame
	.type	asm_frame, @function
asm_frame:
	push	%rbp
	mov	%rsp, %rbp
	push	%rbx
	sub	$24, %rsp
	mov	%esi, %ecx
1:
	dec	%ecx
	jnz	1b
	call	*%rdi
	mov	-8(%rbp), %rbx
	leave
	ret
	.size	asm_frame, . - asm_frame

	.section .note.GNU-stack, "", @progbits
