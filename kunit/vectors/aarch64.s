# SPDX-License-Identifier: GPL-2.0
# Every kind of row that an AArch64 assembler makes.

	.text

	.globl	leaf
	.type	leaf, %function
leaf:
	.cfi_startproc
	ret
	.cfi_endproc

	.type	frame_record, %function
frame_record:
	.cfi_startproc
	stp	x29, x30, [sp, -32]!
	.cfi_def_cfa_offset 32
	.cfi_offset 29, -32
	.cfi_offset 30, -24
	mov	x29, sp
	.cfi_def_cfa_register 29
	bl	elsewhere
	.cfi_remember_state
	ldp	x29, x30, [sp], 32
	.cfi_def_cfa 31, 0
	.cfi_restore 29
	.cfi_restore 30
	ret
	.cfi_restore_state
	brk	0
	.cfi_endproc

# Two words: CFA and RA, no FP.
ra_only:
	.cfi_startproc
	str	x30, [sp, -16]!
	.cfi_def_cfa_offset 16
	.cfi_offset 30, -16
	bl	elsewhere
	ldr	x30, [sp], 16
	.cfi_restore 30
	.cfi_def_cfa_offset 0
	ret
	.cfi_endproc

# Return addresses signed with the A key and with the B key.
signed_a:
	.cfi_startproc
	paciasp
	.cfi_negate_ra_state
	stp	x29, x30, [sp, -16]!
	.cfi_def_cfa_offset 16
	.cfi_offset 29, -16
	.cfi_offset 30, -8
	nop
	ldp	x29, x30, [sp], 16
	.cfi_restore 29
	.cfi_restore 30
	.cfi_def_cfa_offset 0
	autiasp
	.cfi_negate_ra_state
	ret
	.cfi_endproc

signed_b:
	.cfi_startproc
	.cfi_b_key_frame
	pacibsp
	.cfi_negate_ra_state
	str	x30, [sp, -16]!
	.cfi_def_cfa_offset 16
	.cfi_offset 30, -16
	nop
	ldr	x30, [sp], 16
	.cfi_restore 30
	.cfi_def_cfa_offset 0
	autibsp
	.cfi_negate_ra_state
	ret
	.cfi_endproc

words:
	.cfi_startproc
	nop
	.cfi_def_cfa_offset 112
	.cfi_offset 29, -112
	.cfi_offset 30, -104
	nop
	.cfi_def_cfa_offset 128
	nop
	.cfi_def_cfa_offset 32752
	.cfi_offset 29, -32752
	.cfi_offset 30, -32744
	nop
	.cfi_def_cfa_offset 65552
	.cfi_offset 29, -65552
	.cfi_offset 30, -65544
	ret
	.cfi_endproc

starts_2:
	.cfi_startproc
	.zero	0xf8
	.cfi_def_cfa_offset 16
	.zero	0x100
	.cfi_def_cfa_offset 0
	ret
	.cfi_endproc

starts_4:
	.cfi_startproc
	nop
	.cfi_def_cfa_offset 16
	.zero	0x10000
	.cfi_def_cfa_offset 0
	ret
	.cfi_endproc

# The last row begins where the function ends, and holds for nothing. (ld 2.40
# and 2.44 give up at it.)
	.ifdef ROW_AT_END
row_at_end:
	.cfi_startproc
	nop
	.cfi_def_cfa_offset 16
	ret
	.cfi_def_cfa_offset 0
	.cfi_endproc
	.endif

no_bytes:
	.cfi_startproc
	.cfi_endproc

outermost:
	.cfi_startproc
	.cfi_undefined 30
	bl	leaf
	brk	0
	.cfi_endproc

outermost_later:
	.cfi_startproc
	nop
	.cfi_undefined 30
	nop
	.cfi_endproc

signal:
	.cfi_startproc
	.cfi_signal_frame
	nop
	.cfi_endproc

no_cfi:
	.cfi_startproc simple
	nop
	.cfi_endproc

# CFA = *(x29 - 16) and CFA from another register.
expressions:
	.cfi_startproc
	nop
	.cfi_escape 0x0f, 0x03, 0x8d, 0x70, 0x06
	nop
	.cfi_def_cfa 9, 16
	nop
	.cfi_endproc

ra_in_register:
	.cfi_startproc
	mov	x9, x30
	.cfi_register 30, 9
	nop
	.cfi_endproc

	.section .note.GNU-stack, "", %progbits
