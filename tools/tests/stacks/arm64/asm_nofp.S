/* SPDX-License-Identifier: GPL-2.0 */
/* See asm_nofp.c: neither CFI nor a frame record. */

	.text
	.globl	asm_bare
	.type	asm_bare, %function
asm_bare:
	sub	sp, sp, #80
	stp	x30, x19, [sp, #64]
1:
	subs	w1, w1, #1
	b.ne	1b
	blr	x0
	ldp	x30, x19, [sp, #64]
	add	sp, sp, #80
	ret
	.size	asm_bare, . - asm_bare

	.section .note.GNU-stack, "", %progbits
