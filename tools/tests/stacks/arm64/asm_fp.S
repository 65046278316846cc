/* SPDX-License-Identifier: GPL-2.0 */
/* See asm_fp.c: a frame record and no CFI at all. */

	.text
	.globl	asm_frame
	.type	asm_frame, %function
asm_frame:
	stp	x29, x30, [sp, #-32]!
	mov	x29, sp
	str	x19, [sp, #16]
1:
	subs	w1, w1, #1
	b.ne	1b
	blr	x0
	ldr	x19, [sp, #16]
	ldp	x29, x30, [sp], #32
	ret
	.size	asm_frame, . - asm_frame

	.section .note.GNU-stack, "", %progbits
