# SPDX-License-Identifier: GPL-2.0
# Every kind of row that an x86-64 assembler makes. The instructions do not
# matter, the call frame information does.

	.text

	.globl	pushes
	.type	pushes, @function
pushes:
	.cfi_startproc
	push	%rbp
	.cfi_def_cfa_offset 16
	.cfi_offset rbp, -16
	push	%rbx
	.cfi_def_cfa_offset 24
	.cfi_offset rbx, -24
	call	elsewhere@PLT
	call	*taken@GOTPCREL(%rip)
	call	taken@PLT
	pop	%rbx
	.cfi_def_cfa_offset 16
	pop	%rbp
	.cfi_restore rbp
	.cfi_def_cfa_offset 8
	ret
	.cfi_endproc
	.size	pushes, . - pushes

	.type	frame_pointer, @function
frame_pointer:
	.cfi_startproc
	push	%rbp
	.cfi_def_cfa_offset 16
	.cfi_offset rbp, -16
	mov	%rsp, %rbp
	.cfi_def_cfa_register rbp
	nop
	.cfi_remember_state
	leave
	.cfi_def_cfa rsp, 8
	.cfi_restore rbp
	ret
	.cfi_restore_state
	ud2
	.cfi_endproc

# Offsets of one, two and four bytes in turn.
words:
	.cfi_startproc
	nop
	.cfi_def_cfa_offset 112
	nop
	.cfi_def_cfa_offset 128
	nop
	.cfi_def_cfa_offset 32760
	.cfi_offset rbp, -32760
	nop
	.cfi_def_cfa_offset 32768
	nop
	.cfi_def_cfa_offset 1048584
	.cfi_offset rbp, -1048584
	ret
	.cfi_endproc

# Row starts of two and of four bytes.
starts_2:
	.cfi_startproc
	.zero	0xfe
	.cfi_def_cfa_offset 16
	.zero	0x100
	.cfi_def_cfa_offset 8
	ret
	.cfi_endproc

starts_4:
	.cfi_startproc
	nop
	.cfi_def_cfa_offset 16
	.zero	0x10000
	.cfi_def_cfa_offset 8
	ret
	.cfi_endproc

# The last row begins where the function ends, and holds for nothing. (ld 2.40
# and 2.44 give up at it.)
	.ifdef ROW_AT_END
row_at_end:
	.cfi_startproc
	nop
	.cfi_def_cfa_offset 24
	ret
	.cfi_def_cfa_offset 8
	.cfi_endproc
	.endif

# No bytes at all, at the same address as the next one.
no_bytes:
	.cfi_startproc
	.cfi_endproc

# Not one instruction with CFI after the entry.
plain:
	.cfi_startproc
	ret
	.cfi_endproc

# The outermost frame, from the start and in the middle.
outermost:
	.cfi_startproc
	.cfi_undefined rip
	call	pushes
	hlt
	.cfi_endproc

outermost_later:
	.cfi_startproc
	nop
	.cfi_undefined rip
	nop
	.cfi_def_cfa_offset 16
	nop
	.cfi_endproc

signal:
	.cfi_startproc
	.cfi_signal_frame
	nop
	.cfi_endproc

# A signal frame that no row can describe.
signal_no_rows:
	.cfi_startproc
	.cfi_signal_frame
	.cfi_val_offset rip, 8
	.cfi_escape 0x0f, 0x04, 0x77, 0xa0, 0x01, 0x06
	nop
	.cfi_endproc

no_cfi:
	.cfi_startproc simple
	nop
	.cfi_endproc

# A stack realigned, as gcc does it: CFA = *(rbp - 8), through r10 before.
realigned:
	.cfi_startproc
	lea	8(%rsp), %r10
	.cfi_def_cfa r10, 0
	and	$-64, %rsp
	push	-8(%r10)
	push	%rbp
	mov	%rsp, %rbp
	.cfi_escape 0x10, 0x06, 0x02, 0x76, 0x00
	push	%r10
	.cfi_escape 0x0f, 0x03, 0x76, 0x78, 0x06
	nop
	pop	%r10
	.cfi_def_cfa r10, 0
	pop	%rbp
	lea	-8(%r10), %rsp
	.cfi_def_cfa rsp, 8
	ret
	.cfi_endproc

# FP in another register, and beside a CFA of its own.
fp_in_register:
	.cfi_startproc
	mov	%rbp, %rbx
	.cfi_register rbp, rbx
	nop
	.cfi_def_cfa r12, 64
	nop
	.cfi_endproc

# FP = *(rbx): the assembler loses the register, the row cannot be used.
fp_by_rbx:
	.cfi_startproc
	nop
	.cfi_escape 0x10, 0x06, 0x02, 0x73, 0x00
	nop
	.cfi_escape 0x10, 0x06, 0x02, 0x76, 0x00
	nop
	.cfi_endproc

# RA somewhere else than below the CFA.
ra_moved:
	.cfi_startproc
	nop
	.cfi_offset rip, -16
	nop
	.cfi_endproc

	.section .text.unlikely, "ax"
cold:
	.cfi_startproc
	.cfi_def_cfa_offset 48
	.cfi_offset rbp, -16
	ud2
	.cfi_endproc

	.section .note.GNU-stack, "", @progbits
