# SPDX-License-Identifier: GPL-2.0
# Every kind of row that an s390x assembler makes. CFA = SP + 160 on entry.

	.text

	.globl	leaf
	.type	leaf, @function
leaf:
	.cfi_startproc
	br	%r14
	.cfi_endproc

	.type	saves, @function
saves:
	.cfi_startproc
	stmg	%r11, %r15, 88(%r15)
	.cfi_offset 11, -72
	.cfi_offset 12, -64
	.cfi_offset 13, -56
	.cfi_offset 14, -48
	.cfi_offset 15, -40
	lay	%r15, -168(%r15)
	.cfi_def_cfa_offset 328
	lgr	%r11, %r15
	.cfi_def_cfa_register 11
	brasl	%r14, elsewhere@PLT
	.cfi_remember_state
	lmg	%r11, %r15, 256(%r11)
	.cfi_restore 11
	.cfi_restore 12
	.cfi_restore 13
	.cfi_restore 14
	.cfi_restore 15
	.cfi_def_cfa 15, 160
	br	%r14
	.cfi_restore_state
	j	.
	.cfi_endproc

# RA alone, and FP alone: the RA's place holds 0 then.
ra_only:
	.cfi_startproc
	stg	%r14, 112(%r15)
	.cfi_offset 14, -48
	nopr
	.cfi_restore 14
	br	%r14
	.cfi_endproc

fp_only:
	.cfi_startproc
	stg	%r11, 88(%r15)
	.cfi_offset 11, -72
	nopr
	.cfi_offset 14, -48
	br	%r14
	.cfi_endproc

# RA and FP in floating-point registers, in either order.
ra_then_fp_in_fpr:
	.cfi_startproc
	ldgr	%f0, %r14
	.cfi_register 14, 16
	ldgr	%f2, %r11
	.cfi_register 11, 17
	nopr
	.cfi_restore 11
	.cfi_restore 14
	br	%r14
	.cfi_endproc

fp_then_ra_in_fpr:
	.cfi_startproc
	ldgr	%f2, %r11
	.cfi_register 11, 17
	ldgr	%f0, %r14
	.cfi_register 14, 16
	br	%r14
	.cfi_endproc

words:
	.cfi_startproc
	nopr
	.cfi_def_cfa_offset 1168
	nopr
	.cfi_def_cfa_offset 1184
	nopr
	.cfi_def_cfa_offset 262296
	nopr
	.cfi_def_cfa_offset 262304
	.cfi_offset 14, -32768
	nopr
	.cfi_offset 14, -32776
	br	%r14
	.cfi_endproc

starts_2:
	.cfi_startproc
	.zero	0xfe
	.cfi_def_cfa_offset 320
	.zero	0x100
	.cfi_def_cfa_offset 160
	br	%r14
	.cfi_endproc

starts_4:
	.cfi_startproc
	nopr
	.cfi_def_cfa_offset 320
	.zero	0x10000
	.cfi_def_cfa_offset 160
	br	%r14
	.cfi_endproc

# The last row begins where the function ends, and holds for nothing. (ld 2.40
# and 2.44 give up at it.)
	.ifdef ROW_AT_END
row_at_end:
	.cfi_startproc
	nopr
	.cfi_def_cfa_offset 320
	br	%r14
	.cfi_def_cfa_offset 160
	.cfi_endproc
	.endif

no_bytes:
	.cfi_startproc
	.cfi_endproc

outermost:
	.cfi_startproc
	.cfi_undefined 14
	brasl	%r14, leaf
	.cfi_endproc

outermost_later:
	.cfi_startproc
	nopr
	.cfi_undefined 14
	nopr
	.cfi_endproc

signal:
	.cfi_startproc
	.cfi_signal_frame
	nopr
	.cfi_endproc

no_cfi:
	.cfi_startproc simple
	nopr
	.cfi_endproc

# CFA from other registers, its offset scaled there too.
other_registers:
	.cfi_startproc
	nopr
	.cfi_def_cfa 14, 98464
	nopr
	.cfi_def_cfa 10, 160
	nopr
	.cfi_endproc

	.section .note.GNU-stack, "", @progbits
